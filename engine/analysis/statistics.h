// Percentiles and the statistics of relative errors.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace profdb::analysis {

// The quantile `p` in [0, 1] of ascending, non-empty values, by linear interpolation between the two nearest
// (NumPy's default): the value at position p * (n - 1).
double quantile(const std::vector<double>& ascending, double p);

// Of signed relative errors: (predicted - measured) / measured. All but signed_median are of their absolute
// values.
struct ErrorStatistics {
  std::size_t n = 0;  // 0: the rest means nothing
  double median = 0;
  double p90 = 0;
  double p95 = 0;
  double max = 0;
  double signed_median = 0;
};
ErrorStatistics error_statistics(const std::vector<double>& signed_errors);

// Adds median_error, p90_error, p95_error, max_error and signed_median_error to an object; nothing where n is
// 0.
void add_to_json(nlohmann::ordered_json& object, const ErrorStatistics& statistics);

}  // namespace profdb::analysis
