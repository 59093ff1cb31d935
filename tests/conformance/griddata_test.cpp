// Geometry against SciPy's griddata(method="linear"): 29 clouds computed with SciPy 1.10 (contract §5).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/interpolation/linear.h"
#include "tests/support/conformance.h"

namespace profdb::interpolation {
namespace {

using nlohmann::json;

constexpr double kRelative = 1e-12;

struct Counts {
  int clouds = 0;
  int values = 0;
  int reasons = 0;
};

std::string word(Problem problem) {
  static const std::map<Problem, std::string> words = {
      {Problem::insufficient_points, "insufficient_points"},
      {Problem::outside_boundary, "outside_boundary"},
      {Problem::degenerate_axes, "degenerate_axes"},
      {Problem::degenerate_point_cloud, "degenerate_point_cloud"},
      {Problem::triangulation_failed, "triangulation_failed"},
      {Problem::outside_convex_hull, "outside_convex_hull"},
  };
  return words.at(problem);
}

std::string expected_reason(const json& target) {
  return target.contains("reason") ? target.at("reason").get<std::string>() : "a value";
}

// The vertices and their weights are SciPy's, in its order: even on a face, which several simplices share.
void check_simplex(const json& target, const Combination& found) {
  const auto vertices = target.at("simplex").get<std::vector<std::size_t>>();
  const auto weights = target.at("weights").get<std::vector<double>>();
  ASSERT_EQ(found.count, vertices.size());
  for (std::size_t k = 0; k < found.count; ++k) {
    EXPECT_EQ(found.points[k], vertices[k]) << "vertex " << k;
    EXPECT_NEAR(found.weights[k], weights[k], kRelative) << "weight " << k;
  }
}

void check_value(const json& target, const Combination& found, const std::vector<double>& values) {
  ASSERT_TRUE(target.contains("value")) << "expected " << target.at("reason");
  double value = 0;
  for (std::size_t k = 0; k < found.count; ++k) value += found.weights[k] * values.at(found.points[k]);
  const double expected = target.at("value");
  EXPECT_NEAR(value, expected, kRelative * std::abs(expected));
}

void check_target(const json& target, const Triangulation& cloud, const std::vector<double>& values,
                  int& hint, Counts& counts) {
  const auto x = target.at("x").get<std::vector<double>>();
  const auto found = cloud.locate(x);  // the cases were asked one by one: SciPy's search began at simplex 0
  const auto hinted = cloud.locate(x, &hint);  // a search that begins elsewhere finds the same value
  ASSERT_EQ(found.has_value(), hinted.has_value());
  if (!found) {
    EXPECT_EQ(expected_reason(target), word(Problem::outside_convex_hull));
    ++counts.reasons;
    return;
  }
  check_value(target, *found, values);
  check_value(target, *hinted, values);
  check_simplex(target, *found);
  ++counts.values;
}

void check_cloud(const json& cloud, Counts& counts) {
  std::vector<double> coordinates;
  for (const auto& point : cloud.at("points"))
    coordinates.insert(coordinates.end(), point.begin(), point.end());
  const auto built = Triangulation::build(coordinates, cloud.at("dim"));
  const auto values = cloud.at("values").get<std::vector<double>>();
  int hint = 0;  // carried from target to target
  for (const auto& target : cloud.at("targets")) {
    SCOPED_TRACE(target.at("x").dump());
    if (const auto* failure = std::get_if<Triangulation::Failure>(&built)) {
      EXPECT_EQ(expected_reason(target), word(failure->problem)) << failure->message;
      ++counts.reasons;
    } else {
      check_target(target, *std::get<0>(built), values, hint, counts);
    }
  }
  ++counts.clouds;
}

TEST(Griddata, MatchesSciPy) {
  std::ifstream file(test::conformance_cases() / "griddata.jsonl");
  Counts counts;
  for (std::string line; std::getline(file, line);) {
    const json cloud = json::parse(line);
    SCOPED_TRACE(cloud.at("name").get<std::string>());
    check_cloud(cloud, counts);
  }
  std::cout << counts.clouds << " clouds: " << counts.values << " values with their simplex, "
            << counts.reasons << " reasons\n";
  EXPECT_EQ(counts.clouds, 29);
}

}  // namespace
}  // namespace profdb::interpolation
