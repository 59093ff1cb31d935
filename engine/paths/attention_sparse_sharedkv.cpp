// Contract §9: SparseFlashAttention by tokens. Cache capacity is not a length: never an axis.
#include "engine/paths/attention_shapes.h"
#include "engine/paths/registry.h"
#include "engine/paths/roles.h"

namespace profdb {
namespace {

struct SparseSharedkvParts {
  TensorSlot query;
  TensorSlot cache;
  TensorSlot topk_indices;
  std::string sparse_phase;
  std::string metadata;
  std::string query_lens;
  std::string seq_lens;
};

bool is_metadata_role(const std::string& role) {
  return role == "block_table" || role == "actual_seq_lengths_query" || role == "actual_seq_lengths_kv";
}

class AttentionSparseSharedkv final : public Path {
 public:
  const PathSpec& spec() const override {
    static const PathSpec spec{
        .name = "attention_sparse_sharedkv",
        .fields = {{"query_dtype"},
                   {"cache_dtype"},
                   {"query_format"},
                   {"cache_format"},
                   {"heads", false},
                   {"head_dim", false},
                   {"cache_shape"},
                   {"sparse_phase"},
                   {"selected_topk", false},
                   {"request_group"}},
        .axes = {"tokens"},
        .groups = {{0}},
        .selector = Selector::query_mode,
        .ambiguity_closes_coordinate = true,
        .ambiguity_closes_regime = true,
    };
    return spec;
  }

  std::variant<Candidate, Unfit> project(const Row& row, const ProjectionKey&) const override {
    const auto query = row_slot(row.inputs, 0);
    const auto cache = row_slot(row.inputs, 1);
    if (!query || !cache) return Unfit{"target_unextractable", "no query in slot 0 or no cache in slot 1"};
    SparseSharedkvParts parts{*query,
                              *cache,
                              row_slot(row.inputs, 3).value_or(TensorSlot{}),
                              std::string(row.field("Runtime phase")),
                              "",
                              row_query_lens(row),
                              row_seq_lens(row)};
    if (row.inputs.size() > 4) parts.metadata = metadata_text({row.inputs.begin() + 4, row.inputs.end()});
    return point<Candidate>(parts);
  }

  std::variant<Target, Unfit> target(const Call& call) const override {
    const LeafOp& leaf = call.leaf;
    const Tensor* query = tensor_of(leaf, "query", 0);
    const Tensor* cache = tensor_of(leaf, "cache", 1);
    const Tensor* topk = tensor_of(leaf, "topk_indices", 3);
    if (query == nullptr || cache == nullptr) return Unfit{"target_unextractable", "no query or no cache"};
    std::string phase = attr_text(leaf, "sparse_phase");
    if (phase.empty()) phase = attr_text(leaf, "phase");
    std::vector<TensorSlot> metadata;
    for (const Argument& argument : leaf.inputs)
      if (is_metadata_role(argument.role))
        for (const Tensor& tensor : argument.tensors) metadata.push_back(call_slot(tensor));
    return point<Target>({call_slot(*query), call_slot(*cache),
                          topk == nullptr ? TensorSlot{} : call_slot(*topk), phase, metadata_text(metadata),
                          attr_list_text(leaf, "query_lens"), attr_list_text(leaf, "seq_lens")});
  }

 private:
  template <typename Point>
  static std::variant<Point, Unfit> point(const SparseSharedkvParts& parts) {
    const auto query = query_shape(parts.query.shape);
    if (!query) return Unfit{"target_unextractable", "the query is neither [T,H,D] nor [B,S,H,D]"};
    if (parts.sparse_phase.empty())
      return Unfit{"sparse_phase_unextractable", "neither sparse_phase nor phase is stated"};
    if (parts.topk_indices.shape.empty()) return Unfit{"selected_topk_unextractable", "no topk_indices"};
    if (parts.metadata.empty())
      return Unfit{"request_group_unextractable", "no INT32 or INT64 metadata tensor"};
    Point point;
    point.regime = {parts.query.dtype,
                    parts.cache.dtype,
                    parts.query.format,
                    parts.cache.format,
                    query->heads,
                    query->head_dim,
                    to_string(parts.cache.shape),
                    parts.sparse_phase,
                    parts.topk_indices.shape.back(),
                    request_group(parts.metadata, parts.query_lens, parts.seq_lens, "")};
    point.coordinate = {query->tokens};
    return point;
  }
};

}  // namespace

const Path& attention_sparse_sharedkv_path() {
  static const AttentionSparseSharedkv path;
  return path;
}

}  // namespace profdb
