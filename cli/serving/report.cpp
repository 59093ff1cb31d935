// profdb serving report, history, export: what became of rounds.
#include <fmt/format.h>

#include "cli/input/options.h"
#include "cli/output/exit_code.h"
#include "cli/output/output.h"
#include "cli/output/table.h"
#include "cli/output/write_file.h"
#include "cli/serving/serving.h"
#include "profdb/error.h"
#include "report/render/render.h"
#include "serving/report/round_report.h"
#include "serving/rules/run_checks.h"

namespace profdb::cli {

using nlohmann::ordered_json;
using store::Rows;

namespace {

struct ReportOptions {
  ServingOptions serving;
  serving::RoundReportOptions report;
  std::vector<std::string> out;
};

int write_report(ReportOptions& options) {
  for (const auto& file : options.out)
    static_cast<void>(report::form_of(file));  // before the work, not after it
  store::Connection connection(options.serving.database, store::Mode::read);
  options.report.round = options.serving.round;
  const report::Json document = serving::round_report(connection, options.report);
  if (options.out.empty()) {
    print(report::render(document, options.serving.json ? report::Form::json : report::Form::markdown));
    if (options.serving.json) print("\n");
    return kDone;
  }
  auto written = ordered_json::array();
  for (const auto& file : options.out) {
    const std::string text = report::render(document, report::form_of(file));
    write_file(file, text);
    written.push_back({{"file", file}, {"bytes", text.size()}});
    if (!options.serving.json) print(fmt::format("wrote {}\n", file));
  }
  if (options.serving.json) print_json(written);
  return kDone;
}

int history(const ServingOptions& options) {
  store::Connection connection(options.database, store::Mode::read);
  auto rounds = ordered_json::array();
  Table table({{"round", Align::left, false},
               {"kind", Align::left, false},
               {"frozen (UTC)", Align::left, false},
               {"candidate"},
               {"performance", Align::left, false},
               {"accuracy", Align::left, false},
               {"accepted", Align::left, false}});
  std::string synthetic;
  for (const std::string& name : serving::round_names(connection)) {
    const auto round = serving::find_round(connection, name);
    const auto text = [&](const char* part) {
      const auto verdict = serving::last_verdict(connection, round.id, part);
      return verdict ? std::string(to_string(verdict->verdict)) : std::string();
    };
    if (!round.spec.synthetic.empty()) synthetic += (synthetic.empty() ? "" : ", ") + name;
    table.add({name, to_string(round.spec.kind), time_text(round.frozen_utc),
               printable(round.spec.candidate.commit), text("performance"), text("accuracy"),
               text("acceptance")});
    rounds.push_back({{"round", name},
                      {"kind", to_string(round.spec.kind)},
                      {"hypothesis", round.spec.hypothesis},
                      {"frozen_utc", round.frozen_utc},
                      {"protocol", serving::protocol_name(round.protocol)},
                      {"candidate", round.spec.candidate.commit},
                      {"parent", round.spec.parent ? round.spec.parent->commit : ""},
                      {"performance", text("performance")},
                      {"accuracy", text("accuracy")},
                      {"acceptance", text("acceptance")},
                      {"synthetic", round.spec.synthetic}});
  }
  auto verdicts = ordered_json::array();
  {
    Rows rows(
        connection.statement("SELECT round, part, verdict, rule, reason, protocol, judged_utc, "
                             "caused_by\nFROM serving_verdict_history"));
    while (rows.next())
      verdicts.push_back({{"round", rows.text(0)},
                          {"part", rows.text(1)},
                          {"verdict", rows.text(2)},
                          {"rule", rows[3].isNull() ? ordered_json() : ordered_json(rows.integer(3))},
                          {"reason", rows.text(4)},
                          {"protocol", rows.text(5)},
                          {"judged_utc", rows.text(6)},
                          {"caused_by", rows.text(7)}});
  }
  auto line = ordered_json::array();
  std::string retained;
  {
    Rows rows(connection.statement(
        "SELECT round, candidate_commit, parent_commit, judged_utc FROM serving_retained"));
    while (rows.next()) {
      line.push_back({{"round", rows.text(0)},
                      {"commit", rows.text(1)},
                      {"parent", rows.text(2)},
                      {"judged_utc", rows.text(3)}});
      retained += fmt::format("{}{} ({})", retained.empty() ? "" : " -> ", printable(rows.text(1)),
                              printable(rows.text(0)));
    }
  }
  if (options.json) {
    print_json(
        {{"rounds", std::move(rounds)}, {"verdicts", std::move(verdicts)}, {"retained", std::move(line)}});
    return kDone;
  }
  print(table.empty() ? "no rounds\n" : table.text());
  print(fmt::format("\nretained: {}\n", retained.empty() ? "none" : retained));
  if (!synthetic.empty())
    print(fmt::format("\nSYNTHETIC: the evidence of these rounds is made up: {}\n", synthetic));
  return kDone;
}

// One line per level of each valid, sealed run.
int export_runs(const ServingOptions& options, const std::string& out) {
  store::Connection connection(options.database, store::Mode::read);
  const auto loaded = serving::load_round(connection, options.round);
  const auto& round = loaded.stored;
  ordered_json document = {{"format", "profdb-serving-ground-truth/1"},
                           {"round", round.name},
                           {"protocol",
                            {{"name", round.protocol.name},
                             {"version", round.protocol.version},
                             {"sha256", round.protocol_sha256}}},
                           {"version", to_json(round.spec.candidate)},
                           {"input_tokens", round.protocol.input_tokens},
                           {"output_tokens", round.protocol.measured_output_tokens}};
  if (!round.spec.synthetic.empty()) document["synthetic"] = round.spec.synthetic;
  auto& runs = document["runs"] = ordered_json::array();
  std::string left_out;
  for (const auto& run : serving::validate_round(loaded.evidence)) {
    if (!run.valid()) {
      left_out += fmt::format("{}{}: {}", left_out.empty() ? "" : "; ", run.run, run.problems());
      continue;
    }
    auto levels = ordered_json::array();
    for (const auto& level : run.levels)
      levels.push_back({{"concurrency", level.level},
                        {"mean_tpot_ms", *level.counted()->mean_tpot_ms},
                        {"tpot_ms", level.counted()->tpot_ms}});
    runs.push_back({{"run", run.run}, {"levels", std::move(levels)}});
  }
  if (!left_out.empty())
    warn(fmt::format("not exported, since it is no valid sealed evidence: {}", printable(left_out)));
  if (runs.empty()) {
    complain("no run of the round is sealed and valid; nothing is exported");
    return kInconclusive;
  }
  if (out.empty()) {
    print_json(document);
  } else {
    write_file(out, document.dump(2) + "\n");
    print(fmt::format("wrote {}\n", out));
  }
  return kDone;
}

}  // namespace

void add_serving_report(Command serving, Action& action) {
  const auto options = std::make_shared<ReportOptions>();
  const Command command = add_serving_command(
      serving, "report", "Write a round's report: HTML, Markdown or JSON", options->serving);
  command
      .add_option(
          "--out", options->out,
          "A file, by its ending .html, .md or .json; as often as needed. Left out: Markdown to the output")
      .type_name("FILE")
      .one_value();
  command.add_flag("--redacted", options->report.redacted, "Without paths, hosts and process ids");
  command.footer(
      "Example:\n  profdb serving report --db prof.db --round r7 --out r7.md --out r7.html\nEvery figure is "
      "recomputed from the archive.");
  command.callback([options, &action] { action = [options] { return write_report(*options); }; });
}

void add_serving_history(Command serving, Action& action) {
  const auto options = std::make_shared<ServingOptions>();
  const Command command =
      serving.add_subcommand("history", "List rounds, their verdicts and the retained line");
  add_db_option(command, options->database);
  add_json_option(command, options->json);
  command.footer("Example:\n  profdb serving history --db prof.db");
  command.callback([options, &action] { action = [options] { return history(*options); }; });
}

void add_serving_export(Command serving, Action& action) {
  const auto options = std::make_shared<ServingOptions>();
  const auto out = std::make_shared<std::string>();
  const Command command = add_serving_command(
      serving, "export", "Write the measured TPOT of sealed, valid runs as ground truth", *options);
  command.add_option("--out", *out, "A JSON file; left out: to the output").type_name("FILE");
  command.footer("Example:\n  profdb serving export --db prof.db --round r7 --out truth.json");
  command.callback(
      [options, out, &action] { action = [options, out] { return export_runs(*options, *out); }; });
}

}  // namespace profdb::cli
