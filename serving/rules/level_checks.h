// The validity of a level: every check of acceptance-protocol §2, by name.
#pragma once

#include <string>
#include <vector>

#include "serving/rules/evidence.h"

namespace profdb::serving {

// The names, in the order in which they are made.
const std::vector<std::string>& level_check_names();

// Validates one attempt at a level. `round` holds all runs, `run` among them: salts are unique over all
// attempts of the round, and no request of another run or phase may stand in the window.
AttemptValidation validate_attempt(const RoundEvidence& round, const RunEvidence& run, std::int64_t level,
                                   std::int64_t attempt);

// All attempts that were recorded of each of the protocol's levels.
std::vector<LevelValidation> validate_levels(const RoundEvidence& round, const RunEvidence& run);

}  // namespace profdb::serving
