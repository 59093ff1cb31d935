// Errors as their quantiles.
#include "analysis/error_statistics.h"

#include <algorithm>
#include <cmath>

#include "base/statistics.h"

namespace profdb::analysis {

ErrorStatistics error_statistics(const std::vector<double>& signed_errors) {
  constexpr double kMedian = 0.5;
  constexpr double kP90 = 0.9;
  constexpr double kP95 = 0.95;
  ErrorStatistics statistics;
  statistics.n = signed_errors.size();
  if (signed_errors.empty()) return statistics;
  std::vector<double> ascending = signed_errors;
  std::sort(ascending.begin(), ascending.end());
  statistics.signed_median = quantile(ascending, kMedian);
  for (double& error : ascending) error = std::abs(error);
  std::sort(ascending.begin(), ascending.end());
  statistics.median = quantile(ascending, kMedian);
  statistics.p90 = quantile(ascending, kP90);
  statistics.p95 = quantile(ascending, kP95);
  statistics.max = ascending.back();
  return statistics;
}

void add_to_json(nlohmann::ordered_json& object, const ErrorStatistics& statistics) {
  if (statistics.n == 0) return;
  object["median_error"] = statistics.median;
  object["p90_error"] = statistics.p90;
  object["p95_error"] = statistics.p95;
  object["max_error"] = statistics.max;
  object["signed_median_error"] = statistics.signed_median;
}

}  // namespace profdb::analysis
