// Contract §5: one attempt to interpolate a target among the candidates of one axis group.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/path.h"
#include "engine/store/candidates.h"

namespace profdb {

// A coordinate with everything that was measured there.
struct MeasuredPoint {
  std::vector<std::int64_t> coordinate;
  std::vector<std::int64_t> measurement_ids;  // in row order
  std::vector<double> latencies;              // along measurement_ids
  double latency_us = 0;                      // their median
  double spread = 0;                          // (max - min) / median
};

// Median of a non-empty set; of an even count the mean of the middle two.
double median(std::vector<double> values);

// Merges equal coordinates, each at its first row; rows must come in row order.
std::vector<MeasuredPoint> merge_points(const std::vector<store::CandidateRow>& rows);

// The point as a result shows it.
MatchedRow matched_row(const PathSpec& spec, const MeasuredPoint& point, std::optional<double> weight);

// Duplicates further apart than this make a coordinate ambiguous in the paths that fail closed (contract §5).
inline constexpr double kAmbiguousSpread = 0.10;

struct Interpolation {
  Attempt attempt;  // reason "answered" where there is a latency
  double latency_us = 0;
  std::string method;
  std::vector<Boundary> boundary;
  std::vector<MatchedRow> matched_rows;
  bool answered() const { return attempt.reason == "answered"; }
};

// How an axis is measured: the coordinate itself, or its square root (axis_transform: sqrt_seq).
using AxisTransform = std::vector<bool>;  // along PathSpec::axes: true takes the square root

// `points`: the candidates that equal `target` on every axis outside the group, merged, in row order.
Interpolation interpolate(const PathSpec& spec, const AxisGroup& group,
                          const std::vector<std::int64_t>& target, const std::vector<MeasuredPoint>& points,
                          const AxisTransform& square_root = {});

}  // namespace profdb
