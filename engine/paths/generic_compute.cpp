// Contract §12: any other kernel, along the first dimension of input 0 or along the elements of its output.
#include "engine/lookup/search.h"
#include "engine/lookup/signature.h"
#include "engine/paths/registry.h"

namespace profdb {
namespace {

struct GenericComputeParts {
  Signature inputs;
  std::vector<Shape> outputs;  // logical
};

std::string shape_tail(const Shape& shape) {
  return to_string(Shape(shape.begin() + 1, shape.end()));
}

class GenericCompute final : public Path {
 public:
  const PathSpec& spec() const override {
    static const PathSpec spec{
        .name = "generic_compute",
        .fields = {{"input_count", false},
                   {"input_dtypes"},
                   {"input_0_tail"},
                   {"other_input_shapes"},
                   {"output_tail"},
                   {"input_formats", true, Match::format_group}},
        .axes = {"axis_0", "output_numel"},
        .groups = {{0}, {1}},
        .tc_input_count = true,
        .base_exact = BaseExact::always,
    };
    return spec;
  }

  std::variant<Candidate, Unfit> project(const Row& row, const ProjectionKey& key) const override {
    GenericComputeParts parts{row_signature(row, key), {}};
    for (const TensorSlot& slot : row.outputs)
      if (slot.present) parts.outputs.push_back(logical_shape(slot.shape, slot.format));
    return point<Candidate>(parts, key.axis_policy);
  }

  std::variant<Target, Unfit> target(const Call& call) const override {
    GenericComputeParts parts{call_signature(call), {}};
    // contract §2: Index accepts (1,T) against (T,1), before this section as well.
    if (call.kernel == "Index")
      for (TensorSlot& input : parts.inputs)
        if (input.shape.size() == 2 && input.shape[0] == 1) std::swap(input.shape[0], input.shape[1]);
    for (const Tensor& tensor : call.leaf.outputs)
      parts.outputs.push_back(logical_shape(tensor.shape, tensor.format.value_or("")));
    return point<Target>(parts, call.axis_policy);
  }

  const SearchSteps& steps() const override {
    static const BaseExactSteps steps;
    return steps;
  }

 private:
  template <typename Point>
  static std::variant<Point, Unfit> point(GenericComputeParts& parts, const std::string& axis_policy) {
    if (parts.inputs.empty()) return Unfit{"target_unextractable", "there is no tensor input"};
    Point point;
    point.regime = {static_cast<std::int64_t>(parts.inputs.size()),
                    joined_dtypes(parts.inputs),
                    "",
                    "",
                    "",
                    joined_formats(parts.inputs)};
    if (axis_policy == "output_numel") {
      if (parts.outputs.size() > 1)
        return Unfit{"multi_output_unsupported", "output_numel asks for one output"};
      if (parts.outputs.empty() || parts.outputs[0].empty())
        return Unfit{"target_unextractable", "output_numel asks for an output that is not a scalar"};
      point.regime[4] = shape_tail(without_leading_one(parts.outputs[0]));
      point.coordinate = {kNoAxis, element_count(parts.outputs[0])};
      return point;
    }
    for (TensorSlot& input : parts.inputs) input.shape = without_leading_one(input.shape);
    point.regime[2] = shape_tail(parts.inputs[0].shape);
    point.regime[3] = other_shapes(parts.inputs);
    point.coordinate = {parts.inputs[0].shape[0], kNoAxis};
    return point;
  }

  static std::string other_shapes(const Signature& inputs) {
    std::string joined;
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      if (i > 1) joined += ';';
      joined += to_string(inputs[i].shape);
    }
    return joined;
  }
};

}  // namespace

const Path& generic_compute_path() {
  static const GenericCompute path;
  return path;
}

}  // namespace profdb
