// acceptance-protocol §3, jitter and thresholds.
#include "serving/rules/calibration.h"

#include <gtest/gtest.h>

#include <limits>

namespace profdb::serving {
namespace {

// acceptance-protocol §3: level 32, pair 3 of the source.
TEST(Calibration, GivesTheKnownJitter) {
  EXPECT_EQ(pair_jitter(89.3830927940, 95.6210311402), 0.06978879507533363);
}

TEST(Calibration, TheLargestJitterAboveTheFloorIsTheThreshold) {
  // Jitters by hand: level 1: 0.5/50 = 0.01 and 1/40 = 0.025; level 4: 0.25/64 = 0.00390625 and 0.
  const std::vector<CalibrationPair> pairs = {{{{1, 50.0}, {4, 64.0}}, {{1, 49.5}, {4, 64.25}}},
                                              {{{1, 40.0}, {4, 64.0}}, {{1, 41.0}, {4, 64.0}}}};
  const auto result = calibrate(pairs, {1, 4}, 0.01);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->at(1).threshold, 0.025);
  EXPECT_EQ(result->at(1).jitter_of_pair, (std::vector<double>{0.01, 0.025}));
  EXPECT_EQ(result->at(4).jitter, 0.00390625);
  EXPECT_EQ(result->at(4).threshold, 0.01);
}

TEST(Calibration, NoPairIsDropped) {
  std::vector<CalibrationPair> pairs = {{{{1, 50.0}}, {{1, 49.5}}}, {{{1, 50.0}}, {}}};
  EXPECT_FALSE(calibrate(pairs, {1}, 0.01).has_value());
  pairs[1].candidate[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(calibrate(pairs, {1}, 0.01).has_value());
  pairs[1].candidate[1] = -50.0;
  EXPECT_FALSE(calibrate(pairs, {1}, 0.01).has_value());
  pairs[1].candidate[1] = 50.0;
  EXPECT_TRUE(calibrate(pairs, {1}, 0.01).has_value());
  EXPECT_FALSE(calibrate({}, {1}, 0.01).has_value());
}

}  // namespace
}  // namespace profdb::serving
