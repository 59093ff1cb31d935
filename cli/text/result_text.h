// A lookup's result as text for people.
#pragma once

#include <string>

#include "profdb/engine.h"

namespace profdb::cli {

std::string result_text(const LeafOp& leaf, const Result& result, const ReleaseInfo& release);

}  // namespace profdb::cli
