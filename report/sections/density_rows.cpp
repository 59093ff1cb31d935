// Density rows and the points behind them.
#include "report/sections/density_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "engine/paths/registry.h"
#include "engine/store/candidates.h"
#include "profdb/error.h"

namespace profdb::report {
namespace {

// selected before fallback.
constexpr const char* kDensity = R"(
SELECT path, kernel, regime_id, regime, source_class, axis, points, distinct_values, min, max, largest_gap, largest_ratio
FROM candidate_density
WHERE release_id = :release
ORDER BY path, regime_id, source_class DESC, axis)";

Json number_or_null(const SQLite::Column& column) {
  if (column.isNull()) return {};
  if (column.isInteger()) return column.getInt64();
  return column.getDouble();
}

bool same_regime(const DensityRow& a, const DensityRow& b) {
  return std::tie(a.release, a.path, a.regime_id, a.source_class) ==
         std::tie(b.release, b.path, b.regime_id, b.source_class);
}

}  // namespace

std::vector<DensityRow> density_rows(const Input& input) {
  std::vector<DensityRow> all;
  for (const Release& release : input.releases) {
    auto& statement = input.connection.statement(kDensity);
    statement.bind(":release", release.info.release_id);
    store::Rows rows(statement);
    while (rows.next())
      all.push_back({&release, rows.text(0), rows.text(1), rows.integer(2), regime_text(rows.text(3)),
                     rows.text(4), rows.text(5), rows.integer(6), rows.integer(7), rows.integer(8),
                     rows.integer(9), number_or_null(rows[10]), number_or_null(rows[11])});
  }
  return all;
}

std::vector<RegimeRows> regimes_by_points(const std::vector<DensityRow>& density) {
  std::vector<RegimeRows> all;
  for (const DensityRow& row : density) {
    if (all.empty() || !same_regime(*all.back().first, row)) all.push_back({&row, {}});
    if (row.distinct_values > 1) all.back().varying.push_back(row.axis);
  }
  std::stable_sort(all.begin(), all.end(), [](const RegimeRows& a, const RegimeRows& b) {
    return a.first->points > b.first->points;
  });
  return all;
}

std::vector<MeasuredPoint> measured_points(const Input& input, const DensityRow& regime) {
  const Path* path = find_path(regime.path);
  if (path == nullptr)
    throw Error(ErrorKind::database, fmt::format("{}: the path {} is not known to this version of profdb",
                                                 input.options.database, regime.path));
  const auto source_class = regime.source_class == "selected" ? SourceClass::selected : SourceClass::fallback;
  return merge_points(store::find_class(input.connection, path->spec(), regime.regime_id, source_class));
}

ChartHead regime_head(const DensityRow& regime, const std::string& what) {
  ChartHead head;
  head.title = fmt::format("{} {}", regime.kernel, what);
  head.note = (regime.release->alone ? "" : regime.release->name + ": ") + regime.regime;
  if (regime.source_class != "selected") head.note += ", fallback latencies";
  head.badge = regime.release->badge;
  head.tags = {{"release", regime.release->name},
               {"path", regime.path},
               {"kernel", regime.kernel},
               {"regime", regime_name(regime.path, regime.regime_id)}};
  return head;
}

std::string axis_unit(std::string_view axis) {
  return axis == "message_bytes" ? "B" : "";
}

}  // namespace profdb::report
