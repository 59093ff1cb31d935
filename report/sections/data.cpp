// Software, releases, their files and digests, options, and what of the data was not used.
#include <sqlite3.h>

#include "engine/store/database.h"
#include "report/sections/sections.h"

namespace profdb::report {
namespace {

Table releases_table(const Input& input) {
  Table table{.caption = "Releases",
              .columns = {{"release", "release"},
                          {"release_id", "id", Kind::integer},
                          {"torch_version", "torch"},
                          {"cann_version", "CANN"},
                          {"imported_at", "imported (UTC)"},
                          {"file_count", "files", Kind::integer},
                          {"row_count", "rows", Kind::integer},
                          {"taken_rows", "taken", Kind::integer},
                          {"unusable_rows", "no usable latency", Kind::integer},
                          {"rejected_rows", "rejected", Kind::integer},
                          {"operator_count", "operators", Kind::integer},
                          {"content_digest", "content digest (SHA-256)", Kind::code},
                          {"mapping_digest", "mapping digest (SHA-256)", Kind::code}},
              .badge = input.badge()};
  table.rows = release_rows(input, R"(
SELECT release_id, torch_version, cann_version, imported_at, count(source_file_id), sum(row_count), sum(taken_rows),
       sum(unusable_rows), sum(rejected_rows),
       (SELECT count(*) FROM op_mapping AS o WHERE o.release_id = release.release_id), content_digest, mapping_digest
FROM release
LEFT JOIN source_file USING (release_id)
WHERE release_id = :release
GROUP BY release_id)");
  return table;
}

Table files_table(const Input& input) {
  Table table{.caption = "Source files",
              .columns = {{"release", "release"},
                          {"file", "file"},
                          {"kernel", "kernel"},
                          {"rows", "rows", Kind::integer},
                          {"taken", "taken", Kind::integer},
                          {"unusable", "no usable latency", Kind::integer},
                          {"rejected", "rejected", Kind::integer},
                          {"latency", "latency from"},
                          {"failure", "left out because"},
                          {"sha256", "SHA-256", Kind::code}},
              .badge = input.badge()};
  table.rows = release_rows(input, R"(
SELECT f.path, k.name, f.row_count, f.taken_rows, f.unusable_rows, f.rejected_rows,
       json_extract(f.latency_columns, '$[0]'), nullif(f.failure, ''), nullif(f.sha256, '')
FROM source_file AS f
JOIN kernel AS k USING (kernel_id)
WHERE f.release_id = :release
ORDER BY f.path)");
  cut(table, "sqlite3 FILE 'SELECT * FROM source_file'");
  return table;
}

Table rejections_table(const Input& input) {
  Table table{
      .caption = "Rows that were not used",
      .columns = {{"release", "release"},
                  {"kernel", "kernel"},
                  {"file", "file"},
                  {"rejected_by", "not used by"},
                  {"reason", "reason"},
                  {"row_count", "rows", Kind::integer}},
      .note =
          "`import`: the row is no measurement, or has no usable latency. Otherwise the path that could "
          "not place it.",
      .badge = input.badge()};
  table.rows = release_rows(input, R"(
SELECT kernel, file, path, reason, row_count
FROM rejections
WHERE release_id = :release
ORDER BY row_count DESC, kernel, file, path, reason)");
  cut(table, "sqlite3 FILE 'SELECT * FROM rejections'");
  return table;
}

std::string joined(const std::vector<Release>& releases) {
  std::string all;
  for (const Release& release : releases) all += (all.empty() ? "" : ", ") + release.name;
  return all;
}

std::string joined(const std::vector<std::int64_t>& ids) {
  std::string all;
  for (const auto id : ids) all += (all.empty() ? "" : ", ") + std::to_string(id);
  return all;
}

}  // namespace

Section data_section(const Input& input, Findings& findings) {
  Section section{.heading = "Software and data"};
  const auto& options = input.options;
  section.facts = {
      {"profdb", version()},
      {"schema version", store::schema_version()},
      {"SQLite", sqlite3_libversion()},
      {"database", input.connection.path().filename().string()},
      {"written (UTC)", options.written_at},
      {"releases asked for", options.releases.empty() ? "all" : joined(input.releases)},
      {"hold-out runs asked for", options.holdout_runs.empty() ? "the newest" : joined(options.holdout_runs)},
      {"replay", options.replay.empty() ? "none" : options.replay}};
  section.tables = {releases_table(input), files_table(input)};
  Table rejections = rejections_table(input);
  std::int64_t taken = 0;
  for (const Release& release : input.releases) taken += release.info.taken_rows;
  findings.headlines.push_back(
      {input.releases.size() == 1 ? "release" : "releases",
       input.releases.size() == 1 ? Json(input.releases.front().name) : Json(input.releases.size())});
  findings.headlines.push_back({"measurements taken", taken});
  if (!rejections.rows.empty()) section.tables.push_back(std::move(rejections));
  return section;
}

}  // namespace profdb::report
