// Contract §10: quantized matrix multiplication along M, K and N.
#include "engine/lookup/matrix_shapes.h"
#include "engine/paths/quant_subtype.h"
#include "engine/paths/registry.h"
#include "engine/paths/roles.h"

namespace profdb {
namespace {

struct QuantizedMatmulParts {
  Signature inputs;
  std::vector<TensorSlot> outputs;
};

// contract §10: by operator name, int8 unless it says otherwise.
std::string_view matmul_subtype(const std::string& op) {
  const std::string_view name = base_name(op);
  for (const auto& [part, subtype] :
       {std::pair<std::string_view, std::string_view>{"_int4", "int4"}, {"mxfp4", "mxfp4"}, {"fp8", "fp8"}})
    if (name.find(part) != std::string_view::npos) return subtype;
  return "int8";
}

class QuantizedMatmul final : public Path {
 public:
  const PathSpec& spec() const override {
    static const PathSpec spec{
        .name = "quantized_matmul",
        .fields = {{"input_count", false},
                   {"input_dtypes"},
                   {"lead_a"},
                   {"lead_b"},
                   {"quant_subtype"},
                   {"output_count", false},
                   {"output_dtypes"},
                   {"output_formats"},
                   {"input_formats", true, Match::format_open, "format_unspecified"}},
        .axes = {"M", "K", "N"},
        .groups = {{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}},
        .selector = Selector::compute_subcategory,
        .tc_input_count = true,
        .assumes_formats = true,
    };
    return spec;
  }

  std::variant<Candidate, Unfit> project(const Row& row, const ProjectionKey& key) const override {
    QuantizedMatmulParts parts{row_signature(row, key), {}};
    for (std::size_t i = 0; i < row.outputs.size(); ++i)
      if (const auto output = row_slot(row.outputs, i)) parts.outputs.push_back(*output);
    const auto subtype =
        parts.inputs.size() < 2 ? std::string_view() : subtype_of_dtype(parts.inputs[1].dtype);
    return point<Candidate>(parts, key.kernel, subtype);
  }

  std::variant<Target, Unfit> target(const Call& call) const override {
    QuantizedMatmulParts parts{call_signature(call), {}};
    for (const Tensor& output : call.leaf.outputs) parts.outputs.push_back(call_slot(output));
    auto target = point<Target>(parts, call.kernel, matmul_subtype(call.leaf.op));
    if (auto* found = std::get_if<Target>(&target))
      found->path_fields = {{"quant_subtype", found->regime[4]}};
    return target;
  }

 private:
  template <typename Point>
  static std::variant<Point, Unfit> point(QuantizedMatmulParts& parts, const std::string& kernel,
                                          std::string_view subtype) {
    if (parts.inputs.size() >= 2 && parts.inputs[1].shape.size() == 2)
      parts.inputs[0].shape = without_leading_one(parts.inputs[0].shape);
    const auto shapes = matrix_shapes(parts.inputs, kernel);
    if (!shapes) return Unfit{"target_unextractable", "inputs 0 and 1 are not matrices with a common K"};
    if (parts.outputs.empty()) return Unfit{"target_unextractable", "no output"};
    if (subtype.empty()) return Unfit{"quant_subtype_unknown", parts.inputs[1].dtype};
    Point point;
    point.regime = {static_cast<std::int64_t>(parts.inputs.size()),
                    joined_dtypes(parts.inputs),
                    to_string(shapes->lead_a),
                    to_string(shapes->lead_b),
                    std::string(subtype),
                    static_cast<std::int64_t>(parts.outputs.size()),
                    joined_dtypes(parts.outputs),
                    joined_formats(parts.outputs),
                    joined_formats(parts.inputs)};
    point.coordinate = {shapes->m, shapes->k, shapes->n};
    return point;
  }
};

}  // namespace

const Path& quantized_matmul_path() {
  static const QuantizedMatmul path;
  return path;
}

}  // namespace profdb
