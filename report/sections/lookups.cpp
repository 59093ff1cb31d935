// What lookups asked and what they were answered: the query log.
#include <fmt/format.h>

#include <algorithm>

#include "report/sections/sections.h"

namespace profdb::report {
namespace {

std::string source_tone(const std::string& source) {
  if (source == "MISS") return "bad";
  return source == "COMPATIBLE" ? "fair" : source == "MEASURED" ? "good" : "";
}

Tags tags_of(const Json& row) {
  Tags tags{{"release", row[0].get<std::string>()}};
  if (!row[1].is_null()) tags.emplace_back("path", row[1].get<std::string>());
  if (!row[2].is_null()) tags.emplace_back("kernel", row[2].get<std::string>());
  return tags;
}

Bars source_bars(const Input& input) {
  Bars bars{.head = {.title = "Lookups by source", .badge = input.badge()}, .value = {"lookups"}};
  for (const Json& row : release_rows(input, R"(
SELECT path, kernel, source, sum(lookups)
FROM lookup_summary
WHERE release_id = :release
GROUP BY path, kernel, source)")) {
    const auto source = row[3].get<std::string>();
    bars.bars.push_back({source, row[4].get<double>(), tags_of(row), source_tone(source)});
  }
  return bars;
}

Bars reason_bars(const Input& input) {
  Bars bars{.head = {.title = "Misses by reason", .badge = input.badge()}, .value = {"lookups"}};
  for (const Json& row : release_rows(input, R"(
SELECT path, NULL, reason, sum(lookups)
FROM miss_reasons
WHERE release_id = :release
GROUP BY path, reason)"))
    bars.bars.push_back({row[3].get<std::string>(), row[4].get<double>(), tags_of(row), ""});
  return bars;
}

Table methods_table(const Input& input) {
  Table table{.caption = "Methods, dimensions and axes used",
              .columns = {{"release", "release"},
                          {"path", "path"},
                          {"kernel", "kernel"},
                          {"source", "source"},
                          {"method", "method"},
                          {"dim", "dim", Kind::integer},
                          {"axes", "axes"},
                          {"lookups", "lookups", Kind::integer},
                          {"min_latency", "least latency", Kind::number, "us"},
                          {"max_latency", "greatest latency", Kind::number, "us"},
                          {"mean_elapsed", "mean lookup time", Kind::number, "us"}},
              .badge = input.badge()};
  table.rows = release_rows(input, R"(
SELECT path, kernel, source, method, nullif(dim, 0),
       (SELECT group_concat(value, '+') FROM json_each(s.axes)), sum(lookups), min(min_latency_us), max(max_latency_us),
       sum(mean_elapsed_us * lookups) / sum(lookups)
FROM lookup_summary AS s
WHERE release_id = :release AND source <> 'MISS'
GROUP BY path, kernel, source, method, dim, axes
ORDER BY sum(lookups) DESC, path, kernel, source, method, dim, axes)");
  cut(table, "profdb log --summary");
  return table;
}

Table misses_table(const Input& input) {
  Table table{.caption = "Misses by operator and reason",
              .columns = {{"release", "release"},
                          {"op", "operator"},
                          {"path", "path"},
                          {"reason", "reason"},
                          {"lookups", "lookups", Kind::integer},
                          {"distinct_calls", "distinct calls", Kind::integer}},
              .badge = input.badge()};
  table.rows = release_rows(input, R"(
SELECT op, path, reason, lookups, distinct_calls
FROM miss_reasons
WHERE release_id = :release
ORDER BY lookups DESC, op, reason)");
  cut(table, "profdb log --summary");
  return table;
}

Table never_asked(const Input& input) {
  Table table{.caption = "Operators never asked",
              .columns = {{"release", "release"}, {"op", "operator"}, {"path", "path"}},
              .note = "In the mapping, but in no entry of the query log."};
  table.rows = release_rows(input, R"(
SELECT o.op, o.path
FROM op_mapping AS o
WHERE o.release_id = :release
AND NOT EXISTS (SELECT 1 FROM lookup_summary AS s WHERE s.release_id = o.release_id AND s.op = o.op)
ORDER BY o.op)");
  return table;
}

double total(const Bars& bars, const std::string& label) {
  double sum = 0;
  for (const auto& bar : bars.bars)
    if (label.empty() || bar.label == label) sum += bar.value;
  return sum;
}

std::string percent(double part, double whole) {
  return fmt::format("{:.1f}", 100 * part / whole);
}

}  // namespace

Section lookup_section(const Input& input, Findings& findings) {
  Section section{.heading = "Lookups"};
  const Bars sources = source_bars(input);
  const double all = total(sources, "");
  if (all == 0) {
    section.text = {
        "The query log holds no lookup of these releases. Lookups are logged where they ask for it: "
        "`profdb lookup --log all`."};
    findings.gaps.emplace_back(
        "No lookup is in the query log: what callers ask, and what they would miss, is not known.");
    return section;
  }
  section.text = {
      "From the query log: what callers asked, what they were answered, and why the rest missed."};
  const double misses = total(sources, "MISS");
  findings.headlines.push_back({"logged lookups", static_cast<std::int64_t>(all)});
  findings.headlines.push_back({"of them missed", Json::parse(percent(misses, all)), "%"});
  section.charts = {to_json(sources)};
  if (misses > 0) section.charts.push_back(to_json(reason_bars(input)));
  section.tables = {methods_table(input)};
  if (misses > 0) section.tables.push_back(misses_table(input));
  Table unasked = never_asked(input);
  if (!unasked.rows.empty()) {
    findings.gaps.push_back(
        fmt::format("{} operators of the mappings were never asked.", unasked.rows.size()));
    cut(unasked, "profdb log --summary");
    findings.gap_tables.push_back(std::move(unasked));
  }
  return section;
}

}  // namespace profdb::report
