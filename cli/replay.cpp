// profdb replay: what the calls of workloads would be answered from.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <memory>

#include "analysis/replay.h"
#include "cli/commands.h"
#include "cli/input/analysis_options.h"
#include "cli/input/engine_options.h"
#include "cli/input/options.h"
#include "cli/output/exit_code.h"
#include "cli/output/output.h"
#include "cli/output/records.h"

namespace profdb::cli {
namespace {

using nlohmann::ordered_json;

struct ReplayOptions {
  EngineFlags engine;
  std::string database;
  std::string workload;
  std::string results;  // the file to write
  bool json = false;
  CsvOptions csv;
};

// The shares of every workload and of all together, one row each.
Records shares_table(const analysis::ReplayReport& report) {
  auto rows = ordered_json::array();
  const auto add = [&](const analysis::WorkloadTally& tally) {
    const ordered_json json = to_json(tally);
    for (ordered_json share : json.at("shares")) {
      share["workload_id"] = tally.workload_id.empty() ? "(all)" : tally.workload_id;
      rows.push_back(std::move(share));
    }
  };
  add(report.total);
  for (const auto& tally : report.workloads) add(tally);
  return {{{"workload_id", "workload"},
           {"by", "by"},
           {"value", "value"},
           {"calls", "calls", Align::right},
           {"distinct_calls", "distinct", Align::right},
           {"share", "share %", Align::right, Show::percent}},
          std::move(rows)};
}

Records workloads_table(const analysis::ReplayReport& report) {
  auto rows = ordered_json::array({to_json(report.total)});
  rows.back()["workload_id"] = "(all)";
  for (const auto& tally : report.workloads) rows.push_back(to_json(tally));
  return {{{"workload_id", "workload"},
           {"calls", "calls", Align::right},
           {"distinct_calls", "distinct", Align::right},
           {"critical_calls", "critical", Align::right},
           {"critical_not_measured", "not measured", Align::right}},
          std::move(rows)};
}

Records critical_table(const analysis::ReplayReport& report) {
  return {{{"workload_id", "workload"},
           {"line", "line", Align::right, Show::id},
           {"calls", "calls", Align::right},
           {"op", "op"},
           {"source", "source"},
           {"how", "method or reason"},
           {"axes", "axes"},
           {"leaf", ""}},
          to_json(report).at("critical_not_measured")};
}

std::string text(const analysis::ReplayReport& report, const ReleaseInfo& release) {
  constexpr std::size_t kMost = 40;
  const Records critical = critical_table(report);
  std::string text = workloads_table(report).text() + "\n" + shares_table(report).text();
  if (!critical.empty()) text += "\ncritical calls that are not measured\n" + critical.text(kMost);
  return text + synthetic_notice(release);
}

// The per-call results, one JSON object a line.
class ResultWriter {
 public:
  explicit ResultWriter(const std::string& path) : path_(path), out_(path, std::ios::binary) { check(); }

  void write(std::int64_t line, const analysis::ReplayCall& call, const Result& result) {
    out_ << json_line({{"line", line},
                       {"workload_id", call.workload_id},
                       {"critical", call.critical},
                       {"count", call.count},
                       {"result", to_json(result)}})
         << '\n';
  }
  void finish() {
    out_.close();
    check();
  }

 private:
  void check() const {
    if (!out_) throw Error(ErrorKind::input, fmt::format("{}: cannot be written", path_));
  }
  std::string path_;
  std::ofstream out_;
};

analysis::ReplayReport run_replay(const Engine& engine, const ReplayOptions& options) {
  std::ifstream file;
  if (options.workload != "-") {
    file.open(options.workload, std::ios::binary);
    if (!file) throw Error(ErrorKind::input, fmt::format("{}: cannot be opened", options.workload));
  }
  std::istream& workload = options.workload == "-" ? std::cin : file;
  if (options.results.empty()) return analysis::replay(engine, workload, options.workload);
  ResultWriter writer(options.results);
  auto report = analysis::replay(
      engine, workload, options.workload,
      [&](auto line, const auto& call, const auto& result) { writer.write(line, call, result); });
  writer.finish();
  return report;
}

int run(const ReplayOptions& options) {
  const Engine engine(options.database, options.engine.engine_options());
  const auto report = run_replay(engine, options);
  if (report.total.calls == 0) complain(fmt::format("{}: there is no line with a call", options.workload));
  if (options.json)
    print_json(to_json(report));
  else if (options.csv.csv)
    print(choose({{"shares", shares_table(report)},
                  {"workloads", workloads_table(report)},
                  {"critical", critical_table(report)}},
                 options.csv.table)
              .csv());
  else if (report.total.calls > 0)
    print(text(report, engine.release()));
  return kDone;
}

}  // namespace

void add_replay(Command app, Action& action) {
  const auto options = std::make_shared<ReplayOptions>();
  const Command command =
      app.add_subcommand("replay", "Count what the calls of a workload would be answered from");
  command.add_option("workload", options->workload, R"(Lines {"workload_id", "critical", "count", "leaf"})")
      .type_name("FILE|-")
      .required();
  add_db_option(command, options->database);
  add_engine_options(command, options->engine);
  command.add_option("--results", options->results, "Write every line's result, as JSON lines")
      .type_name("FILE");
  add_table_format_options(command, options->json, options->csv, {"shares", "workloads", "critical"});
  command.footer(
      "Example:\n"
      "  profdb replay workload.jsonl --db prof.db --results results.jsonl\n"
      "A line: {\"workload_id\": \"decode\", \"critical\": true, \"count\": 61, \"leaf\": {\"op\": …}}\n"
      "Latencies are not added up: how calls overlap is the simulator's knowledge.");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace profdb::cli
