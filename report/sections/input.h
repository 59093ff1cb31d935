// What the sections of a release report are made from, and what they find for the first and the last one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/store/database.h"
#include "profdb/engine.h"
#include "report/document/document.h"
#include "report/sections/options.h"

namespace profdb::report {

// Limits that keep the file small; what they leave out is said where it is left out.
inline constexpr std::size_t kMaxTableRows = 1'000;
inline constexpr std::size_t kMaxCharts = 40;     // of one kind
inline constexpr std::size_t kMaxPoints = 3'000;  // of one chart
inline constexpr std::size_t kMaxLines = 24;      // of one chart

struct Release {
  ReleaseInfo info;
  std::string name;   // DEVICE/FRAMEWORK/VERSION, with the id where several have the same
  std::string badge;  // "synthetic", or empty
  bool alone = true;  // the only one in the report
};

struct Input {
  store::Connection& connection;
  const ReleaseReportOptions& options;
  std::vector<Release> releases;

  // "synthetic" where any release is.
  std::string badge() const;
};

// Figures for the summary, and lists for "Not verified", in the order in which the sections find them.
struct Findings {
  std::vector<Fact> headlines;
  std::vector<std::string> gaps;  // one sentence each
  std::vector<Table> gap_tables;
};

// The rows of a statement as table rows: integers, numbers, text, null.
std::vector<Json> table_rows(SQLite::Statement& statement);
// The same of `sql`, which takes :release, for every release; the release's name is the first cell.
std::vector<Json> release_rows(const Input& input, const std::string& sql);
// Cuts `table` to kMaxTableRows and says so in its note; `whole` is the command that shows all.
void cut(Table& table, const std::string& whole);

// "3 of 7"
std::string share(std::size_t part, std::size_t whole);
// "matrix_compute 12": how a regime is named in tables and filters.
std::string regime_name(const std::string& path, std::int64_t regime_id);
// A regime's fields as "input_count 2, input_dtypes FLOAT;FLOAT" from JSON; empty ones left out.
std::string regime_text(const std::string& fields_json);

}  // namespace profdb::report
