// Checking grids: geometry on one axis, then regime by regime.
#include "analysis/standard.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/shape_by_example.h"

namespace profdb::analysis {
namespace {

using nlohmann::ordered_json;
using Values = std::vector<std::int64_t>;  // ascending, distinct

// The measured values of one regime on one axis, line by line.
struct MeasuredAxis {
  std::string kernel;
  std::int64_t regime_id = 0;
  std::int64_t source_class = 0;
  std::map<std::string, Values> lines;  // by the other axes
};

constexpr const char* kMeasured = R"(
SELECT k.name, c.regime_id, c.source_class, c.others, c.value
FROM candidate_coordinate AS c
JOIN regime AS r ON r.path = c.path AND r.regime_id = c.regime_id
JOIN projection AS p ON p.projection_id = r.projection_id
JOIN kernel AS k ON k.kernel_id = p.kernel_id
WHERE p.release_id = :release
AND c.path = :path
AND c.axis = :axis
AND (:kernel IS NULL OR k.name = :kernel)
AND (:regime IS NULL OR c.regime_id = :regime)
GROUP BY c.regime_id, c.source_class, c.others, c.value
ORDER BY k.name, c.regime_id, c.source_class, c.others, c.value)";

// The largest value that may follow `value` on the segment.
std::int64_t furthest_step(const Segment& segment, std::int64_t value) {
  if (segment.max_gap) return value + *segment.max_gap;
  return std::max(value + 1, static_cast<std::int64_t>(static_cast<double>(value) * *segment.max_ratio));
}

// Values strictly between `low` and `high` that make every step small enough, from below.
Values fill(const Grid& grid, std::int64_t low, std::int64_t high) {
  std::set<std::int64_t> values;
  for (const Segment& segment : grid.segments) {
    const std::int64_t end = std::min(high, segment.to);
    std::int64_t value = std::max(low, segment.from);
    if (value >= end) continue;
    while (value < end) {
      values.insert(value);
      value = furthest_step(segment, value);
    }
    values.insert(end);
  }
  values.erase(low);
  values.erase(high);
  return {values.begin(), values.end()};
}

Violation violation(const char* kind, int line, std::string message, Values missing) {
  Violation found;
  found.kind = kind;
  found.line = line;
  found.message = std::move(message);
  found.missing_values = std::move(missing);
  return found;
}

void check_range(const Grid& grid, const Values& values, std::vector<Violation>& found) {
  if (grid.range_min && values.front() > *grid.range_min) {
    Values missing = fill(grid, *grid.range_min, values.front());
    missing.insert(missing.begin(), *grid.range_min);
    found.push_back(violation("range_min", grid.line,
                              fmt::format("begins at {}, not at {}", values.front(), *grid.range_min),
                              std::move(missing)));
  }
  if (grid.range_max && values.back() < *grid.range_max) {
    Values missing = fill(grid, values.back(), *grid.range_max);
    missing.push_back(*grid.range_max);
    found.push_back(violation("range_max", grid.line,
                              fmt::format("ends at {}, not at {}", values.back(), *grid.range_max),
                              std::move(missing)));
  }
}

void check_required(const Grid& grid, const Values& values, std::vector<Violation>& found) {
  Values missing;
  std::copy_if(grid.required_values.begin(), grid.required_values.end(), std::back_inserter(missing),
               [&](std::int64_t v) { return !std::binary_search(values.begin(), values.end(), v); });
  if (missing.empty()) return;
  std::string message = fmt::format("lacks {}", fmt::join(missing, ", "));
  found.push_back(violation("required_value", grid.line, std::move(message), std::move(missing)));
}

void check_step(const Grid& grid, const Segment& segment, std::int64_t low, std::int64_t high,
                std::vector<Violation>& found) {
  if (low >= segment.to || high <= segment.from || high - low <= 1) return;
  const auto missing = [&] { return fill(grid, low, high); };
  if (segment.max_gap && high - low > *segment.max_gap)
    found.push_back(violation("max_gap", segment.line,
                              fmt::format("from {} to {}: {} apart, at most {} in {}..{}", low, high,
                                          high - low, *segment.max_gap, segment.from, segment.to),
                              missing()));
  const double ratio = static_cast<double>(high) / static_cast<double>(low > 0 ? low : segment.from);
  if (segment.max_ratio && ratio > *segment.max_ratio)
    found.push_back(violation("max_ratio", segment.line,
                              fmt::format("from {} to {}: {:.3g} times, at most {:.3g} in {}..{}", low, high,
                                          ratio, *segment.max_ratio, segment.from, segment.to),
                              missing()));
}

std::vector<MeasuredAxis> measured(store::Connection& connection, std::int64_t release_id, const Grid& grid,
                                   const RegimeFilter& filter) {
  SQLite::Statement& statement = connection.statement(kMeasured);
  statement.bind(":release", release_id);
  statement.bind(":path", grid.path);
  statement.bind(":axis", grid.axis);
  const std::string& kernel = grid.kernel.empty() ? filter.kernel : grid.kernel;
  if (!kernel.empty()) statement.bind(":kernel", kernel);
  if (filter.regime_id) statement.bind(":regime", *filter.regime_id);
  std::vector<MeasuredAxis> all;
  store::Rows rows(statement);
  while (rows.next()) {
    const std::int64_t regime_id = rows.integer(1);
    const std::int64_t source_class = rows.integer(2);
    if (all.empty() || all.back().regime_id != regime_id)
      all.push_back({rows.text(0), regime_id, source_class, {}});
    if (source_class == all.back().source_class) all.back().lines[rows.text(3)].push_back(rows.integer(4));
  }
  return all;
}

Values all_values(const MeasuredAxis& axis) {
  std::set<std::int64_t> values;
  for (const auto& [others, line] : axis.lines) values.insert(line.begin(), line.end());
  return {values.begin(), values.end()};
}

// The lines on which a value that the whole regime lacks is to be measured: those that have several values
// already, or all where none has.
std::vector<std::string> lines_to_extend(const MeasuredAxis& axis) {
  std::vector<std::string> all;
  std::vector<std::string> long_ones;
  for (const auto& [others, line] : axis.lines) {
    all.push_back(others);
    if (line.size() > 1) long_ones.push_back(others);
  }
  return long_ones.empty() ? all : long_ones;
}

// One pass over the grids of a standard.
class Checker {
 public:
  Checker(store::Connection& connection, const ReleaseInfo& release, const Standard& standard,
          const RegimeFilter& filter)
      : connection_(connection), release_(release), standard_(standard), filter_(filter) {}

  StandardReport run() {
    report_.standard = standard_.name;
    for (const Grid& grid : standard_.grids)
      if (concerns(grid)) check_grid(grid);
    report_.regimes = regimes_.size();
    for (auto& [key, shape] : missing_) report_.missing.push_back(std::move(shape));
    return std::move(report_);
  }

 private:
  bool concerns(const Grid& grid) const {
    if (!filter_.path.empty() && filter_.path != grid.path) return false;
    return filter_.kernel.empty() || grid.kernel.empty() || filter_.kernel == grid.kernel;
  }

  // Whether another grid speaks of the kernel by name.
  bool has_own(const Grid& grid, const std::string& kernel) const {
    return grid.kernel.empty() &&
           std::any_of(standard_.grids.begin(), standard_.grids.end(), [&](const Grid& other) {
             return other.path == grid.path && other.axis == grid.axis && other.kernel == kernel;
           });
  }

  void check_grid(const Grid& grid) {
    ++report_.grids;
    const auto axes = measured(connection_, release_.release_id, grid, filter_);
    if (axes.empty()) {
      Violation none = violation("no_data", grid.line, "the release has no candidates for this grid", {});
      none.kernel = grid.kernel;
      none.path = grid.path;
      none.axis = grid.axis;
      report_.violations.push_back(std::move(none));
    }
    for (const MeasuredAxis& axis : axes) {
      if (has_own(grid, axis.kernel)) continue;
      regimes_.emplace(grid.path, axis.regime_id);
      if (!grid.each_line) note(grid, axis, "", violations_of(grid, all_values(axis)), lines_to_extend(axis));
      if (grid.each_line)
        for (const auto& [others, values] : axis.lines)
          note(grid, axis, others, violations_of(grid, values), {others});
    }
  }

  void note(const Grid& grid, const MeasuredAxis& axis, const std::string& others,
            std::vector<Violation> found, const std::vector<std::string>& lines) {
    for (Violation& one : found) {
      one.kernel = axis.kernel;
      one.path = grid.path;
      one.regime_id = axis.regime_id;
      one.others = others;
      one.axis = grid.axis;
      for (const std::string& line : lines) add_missing(grid, axis, line, one.missing_values);
      report_.violations.push_back(std::move(one));
    }
  }

  void add_missing(const Grid& grid, const MeasuredAxis& axis, const std::string& others,
                   const Values& values) {
    for (const std::int64_t value : values) {
      const std::string coordinate = coordinate_text(grid.path, grid.axis, value, others);
      const auto [it, is_new] = missing_.try_emplace({axis.kernel, grid.path, axis.regime_id, coordinate});
      if (!is_new) continue;
      it->second = shapes_.at({grid.path, axis.regime_id, grid.axis, others}, value);
      it->second.kernel = axis.kernel;
      it->second.coordinate = coordinate;
    }
  }

  store::Connection& connection_;
  const ReleaseInfo& release_;
  const Standard& standard_;
  const RegimeFilter& filter_;
  StandardReport report_;
  ShapeByExample shapes_{connection_};
  std::set<std::pair<std::string, std::int64_t>> regimes_;
  std::map<std::tuple<std::string, std::string, std::int64_t, std::string>, MissingShape> missing_;
};

ordered_json to_json(const Violation& found) {
  ordered_json json{{"kernel", found.kernel},   {"path", found.path},
                    {"regime_id", nullptr},     {"others", found.others},
                    {"axis", found.axis},       {"kind", found.kind},
                    {"message", found.message}, {"missing_values", found.missing_values},
                    {"line", found.line}};
  if (found.regime_id) json["regime_id"] = *found.regime_id;
  return json;
}

ordered_json to_json(const MissingShape& shape) {
  return {{"kernel", shape.kernel},
          {"path", shape.path},
          {"regime_id", shape.regime_id},
          {"coordinate", shape.coordinate},
          {"input_shapes", shape.input_shapes},
          {"input_dtypes", shape.input_dtypes},
          {"input_formats", shape.input_formats},
          {"output_shapes", shape.output_shapes},
          {"output_dtypes", shape.output_dtypes},
          {"output_formats", shape.output_formats},
          {"regime", shape.regime}};
}

}  // namespace

std::vector<Violation> violations_of(const Grid& grid, const Values& values) {
  std::vector<Violation> found;
  if (values.empty()) return found;
  check_range(grid, values, found);
  check_required(grid, values, found);
  for (const Segment& segment : grid.segments)
    for (std::size_t i = 1; i < values.size(); ++i)
      check_step(grid, segment, values[i - 1], values[i], found);
  return found;
}

StandardReport check_standard(store::Connection& connection, const ReleaseInfo& release,
                              const Standard& standard, const RegimeFilter& filter) {
  check(filter);
  if (!standard.device.empty() && standard.device != release.device)
    throw Error(
        ErrorKind::usage,
        fmt::format("the standard {} is for the device {}, but release {} is of {}; name another release "
                    "or standard",
                    standard.name, standard.device, release.release_id, release.device));
  return Checker(connection, release, standard, filter).run();
}

ordered_json to_json(const StandardReport& report) {
  ordered_json json{{"standard", report.standard},
                    {"grids", report.grids},
                    {"regimes", report.regimes},
                    {"violations", ordered_json::array()},
                    {"missing", ordered_json::array()}};
  for (const Violation& found : report.violations) json["violations"].push_back(to_json(found));
  for (const MissingShape& shape : report.missing) json["missing"].push_back(to_json(shape));
  return json;
}

}  // namespace profdb::analysis
