// Median and quantiles.
#include "base/statistics.h"

#include <algorithm>

namespace profdb {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double quantile(const std::vector<double>& ascending, double p) {
  const double position = p * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 >= ascending.size()) return ascending.back();
  const double share = position - static_cast<double>(below);
  return ascending[below] + share * (ascending[below + 1] - ascending[below]);
}

}  // namespace profdb
