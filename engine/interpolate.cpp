// Contract §5: the checks around the geometry, in their order.
#include "engine/interpolate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "engine/interpolation/linear.h"

namespace profdb {
namespace {

constexpr std::size_t kMatchedIds = 16;  // of a coordinate's duplicates, how many a result names

// The group's axes as doubles, point after point.
struct Cloud {
  std::vector<double> coordinates;
  std::vector<double> latencies;
  std::vector<double> target;
};

double scaled(std::int64_t value, bool square_root) {
  const auto x = static_cast<double>(value);
  return square_root ? std::sqrt(x) : x;
}

bool takes_root(const AxisTransform& square_root, std::size_t axis) {
  return axis < square_root.size() && square_root[axis];
}

Cloud make_cloud(const AxisGroup& group, const std::vector<std::int64_t>& target,
                 const std::vector<MeasuredPoint>& points, const AxisTransform& square_root) {
  Cloud cloud;
  cloud.coordinates.reserve(points.size() * group.size());
  cloud.latencies.reserve(points.size());
  for (const MeasuredPoint& point : points) {
    for (const std::size_t axis : group)
      cloud.coordinates.push_back(scaled(point.coordinate[axis], takes_root(square_root, axis)));
    cloud.latencies.push_back(point.latency_us);
  }
  for (const std::size_t axis : group)
    cloud.target.push_back(scaled(target[axis], takes_root(square_root, axis)));
  return cloud;
}

// Measured range per axis of the group, over `points`.
std::vector<Boundary> ranges(const PathSpec& spec, const AxisGroup& group,
                             const std::vector<MeasuredPoint>& points) {
  std::vector<Boundary> measured;
  for (const std::size_t axis : group) {
    Boundary range{std::string(spec.axes[axis]), std::numeric_limits<double>::infinity(),
                   -std::numeric_limits<double>::infinity()};
    for (const MeasuredPoint& point : points) {
      range.low = std::min(range.low, static_cast<double>(point.coordinate[axis]));
      range.high = std::max(range.high, static_cast<double>(point.coordinate[axis]));
    }
    measured.push_back(std::move(range));
  }
  return measured;
}

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

void accept(Interpolation& result, const PathSpec& spec, const std::vector<MeasuredPoint>& points,
            const AxisGroup& group, const interpolation::Combination& at) {
  std::vector<MeasuredPoint> used;
  for (std::size_t i = 0; i < at.count; ++i) {
    result.matched_rows.push_back(matched_row(spec, points[at.points[i]], at.weights[i]));
    used.push_back(points[at.points[i]]);
  }
  result.boundary = ranges(spec, group, used);
  // §5: the result must be finite and > 0.
  result.attempt.reason =
      std::isfinite(result.latency_us) && result.latency_us > 0 ? "answered" : "latency_guard_rejected";
}

void along_line(Interpolation& result, const PathSpec& spec, const AxisGroup& group, const Cloud& cloud,
                const std::vector<MeasuredPoint>& points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return cloud.coordinates[a] < cloud.coordinates[b]; });
  std::vector<double> xs;
  std::vector<double> ys;
  for (const std::size_t i : order) {
    xs.push_back(cloud.coordinates[i]);
    ys.push_back(cloud.latencies[i]);
  }
  auto found = interpolation::bracket(xs, cloud.target[0]);
  if (const auto* problem = std::get_if<interpolation::Problem>(&found)) {
    result.attempt.reason = reason_of(*problem);
    return;
  }
  auto at = std::get<interpolation::Combination>(found);
  result.latency_us = interpolation::interpolate_1d(at, xs, ys, cloud.target[0]);
  result.method = "linear_1d";
  for (std::size_t i = 0; i < at.count; ++i) at.points[i] = order[at.points[i]];
  accept(result, spec, points, group, at);
}

void in_simplex(Interpolation& result, const PathSpec& spec, const AxisGroup& group, const Cloud& cloud,
                const std::vector<MeasuredPoint>& points) {
  const auto built = interpolation::Triangulation::build(cloud.coordinates, static_cast<int>(group.size()));
  if (const auto* failure = std::get_if<interpolation::Triangulation::Failure>(&built)) {
    result.attempt.reason = reason_of(failure->problem);
    result.attempt.message = failure->message;
    return;
  }
  const auto at = std::get<0>(built)->locate(cloud.target);
  if (!at) {
    result.attempt.reason = reason_of(interpolation::Problem::outside_convex_hull);
    return;
  }
  result.latency_us = 0;
  for (std::size_t i = 0; i < at->count; ++i)
    result.latency_us += at->weights[i] * cloud.latencies[at->points[i]];
  result.method = "griddata_linear";
  accept(result, spec, points, group, *at);
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<MeasuredPoint> merge_points(const std::vector<store::CandidateRow>& rows) {
  std::vector<MeasuredPoint> points;
  std::map<std::vector<std::int64_t>, std::size_t> index;
  for (const store::CandidateRow& row : rows) {
    const auto [it, is_new] = index.emplace(row.coordinate, points.size());
    if (is_new) points.push_back({row.coordinate, {}, {}, 0, 0});
    points[it->second].measurement_ids.push_back(row.measurement_id);
    points[it->second].latencies.push_back(row.latency_us);
  }
  for (MeasuredPoint& point : points) {
    point.latency_us = median(point.latencies);
    const auto [low, high] = std::minmax_element(point.latencies.begin(), point.latencies.end());
    point.spread = (*high - *low) / point.latency_us;
  }
  return points;
}

MatchedRow matched_row(const PathSpec& spec, const MeasuredPoint& point, std::optional<double> weight) {
  MatchedRow row;
  const auto shown = std::min(point.measurement_ids.size(), kMatchedIds);
  row.measurement_ids.assign(point.measurement_ids.begin(),
                             point.measurement_ids.begin() + static_cast<std::ptrdiff_t>(shown));
  row.row_count = point.measurement_ids.size();
  row.spread = point.spread;
  for (std::size_t i = 0; i < spec.axes.size(); ++i)
    if (point.coordinate[i] != kNoAxis) row.coordinate.emplace_back(spec.axes[i], point.coordinate[i]);
  row.latency_us = point.latency_us;
  row.weight = weight;
  return row;
}

Interpolation interpolate(const PathSpec& spec, const AxisGroup& group,
                          const std::vector<std::int64_t>& target, const std::vector<MeasuredPoint>& points,
                          const AxisTransform& square_root) {
  Interpolation result;
  for (const std::size_t axis : group) result.attempt.axes.emplace_back(spec.axes[axis]);
  result.attempt.coordinate_count = points.size();
  for (const MeasuredPoint& point : points) result.attempt.candidate_count += point.measurement_ids.size();
  if (!points.empty()) result.attempt.measured = ranges(spec, group, points);

  if (points.size() < 2) {
    result.attempt.reason = "insufficient_candidates";
    return result;
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    const auto x = static_cast<double>(target[group[i]]);
    if (x < result.attempt.measured[i].low || x > result.attempt.measured[i].high) {
      result.attempt.reason = "outside_boundary";
      result.attempt.message = std::string(spec.axes[group[i]]);
      return result;
    }
  }
  const Cloud cloud = make_cloud(group, target, points, square_root);
  if (group.size() == 1)
    along_line(result, spec, group, cloud, points);
  else
    in_simplex(result, spec, group, cloud, points);
  return result;
}

}  // namespace profdb
