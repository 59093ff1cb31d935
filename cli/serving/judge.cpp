// profdb serving validate, calibrate, judge, accuracy, accept, verify: from evidence to verdicts.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/input/options.h"
#include "cli/output/exit_code.h"
#include "cli/output/output.h"
#include "cli/output/table.h"
#include "cli/serving/serving.h"
#include "profdb/error.h"
#include "serving/rules/run_checks.h"

namespace profdb::cli {

using nlohmann::ordered_json;
using serving::RunValidation;

namespace {

std::string optional_number(const std::optional<double>& value) {
  return value ? number(*value) : "";
}

std::string optional_percent(const std::optional<double>& fraction) {
  return fraction ? fmt::format("{:+.6f}", *fraction * 100) : "";
}

int validate(const ServingOptions& options, const std::string& only) {
  store::Connection connection(options.database, store::Mode::read);
  const auto loaded = serving::load_round(connection, options.round);
  auto runs = serving::validate_round(loaded.evidence);
  std::erase_if(runs, [&only](const RunValidation& run) { return !only.empty() && run.run != only; });
  if (runs.empty())
    throw Error(ErrorKind::input, fmt::format("round {} has no run {}; import its service file and records",
                                              options.round, only));
  const bool valid =
      loaded.evidence.archive_problems.empty() &&
      std::all_of(runs.begin(), runs.end(), [](const RunValidation& run) { return run.valid(); });
  if (options.json) {
    auto list = ordered_json::array();
    for (const RunValidation& run : runs) list.push_back(serving::to_json(run));
    print_json({{"round", options.round},
                {"valid", valid},
                {"archive", loaded.evidence.archive_problems},
                {"runs", std::move(list)}});
    return valid ? kDone : kInconclusive;
  }
  Table table({{"run", Align::left, false},
               {"level", Align::right},
               {"attempt", Align::right},
               {"requests", Align::right},
               {"mean TPOT ms/token", Align::right},
               {"state", Align::left, false}});
  for (const RunValidation& run : runs)
    for (const auto& level : run.levels)
      for (const auto& attempt : level.attempts)
        table.add({run.run, count(level.level), count(attempt.attempt),
                   count(static_cast<std::int64_t>(attempt.tpot_ms.size())),
                   optional_number(attempt.mean_tpot_ms),
                   !attempt.valid()              ? "invalid"
                   : &attempt == level.counted() ? "counts"
                                                 : "valid"});
  print(table.text());
  std::vector<serving::Check> archive;
  for (const std::string& problem : loaded.evidence.archive_problems)
    archive.push_back({"round_archive", false, problem});
  if (const std::string failures = failures_text(runs, archive); !failures.empty()) print("\n" + failures);
  for (const RunValidation& run : runs)
    for (const std::string& note : run.notes)
      print(fmt::format("note on {}: {}\n", run.run, printable(note)));
  print(valid ? "\nevery check is kept\n" : "\nnot valid evidence\n");
  print(synthetic_text(loaded.stored));
  return valid ? kDone : kInconclusive;
}

int calibrate(const ServingOptions& options) {
  const auto calibration = serving::calibrate(options.database, options.round);
  const auto& result = calibration.result;
  if (options.json) {
    ordered_json json = {
        {"round", result.round}, {"usable", result.usable()}, {"checks", serving::to_json(result.checks)}};
    auto& levels = json["levels"] = ordered_json::array();
    for (const auto& [level, figures] : result.levels)
      levels.push_back({{"level", level},
                        {"jitter_of_pair", figures.jitter_of_pair},
                        {"jitter", figures.jitter},
                        {"threshold", figures.threshold}});
    print_json(json);
    return result.usable() ? kDone : kInconclusive;
  }
  if (!result.usable()) {
    print(failures_text(calibration.runs, result.checks));
    print("\nnot usable; INCONCLUSIVE\n");
    return kInconclusive;
  }
  Table table({{"level", Align::right}, {"jitter of the pairs %"}, {"threshold %", Align::right}});
  for (const auto& [level, figures] : result.levels) {
    std::string jitters;
    for (const double jitter : figures.jitter_of_pair)
      jitters += fmt::format("{}{:.6f}", jitters.empty() ? "" : "  ", jitter * 100);
    table.add({count(level), jitters, fmt::format("{:.6f}", figures.threshold * 100)});
  }
  print(table.text());
  return kDone;
}

std::string levels_text(const serving::PerformanceJudgement& judgement) {
  Table table({{"level", Align::right},
               {"target", Align::left, false},
               {"P", Align::right},
               {"B1", Align::right},
               {"B2", Align::right},
               {"TPOT", Align::right},
               {"gain 1 %", Align::right},
               {"gain 2 %", Align::right},
               {"median %", Align::right},
               {"threshold %", Align::right}});
  for (const auto& [level, outcome] : judgement.result.levels)
    table.add({count(level), outcome.target ? "yes" : "", optional_number(outcome.figures.parent),
               optional_number(outcome.figures.b1), optional_number(outcome.figures.b2),
               optional_number(outcome.tpot), optional_percent(outcome.g1), optional_percent(outcome.g2),
               optional_percent(outcome.median_gain),
               outcome.threshold ? fmt::format("{:.6f}", *outcome.threshold * 100) : ""});
  return table.text();
}

int judge(const ServingOptions& options) {
  store::Connection connection(options.database, store::Mode::write);
  const auto judged = serving::judge_performance(connection, options.round, "judge");
  if (options.json) {
    ordered_json json = serving::to_json(judged.verdict);
    json["details"] = serving::to_json(judged.judgement);
    print_json(json);
    return exit_code(judged.verdict.verdict);
  }
  print(fmt::format("{}  by rule {} of protocol {}\n{}\n\n", to_string(judged.verdict.verdict),
                    *judged.verdict.rule, printable(judged.verdict.protocol),
                    printable(judged.verdict.reason)));
  print(levels_text(judged.judgement));
  print("P, B1, B2 and TPOT in ms/token; the gains are (P - B)/P\n");
  if (const std::string failures = failures_text(judged.judgement.runs, judged.judgement.checks);
      !failures.empty())
    print("\n" + failures);
  print(synthetic_text(serving::find_round(connection, options.round)));
  return exit_code(judged.verdict.verdict);
}

int accuracy(const ServingOptions& options, bool requested) {
  store::Connection connection(options.database, store::Mode::write);
  const auto judged = serving::judge_accuracy(connection, options.round, requested, "accuracy");
  if (options.json) {
    ordered_json json = serving::to_json(judged.verdict);
    json["details"] = ordered_json::parse(judged.verdict.details);
    print_json(json);
    return exit_code(judged.verdict.verdict);
  }
  print(fmt::format("{}\n{}\n", to_string(judged.verdict.verdict), printable(judged.verdict.reason)));
  if (judged.verdict.verdict != serving::Verdict::not_run && !judged.result.checks.empty()) {
    Facts facts;
    facts.add("correct", count(judged.result.correct));
    facts.add("truncated", count(judged.result.truncated) + " (scored as they are)");
    facts.add("extraction failed", count(judged.result.extraction_failed) + " (scored as they are)");
    facts.add("failed requests", count(judged.result.failed));
    print("\n" + facts.text());
  }
  if (const std::string failures = failures_text({}, judged.result.checks); !failures.empty())
    print("\n" + failures);
  print(synthetic_text(serving::find_round(connection, options.round)));
  return exit_code(judged.verdict.verdict);
}

int accept(const ServingOptions& options) {
  store::Connection connection(options.database, store::Mode::write);
  const auto accepted = serving::accept(connection, options.round, "accept");
  const auto round = serving::find_round(connection, options.round);
  if (options.json) {
    ordered_json json = serving::to_json(accepted.verdict);
    auto& parts = json["parts"] = ordered_json::array();
    for (const auto& part : accepted.parts) parts.push_back(serving::to_json(part));
    print_json(json);
    return exit_code(accepted.verdict.verdict);
  }
  const bool candidate = round.spec.kind == serving::RoundKind::candidate;
  const bool passed = accepted.verdict.verdict == serving::Verdict::pass;
  print(fmt::format(
      "{}  {} {} {}\n{}\n\n", to_string(accepted.verdict.verdict), candidate ? "candidate" : "commit",
      printable(round.spec.candidate.commit),
      candidate ? (passed ? "is retained" : "is not retained") : (passed ? "is accepted" : "is not accepted"),
      printable(accepted.verdict.reason)));
  print(verdict_text(accepted.parts));
  print(synthetic_text(round));
  return exit_code(accepted.verdict.verdict);
}

int verify(const ServingOptions& options) {
  store::Connection connection(options.database, store::Mode::write);
  const auto names =
      options.round.empty() ? serving::round_names(connection) : std::vector<std::string>{options.round};
  auto list = ordered_json::array();
  Table table({{"round", Align::left, false}, {"check", Align::left, false}, {"problem"}});
  std::vector<serving::StoredVerdict> renewed;
  for (const std::string& name : names) {
    const auto verification = serving::verify(connection, name);
    auto findings = ordered_json::array();
    for (const auto& finding : verification.findings) {
      findings.push_back({{"check", finding.check}, {"problem", finding.problem}});
      table.add({name, finding.check, printable(finding.problem)});
    }
    auto verdicts = ordered_json::array();
    for (const auto& verdict : verification.new_verdicts) {
      verdicts.push_back(serving::to_json(verdict));
      renewed.push_back(verdict);
    }
    list.push_back({{"round", name},
                    {"ok", verification.findings.empty()},
                    {"findings", std::move(findings)},
                    {"new_verdicts", std::move(verdicts)}});
  }
  if (options.json) {
    print_json(list);
  } else if (table.empty()) {
    print(fmt::format("ok: every digest and number of {} was recomputed from the archive and agrees\n",
                      names.size() == 1 ? "round " + names.front()
                                        : count(static_cast<std::int64_t>(names.size())) + " rounds"));
  } else {
    print(table.text());
    if (!renewed.empty()) print("\njudged again:\n" + verdict_text(renewed));
  }
  return table.empty() ? kDone : kInconclusive;
}

}  // namespace

void add_serving_validate(Command serving, Action& action) {
  const auto options = std::make_shared<ServingOptions>();
  const auto run = std::make_shared<std::string>();
  const Command command =
      add_serving_command(serving, "validate", "Check a round's runs: every rule by its name", *options);
  command.add_option("--run", *run, "Only this run").type_name("RUN");
  command.footer(
      "Example:\n  profdb serving validate --db prof.db --round r7\nExits with 5 where a check fails. Writes "
      "nothing.");
  command.callback([options, run, &action] { action = [options, run] { return validate(*options, *run); }; });
}

void add_serving_calibrate(Command serving, Action& action) {
  const auto options = std::make_shared<ServingOptions>();
  const Command command = add_serving_command(
      serving, "calibrate", "Compute thresholds from a calibration round's pairs", *options);
  command.footer(
      "Example:\n  profdb serving calibrate --db prof.db --round base\nExits with 5 where the pairs give "
      "none.");
  command.callback([options, &action] { action = [options] { return calibrate(*options); }; });
}

void add_serving_judge(Command serving, Action& action) {
  const auto options = std::make_shared<ServingOptions>();
  const Command command =
      add_serving_command(serving, "judge", "Judge a round's performance from its evidence", *options);
  command.footer(
      "Example:\n  profdb serving judge --db prof.db --round r7\n"
      "Adds a verdict; earlier ones stay. Exit codes: 0 PASS, 1 FAIL, 5 INCONCLUSIVE.");
  command.callback([options, &action] { action = [options] { return judge(*options); }; });
}

void add_serving_accuracy(Command serving, Action& action) {
  const auto options = std::make_shared<ServingOptions>();
  const auto requested = std::make_shared<bool>(false);
  const Command command = add_serving_command(serving, "accuracy",
                                              "Judge a round's accuracy from the scorer's results", *options);
  command.add_flag("--requested", *requested,
                   "It was explicitly asked for, whatever the verdict on performance");
  command.footer(
      "Example:\n  profdb serving accuracy --db prof.db --round r7\n"
      "NOT_RUN before a PASS of performance. Exit codes: 0 PASS, 1 FAIL, 5 INCONCLUSIVE or NOT_RUN.");
  command.callback([options, requested, &action] {
    action = [options, requested] { return accuracy(*options, *requested); };
  });
}

void add_serving_accept(Command serving, Action& action) {
  const auto options = std::make_shared<ServingOptions>();
  const Command command = add_serving_command(
      serving, "accept", "Conclude a round: performance, accuracy, function and configuration together",
      *options);
  command.footer(
      "Example:\n  profdb serving accept --db prof.db --round r7\n"
      "A candidate is retained only where all passed; each missing part is named.\n"
      "Exit codes: 0 PASS, 1 FAIL, 5 INCONCLUSIVE.");
  command.callback([options, &action] { action = [options] { return accept(*options); }; });
}

void add_serving_verify(Command serving, Action& action) {
  const auto options = std::make_shared<ServingOptions>();
  const Command command =
      serving.add_subcommand("verify", "Recompute every digest and number of rounds from their archive");
  add_db_option(command, options->database);
  command.add_option("--round", options->round, "Only this round, and those that its verdict rests on")
      .type_name("ROUND");
  add_json_option(command, options->json);
  command.footer(
      "Example:\n  profdb serving verify --db prof.db --round r7\n"
      "Lists each difference by record and field. Where there is one, verdicts that it concerns are given "
      "again.\n"
      "Exits with 5 where something differs.");
  command.callback([options, &action] { action = [options] { return verify(*options); }; });
}

}  // namespace profdb::cli
