// Loading what lookups will need before they ask.
#pragma once

#include <string>
#include <vector>

#include "engine/candidates/caches.h"
#include "engine/candidates/candidate_source.h"
#include "engine/lookup/plan.h"

namespace profdb {

// Engine::warm(), through a source that keeps what it loads in `caches`.
WarmReport warm(CandidateSource& candidates, const ReleaseState& release, const std::vector<std::string>& ops,
                const cache::Caches& caches);

}  // namespace profdb
