// Latency along one axis: what was measured, and the line that the lookup answers with between measurements.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/paths/registry.h"
#include "report/sections/sections.h"

namespace profdb::report {
namespace {

constexpr int kSquareRootSteps = 8;  // pieces of a line that is straight over the root of its axis

// How a path answers between two measurements that differ on this axis alone.
enum class Between { linear, square_root, fit, nothing };

bool interpolates_alone(const PathSpec& spec, std::size_t axis) {
  return std::find(spec.groups.begin(), spec.groups.end(), AxisGroup{axis}) != spec.groups.end();
}

Between between(const Input& input, const DensityRow& regime, std::string_view axis) {
  if (regime.path == "communication") return Between::fit;  // contract §4
  auto& statement = input.connection.statement(
      "SELECT coalesce(axis_transform, ''), coalesce(max_interpolation_dim, -1)\n"
      "FROM kernel_policy\n"
      "JOIN kernel USING (kernel_id)\n"
      "WHERE release_id = :release AND kernel.name = :kernel");
  statement.bind(":release", regime.release->info.release_id);
  statement.bind(":kernel", regime.kernel);
  store::Rows rows(statement);
  if (!rows.next()) return Between::linear;
  if (rows.integer(1) == 0) return Between::nothing;
  return rows.text(0) == "sqrt_seq" && axis == "seq" ? Between::square_root : Between::linear;
}

// Points of one line, rising along the axis: everything else is equal.
using Line = std::vector<const MeasuredPoint*>;

std::vector<std::pair<std::string, Line>> lines_along(const PathSpec& spec, std::size_t axis,
                                                      const std::vector<MeasuredPoint>& points) {
  std::map<std::vector<std::int64_t>, Line> by_rest;
  for (const MeasuredPoint& point : points) {
    auto rest = point.coordinate;
    rest[axis] = kNoAxis;
    if (point.coordinate[axis] != kNoAxis) by_rest[rest].push_back(&point);
  }
  std::vector<std::pair<std::string, Line>> lines;
  for (auto& [rest, line] : by_rest) {
    if (line.size() < 2) continue;
    std::sort(line.begin(), line.end(),
              [&](const auto* a, const auto* b) { return a->coordinate[axis] < b->coordinate[axis]; });
    std::string label;
    for (std::size_t i = 0; i < rest.size(); ++i)
      if (rest[i] != kNoAxis)
        label += fmt::format("{}{}={}", label.empty() ? "" : " ", spec.axes[i], rest[i]);
    lines.emplace_back(label, line);
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  return lines;
}

bool ambiguous(const PathSpec& spec, const MeasuredPoint& point) {
  return (spec.ambiguity_closes_coordinate || spec.ambiguity_closes_regime) &&
         point.spread > kAmbiguousSpread;
}

// Contract §5: linear between the medians; with sqrt_seq linear over the square root (contract §13).
std::vector<Json> interpolant(const PathSpec& spec, std::size_t axis, const Line& line, Between how) {
  std::vector<Json> drawn;
  const MeasuredPoint* last = nullptr;
  for (const MeasuredPoint* point : line) {
    if (ambiguous(spec, *point)) continue;
    const auto x = static_cast<double>(point->coordinate[axis]);
    if (last != nullptr && how == Between::square_root) {
      const auto x0 = static_cast<double>(last->coordinate[axis]);
      for (int i = 1; i < kSquareRootSteps; ++i) {
        const double at = x0 + (x - x0) * i / kSquareRootSteps;
        const double part = (std::sqrt(at) - std::sqrt(x0)) / (std::sqrt(x) - std::sqrt(x0));
        drawn.push_back({at, last->latency_us + (point->latency_us - last->latency_us) * part});
      }
    }
    drawn.push_back({point->coordinate[axis], point->latency_us});
    last = point;
  }
  return drawn;
}

std::string words(Between how) {
  switch (how) {
    case Between::linear:
      return "linear between the medians";
    case Between::square_root:
      return "linear over the square root of seq between the medians";
    case Between::fit:
      return "between the points a least-squares line over all of them answers, held within its two "
             "neighbours; it is "
             "not drawn";
    case Between::nothing:
      return "the mapping's policy rules interpolation out";
  }
  return "";
}

std::optional<LatencyCurve> latency_curve(const Input& input, const DensityRow& regime, std::size_t axis,
                                          const std::vector<MeasuredPoint>& points) {
  const PathSpec& spec = find_path(regime.path)->spec();
  const std::string name(spec.axes[axis]);
  const auto lines = lines_along(spec, axis, points);
  if (lines.empty()) return std::nullopt;
  LatencyCurve curve{
      .head = regime_head(regime, "along " + name), .x = {name, axis_unit(name)}, .y = {"latency", "us"}};
  Between how = between(input, regime, name);
  if (spec.ambiguity_closes_regime &&
      std::any_of(points.begin(), points.end(), [&](const auto& p) { return ambiguous(spec, p); }))
    how = Between::nothing;
  curve.head.note += "; " + words(how);
  if (lines.size() > kMaxLines)
    curve.head.note += fmt::format("; {} of {} lines, those with most points", kMaxLines, lines.size());
  std::size_t left = kMaxPoints;
  for (const auto& [label, line] : lines) {
    if (curve.series.size() == kMaxLines || line.size() > left) break;
    left -= line.size();
    LatencyCurve::Series series{.label = label};
    for (const MeasuredPoint* point : line)
      series.points.push_back({point->coordinate[axis], point->latency_us, point->latencies.size()});
    if (how == Between::linear || how == Between::square_root)
      series.line = interpolant(spec, axis, line, how);
    curve.series.push_back(std::move(series));
  }
  return curve.series.empty() ? std::nullopt : std::optional(std::move(curve));
}

}  // namespace

Section curve_section(const Input& input, const std::vector<DensityRow>& density) {
  Section section{.heading = "Latency curves"};
  section.text = {
      "Measured latency along one axis at equal values of all others, and the line that a one-dimensional "
      "lookup answers with. A line that jumps up and down between neighbours is one to measure more "
      "closely."};
  std::size_t possible = 0;
  for (const RegimeRows& regime : regimes_by_points(density)) {
    if (regime.varying.empty()) continue;
    const PathSpec& spec = find_path(regime.first->path)->spec();
    const bool full = section.charts.size() >= kMaxCharts;
    const auto points = full ? std::vector<MeasuredPoint>() : measured_points(input, *regime.first);
    for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
      if (!interpolates_alone(spec, axis)) continue;
      if (std::find(regime.varying.begin(), regime.varying.end(), spec.axes[axis]) == regime.varying.end())
        continue;
      ++possible;
      if (section.charts.size() >= kMaxCharts) continue;
      if (auto curve = latency_curve(input, *regime.first, axis, points))
        section.charts.push_back(to_json(*curve));
      else
        --possible;
    }
  }
  if (possible > section.charts.size())
    section.text.push_back(
        fmt::format("Curves of {} of {} regimes and axes: those of the regimes with the most points.",
                    section.charts.size(), possible));
  if (section.charts.empty())
    section.text.emplace_back("No regime has two measurements that differ on one axis alone.");
  return section;
}

}  // namespace profdb::report
