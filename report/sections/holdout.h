// The hold-out runs of a report, and their samples.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/sections/input.h"

namespace profdb::report {

struct HoldoutRun {
  std::int64_t run_id = 0;
  const Release* release = nullptr;
  std::string run_at, engine_version, content_digest, mapping_digest, options;
  std::int64_t sample_count = 0;
  std::int64_t answered_count = 0;
  bool current = false;  // of the data and the mapping that the release has now
};

struct HoldoutSample {
  const HoldoutRun* run = nullptr;
  std::string op, kernel, path;
  std::int64_t regime_id = 0;
  std::string coordinate;
  double measured_us = 0;
  std::string source;
  std::optional<double> predicted_us;
  std::optional<double> relative_error;  // signed; absent for a miss
  std::string method;
  std::int64_t dim = 0;  // 0: no interpolation
  std::string axes, reason, neighbours;
};

// The runs that were asked for, or all runs of the releases, newest first. Throws Error(usage) for one that
// is not there or is of a release that the report leaves out.
std::vector<HoldoutRun> holdout_runs(const Input& input);

// Of the runs asked for every sample; where none was asked for, of each release, kernel and path those of the
// newest run that has any.
std::vector<HoldoutSample> holdout_samples(const Input& input, const std::vector<HoldoutRun>& runs);

}  // namespace profdb::report
