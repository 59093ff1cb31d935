// Hold-out: each measured coordinate is left out with all its measurements, and the production lookup is
// asked for it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/density.h"
#include "analysis/error_statistics.h"
#include "engine/lookup/plan.h"
#include "engine/store/database.h"
#include "engine/store/row.h"
#include "profdb/engine.h"

namespace profdb::analysis {

struct HoldoutOptions {
  EngineOptions engine;  // release, EP size, interpolation, padded match; log and log_db mean nothing here
  RegimeFilter filter;
  std::string op;        // only this operator of the mapping; empty: all
  unsigned threads = 0;  // 0: as many as the machine has cores
};

// One coordinate of a regime. What the table holdout_sample says of its columns holds for the members.
struct HoldoutSample {
  std::string op;
  std::string kernel;
  std::string path;
  std::int64_t regime_id = 0;
  nlohmann::ordered_json regime;
  std::string source_class;
  std::string coordinate;
  std::int64_t measurement_id = 0;
  std::int64_t row_count = 0;
  double measured_us = 0;
  double spread = 0;
  Source source = Source::miss;
  double predicted_us = 0;    // meaningless for a miss, as relative_error
  double relative_error = 0;  // (predicted - measured) / measured
  std::string method;
  std::string match_rule;
  int dim = 0;  // of an interpolation; else 0
  std::string axes;
  std::string reason;  // of a miss
  nlohmann::ordered_json neighbours = nlohmann::ordered_json::array();

  bool answered() const { return source != Source::miss; }
};

struct HoldoutRun {
  std::int64_t holdout_run_id = 0;  // 0: not stored
  std::string run_at;               // UTC, ISO 8601
  std::string engine_version;
  std::int64_t release_id = 0;
  std::string release;
  std::string content_digest;
  std::string mapping_digest;
  std::string synthetic;
  nlohmann::ordered_json options;
  std::vector<HoldoutSample> samples;  // by projection, regime and coordinate; the same for any thread count
};

// Calls `use` with every measurement of the kernel in the release, in row order, as paths see it. The row
// holds during the call. (importer/write/stored_rows.h has it; analysis does not link the importer.)
using RowSource = std::function<void(store::Connection&, const ReleaseState&, const std::string& kernel,
                                     const std::function<void(const Row&)>& use)>;
// Called from time to time by the thread that called holdout().
using HoldoutProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// Runs over one state of the database and writes nothing. A projection that several operators share is asked
// through the first of them. Throws Error as Engine does, and Error(usage) for an operator that the mapping
// lacks; no sample at all is no error.
HoldoutRun holdout(const std::string& database, const HoldoutOptions& options, const RowSource& rows,
                   const HoldoutProgress& progress = {});

// Samples of one kernel and path, or of those among its answers that were given in one way.
struct HoldoutGroup {
  std::string kernel;
  std::string path;
  std::string source;  // empty: every sample of the kernel and path
  int dim = 0;         // 0: of answers that are no interpolation, and where source is empty
  std::string axes;    // empty: every axis group of the dimension
  std::int64_t samples = 0;
  std::int64_t answered = 0;
  std::map<std::string, std::int64_t> misses;  // by reason
  ErrorStatistics error;                       // of those that were answered
};

// Per kernel and path: all samples, then per source, dimension and axis group.
std::vector<HoldoutGroup> holdout_groups(const std::vector<HoldoutSample>& samples);
// Indices of the `most` samples with the largest absolute errors, the worst first; of equals, the first.
std::vector<std::size_t> worst_samples(const std::vector<HoldoutSample>& samples, std::size_t most);

// The tables holdout_run and holdout_sample. store_holdout gives the run its number.
void store_holdout(store::Connection& connection, HoldoutRun& run);
// Throws Error(usage) that lists the runs where there is none of that number.
HoldoutRun load_holdout(store::Connection& connection, std::int64_t holdout_run_id);
// Without samples, the newest first; as JSON objects with the columns of holdout_run.
nlohmann::ordered_json list_holdouts(store::Connection& connection);

nlohmann::ordered_json to_json(const HoldoutSample& sample);
nlohmann::ordered_json to_json(const HoldoutGroup& group);
// {"run": {…}, "groups": […], "misses": […], "worst": […]} with `worst` cases.
nlohmann::ordered_json to_json(const HoldoutRun& run, std::size_t worst);

}  // namespace profdb::analysis
