// Contract §5: one attempt to interpolate a target among the candidates of one axis group.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/candidates/points.h"

namespace profdb {

struct Interpolation {
  Attempt attempt;  // reason "answered" where there is a latency
  double latency_us = 0;
  std::string method;
  std::vector<Boundary> boundary;
  std::vector<MatchedRow> matched_rows;
  bool answered() const { return attempt.reason == "answered"; }
};

// An attempt that ends before geometry, with its reason.
Interpolation no_interpolation(const PathSpec& spec, const AxisGroup& group, std::string_view reason);

// `points`: those that equal `target` (along PathSpec::axes) outside their group.
Interpolation interpolate(const GroupPoints& points, const std::vector<std::int64_t>& target);

}  // namespace profdb
