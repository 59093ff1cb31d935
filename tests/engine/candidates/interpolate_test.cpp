// One attempt to interpolate: merging, the checks in their order, linear interpolation (contract §5).
#include "engine/candidates/interpolate.h"
#include "base/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace profdb {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using Coordinate = std::vector<std::int64_t>;

const PathSpec& spec() {
  static const PathSpec spec{
      .name = "test_path", .fields = {}, .axes = {"M", "K", "N"}, .groups = {{0}, {0, 1}, {0, 1, 2}}};
  return spec;
}

const AxisGroup kLine = {0};
const AxisGroup kPlane = {0, 1};
const AxisGroup kSpace = {0, 1, 2};

struct Measured {
  Coordinate coordinate;
  double latency_us;
};

std::vector<MeasuredPoint> points(const std::vector<Measured>& measured) {
  std::vector<store::CandidateRow> rows;
  for (const auto& [coordinate, latency_us] : measured)
    rows.push_back({coordinate, static_cast<std::int64_t>(rows.size()) + 1, latency_us});
  return merge_points(rows);
}

std::shared_ptr<const GroupPoints> group_of(const AxisGroup& group, const std::vector<Measured>& measured,
                                            const AxisTransform& square_root = {}) {
  return std::make_shared<const GroupPoints>(spec(), group, points(measured), square_root);
}

Interpolation attempt(const AxisGroup& group, const Coordinate& target,
                      const std::vector<Measured>& measured) {
  return interpolate(*group_of(group, measured), target);
}

std::string reason(const AxisGroup& group, const Coordinate& target, const std::vector<Measured>& measured) {
  return std::string(attempt(group, target, measured).attempt.reason);
}

std::vector<std::vector<double>> intervals(const std::vector<Boundary>& boundary) {
  std::vector<std::vector<double>> found;
  for (const Boundary& b : boundary) found.push_back({b.low, b.high});
  return found;
}

TEST(MergeTest, MedianOfAnOddCountIsTheMiddle) {
  EXPECT_EQ(median({30, 10, 12}), 12);
}
TEST(MergeTest, MedianOfAnEvenCountIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median({40, 10, 20, 14}), 17);
}

TEST(MergeTest, EqualCoordinatesMergeAtTheFirstRow) {
  const auto merged =
      points({{{8, 1, 1}, 1}, {{4, 1, 1}, 10}, {{8, 1, 1}, 3}, {{2, 1, 1}, 5}, {{4, 1, 1}, 20}});
  ASSERT_EQ(merged.size(), 3U);
  EXPECT_EQ(merged[0].coordinate, (Coordinate{8, 1, 1}));
  EXPECT_EQ(merged[1].coordinate, (Coordinate{4, 1, 1}));
  EXPECT_EQ(merged[2].coordinate, (Coordinate{2, 1, 1}));
  EXPECT_THAT(merged[0].measurement_ids, ElementsAre(1, 3));
  EXPECT_THAT(merged[1].measurement_ids, ElementsAre(2, 5));
}

// Median of 10, 12, 20 is 12; spread (20 - 10) / 12.
TEST(MergeTest, DuplicatesGiveTheirMedianWithCountAndSpread) {
  const auto merged = points({{{4, 1, 1}, 20}, {{4, 1, 1}, 10}, {{4, 1, 1}, 12}});
  const MatchedRow row = matched_row(spec(), merged.at(0), std::nullopt);
  EXPECT_EQ(row.latency_us, 12);
  EXPECT_EQ(row.row_count, 3U);
  EXPECT_DOUBLE_EQ(row.spread, 10.0 / 12.0);
  EXPECT_THAT(row.measurement_ids, ElementsAre(1, 2, 3));
  EXPECT_THAT(row.coordinate, ElementsAre(Pair("M", 4), Pair("K", 1), Pair("N", 1)));
}

TEST(MergeTest, ASingleRowHasNoSpread) {
  const MatchedRow row = matched_row(spec(), points({{{4, 1, 1}, 20}}).at(0), 0.25);
  EXPECT_EQ(row.row_count, 1U);
  EXPECT_EQ(row.spread, 0);
  EXPECT_EQ(row.weight, 0.25);
}

TEST(MergeTest, AxesThatTheRowLacksAreNotShown) {
  const MatchedRow row = matched_row(spec(), points({{{4, kNoAxis, kNoAxis}, 20}}).at(0), std::nullopt);
  EXPECT_THAT(row.coordinate, ElementsAre(Pair("M", 4)));
}

// Between (10, 100 us) and (20, 120 us): 100 + 20 * (15 - 10) / 10 = 110.
TEST(InterpolateTest, OneDimensionTakesTheNearestBelowAndAbove) {
  const auto result =
      attempt(kLine, {15, 1, 1}, {{{40, 1, 1}, 400}, {{20, 1, 1}, 120}, {{1, 1, 1}, 999}, {{10, 1, 1}, 100}});
  ASSERT_TRUE(result.answered()) << result.attempt.reason;
  EXPECT_EQ(result.method, "linear_1d");
  EXPECT_DOUBLE_EQ(result.latency_us, 110);
  EXPECT_THAT(intervals(result.boundary), ElementsAre(ElementsAre(10, 20)));
  EXPECT_EQ(result.boundary[0].axis, "M");
  ASSERT_EQ(result.matched_rows.size(), 2U);
  EXPECT_THAT(result.matched_rows[0].measurement_ids, ElementsAre(4));  // below
  EXPECT_THAT(result.matched_rows[1].measurement_ids, ElementsAre(2));  // above
  EXPECT_EQ(result.matched_rows[0].latency_us, 100);
}

TEST(InterpolateTest, AMeasuredCoordinateIsABracketOfWidthZero) {
  const auto result = attempt(kLine, {20, 1, 1}, {{{10, 1, 1}, 100}, {{20, 1, 1}, 120}, {{40, 1, 1}, 400}});
  ASSERT_TRUE(result.answered());
  EXPECT_EQ(result.latency_us, 120);
  EXPECT_EQ(result.method, "linear_1d");
  EXPECT_THAT(intervals(result.boundary), ElementsAre(ElementsAre(20, 20)));
}

// The median of 10 and 30 at M = 10 is 20; half way to 40 at M = 20 is 30.
TEST(InterpolateTest, DuplicatesTakePartAsTheirMedian) {
  const auto result = attempt(kLine, {15, 1, 1}, {{{10, 1, 1}, 10}, {{20, 1, 1}, 40}, {{10, 1, 1}, 30}});
  EXPECT_DOUBLE_EQ(result.latency_us, 30);
  EXPECT_EQ(result.matched_rows.at(0).row_count, 2U);
  EXPECT_EQ(result.attempt.candidate_count, 3U);
  EXPECT_EQ(result.attempt.coordinate_count, 2U);
}

TEST(InterpolateTest, FewerThanTwoDistinctCoordinatesAreInsufficient) {
  EXPECT_EQ(reason(kLine, {10, 1, 1}, {}), "insufficient_candidates");
  EXPECT_EQ(reason(kLine, {10, 1, 1}, {{{10, 1, 1}, 5}}), "insufficient_candidates");
  EXPECT_EQ(reason(kLine, {10, 1, 1}, {{{10, 1, 1}, 5}, {{10, 1, 1}, 6}, {{10, 1, 1}, 7}}),
            "insufficient_candidates");
}

TEST(InterpolateTest, OutsideTheMeasuredRangeIsOutsideBoundary) {
  const std::vector<Measured> measured = {{{10, 1, 1}, 100}, {{20, 1, 1}, 120}};
  EXPECT_EQ(reason(kLine, {9, 1, 1}, measured), "outside_boundary");
  EXPECT_EQ(reason(kLine, {21, 1, 1}, measured), "outside_boundary");
  EXPECT_EQ(reason(kLine, {10, 1, 1}, measured), "answered");
  EXPECT_EQ(reason(kLine, {20, 1, 1}, measured), "answered");
}

TEST(InterpolateTest, OutsideBoundaryHoldsForAnyAxisOfTheGroup) {
  const std::vector<Measured> measured = {{{1, 1, 1}, 1}, {{5, 1, 1}, 2}, {{1, 5, 1}, 3}};
  EXPECT_EQ(reason(kPlane, {6, 2, 1}, measured), "outside_boundary");
  EXPECT_EQ(reason(kPlane, {2, 6, 1}, measured), "outside_boundary");
  EXPECT_EQ(reason(kPlane, {0, 2, 1}, measured), "outside_boundary");
  EXPECT_EQ(reason(kPlane, {2, 0, 1}, measured), "outside_boundary");
}

TEST(InterpolateTest, TheAttemptCarriesTheMeasuredRange) {
  const auto result = attempt(kPlane, {6, 2, 1}, {{{1, 1, 1}, 1}, {{5, 1, 1}, 2}, {{1, 4, 1}, 3}});
  EXPECT_THAT(result.attempt.axes, ElementsAre("M", "K"));
  EXPECT_THAT(intervals(result.attempt.measured), ElementsAre(ElementsAre(1, 5), ElementsAre(1, 4)));
  EXPECT_THAT(result.matched_rows, IsEmpty());
}

// The checks of 2D and 3D, in their order; each case would fail every later check too.
TEST(InterpolateTest, BoundaryIsCheckedBeforeTheNumberOfCoordinates) {
  EXPECT_EQ(reason(kPlane, {9, 9, 1}, {{{1, 1, 1}, 1}, {{1, 3, 1}, 2}}), "outside_boundary");
}

TEST(InterpolateTest, TwoDimensionsNeedThreeCoordinates) {
  EXPECT_EQ(reason(kPlane, {1, 2, 1}, {{{1, 1, 1}, 1}, {{1, 3, 1}, 2}}), "insufficient_candidates");
}

TEST(InterpolateTest, ThreeDimensionsNeedFourCoordinates) {
  EXPECT_EQ(reason(kSpace, {1, 2, 2}, {{{1, 1, 1}, 1}, {{1, 3, 3}, 2}, {{1, 2, 2}, 2}}),
            "insufficient_candidates");
}

TEST(InterpolateTest, AnAxisWithOneValueIsDegenerate) {
  EXPECT_EQ(reason(kPlane, {1, 2, 1}, {{{1, 1, 1}, 1}, {{1, 2, 1}, 2}, {{1, 3, 1}, 3}}), "degenerate_axes");
}

TEST(InterpolateTest, ACloudOnALineIsDegenerate) {
  EXPECT_EQ(reason(kPlane, {2, 2, 1}, {{{1, 1, 1}, 1}, {{2, 2, 1}, 2}, {{3, 3, 1}, 3}}),
            "degenerate_point_cloud");
}

// All four lie in the plane N = M + K.
TEST(InterpolateTest, ACloudInAPlaneIsDegenerateInThreeDimensions) {
  EXPECT_EQ(reason(kSpace, {1, 1, 2}, {{{1, 1, 2}, 1}, {{1, 2, 3}, 2}, {{2, 1, 3}, 3}, {{2, 2, 4}, 4}}),
            "degenerate_point_cloud");
}

TEST(InterpolateTest, InsideTheBoundaryMayBeOutsideTheHull) {
  EXPECT_EQ(reason(kPlane, {5, 5, 1}, {{{1, 1, 1}, 1}, {{5, 1, 1}, 2}, {{1, 5, 1}, 3}}),
            "outside_convex_hull");
}

// On 10 M + 100 K. (2,2) = 1/2 (1,1) + 1/4 (5,1) + 1/4 (1,5): 220.
TEST(InterpolateTest, TwoDimensionsAreLinearInTheSimplexThatHoldsTheTarget) {
  const auto result = attempt(kPlane, {2, 2, 1}, {{{1, 1, 1}, 110}, {{5, 1, 1}, 150}, {{1, 5, 1}, 510}});
  ASSERT_TRUE(result.answered()) << result.attempt.reason;
  EXPECT_EQ(result.method, "griddata_linear");
  EXPECT_DOUBLE_EQ(result.latency_us, 220);
  EXPECT_THAT(intervals(result.boundary), ElementsAre(ElementsAre(1, 5), ElementsAre(1, 5)));
  ASSERT_EQ(result.matched_rows.size(), 3U);
  for (const MatchedRow& row : result.matched_rows)
    EXPECT_THAT(row.weight, testing::Optional(DoubleEq(row.measurement_ids[0] == 1 ? 0.5 : 0.25)));
}

// On 1000 + M + 10 K + 100 N, with the corner (0,0,0): at (1,1,1) 1111. Weights 1/4 each.
TEST(InterpolateTest, ThreeDimensionsAreLinearInTheSimplexThatHoldsTheTarget) {
  const auto result = attempt(kSpace, {1, 1, 1},
                              {{{0, 0, 0}, 1000}, {{4, 0, 0}, 1004}, {{0, 4, 0}, 1040}, {{0, 0, 4}, 1400}});
  ASSERT_TRUE(result.answered()) << result.attempt.reason;
  EXPECT_EQ(result.method, "griddata_linear");
  EXPECT_NEAR(result.latency_us, 1111, 1e-9);
  EXPECT_EQ(result.matched_rows.size(), 4U);
}

// 0.5 us to 1e308 us over 100: the rise times 50 passes the largest double, 1.8e308.
TEST(InterpolateTest, AResultThatIsNotFiniteIsRejected) {
  EXPECT_EQ(reason(kLine, {50, 1, 1}, {{{0, 1, 1}, 0.5}, {{100, 1, 1}, 1e308}}), "latency_guard_rejected");
}

// sqrt: 10 at M = 100, 20 at 400; 15 at 225. Half way from 10 us to 30 us.
TEST(InterpolateTest, ASquareRootAxisIsInterpolatedOverItsRoot) {
  const auto result = interpolate(
      *group_of(kLine, {{{100, 1, 1}, 10}, {{400, 1, 1}, 30}}, {true, false, false}), {225, 1, 1});
  ASSERT_TRUE(result.answered());
  EXPECT_DOUBLE_EQ(result.latency_us, 20);
}

}  // namespace
}  // namespace profdb
