// The freeze rules that need files and the database.
#include "serving/archive/freeze.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utc.h"
#include "serving/archive/rounds.h"
#include "serving/read/document.h"
#include "serving/read/prompt_pool.h"

namespace profdb::serving {

using store::Connection;
using store::Rows;
namespace fs = std::filesystem;

namespace {

// What freezing works with.
struct Draft {
  Document document;
  fs::path folder;
  RunSpec spec;
  Document protocol_document;
  Protocol protocol;
  PoolFile pool;
};

// The path, kind and name of every file that the RunSpec binds.
std::vector<std::pair<std::string, BoundFile>> bound_files(const RunSpec& spec) {
  std::vector<std::pair<std::string, BoundFile>> files = {{"protocol", spec.protocol}};
  for (const BoundFile& file : spec.inputs) files.emplace_back("input", file);
  for (const BoundFile& file : spec.tools) files.emplace_back("tool", file);
  if (spec.validator) files.emplace_back("validator", *spec.validator);
  if (spec.knowledge) files.emplace_back("knowledge", *spec.knowledge);
  return files;
}

void check_digest(const Draft& draft, const std::string& what, const BoundFile& file, CheckList& checks) {
  if (!is_sha256(file.sha256)) return;  // named by check_runspec
  try {
    const std::string actual = sha256_of_file(draft.folder / file.path);
    if (actual != file.sha256)
      checks.fail(fmt::format("{} {} has the SHA-256 {}, the RunSpec names {}", what, file.path, actual,
                              file.sha256));
  } catch (const Error& error) {
    checks.fail(error.what());
  }
}

void check_pool(Draft& draft, CheckList& checks) {
  checks.open("prompt_pool");
  const BoundFile* file = draft.spec.input("prompt_pool");
  if (file == nullptr) return;
  try {
    const fs::path path = draft.folder / file->path;
    draft.pool = parse_pool(read_whole(path), path.string());
  } catch (const Error& error) {
    checks.fail(error.what());
    return;
  }
  const auto needed = static_cast<std::size_t>(draft.protocol.levels.back());
  for (const auto* prompts : {&draft.pool.pool.warmup, &draft.pool.pool.measured})
    if (prompts->size() < needed)
      checks.fail(fmt::format("a pool has {} prompts, the highest level needs {}", prompts->size(), needed));
}

void check_calibration(Connection& connection, const RunSpec& spec, CheckList& checks) {
  checks.open("calibration");
  if (spec.calibration.empty()) return;
  auto& statement = connection.statement(
      "SELECT c.usable, c.reason\nFROM serving_calibration AS c\nJOIN serving_round AS o USING (round_id)\n"
      "WHERE o.name = :name\nORDER BY c.calibration_id DESC\nLIMIT 1");
  statement.bind(":name", spec.calibration);
  Rows rows(statement);
  if (!rows.next())
    checks.fail(fmt::format("{} is not calibrated; run 'profdb serving calibrate' on it", spec.calibration));
  else if (rows.integer(0) == 0)
    checks.fail(fmt::format("{} is not usable: {}", spec.calibration, rows.text(1)));
}

std::vector<Check> check_all(Connection& connection, Draft& draft) {
  auto checks = check_runspec(draft.spec, draft.protocol);
  CheckList more;
  more.open("files");
  for (const auto& [kind, file] : bound_files(draft.spec)) check_digest(draft, kind, file, more);
  more.open("reference_files");
  for (const Reference& reference : draft.spec.references)
    check_digest(draft, "reference", {reference.run, reference.path, reference.sha256}, more);
  check_pool(draft, more);
  check_calibration(connection, draft.spec, more);
  for (Check& check : more.take()) checks.push_back(std::move(check));
  return checks;
}

std::int64_t put_protocol(Connection& connection, const Draft& draft) {
  auto& insert = connection.statement(
      "INSERT INTO serving_protocol (name, version, sha256, document)\nVALUES (:name, :version, :sha256, "
      ":document)\n"
      "ON CONFLICT (sha256) DO NOTHING");
  insert.bind(":name", draft.protocol.name);
  insert.bind(":version", draft.protocol.version);
  insert.bind(":sha256", draft.protocol_document.sha256);
  insert.bind(":document", draft.protocol_document.text);
  insert.exec();
  auto& find = connection.statement("SELECT protocol_id FROM serving_protocol WHERE sha256 = :sha256");
  find.bind(":sha256", draft.protocol_document.sha256);
  Rows rows(find);
  rows.next();
  return rows.integer(0);
}

StoredRound put_round(Connection& connection, const Draft& draft) {
  StoredRound round;
  round.protocol_id = put_protocol(connection, draft);
  round.frozen_clock_id = monotonic_clock_id();
  round.frozen_monotonic_ns = monotonic_now_ns();
  round.frozen_utc = utc_now();
  round.folder = draft.folder;
  round.freeze_sha256 = freeze_digest(draft.document.sha256, round.frozen_utc, round.frozen_monotonic_ns,
                                      round.frozen_clock_id);
  auto& insert = connection.statement(
      "INSERT INTO serving_round (name, kind, protocol_id, hypothesis, parent_commit, candidate_commit, "
      "runspec,\n"
      "                           runspec_sha256, folder, frozen_utc, frozen_monotonic_ns, frozen_clock_id,\n"
      "                           freeze_sha256, synthetic)\n"
      "VALUES (:name, :kind, :protocol, :hypothesis, :parent, :candidate, :runspec, :sha256, :folder, :utc,\n"
      "        :monotonic, :clock, :freeze, :synthetic)");
  const RunSpec& spec = draft.spec;
  insert.bind(":name", spec.round);
  insert.bind(":kind", to_string(spec.kind));
  insert.bind(":protocol", round.protocol_id);
  insert.bind(":hypothesis", spec.hypothesis);
  insert.bind(":parent", spec.parent ? spec.parent->commit : "");
  insert.bind(":candidate", spec.candidate.commit);
  insert.bind(":runspec", draft.document.text);
  insert.bind(":sha256", draft.document.sha256);
  insert.bind(":folder", draft.folder.string());
  insert.bind(":utc", round.frozen_utc);
  insert.bind(":monotonic", round.frozen_monotonic_ns);
  insert.bind(":clock", round.frozen_clock_id);
  insert.bind(":freeze", round.freeze_sha256);
  insert.bind(":synthetic", spec.synthetic);
  insert.exec();
  round.id = connection.db().getLastInsertRowid();
  return round;
}

void put_prompts(Connection& connection, std::int64_t round_id, const char* phase,
                 const std::vector<Prompt>& prompts) {
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    auto& insert = connection.statement(
        "INSERT INTO serving_prompt (round_id, phase, position, sha256, tokens)\n"
        "VALUES (:round, :phase, :position, :sha256, :tokens)");
    insert.bind(":round", round_id);
    insert.bind(":phase", phase);
    insert.bind(":position", static_cast<std::int64_t>(i));
    insert.bind(":sha256", prompts[i].sha256);
    insert.bind(":tokens", prompts[i].tokens);
    insert.exec();
  }
}

FreezeReport report_of(const StoredRound& round, bool already) {
  return {round.spec.round, round.runspec_sha256, protocol_name(round.protocol),
          round.frozen_utc, round.freeze_sha256,  already};
}

Draft read_draft(const fs::path& runspec) {
  Draft draft;
  draft.document = load_document(runspec);
  draft.folder = fs::weakly_canonical(fs::absolute(runspec)).parent_path();
  draft.spec = parse_with(draft.document, parse_runspec);
  draft.protocol_document = load_document(draft.folder / draft.spec.protocol.path);
  draft.protocol = parse_with(draft.protocol_document, parse_protocol);
  return draft;
}

}  // namespace

FreezeReport freeze(const fs::path& database, const fs::path& runspec) {
  Draft draft = read_draft(runspec);
  Connection connection(database, store::Mode::create);
  SQLite::Transaction transaction(connection.db(), SQLite::TransactionBehavior::IMMEDIATE);
  const auto names = round_names(connection);
  if (std::find(names.begin(), names.end(), draft.spec.round) != names.end()) {
    const StoredRound round = find_round(connection, draft.spec.round);
    if (round.runspec_sha256 == draft.document.sha256) return report_of(round, true);
    throw Error(
        ErrorKind::input,
        fmt::format(
            "{}: round '{}' was frozen at {} with another RunSpec (SHA-256 {}); a changed RunSpec is a "
            "new one: give it a new round id",
            draft.document.name, draft.spec.round, round.frozen_utc, round.runspec_sha256));
  }
  const auto checks = check_all(connection, draft);
  if (!all_ok(checks))
    throw Error(ErrorKind::input,
                fmt::format("{} cannot be frozen: {}", draft.document.name, failures(checks)));
  const StoredRound round = put_round(connection, draft);
  put_prompts(connection, round.id, "warmup", draft.pool.pool.warmup);
  put_prompts(connection, round.id, "measured", draft.pool.pool.measured);
  Artifact own;
  own.kind = own.name = "runspec";
  own.path = runspec.filename().string();
  own.sha256 = draft.document.sha256;
  own.accessibility = "accessible";
  put_artifact(connection, round.id, own);
  for (const auto& [kind, file] : bound_files(draft.spec)) {
    Artifact artifact;
    artifact.kind = kind;
    artifact.name = file.name;
    artifact.path = file.path;
    artifact.sha256 = file.sha256;
    artifact.accessibility = "accessible";
    put_artifact(connection, round.id, artifact);
  }
  const StoredRound stored = find_round(connection, draft.spec.round);
  transaction.commit();
  return report_of(stored, false);
}

}  // namespace profdb::serving
