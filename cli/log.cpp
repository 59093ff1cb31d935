// profdb log: what lookups were asked and what they answered.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/input/options.h"
#include "cli/output/csv_output.h"
#include "cli/output/exit_code.h"
#include "cli/output/output.h"
#include "cli/output/table.h"
#include "engine/store/database.h"

namespace profdb::cli {
namespace {

using nlohmann::ordered_json;

struct LogOptions {
  std::string database;
  std::int64_t last = 20;
  std::string op;
  std::string source;
  std::string reason;
  bool summary = false;
  bool json = false;
  bool csv = false;
};

// An absent filter binds NULL. Newest first.
constexpr const char* kEntries = R"(
SELECT query_log_id, logged_at, session, release_id, op, leaf_digest, source, latency_us, kernel, path, method, dim,
       axes, reason, details, elapsed_ns
FROM query_log
WHERE (:op IS NULL OR op = :op)
AND (:source IS NULL OR source = :source)
AND (:reason IS NULL OR reason = :reason)
ORDER BY query_log_id DESC
LIMIT :last)";

constexpr const char* kSummary = R"(
SELECT release_id, op, source, kernel, path, method, dim, axes, lookups, min_latency_us, max_latency_us,
       mean_elapsed_us
FROM lookup_summary
ORDER BY lookups DESC, op, source)";

constexpr const char* kMissReasons = R"(
SELECT release_id, op, reason, path, lookups, distinct_calls
FROM miss_reasons
ORDER BY lookups DESC, op, reason)";

// The columns that hold JSON.
bool is_json_column(const std::string& name) {
  return name == "axes" || name == "details";
}

ordered_json cell(const SQLite::Column& column) {
  if (column.isInteger()) return column.getInt64();
  if (column.isFloat()) return column.getDouble();
  if (column.isNull()) return {};
  const std::string text = column.getString();
  if (!is_json_column(column.getName())) return text;
  ordered_json value = ordered_json::parse(text, nullptr, false);
  return value.is_discarded() ? ordered_json(text) : value;
}

// All rows of a statement as objects, by column name.
ordered_json rows_of(SQLite::Statement& statement) {
  auto all = ordered_json::array();
  store::Rows rows(statement);
  while (rows.next()) {
    auto row = ordered_json::object();
    for (int i = 0; i < rows->getColumnCount(); ++i) row[rows[i].getName()] = cell(rows[i]);
    all.push_back(std::move(row));
  }
  return all;
}

void bind_filter(SQLite::Statement& statement, const char* name, const std::string& value) {
  if (value.empty())
    statement.bind(name);
  else
    statement.bind(name, value);
}

std::string text_at(const ordered_json& row, const char* name) {
  const ordered_json& value = row.at(name);
  if (value.is_null()) return "";
  if (value.is_array()) {
    std::string joined;
    for (const auto& part : value) joined += (joined.empty() ? "" : "+") + part.get<std::string>();
    return joined;
  }
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return count(value.get<std::int64_t>());
  return number(value.get<double>());
}

// "linear_1d M" of a hit, the reason of a miss.
std::string how(const ordered_json& row) {
  if (row.contains("reason") && !row.at("reason").is_null()) return text_at(row, "reason");
  const std::string axes = text_at(row, "axes");
  return text_at(row, "method") + (axes.empty() ? "" : " " + axes);
}

std::string entries_text(const ordered_json& entries) {
  Table table({{"time (UTC)", Align::left, false},
               {"op"},
               {"source", Align::left, false},
               {"latency us", Align::right},
               {"kernel"},
               {"method or reason"},
               {"took us", Align::right}});
  for (const auto& row : entries) {
    const double elapsed_us = static_cast<double>(row.at("elapsed_ns").get<std::int64_t>()) / 1e3;
    table.add({time_text(text_at(row, "logged_at")), text_at(row, "op"), text_at(row, "source"),
               text_at(row, "latency_us"), text_at(row, "kernel"), how(row),
               fmt::format("{:.1f}", elapsed_us)});
  }
  return table.empty() ? "no log entries\n" : table.text();
}

std::string summary_text(const ordered_json& summary, const ordered_json& misses) {
  if (summary.empty()) return "no log entries\n";
  Table lookups({{"id", Align::right},
                 {"op"},
                 {"source", Align::left, false},
                 {"kernel"},
                 {"method"},
                 {"lookups", Align::right},
                 {"min us", Align::right},
                 {"max us", Align::right},
                 {"took us", Align::right}});
  for (const auto& row : summary)
    lookups.add({text_at(row, "release_id"), text_at(row, "op"), text_at(row, "source"),
                 text_at(row, "kernel"), how(row), text_at(row, "lookups"), text_at(row, "min_latency_us"),
                 text_at(row, "max_latency_us"),
                 fmt::format("{:.1f}", row.at("mean_elapsed_us").get<double>())});
  Table reasons({{"id", Align::right},
                 {"op"},
                 {"reason"},
                 {"path"},
                 {"lookups", Align::right},
                 {"distinct calls", Align::right}});
  for (const auto& row : misses)
    reasons.add({text_at(row, "release_id"), text_at(row, "op"), text_at(row, "reason"), text_at(row, "path"),
                 text_at(row, "lookups"), text_at(row, "distinct_calls")});
  return "lookups (id: release; took: mean)\n" + lookups.text() +
         (reasons.empty() ? "" : "\nmisses\n" + reasons.text());
}

int show_summary(store::Connection& connection, const LogOptions& options) {
  const ordered_json summary = rows_of(connection.statement(kSummary));
  const ordered_json misses = rows_of(connection.statement(kMissReasons));
  if (options.csv)
    print(csv_of(summary));
  else if (options.json)
    print_json({{"lookup_summary", summary}, {"miss_reasons", misses}});
  else
    print(summary_text(summary, misses));
  return kDone;
}

int show_entries(store::Connection& connection, const LogOptions& options) {
  SQLite::Statement& statement = connection.statement(kEntries);
  bind_filter(statement, ":op", options.op);
  bind_filter(statement, ":source", options.source);
  bind_filter(statement, ":reason", options.reason);
  statement.bind(":last", options.last);
  const ordered_json entries = rows_of(statement);
  if (options.csv)
    print(csv_of(entries));
  else if (options.json)
    print_json(entries);
  else
    print(entries_text(entries));
  return kDone;
}

int run(const LogOptions& options) {
  store::Connection connection(options.database, store::Mode::read);
  try {
    const store::ReadTransaction transaction(connection);
    return options.summary ? show_summary(connection, options) : show_entries(connection, options);
  } catch (const SQLite::Exception& e) {
    throw store::database_error(options.database, e, "read the query log of");
  }
}

}  // namespace

void add_log(Command app, Action& action) {
  const auto options = std::make_shared<LogOptions>();
  const Command command = app.add_subcommand("log", "Show the query log: what was asked and answered");
  add_db_option(command, options->database);
  command.add_option("--last", options->last, "How many entries, newest first (default 20)")
      .range(1, 1'000'000'000)
      .type_name("N");
  command.add_option("--op", options->op, "Only this operator").type_name("OP");
  command.add_option("--source", options->source, "Only answers of this source")
      .one_of_ignoring_case({"MEASURED", "INTERPOLATED", "COMPATIBLE", "MISS"})
      .type_name("MEASURED|INTERPOLATED|COMPATIBLE|MISS");
  command.add_option("--reason", options->reason, "Only misses for this reason").type_name("REASON");
  command
      .add_flag("--summary", options->summary, "Count instead: by operator and source, and misses by reason")
      .excludes("--op")
      .excludes("--source")
      .excludes("--reason")
      .excludes("--last");
  add_json_option(command, options->json);
  add_csv_option(command, options->csv);
  command.footer(
      "Example:\n"
      "  profdb log --db prof.db --source MISS --reason regime_mismatch\n"
      "  profdb log --db prof.db --summary\n"
      "Lookups are logged where they ask for it: profdb lookup --log misses|all.");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace profdb::cli
