// Geometry of interpolation (contract §5): one case per rule, with every expected number worked out by hand.
// Long: one section per check of contract §5.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "engine/interpolation/cells.h"
#include "engine/interpolation/linear.h"
#include "engine/interpolation/qhull.h"
#include "profdb/error.h"

namespace profdb::interpolation {
namespace {

using Coordinates = std::vector<double>;
using Built = std::variant<std::shared_ptr<const Triangulation>, Triangulation::Failure>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// --- one axis
// -------------------------------------------------------------------------------------------------

constexpr std::array kXs = {1.0, 2.0, 4.0, 8.0};
constexpr std::array kYs = {10.0, 20.0, 50.0, 60.0};

Problem problem_of(const std::variant<Combination, Problem>& result) {
  EXPECT_TRUE(std::holds_alternative<Problem>(result)) << "a combination where a problem was expected";
  return std::holds_alternative<Problem>(result) ? std::get<Problem>(result) : Problem::triangulation_failed;
}

TEST(Bracket, IsOnePointWhereTheTargetCoincides) {
  for (std::size_t i = 0; i < kXs.size(); ++i) {  // both ends included
    const auto at = std::get<Combination>(bracket(kXs, kXs[i]));
    EXPECT_EQ(at.count, 1U);
    EXPECT_EQ(at.points[0], i);
    EXPECT_EQ(at.weights[0], 1.0);
    EXPECT_EQ(interpolate_1d(at, kXs, kYs, kXs[i]), kYs[i]);
  }
}

TEST(Bracket, IsTheNearestPointsBelowAndAbove) {
  // t = (2.5 - 2) / (4 - 2) = 1/4; value = 20 + (50 - 20) * 0.5 / 2 = 27.5. All exact in binary.
  const auto at = std::get<Combination>(bracket(kXs, 2.5));
  EXPECT_EQ(at.count, 2U);
  EXPECT_EQ(at.points[0], 1U);
  EXPECT_EQ(at.points[1], 2U);
  EXPECT_EQ(at.weights[0], 0.75);
  EXPECT_EQ(at.weights[1], 0.25);
  EXPECT_EQ(interpolate_1d(at, kXs, kYs, 2.5), 27.5);
}

TEST(Bracket, BetweenEqualValuesIsExactlyThatValue) {
  // 0.1 + 0 * (x - x0) / (x1 - x0) = 0.1. A weighted sum is not: 0.3 * 0.1 + 0.7 * 0.1 = 0.09999999999999999.
  const std::array xs = {0.0, 10.0};
  const std::array ys = {0.1, 0.1};
  for (const double x : {1.0, 3.0, 7.0, 9.0})
    EXPECT_EQ(interpolate_1d(std::get<Combination>(bracket(xs, x)), xs, ys, x), 0.1);
}

TEST(Bracket, IsOutsideBelowTheFirstAndAboveTheLastPoint) {
  EXPECT_EQ(problem_of(bracket(kXs, std::nextafter(1.0, 0.0))), Problem::outside_boundary);
  EXPECT_EQ(problem_of(bracket(kXs, std::nextafter(8.0, 9.0))), Problem::outside_boundary);
  EXPECT_EQ(problem_of(bracket(kXs, kNaN)), Problem::outside_boundary);
}

TEST(Bracket, OfOnePointHoldsOnlyThatPoint) {
  EXPECT_EQ(std::get<Combination>(bracket(std::array{5.0}, 5.0)).count, 1U);
  EXPECT_EQ(problem_of(bracket(std::array{5.0}, 6.0)), Problem::outside_boundary);
}

TEST(Bracket, OfNothingIsTooFew) {
  EXPECT_EQ(problem_of(bracket({}, 5.0)), Problem::insufficient_points);
}

// --- clouds that have no triangulation
// ------------------------------------------------------------------------

Problem failure_of(const Coordinates& coordinates, int dim) {
  const Built built = Triangulation::build(coordinates, dim);
  const auto* failure = std::get_if<Triangulation::Failure>(&built);
  EXPECT_NE(failure, nullptr) << "a triangulation where a failure was expected";
  return failure != nullptr ? failure->problem : Problem::outside_boundary;
}

TEST(TriangulationBuild, NeedsOnePointMoreThanDimensions) {
  EXPECT_EQ(failure_of({}, 2), Problem::insufficient_points);
  EXPECT_EQ(failure_of({0, 0, 1, 2}, 2), Problem::insufficient_points);
  EXPECT_EQ(failure_of({0, 0, 0, 1, 2, 3, 4, 4, 5}, 3), Problem::insufficient_points);
}

TEST(TriangulationBuild, CountsPointsBeforeItLooksAtAxes) {
  EXPECT_EQ(failure_of({7, 0, 7, 2}, 2), Problem::insufficient_points);  // x is 7 in both
}

TEST(TriangulationBuild, NeedsTwoValuesOnEveryAxis) {
  EXPECT_EQ(failure_of({7, 0, 7, 1, 7, 5}, 2), Problem::degenerate_axes);
  EXPECT_EQ(failure_of({0, 0, 3, 1, 0, 3, 0, 1, 3, 1, 1, 3}, 3), Problem::degenerate_axes);  // z is 3 in all
}

TEST(TriangulationBuild, RejectsPointsOnOneLine) {
  EXPECT_EQ(failure_of({0, 0, 1, 2, 2, 4, 3, 6}, 2), Problem::degenerate_point_cloud);  // y = 2x
  // y = x - 1e9 + 1, far from the origin: differences to the first point are (1, 1) and (3, 3)
  EXPECT_EQ(failure_of({1e9 + 2, 3, 1e9 + 3, 4, 1e9 + 5, 6}, 2), Problem::degenerate_point_cloud);
}

TEST(TriangulationBuild, RejectsPointsOnOnePlane) {
  // z = x + y
  EXPECT_EQ(failure_of({0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 2, 2, 1, 3}, 3), Problem::degenerate_point_cloud);
  // one line in space: y = 2x, z = 3x
  EXPECT_EQ(failure_of({0, 0, 0, 1, 2, 3, 2, 4, 6, 3, 6, 9}, 3), Problem::degenerate_point_cloud);
}

TEST(TriangulationBuild, AcceptsAClearlyBentLine) {
  // A triangle of area 0.0005, eleven orders of magnitude above rounding.
  EXPECT_TRUE(std::holds_alternative<std::shared_ptr<const Triangulation>>(
      Triangulation::build(Coordinates{0, 0, 1, 1, 2, 2.001}, 2)));
}

TEST(TriangulationBuild, PassesOnWhatQhullSaysWhereItGivesUp) {
  // Bent by 2e-14, 45 roundings of 2 * epsilon: the rank, judged by 3 epsilons, is 2, but Qhull wants more.
  testing::internal::CaptureStderr();
  const Built built = Triangulation::build(Coordinates{0, 0, 1, 1, 2, 2 + 2e-14}, 2);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  const auto& failure = std::get<Triangulation::Failure>(built);
  EXPECT_EQ(failure.problem, Problem::triangulation_failed);
  EXPECT_TRUE(failure.message.starts_with("QH6154 Qhull precision error: Initial simplex is flat"))
      << failure.message;
  EXPECT_EQ(failure.message.find("run-id"), std::string::npos) << failure.message;
}

TEST(TriangulationBuild, PassesOnTheErrorAndNotTheWarningsBeforeIt) {
  // A line bent by a few 1e-14: Qhull first warns of a narrow hull (QH7089), then fails.
  const double u = 0x1p-46;
  const Built built = Triangulation::build(Coordinates{0, u, 2, 2 + 6 * u, 0, 5 * u, 4, 4 + 5 * u}, 2);
  const auto& failure = std::get<Triangulation::Failure>(built);
  EXPECT_EQ(failure.problem, Problem::triangulation_failed);
  EXPECT_TRUE(failure.message.starts_with("QH6227 qhull topology error")) << failure.message;
}

TEST(TriangulationBuild, FailsWhereQhullConnectsThePointAtInfinity) {
  // Close to the plane z = x + y Qhull takes the point that Qz adds for a corner of the lower hull. There are
  // 4 points: a corner of index 4 would be read beyond their end.
  const double u = 0x1p-44;
  const Built built =
      Triangulation::build(Coordinates{4, 2, 6, 1, 4, 5 + 4 * u, 1, 2, 3 + 6 * u, 2, 4, 6 + 6 * u}, 3);
  const auto& failure = std::get<Triangulation::Failure>(built);
  EXPECT_EQ(failure.problem, Problem::triangulation_failed);
  EXPECT_EQ(failure.message, "Qhull left the point at infinity in the lower hull");
}

TEST(TriangulationBuild, JudgesTheRankByAxesOfEqualLength) {
  // 1e17 wide and 1 high: less than a rounding, yet no line, for y differs where x does not decide it. That
  // Qhull gives up on it is another matter.
  EXPECT_EQ(failure_of({0, 0, 1e17, 1, 2e17, 1}, 2), Problem::triangulation_failed);
}

TEST(TriangulationBuild, RefusesMisuse) {
  EXPECT_THROW(Triangulation::build(Coordinates{0, 0, 0, 1}, 1), Error);
  EXPECT_THROW(Triangulation::build(Coordinates(20), 4), Error);
  EXPECT_THROW(Triangulation::build(Coordinates{0, 0, 1, 0, 0, 1, 5}, 2), Error);  // 3.5 points
  EXPECT_THROW(Triangulation::build(Coordinates{0, 0, 1, 0, 0, kNaN}, 2), Error);
  EXPECT_THROW(Triangulation::build(Coordinates{0, 0, 1, 0, 0, HUGE_VAL}, 2), Error);
}

// --- targets in a triangulation
// -------------------------------------------------------------------------------

std::shared_ptr<const Triangulation> triangulate(const Coordinates& coordinates, int dim) {
  Built built = Triangulation::build(coordinates, dim);
  if (const auto* failure = std::get_if<Triangulation::Failure>(&built))
    throw std::runtime_error("no triangulation: " + failure->message);
  return std::get<0>(built);
}

double value_at(const Triangulation& cloud, const Coordinates& x, const Coordinates& values,
                int* hint = nullptr) {
  const auto found = cloud.locate(x, hint);
  if (!found) return kNaN;
  double value = 0;
  for (std::size_t k = 0; k < found->count; ++k) value += found->weights[k] * values.at(found->points[k]);
  return value;
}

double weight_of(const Combination& found, std::size_t point) {
  for (std::size_t k = 0; k < found.count; ++k)
    if (found.points[k] == point) return found.weights[k];
  return kNaN;
}

const Coordinates kTriangle = {0, 0, 1, 0, 0, 1};

// 4 x 4 x 4 points with steps 1, 2, 4 on x, steps of 128 on y and of 512 on z.
Coordinates grid() {
  Coordinates all;
  for (const double x : {1.0, 2.0, 4.0, 8.0})
    for (const double y : {128.0, 256.0, 384.0, 512.0})
      for (const double z : {512.0, 1024.0, 1536.0, 2048.0}) all.insert(all.end(), {x, y, z});
  return all;
}

double plane(double x, double y, double z) {
  return 1000 + 3 * x - 2 * y + z / 2;
}

Coordinates plane_at(const Coordinates& points) {
  Coordinates values;
  for (std::size_t i = 0; i < points.size(); i += 3)
    values.push_back(plane(points[i], points[i + 1], points[i + 2]));
  return values;
}

TEST(TriangulationLocate, WeighsTheCornersOfATriangle) {
  // (1, 1) = 1/2 (0, 0) + 1/4 (4, 0) + 1/4 (0, 4); value = 10/2 + 20/4 + 40/4 = 20.
  const auto cloud = triangulate({0, 0, 4, 0, 0, 4}, 2);
  EXPECT_EQ(cloud->dim(), 2);
  EXPECT_EQ(cloud->simplex_count(), 1U);
  const auto found = cloud->locate(std::array{1.0, 1.0});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count, 3U);
  EXPECT_DOUBLE_EQ(weight_of(*found, 0), 0.5);
  EXPECT_DOUBLE_EQ(weight_of(*found, 1), 0.25);
  EXPECT_DOUBLE_EQ(weight_of(*found, 2), 0.25);
  EXPECT_DOUBLE_EQ(value_at(*cloud, {1, 1}, {10, 20, 40}), 20);
}

TEST(TriangulationLocate, WeighsTheCornersOfATetrahedron) {
  // (1, 2, 4) = 1/8 (8, 0, 0) + 2/8 (0, 8, 0) + 4/8 (0, 0, 8) + the rest, 1/8, of the origin;
  // value = 80/8 + 8/8 + 16 * 2/8 + 32 * 4/8 = 10 + 1 + 4 + 16 = 31.
  const auto cloud = triangulate({0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0, 8}, 3);
  EXPECT_EQ(cloud->dim(), 3);
  EXPECT_EQ(cloud->simplex_count(), 1U);
  EXPECT_DOUBLE_EQ(value_at(*cloud, {1, 2, 4}, {80, 8, 16, 32}), 31);
}

TEST(TriangulationLocate, TakesTheDelaunayDiagonal) {
  // A kite of width 2 and height 4. The circle through (0, 2), (-1, 0) and (1, 0) has its centre at (0, 3/4)
  // and radius 5/4, and (0, -2) is 11/4 from it: the edge is (-1, 0)-(1, 0), and at its middle the value is
  // (1 + 3) / 2 = 2. The other diagonal would give (100 + 200) / 2 = 150.
  const auto cloud = triangulate({-1, 0, 0, 2, 1, 0, 0, -2}, 2);
  EXPECT_EQ(cloud->simplex_count(), 2U);
  EXPECT_DOUBLE_EQ(value_at(*cloud, {0, 0}, {1, 100, 3, 200}), 2);
}

TEST(TriangulationLocate, GivesAVertexItsOwnValue) {
  const Coordinates points = {0, 0, 5, 1, 9, 0, 1, 6, 4, 4, 8, 7};
  const Coordinates values = {11, 22, 33, 44, 55, 66};
  const auto cloud = triangulate(points, 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Coordinates x = {points[2 * i], points[2 * i + 1]};
    EXPECT_NEAR(value_at(*cloud, x, values), values[i], values[i] * 1e-14) << "vertex " << i;
  }
}

TEST(TriangulationLocate, ListsTrianglesCounterClockwise) {
  const Coordinates points = {0, 0, 5, 1, 9, 0, 1, 6, 4, 4, 8, 7};
  const auto cloud = triangulate(points, 2);
  for (const Coordinates& x : {Coordinates{2, 1}, {6, 1.5}, {1, 3}, {3, 5.5}, {7, 5}, {4, 2}}) {
    const auto found = cloud->locate(x);
    ASSERT_TRUE(found);
    const auto [a, b, c, unused] = found->points;
    const double twice_the_area = (points[2 * b] - points[2 * a]) * (points[2 * c + 1] - points[2 * a + 1]) -
                                  (points[2 * c] - points[2 * a]) * (points[2 * b + 1] - points[2 * a + 1]);
    EXPECT_GT(twice_the_area, 0) << "(" << x[0] << ", " << x[1] << ")";
  }
}

TEST(TriangulationLocate, CountsTheEdgeOfTheHullAsInside) {
  const auto cloud = triangulate(kTriangle, 2);
  EXPECT_DOUBLE_EQ(value_at(*cloud, {0.25, 0}, {1, 5, 9}), 2);   // 3/4 * 1 + 1/4 * 5
  EXPECT_DOUBLE_EQ(value_at(*cloud, {0.5, 0.5}, {1, 5, 9}), 7);  // (5 + 9) / 2
}

TEST(TriangulationLocate, ToleratesAHundredEpsilonsBeyondTheEdge) {
  const auto cloud = triangulate(kTriangle, 2);
  // The weight of the origin is 1 - x - y; beyond the long edge it is below 0, still within the bounding box.
  const auto beyond = [&](double epsilons) {
    const double x = 0.5 + epsilons / 2 * kEpsilon;
    return cloud->locate(std::array{x, x});
  };
  ASSERT_TRUE(beyond(90));
  EXPECT_NEAR(weight_of(*beyond(90), 0), -90 * kEpsilon, kEpsilon);  // not cut off at 0
  EXPECT_FALSE(beyond(110));
  // Below y = 0 the weight of (0, 1) is y itself, and the bounding box ends.
  EXPECT_TRUE(cloud->locate(std::array{0.25, -90 * kEpsilon}));
  EXPECT_FALSE(cloud->locate(std::array{0.25, -110 * kEpsilon}));
}

TEST(TriangulationLocate, ToleratesTheSameLengthBeyondTheBoundingBoxWhateverTheSizeOfTheCloud) {
  // A triangle a million wide: 1e-10 beyond an edge is a weight of -1e-16, far within the tolerance. But
  // below y = 0 the bounding box ends, and there 100 epsilons are a length: 2.2e-14.
  const auto cloud = triangulate({0, 0, 1e6, 0, 0, 1e6}, 2);
  EXPECT_TRUE(cloud->locate(std::array{5e5 + 1e-10, 5e5}));
  EXPECT_FALSE(cloud->locate(std::array{2.5e5, -1e-10}));
  EXPECT_TRUE(cloud->locate(std::array{2.5e5, -1e-14}));
}

TEST(TriangulationLocate, GivesPointsInASimplexTooFlatForWeightsToItsNeighbour) {
  // Point 2 is 2e-13 above the edge 0-1, whose triangle 0-1-2 has the reciprocal condition 2e-13 / 4.5, below
  // the limit of 1000 epsilons = 2.2e-13. At x = 1/2 it reaches up to y = 1e-13, and the target is within.
  // The neighbour 0-2-3 takes it, a weight of 2e-14 - 1e-13 = -8e-14 for point 3 notwithstanding:
  // value = 1/2 * 0 + 1/2 * 10 = 5. The flat triangle itself would have 1/10 * 10 + 1/5 * 1000 = 201.
  const auto cloud = triangulate({0, 0, 2, 0, 1, 2e-13, 1, 1}, 2);
  const Coordinates values = {0, 1000, 10, 0};
  EXPECT_EQ(cloud->simplex_count(), 3U);
  EXPECT_NEAR(value_at(*cloud, {0.5, 2e-14}, values), 5, 1e-11);
  EXPECT_NEAR(weight_of(*cloud->locate(std::array{0.5, 2e-14}), 3), -8e-14, 1e-16);
}

TEST(TriangulationLocate, IsNothingOutsideTheHull) {
  const auto cloud = triangulate(kTriangle, 2);
  EXPECT_FALSE(cloud->locate(std::array{0.75, 0.75}));  // within the bounding box
  EXPECT_FALSE(cloud->locate(std::array{2.0, 0.5}));
  EXPECT_FALSE(cloud->locate(std::array{kNaN, 0.5}));
  EXPECT_FALSE(cloud->locate(std::array{HUGE_VAL, 0.5}));
}

TEST(TriangulationLocate, ReproducesAPlaneOnARegularGridInSpiteOfFlatSimplices) {
  const Coordinates points = grid();
  const auto hull = std::get<LowerHull>(lower_hull(points, 3));
  // Corners of a box lie on one sphere, and Qhull cuts such boxes into pieces of which some have no volume:
  // four corners on one of the grid's planes. Without them this test would prove little.
  int flat = 0;
  for (std::size_t i = 0; i < hull.vertices.size(); i += 4)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto c = [&](std::size_t k) {
        return points[static_cast<std::size_t>(hull.vertices[i + k]) * 3 + axis];
      };
      flat += c(0) == c(1) && c(0) == c(2) && c(0) == c(3) ? 1 : 0;
    }
  EXPECT_GT(flat, 0);

  const auto cloud = triangulate(points, 3);
  const Coordinates values = plane_at(points);
  for (double x = 1; x <= 8; x += 0.5)
    for (double y = 128; y <= 512; y += 32)
      for (double z = 512; z <= 2048; z += 128)
        ASSERT_NEAR(value_at(*cloud, {x, y, z}, values), plane(x, y, z), 1e-9) << x << " " << y << " " << z;
}

TEST(TriangulationLocate, BeginsAtTheHintAndLeavesItWhereItEnded) {
  const Coordinates points = grid();
  const auto cloud = triangulate(points, 3);
  const Coordinates values = plane_at(points);
  const double expected = plane(3, 300, 700);
  int hint = 0;
  EXPECT_NEAR(value_at(*cloud, {3, 300, 700}, values, &hint), expected, 1e-9);
  const int there = hint;
  EXPECT_NEAR(value_at(*cloud, {3, 300, 700}, values, &hint), expected, 1e-9);
  EXPECT_EQ(hint, there);
  for (int start : {-1, -1000, 1, 50, 1'000'000}) {  // any number will do
    EXPECT_NEAR(value_at(*cloud, {3, 300, 700}, values, &start), expected, 1e-9);
    EXPECT_EQ(start, there);  // strictly inside one simplex: the same from everywhere
  }
}

TEST(TriangulationLocate, RefusesATargetOfAnotherDimension) {
  const auto cloud = triangulate(kTriangle, 2);
  EXPECT_THROW(cloud->locate(std::array{0.5}), Error);
  EXPECT_THROW(cloud->locate(std::array{0.1, 0.1, 0.1}), Error);
}

TEST(Triangulation, KnowsItsSize) {
  // A square has two triangles. In a grid each simplex takes at least its vertices and neighbours, 4 + 4
  // numbers of 4 bytes, and its transform, 12 doubles: 128 bytes.
  EXPECT_EQ(triangulate({0, 0, 1, 0, 0, 1, 1, 1}, 2)->simplex_count(), 2U);
  const auto cloud = triangulate(grid(), 3);
  EXPECT_GT(cloud->bytes(), 128 * cloud->simplex_count());
  EXPECT_LT(cloud->bytes(), 1024 * cloud->simplex_count());
}

TEST(Triangulation, AnswersManyThreadsAtOnce) {
  const Coordinates points = grid();
  const Coordinates values = plane_at(points);
  const auto shared = triangulate(points, 3);
  std::array<int, 8> wrong{};
  std::vector<std::thread> threads;
  threads.reserve(wrong.size());
  for (int& errors : wrong)
    threads.emplace_back([&] {
      const auto own = triangulate(points, 3);  // Qhull runs in every thread, too
      for (int i = 0; i < 2000; ++i) {
        const double x = 1 + (i % 71) * 0.09;
        const double y = 128 + (i % 97) * 3;
        const double z = 512 + (i % 89) * 15;
        for (const auto* cloud : {shared.get(), own.get()})
          errors += std::abs(value_at(*cloud, {x, y, z}, values) - plane(x, y, z)) < 1e-9 ? 0 : 1;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(std::ranges::count(wrong, 0), 8);
}

// --- the grid of cells behind the fallback search
// ---------------------------------------------------------------

TEST(Cells, ListEveryBoxThatHoldsThePointInRisingOrder) {
  // Points 0, 2, 4, 6 on both axes: four slabs, cut at 1, 3 and 5.
  const Coordinates points = {0, 0, 2, 2, 4, 4, 6, 6};
  const std::vector<Box<2>> boxes = {
      {{4, 4}, {6, 6}},          // from slab 2 to slab 3, on both axes
      {{0, 0}, {6, 6}},          // everywhere
      {{5.9, 5.9}, {5.1, 5.1}},  // empty
      {{0, 1.5}, {0.5, 2}},      // slab 0 of x, slab 1 of y
  };
  const Cells<2> cells(boxes, points, 16);
  const auto near = [&](double x, double y) {
    const auto found = cells.near(std::array{x, y}.data());
    return std::vector<int>(found.begin(), found.end());
  };
  EXPECT_EQ(near(5, 5), (std::vector{0, 1}));
  EXPECT_EQ(near(3.5, 3.5), (std::vector{0, 1}));  // not in box 0, but in a slab of it
  EXPECT_EQ(near(2.9, 3.5), (std::vector{1}));
  EXPECT_EQ(near(0.2, 1.7), (std::vector{1, 3}));
  EXPECT_EQ(near(1.2, 1.7), (std::vector{1}));
  EXPECT_EQ(near(-100, 2), (std::vector{1, 3}));  // the outer slabs have no end
}

TEST(Cells, AreOneListWhereOneSlabIsAllowed) {
  const std::vector<Box<2>> boxes = {{{4, 4}, {6, 6}}, {{0, 0}, {1, 1}}};
  const Cells<2> cells(boxes, Coordinates{0, 0, 2, 2, 4, 4, 6, 6}, 1);
  EXPECT_EQ(cells.near(std::array{0.0, 6.0}.data()).size(), 2U);
}

}  // namespace
}  // namespace profdb::interpolation
