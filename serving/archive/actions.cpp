// Sealing, calibrating, judging, accepting and verifying.
#include "serving/archive/actions.h"

#include <fmt/format.h>

#include "base/utc.h"
#include "serving/archive/request_rows.h"

namespace profdb::serving {

using nlohmann::ordered_json;
using store::Connection;
namespace fs = std::filesystem;

namespace {

class WriteTransaction {
 public:
  explicit WriteTransaction(Connection& connection)
      : transaction_(connection.db(), SQLite::TransactionBehavior::IMMEDIATE) {}
  void commit() { transaction_.commit(); }

 private:
  SQLite::Transaction transaction_;
};

StoredRun find_run(Connection& connection, const StoredRound& round, const std::string& name) {
  std::string known;
  for (StoredRun& run : runs_of(connection, round)) {
    if (run.name == name) return std::move(run);
    known += (known.empty() ? "" : ", ") + run.name;
  }
  throw Error(ErrorKind::input,
              fmt::format("round {} has no run '{}'; {}", round.name, name,
                          known.empty() ? "import its service file and records first" : "it has " + known));
}

void put_thresholds(Connection& connection, std::int64_t calibration_id, const CalibrationResult& result) {
  for (const auto& [level, figures] : result.levels)
    for (std::size_t i = 0; i < figures.jitter_of_pair.size(); ++i) {
      auto& insert = connection.statement(
          "INSERT INTO serving_threshold (calibration_id, level, pair, jitter, threshold)\n"
          "VALUES (:calibration, :level, :pair, :jitter, :threshold)");
      insert.bind(":calibration", calibration_id);
      insert.bind(":level", level);
      insert.bind(":pair", static_cast<std::int64_t>(i + 1));
      insert.bind(":jitter", figures.jitter_of_pair[i]);
      insert.bind(":threshold", figures.threshold);
      insert.exec();
    }
}

StoredVerdict part(const std::string& name, const PartResult& result, const std::string& caused_by) {
  StoredVerdict verdict;
  verdict.part = name;
  verdict.verdict = result.verdict;
  verdict.reason = result.reason;
  verdict.caused_by = caused_by;
  return verdict;
}

StoredVerdict standing(Connection& connection, const StoredRound& round, const std::string& name) {
  if (auto verdict = last_verdict(connection, round.id, name)) return *verdict;
  StoredVerdict none;
  none.part = name;
  none.reason = "not judged yet";
  return none;
}

// A number that JSON can hold, or null.
ordered_json optional_number(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

}  // namespace

ordered_json to_json(const std::vector<Check>& checks) {
  auto list = ordered_json::array();
  for (const Check& check : checks) {
    ordered_json json = {{"check", check.name}, {"ok", check.ok}};
    if (!check.ok) json["detail"] = check.detail;
    list.push_back(std::move(json));
  }
  return list;
}

ordered_json to_json(const RunValidation& validation) {
  ordered_json json = {
      {"run", validation.run}, {"valid", validation.valid()}, {"checks", to_json(validation.checks)}};
  auto& levels = json["levels"] = ordered_json::array();
  for (const LevelValidation& level : validation.levels) {
    auto attempts = ordered_json::array();
    for (const AttemptValidation& attempt : level.attempts)
      attempts.push_back({{"attempt", attempt.attempt},
                          {"valid", attempt.valid()},
                          {"counts", &attempt == level.counted()},
                          {"mean_tpot_ms", optional_number(attempt.mean_tpot_ms)},
                          {"tpot_ms", attempt.tpot_ms},
                          {"checks", to_json(attempt.checks)}});
    levels.push_back({{"level", level.level}, {"attempts", std::move(attempts)}});
  }
  json["notes"] = validation.notes;
  return json;
}

ordered_json to_json(const PerformanceJudgement& judgement) {
  ordered_json json = {{"verdict", to_string(judgement.result.verdict)},
                       {"rule", judgement.result.rule},
                       {"reason", judgement.result.reason}};
  auto& levels = json["levels"] = ordered_json::array();
  for (const auto& [level, outcome] : judgement.result.levels) {
    ordered_json one = {{"level", level},
                        {"target", outcome.target},
                        {"P", optional_number(outcome.figures.parent)},
                        {"B1", optional_number(outcome.figures.b1)},
                        {"B2", optional_number(outcome.figures.b2)},
                        {"tpot_ms", optional_number(outcome.tpot)},
                        {"g1", optional_number(outcome.g1)},
                        {"g2", optional_number(outcome.g2)},
                        {"median_gain", optional_number(outcome.median_gain)},
                        {"threshold", optional_number(outcome.threshold)}};
    auto parents = ordered_json::object();
    if (const auto runs = judgement.parent_runs.find(level); runs != judgement.parent_runs.end())
      for (const auto& [run, value] : runs->second) parents[run] = value;
    one["parent_runs"] = std::move(parents);
    levels.push_back(std::move(one));
  }
  json["checks"] = to_json(judgement.checks);
  auto& runs = json["runs"] = ordered_json::array();
  for (const RunValidation& run : judgement.runs) runs.push_back(to_json(run));
  return json;
}

ordered_json to_json(const StoredVerdict& verdict) {
  ordered_json json = {{"part", verdict.part}, {"verdict", to_string(verdict.verdict)}};
  json["rule"] = verdict.rule ? ordered_json(*verdict.rule) : ordered_json();
  json["reason"] = verdict.reason;
  json["protocol"] = verdict.protocol;
  json["judged_utc"] = verdict.judged_utc;
  json["caused_by"] = verdict.caused_by;
  return json;
}

std::string seal(const fs::path& database, const std::string& round_name, const std::string& run_name) {
  Connection connection(database, store::Mode::write);
  WriteTransaction transaction(connection);
  const StoredRound round = find_round(connection, round_name);
  const StoredRun run = find_run(connection, round, run_name);
  if (!run.sealed_utc.empty()) return run.seal_sha256;
  SealDigest digest(run.document);
  std::int64_t requests = 0;
  for_each_request(connection, run.id, [&](RequestRow& row) {
    digest.add(row.row_sha256);
    ++requests;
  });
  if (requests == 0)
    throw Error(ErrorKind::input,
                fmt::format("run {} has no records; import them first (--records)", run_name));
  auto& update = connection.statement(
      "UPDATE serving_run SET sealed_utc = :sealed, seal_sha256 = :sha256 WHERE run_id = :run");
  update.bind(":sealed", utc_now());
  update.bind(":sha256", digest.finish());
  update.bind(":run", run.id);
  update.exec();
  transaction.commit();
  return digest.finish();
}

Calibration calibrate(const fs::path& database, const std::string& round_name) {
  Connection connection(database, store::Mode::write);
  WriteTransaction transaction(connection);
  const LoadedRound round = load_round(connection, round_name);
  Calibration calibration;
  calibration.runs = validate_round(round.evidence);
  calibration.result = calibrate_round(round.evidence, calibration.runs);
  auto& insert = connection.statement(
      "INSERT INTO serving_calibration (round_id, calibrated_utc, usable, reason)\nVALUES (:round, :now, "
      ":usable, :reason)");
  insert.bind(":round", round.stored.id);
  insert.bind(":now", utc_now());
  insert.bind(":usable", calibration.result.usable() ? 1 : 0);
  insert.bind(":reason", failures(calibration.result.checks));
  insert.exec();
  put_thresholds(connection, connection.db().getLastInsertRowid(), calibration.result);
  transaction.commit();
  return calibration;
}

Judged judge_performance(Connection& connection, const std::string& round_name,
                         const std::string& caused_by) {
  WriteTransaction transaction(connection);
  LoadedCandidate loaded = load_candidate(connection, round_name);
  const StoredRound& round = loaded.own.stored;
  if (round.spec.kind == RoundKind::calibration)
    throw Error(ErrorKind::input,
                fmt::format("round {} is a calibration; use 'profdb serving calibrate'", round.name));
  Judged judged;
  judged.judgement = round.spec.kind == RoundKind::candidate ? judge_candidate(loaded.evidence)
                                                             : judge_acceptance(loaded.own.evidence);
  StoredVerdict verdict;
  verdict.part = "performance";
  verdict.verdict = judged.judgement.result.verdict;
  verdict.rule = judged.judgement.result.rule;
  verdict.reason = judged.judgement.result.reason;
  verdict.caused_by = caused_by;
  verdict.details = to_json(judged.judgement).dump();
  judged.verdict = add_verdict(connection, round, std::move(verdict));
  transaction.commit();
  return judged;
}

JudgedAccuracy judge_accuracy(Connection& connection, const std::string& round_name, bool requested,
                              const std::string& caused_by) {
  WriteTransaction transaction(connection);
  const LoadedRound round = load_round(connection, round_name);
  AccuracyEvidence evidence = load_accuracy(connection, round);
  evidence.requested = requested;
  JudgedAccuracy judged;
  judged.result = judge_accuracy(round.evidence, evidence);
  StoredVerdict verdict;
  verdict.part = "accuracy";
  verdict.verdict = judged.result.verdict;
  verdict.reason = judged.result.reason;
  verdict.caused_by = caused_by;
  verdict.details = ordered_json({{"correct", judged.result.correct},
                                  {"truncated", judged.result.truncated},
                                  {"extraction_failed", judged.result.extraction_failed},
                                  {"failed", judged.result.failed},
                                  {"requested", requested},
                                  {"checks", to_json(judged.result.checks)}})
                        .dump();
  judged.verdict = add_verdict(connection, round.stored, std::move(verdict));
  transaction.commit();
  return judged;
}

Accepted accept(Connection& connection, const std::string& round_name, const std::string& caused_by) {
  WriteTransaction transaction(connection);
  const LoadedRound round = load_round(connection, round_name);
  if (round.stored.spec.kind == RoundKind::calibration)
    throw Error(ErrorKind::input,
                fmt::format("round {} is a calibration; nothing is accepted by it", round_name));
  const auto validations = validate_round(round.evidence);
  const auto function = judge_functions(round.stored.spec, load_functions(connection, round.stored.id));
  const auto configuration = judge_configuration(round.evidence, validations);
  Accepted accepted;
  accepted.parts.push_back(standing(connection, round.stored, "performance"));
  accepted.parts.push_back(standing(connection, round.stored, "accuracy"));
  accepted.parts.push_back(add_verdict(connection, round.stored, part("function", function, caused_by)));
  accepted.parts.push_back(
      add_verdict(connection, round.stored, part("configuration", configuration, caused_by)));
  std::vector<std::pair<std::string, PartResult>> results;
  // What stands was judged from the evidence of its time: what has changed since counts here.
  for (const Finding& finding : round.findings)
    results.push_back({"archive", {Verdict::inconclusive, finding.check + ": " + finding.problem}});
  for (const StoredVerdict& one : accepted.parts) results.push_back({one.part, {one.verdict, one.reason}});
  accepted.verdict = add_verdict(connection, round.stored, part("acceptance", conclude(results), caused_by));
  transaction.commit();
  return accepted;
}

Verification verify(Connection& connection, const std::string& round_name) {
  Verification verification;
  verification.round = round_name;
  std::int64_t round_id = 0;
  StoredRound stored;
  {
    WriteTransaction transaction(connection);
    LoadedCandidate loaded = load_candidate(connection, round_name);
    stored = loaded.own.stored;
    round_id = stored.id;
    verification.findings = loaded.own.findings;
    verification.findings.insert(verification.findings.end(), loaded.reference_findings.begin(),
                                 loaded.reference_findings.end());
    auto list = ordered_json::array();
    for (const Finding& finding : verification.findings)
      list.push_back({{"check", finding.check}, {"problem", finding.problem}});
    auto& insert = connection.statement(
        "INSERT INTO serving_verification (round_id, verified_utc, findings)\nVALUES (:round, :now, "
        ":findings)");
    insert.bind(":round", round_id);
    insert.bind(":now", utc_now());
    insert.bind(":findings", list.dump());
    insert.exec();
    transaction.commit();
  }
  if (verification.findings.empty() || stored.spec.kind == RoundKind::calibration) return verification;
  const auto decided = [&](const char* name) {
    const auto verdict = last_verdict(connection, round_id, name);
    return verdict && (verdict->verdict == Verdict::pass || verdict->verdict == Verdict::fail);
  };
  if (decided("performance"))
    verification.new_verdicts.push_back(judge_performance(connection, round_name, "verify").verdict);
  if (decided("accuracy"))
    verification.new_verdicts.push_back(judge_accuracy(connection, round_name, true, "verify").verdict);
  if (decided("acceptance"))
    verification.new_verdicts.push_back(accept(connection, round_name, "verify").verdict);
  return verification;
}

}  // namespace profdb::serving
