// Contract §5: one attempt to interpolate a target among the candidates of one axis group.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/points.h"

namespace profdb {

struct Interpolation {
  Attempt attempt;  // reason "answered" where there is a latency
  double latency_us = 0;
  std::string method;
  std::vector<Boundary> boundary;
  std::vector<MatchedRow> matched_rows;
  bool answered() const { return attempt.reason == "answered"; }
};

// `points`: those that equal `target` (along PathSpec::axes) outside their group.
Interpolation interpolate(const GroupPoints& points, const std::vector<std::int64_t>& target);

}  // namespace profdb
