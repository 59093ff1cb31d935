// Thresholds from pairs of runs of one version (acceptance-protocol §3).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace profdb::serving {

// B_r(C) of the two runs of a pair, by level, ms per token.
struct CalibrationPair {
  std::map<std::int64_t, double> parent;
  std::map<std::int64_t, double> candidate;
};

struct CalibrationLevel {
  std::vector<double> jitter_of_pair;  // in the pairs' order
  double jitter = 0;                   // the largest
  double threshold = 0;                // max(floor, jitter)
};

// |candidate - parent| / parent. Nothing where one is not usable.
std::optional<double> pair_jitter(double parent, double candidate);

// Thresholds by level. Nothing where there is no pair, or where a pair has no usable figure at a level: no
// pair is dropped.
std::optional<std::map<std::int64_t, CalibrationLevel>> calibrate(const std::vector<CalibrationPair>& pairs,
                                                                  const std::vector<std::int64_t>& levels,
                                                                  double floor);

}  // namespace profdb::serving
