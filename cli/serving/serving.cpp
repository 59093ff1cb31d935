// profdb serving: the parent command.
#include "cli/serving/serving.h"

#include <fmt/format.h>

#include "cli/input/options.h"
#include "cli/output/exit_code.h"
#include "cli/output/output.h"
#include "cli/output/table.h"

namespace profdb::cli {

int exit_code(serving::Verdict verdict) {
  switch (verdict) {
    case serving::Verdict::pass:
      return kDone;
    case serving::Verdict::fail:
      return kNo;
    case serving::Verdict::inconclusive:
    case serving::Verdict::not_run:
      break;
  }
  return kInconclusive;
}

Command add_serving_command(Command serving, const char* name, const char* what, ServingOptions& options) {
  const Command command = serving.add_subcommand(name, what);
  add_db_option(command, options.database);
  command.add_option("--round", options.round, "The round's id, as in its RunSpec")
      .required()
      .type_name("ROUND");
  add_json_option(command, options.json);
  return command;
}

std::string verdict_text(const std::vector<serving::StoredVerdict>& verdicts) {
  Table table(
      {{"part", Align::left, false}, {"verdict", Align::left, false}, {"rule", Align::right}, {"reason"}});
  for (const auto& verdict : verdicts)
    table.add({verdict.part, to_string(verdict.verdict), verdict.rule ? std::to_string(*verdict.rule) : "",
               printable(verdict.reason)});
  return table.text();
}

std::string failures_text(const std::vector<serving::RunValidation>& runs,
                          const std::vector<serving::Check>& checks) {
  Table table({{"where", Align::left, false}, {"check", Align::left, false}, {"detail"}});
  const auto add = [&table](const std::string& where, const std::vector<serving::Check>& list) {
    for (const serving::Check& check : list)
      if (!check.ok) table.add({where, check.name, printable(check.detail)});
  };
  add("round", checks);
  for (const serving::RunValidation& run : runs) {
    add(run.run, run.checks);
    for (const serving::LevelValidation& level : run.levels) {
      if (level.attempts.empty())
        table.add({fmt::format("{} level {}", run.run, level.level), "", "nothing was recorded"});
      for (const serving::AttemptValidation& attempt : level.attempts)
        add(fmt::format("{} level {} attempt {}", run.run, level.level, attempt.attempt), attempt.checks);
    }
  }
  return table.empty() ? "" : table.text();
}

std::string synthetic_text(const serving::StoredRound& round) {
  if (round.spec.synthetic.empty()) return "";
  return fmt::format("\nSYNTHETIC: the evidence of this round is made up. {}\n",
                     printable(round.spec.synthetic));
}

void add_serving(Command app, Action& action) {
  const Command serving = app.add_subcommand(
      "serving", "Accept or reject versions of a service by measured rounds, reproducibly");
  serving.require_subcommand();
  serving.footer(
      "Example:\n"
      "  profdb serving init round-7\n"
      "  profdb serving freeze round-7/runspec.yaml --db prof.db\n"
      "  profdb serving status --db prof.db --round r7\n"
      "status says what to do next. Exit codes: 0 PASS, 1 FAIL, 5 INCONCLUSIVE or NOT_RUN, else as "
      "everywhere.");
  add_serving_init(serving, action);
  add_serving_freeze(serving, action);
  add_serving_run(serving, action);
  add_serving_import(serving, action);
  add_serving_status(serving, action);
  add_serving_seal(serving, action);
  add_serving_validate(serving, action);
  add_serving_calibrate(serving, action);
  add_serving_judge(serving, action);
  add_serving_accuracy(serving, action);
  add_serving_accept(serving, action);
  add_serving_ledger(serving, action);
  add_serving_verify(serving, action);
  add_serving_report(serving, action);
  add_serving_history(serving, action);
  add_serving_export(serving, action);
}

}  // namespace profdb::cli
