// Reading the density views.
#include "analysis/density.h"

#include <fmt/format.h>

#include "engine/paths/registry.h"
#include "engine/store/releases.h"

namespace profdb::analysis {
namespace {

using nlohmann::ordered_json;

// A filter that does not restrict binds NULL.
constexpr const char* kDensity = R"(
SELECT d.kernel, d.path, d.regime_id, d.regime, d.source_class, d.axis, d.points, d.distinct_values, d.min, d.max,
       d.largest_gap, d.largest_ratio, coalesce(i.lines, 0), coalesce(i.longest_line, 0), x.possible_dims
FROM candidate_density AS d
JOIN regime_dimensions AS x
  ON x.path = d.path AND x.regime_id = d.regime_id AND x.source_class = d.source_class
LEFT JOIN interpolable_regimes AS i
  ON i.path = d.path AND i.regime_id = d.regime_id AND i.source_class = d.source_class AND i.axis = d.axis
WHERE d.release_id = :release
AND (:kernel IS NULL OR d.kernel = :kernel)
AND (:path IS NULL OR d.path = :path)
AND (:regime IS NULL OR d.regime_id = :regime)
ORDER BY d.kernel, d.path, d.regime_id, d.source_class DESC, d.axis)";

constexpr const char* kKernels = R"(
WITH seen AS (
  SELECT k.name AS kernel, p.path
  FROM projection AS p
  JOIN kernel AS k USING (kernel_id)
  WHERE p.release_id = :release
  AND p.path <> 'base_exact'
  AND p.candidate_count > 0
  AND (:kernel IS NULL OR k.name = :kernel)
)
SELECT (SELECT group_concat(kernel, ', ') FROM (SELECT DISTINCT kernel FROM seen ORDER BY kernel)),
       (SELECT group_concat(path, ', ') FROM (SELECT DISTINCT path FROM seen ORDER BY path)))";

void bind_text(SQLite::Statement& statement, const char* name, const std::string& value) {
  if (value.empty())
    statement.bind(name);
  else
    statement.bind(name, value);
}

AxisDensity read(const store::Rows& rows) {
  AxisDensity row;
  int i = 0;
  row.kernel = rows.text(i++);
  row.path = rows.text(i++);
  row.regime_id = rows.integer(i++);
  row.regime = ordered_json::parse(rows.text(i++));
  row.source_class = rows.text(i++);
  row.axis = rows.text(i++);
  row.points = rows.integer(i++);
  row.distinct_values = rows.integer(i++);
  row.min = rows.integer(i++);
  row.max = rows.integer(i++);
  if (!rows[i].isNull()) row.largest_gap = rows.integer(i);
  ++i;
  if (!rows[i].isNull()) row.largest_ratio = rows.real(i);
  ++i;
  row.lines = rows.integer(i++);
  row.longest_line = rows.integer(i++);
  row.possible_dims = rows.text(i);
  return row;
}

// The names that the release has candidates for, of kernels and of paths; empty texts where it has none.
std::pair<std::string, std::string> names(store::Connection& connection, std::int64_t release_id,
                                          const std::string& kernel) {
  SQLite::Statement& statement = connection.statement(kKernels);
  statement.bind(":release", release_id);
  bind_text(statement, ":kernel", kernel);
  store::Rows rows(statement);
  rows.next();
  return {rows.text(0), rows.text(1)};
}

}  // namespace

void check(const RegimeFilter& filter) {
  if (filter.regime_id && filter.path.empty())
    throw Error(ErrorKind::usage, "a regime is numbered within its path: name the path as well (--path)");
  if (filter.path.empty() || find_path(filter.path) != nullptr) return;
  std::string known;
  for (const Path* path : all_paths())
    known += fmt::format("{}{}", known.empty() ? "" : ", ", path->spec().name);
  throw Error(ErrorKind::usage, fmt::format("there is no path '{}'; choose from {}", filter.path, known));
}

std::string to_string(const RegimeFilter& filter) {
  std::string text;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  };
  add("kernel", filter.kernel);
  add("path", filter.path);
  if (filter.regime_id) add("regime", std::to_string(*filter.regime_id));
  return text;
}

std::string why_empty(store::Connection& connection, const ReleaseInfo& release, const RegimeFilter& filter) {
  const std::string name = fmt::format("release {} ({})", release.release_id, release_name(release));
  const auto [kernels, paths] = names(connection, release.release_id, "");
  if (kernels.empty())
    return fmt::format(
        "{} has no candidates: no operator of its mapping reaches rows with a usable latency; "
        "see 'profdb releases --coverage'",
        name);
  const auto [own, own_paths] = names(connection, release.release_id, filter.kernel);
  if (own.empty()) return fmt::format("{} has no candidates of {}; it has {}", name, filter.kernel, kernels);
  if (filter.regime_id)
    return fmt::format("{} has no candidates of {}; leave the regime out to see those there are", name,
                       to_string(filter));
  return fmt::format("{} has no candidates of {}; {} candidates of {}", name, to_string(filter),
                     filter.kernel.empty() ? "it has" : "the kernel has", own_paths);
}

std::vector<AxisDensity> density(store::Connection& connection, std::int64_t release_id,
                                 const RegimeFilter& filter) {
  check(filter);
  SQLite::Statement& statement = connection.statement(kDensity);
  statement.bind(":release", release_id);
  bind_text(statement, ":kernel", filter.kernel);
  bind_text(statement, ":path", filter.path);
  if (filter.regime_id)
    statement.bind(":regime", *filter.regime_id);
  else
    statement.bind(":regime");
  std::vector<AxisDensity> all;
  store::Rows rows(statement);
  while (rows.next()) all.push_back(read(rows));
  return all;
}

ordered_json to_json(const AxisDensity& row) {
  ordered_json json{{"kernel", row.kernel},
                    {"path", row.path},
                    {"regime_id", row.regime_id},
                    {"regime", row.regime},
                    {"source_class", row.source_class},
                    {"axis", row.axis},
                    {"points", row.points},
                    {"distinct_values", row.distinct_values},
                    {"min", row.min},
                    {"max", row.max},
                    {"largest_gap", nullptr},
                    {"largest_ratio", nullptr},
                    {"lines", row.lines},
                    {"longest_line", row.longest_line},
                    {"possible_dims", row.possible_dims}};
  if (row.largest_gap) json["largest_gap"] = *row.largest_gap;
  if (row.largest_ratio) json["largest_ratio"] = *row.largest_ratio;
  return json;
}

ordered_json to_json(const std::vector<AxisDensity>& rows) {
  auto json = ordered_json::array();
  for (const AxisDensity& row : rows) json.push_back(to_json(row));
  return json;
}

}  // namespace profdb::analysis
