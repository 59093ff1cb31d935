// What was tried, how fast it was, and what was decided.
#include "serving/report/report_sections.h"

#include <fmt/format.h>

#include "base/utc.h"

namespace profdb::serving {

using report::Column;
using report::Fact;
using report::Json;
using report::Kind;
using report::Section;
using report::Table;

namespace {

Json number(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json percent(const std::optional<double>& fraction) {
  return fraction ? Json(*fraction * 100) : Json();
}

std::string short_of(const std::string& digest) {
  return digest.empty() ? "none" : digest;
}

Table identity_table(const ReportSource& source) {
  const RunSpec& spec = source.loaded.own.stored.spec;
  Table table{"Identities", {{"part", "part"}, {"candidate", "candidate", Kind::code}}};
  if (spec.parent) table.columns.push_back({"parent", "direct parent", Kind::code});
  for (const auto& [name, member] : kIdentities) {
    Json row = Json::array({name, spec.candidate.*member});
    if (spec.parent) row.push_back((*spec.parent).*member);
    table.rows.push_back(std::move(row));
  }
  return table;
}

// One chart per level: every measured request of the attempts that count, and P.
Json scatter_of(const ReportSource& source, std::int64_t level) {
  report::Scatter chart;
  chart.head.title = fmt::format("Level {}: TPOT of every request", level);
  chart.x = {"slot"};
  chart.y = {"TPOT", "ms/token"};
  for (const RunValidation& run : source.runs) {
    const LevelValidation* found = run.level(level);
    if (found == nullptr || found->counted() == nullptr) continue;
    report::Scatter::Series series{run.run, {}};
    const auto& values = found->counted()->tpot_ms;
    for (std::size_t slot = 0; slot < values.size(); ++slot)
      series.points.push_back(Json::array({slot, values[slot], fmt::format("{} slot {}", run.run, slot)}));
    chart.series.push_back(std::move(series));
  }
  const auto outcome = source.judgement.result.levels.find(level);
  if (outcome != source.judgement.result.levels.end() && outcome->second.figures.parent) {
    const double p = *outcome->second.figures.parent;
    chart.lines.push_back(
        {"P", {Json::array({0, p}), Json::array({std::max<std::int64_t>(level - 1, 1), p})}});
  }
  return to_json(chart);
}

}  // namespace

Section verdict_section(const ReportSource& source) {
  Section section;
  section.heading = "Verdicts";
  section.tiles = true;
  for (const StoredVerdict& verdict : source.standing)
    section.facts.push_back({verdict.part, to_string(verdict.verdict)});
  for (const StoredVerdict& verdict : source.standing) {
    const std::string rule = verdict.rule ? fmt::format(" by rule {}", *verdict.rule) : "";
    section.list.push_back(fmt::format("{}: {}{} under protocol {}, {}: {}", verdict.part,
                                       to_string(verdict.verdict), rule, verdict.protocol, verdict.judged_utc,
                                       verdict.reason));
  }
  if (source.standing.empty()) section.text.emplace_back("Nothing has been judged yet.");
  return section;
}

Section round_section(const ReportSource& source) {
  const StoredRound& round = source.loaded.own.stored;
  const RunSpec& spec = round.spec;
  Section section;
  section.heading = "What was tried";
  section.text.push_back(spec.hypothesis);
  std::string targets;
  for (const std::int64_t level : spec.targets)
    targets += (targets.empty() ? "" : ", ") + std::to_string(level);
  section.facts = {
      {"round", round.name}, {"kind", to_string(spec.kind)}, {"protocol", protocol_name(round.protocol)}};
  if (!targets.empty()) section.facts.push_back({"target levels", targets});
  section.facts.push_back({"frozen", round.frozen_utc});
  section.facts.push_back({"RunSpec SHA-256", round.runspec_sha256});
  section.facts.push_back({"protocol SHA-256", round.protocol_sha256});
  if (spec.knowledge) {
    section.facts.push_back({"knowledge query", spec.knowledge_outcome});
    section.facts.push_back({"knowledge record SHA-256", short_of(spec.knowledge->sha256)});
  }
  section.tables.push_back(identity_table(source));
  return section;
}

Section levels_section(const ReportSource& source) {
  const StoredRound& round = source.loaded.own.stored;
  const bool compared = round.spec.kind == RoundKind::candidate;
  Section section;
  section.heading = "Levels";
  const auto& result = source.judgement.result;
  section.text.push_back(fmt::format("Recomputed from the evidence as it is now: {} by rule {}: {}",
                                     to_string(result.verdict), result.rule, result.reason));
  Table table{"TPOT per level", {{"level", "level", Kind::integer}}};
  if (compared) {
    table.columns.push_back({"target", "target"});
    table.columns.push_back({"P", "P", Kind::number, "ms/token"});
  }
  table.columns.push_back({"B1", "B1", Kind::number, "ms/token"});
  table.columns.push_back({"B2", "B2", Kind::number, "ms/token"});
  table.columns.push_back({"tpot", "TPOT", Kind::number, "ms/token"});
  if (compared)
    for (const auto& [key, title] :
         {std::pair("g1", "gain 1"), std::pair("g2", "gain 2"), std::pair("median_gain", "median gain"),
          std::pair("threshold", "threshold")})
      table.columns.push_back({key, title, Kind::number, "%"});
  for (const auto& [level, outcome] : result.levels) {
    Json row = Json::array({level});
    if (compared) {
      row.push_back(outcome.target ? "yes" : "");
      row.push_back(number(outcome.figures.parent));
    }
    row.push_back(number(outcome.figures.b1));
    row.push_back(number(outcome.figures.b2));
    row.push_back(number(outcome.tpot));
    if (compared)
      for (const auto& value : {outcome.g1, outcome.g2, outcome.median_gain, outcome.threshold})
        row.push_back(percent(value));
    table.rows.push_back(std::move(row));
  }
  table.note =
      fmt::format("The limit is {} ms/token. Gains are (P - B)/P.", round.protocol.limit_ms_per_token);
  section.tables.push_back(std::move(table));
  if (!compared) return section;
  Table parents{"Runs of the parent that P is the median of",
                {{"level", "level", Kind::integer},
                 {"run", "run", Kind::code},
                 {"tpot", "TPOT", Kind::number, "ms/token"}}};
  for (const auto& [level, runs] : source.judgement.parent_runs)
    for (const auto& [run, value] : runs) parents.rows.push_back(Json::array({level, run, value}));
  if (!parents.rows.empty()) section.tables.push_back(std::move(parents));
  return section;
}

Section calibration_section(const ReportSource& source) {
  Section section;
  section.heading = "Thresholds";
  const CalibrationResult& calibration = *source.calibration;
  section.text.push_back(calibration.usable() ? "Every planned pair is sealed and valid."
                                              : "Not usable: " + failures(calibration.checks));
  Table table{"Jitter of the pairs and thresholds",
              {{"level", "level", Kind::integer},
               {"pair", "pair", Kind::integer},
               {"jitter", "jitter", Kind::number, "%"},
               {"threshold", "threshold", Kind::number, "%"}}};
  for (const auto& [level, figures] : calibration.levels)
    for (std::size_t i = 0; i < figures.jitter_of_pair.size(); ++i)
      table.rows.push_back(
          Json::array({level, i + 1, figures.jitter_of_pair[i] * 100, figures.threshold * 100}));
  if (!table.rows.empty()) section.tables.push_back(std::move(table));
  return section;
}

Section requests_section(const ReportSource& source) {
  Section section;
  section.heading = "Requests";
  section.text.emplace_back(
      "TTFT and E2E from the start of a request, TPOT per generated token after the first frame that holds "
      "one. No request "
      "is left out.");
  Table table{"Measured requests",
              {{"run", "run"},
               {"level", "level", Kind::integer},
               {"attempt", "attempt", Kind::integer},
               {"slot", "slot", Kind::integer},
               {"ttft", "TTFT", Kind::number, "ms"},
               {"e2e", "E2E", Kind::number, "ms"},
               {"tpot", "TPOT", Kind::number, "ms/token"},
               {"tokens", "tokens", Kind::integer},
               {"status", "status"}}};
  for (const RunEvidence& run : source.loaded.own.evidence.runs)
    for (const RequestFacts& facts : run.requests) {
      const RequestRecord& record = facts.record;
      if (record.phase != Phase::measured) continue;
      Json row = Json::array({run.name, record.level, record.attempt, record.slot});
      for (const auto member : {&RequestNumbers::ttft_ms, &RequestNumbers::e2e_ms, &RequestNumbers::tpot_ms})
        row.push_back(facts.numbers ? Json((*facts.numbers).*member) : Json());
      row.push_back(facts.output_tokens);
      row.push_back(to_string(record.status));
      table.rows.push_back(std::move(row));
    }
  for (const std::int64_t level : source.loaded.own.stored.protocol.levels) {
    Json chart = scatter_of(source, level);
    if (!chart.at("series").empty()) section.charts.push_back(std::move(chart));
  }
  if (!table.rows.empty()) section.tables.push_back(std::move(table));
  return section;
}

std::string duration_text(const std::optional<std::int64_t>& ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (!ns) return "unknown";
  const std::int64_t size = *ns < 0 ? -*ns : *ns;
  const std::string sign = *ns < 0 ? "-" : "";
  if (size < 60 * kSecond) return fmt::format("{}{:.3f} s", sign, static_cast<double>(size) / 1e9);
  const std::int64_t seconds = size / kSecond;
  if (seconds < 3600) return fmt::format("{}{} min {:02} s", sign, seconds / 60, seconds % 60);
  return fmt::format("{}{} h {:02} min {:02} s", sign, seconds / 3600, seconds / 60 % 60, seconds % 60);
}

}  // namespace profdb::serving
