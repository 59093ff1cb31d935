// The members of a leaf, in their order.
#include "engine/leaf/leaf_json.h"

#include <algorithm>

#include "engine/json/json_text.h"

namespace profdb {
namespace {

bool equal(const Tensor& a, const Tensor& b) {
  return a.shape == b.shape && a.dtype == b.dtype && a.format == b.format;
}

template <typename Json>
void write_members(Json& json, const Tensor& tensor) {
  json.literal_key("shape");
  json.begin_array();
  for (const std::int64_t dimension : tensor.shape) json.value(dimension);
  json.end_array();
  json.literal_key("dtype");
  json.value(std::string_view(tensor.dtype));
  if (!tensor.format) return;
  json.literal_key("format");
  json.value(std::string_view(*tensor.format));
}

template <typename Json>
void write(Json& json, const Tensor& tensor) {
  json.begin_object();
  write_members(json, tensor);
  json.end_object();
}

// Equal tensors as a repeat, however they came.
template <typename Json>
void write_list_members(Json& json, const std::vector<Tensor>& tensors) {
  if (tensors.size() > 1 && std::all_of(tensors.begin() + 1, tensors.end(),
                                        [&](const Tensor& t) { return equal(t, tensors.front()); })) {
    json.literal_key("repeat");
    json.value(std::uint64_t{tensors.size()});
    json.literal_key("of");
    write(json, tensors.front());
    return;
  }
  json.literal_key("list");
  json.begin_array();
  for (const Tensor& tensor : tensors) write(json, tensor);
  json.end_array();
}

template <typename Json>
void write(Json& json, const Argument& argument) {
  const auto& tensors = argument.tensors;
  if (argument.kind == Argument::Kind::absent || (argument.kind == Argument::Kind::tensor && tensors.empty()))
    return json.null();
  json.begin_object();
  if (!argument.role.empty()) {
    json.literal_key("role");
    json.value(std::string_view(argument.role));
  }
  if (argument.kind == Argument::Kind::tensor)
    write_members(json, tensors.front());
  else
    write_list_members(json, tensors);
  json.end_object();
}

template <typename Json, typename Items>
void add(Json& json, std::string_view key, const Items& items) {
  if (items.empty()) return;
  json.literal_key(key);
  json.begin_array();
  for (const auto& item : items) write(json, item);
  json.end_array();
}

template <typename Json>
void write(Json& json, const LeafOp& leaf) {
  json.begin_object();
  json.literal_key("op");
  json.value(std::string_view(leaf.op));
  add(json, "inputs", leaf.inputs);
  add(json, "outputs", leaf.outputs);
  if (!leaf.attrs.empty()) {
    json.literal_key("attrs");
    json.value(leaf.attrs);
  }
  if (leaf.prior_latency_us) {
    json.literal_key("prior");
    json.begin_object();
    json.literal_key("latency_us");
    json.value(*leaf.prior_latency_us + 0.0);  // a negative zero equals a zero, and is written as one
    json.end_object();
  }
  json.end_object();
}

}  // namespace

nlohmann::ordered_json to_json(const LeafOp& leaf) {
  JsonValue json;
  write(json, leaf);
  return json.take();
}

void append_json(std::string& out, const LeafOp& leaf) {
  JsonText json(out);
  write(json, leaf);
  json.finish();
}

}  // namespace profdb
