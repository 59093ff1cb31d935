// Two releases side by side: the coordinates that both measured, how latencies changed, what only one has.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/density.h"
#include "engine/store/database.h"
#include "profdb/engine.h"

namespace profdb::analysis {

struct DiffOptions {
  RegimeFilter filter;      // kernel and path; a regime number means nothing across releases
  double threshold = 0.05;  // relative: a regression is slower than this, an improvement faster
};

// Of B's latency / A's latency, each the median of the coordinate's measurements.
struct RatioStatistics {
  std::size_t n = 0;  // 0: the rest means nothing
  double min = 0;
  double p10 = 0;
  double median = 0;
  double p90 = 0;
  double max = 0;
};

// One regime, equal in every field on both sides, or a kernel's regimes together.
struct RegimeDiff {
  std::string kernel;
  std::string path;
  nlohmann::ordered_json regime;  // the fields; null where this is a whole kernel
  std::string source_class;       // rows of one class are compared with rows of the same
  RatioStatistics ratio;          // n: coordinates in common
  std::int64_t regressions = 0;
  std::int64_t improvements = 0;
  std::int64_t only_a = 0;  // coordinates
  std::int64_t only_b = 0;
};

// A coordinate in common whose latency changed beyond the threshold.
struct CoordinateChange {
  std::string kernel;
  std::string path;
  nlohmann::ordered_json regime;
  std::string source_class;
  std::string coordinate;  // as in the view candidate
  double a_us = 0;
  double b_us = 0;
  double ratio = 0;  // b_us / a_us
};

// What one release has and the other lacks.
struct OnlyIn {
  std::string release;  // "A" or "B"
  std::string scope;    // operator (of the mapping), kernel, regime, coordinates
  std::string op;       // of scope operator
  std::string kernel;   // of the others
  std::string path;
  nlohmann::ordered_json regime;  // of regime and coordinates
  std::int64_t coordinates = 0;
};

struct DiffReport {
  ReleaseInfo a;
  ReleaseInfo b;
  double threshold = 0;
  std::vector<RegimeDiff> kernels;             // per kernel and path
  std::vector<RegimeDiff> regimes;             // those that both have
  std::vector<CoordinateChange> regressions;   // the worst first
  std::vector<CoordinateChange> improvements;  // the best first
  std::vector<OnlyIn> only;
};

// Throws Error(usage) where both are the same release. Within the caller's read transaction.
DiffReport diff(store::Connection& connection, const ReleaseInfo& a, const ReleaseInfo& b,
                const DiffOptions& options);

nlohmann::ordered_json to_json(const RegimeDiff& row);
nlohmann::ordered_json to_json(const CoordinateChange& row);
nlohmann::ordered_json to_json(const OnlyIn& row);
nlohmann::ordered_json to_json(const DiffReport& report);

}  // namespace profdb::analysis
