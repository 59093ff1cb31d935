// The tables holdout_run and holdout_sample.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/holdout.h"

namespace profdb::analysis {
namespace {

using nlohmann::ordered_json;

constexpr const char* kInsertRun = R"(
INSERT INTO holdout_run (run_at, engine_version, release_id, release, content_digest, mapping_digest, synthetic, options,
                         sample_count, answered_count)
VALUES (:run_at, :engine_version, :release_id, :release, :content_digest, :mapping_digest, :synthetic, :options,
        :sample_count, :answered_count))";

constexpr const char* kInsertSample = R"(
INSERT INTO holdout_sample (holdout_run_id, sample, op, kernel, path, regime_id, regime, source_class, coordinate,
                            measurement_id, row_count, measured_us, spread, source, predicted_us, relative_error,
                            method, match_rule, dim, axes, reason, neighbours)
VALUES (:run, :sample, :op, :kernel, :path, :regime_id, :regime, :source_class, :coordinate, :measurement_id, :row_count,
        :measured_us, :spread, :source, :predicted_us, :relative_error, :method, :match_rule, :dim, :axes, :reason,
        :neighbours))";

constexpr const char* kRuns = R"(
SELECT holdout_run_id, run_at, engine_version, release_id, release, content_digest, mapping_digest, synthetic, options,
       sample_count, answered_count
FROM holdout_run
WHERE :run IS NULL OR holdout_run_id = :run
ORDER BY holdout_run_id DESC)";

constexpr const char* kSamples = R"(
SELECT op, kernel, path, regime_id, regime, source_class, coordinate, measurement_id, row_count, measured_us, spread,
       source, predicted_us, relative_error, method, match_rule, dim, axes, reason, neighbours
FROM holdout_sample
WHERE holdout_run_id = :run
ORDER BY sample)";

void bind_unless_empty(SQLite::Statement& statement, const char* name, const std::string& text) {
  if (text.empty())
    statement.bind(name);
  else
    statement.bind(name, text);
}

void bind_answer(SQLite::Statement& statement, const HoldoutSample& sample) {
  if (!sample.answered()) return;  // NULL
  statement.bind(":predicted_us", sample.predicted_us);
  statement.bind(":relative_error", sample.relative_error);
  if (sample.dim > 0) statement.bind(":dim", sample.dim);
}

void insert(store::Connection& connection, std::int64_t run_id, std::int64_t number,
            const HoldoutSample& sample) {
  SQLite::Statement& statement = connection.statement(kInsertSample);
  statement.bind(":run", run_id);
  statement.bind(":sample", number);
  statement.bind(":op", sample.op);
  statement.bind(":kernel", sample.kernel);
  statement.bind(":path", sample.path);
  statement.bind(":regime_id", sample.regime_id);
  statement.bind(":regime", sample.regime.dump());
  statement.bind(":source_class", sample.source_class);
  statement.bind(":coordinate", sample.coordinate);
  statement.bind(":measurement_id", sample.measurement_id);
  statement.bind(":row_count", sample.row_count);
  statement.bind(":measured_us", sample.measured_us);
  statement.bind(":spread", sample.spread);
  statement.bind(":source", profdb::to_string(sample.source));
  bind_answer(statement, sample);
  bind_unless_empty(statement, ":method", sample.method);
  bind_unless_empty(statement, ":match_rule", sample.match_rule);
  bind_unless_empty(statement, ":axes", sample.axes);
  bind_unless_empty(statement, ":reason", sample.reason);
  statement.bind(":neighbours", sample.neighbours.dump());
  statement.exec();
}

Source source_of(const std::string& text) {
  for (const Source source : {Source::measured, Source::interpolated, Source::compatible})
    if (text == profdb::to_string(source)) return source;
  return Source::miss;
}

HoldoutSample read_sample(const store::Rows& rows) {
  HoldoutSample sample;
  int i = 0;
  sample.op = rows.text(i++);
  sample.kernel = rows.text(i++);
  sample.path = rows.text(i++);
  sample.regime_id = rows.integer(i++);
  sample.regime = ordered_json::parse(rows.text(i++));
  sample.source_class = rows.text(i++);
  sample.coordinate = rows.text(i++);
  sample.measurement_id = rows.integer(i++);
  sample.row_count = rows.integer(i++);
  sample.measured_us = rows.real(i++);
  sample.spread = rows.real(i++);
  sample.source = source_of(rows.text(i++));
  sample.predicted_us = rows.real(i++);
  sample.relative_error = rows.real(i++);
  sample.method = rows.text(i++);
  sample.match_rule = rows.text(i++);
  sample.dim = static_cast<int>(rows.integer(i++));
  sample.axes = rows.text(i++);
  sample.reason = rows.text(i++);
  sample.neighbours = ordered_json::parse(rows.text(i));
  return sample;
}

std::string known_runs(store::Connection& connection) {
  const ordered_json runs = list_holdouts(connection);
  if (runs.empty()) return "the database holds none; make one with 'profdb holdout'";
  std::string text = "the database holds ";
  for (const auto& run : runs)
    text += fmt::format("{}{} ({}, {})", text.ends_with("holds ") ? "" : ", ",
                        run.at("holdout_run_id").get<std::int64_t>(), run.at("release").get<std::string>(),
                        run.at("run_at").get<std::string>());
  return text;
}

}  // namespace

void store_holdout(store::Connection& connection, HoldoutRun& run) {
  SQLite::Transaction transaction(connection.db(), SQLite::TransactionBehavior::IMMEDIATE);
  SQLite::Statement& statement = connection.statement(kInsertRun);
  statement.bind(":run_at", run.run_at);
  statement.bind(":engine_version", run.engine_version);
  statement.bind(":release_id", run.release_id);
  statement.bind(":release", run.release);
  statement.bind(":content_digest", run.content_digest);
  statement.bind(":mapping_digest", run.mapping_digest);
  statement.bind(":synthetic", run.synthetic);
  statement.bind(":options", run.options.dump());
  statement.bind(":sample_count", static_cast<std::int64_t>(run.samples.size()));
  statement.bind(":answered_count", static_cast<std::int64_t>(
                                        std::count_if(run.samples.begin(), run.samples.end(),
                                                      [](const auto& sample) { return sample.answered(); })));
  statement.exec();
  const std::int64_t run_id = connection.db().getLastInsertRowid();
  std::int64_t number = 0;
  for (const HoldoutSample& sample : run.samples) insert(connection, run_id, ++number, sample);
  transaction.commit();
  run.holdout_run_id = run_id;
}

HoldoutRun load_holdout(store::Connection& connection, std::int64_t holdout_run_id) {
  HoldoutRun run;
  {
    SQLite::Statement& statement = connection.statement(kRuns);
    statement.bind(":run", holdout_run_id);
    store::Rows rows(statement);
    if (rows.next()) {
      run.holdout_run_id = rows.integer(0);
      run.run_at = rows.text(1);
      run.engine_version = rows.text(2);
      run.release_id = rows.integer(3);
      run.release = rows.text(4);
      run.content_digest = rows.text(5);
      run.mapping_digest = rows.text(6);
      run.synthetic = rows.text(7);
      run.options = ordered_json::parse(rows.text(8));
    }
  }
  if (run.holdout_run_id == 0)
    throw Error(ErrorKind::usage,
                fmt::format("no hold-out run {}: {}", holdout_run_id, known_runs(connection)));
  SQLite::Statement& statement = connection.statement(kSamples);
  statement.bind(":run", holdout_run_id);
  store::Rows rows(statement);
  while (rows.next()) run.samples.push_back(read_sample(rows));
  return run;
}

ordered_json list_holdouts(store::Connection& connection) {
  SQLite::Statement& statement = connection.statement(kRuns);
  auto runs = ordered_json::array();
  store::Rows rows(statement);
  while (rows.next())
    runs.push_back({{"holdout_run_id", rows.integer(0)},
                    {"run_at", rows.text(1)},
                    {"engine_version", rows.text(2)},
                    {"release_id", rows.integer(3)},
                    {"release", rows.text(4)},
                    {"content_digest", rows.text(5)},
                    {"mapping_digest", rows.text(6)},
                    {"synthetic", rows.text(7)},
                    {"options", ordered_json::parse(rows.text(8))},
                    {"sample_count", rows.integer(9)},
                    {"answered_count", rows.integer(10)}});
  return runs;
}

}  // namespace profdb::analysis
