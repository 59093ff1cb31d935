// A leaf operator call as canonical JSON text (formats §4).
#pragma once

#include <string>

#include "profdb/leaf_op.h"

namespace profdb {

// Appends the text of to_json(leaf): dump() with bytes that are not UTF-8 replaced.
void append_json(std::string& out, const LeafOp& leaf);

}  // namespace profdb
