// Arguments by role, attributes and cells as comparable text.
#include "engine/paths/roles.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace profdb {
namespace {

// formats §4; any other name has no meaning of its own.
constexpr std::array<std::string_view, 15> kRoles = {"x",
                                                     "expert_indices",
                                                     "gmm1_weight",
                                                     "gmm2_weight",
                                                     "query",
                                                     "key",
                                                     "value",
                                                     "weights",
                                                     "cache",
                                                     "topk_indices",
                                                     "block_table",
                                                     "actual_seq_lengths_query",
                                                     "actual_seq_lengths_kv",
                                                     "update",
                                                     "index"};

bool means_something(std::string_view role) {
  return std::find(kRoles.begin(), kRoles.end(), role) != kRoles.end();
}

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) {
    return c == ' ' || c == '\t' || c == '[' || c == ']' || c == '(' || c == ')' || c == '"';
  };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string json_text(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

const Argument* argument_of(const LeafOp& leaf, std::string_view role, std::size_t position) {
  for (const Argument& argument : leaf.inputs)
    if (argument.role == role && argument.kind != Argument::Kind::absent) return &argument;
  if (position >= leaf.inputs.size()) return nullptr;
  const Argument& argument = leaf.inputs[position];
  if (argument.kind == Argument::Kind::absent || means_something(argument.role)) return nullptr;
  return &argument;
}

const Tensor* tensor_of(const LeafOp& leaf, std::string_view role, std::size_t position) {
  const Argument* argument = argument_of(leaf, role, position);
  return argument != nullptr && argument->kind == Argument::Kind::tensor ? &argument->tensors.front()
                                                                         : nullptr;
}

TensorSlot call_slot(const Tensor& tensor, std::string_view format_if_omitted, bool float16_is_bf16) {
  const std::string format = tensor.format.value_or(std::string(format_if_omitted));
  return {true, logical_shape(tensor.shape, format), profiler_dtype(tensor.dtype, float16_is_bf16), format};
}

std::optional<TensorSlot> row_slot(const std::vector<TensorSlot>& slots, std::size_t index) {
  if (index >= slots.size() || !slots[index].present) return std::nullopt;
  TensorSlot slot = slots[index];
  slot.shape = logical_shape(slot.shape, slot.format);
  return slot;
}

std::optional<double> cell_number(std::string_view cell) {
  while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t')) cell.remove_prefix(1);
  while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t')) cell.remove_suffix(1);
  double value = 0;
  const auto [end, ec] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (ec != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> cell_whole(std::string_view cell) {
  constexpr double kLargest = 9007199254740992.0;  // 2^53
  const auto number = cell_number(cell);
  if (!number || *number < 0 || *number > kLargest || *number != std::floor(*number)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::string attr_text(const LeafOp& leaf, std::string_view name) {
  const auto it = leaf.attrs.find(name);
  return it == leaf.attrs.end() || it->is_null() ? std::string() : json_text(*it);
}

std::string list_text(std::string_view cell) {
  std::string joined;
  while (true) {
    const auto end = cell.find_first_of(",;");
    joined += trimmed(cell.substr(0, end));
    if (end == std::string_view::npos) return joined;
    joined += ',';
    cell.remove_prefix(end + 1);
  }
}

std::string attr_list_text(const LeafOp& leaf, std::string_view name) {
  const auto it = leaf.attrs.find(name);
  if (it == leaf.attrs.end() || it->is_null()) return {};
  if (!it->is_array()) return list_text(json_text(*it));
  std::string joined;
  for (std::size_t i = 0; i < it->size(); ++i) {
    if (i > 0) joined += ',';
    joined += json_text((*it)[i]);
  }
  return joined;
}

}  // namespace profdb
