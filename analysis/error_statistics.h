// The statistics of relative errors.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace profdb::analysis {

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
