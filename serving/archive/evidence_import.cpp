// Importing each kind of file.
#include "serving/archive/evidence_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/utc.h"
#include "serving/archive/request_rows.h"
#include "serving/archive/rounds.h"
#include "serving/read/ledger_file.h"
#include "serving/read/record_lines.h"
#include "serving/rules/accuracy.h"
#include "serving/rules/ledger.h"

namespace profdb::serving {

using store::Connection;
using store::Rows;
namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", where, what));
}

class EvidenceImport {
 public:
  EvidenceImport(Connection& connection, const std::string& round)
      : connection_(connection), round_(find_round(connection, round)) {}

  void add_service(const fs::path& path);
  void add_stop(const fs::path& path);
  void add_records(const fs::path& path);
  void add_accuracy(const fs::path& path);
  void add_answers(const fs::path& path);
  void add_functions(const fs::path& path);
  void add_ledger(const fs::path& path);
  void add_artifact(const fs::path& path);

  std::vector<ImportedFile> take() { return std::move(imported_); }

 private:
  void require_round(const std::string& name, const std::string& where) const {
    if (name != round_.name)
      fail(where, fmt::format("it belongs to round '{}', not to '{}'; import it there", name, round_.name));
  }
  StoredRun find_run(const std::string& name, const std::string& where) {
    const auto runs = runs_of(connection_, round_);
    for (const StoredRun& run : runs)
      if (run.name == name) return run;
    fail(where, fmt::format("run '{}' has no service file yet; import that first (--service)", name));
  }
  static void require_open(const StoredRun& run, const std::string& where) {
    if (!run.sealed_utc.empty())
      fail(where, fmt::format("run {} was sealed at {}; nothing is added to it", run.name, run.sealed_utc));
  }
  // The artifact as it stands, and whether it was imported before with the same bytes.
  Artifact own_artifact(const fs::path& path, const char* kind, const std::string& sha256) const {
    Artifact artifact;
    artifact.kind = kind;
    artifact.name = path.filename().string();
    artifact.path = stored_path(round_, path);
    artifact.sha256 = sha256;
    artifact.accessibility = "accessible";
    return artifact;
  }
  std::optional<Artifact> before(const Artifact& artifact) {
    return find_artifact(connection_, round_.id, artifact.kind, artifact.path);
  }
  void report(const Artifact& artifact, std::int64_t added, std::int64_t total, bool unchanged) {
    imported_.push_back({artifact.kind, artifact.path, artifact.sha256, added, total, unchanged});
  }
  void add_lines(const fs::path& path, Artifact artifact);
  void add_request_files(const RequestRecord& record, const fs::path& folder, std::int64_t run_id);
  void insert_run(const ServiceRun& run, const Document& document);
  void put_event(const LedgerEvent& event);

  Connection& connection_;
  StoredRound round_;
  std::vector<ImportedFile> imported_;
};

void EvidenceImport::insert_run(const ServiceRun& run, const Document& document) {
  auto& insert = connection_.statement(
      "INSERT INTO serving_run (round_id, name, service, host, pid, start_ticks, commit_id, deployed_files, "
      "weights,\n"
      "                         operator_library, configuration, started_utc, stopped_utc, document)\n"
      "VALUES (:round, :name, :service, :host, :pid, :ticks, :commit, :files, :weights, :library, "
      ":configuration,\n"
      "        :started, :stopped, :document)\n"
      "ON CONFLICT (round_id, name) DO UPDATE\n"
      "SET service = excluded.service, host = excluded.host, pid = excluded.pid, start_ticks = "
      "excluded.start_ticks,\n"
      "    commit_id = excluded.commit_id, deployed_files = excluded.deployed_files, weights = "
      "excluded.weights,\n"
      "    operator_library = excluded.operator_library, configuration = excluded.configuration,\n"
      "    started_utc = excluded.started_utc, stopped_utc = excluded.stopped_utc, document = "
      "excluded.document");
  insert.bind(":round", round_.id);
  insert.bind(":name", run.run);
  insert.bind(":service", run.service);
  insert.bind(":host", run.host);
  insert.bind(":pid", run.pid);
  insert.bind(":ticks", run.start_ticks);
  insert.bind(":commit", run.identity.commit);
  insert.bind(":files", run.identity.deployed_files);
  insert.bind(":weights", run.identity.weights);
  insert.bind(":library", run.identity.operator_library);
  insert.bind(":configuration", run.identity.configuration);
  insert.bind(":started", format_utc(run.started_utc_ns));
  if (run.stopped_utc_ns) insert.bind(":stopped", format_utc(*run.stopped_utc_ns));
  insert.bind(":document", document.text);
  insert.exec();
}

void EvidenceImport::add_service(const fs::path& path) {
  const Document document = load_document(path);
  const auto run = parse_with(document, parse_service_run);
  require_round(run.round, document.name);
  Artifact artifact = own_artifact(path, "service", document.sha256);
  if (const auto old = before(artifact); old && old->sha256 == artifact.sha256)
    return report(artifact, 0, 1, true);
  for (const StoredRun& known : runs_of(connection_, round_))
    if (known.name == run.run) require_open(known, document.name);
  insert_run(run, document);
  artifact.run_id = find_run(run.run, document.name).id;
  put_artifact(connection_, round_.id, artifact);
  report(artifact, 1, 1, false);
}

void EvidenceImport::add_stop(const fs::path& path) {
  const Document document = load_document(path);
  const auto stop = parse_with(document, parse_service_stop);
  require_round(stop.round, document.name);
  Artifact artifact = own_artifact(path, "stop", document.sha256);
  if (const auto old = before(artifact); old && old->sha256 == artifact.sha256)
    return report(artifact, 0, 1, true);
  const StoredRun run = find_run(stop.run, document.name);
  if (run.service.service != stop.service)
    fail(document.name,
         fmt::format("run {} is on service {}, not on {}", run.name, run.service.service, stop.service));
  const std::string stopped = format_utc(stop.stopped_utc_ns);
  if (!run.stopped_utc.empty() && run.stopped_utc != stopped)
    fail(document.name,
         fmt::format("run {} is already recorded as stopped at {}", run.name, run.stopped_utc));
  auto& update = connection_.statement("UPDATE serving_run SET stopped_utc = :stopped WHERE run_id = :run");
  update.bind(":stopped", stopped);
  update.bind(":run", run.id);
  update.exec();
  artifact.run_id = run.id;
  put_artifact(connection_, round_.id, artifact);
  report(artifact, 1, 1, false);
}

void EvidenceImport::add_request_files(const RequestRecord& record, const fs::path& folder,
                                       std::int64_t run_id) {
  const auto add = [&](const char* kind, const std::optional<FileRef>& file) {
    if (!file) return;
    Artifact artifact = own_artifact(folder / file->path, kind, file->sha256);
    artifact.run_id = run_id;
    artifact.accessibility = fs::exists(folder / file->path) ? "accessible" : "missing";
    put_artifact(connection_, round_.id, artifact);
  };
  add("raw", record.raw);
  add("arrivals", record.arrivals);
}

void EvidenceImport::add_records(const fs::path& path) {
  Artifact artifact = own_artifact(path, "records", "");
  std::map<std::int64_t, std::string> known;  // digests of the rows that were imported from this file before
  if (const auto old = before(artifact)) {
    auto& select =
        connection_.statement("SELECT line, row_sha256 FROM serving_request WHERE artifact_id = :artifact");
    select.bind(":artifact", old->id);
    for (Rows rows(select); rows.next();) known[rows.integer(0)] = rows.text(1);
    artifact.sha256 = old->sha256;
  }
  RequestRecordParser parser;
  std::optional<StoredRun> run;
  std::int64_t artifact_id = 0;
  std::int64_t added = 0;
  std::size_t seen = 0;
  const auto visit = [&](std::string_view line, std::int64_t number) {
    const std::string where = fmt::format("{}:{}", path.string(), number);
    RequestRecord record;
    try {
      record = parser.parse(line);
    } catch (const FieldError& error) {
      fail(where, error.what());
    }
    require_round(record.round, where);
    if (!run) {
      run = find_run(record.run, where);
      artifact.run_id = run->id;
      artifact_id = put_artifact(connection_, round_.id, artifact);
    }
    if (record.run != run->name)
      fail(where, fmt::format("a record of run {} among those of {}; keep a file for each run", record.run,
                              run->name));
    if (const auto old = known.find(number); old != known.end()) {
      ++seen;
      if (pack(std::move(record)).row_sha256 != old->second)
        fail(where, "this line was imported before and has changed since; records are only added");
      return;
    }
    require_open(*run, where);
    insert_request(connection_, run->id, artifact_id, number, record);
    add_request_files(record, path.parent_path(), run->id);
    ++added;
  };
  const LinesRead read = read_lines(path, visit);
  if (!run) fail(path.string(), "it holds no record");
  if (seen != known.size())
    fail(path.string(),
         fmt::format("{} of the {} lines that were imported before are gone; records are only added",
                     known.size() - seen, known.size()));
  const bool unchanged = artifact.sha256 == read.sha256;
  artifact.sha256 = read.sha256;
  if (!unchanged) require_open(*run, path.string());
  put_artifact(connection_, round_.id, artifact);
  report(artifact, added, static_cast<std::int64_t>(seen) + added, unchanged);
}

void EvidenceImport::add_accuracy(const fs::path& path) {
  const Document document = load_document(path);
  const auto run = parse_with(document, parse_accuracy_run);
  require_round(run.round, document.name);
  const Artifact artifact = own_artifact(path, "accuracy", document.sha256);
  if (const auto old = before(artifact); old && old->sha256 == artifact.sha256)
    return report(artifact, 0, 1, true);
  if (connection_.integer(
          fmt::format("SELECT count(*) FROM serving_accuracy WHERE round_id = {}", round_.id)) > 0)
    fail(document.name, "the round has an accuracy run; it is neither replaced nor repeated");
  auto& insert = connection_.statement(
      "INSERT INTO serving_accuracy (round_id, run_name, service, document)\n"
      "VALUES (:round, :run, :service, :document)");
  insert.bind(":round", round_.id);
  insert.bind(":run", run.run_id);
  insert.bind(":service", run.service);
  insert.bind(":document", document.text);
  insert.exec();
  put_artifact(connection_, round_.id, artifact);
  report(artifact, 1, 1, false);
}

void EvidenceImport::add_answers(const fs::path& path) {
  Artifact artifact = own_artifact(path, "answers", sha256_of_file(path));
  if (const auto old = before(artifact); old && old->sha256 == artifact.sha256)
    return report(artifact, 0, 0, true);
  if (connection_.integer(fmt::format("SELECT count(*) FROM serving_answer WHERE round_id = {}", round_.id)) >
      0)
    fail(path.string(), "the round has scorer results; they are neither replaced nor repeated");
  std::int64_t added = 0;
  read_lines(path, [&](std::string_view line, std::int64_t number) {
    const std::string where = fmt::format("{}:{}", path.string(), number);
    AccuracyAnswer answer;
    try {
      const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
      if (json.is_discarded()) fail(where, "is not valid JSON; correct or remove the line");
      answer = parse_accuracy_answer(json);
    } catch (const FieldError& error) {
      fail(where, error.what());
    }
    auto& insert = connection_.statement(
        "INSERT INTO serving_answer (round_id, line, question, attempt, answered, response_sha256, correct, "
        "truncated,\n"
        "                            extraction_failed)\n"
        "VALUES (:round, :line, :question, :attempt, :answered, :response, :correct, :truncated, "
        ":extraction)");
    insert.bind(":round", round_.id);
    insert.bind(":line", number);
    insert.bind(":question", answer.question);
    insert.bind(":attempt", answer.attempt);
    insert.bind(":answered", answer.answered ? 1 : 0);
    insert.bind(":response", answer.response_sha256);
    insert.bind(":correct", answer.correct ? 1 : 0);
    insert.bind(":truncated", answer.truncated ? 1 : 0);
    insert.bind(":extraction", answer.extraction_failed ? 1 : 0);
    insert.exec();
    ++added;
  });
  put_artifact(connection_, round_.id, artifact);
  report(artifact, added, added, false);
}

void EvidenceImport::add_functions(const fs::path& path) {
  const Document document = load_document(path);
  const auto functions = parse_with(document, parse_functions);
  require_round(functions.round, document.name);
  const Artifact artifact = own_artifact(path, "functions", document.sha256);
  const auto total = static_cast<std::int64_t>(functions.checks.size());
  if (const auto old = before(artifact)) {
    if (old->sha256 == artifact.sha256) return report(artifact, 0, total, true);
    fail(document.name,
         "this file was imported before and has changed since; write further checks into a new file");
  }
  auto& insert =
      connection_.statement("INSERT INTO serving_function (round_id, document)\nVALUES (:round, :document)");
  insert.bind(":round", round_.id);
  insert.bind(":document", document.text);
  insert.exec();
  put_artifact(connection_, round_.id, artifact);
  for (const BoundFile& file : functions.evidence) {
    Artifact bound = own_artifact(path.parent_path() / file.path, "evidence", file.sha256);
    bound.name = file.name;
    bound.accessibility = fs::exists(path.parent_path() / file.path) ? "accessible" : "missing";
    put_artifact(connection_, round_.id, bound);
  }
  report(artifact, total, total, false);
}

void EvidenceImport::put_event(const LedgerEvent& event) {
  auto& insert = connection_.statement(
      "INSERT INTO serving_event (round_id, event, category, actor, command, status, parent, utc_start, "
      "utc_end,\n"
      "                           monotonic_start_ns, monotonic_end_ns, document)\n"
      "VALUES (:round, :event, :category, :actor, :command, :status, :parent, :start, :end, :mono_start, "
      ":mono_end,\n"
      "        :document)\n"
      "ON CONFLICT (round_id, event) DO UPDATE\n"
      "SET category = excluded.category, actor = excluded.actor, command = excluded.command,\n"
      "    status = excluded.status, parent = excluded.parent, utc_start = excluded.utc_start,\n"
      "    utc_end = excluded.utc_end, monotonic_start_ns = excluded.monotonic_start_ns,\n"
      "    monotonic_end_ns = excluded.monotonic_end_ns, document = excluded.document");
  insert.bind(":round", round_.id);
  insert.bind(":event", event.event);
  insert.bind(":category", event.category);
  insert.bind(":actor", event.actor);
  insert.bind(":command", event.command);
  insert.bind(":status", event.status);
  insert.bind(":parent", event.parent);
  if (event.utc_start_ns) insert.bind(":start", format_utc(*event.utc_start_ns));
  if (event.utc_end_ns) insert.bind(":end", format_utc(*event.utc_end_ns));
  if (event.monotonic_start_ns) insert.bind(":mono_start", *event.monotonic_start_ns);
  if (event.monotonic_end_ns) insert.bind(":mono_end", *event.monotonic_end_ns);
  insert.bind(":document", to_json(event).dump());
  insert.exec();
}

void EvidenceImport::add_ledger(const fs::path& path) {
  const auto events = load_ledger(path);
  Artifact artifact = own_artifact(path, "ledger", sha256_of_file(path));
  artifact.bytes = static_cast<std::int64_t>(fs::file_size(path));
  const auto total = static_cast<std::int64_t>(events.size());
  if (const auto old = before(artifact); old && old->sha256 == artifact.sha256)
    return report(artifact, 0, total, true);
  for (const LedgerEvent& event : events) {
    require_round(event.round, fmt::format("{}: event {}", path.string(), event.event));
    put_event(event);
    if (event.evidence_path.empty() || event.evidence_sha256.empty()) continue;
    Artifact bound =
        own_artifact(path.parent_path() / event.evidence_path, "evidence", event.evidence_sha256);
    bound.name = event.event;
    bound.accessibility = fs::exists(path.parent_path() / event.evidence_path) ? "accessible" : "missing";
    put_artifact(connection_, round_.id, bound);
  }
  put_artifact(connection_, round_.id, artifact);
  report(artifact, total, total, false);
}

void EvidenceImport::add_artifact(const fs::path& path) {
  const Artifact artifact = own_artifact(path, "artifact", sha256_of_file(path));
  if (const auto old = before(artifact)) {
    if (old->sha256 == artifact.sha256) return report(artifact, 0, 1, true);
    fail(path.string(), "it is in the archive with other bytes; archive the new one under another name");
  }
  put_artifact(connection_, round_.id, artifact);
  report(artifact, 1, 1, false);
}

}  // namespace

std::vector<ImportedFile> import_evidence(const fs::path& database, const EvidenceFiles& files) {
  if (files.accuracy.size() > 1 || files.answers.size() > 1)
    throw Error(ErrorKind::usage, "a round has one accuracy run; name one file of each kind");
  Connection connection(database, store::Mode::write);
  SQLite::Transaction transaction(connection.db(), SQLite::TransactionBehavior::IMMEDIATE);
  EvidenceImport import(connection, files.round);
  for (const fs::path& path : files.services) import.add_service(path);
  for (const fs::path& path : files.records) import.add_records(path);
  for (const fs::path& path : files.stops) import.add_stop(path);
  for (const fs::path& path : files.accuracy) import.add_accuracy(path);
  for (const fs::path& path : files.answers) import.add_answers(path);
  for (const fs::path& path : files.functions) import.add_functions(path);
  for (const fs::path& path : files.ledgers) import.add_ledger(path);
  for (const fs::path& path : files.artifacts) import.add_artifact(path);
  transaction.commit();
  return import.take();
}

}  // namespace profdb::serving
