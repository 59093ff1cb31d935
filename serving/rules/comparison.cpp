// Comparability, and the figures of a round.
#include "serving/rules/comparison.h"

#include <fmt/format.h>

#include <algorithm>

namespace profdb::serving {

namespace {

void check_own_round(const RoundEvidence& round, const std::vector<RunValidation>& validations,
                     CheckList& checks) {
  checks.open("round_archive");
  for (const std::string& problem : round.archive_problems) checks.fail(problem);
  checks.open("runs");
  const EffectiveRuns runs = effective_runs(round, validations);
  if (runs.b1 == nullptr) checks.fail("there is no run B1");
  if (runs.b2 == nullptr) checks.fail("there is no run B2");
  checks.open("runs_valid");
  for (const RunValidation* run : {runs.b1, runs.b2})
    if (run != nullptr && !run->valid()) checks.fail(fmt::format("run {}: {}", run->run, run->problems()));
}

void check_references(const CandidateEvidence& evidence, CheckList& checks) {
  checks.open("reference_found");
  if (evidence.references.empty()) checks.fail("the RunSpec names no run of the parent");
  for (const ReferenceEvidence& reference : evidence.references)
    if (reference.run == nullptr)
      checks.fail(fmt::format("{} is not in the database; import it", reference.named.run));
  checks.open("reference_digest");
  for (const ReferenceEvidence& reference : evidence.references) {
    if (reference.run == nullptr) continue;
    const auto& files = reference.run->record_files;
    if (files.size() != 1 || files.front() != reference.named.sha256)
      checks.fail(
          fmt::format("{} was imported from other records than the RunSpec names", reference.named.run));
  }
  checks.open("reference_valid");
  for (const ReferenceEvidence& reference : evidence.references) {
    if (reference.run == nullptr) continue;
    if (!reference.validation || !reference.validation->valid())
      checks.fail(fmt::format("{}: {}", reference.named.run,
                              reference.validation ? reference.validation->problems() : "not validated"));
    if (!reference.round->archive_problems.empty())
      checks.fail(fmt::format("{}: {}", reference.named.run, reference.round->archive_problems.front()));
  }
}

void check_parent(const CandidateEvidence& evidence, CheckList& checks) {
  const RunSpec& spec = evidence.round.spec;
  checks.open("direct_parent");
  if (!spec.parent) {
    checks.fail("the RunSpec names no parent");
    return;
  }
  if (spec.direct_parent != spec.parent->commit)
    checks.fail(fmt::format("the candidate is built on {}, the parent named is {}", spec.direct_parent,
                            spec.parent->commit));
  for (const ReferenceEvidence& reference : evidence.references) {
    if (reference.run == nullptr) continue;
    const auto other = differences(reference.run->service.identity, *spec.parent);
    if (!other.empty())
      checks.fail(fmt::format("{} ran another version than the parent named (other {})", reference.named.run,
                              fmt::join(other, ", ")));
  }
}

void check_comparable(const CandidateEvidence& evidence, CheckList& checks) {
  const RunSpec& spec = evidence.round.spec;
  checks.open("comparable_protocol");
  for (const ReferenceEvidence& reference : evidence.references)
    if (reference.round && reference.round->protocol_sha256 != evidence.round.protocol_sha256)
      checks.fail(fmt::format("{} ran under another protocol", reference.named.run));
  checks.open("comparable_workload");
  for (const ReferenceEvidence& reference : evidence.references)
    if (reference.round && reference.round->pool.sha256 != evidence.round.pool.sha256)
      checks.fail(fmt::format("{} ran with another prompt pool", reference.named.run));
  checks.open("comparable_weights");
  if (spec.parent && spec.parent->weights != spec.candidate.weights)
    checks.fail("parent and candidate have other weights");
  checks.open("comparable_configuration");
  if (spec.parent && spec.parent->configuration != spec.candidate.configuration)
    checks.fail("parent and candidate have other configurations");
  checks.open("reference_distinct");
  for (const ReferenceEvidence& reference : evidence.references)
    for (const RunEvidence& run : evidence.round.runs)
      if (reference.run != nullptr && reference.run->service.service == run.service.service)
        checks.fail(fmt::format("{} and run {} are on one service", reference.named.run, run.name));
}

// The thresholds of the round, from its RunSpec or its calibration; none where that is not usable.
std::map<std::int64_t, double> thresholds_of(const CandidateEvidence& evidence, CheckList& checks) {
  const RunSpec& spec = evidence.round.spec;
  checks.open("calibration");
  if (spec.calibration.empty()) return spec.thresholds;
  if (!evidence.calibration) {
    checks.fail(fmt::format("calibration {} is not in the database", spec.calibration));
    return {};
  }
  const CalibrationResult& calibration = *evidence.calibration;
  if (!calibration.usable())
    checks.fail(fmt::format("{} is not usable: {}", calibration.round, failures(calibration.checks)));
  if (calibration.protocol_sha256 != evidence.round.protocol_sha256)
    checks.fail(fmt::format("{} was made under another protocol", calibration.round));
  if (calibration.pool_sha256 != evidence.round.pool.sha256)
    checks.fail(fmt::format("{} was made with another workload", calibration.round));
  if (calibration.version.weights != spec.candidate.weights)
    checks.fail(fmt::format("{} was made with other weights", calibration.round));
  if (calibration.version.configuration != spec.candidate.configuration)
    checks.fail(fmt::format("{} was made with another configuration", calibration.round));
  std::map<std::int64_t, double> thresholds;
  for (const auto& [level, result] : calibration.levels) thresholds[level] = result.threshold;
  return thresholds;
}

void add_parent_figures(const CandidateEvidence& evidence, PerformanceJudgement& judgement) {
  for (const std::int64_t level : evidence.round.protocol.levels)
    for (const ReferenceEvidence& reference : evidence.references)
      if (reference.validation)
        if (const auto figure = reference.validation->mean_tpot(level))
          judgement.parent_runs[level].emplace_back(reference.named.run, *figure);
}

LevelFigures run_figures(const EffectiveRuns& runs, std::int64_t level) {
  LevelFigures figures;
  if (runs.b1 != nullptr && runs.b1->valid()) figures.b1 = runs.b1->mean_tpot(level);
  if (runs.b2 != nullptr && runs.b2->valid()) figures.b2 = runs.b2->mean_tpot(level);
  return figures;
}

// Rule 1 names the checks that fail, not only the figures that are missing for them.
void name_failures(PerformanceJudgement& judgement) {
  if (all_ok(judgement.checks)) return;
  judgement.result.verdict = Verdict::inconclusive;
  judgement.result.rule = 1;
  judgement.result.reason = failures(judgement.checks);
}

}  // namespace

CalibrationResult calibrate_round(const RoundEvidence& round, const std::vector<RunValidation>& validations) {
  CalibrationResult result;
  result.round = round.spec.round;
  result.protocol_sha256 = round.protocol_sha256;
  result.pool_sha256 = round.pool.sha256;
  result.version = round.spec.candidate;
  CheckList checks;
  checks.open("kind");
  if (round.spec.kind != RoundKind::calibration) checks.fail("the round is no calibration");
  checks.open("round_archive");
  for (const std::string& problem : round.archive_problems) checks.fail(problem);
  const auto validation = [&validations](const std::string& name) {
    return std::find_if(validations.begin(), validations.end(),
                        [&name](const RunValidation& one) { return one.run == name; });
  };
  checks.open("pairs_complete");
  for (const std::string& name : round.spec.planned_runs())
    if (round.run(name) == nullptr) checks.fail(fmt::format("run {} is missing; no pair is dropped", name));
  checks.open("pairs_sealed");
  for (const std::string& name : round.spec.planned_runs())
    if (const RunEvidence* run = round.run(name); run != nullptr && !run->sealed)
      checks.fail(fmt::format("run {} is not sealed", name));
  checks.open("pairs_valid");
  for (const std::string& name : round.spec.planned_runs())
    if (const auto one = validation(name); one != validations.end() && !one->valid())
      checks.fail(fmt::format("run {}: {}", name, one->problems()));
  result.checks = checks.take();
  if (!all_ok(result.checks)) return result;
  std::vector<CalibrationPair> pairs;
  for (const PlannedPair& planned : round.spec.pairs) {
    CalibrationPair& pair = pairs.emplace_back();
    for (const std::int64_t level : round.protocol.levels) {
      if (const auto value = validation(planned.parent)->mean_tpot(level)) pair.parent[level] = *value;
      if (const auto value = validation(planned.candidate)->mean_tpot(level)) pair.candidate[level] = *value;
    }
  }
  if (auto levels = calibrate(pairs, round.protocol.levels, round.protocol.threshold_floor))
    result.levels = std::move(*levels);
  return result;
}

PerformanceJudgement judge_candidate(const CandidateEvidence& evidence) {
  const RoundEvidence& round = evidence.round;
  PerformanceJudgement judgement;
  judgement.runs = validate_round(round);
  CheckList checks;
  check_own_round(round, judgement.runs, checks);
  check_references(evidence, checks);
  check_parent(evidence, checks);
  check_comparable(evidence, checks);
  VerdictInput input;
  input.limit_ms_per_token = round.protocol.limit_ms_per_token;
  input.targets = round.spec.targets;
  input.thresholds = thresholds_of(evidence, checks);
  judgement.checks = checks.take();
  add_parent_figures(evidence, judgement);
  const EffectiveRuns runs = effective_runs(round, judgement.runs);
  for (const std::int64_t level : round.protocol.levels) {
    LevelFigures& figures = input.levels[level] = run_figures(runs, level);
    std::vector<double> values;
    for (const auto& [run, value] : judgement.parent_runs[level]) values.push_back(value);
    // A reference without a figure is not left out of the median: there is no P then.
    if (values.size() == evidence.references.size()) figures.parent = usable_median(values);
  }
  judgement.result = judge(input);
  name_failures(judgement);
  return judgement;
}

PerformanceJudgement judge_acceptance(const RoundEvidence& round) {
  PerformanceJudgement judgement;
  judgement.runs = validate_round(round);
  CheckList checks;
  check_own_round(round, judgement.runs, checks);
  judgement.checks = checks.take();
  const EffectiveRuns runs = effective_runs(round, judgement.runs);
  VerdictResult& result = judgement.result;
  const double limit = round.protocol.limit_ms_per_token;
  std::string missing;
  std::string above;
  for (const std::int64_t level : round.protocol.levels) {
    LevelOutcome& outcome = result.levels[level];
    const LevelFigures figures = run_figures(runs, level);
    outcome.figures = {std::nullopt, usable(figures.b1), usable(figures.b2)};
    if (!outcome.figures.b1 || !outcome.figures.b2) {
      missing +=
          fmt::format("{}level {}: no usable figures of both runs", missing.empty() ? "" : "; ", level);
      continue;
    }
    outcome.tpot = (*outcome.figures.b1 + *outcome.figures.b2) / 2;
    if (*outcome.tpot > limit)
      above += fmt::format("{}level {}: {} ms/token is above the limit of {}", above.empty() ? "" : "; ",
                           level, *outcome.tpot, limit);
  }
  result.verdict = !missing.empty() ? Verdict::inconclusive : !above.empty() ? Verdict::fail : Verdict::pass;
  result.rule = !missing.empty() ? 1 : !above.empty() ? 2 : 4;
  result.reason = !missing.empty() ? missing
                  : !above.empty() ? above
                                   : fmt::format("every level is within the limit of {} ms/token", limit);
  name_failures(judgement);
  return judgement;
}

}  // namespace profdb::serving
