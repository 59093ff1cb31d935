// One lookup: the contract's order of resolution, from a leaf operator to a result.
#pragma once

#include "engine/release_state.h"
#include "engine/store/database.h"
#include "profdb/engine.h"

namespace profdb {

// Answers a validated leaf within the caller's read transaction.
Result lookup(store::Connection& connection, const ReleaseState& release, const EngineOptions& options,
              const LeafOp& leaf);

// From near to far (contract §5); reasons that the list does not name are extraction reasons.
int reason_rank(std::string_view reason);

}  // namespace profdb
