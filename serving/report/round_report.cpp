// Putting the report together.
#include "serving/report/round_report.h"

#include <fmt/format.h>

#include "base/utc.h"
#include "serving/report/report_sections.h"

namespace profdb::serving {

using report::Json;
using store::Connection;
using store::Rows;

namespace {

std::vector<StoredVerdict> history_of(Connection& connection, std::int64_t round_id) {
  auto& select = connection.statement(
      "SELECT part, verdict, rule, reason, protocol, judged_utc, caused_by\nFROM serving_verdict\n"
      "WHERE round_id = :round\nORDER BY verdict_id");
  select.bind(":round", round_id);
  std::vector<StoredVerdict> history;
  for (Rows rows(select); rows.next();) {
    StoredVerdict& verdict = history.emplace_back();
    verdict.part = rows.text(0);
    verdict.verdict = verdict_from(rows.text(1));
    if (!rows[2].isNull()) verdict.rule = static_cast<int>(rows.integer(2));
    verdict.reason = rows.text(3);
    verdict.protocol = rows.text(4);
    verdict.judged_utc = rows.text(5);
    verdict.caused_by = rows.text(6);
  }
  return history;
}

ReportSource collect(Connection& connection, const std::string& round) {
  ReportSource source;
  source.loaded = load_candidate(connection, round);
  const StoredRound& stored = source.loaded.own.stored;
  if (stored.spec.kind == RoundKind::candidate)
    source.judgement = judge_candidate(source.loaded.evidence);
  else if (stored.spec.kind == RoundKind::acceptance)
    source.judgement = judge_acceptance(source.loaded.own.evidence);
  source.runs = validate_round(source.loaded.own.evidence);
  if (stored.spec.kind == RoundKind::calibration)
    source.calibration = calibrate_round(source.loaded.own.evidence, source.runs);
  for (const char* part : {"performance", "accuracy", "function", "configuration", "acceptance"})
    if (auto verdict = last_verdict(connection, stored.id, part)) source.standing.push_back(*verdict);
  source.history = history_of(connection, stored.id);
  source.artifacts = artifacts_of(connection, stored.id);
  source.events = load_events(connection, stored.id);
  source.stored_runs = runs_of(connection, stored);
  source.accuracy = load_accuracy(connection, source.loaded.own);
  return source;
}

// Replaces every one of `words` in every text of the document.
void redact(Json& value, const std::vector<std::string>& words) {
  if (value.is_string()) {
    auto& text = value.get_ref<std::string&>();
    for (const std::string& word : words)
      for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 10))
        text.replace(at, word.size(), "[redacted]");
    return;
  }
  if (value.is_structured())
    for (auto& inner : value) redact(inner, words);
}

std::vector<std::string> secrets(const ReportSource& source) {
  std::vector<std::string> words = {source.loaded.own.stored.folder.string()};
  for (const Artifact& artifact : source.artifacts) {
    words.push_back(artifact.path);
    words.push_back(std::filesystem::path(artifact.path).filename().string());
  }
  for (const Reference& reference : source.loaded.own.stored.spec.references) words.push_back(reference.path);
  for (const StoredRun& run : source.stored_runs) words.push_back(run.service.host);
  // The longest first, so that none is left in halves; a bare name would tear other words apart.
  std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  std::erase_if(words, [](const std::string& word) { return word.size() < 3; });
  return words;
}

void drop_columns(report::Section& section, const std::vector<std::string>& columns) {
  for (report::Table& table : section.tables)
    for (const std::string& key : columns)
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (table.columns[i].key != key) continue;
        table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(i));
        for (Json& row : table.rows) row.erase(i);
        break;
      }
}

std::vector<report::Notice> notices_of(const ReportSource& source, bool redacted) {
  std::vector<report::Notice> notices;
  const StoredRound& round = source.loaded.own.stored;
  if (!round.spec.synthetic.empty())
    notices.push_back({"synthetic", "The evidence of this round is made up. " + round.spec.synthetic});
  if (redacted) notices.push_back({"note", "Redacted: without paths, hosts and process ids."});
  for (const StoredVerdict& verdict : source.standing)
    if (verdict.part == "performance" && verdict.verdict != source.judgement.result.verdict)
      notices.push_back(
          {"warning", fmt::format("The verdict that stands is {}, the evidence as it is now gives {}; judge "
                                  "again.",
                                  to_string(verdict.verdict), to_string(source.judgement.result.verdict))});
  if (!source.loaded.own.findings.empty() || !source.loaded.reference_findings.empty())
    notices.push_back({"warning", "The archive does not agree with the database; see Archive."});
  return notices;
}

}  // namespace

Json round_report(Connection& connection, const RoundReportOptions& options) {
  const ReportSource source = collect(connection, options.round);
  const StoredRound& round = source.loaded.own.stored;
  report::Document document;
  document.title = "Serving acceptance: round " + round.name;
  document.subtitle =
      fmt::format("{}, protocol {}", to_string(round.spec.kind), protocol_name(round.protocol));
  document.notices = notices_of(source, options.redacted);
  document.sections.push_back(verdict_section(source));
  document.sections.push_back(round_section(source));
  if (source.calibration)
    document.sections.push_back(calibration_section(source));
  else
    document.sections.push_back(levels_section(source));
  document.sections.push_back(requests_section(source));
  document.sections.push_back(validity_section(source));
  document.sections.push_back(accuracy_section(source));
  document.sections.push_back(time_section(source));
  document.sections.push_back(comparability_section(source));
  document.sections.push_back(archive_section(source));
  document.sections.push_back(history_section(source));
  if (options.redacted)
    for (report::Section& section : document.sections) drop_columns(section, {"path", "host", "pid"});
  Json json = to_json(document);
  if (options.redacted) redact(json, secrets(source));
  return json;
}

}  // namespace profdb::serving
