// Loading a release for lookups: its mapping, its projections, and the plan of each of its operators.
#pragma once

#include <memory>
#include <string>

#include "engine/lookup/plan.h"
#include "engine/store/database.h"

namespace profdb {

// Reads a release whole, within the caller's read transaction. `selector` as EngineOptions::release. Throws
// Error(usage) that lists the releases where it names none, or does not decide.
std::shared_ptr<const ReleaseState> load_release(store::Connection& connection, const std::string& selector);

}  // namespace profdb
