// Reading and writing rounds, runs, artifacts and verdicts.
#include "serving/archive/rounds.h"

#include <fmt/format.h>

#include "base/utc.h"
#include "serving/read/document.h"

namespace profdb::serving {

using store::Connection;
using store::Rows;

namespace {

std::string nullable_text(const Rows& rows, int column) {
  return rows[column].isNull() ? "" : rows.text(column);
}

}  // namespace

std::string utc_now() {
  return format_utc(utc_now_ns());
}

std::string protocol_name(const Protocol& protocol) {
  return protocol.name + " " + protocol.version;
}

std::vector<std::string> round_names(Connection& connection) {
  std::vector<std::string> names;
  Rows rows(connection.statement("SELECT name FROM serving_round ORDER BY round_id"));
  while (rows.next()) names.push_back(rows.text(0));
  return names;
}

StoredRound find_round(Connection& connection, const std::string& name) {
  auto& statement = connection.statement(
      "SELECT o.round_id, o.name, o.runspec, o.runspec_sha256, o.protocol_id, p.document, p.sha256, "
      "o.folder,\n"
      "o.frozen_utc, o.frozen_monotonic_ns, o.frozen_clock_id, o.freeze_sha256\n"
      "FROM serving_round AS o\nJOIN serving_protocol AS p USING (protocol_id)\nWHERE o.name = :name");
  statement.bind(":name", name);
  StoredRound round;
  {
    Rows rows(statement);
    if (rows.next()) {
      round.id = rows.integer(0);
      round.name = rows.text(1);
      round.runspec = rows.text(2);
      round.runspec_sha256 = rows.text(3);
      round.protocol_id = rows.integer(4);
      round.protocol_document = rows.text(5);
      round.protocol_sha256 = rows.text(6);
      round.folder = rows.text(7);
      round.frozen_utc = rows.text(8);
      round.frozen_monotonic_ns = rows.integer(9);
      round.frozen_clock_id = rows.text(10);
      round.freeze_sha256 = rows.text(11);
    }
  }
  if (round.name.empty()) {
    const auto names = round_names(connection);
    throw Error(ErrorKind::input,
                fmt::format("there is no round '{}' in {}; {}", name, connection.path().string(),
                            names.empty() ? "freeze its RunSpec first: profdb serving freeze RUNSPEC"
                                          : fmt::format("it has {}", fmt::join(names, ", "))));
  }
  round.spec = parse_with(parse_document(round.runspec, "the stored RunSpec"), parse_runspec);
  round.protocol = parse_with(parse_document(round.protocol_document, "the stored protocol"), parse_protocol);
  return round;
}

std::string freeze_digest(const std::string& runspec_sha256, const std::string& utc,
                          std::int64_t monotonic_ns, const std::string& clock_id) {
  return sha256_of(fmt::format("{}\n{}\n{}\n{}\n", runspec_sha256, utc, monotonic_ns, clock_id));
}

std::vector<StoredRun> runs_of(Connection& connection, const StoredRound& round) {
  auto& statement = connection.statement(
      "SELECT run_id, name, document, stopped_utc, sealed_utc, seal_sha256\nFROM serving_run\n"
      "WHERE round_id = :round\nORDER BY started_utc, name");
  statement.bind(":round", round.id);
  std::vector<StoredRun> runs;
  Rows rows(statement);
  while (rows.next()) {
    StoredRun& run = runs.emplace_back();
    run.id = rows.integer(0);
    run.name = rows.text(1);
    run.document = rows.text(2);
    run.stopped_utc = nullable_text(rows, 3);
    run.sealed_utc = nullable_text(rows, 4);
    run.seal_sha256 = nullable_text(rows, 5);
    run.service =
        parse_with(parse_document(run.document, "the stored service file of " + run.name), parse_service_run);
    if (!run.stopped_utc.empty()) run.service.stopped_utc_ns = parse_utc(run.stopped_utc);
  }
  return runs;
}

namespace {

Artifact read_artifact(const Rows& rows) {
  Artifact artifact;
  artifact.id = rows.integer(0);
  if (!rows[1].isNull()) artifact.run_id = rows.integer(1);
  artifact.kind = rows.text(2);
  artifact.name = rows.text(3);
  artifact.path = rows.text(4);
  artifact.sha256 = rows.text(5);
  artifact.accessibility = rows.text(6);
  if (!rows[7].isNull()) artifact.bytes = rows.integer(7);
  return artifact;
}

}  // namespace

std::vector<Artifact> artifacts_of(Connection& connection, std::int64_t round_id) {
  auto& statement = connection.statement(
      "SELECT artifact_id, run_id, kind, name, path, sha256, accessibility, bytes\n"
      "FROM serving_artifact\nWHERE round_id = :round\nORDER BY artifact_id");
  statement.bind(":round", round_id);
  std::vector<Artifact> artifacts;
  Rows rows(statement);
  while (rows.next()) artifacts.push_back(read_artifact(rows));
  return artifacts;
}

std::optional<Artifact> find_artifact(Connection& connection, std::int64_t round_id, const std::string& kind,
                                      const std::string& path) {
  auto& statement = connection.statement(
      "SELECT artifact_id, run_id, kind, name, path, sha256, accessibility, bytes\n"
      "FROM serving_artifact\nWHERE round_id = :round AND kind = :kind AND path = :path");
  statement.bind(":round", round_id);
  statement.bind(":kind", kind);
  statement.bind(":path", path);
  Rows rows(statement);
  if (!rows.next()) return std::nullopt;
  return read_artifact(rows);
}

std::int64_t put_artifact(Connection& connection, std::int64_t round_id, const Artifact& artifact) {
  auto& statement = connection.statement(
      "INSERT INTO serving_artifact (round_id, run_id, kind, name, path, sha256, bytes, accessibility, "
      "checked_utc)\n"
      "VALUES (:round, :run, :kind, :name, :path, :sha256, :bytes, :accessibility, :checked)\n"
      "ON CONFLICT (round_id, kind, path) DO UPDATE\n"
      "SET sha256 = excluded.sha256, bytes = excluded.bytes, accessibility = excluded.accessibility, "
      "checked_utc = "
      "excluded.checked_utc\n"
      "RETURNING artifact_id");
  statement.bind(":round", round_id);
  if (artifact.run_id) statement.bind(":run", *artifact.run_id);
  statement.bind(":kind", artifact.kind);
  statement.bind(":name", artifact.name);
  statement.bind(":path", artifact.path);
  statement.bind(":sha256", artifact.sha256);
  if (artifact.bytes) statement.bind(":bytes", *artifact.bytes);
  statement.bind(":accessibility", artifact.accessibility);
  statement.bind(":checked", utc_now());
  Rows rows(statement);
  rows.next();
  return rows.integer(0);
}

void set_accessibility(Connection& connection, std::int64_t artifact_id, const std::string& accessibility) {
  auto& statement = connection.statement(
      "UPDATE serving_artifact\nSET accessibility = :accessibility, checked_utc = :checked\nWHERE "
      "artifact_id = :id");
  statement.bind(":accessibility", accessibility);
  statement.bind(":checked", utc_now());
  statement.bind(":id", artifact_id);
  statement.exec();
}

std::filesystem::path on_disk(const StoredRound& round, const std::string& path) {
  return round.folder / path;  // an absolute path stays itself
}

std::string stored_path(const StoredRound& round, const std::filesystem::path& path) {
  const auto whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  const auto relative = whole.lexically_relative(std::filesystem::weakly_canonical(round.folder));
  const bool inside = !relative.empty() && *relative.begin() != "..";
  return inside ? relative.string() : whole.string();
}

std::optional<StoredVerdict> last_verdict(Connection& connection, std::int64_t round_id,
                                          const std::string& part) {
  auto& statement = connection.statement(
      "SELECT verdict_id, part, verdict, rule, reason, protocol, judged_utc, caused_by, details\nFROM "
      "serving_verdict\n"
      "WHERE round_id = :round AND part = :part\nORDER BY verdict_id DESC\nLIMIT 1");
  statement.bind(":round", round_id);
  statement.bind(":part", part);
  Rows rows(statement);
  if (!rows.next()) return std::nullopt;
  StoredVerdict verdict;
  verdict.id = rows.integer(0);
  verdict.part = rows.text(1);
  verdict.verdict = verdict_from(rows.text(2));
  if (!rows[3].isNull()) verdict.rule = static_cast<int>(rows.integer(3));
  verdict.reason = rows.text(4);
  verdict.protocol = rows.text(5);
  verdict.judged_utc = rows.text(6);
  verdict.caused_by = rows.text(7);
  verdict.details = rows.text(8);
  return verdict;
}

StoredVerdict add_verdict(Connection& connection, const StoredRound& round, StoredVerdict verdict) {
  verdict.judged_utc = utc_now();
  verdict.protocol = protocol_name(round.protocol);
  auto& statement = connection.statement(
      "INSERT INTO serving_verdict (round_id, part, verdict, rule, reason, protocol_id, protocol, "
      "judged_utc,\n"
      "                             caused_by, details)\n"
      "VALUES (:round, :part, :verdict, :rule, :reason, :protocol_id, :protocol, :judged, :caused_by, "
      ":details)");
  statement.bind(":round", round.id);
  statement.bind(":part", verdict.part);
  statement.bind(":verdict", to_string(verdict.verdict));
  if (verdict.rule) statement.bind(":rule", *verdict.rule);
  statement.bind(":reason", verdict.reason);
  statement.bind(":protocol_id", round.protocol_id);
  statement.bind(":protocol", verdict.protocol);
  statement.bind(":judged", verdict.judged_utc);
  statement.bind(":caused_by", verdict.caused_by);
  statement.bind(":details", verdict.details.empty() ? "{}" : verdict.details);
  statement.exec();
  verdict.id = connection.db().getLastInsertRowid();
  return verdict;
}

}  // namespace profdb::serving
