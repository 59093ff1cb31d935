// profdb serving: the subcommands of serving acceptance, and what they share.
#pragma once

#include <memory>
#include <string>

#include "cli/commands.h"
#include "serving/archive/actions.h"
#include "serving/rules/verdict.h"

namespace profdb::cli {

// 0 PASS, 1 FAIL, 5 INCONCLUSIVE and NOT_RUN.
int exit_code(serving::Verdict verdict);

// What most of them take.
struct ServingOptions {
  std::string database;
  std::string round;
  bool json = false;
};

// A subcommand with --db, --round and --json.
Command add_serving_command(Command serving, const char* name, const char* what, ServingOptions& options);

// "performance  PASS (rule 4)  reason"
std::string verdict_text(const std::vector<serving::StoredVerdict>& verdicts);
// The failing checks of runs and rounds as a table; empty where all are kept.
std::string failures_text(const std::vector<serving::RunValidation>& runs,
                          const std::vector<serving::Check>& checks);
// "SYNTHETIC: ..." of a round whose evidence is made up; empty otherwise.
std::string synthetic_text(const serving::StoredRound& round);

void add_serving_init(Command serving, Action& action);
void add_serving_freeze(Command serving, Action& action);
void add_serving_run(Command serving, Action& action);
void add_serving_import(Command serving, Action& action);
void add_serving_status(Command serving, Action& action);
void add_serving_seal(Command serving, Action& action);
void add_serving_validate(Command serving, Action& action);
void add_serving_calibrate(Command serving, Action& action);
void add_serving_judge(Command serving, Action& action);
void add_serving_accuracy(Command serving, Action& action);
void add_serving_accept(Command serving, Action& action);
void add_serving_verify(Command serving, Action& action);
void add_serving_ledger(Command serving, Action& action);
void add_serving_report(Command serving, Action& action);
void add_serving_history(Command serving, Action& action);
void add_serving_export(Command serving, Action& action);

}  // namespace profdb::cli
