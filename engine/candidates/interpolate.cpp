// Contract §5: the checks around the geometry, in their order.
#include "engine/candidates/interpolate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace profdb {
namespace {

const char* reason_of(interpolation::Problem problem) {
  switch (problem) {
    case interpolation::Problem::insufficient_points:
      return "insufficient_candidates";
    case interpolation::Problem::outside_boundary:
      return "outside_boundary";
    case interpolation::Problem::degenerate_axes:
      return "degenerate_axes";
    case interpolation::Problem::degenerate_point_cloud:
      return "degenerate_point_cloud";
    case interpolation::Problem::triangulation_failed:
      return "triangulation_failed";
    case interpolation::Problem::outside_convex_hull:
      return "outside_convex_hull";
  }
  return "triangulation_failed";
}

// The range of the points that took part, per axis of the group.
std::vector<Boundary> boundary_of(const GroupPoints& points, const interpolation::Combination& at) {
  std::vector<Boundary> boundary;
  boundary.reserve(points.group().size());
  for (const std::size_t axis : points.group()) {
    Boundary range{std::string(points.spec().axes[axis]), std::numeric_limits<double>::infinity(),
                   -std::numeric_limits<double>::infinity()};
    for (std::size_t i = 0; i < at.count; ++i) {
      const auto value = static_cast<double>(points.points()[at.points[i]].coordinate[axis]);
      range.low = std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
    boundary.push_back(std::move(range));
  }
  return boundary;
}

void accept(Interpolation& result, const GroupPoints& points, const interpolation::Combination& at) {
  result.matched_rows.reserve(at.count);
  for (std::size_t i = 0; i < at.count; ++i)
    result.matched_rows.push_back(matched_row(points.spec(), points.points()[at.points[i]], at.weights[i]));
  result.boundary = boundary_of(points, at);
  // contract §5: the result must be finite and > 0.
  result.attempt.reason =
      std::isfinite(result.latency_us) && result.latency_us > 0 ? "answered" : "latency_guard_rejected";
}

void along_line(Interpolation& result, const GroupPoints& points, double target) {
  const GroupPoints::Line& line = points.line();
  auto found = interpolation::bracket(line.xs, target);
  if (const auto* problem = std::get_if<interpolation::Problem>(&found)) {
    result.attempt.reason = reason_of(*problem);
    return;
  }
  auto at = std::get<interpolation::Combination>(found);
  result.latency_us = interpolation::interpolate_1d(at, line.xs, line.ys, target);
  result.method = "linear_1d";
  for (std::size_t i = 0; i < at.count; ++i) at.points[i] = line.order[at.points[i]];
  accept(result, points, at);
}

void in_simplex(Interpolation& result, const GroupPoints& points, std::span<const double> target) {
  const GroupPoints::Mesh& mesh = points.mesh();
  if (const auto* failure = std::get_if<interpolation::Triangulation::Failure>(&mesh)) {
    result.attempt.reason = reason_of(failure->problem);
    result.attempt.message = failure->message;
    return;
  }
  const auto at = std::get<0>(mesh)->locate(target);
  if (!at) {
    result.attempt.reason = reason_of(interpolation::Problem::outside_convex_hull);
    return;
  }
  result.latency_us = 0;
  for (std::size_t i = 0; i < at->count; ++i)
    result.latency_us += at->weights[i] * points.latencies()[at->points[i]];
  result.method = "griddata_linear";
  accept(result, points, *at);
}

}  // namespace

Interpolation no_interpolation(const PathSpec& spec, const AxisGroup& group, std::string_view reason) {
  Interpolation result;
  result.attempt.reason = reason;
  result.attempt.axes.reserve(group.size());
  for (const std::size_t axis : group) result.attempt.axes.emplace_back(spec.axes[axis]);
  return result;
}

Interpolation interpolate(const GroupPoints& points, const std::vector<std::int64_t>& target) {
  const AxisGroup& group = points.group();
  Interpolation result = no_interpolation(points.spec(), group, "");
  Attempt& attempt = result.attempt;
  attempt.coordinate_count = points.points().size();
  attempt.candidate_count = points.candidate_count();
  attempt.measured = points.measured();
  if (points.points().size() < 2) {
    attempt.reason = "insufficient_candidates";
    return result;
  }
  std::array<double, 3> scaled{};
  for (std::size_t i = 0; i < group.size(); ++i) {
    const auto x = static_cast<double>(target[group[i]]);
    if (x < attempt.measured[i].low || x > attempt.measured[i].high) {
      attempt.reason = "outside_boundary";
      attempt.message = std::string(points.spec().axes[group[i]]);
      return result;
    }
    scaled.at(i) = points.scaled(i, target[group[i]]);
  }
  if (group.size() == 1)
    along_line(result, points, scaled[0]);
  else
    in_simplex(result, points, std::span(scaled).first(group.size()));
  return result;
}

}  // namespace profdb
