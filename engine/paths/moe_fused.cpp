// Contract §6: DispatchFFNCombine by tokens.
#include <algorithm>

#include "engine/lookup/signature.h"
#include "engine/paths/quant_subtype.h"
#include "engine/paths/registry.h"
#include "engine/paths/roles.h"

namespace profdb {
namespace {

// What row and call have in common once their tensors are found.
struct MoeFusedParts {
  TensorSlot x;
  TensorSlot expert_indices;
  TensorSlot gmm1;  // [experts, hidden, n] after orientation
  TensorSlot gmm2;  // [experts, n, hidden]
  std::int64_t ep_size = 0;
  std::int64_t local_experts = kAbsentInteger;
};

// [experts, hidden, n] from [experts, n, hidden] where that is how the weight stands; nothing where neither
// fits.
std::optional<Shape> oriented(const Shape& weight, std::int64_t hidden, std::size_t hidden_at) {
  if (weight.size() != 3) return std::nullopt;
  if (weight[hidden_at] == hidden) return weight;
  const std::size_t other = 3 - hidden_at;
  if (weight[other] != hidden) return std::nullopt;
  return Shape{weight[0], weight[2], weight[1]};
}

// A list of equal per-expert weights as one [experts, ...] slot; a stacked tensor as it is.
std::optional<TensorSlot> stacked(const Argument* argument, std::string_view assumed_format) {
  if (argument == nullptr || argument->tensors.empty()) return std::nullopt;
  const auto same = [&](const Tensor& t) {
    return t.shape == argument->tensors.front().shape && t.dtype == argument->tensors.front().dtype &&
           t.format == argument->tensors.front().format;
  };
  if (!std::all_of(argument->tensors.begin(), argument->tensors.end(), same)) return std::nullopt;
  TensorSlot slot = call_slot(argument->tensors.front(), assumed_format);
  if (argument->kind == Argument::Kind::list)
    slot.shape.insert(slot.shape.begin(), static_cast<std::int64_t>(argument->tensors.size()));
  return slot;
}

// What the mapping assumes for an argument, by where it stands in the call.
std::string_view assumed_format(const Call& call, const Argument* argument) {
  return argument == nullptr
             ? std::string_view()
             : expected_format(call.op, static_cast<std::size_t>(argument - call.leaf.inputs.data()));
}

// contract §6: by operator name; empty where it names none.
std::string_view moe_fused_subtype(const std::string& op) {
  constexpr std::string_view kStem = "dispatch_ffn_combine";
  std::string_view name = base_name(op);
  if (!name.starts_with(kStem)) return {};
  name.remove_prefix(kStem.size());
  if (name.empty()) return "plain";
  if (name == "_quant") return "w8a8";
  if (name == "_int4" || name == "_quant_int4") return "int4";
  if (name == "_fp8" || name == "_quant_fp8") return "fp8";
  if (name == "_mxfp4" || name == "_quant_mxfp4") return "mxfp4";
  return {};
}

std::string_view subtype_of_row(const MoeFusedParts& parts) {
  if (parts.gmm1.dtype == parts.x.dtype) return "plain";
  const auto subtype = subtype_of_dtype(parts.gmm1.dtype);
  return subtype == "int8" ? "w8a8" : subtype;
}

class MoeFused final : public Path {
 public:
  const PathSpec& spec() const override {
    static const PathSpec spec{
        .name = "moe_fused",
        .fields = {{"activation_dtype"},
                   {"activation_format"},
                   {"quant_subtype"},
                   {"weight_dtype"},
                   {"gmm1_weight_shape"},
                   {"gmm2_weight_shape"},
                   {"hidden", false},
                   {"topk", false},
                   {"ep_size", false},
                   {"local_experts", false, Match::open, "local_experts_unspecified"},
                   {"gmm1_weight_format", true, Match::open, "format_unspecified"},
                   {"gmm2_weight_format", true, Match::open, "format_unspecified"}},
        .axes = {"tokens"},
        .groups = {{0}},
        .selector = Selector::query_mode,
        .assumes_formats = true,
        .ambiguity_closes_coordinate = true,
    };
    return spec;
  }

  std::variant<Candidate, Unfit> project(const Row& row, const ProjectionKey&) const override {
    MoeFusedParts parts;
    const std::string_view ep = row.field("EP Size");
    if (ep.empty()) return Unfit{"ep_size_missing", "no EP Size"};
    const auto ep_size = cell_whole(ep);
    if (!ep_size || *ep_size < 1) return Unfit{"ep_size_invalid", std::string(ep)};
    parts.ep_size = *ep_size;
    const auto x = row_slot(row.inputs, 0);
    const auto gmm1 = row_slot(row.inputs, 1);
    const auto gmm2 = row_slot(row.inputs, 2);
    const auto experts = row_slot(row.inputs, 3);
    if (!x) return Unfit{"target_unextractable", "no activation in slot 0"};
    if (!gmm1 || !gmm2) return Unfit{"moe_weight_shapes_unextractable", "no weights in slots 1 and 2"};
    if (!experts) return Unfit{"topk_unextractable", "no expert indices in slot 3"};
    parts.x = *x;
    parts.gmm1 = *gmm1;
    parts.gmm2 = *gmm2;
    parts.expert_indices = *experts;
    const std::string_view local_cell = row.field("Local Experts");
    const auto local = cell_whole(local_cell);
    if (!local_cell.empty() && (!local || *local < 1))
      return Unfit{"local_experts_invalid", std::string(local_cell)};
    if (local)
      parts.local_experts = *local;
    else if (!parts.gmm1.shape.empty())
      parts.local_experts = parts.gmm1.shape[0];
    return point<Candidate>(parts, subtype_of_row(parts));
  }

  std::variant<Target, Unfit> target(const Call& call) const override {
    if (!call.options.ep_size)
      return Unfit{"ep_size_not_configured", "the engine was opened without ep_size"};
    MoeFusedParts parts;
    parts.ep_size = *call.options.ep_size;
    const Tensor* x = tensor_of(call.leaf, "x", 0);
    const Tensor* experts = tensor_of(call.leaf, "expert_indices", 1);
    const Argument* gmm1 = argument_of(call.leaf, "gmm1_weight", 2);
    const Argument* gmm2 = argument_of(call.leaf, "gmm2_weight", 3);
    if (x == nullptr || x->shape.empty()) return Unfit{"target_unextractable", "no activation x"};
    parts.x = call_slot(*x);
    const auto weight1 = stacked(gmm1, assumed_format(call, gmm1));
    const auto weight2 = stacked(gmm2, assumed_format(call, gmm2));
    if (!weight1 || !weight2)
      return Unfit{"moe_weight_shapes_unextractable",
                   "gmm1_weight and gmm2_weight are not lists of equal weights"};
    if (experts == nullptr || experts->shape.empty()) return Unfit{"topk_unextractable", "no expert_indices"};
    parts.expert_indices = call_slot(*experts);
    parts.gmm1 = *weight1;
    parts.gmm2 = *weight2;
    if (!parts.gmm1.shape.empty()) parts.local_experts = parts.gmm1.shape[0];
    auto target = point<Target>(parts, moe_fused_subtype(call.leaf.op));
    if (auto* found = std::get_if<Target>(&target))
      found->path_fields = {{"ep_size", parts.ep_size}, {"quant_subtype", found->regime[2]}};
    return target;
  }

 private:
  template <typename Point>
  static std::variant<Point, Unfit> point(MoeFusedParts& parts, std::string_view subtype) {
    const std::int64_t hidden = parts.x.shape.back();
    const std::int64_t tokens = element_count(Shape(parts.x.shape.begin(), parts.x.shape.end() - 1));
    const auto gmm1 = oriented(parts.gmm1.shape, hidden, 1);
    const auto gmm2 = oriented(parts.gmm2.shape, hidden, 2);
    if (!gmm1 || !gmm2)
      return Unfit{"moe_weight_shapes_unextractable",
                   "a weight is not [experts, hidden, n] or its transpose"};
    const Shape& indices = parts.expert_indices.shape;
    if (indices.empty() || element_count(Shape(indices.begin(), indices.end() - 1)) != tokens)
      return Unfit{"topk_unextractable",
                   "the leading dimensions of expert_indices do not multiply to tokens"};
    if (subtype.empty()) return Unfit{"quant_subtype_unknown", parts.gmm1.dtype};
    const std::string weight_dtype =
        parts.gmm1.dtype == parts.gmm2.dtype ? parts.gmm1.dtype : parts.gmm1.dtype + ";" + parts.gmm2.dtype;
    Point point;
    point.regime = {
        parts.x.dtype,     parts.x.format,   std::string(subtype), weight_dtype,  to_string(*gmm1),
        to_string(*gmm2),  hidden,           indices.back(),       parts.ep_size, parts.local_experts,
        parts.gmm1.format, parts.gmm2.format};
    point.coordinate = {tokens};
    return point;
  }
};

}  // namespace

const Path& moe_fused_path() {
  static const MoeFused path;
  return path;
}

}  // namespace profdb
