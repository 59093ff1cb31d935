// Statistics of a set of numbers.
#pragma once

#include <vector>

namespace profdb {

// Median of a non-empty set; of an even count the mean of the middle two.
double median(std::vector<double> values);

// The quantile `p` in [0, 1] of ascending, non-empty values, by linear interpolation between the two nearest
// (NumPy's default): the value at position p * (n - 1).
double quantile(const std::vector<double>& ascending, double p);

}  // namespace profdb
