// What a workload would hit: the figures of a file that `profdb replay --json` wrote.
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "profdb/error.h"
#include "report/sections/sections.h"

namespace profdb::report {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& wrong) {
  throw Error(ErrorKind::input,
              fmt::format("{}: {}; give --replay a file that 'profdb replay --json' wrote", file, wrong));
}

Json read(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(file, "cannot be read");
  std::ostringstream text;
  text << stream.rdbuf();
  Json replay = Json::parse(text.str(), nullptr, false);
  if (!replay.is_object() || !replay.contains("total") || !replay.contains("workloads"))
    refuse(file, "is no replay");
  return replay;
}

Table workloads_table(const Json& replay) {
  Table table{.caption = "Workloads",
              .columns = {{"workload_id", "workload"},
                          {"calls", "calls", Kind::integer},
                          {"distinct_calls", "distinct calls", Kind::integer},
                          {"critical_calls", "critical calls", Kind::integer},
                          {"critical_not_measured", "of them not measured", Kind::integer}}};
  const auto add = [&](const Json& tally, const Json& name) {
    table.rows.push_back({name, tally.at("calls"), tally.at("distinct_calls"), tally.at("critical_calls"),
                          tally.at("critical_not_measured")});
  };
  for (const Json& tally : replay.at("workloads")) add(tally, tally.at("workload_id"));
  add(replay.at("total"), "all");
  return table;
}

Table shares_table(const Json& replay) {
  Table table{.caption = "Calls by source, path, dimension and miss reason",
              .columns = {{"workload_id", "workload"},
                          {"by", "by"},
                          {"value", "value"},
                          {"calls", "calls", Kind::integer},
                          {"distinct_calls", "distinct calls", Kind::integer},
                          {"share", "share", Kind::number, "%"}}};
  const auto add = [&](const Json& tally, const Json& name) {
    for (const Json& share : tally.at("shares"))
      table.rows.push_back({name, share.at("by"), share.at("value"), share.at("calls"),
                            share.at("distinct_calls"), 100 * share.at("share").get<double>()});
  };
  add(replay.at("total"), "all");
  for (const Json& tally : replay.at("workloads")) add(tally, tally.at("workload_id"));
  cut(table, "profdb replay");
  return table;
}

Table critical_table(const Json& replay) {
  Table table{.caption = "Critical calls that are not measured",
              .columns = {{"workload_id", "workload"},
                          {"line", "line", Kind::integer},
                          {"calls", "calls", Kind::integer},
                          {"op", "operator"},
                          {"source", "source"},
                          {"how", "method or reason"},
                          {"leaf", "call", Kind::code}}};
  for (const Json& call : replay.at("critical_not_measured"))
    table.rows.push_back({call.at("workload_id"), call.at("line"), call.at("calls"), call.at("op"),
                          call.at("source"), call.at("how"), call.at("leaf").dump()});
  cut(table, "profdb replay");
  return table;
}

Bars bars_by(const Json& replay, const std::string& by, const std::string& title) {
  Bars bars{.head = {.title = title}, .value = {"calls"}};
  for (const Json& share : replay.at("total").at("shares"))
    if (share.at("by") == by)
      bars.bars.push_back({share.at("value").get<std::string>(), share.at("calls").get<double>()});
  return bars;
}

Section section_of(const Input& input, const Json& replay, Findings& findings) {
  Section section{.heading = "Replay"};
  section.text = {fmt::format(
      "What the workloads of {} would hit. Latencies are not added up: calls overlap, and how is the "
      "simulator's knowledge.",
      input.options.replay)};
  section.charts = {to_json(bars_by(replay, "source", "Calls by source"))};
  const Bars reasons = bars_by(replay, "reason", "Missed calls by reason");
  if (!reasons.bars.empty()) section.charts.push_back(to_json(reasons));
  section.tables = {workloads_table(replay), shares_table(replay)};
  Table critical = critical_table(replay);
  const auto not_measured = replay.at("total").at("critical_not_measured").get<std::int64_t>();
  findings.headlines.push_back({"replayed critical calls not measured", not_measured});
  if (!critical.rows.empty()) section.tables.push_back(std::move(critical));
  for (Table& table : section.tables) table.badge = input.badge();
  return section;
}

}  // namespace

std::optional<Section> replay_section(const Input& input, Findings& findings) {
  if (input.options.replay.empty()) {
    findings.gaps.emplace_back(
        "No workload was replayed for this report: what a workload would miss is not known.");
    return std::nullopt;
  }
  const Json replay = read(input.options.replay);
  try {
    return section_of(input, replay, findings);
  } catch (const Json::exception& e) {
    refuse(input.options.replay, fmt::format("is no replay ({})", e.what()));
  }
}

}  // namespace profdb::report
