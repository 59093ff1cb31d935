// Unions and differences by one sweep.
#include "serving/rules/intervals.h"

#include <algorithm>

namespace profdb::serving {

IntervalSet unite(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.start < b.start; });
  IntervalSet set;
  for (const Interval& next : intervals) {
    if (next.end <= next.start) continue;
    if (!set.empty() && next.start <= set.back().end)
      set.back().end = std::max(set.back().end, next.end);
    else
      set.push_back(next);
  }
  return set;
}

IntervalSet subtract(const IntervalSet& from, const IntervalSet& what) {
  IntervalSet left;
  auto cut = what.begin();
  for (Interval rest : from) {
    while (cut != what.end() && cut->end <= rest.start) ++cut;
    for (auto at = cut; at != what.end() && at->start < rest.end; ++at) {
      if (at->start > rest.start) left.push_back({rest.start, at->start});
      rest.start = std::max(rest.start, at->end);
    }
    if (rest.start < rest.end) left.push_back(rest);
  }
  return left;
}

std::int64_t length(const IntervalSet& set) {
  std::int64_t sum = 0;
  for (const Interval& interval : set) sum += interval.end - interval.start;
  return sum;
}

}  // namespace profdb::serving
