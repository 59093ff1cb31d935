// The rules for a run as a whole, and for the runs of a round together (acceptance-protocol §1).
#pragma once

#include <vector>

#include "serving/rules/evidence.h"

namespace profdb::serving {

// The names, in the order in which they are made.
const std::vector<std::string>& run_check_names();

// Validates a run: its service, its archive and all its levels. All checks but `replacement`, which needs the
// other runs' validations.
RunValidation validate_run(const RoundEvidence& round, const RunEvidence& run);

// Validates every run of the round, in the order of their start.
std::vector<RunValidation> validate_round(const RoundEvidence& round);

// The two runs that stand for B1 and B2: B3 where it replaces one. Null where there is none.
struct EffectiveRuns {
  const RunValidation* b1 = nullptr;
  const RunValidation* b2 = nullptr;
};
EffectiveRuns effective_runs(const RoundEvidence& round, const std::vector<RunValidation>& validations);

}  // namespace profdb::serving
