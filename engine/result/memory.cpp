// Sizes of leaves and results.
#include "engine/result/memory.h"

namespace profdb {
namespace {

// Beyond the object itself; short text lives inside it.
std::size_t beyond(const std::string& text) {
  constexpr std::size_t kInside = 15;
  return text.capacity() > kInside ? text.capacity() + 1 : 0;
}

std::size_t beyond(const NamedValues& values) {
  std::size_t bytes = values.capacity() * sizeof(NamedValues::value_type);
  for (const auto& [name, value] : values) {
    bytes += beyond(name);
    if (const auto* text = std::get_if<std::string>(&value)) bytes += beyond(*text);
  }
  return bytes;
}

std::size_t beyond(const std::vector<Tensor>& tensors) {
  std::size_t bytes = tensors.capacity() * sizeof(Tensor);
  for (const Tensor& tensor : tensors)
    bytes += tensor.shape.capacity() * sizeof(std::int64_t) + beyond(tensor.dtype) +
             (tensor.format ? beyond(*tensor.format) : 0);
  return bytes;
}

std::size_t of(const nlohmann::json& value) {
  constexpr std::size_t kNode = 64;  // of a map, with its key
  std::size_t bytes = sizeof value;
  if (value.is_string()) return bytes + value.get_ref<const std::string&>().capacity();
  if (value.is_structured())
    for (const auto& member : value) bytes += (value.is_object() ? kNode : 0) + of(member);
  return bytes;
}

std::size_t of(const MatchedRow& row) {
  return sizeof row + row.measurement_ids.capacity() * sizeof(std::int64_t) +
         row.coordinate.capacity() * sizeof(row.coordinate[0]);
}

std::size_t of(const Attempt& attempt) {
  return sizeof attempt + beyond(attempt.kernel) + beyond(attempt.input_formats) + beyond(attempt.message) +
         attempt.axes.capacity() * sizeof(std::string) + attempt.measured.capacity() * sizeof(Boundary);
}

}  // namespace

std::size_t memory_of(const LeafOp& leaf) {
  std::size_t bytes = sizeof leaf + beyond(leaf.op) + beyond(leaf.outputs) + of(leaf.attrs);
  for (const Argument& argument : leaf.inputs) bytes += sizeof argument + beyond(argument.tensors);
  return bytes;
}

std::size_t memory_of(const Result& result) {
  constexpr std::size_t kNode = 96;  // of a map from text to a number
  const Details& details = result.details;
  std::size_t bytes = sizeof result + beyond(result.reason) + beyond(result.kernel) + beyond(result.path) +
                      beyond(result.method) + beyond(result.match_rule) +
                      result.axes.capacity() * sizeof(std::string) + beyond(details.note) +
                      beyond(details.target_regime) + beyond(details.regime) + beyond(details.path_fields) +
                      details.target_axes.capacity() * sizeof(details.target_axes[0]) +
                      details.boundary.capacity() * sizeof(Boundary) + beyond(details.latency_column) +
                      details.kernels_attempted.capacity() * sizeof(details.kernels_attempted[0]) +
                      details.rejected_rows.size() * kNode;
  for (const MatchedRow& row : details.matched_rows) bytes += of(row);
  for (const Attempt& attempt : details.attempts) bytes += of(attempt);
  if (details.closest_regime)
    bytes += details.closest_regime->differences.capacity() * sizeof(ClosestRegime::Difference);
  return bytes;
}

}  // namespace profdb
