// Contract §7: broadcasting operators by the shape of their output.
#include <algorithm>

#include "engine/lookup/search.h"
#include "engine/lookup/signature.h"
#include "engine/paths/registry.h"
#include "engine/paths/roles.h"

namespace profdb {
namespace {

constexpr std::string_view kNoOutput = "elementwise_output_unavailable";

// Calls without an output get the base exact match only; the others the common steps.
class ElementwiseSteps final : public SearchSteps {
 public:
  bool exact(SearchContext& context, KernelSearch& search) const override {
    return without_output(search) ? answer_base_exact(context, search, false)
                                  : SearchSteps::exact(context, search);
  }
  bool padded(SearchContext& context, KernelSearch& search) const override {
    return without_output(search) && answer_base_exact(context, search, true);
  }

 private:
  static bool without_output(const KernelSearch& search) {
    return search.failure && search.failure->reason == kNoOutput;
  }
};

// One input against the output, aligned from the right: "2:same,broadcast"; nothing where it does not
// broadcast.
std::optional<std::string> pattern_of(const Shape& input, const Shape& output) {
  if (input.size() > output.size()) return std::nullopt;
  const std::size_t missing = output.size() - input.size();
  std::string pattern = std::to_string(input.size()) + ":";
  for (std::size_t i = 0; i < output.size(); ++i) {
    if (i > 0) pattern += ',';
    if (i < missing)
      pattern += "missing";
    else if (input[i - missing] == output[i])
      pattern += "same";
    else if (input[i - missing] == 1)
      pattern += "broadcast";
    else
      return std::nullopt;
  }
  return pattern;
}

class Elementwise final : public Path {
 public:
  const PathSpec& spec() const override {
    static const PathSpec spec{
        .name = "elementwise",
        .fields = {{"output_rank", false},
                   {"output_tail"},
                   {"input_count", false},
                   {"broadcast_pattern"},
                   {"input_dtypes"},
                   {"output_dtype"},
                   {"input_formats", true, Match::format_group}},
        .axes = {"axis_0", "axis_1"},
        .groups = {{0}, {1}, {0, 1}},
        .selector = Selector::query_mode,
        .tc_input_count = true,
        .base_exact = BaseExact::without_output,
    };
    return spec;
  }

  std::variant<Candidate, Unfit> project(const Row& row, const ProjectionKey& key) const override {
    return point<Candidate>(row_signature(row, key), row_slot(row.outputs, 0));
  }

  std::variant<Target, Unfit> target(const Call& call) const override {
    std::optional<TensorSlot> output;
    if (!call.leaf.outputs.empty()) output = call_slot(call.leaf.outputs.front());
    return point<Target>(call_signature(call), output);
  }

  const SearchSteps& steps() const override {
    static const ElementwiseSteps steps;
    return steps;
  }

 private:
  template <typename Point>
  static std::variant<Point, Unfit> point(Signature inputs, const std::optional<TensorSlot>& output) {
    if (!output || output->shape.empty()) return Unfit{kNoOutput, "no output that is not a scalar"};
    const Shape shape = without_leading_one(output->shape);
    const bool stripped = shape.size() < output->shape.size();
    std::string patterns;
    for (TensorSlot& input : inputs) {
      if (stripped && input.shape.size() == output->shape.size() && input.shape.front() == 1)
        input.shape.erase(input.shape.begin());
      const auto pattern = pattern_of(input.shape, shape);
      if (!pattern)
        return Unfit{"broadcast_unresolvable", to_string(input.shape) + " against " + to_string(shape)};
      patterns += (patterns.empty() ? "" : ";") + *pattern;
    }
    const bool two_axes = shape.size() == 2;
    Point point;
    point.regime = {static_cast<std::int64_t>(shape.size()),
                    two_axes ? std::string() : to_string(Shape(shape.begin() + 1, shape.end())),
                    static_cast<std::int64_t>(inputs.size()),
                    patterns,
                    joined_dtypes(inputs),
                    output->dtype,
                    joined_formats(inputs)};
    point.coordinate = {shape[0], two_axes ? shape[1] : kNoAxis};
    return point;
  }
};

}  // namespace

const Path& elementwise_path() {
  static const Elementwise path;
  return path;
}

}  // namespace profdb
