// A candidate's round against its parent's runs: what is comparable, the figures, the verdict
// (acceptance-protocol §4); and the thresholds that a calibration round gives (acceptance-protocol §3).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "serving/rules/calibration.h"
#include "serving/rules/run_checks.h"
#include "serving/rules/verdict.h"

namespace profdb::serving {

// A run that the RunSpec names as one of the parent's.
struct ReferenceEvidence {
  Reference named;
  std::shared_ptr<const RoundEvidence> round;  // null where there is no such round
  const RunEvidence* run = nullptr;            // null where the round has no such run
  std::optional<RunValidation> validation;
};

// What a calibration round gave, and under which terms.
struct CalibrationResult {
  std::string round;
  std::string protocol_sha256;
  std::string pool_sha256;
  Identity version;
  std::vector<Check> checks;                        // what makes it unusable, by name
  std::map<std::int64_t, CalibrationLevel> levels;  // empty where it is not usable
  bool usable() const { return all_ok(checks) && !levels.empty(); }
};

// Thresholds from all planned pairs of the round; none where a pair is missing, not sealed or not valid.
CalibrationResult calibrate_round(const RoundEvidence& round, const std::vector<RunValidation>& validations);

struct CandidateEvidence {
  RoundEvidence round;
  std::vector<ReferenceEvidence> references;
  std::optional<CalibrationResult> calibration;  // where the RunSpec names one
};

struct PerformanceJudgement {
  VerdictResult result;
  std::vector<Check> checks;        // of the round as a whole and of comparability, by name
  std::vector<RunValidation> runs;  // of the round
  std::map<std::int64_t, std::vector<std::pair<std::string, double>>>
      parent_runs;  // per level: run and B_r(C)
};

// P, B1, B2 and the verdict. What a failing check concerns has no figures, so that rule 1 decides and names
// it.
PerformanceJudgement judge_candidate(const CandidateEvidence& evidence);

// Final acceptance: two valid runs of one commit, TPOT(C) <= limit at every level (acceptance-protocol §5).
// The result's levels have no parent figures; rule is 1 for missing evidence, 2 for a level above the limit,
// 4 else.
PerformanceJudgement judge_acceptance(const RoundEvidence& round);

}  // namespace profdb::serving
