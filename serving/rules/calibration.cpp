// Jitter and thresholds.
#include "serving/rules/calibration.h"

#include <algorithm>
#include <cmath>

#include "serving/rules/verdict.h"

namespace profdb::serving {

std::optional<double> pair_jitter(double parent, double candidate) {
  if (!usable(parent) || !usable(candidate)) return std::nullopt;
  return std::abs(candidate - parent) / parent;
}

std::optional<std::map<std::int64_t, CalibrationLevel>> calibrate(const std::vector<CalibrationPair>& pairs,
                                                                  const std::vector<std::int64_t>& levels,
                                                                  double floor) {
  if (pairs.empty() || levels.empty() || !std::isfinite(floor) || floor < 0) return std::nullopt;
  std::map<std::int64_t, CalibrationLevel> result;
  for (const std::int64_t level : levels) {
    CalibrationLevel& out = result[level];
    for (const CalibrationPair& pair : pairs) {
      const auto parent = pair.parent.find(level);
      const auto candidate = pair.candidate.find(level);
      if (parent == pair.parent.end() || candidate == pair.candidate.end()) return std::nullopt;
      const auto jitter = pair_jitter(parent->second, candidate->second);
      if (!jitter) return std::nullopt;
      out.jitter_of_pair.push_back(*jitter);
    }
    out.jitter = *std::max_element(out.jitter_of_pair.begin(), out.jitter_of_pair.end());
    out.threshold = std::max(floor, out.jitter);
  }
  return result;
}

}  // namespace profdb::serving
