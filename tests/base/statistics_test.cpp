// Median and quantiles, against hand calculations.
#include "base/statistics.h"

#include <gtest/gtest.h>

namespace profdb {
namespace {

TEST(MedianTest, OfAnOddCountIsTheMiddleOne) {
  EXPECT_EQ(median({9, 1, 5}), 5);
}

TEST(MedianTest, OfAnEvenCountIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median({4, 1, 9, 2}), 3);
}

TEST(QuantileTest, InterpolatesLinearlyBetweenTheTwoNearest) {
  // Position p * (n - 1): 0.9 * 3 = 2.7, so 3 + 0.7 * (4 - 3).
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4}, 0.9), 3.7);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 4}, 0.5), 2);
}

TEST(QuantileTest, TheEndsAreTheSmallestAndTheLargest) {
  EXPECT_DOUBLE_EQ(quantile({1, 2, 4}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 4}, 1), 4);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.9), 7);
}

}  // namespace
}  // namespace profdb
