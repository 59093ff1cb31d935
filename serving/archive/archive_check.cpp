// Artifacts, documents and record files against the rows.
#include "serving/archive/archive_check.h"

#include <fmt/format.h>

#include <map>

#include "base/input/input_file.h"
#include "base/input/sha256.h"
#include "base/utc.h"
#include "serving/archive/request_rows.h"
#include "serving/read/ledger_file.h"
#include "serving/read/record_lines.h"

namespace profdb::serving {

using store::Connection;
using store::Rows;
namespace fs = std::filesystem;

namespace {

std::string prefix_digest(const fs::path& path, std::int64_t bytes) {
  constexpr std::int64_t kPiece = std::int64_t{1} << 20;
  InputFile file(path);
  Sha256 digest;
  while (bytes > 0) {
    const auto piece = file.read(static_cast<std::size_t>(std::min(bytes, kPiece)));
    if (piece.empty()) break;
    digest.update(piece);
    bytes -= static_cast<std::int64_t>(piece.size());
  }
  return digest.finish();
}

// "name is A instead of B", for the members that differ.
class Differences {
 public:
  void add(const std::string& name, const std::string& stored, const std::string& archived) {
    constexpr int kShown = 4;
    if (++count_ <= kShown)
      text_ += fmt::format("{}{} is {} in the database and {} in the record file", text_.empty() ? "" : "; ",
                           name, stored, archived);
    else if (count_ == kShown + 1)
      text_ += "; and more";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int count_ = 0;
};

}  // namespace

std::string look_at(const StoredRound& round, const Artifact& artifact) {
  const fs::path path = on_disk(round, artifact.path);
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return "missing";
  try {
    const std::string digest = artifact.bytes ? prefix_digest(path, *artifact.bytes) : sha256_of_file(path);
    return digest == artifact.sha256 ? "accessible" : "changed";
  } catch (const Error&) {
    return "missing";
  }
}

std::vector<Finding> check_round_archive(const StoredRound& round, const std::vector<Artifact>& artifacts) {
  std::vector<Finding> findings;
  if (sha256_of(round.runspec) != round.runspec_sha256)
    findings.push_back({"freeze", "the stored RunSpec does not have the digest that was frozen"});
  if (sha256_of(round.protocol_document) != round.protocol_sha256 ||
      round.protocol_sha256 != round.spec.protocol.sha256)
    findings.push_back({"freeze", "the stored protocol does not have the digest that the RunSpec names"});
  if (freeze_digest(round.runspec_sha256, round.frozen_utc, round.frozen_monotonic_ns,
                    round.frozen_clock_id) != round.freeze_sha256)
    findings.push_back({"freeze", "the time anchor is not the one that was frozen"});
  for (const Artifact& artifact : artifacts) {
    // Raw bytes are read with their records, which name the same digests.
    if (artifact.kind == "raw" || artifact.kind == "arrivals" || artifact.accessibility == "accessible")
      continue;
    findings.push_back(
        {"artifact", fmt::format("{} {} {}", artifact.kind, artifact.path,
                                 artifact.accessibility == "missing"
                                     ? "cannot be read: it is missing"
                                     : "has changed: it no longer has the digest " + artifact.sha256)});
  }
  return findings;
}

namespace {

// Whether every stored document of a table is one of the archived files, by digest.
void check_texts(Connection& connection, const std::string& sql, std::int64_t round_id, const char* kind,
                 const std::vector<Artifact>& artifacts, std::vector<Finding>& findings) {
  auto& select = connection.statement(sql);
  select.bind(":round", round_id);
  for (Rows rows(select); rows.next();) {
    const std::string digest = sha256_of(rows.text(0));
    const bool known = std::any_of(artifacts.begin(), artifacts.end(), [&](const Artifact& artifact) {
      return artifact.kind == kind && artifact.sha256 == digest;
    });
    if (!known)
      findings.push_back({"document", fmt::format("a stored document of kind {} is no archived file", kind)});
  }
}

void check_answers(Connection& connection, const StoredRound& round, const Artifact& artifact,
                   std::vector<Finding>& findings) {
  std::map<std::int64_t, AccuracyAnswer> archived;
  read_lines(on_disk(round, artifact.path), [&](std::string_view line, std::int64_t number) {
    archived[number] = parse_accuracy_answer(nlohmann::ordered_json::parse(line));
  });
  auto& select = connection.statement(
      "SELECT line, question, attempt, answered, response_sha256, correct, truncated, extraction_failed\n"
      "FROM serving_answer\nWHERE round_id = :round");
  select.bind(":round", round.id);
  std::size_t count = 0;
  for (Rows rows(select); rows.next(); ++count) {
    const auto file = archived.find(rows.integer(0));
    const bool equal =
        file != archived.end() && file->second.question == rows.integer(1) &&
        file->second.attempt == rows.integer(2) && file->second.answered == (rows.integer(3) != 0) &&
        file->second.response_sha256 == rows.text(4) && file->second.correct == (rows.integer(5) != 0) &&
        file->second.truncated == (rows.integer(6) != 0) &&
        file->second.extraction_failed == (rows.integer(7) != 0);
    if (!equal)
      findings.push_back({"row", fmt::format("{} line {}: the stored scorer result is not the file's",
                                             artifact.path, rows.integer(0))});
  }
  if (count != archived.size())
    findings.push_back(
        {"row", fmt::format("{} has {} results, {} are stored", artifact.path, archived.size(), count)});
}

void check_events(Connection& connection, const StoredRound& round, const Artifact& artifact,
                  std::vector<Finding>& findings) {
  std::error_code ignored;
  const fs::path path = on_disk(round, artifact.path);
  // A ledger that has grown has further lines of these events, too.
  if (artifact.bytes && fs::file_size(path, ignored) != static_cast<std::uintmax_t>(*artifact.bytes)) return;
  std::map<std::string, std::string> archived;
  for (const LedgerEvent& event : load_ledger(path)) archived[event.event] = to_json(event).dump();
  for (const LedgerEvent& event : load_events(connection, round.id)) {
    const auto file = archived.find(event.event);
    if (file != archived.end() && file->second != to_json(event).dump())
      findings.push_back(
          {"row", fmt::format("{}: the stored event {} is not the file's", artifact.path, event.event)});
  }
}

}  // namespace

std::vector<Finding> check_documents(Connection& connection, const StoredRound& round,
                                     const std::vector<Artifact>& artifacts) {
  std::vector<Finding> findings;
  check_texts(connection, "SELECT document FROM serving_accuracy WHERE round_id = :round", round.id,
              "accuracy", artifacts, findings);
  check_texts(connection, "SELECT document FROM serving_function WHERE round_id = :round", round.id,
              "functions", artifacts, findings);
  for (const Artifact& artifact : artifacts) {
    if (artifact.accessibility != "accessible") continue;  // reported as such
    if (artifact.kind == "answers") check_answers(connection, round, artifact, findings);
    if (artifact.kind == "ledger") check_events(connection, round, artifact, findings);
  }
  return findings;
}

std::vector<Finding> check_prompts(Connection& connection, const StoredRound& round, const PoolFile& pool) {
  std::vector<Finding> findings;
  auto& select = connection.statement(
      "SELECT phase, position, sha256, tokens FROM serving_prompt\nWHERE round_id = :round\nORDER BY phase, "
      "position");
  select.bind(":round", round.id);
  std::size_t count = 0;
  Rows rows(select);
  while (rows.next()) {
    ++count;
    const auto& prompts = rows.text(0) == "warmup" ? pool.pool.warmup : pool.pool.measured;
    const auto position = static_cast<std::size_t>(rows.integer(1));
    if (position >= prompts.size() || prompts[position].sha256 != rows.text(2) ||
        prompts[position].tokens != rows.integer(3))
      findings.push_back({"prompt_pool", fmt::format("{} prompt {} is not that of the pool's file",
                                                     rows.text(0), position)});
  }
  if (count != pool.pool.warmup.size() + pool.pool.measured.size())
    findings.push_back({"prompt_pool", fmt::format("{} prompts are stored, the pool's file has {}", count,
                                                   pool.pool.warmup.size() + pool.pool.measured.size())});
  return findings;
}

std::string record_differences(const RequestRecord& stored, const RequestRecord& archived) {
  Differences differences;
  const std::size_t both = std::min(stored.frames.size(), archived.frames.size());
  for (std::size_t i = 0; i < both; ++i) {
    const auto& a = stored.frames[i];
    const auto& b = archived.frames[i];
    const auto number = [&](const char* name, std::int64_t x, std::int64_t y) {
      if (x != y)
        differences.add(fmt::format("frames[{}].{}", i, name), std::to_string(x), std::to_string(y));
    };
    number("t_ns", a.t_ns, b.t_ns);
    number("end_byte", a.end_byte, b.end_byte);
    if (a.token_ids != b.token_ids)
      differences.add(fmt::format("frames[{}].token_ids", i),
                      fmt::format("[{}]", fmt::join(a.token_ids, ",")),
                      fmt::format("[{}]", fmt::join(b.token_ids, ",")));
  }
  if (stored.frames.size() != archived.frames.size())
    differences.add("the number of frames", std::to_string(stored.frames.size()),
                    std::to_string(archived.frames.size()));
  RequestRecord a = stored;
  RequestRecord b = archived;
  a.frames.clear();
  b.frames.clear();
  const auto x = to_json(a);
  const auto y = to_json(b);
  for (const auto& [key, value] : x.items()) {
    const auto other = y.find(key);
    if (other == y.end() || *other != value)
      differences.add(key, value.dump(), other == y.end() ? std::string("absent") : other->dump());
  }
  for (const auto& [key, value] : y.items())
    if (!x.contains(key)) differences.add(key, "absent", value.dump());
  return differences.text();
}

std::vector<Finding> compare_record_file(Connection& connection, const StoredRound& round,
                                         const StoredRun& run, const Artifact& artifact) {
  std::vector<Finding> findings;
  std::map<std::int64_t, RequestRecord> stored;
  for_each_request(connection, run.id, [&](RequestRow& row) {
    if (row.artifact_id == artifact.id) stored[row.line] = std::move(row.record);
  });
  RequestRecordParser parser;
  const auto note = [&](std::int64_t line, const std::string& what) {
    findings.push_back({"record", fmt::format("{} line {}: {}", artifact.path, line, what)});
  };
  try {
    read_lines(on_disk(round, artifact.path), [&](std::string_view text, std::int64_t line) {
      const auto mine = stored.find(line);
      if (mine == stored.end()) return note(line, "is not in the database");
      try {
        const RequestRecord archived = parser.parse(text);
        if (!(archived == mine->second)) note(line, record_differences(mine->second, archived));
      } catch (const Error& error) {
        note(line, error.what());
      }
      stored.erase(mine);
    });
  } catch (const Error& error) {
    findings.push_back({"record", error.what()});
    return findings;
  }
  for (const auto& [line, record] : stored) note(line, "is no longer in the file");
  return findings;
}

std::vector<Finding> check_run_columns(Connection& connection, const StoredRun& run) {
  auto& select = connection.statement(
      "SELECT name, service, host, pid, start_ticks, commit_id, deployed_files, weights, operator_library,\n"
      "       configuration, started_utc\nFROM serving_run\nWHERE run_id = :run");
  select.bind(":run", run.id);
  Rows rows(select);
  rows.next();
  const ServiceRun& service = run.service;
  const bool equal =
      rows.text(0) == service.run && rows.text(1) == service.service && rows.text(2) == service.host &&
      rows.integer(3) == service.pid && rows.integer(4) == service.start_ticks &&
      rows.text(5) == service.identity.commit && rows.text(6) == service.identity.deployed_files &&
      rows.text(7) == service.identity.weights && rows.text(8) == service.identity.operator_library &&
      rows.text(9) == service.identity.configuration && rows.text(10) == format_utc(service.started_utc_ns);
  if (equal) return {};
  return {{"document", fmt::format("the columns of run {} are not those of its service file", run.name)}};
}

}  // namespace profdb::serving
