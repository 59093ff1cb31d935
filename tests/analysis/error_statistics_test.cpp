// Error statistics against hand calculations.
#include "analysis/error_statistics.h"

#include <gtest/gtest.h>

namespace profdb::analysis {
namespace {

TEST(ErrorStatisticsTest, AllButTheSignedMedianAreOfAbsoluteValues) {
  const ErrorStatistics s = error_statistics({-0.4, 0.1, -0.2});
  EXPECT_EQ(s.n, 3U);
  EXPECT_DOUBLE_EQ(s.median, 0.2);
  EXPECT_DOUBLE_EQ(s.p90, 0.2 + 0.8 * 0.2);  // position 1.8
  EXPECT_DOUBLE_EQ(s.p95, 0.2 + 0.9 * 0.2);  // position 1.9
  EXPECT_DOUBLE_EQ(s.max, 0.4);
  EXPECT_DOUBLE_EQ(s.signed_median, -0.2);
}

TEST(ErrorStatisticsTest, NothingIsSaidOfNoErrors) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  add_to_json(json, error_statistics({}));
  EXPECT_TRUE(json.empty());
}

}  // namespace
}  // namespace profdb::analysis
