// Where the measurements stand: density per axis, and a map of two axes per regime.
#include <fmt/format.h>

#include <algorithm>

#include "engine/paths/registry.h"
#include "report/sections/sections.h"

namespace profdb::report {
namespace {

Table density_table(const Input& input, const std::vector<DensityRow>& density) {
  Table table{.caption = "Density per regime and axis",
              .columns = {{"release", "release"},
                          {"path", "path"},
                          {"kernel", "kernel"},
                          {"regime", "regime"},
                          {"source_class", "source class"},
                          {"axis", "axis"},
                          {"points", "points", Kind::integer},
                          {"distinct_values", "distinct values", Kind::integer},
                          {"min", "min", Kind::integer},
                          {"max", "max", Kind::integer},
                          {"largest_gap", "largest gap", Kind::integer},
                          {"largest_ratio", "largest ratio", Kind::number}},
              .badge = input.badge()};
  for (const DensityRow& row : density)
    table.rows.push_back({row.release->name, row.path, row.kernel, regime_name(row.path, row.regime_id),
                          row.source_class, row.axis, row.points, row.distinct_values, row.min, row.max,
                          row.largest_gap, row.largest_ratio});
  cut(table, "profdb density");
  return table;
}

// Axes of the regime that vary: the others tell nothing on a map.
std::vector<std::size_t> varying_axes(const PathSpec& spec, const RegimeRows& regime) {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < spec.axes.size(); ++i)
    if (std::find(regime.varying.begin(), regime.varying.end(), spec.axes[i]) != regime.varying.end())
      axes.push_back(i);
  return axes;
}

DensityMap density_map(const Input& input, const RegimeRows& regime) {
  const PathSpec& spec = find_path(regime.first->path)->spec();
  const auto axes = varying_axes(spec, regime);
  DensityMap map{.head = regime_head(*regime.first, "density"), .axes = {}, .value = {"latency", "us"}};
  for (const std::size_t axis : axes)
    map.axes.push_back({std::string(spec.axes[axis]), axis_unit(spec.axes[axis])});
  const auto points = measured_points(input, *regime.first);
  // Every n-th point where there are too many: the shape stays.
  const std::size_t step = (points.size() + kMaxPoints - 1) / kMaxPoints;
  for (std::size_t i = 0; i < points.size(); i += step) {
    Json point = Json::array();
    for (const std::size_t axis : axes) point.push_back(points[i].coordinate[axis]);
    point.push_back(points[i].latency_us);
    point.push_back(points[i].latencies.size());
    map.points.push_back(std::move(point));
  }
  if (step > 1)
    map.head.note += fmt::format("; {} of {} coordinates shown", map.points.size(), points.size());
  return map;
}

}  // namespace

Section density_section(const Input& input, const std::vector<DensityRow>& density, Findings& findings) {
  Section section{.heading = "Density"};
  section.text = {
      "Where there are measurements, and where none. A point is a measured coordinate, its colour the "
      "latency there; "
      "where several lie on one spot, the slowest is on top. The dashed line is the convex hull of the "
      "points shown, on "
      "the two axes shown. An interpolation answers inside the hull of those points that equal the call on "
      "every other "
      "axis: choose a value under “other axes” to see one that is used. Nothing is extrapolated."};
  auto regimes = regimes_by_points(density);
  const std::size_t all = regimes.size();
  const auto interpolable = static_cast<std::size_t>(
      std::count_if(regimes.begin(), regimes.end(), [](const RegimeRows& r) { return !r.varying.empty(); }));
  if (all > 0)
    findings.headlines.push_back({"regimes with two values or more on an axis", share(interpolable, all)});
  if (interpolable < all)
    findings.gaps.push_back(fmt::format(
        "{} regimes have one value on every axis: nothing between or beyond can be answered from them.",
        all - interpolable));

  std::erase_if(regimes, [](const RegimeRows& r) { return r.varying.size() < 2; });
  if (regimes.size() > kMaxCharts)
    section.text.push_back(
        fmt::format("Maps of {} of the {} regimes that vary on two axes or more: those with the "
                    "most points. All are in the table below and in `profdb density`.",
                    kMaxCharts, regimes.size()));
  if (regimes.empty()) section.text.emplace_back("No regime varies on two axes, so there is no map to draw.");
  for (std::size_t i = 0; i < std::min(regimes.size(), kMaxCharts); ++i)
    section.charts.push_back(to_json(density_map(input, regimes[i])));
  section.tables.push_back(density_table(input, density));
  return section;
}

}  // namespace profdb::report
