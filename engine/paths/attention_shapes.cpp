// Query shapes and request groups of the sparse attention paths.
#include "engine/paths/attention_shapes.h"

#include "engine/paths/roles.h"

namespace profdb {

std::optional<QueryShape> query_shape(const Shape& query) {
  const std::size_t rank = query.size();
  if (rank != 3 && rank != 4) return std::nullopt;
  QueryShape shape;
  shape.tokens = rank == 3 ? query[0] : query[0] * query[1];
  shape.rank = rank == 4 && query[0] == 1 ? 3 : static_cast<std::int64_t>(rank);
  shape.heads = query[rank - 2];
  shape.head_dim = query[rank - 1];
  return shape;
}

std::string metadata_text(const std::vector<TensorSlot>& tensors) {
  std::string text;
  for (const TensorSlot& tensor : tensors) {
    if (!tensor.present || tensor.shape.empty() || (tensor.dtype != "INT32" && tensor.dtype != "INT64"))
      continue;
    text += (text.empty() ? "" : ";") + tensor.dtype + "[" + to_string(tensor.shape) + "]";
  }
  return text;
}

std::string request_group(const std::string& metadata, const std::string& query_lens,
                          const std::string& seq_lens, const std::string& phase) {
  std::string group = metadata;
  if (!query_lens.empty()) group += "|query_lens=" + query_lens;
  if (!seq_lens.empty()) group += "|seq_lens=" + seq_lens;
  if (!phase.empty()) group += "|phase=" + phase;
  return group;
}

std::string row_query_lens(const Row& row) {
  return list_text(row.field("Runtime actual_seq_lengths_values"));
}
std::string row_seq_lens(const Row& row) {
  return list_text(row.field("Runtime actual_seq_lengths_kv_values"));
}

}  // namespace profdb
