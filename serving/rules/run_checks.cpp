// The checks of runs.
#include "serving/rules/run_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utc.h"
#include "serving/rules/level_checks.h"

namespace profdb::serving {

namespace {

bool same_process(const ServiceRun& a, const ServiceRun& b) {
  return a.service == b.service || (a.host == b.host && a.pid == b.pid && a.start_ticks == b.start_ticks);
}

void check_identity(const RoundEvidence& round, const RunEvidence& run, CheckList& checks) {
  for (const auto& [name, member] : kIdentities) {
    checks.open(fmt::format("identity_{}", name));
    if (run.service.identity.*member != round.spec.candidate.*member)
      checks.fail(fmt::format("{} instead of the RunSpec's {}", run.service.identity.*member,
                              round.spec.candidate.*member));
  }
}

void check_service(const RoundEvidence& round, const RunEvidence& run, CheckList& checks) {
  checks.open("service_distinct");
  for (const RunEvidence& other : round.runs)
    if (&other != &run && same_process(run.service, other.service))
      checks.fail(fmt::format("runs {} and {} are on one service ({}, PID {})", run.name, other.name,
                              run.service.service, run.service.pid));
  checks.open("service_order");
  for (const RunEvidence& other : round.runs) {
    const bool earlier =
        other.service.started_utc_ns < run.service.started_utc_ns ||
        (other.service.started_utc_ns == run.service.started_utc_ns && other.name < run.name);
    if (&other == &run || !earlier) continue;
    if (!other.service.stopped_utc_ns)
      checks.fail(fmt::format("it is not recorded when the service of {} stopped", other.name));
    else if (*other.service.stopped_utc_ns > run.service.started_utc_ns)
      checks.fail(fmt::format("started at {}, before the service of {} had stopped at {}",
                              format_utc(run.service.started_utc_ns), other.name,
                              format_utc(*other.service.stopped_utc_ns)));
  }
  checks.open("service_life");
  if (run.service.stopped_utc_ns && *run.service.stopped_utc_ns < run.service.started_utc_ns)
    checks.fail("the service stopped before it started");
  checks.open("execution_paths");
  for (const std::string& required : round.spec.required_paths) {
    const auto& paths = run.service.execution_paths;
    const bool ran = std::any_of(paths.begin(), paths.end(), [&](const ExecutionPath& path) {
      return path.path == required && !path.ranks.empty();
    });
    if (!ran) checks.fail(fmt::format("no worker ran the required path '{}'", required));
  }
}

// Whether the run is one that the round plans; order of the plan for calibrations.
void check_plan(const RoundEvidence& round, const RunEvidence& run, CheckList& checks) {
  const auto planned = round.spec.planned_runs();
  checks.open("planned");
  const bool is_planned = std::find(planned.begin(), planned.end(), run.name) != planned.end();
  const bool may_replace = round.spec.kind != RoundKind::calibration && run.name == "B3";
  if (!is_planned && !may_replace) checks.fail(fmt::format("the RunSpec plans no run {}", run.name));
  // A run starts after all that stand before it in the plan.
  bool before = is_planned;
  for (const std::string& name : planned) {
    if (name == run.name) before = false;
    const RunEvidence* other = round.run(name);
    if (before && other != nullptr && other->service.started_utc_ns > run.service.started_utc_ns)
      checks.fail(fmt::format("started before run {}, against the plan", name));
  }
}

void check_archive(const RunEvidence& run, CheckList& checks) {
  checks.open("sealed");
  if (!run.sealed) checks.fail("the run is not sealed");
  checks.open("archive");
  for (const std::string& problem : run.archive_problems) checks.fail(problem);
  checks.open("probes");
  for (const RequestFacts& facts : run.requests)
    if (facts.record.phase == Phase::probe && !facts.monotone)
      checks.fail(fmt::format("{}: its times are not usable", facts.label()));
  checks.open("levels_planned");
}

// Records of levels that the protocol does not have are requests outside the plan.
void check_levels(const RoundEvidence& round, const RunEvidence& run, CheckList& checks) {
  for (const RequestFacts& facts : run.requests)
    if (facts.record.phase != Phase::probe && !round.protocol.has_level(facts.record.level))
      checks.fail(fmt::format("{}: the protocol has no such level", facts.label()));
}

// B3 takes a run's place only where that one is recorded as invalid, and is. Needs the others' validations.
void check_replacement(const RoundEvidence& round, std::vector<RunValidation>& validations, std::size_t at) {
  const ServiceRun& service = round.runs[at].service;
  CheckList checks;
  checks.open("replacement");
  if (service.run != "B3") {
    if (!service.replaces.empty()) checks.fail(fmt::format("run {} may not replace another", service.run));
  } else if (service.replaces != "B1" && service.replaces != "B2") {
    checks.fail("B3 names no run that it replaces; a third run counts only in the place of an invalid one");
  } else {
    for (std::size_t i = 0; i < round.runs.size(); ++i)
      if (round.runs[i].name == service.replaces && validations[i].valid())
        checks.fail(fmt::format("it replaces {}, which is valid", service.replaces));
  }
  validations[at].checks.push_back(checks.take().front());
}

}  // namespace

const std::vector<std::string>& run_check_names() {
  static const std::vector<std::string> names = {"identity_commit",
                                                 "identity_deployed_files",
                                                 "identity_weights",
                                                 "identity_operator_library",
                                                 "identity_configuration",
                                                 "service_distinct",
                                                 "service_order",
                                                 "service_life",
                                                 "execution_paths",
                                                 "planned",
                                                 "sealed",
                                                 "archive",
                                                 "probes",
                                                 "levels_planned",
                                                 "replacement"};
  return names;
}

RunValidation validate_run(const RoundEvidence& round, const RunEvidence& run) {
  RunValidation validation;
  validation.run = run.name;
  CheckList checks;
  check_identity(round, run, checks);
  check_service(round, run, checks);
  check_plan(round, run, checks);
  check_archive(run, checks);
  check_levels(round, run, checks);
  validation.checks = checks.take();
  validation.levels = validate_levels(round, run);
  validation.notes = metric_notes(run.service);
  return validation;
}

std::vector<RunValidation> validate_round(const RoundEvidence& round) {
  std::vector<RunValidation> validations;
  for (const RunEvidence& run : round.runs) validations.push_back(validate_run(round, run));
  for (std::size_t i = 0; i < round.runs.size(); ++i) check_replacement(round, validations, i);
  return validations;
}

EffectiveRuns effective_runs(const RoundEvidence& round, const std::vector<RunValidation>& validations) {
  EffectiveRuns runs;
  for (const RunValidation& validation : validations) {
    if (validation.run == "B1" && runs.b1 == nullptr) runs.b1 = &validation;
    if (validation.run == "B2" && runs.b2 == nullptr) runs.b2 = &validation;
  }
  for (std::size_t i = 0; i < validations.size(); ++i) {
    if (validations[i].run != "B3") continue;
    if (round.runs[i].service.replaces == "B1") runs.b1 = &validations[i];
    if (round.runs[i].service.replaces == "B2") runs.b2 = &validations[i];
  }
  return runs;
}

}  // namespace profdb::serving
