// Contract §10: dynamic quantization scales by M and K.
#include <fmt/format.h>

#include "engine/lookup/signature.h"
#include "engine/paths/registry.h"
#include "engine/paths/roles.h"

namespace profdb {
namespace {

struct ComputeScaleParts {
  TensorSlot input;
  std::vector<TensorSlot> outputs;
  bool block_quant = false;  // DynamicBlockQuant
};

struct Scale {
  std::string mode;
  std::int64_t block_size = 0;
};

// The first mode that holds; nothing where none does.
std::optional<Scale> scale_of(const Shape& scale, std::int64_t m, std::int64_t k, bool block_quant) {
  const std::int64_t elements = element_count(scale);
  if (block_quant && !scale.empty()) {
    if (scale.back() <= 0) return std::nullopt;
    return Scale{"per_block", (k + scale.back() - 1) / scale.back()};
  }
  if (scale.empty() || (elements == 1 && m > 1)) return Scale{"per_tensor"};
  if (elements == m) return Scale{"per_token"};
  if (elements == k) return Scale{"per_channel"};
  return std::nullopt;
}

class ComputeScale final : public Path {
 public:
  const PathSpec& spec() const override {
    static const PathSpec spec{
        .name = "compute_scale",
        .fields = {{"input_dtype"},
                   {"input_format"},
                   {"output_count", false},
                   {"output_dtypes"},
                   {"output_formats"},
                   {"scale_modes"},
                   {"block_size", false}},
        .axes = {"M", "K"},
        .groups = {{0}, {1}, {0, 1}},
        .selector = Selector::compute_subcategory,
    };
    return spec;
  }

  std::variant<Candidate, Unfit> project(const Row& row, const ProjectionKey& key) const override {
    const auto input = row_slot(row.inputs, 0);
    if (!input) return Unfit{"target_unextractable", "no input in slot 0"};
    ComputeScaleParts parts{*input, {}, key.kernel == "DynamicBlockQuant"};
    for (std::size_t i = 0; i < row.outputs.size(); ++i)
      if (const auto output = row_slot(row.outputs, i)) parts.outputs.push_back(*output);
    return point<Candidate>(parts);
  }

  std::variant<Target, Unfit> target(const Call& call) const override {
    const Tensor* input = tensor_of(call.leaf, "x", 0);
    if (input == nullptr) return Unfit{"target_unextractable", "no input tensor"};
    constexpr bool kFloat16IsBf16 = false;  // FP16 has data of its own here
    ComputeScaleParts parts{call_slot(*input, "ND", kFloat16IsBf16), {}, call.kernel == "DynamicBlockQuant"};
    for (const Tensor& output : call.leaf.outputs)
      parts.outputs.push_back(call_slot(output, "ND", kFloat16IsBf16));
    auto target = point<Target>(parts);
    if (auto* found = std::get_if<Target>(&target)) found->path_fields = {{"scale_modes", found->regime[5]}};
    return target;
  }

 private:
  template <typename Point>
  static std::variant<Point, Unfit> point(const ComputeScaleParts& parts) {
    if (parts.input.shape.empty()) return Unfit{"target_unextractable", "the input is a scalar"};
    if (parts.outputs.size() < 2) return Unfit{"target_unextractable", "no auxiliary output (scale)"};
    if (parts.outputs[0].shape != parts.input.shape)
      return Unfit{"target_unextractable", "output 0 has not the input's shape"};
    const std::int64_t k = parts.input.shape.back();
    const std::int64_t m = element_count(Shape(parts.input.shape.begin(), parts.input.shape.end() - 1));
    std::string modes;
    std::int64_t block_size = 0;
    for (std::size_t i = 1; i < parts.outputs.size(); ++i) {
      const auto scale = scale_of(parts.outputs[i].shape, m, k, parts.block_quant);
      if (!scale)
        return Unfit{"target_unextractable",
                     fmt::format("the scale {} fits no mode", to_string(parts.outputs[i].shape))};
      if (i > 1) modes += ';';
      modes += scale->mode;
      // Outputs that differ in their blocks say so in their mode, since the regime has one block size.
      if (i > 1 && scale->block_size != block_size) modes += fmt::format("({})", scale->block_size);
      if (i == 1) block_size = scale->block_size;
    }
    Point point;
    point.regime = {parts.input.dtype,
                    parts.input.format,
                    static_cast<std::int64_t>(parts.outputs.size()),
                    joined_dtypes(parts.outputs),
                    joined_formats(parts.outputs),
                    modes,
                    block_size};
    point.coordinate = {m, k};
    return point;
  }
};

}  // namespace

const Path& compute_scale_path() {
  static const ComputeScale path;
  return path;
}

}  // namespace profdb
