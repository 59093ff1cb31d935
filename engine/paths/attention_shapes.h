// What the sparse attention paths share: tokens of a query, and the request group (contract §8, §9).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/lookup/path.h"

namespace profdb {

struct QueryShape {
  std::int64_t tokens = 0;  // [T,H,D] -> T; [B,S,H,D] -> B*S
  std::int64_t rank = 0;    // after removing a leading 1 of a rank-4 query
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
};

// Nothing for a query that is neither of rank 3 nor of rank 4.
std::optional<QueryShape> query_shape(const Shape& query);

// Ordered (dtype, shape) of the INT32 and INT64 tensors; empty where there are none.
std::string metadata_text(const std::vector<TensorSlot>& tensors);

// Metadata with the request's lengths and phase, which join where they are stated.
std::string request_group(const std::string& metadata, const std::string& query_lens,
                          const std::string& seq_lens, const std::string& phase);

// The lengths that a row states.
std::string row_query_lens(const Row& row);
std::string row_seq_lens(const Row& row);

}  // namespace profdb
