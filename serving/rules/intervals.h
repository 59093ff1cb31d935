// Sets of half-open intervals on one timeline.
#pragma once

#include <cstdint>
#include <vector>

namespace profdb::serving {

struct Interval {
  std::int64_t start = 0;
  std::int64_t end = 0;  // not before start
  bool operator==(const Interval&) const = default;
};

// Disjoint, rising, none empty.
using IntervalSet = std::vector<Interval>;

IntervalSet unite(std::vector<Interval> intervals);
IntervalSet subtract(const IntervalSet& from, const IntervalSet& what);
std::int64_t length(const IntervalSet& set);

}  // namespace profdb::serving
