// What the verdicts rest on: validity, accuracy, time, comparability, archive.
#include <fmt/format.h>

#include "base/utc.h"
#include "serving/report/report_sections.h"

namespace profdb::serving {

using report::Json;
using report::Kind;
using report::Section;
using report::Table;

namespace {

Json seconds(const std::optional<std::int64_t>& ns) {
  return ns ? Json(static_cast<double>(*ns) / 1e9) : Json();
}

void add_failures(Table& table, const std::string& where, const std::vector<Check>& checks,
                  std::size_t& made) {
  made += checks.size();
  for (const Check& check : checks)
    if (!check.ok) table.rows.push_back(Json::array({where, check.name, check.detail}));
}

Table share_table(const std::string& what, const std::map<std::string, LedgerShare>& shares,
                  const std::vector<std::string>& order) {
  Table table{"Time by " + what,
              {{what, what},
               {"union", "union", Kind::number, "s"},
               {"own", "without children", Kind::number, "s"},
               {"events", "events", Kind::integer},
               {"unknown", "of unknown time", Kind::integer}}};
  for (const std::string& name : order) {
    const auto share = shares.find(name);
    if (share == shares.end()) continue;
    table.rows.push_back(Json::array({name, seconds(share->second.union_ns), seconds(share->second.own_ns),
                                      share->second.events, share->second.unknown_events}));
  }
  table.note = "Overlapping events count once. What is not known is left empty, never zero.";
  return table;
}

std::vector<std::string> keys(const std::map<std::string, LedgerShare>& shares) {
  std::vector<std::string> names;
  names.reserve(shares.size());
  for (const auto& [name, share] : shares) names.push_back(name);
  return names;
}

}  // namespace

Section validity_section(const ReportSource& source) {
  Section section;
  section.heading = "Validity";
  Table table{"Checks that fail", {{"where", "where"}, {"check", "check", Kind::code}, {"detail", "detail"}}};
  std::size_t made = 0;
  add_failures(table, "round", source.judgement.checks, made);
  for (const RunValidation& run : source.runs) {
    add_failures(table, run.run, run.checks, made);
    for (const LevelValidation& level : run.levels)
      for (const AttemptValidation& attempt : level.attempts)
        add_failures(table, fmt::format("{} level {} attempt {}", run.run, level.level, attempt.attempt),
                     attempt.checks, made);
    for (const std::string& note : run.notes) section.list.push_back(fmt::format("{}: {}", run.run, note));
  }
  section.text.push_back(fmt::format("{} checks were made; {} fail.", made, table.rows.size()));
  if (!table.rows.empty()) section.tables.push_back(std::move(table));
  Table services{"Services",
                 {{"run", "run"},
                  {"service", "service", Kind::code},
                  {"host", "host", Kind::code},
                  {"pid", "PID", Kind::integer},
                  {"started", "started (UTC)"},
                  {"stopped", "stopped (UTC)"},
                  {"sealed", "sealed (UTC)"}}};
  for (const StoredRun& run : source.stored_runs)
    services.rows.push_back(
        Json::array({run.name, run.service.service, run.service.host, run.service.pid,
                     format_utc(run.service.started_utc_ns),
                     run.service.stopped_utc_ns ? Json(format_utc(*run.service.stopped_utc_ns)) : Json(),
                     run.sealed_utc.empty() ? Json() : Json(run.sealed_utc)}));
  if (!services.rows.empty()) section.tables.push_back(std::move(services));
  return section;
}

Section accuracy_section(const ReportSource& source) {
  Section section;
  section.heading = "Accuracy and function";
  const auto& protocol = source.loaded.own.stored.protocol.accuracy;
  for (const StoredVerdict& verdict : source.standing)
    if (verdict.part == "accuracy" || verdict.part == "function" || verdict.part == "configuration")
      section.list.push_back(
          fmt::format("{}: {}: {}", verdict.part, to_string(verdict.verdict), verdict.reason));
  if (section.list.empty())
    section.text.emplace_back("NOT_RUN: neither accuracy nor function has been judged.");
  std::int64_t correct = 0;
  std::int64_t truncated = 0;
  std::int64_t extraction = 0;
  std::int64_t failed = 0;
  for (const AccuracyAnswer& answer : source.accuracy.answers) {
    correct += answer.correct ? 1 : 0;
    truncated += answer.truncated ? 1 : 0;
    extraction += answer.extraction_failed ? 1 : 0;
    failed += answer.answered ? 0 : 1;
  }
  if (!source.accuracy.answers.empty())
    section.facts = {{"questions planned", protocol.sample},     {"correct", correct},
                     {"needed", protocol.correct_at_least},      {"truncated (scored)", truncated},
                     {"extraction failed (scored)", extraction}, {"failed", failed}};
  if (source.accuracy.run) {
    section.facts.push_back({"accuracy run", source.accuracy.run->run_id});
    section.facts.push_back({"service", source.accuracy.run->service});
    section.facts.push_back({"inherited cache", source.accuracy.run->cache_state});
  }
  return section;
}

Section time_section(const ReportSource& source) {
  Section section;
  section.heading = "Time";
  if (source.events.empty()) {
    section.text.emplace_back("No time ledger is recorded: how long the round took is unknown.");
    return section;
  }
  const LedgerSummary summary = summarize(source.events);
  section.facts = {{"wall clock", duration_text(summary.wall_clock_ns)},
                   {"active", duration_text(summary.active_ns)},
                   {"pauses", duration_text(summary.pause_ns)},
                   {"unattributed", duration_text(summary.unattributed_ns)},
                   {"events", summary.events},
                   {"events of unknown time", summary.unknown_events}};
  section.tables.push_back(share_table("category", summary.by_category, ledger_categories()));
  if (!summary.by_actor.empty())
    section.tables.push_back(share_table("actor", summary.by_actor, keys(summary.by_actor)));
  if (!summary.by_command.empty())
    section.tables.push_back(share_table("command", summary.by_command, keys(summary.by_command)));
  return section;
}

Section comparability_section(const ReportSource& source) {
  Section section;
  section.heading = "Limits of comparability";
  std::optional<std::int64_t> last_parent;
  for (const ReferenceEvidence& reference : source.loaded.evidence.references)
    if (reference.run != nullptr)
      last_parent = std::max(last_parent.value_or(INT64_MIN), reference.run->service.started_utc_ns);
  std::optional<std::int64_t> first_own;
  for (const StoredRun& run : source.stored_runs)
    first_own = std::min(first_own.value_or(INT64_MAX), run.service.started_utc_ns);
  if (last_parent && first_own)
    section.facts.push_back({"from the start of the parent's last run to that of the candidate's first",
                             duration_text(*first_own - *last_parent)});
  section.list = {
      "Parent and candidate were measured at different times; what the machine did meanwhile is not part of "
      "the evidence.",
      "A wave of fixed requests is measured; nothing follows from it for sustained load.",
      "Figures under another protocol, workload, configuration or other weights are not comparable with "
      "these."};
  for (const RunValidation& run : source.runs)
    for (const std::string& note : run.notes)
      section.list.push_back(fmt::format("Run {}: {}.", run.run, note));
  return section;
}

Section archive_section(const ReportSource& source) {
  Section section;
  section.heading = "Archive";
  const auto& findings = source.loaded.own.findings;
  section.text.push_back(findings.empty() && source.loaded.reference_findings.empty()
                             ? "For this report every digest was recomputed from the files, and every record "
                               "from its raw bytes; all agree."
                             : fmt::format("Recomputation for this report found {} differences.",
                                           findings.size() + source.loaded.reference_findings.size()));
  for (const auto* list : {&findings, &source.loaded.reference_findings})
    for (const Finding& finding : *list)
      section.list.push_back(fmt::format("{}: {}", finding.check, finding.problem));
  Table table{"Artifacts",
              {{"kind", "kind"},
               {"name", "name"},
               {"path", "path", Kind::code},
               {"sha256", "SHA-256", Kind::code},
               {"accessibility", "accessibility"}}};
  std::int64_t raw = 0;
  std::int64_t accessible = 0;
  for (const Artifact& artifact : source.artifacts) {
    if (artifact.kind == "raw" || artifact.kind == "arrivals") {
      ++raw;
      accessible += artifact.accessibility == "accessible" ? 1 : 0;
      continue;
    }
    table.rows.push_back(
        Json::array({artifact.kind, artifact.name, artifact.path, artifact.sha256, artifact.accessibility}));
  }
  section.facts = {{"raw responses and arrival times", raw}, {"of these accessible", accessible}};
  section.tables.push_back(std::move(table));
  return section;
}

Section history_section(const ReportSource& source) {
  Section section;
  section.heading = "Every verdict that was given";
  Table table{"Verdicts, oldest first",
              {{"judged", "judged (UTC)"},
               {"part", "part"},
               {"verdict", "verdict"},
               {"rule", "rule", Kind::integer},
               {"caused_by", "by"},
               {"protocol", "protocol"},
               {"reason", "reason"}}};
  for (const StoredVerdict& verdict : source.history)
    table.rows.push_back(Json::array({verdict.judged_utc, verdict.part, to_string(verdict.verdict),
                                      verdict.rule ? Json(*verdict.rule) : Json(), verdict.caused_by,
                                      verdict.protocol, verdict.reason}));
  if (!table.rows.empty()) section.tables.push_back(std::move(table));
  return section;
}

}  // namespace profdb::serving
