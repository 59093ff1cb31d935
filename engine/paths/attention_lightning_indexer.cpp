// Contract §8: LightningIndexer by tokens and cache blocks.
#include "engine/paths/attention_shapes.h"
#include "engine/paths/registry.h"
#include "engine/paths/roles.h"

namespace profdb {
namespace {

struct LightningIndexerParts {
  TensorSlot query;
  TensorSlot cache;
  std::int64_t topk = 0;
  std::string request_group;
  std::string api_path;
};

class AttentionLightningIndexer final : public Path {
 public:
  const PathSpec& spec() const override {
    static const PathSpec spec{
        .name = "attention_lightning_indexer",
        .fields = {{"query_dtype"},
                   {"cache_dtype"},
                   {"cache_tail"},
                   {"query_format"},
                   {"cache_format"},
                   {"query_rank", false},
                   {"heads", false},
                   {"head_dim", false},
                   {"topk", false},
                   {"request_group"},
                   {"api_path", true, Match::open, "api_path_unspecified"}},
        .axes = {"tokens", "cache_blocks"},
        .groups = {{0}, {1}, {0, 1}},
        .selector = Selector::query_mode,
        .ambiguity_closes_coordinate = true,
        .ambiguity_closes_regime = true,
    };
    return spec;
  }

  std::variant<Candidate, Unfit> project(const Row& row, const ProjectionKey&) const override {
    const auto query = row_slot(row.inputs, 0);
    const auto cache = row_slot(row.inputs, 1);
    const auto output = row_slot(row.outputs, 0);
    if (!query || !cache) return Unfit{"target_unextractable", "no query in slot 0 or no cache in slot 1"};
    if (!output || output->shape.empty()) return Unfit{"target_unextractable", "no output to read topk from"};
    const std::vector<TensorSlot> rest(
        row.inputs.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, row.inputs.size())),
        row.inputs.end());
    const std::string metadata = metadata_text(rest);
    if (metadata.empty())
      return Unfit{"request_group_unextractable", "no INT32 or INT64 tensor after slot 2"};
    return point<Candidate>({*query, *cache, output->shape.back(),
                             request_group(metadata, row_query_lens(row), row_seq_lens(row),
                                           std::string(row.field("Runtime phase"))),
                             std::string(row.field("API Path"))});
  }

  std::variant<Target, Unfit> target(const Call& call) const override {
    const LeafOp& leaf = call.leaf;
    const Argument* query = argument_of(leaf, "query", 0);
    const Argument* weights = argument_of(leaf, "weights", 1);
    const Argument* cache = argument_of(leaf, "cache", 2);
    const auto is_tensor = [](const Argument* a) {
      return a != nullptr && a->kind == Argument::Kind::tensor;
    };
    if (!is_tensor(query) || !is_tensor(cache)) return Unfit{"target_unextractable", "no query or no cache"};
    if (leaf.outputs.empty() || leaf.outputs.front().shape.empty())
      return Unfit{"target_unextractable", "no output to read topk from"};
    std::vector<TensorSlot> rest;
    for (const Argument& argument : leaf.inputs)
      if (&argument != query && &argument != weights && &argument != cache)
        for (const Tensor& tensor : argument.tensors) rest.push_back(call_slot(tensor));
    const std::string metadata = metadata_text(rest);
    if (metadata.empty())
      return Unfit{"request_group_unextractable", "the call passes no INT32 or INT64 metadata tensor"};
    std::string api_path = attr_text(leaf, "api_path");
    if (api_path.empty()) api_path = call.op.api_path.value_or("");
    auto target = point<Target>({call_slot(query->tensors.front()), call_slot(cache->tensors.front()),
                                 call_slot(leaf.outputs.front()).shape.back(),
                                 request_group(metadata, attr_list_text(leaf, "query_lens"),
                                               attr_list_text(leaf, "seq_lens"), attr_text(leaf, "phase")),
                                 api_path});
    if (auto* found = std::get_if<Target>(&target); found != nullptr && !api_path.empty())
      found->path_fields = {{"api_path", api_path}};
    return target;
  }

 private:
  template <typename Point>
  static std::variant<Point, Unfit> point(const LightningIndexerParts& parts) {
    const auto query = query_shape(parts.query.shape);
    if (!query) return Unfit{"target_unextractable", "the query is neither [T,H,D] nor [B,S,H,D]"};
    if (parts.cache.shape.empty()) return Unfit{"target_unextractable", "the cache is a scalar"};
    Point point;
    point.regime = {parts.query.dtype,
                    parts.cache.dtype,
                    to_string(Shape(parts.cache.shape.begin() + 1, parts.cache.shape.end())),
                    parts.query.format,
                    parts.cache.format,
                    query->rank,
                    query->heads,
                    query->head_dim,
                    parts.topk,
                    parts.request_group,
                    parts.api_path};
    point.coordinate = {query->tokens, parts.cache.shape.front()};
    return point;
  }
};

}  // namespace

const Path& attention_lightning_indexer_path() {
  static const AttentionLightningIndexer path;
  return path;
}

}  // namespace profdb
