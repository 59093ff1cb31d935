// Which operators of the mappings can be answered, from what, and along which axes.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/sections/sections.h"

namespace profdb::report {
namespace {

// Columns of the table below.
enum Field : std::size_t { kRelease, kOp, kPath, kKernel, kCoverage };

Table coverage_table(const Input& input) {
  Table table{.caption = "Operators: path, kernel, data",
              .columns = {{"release", "release"},
                          {"op", "operator"},
                          {"path", "path"},
                          {"kernel", "kernel"},
                          {"coverage", "coverage"},
                          {"candidates", "candidates", Kind::integer},
                          {"max_dim", "highest dimension", Kind::integer},
                          {"interpolable_regimes", "interpolable regimes", Kind::integer},
                          {"interpolable_axes", "along"}},
              .badge = input.badge()};
  table.rows = release_rows(input, R"(
SELECT op, path, kernel, coverage, candidates, max_dim, interpolable_regimes, interpolable_axes
FROM release_coverage
WHERE release_id = :release
ORDER BY op, position)");
  return table;
}

std::string explained(const std::string& coverage) {
  static const std::map<std::string, std::string> words = {{"data", "data"},
                                                           {"no_data", "no data for the kernel"},
                                                           {"no_usable_rows", "rows, but none that fits"},
                                                           {"no_path", "reaches no path"},
                                                           {"composite", "composite: asked as its leaves"},
                                                           {"zero_cost", "zero cost by the mapping"},
                                                           {"accepted_miss", "accepted miss by the mapping"}};
  const auto found = words.find(coverage);
  return found == words.end() ? coverage : found->second;
}

std::string coverage_tone(const std::string& coverage) {
  if (coverage == "data") return "good";
  return coverage.starts_with("no_") ? "bad" : "fair";
}

// The best that any kernel of an operator has, "data" above all.
Bars coverage_bars(const Input& input, const Table& table,
                   std::map<std::pair<std::string, std::string>, std::string>& best) {
  std::map<std::pair<std::string, std::string>, Tags> tags;
  for (const Json& row : table.rows) {
    const auto key = std::pair(row[kRelease].get<std::string>(), row[kOp].get<std::string>());
    const auto coverage = row[kCoverage].get<std::string>();
    if (const auto [found, added] = best.try_emplace(key, coverage); !added && coverage == "data")
      found->second = coverage;
    Tags& own = tags[key];
    if (own.empty()) own = {{"release", key.first}};
    if (own.size() == 1 && !row[kPath].is_null()) own.emplace_back("path", row[kPath].get<std::string>());
  }
  Bars bars{.head = {.title = "Operators by what they can be answered from", .badge = input.badge()},
            .value = {"operators"}};
  for (const auto& [key, coverage] : best)
    bars.bars.push_back({explained(coverage), 1, tags[key], coverage_tone(coverage)});
  return bars;
}

// One bar per label and tags, so that a long list stays short.
void merge(Bars& bars) {
  std::map<std::pair<std::string, Tags>, Bars::Bar> merged;
  for (const Bars::Bar& bar : bars.bars) {
    const auto [found, added] = merged.try_emplace({bar.label, bar.tags}, bar);
    if (!added) found->second.value += bar.value;
  }
  bars.bars.clear();
  for (auto& [key, bar] : merged) bars.bars.push_back(std::move(bar));
}

// Operators, per release, whose every kernel lacks data though the mapping leads to one.
Table without_data(const Table& coverage,
                   const std::map<std::pair<std::string, std::string>, std::string>& best) {
  Table table{.caption = "Operators without data",
              .columns = {{"release", "release"},
                          {"op", "operator"},
                          {"path", "path"},
                          {"kernel", "kernel"},
                          {"coverage", "why"}}};
  for (const Json& row : coverage.rows)
    if (best.at({row[kRelease].get<std::string>(), row[kOp].get<std::string>()}).starts_with("no_"))
      table.rows.push_back(
          {row[kRelease], row[kOp], row[kPath], row[kKernel], explained(row[kCoverage].get<std::string>())});
  return table;
}

Table paths_without_data(const Table& coverage) {
  std::map<std::pair<std::string, std::string>, std::pair<bool, std::set<std::string>>> paths;
  for (const Json& row : coverage.rows) {
    if (row[kPath].is_null()) continue;
    auto& [data, ops] = paths[{row[kRelease].get<std::string>(), row[kPath].get<std::string>()}];
    data = data || row[kCoverage] == "data";
    ops.insert(row[kOp].get<std::string>());
  }
  Table table{
      .caption = "Paths without data",
      .columns = {
          {"release", "release"}, {"path", "path"}, {"operators", "operators that reach it", Kind::integer}}};
  for (const auto& [key, path] : paths)
    if (!path.first) table.rows.push_back({key.first, key.second, path.second.size()});
  return table;
}

}  // namespace

Section coverage_section(const Input& input, Findings& findings) {
  Section section{.heading = "Coverage"};
  section.text = {
      "What the mapping leads each operator to, and whether there is data to answer from. “Along” names the "
      "axes "
      "on which at least one regime can be interpolated."};
  Table table = coverage_table(input);
  std::map<std::pair<std::string, std::string>, std::string> best;
  Bars bars = coverage_bars(input, table, best);
  merge(bars);
  const auto answerable =
      std::count_if(best.begin(), best.end(), [](const auto& op) { return op.second == "data"; });
  findings.headlines.push_back(
      {"operators with data", share(static_cast<std::size_t>(answerable), best.size())});
  for (Table gap : {paths_without_data(table), without_data(table, best)}) {
    if (gap.rows.empty()) continue;
    findings.gaps.push_back(fmt::format("{}: {}.", gap.caption, gap.rows.size()));
    cut(gap, "profdb releases --coverage");
    findings.gap_tables.push_back(std::move(gap));
  }
  section.charts = {to_json(bars)};
  cut(table, "profdb releases --coverage");
  section.tables = {std::move(table)};
  return section;
}

}  // namespace profdb::report
