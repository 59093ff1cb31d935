// Loading a round.
#include "serving/archive/evidence_load.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <map>

#include "base/utc.h"
#include "serving/archive/archive_check.h"
#include "serving/archive/request_rows.h"
#include "serving/documents/python_random.h"
#include "serving/read/prompt_pool.h"
#include "serving/stream/record_evidence.h"

namespace profdb::serving {

using store::Connection;
using store::Rows;
namespace fs = std::filesystem;

namespace {

std::string joined(const std::vector<std::string>& texts) {
  constexpr std::size_t kShown = 3;
  std::string all;
  for (std::size_t i = 0; i < std::min(texts.size(), kShown); ++i) all += (i == 0 ? "" : "; ") + texts[i];
  if (texts.size() > kShown) all += fmt::format("; and {} more", texts.size() - kShown);
  return all;
}

class RoundLoader {
 public:
  RoundLoader(Connection& connection, const std::string& name) : connection_(connection) {
    loaded_.stored = find_round(connection, name);
  }

  LoadedRound load() {
    RoundEvidence& evidence = loaded_.evidence;
    evidence.spec = loaded_.stored.spec;
    evidence.protocol = loaded_.stored.protocol;
    evidence.protocol_sha256 = loaded_.stored.protocol_sha256;
    evidence.frozen_utc_ns = parse_utc(loaded_.stored.frozen_utc).value_or(INT64_MAX);
    evidence.frozen_monotonic_ns = loaded_.stored.frozen_monotonic_ns;
    evidence.frozen_clock_id = loaded_.stored.frozen_clock_id;
    look_at_artifacts();
    load_pool();
    std::vector<Artifact> own;
    for (const Artifact& artifact : artifacts_)
      if (!artifact.run_id) own.push_back(artifact);
    note(check_round_archive(loaded_.stored, own), evidence.archive_problems);
    note(check_documents(connection_, loaded_.stored, own), evidence.archive_problems);
    for (const StoredRun& run : runs_of(connection_, loaded_.stored)) load_run(run);
    return std::move(loaded_);
  }

 private:
  void note(const std::vector<Finding>& found, std::vector<std::string>& problems) {
    for (const Finding& finding : found) {
      problems.push_back(finding.check + ": " + finding.problem);
      loaded_.findings.push_back(finding);
    }
  }

  void look_at_artifacts() {
    artifacts_ = artifacts_of(connection_, loaded_.stored.id);
    const bool may_write = sqlite3_db_readonly(connection_.db().getHandle(), "main") == 0;
    for (Artifact& artifact : artifacts_) {
      const std::string now = look_at(loaded_.stored, artifact);
      if (now != artifact.accessibility && may_write) set_accessibility(connection_, artifact.id, now);
      artifact.accessibility = now;
    }
  }

  // The pool as it is stored, so that rules work without its file; the file, so that bodies can be
  // recomputed.
  void load_pool() {
    PromptPool& pool = loaded_.evidence.pool;
    const BoundFile* bound = loaded_.stored.spec.input("prompt_pool");
    pool.sha256 = bound != nullptr ? bound->sha256 : "";
    auto& select = connection_.statement(
        "SELECT phase, sha256, tokens FROM serving_prompt\nWHERE round_id = :round\nORDER BY phase, "
        "position");
    select.bind(":round", loaded_.stored.id);
    for (Rows rows(select); rows.next();)
      (rows.text(0) == "warmup" ? pool.warmup : pool.measured).push_back({rows.text(1), rows.integer(2)});
    if (bound == nullptr) return;
    try {
      const fs::path path = on_disk(loaded_.stored, bound->path);
      pool_file_ = parse_pool(read_whole(path), path.string());
    } catch (const Error&) {
      return;  // reported as an artifact that is missing or has changed
    }
    if (pool_file_->pool.sha256 != pool.sha256) {
      pool_file_.reset();
      return;
    }
    note(check_prompts(connection_, loaded_.stored, *pool_file_), loaded_.evidence.archive_problems);
  }

  // What the bytes of the request's body had to be, against their digest.
  std::string body_problem(const RequestRecord& record) const {
    if (record.phase == Phase::probe) return "";
    if (!pool_file_) return "the prompt pool's file is not at hand, so that the body cannot be recomputed";
    const auto& ids = record.phase == Phase::measured ? pool_file_->measured_ids : pool_file_->warmup_ids;
    if (record.slot < 0 || static_cast<std::size_t>(record.slot) >= ids.size())
      return "";  // `prompts` says so
    if (!record.body.is_object()) return "";
    std::string bytes = record.body.dump();
    bytes.pop_back();
    bytes += fmt::format("{}\"prompt\":{}}}", record.body.empty() ? "" : ",",
                         ids[static_cast<std::size_t>(record.slot)]);
    return sha256_of(bytes) == record.body_sha256 ? "" : "its bytes do not have the digest body_sha256";
  }

  std::string raw_problem(const RequestRecord& record, const fs::path& folder) const {
    if (record.status != Status::ok && !record.raw) return "";  // nothing arrived
    if (!record.raw) return "no raw bytes are archived";
    if (!record.arrivals) return "no arrival times are archived";
    return joined(check_evidence(record, folder));
  }

  void load_request(RequestRow& row, const std::map<std::int64_t, const Artifact*>& files, RunEvidence& run) {
    const auto file = files.find(row.artifact_id);
    const std::string name = file == files.end() ? "?" : file->second->path;
    const fs::path folder = on_disk(loaded_.stored, name).parent_path();
    if (!row.problem.empty())
      note({{"row", fmt::format("{} line {}: {}", name, row.line, row.problem)}}, run.archive_problems);
    const std::string raw = raw_problem(row.record, folder);
    const std::string body = body_problem(row.record);
    RequestFacts facts = facts_of(std::move(row.record), row.line);
    facts.raw_problem = raw;
    facts.body_problem = body;
    if (!raw.empty())
      loaded_.findings.push_back({"raw", fmt::format("run {}, {}: {}", run.name, facts.label(), raw)});
    if (!body.empty())
      loaded_.findings.push_back({"body", fmt::format("run {}, {}: {}", run.name, facts.label(), body)});
    run.requests.push_back(std::move(facts));
  }

  void load_run(const StoredRun& stored) {
    RunEvidence& run = loaded_.evidence.runs.emplace_back();
    run.round = loaded_.stored.name;
    run.name = stored.name;
    run.service = stored.service;
    run.sealed = !stored.sealed_utc.empty();
    note(check_run_columns(connection_, stored), run.archive_problems);
    std::map<std::int64_t, const Artifact*> files;
    std::vector<Artifact> own;
    for (const Artifact& artifact : artifacts_) {
      if (artifact.run_id != stored.id) continue;
      own.push_back(artifact);
      if (artifact.kind == "service" && artifact.sha256 != sha256_of(stored.document))
        note({{"document", "the stored service file of run " + stored.name + " does not have its digest"}},
             run.archive_problems);
      if (artifact.kind != "records") continue;
      files[artifact.id] = &artifact;
      run.record_files.push_back(artifact.sha256);
    }
    for (const Artifact& artifact : own) check_run_artifact(artifact, stored, run);
    check_stop(own, stored, run);
    SealDigest seal(stored.document);
    for_each_request(connection_, stored.id, [&](RequestRow& row) {
      seal.add(row.row_sha256);
      load_request(row, files, run);
    });
    if (run.sealed && seal.finish() != stored.seal_sha256)
      note({{"seal", "the rows of run " + stored.name + " are not those that were sealed"}},
           run.archive_problems);
  }

  // The stop that is stored, against the document that says it.
  void check_stop(const std::vector<Artifact>& own, const StoredRun& stored, RunEvidence& run) {
    auto documented =
        parse_with(parse_document(stored.document, "the stored service file"), parse_service_run)
            .stopped_utc_ns;
    for (const Artifact& artifact : own) {
      if (artifact.kind != "stop") continue;
      if (artifact.accessibility != "accessible") return;  // reported as such
      documented = parse_with(load_document(on_disk(loaded_.stored, artifact.path)), parse_service_stop)
                       .stopped_utc_ns;
    }
    if (documented != stored.service.stopped_utc_ns)
      note({{"document", fmt::format("the stop of run {} is not the one that is documented", stored.name)}},
           run.archive_problems);
  }

  void check_run_artifact(const Artifact& artifact, const StoredRun& stored, RunEvidence& run) {
    if (artifact.kind == "raw" || artifact.kind == "arrivals" || artifact.accessibility == "accessible")
      return;
    const bool missing = artifact.accessibility == "missing";
    note({{"artifact", fmt::format("{} {} {}", artifact.kind, artifact.path,
                                   missing ? "cannot be read: it is missing"
                                           : "has changed: it no longer has the digest " + artifact.sha256)}},
         run.archive_problems);
    if (artifact.kind == "records" && !missing)
      note(compare_record_file(connection_, loaded_.stored, stored, artifact), run.archive_problems);
  }

  Connection& connection_;
  LoadedRound loaded_;
  std::vector<Artifact> artifacts_;
  std::optional<PoolFile> pool_file_;
};

std::optional<std::int64_t> utc_ns(const std::string& text) {
  return text.empty() ? std::nullopt : parse_utc(text);
}

}  // namespace

SealDigest::SealDigest(const std::string& service_document) : text_(sha256_of(service_document) + "\n") {}

std::string SealDigest::finish() const {
  return sha256_of(text_);
}

LoadedRound load_round(Connection& connection, const std::string& name) {
  return RoundLoader(connection, name).load();
}

LoadedCandidate load_candidate(Connection& connection, const std::string& name) {
  LoadedCandidate loaded;
  loaded.own = load_round(connection, name);
  loaded.evidence.round = loaded.own.evidence;
  const RunSpec& spec = loaded.own.stored.spec;
  // Other rounds are read once each.
  std::map<std::string, std::shared_ptr<const RoundEvidence>> rounds;
  std::map<std::string, std::vector<RunValidation>> validations;
  const auto names = round_names(connection);
  const auto read = [&](const std::string& other) {
    if (rounds.count(other) > 0 || std::find(names.begin(), names.end(), other) == names.end()) return;
    LoadedRound round = load_round(connection, other);
    for (const Finding& finding : round.findings)
      loaded.reference_findings.push_back(
          {finding.check, fmt::format("round {}: {}", other, finding.problem)});
    validations[other] = validate_round(round.evidence);
    rounds[other] = std::make_shared<const RoundEvidence>(std::move(round.evidence));
  };
  for (const Reference& named : spec.references) {
    ReferenceEvidence& reference = loaded.evidence.references.emplace_back();
    reference.named = named;
    const std::size_t slash = named.run.find('/');
    const std::string other = named.run.substr(0, slash);
    read(other);
    const auto found = rounds.find(other);
    if (found == rounds.end()) continue;
    reference.round = found->second;
    reference.run = reference.round->run(named.run.substr(slash + 1));
    for (const RunValidation& validation : validations[other])
      if (reference.run != nullptr && validation.run == reference.run->name)
        reference.validation = validation;
  }
  if (!spec.calibration.empty()) {
    read(spec.calibration);
    if (const auto found = rounds.find(spec.calibration); found != rounds.end())
      loaded.evidence.calibration = calibrate_round(*found->second, validations[spec.calibration]);
  }
  return loaded;
}

AccuracyEvidence load_accuracy(Connection& connection, const LoadedRound& round) {
  AccuracyEvidence evidence;
  const std::int64_t id = round.stored.id;
  const auto& protocol = round.stored.protocol.accuracy;
  std::string selection;
  for (const std::uint32_t question : select_questions(static_cast<std::uint64_t>(protocol.seed),
                                                       static_cast<std::uint32_t>(protocol.questions),
                                                       static_cast<std::uint32_t>(protocol.sample)))
    selection += std::to_string(question) + "\n";
  evidence.selection_sha256 = sha256_of(selection);
  for (const Artifact& artifact : artifacts_of(connection, id))
    if ((artifact.kind == "accuracy" || artifact.kind == "answers") &&
        look_at(round.stored, artifact) != "accessible")
      evidence.archive_problems.push_back(
          fmt::format("{} {} is missing or has changed", artifact.kind, artifact.path));
  {
    auto& select = connection.statement("SELECT document FROM serving_accuracy WHERE round_id = :round");
    select.bind(":round", id);
    if (Rows rows(select); rows.next())
      evidence.run = parse_with(parse_document(rows.text(0), "the stored accuracy run"), parse_accuracy_run);
  }
  {
    auto& select = connection.statement(
        "SELECT question, attempt, answered, response_sha256, correct, truncated, extraction_failed\n"
        "FROM serving_answer\nWHERE round_id = :round\nORDER BY line");
    select.bind(":round", id);
    for (Rows rows(select); rows.next();)
      evidence.answers.push_back({rows.integer(0), rows.integer(1), rows.integer(2) != 0, rows.text(3),
                                  rows.integer(4) != 0, rows.integer(5) != 0, rows.integer(6) != 0});
  }
  if (evidence.run)
    for (const StoredRun& run : runs_of(connection, round.stored))
      if (run.name == evidence.run->run) evidence.sealed_utc_ns = utc_ns(run.sealed_utc);
  if (const auto verdict = last_verdict(connection, id, "performance"))
    evidence.performance = verdict->verdict;
  // The first verdict is the judgement that the accuracy run had to wait for; later ones only repeat it.
  auto& first = connection.statement(
      "SELECT min(judged_utc) FROM serving_verdict WHERE round_id = :round AND part = 'performance'");
  first.bind(":round", id);
  if (Rows rows(first); rows.next() && !rows[0].isNull()) evidence.judged_utc_ns = utc_ns(rows.text(0));
  return evidence;
}

std::vector<FunctionDocument> load_functions(Connection& connection, std::int64_t round_id) {
  std::vector<FunctionDocument> documents;
  auto& select = connection.statement(
      "SELECT document FROM serving_function WHERE round_id = :round ORDER BY function_id");
  select.bind(":round", round_id);
  for (Rows rows(select); rows.next();)
    documents.push_back(
        parse_with(parse_document(rows.text(0), "stored functional checks"), parse_functions));
  return documents;
}

std::vector<LedgerEvent> load_events(Connection& connection, std::int64_t round_id) {
  std::vector<LedgerEvent> events;
  auto& select =
      connection.statement("SELECT document FROM serving_event WHERE round_id = :round ORDER BY event");
  select.bind(":round", round_id);
  for (Rows rows(select); rows.next();)
    events.push_back(parse_ledger_event(nlohmann::ordered_json::parse(rows.text(0))));
  return events;
}

}  // namespace profdb::serving
