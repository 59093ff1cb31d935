// Roughly what leaves and results hold, for budgets and queues.
#pragma once

#include <cstddef>

#include "profdb/leaf_op.h"
#include "profdb/result.h"

namespace profdb {

// Bytes, with what the object points to.
std::size_t memory_of(const LeafOp& leaf);
std::size_t memory_of(const Result& result);

}  // namespace profdb
