// The C interface of leaf operator calls: building, reading and preparing them.
#include <algorithm>

#include "c/guard.h"

namespace {

using namespace profdb::c;
using profdb::Argument;
using profdb::Error;
using profdb::ErrorKind;
using profdb::Tensor;

Tensor tensor_of(const std::int64_t* shape, size_t rank, const char* dtype, const char* format) {
  Tensor tensor;
  if (rank > 0) tensor.shape.assign(&required(shape, "shape"), shape + rank);
  tensor.dtype = text_of(dtype, "dtype");
  if (format != nullptr) tensor.format = format;
  return tensor;
}

profdb_status add(profdb_leaf* leaf, char** error, Argument::Kind kind, const char* role,
                  std::vector<Tensor> tensors) {
  return guard(error, [&] {
    required(leaf, "leaf").leaf.inputs.push_back({kind, text_or_empty(role), std::move(tensors)});
  });
}

template <typename Value>
profdb_status set(profdb_leaf* leaf, const char* name, char** error, Value value) {
  return guard(error, [&] { required(leaf, "leaf").leaf.attrs[text_of(name, "name")] = value(); });
}

// One JSON value, read with the rules for a leaf's attributes.
nlohmann::json attribute(std::string_view json) {
  if (!nlohmann::json::accept(json)) throw Error(ErrorKind::input, "attrs: not JSON");
  const std::string leaf = R"({"op": "op", "attrs": {"value": )" + std::string(json) + "}}";
  return profdb::parse_leaf_op(leaf).attrs.at("value");
}

}  // namespace

profdb_status profdb_leaf_new(const char* op, profdb_leaf** leaf, char** error) {
  return hand_out(leaf, "leaf", error, [&] {
    auto made = std::make_unique<profdb_leaf>();
    made->leaf.op = text_of(op, "op");
    return made.release();
  });
}

profdb_status profdb_leaf_from_json(const char* json, size_t length, profdb_leaf** leaf, char** error) {
  return hand_out(leaf, "leaf", error,
                  [&] { return new profdb_leaf{profdb::parse_leaf_op(json_of(json, length))}; });
}

void profdb_leaf_free(profdb_leaf* leaf) {
  delete leaf;
}

profdb_status profdb_leaf_add_tensor(profdb_leaf* leaf, const char* role, const int64_t* shape, size_t rank,
                                     const char* dtype, const char* format, char** error) {
  return guard(error, [&] {
    Argument argument{Argument::Kind::tensor, text_or_empty(role), {tensor_of(shape, rank, dtype, format)}};
    required(leaf, "leaf").leaf.inputs.push_back(std::move(argument));
  });
}

profdb_status profdb_leaf_add_absent(profdb_leaf* leaf, char** error) {
  return add(leaf, error, Argument::Kind::absent, nullptr, {});
}

profdb_status profdb_leaf_add_list(profdb_leaf* leaf, const char* role, char** error) {
  return add(leaf, error, Argument::Kind::list, role, {});
}

profdb_status profdb_leaf_add_members(profdb_leaf* leaf, size_t count, const int64_t* shape, size_t rank,
                                      const char* dtype, const char* format, char** error) {
  return guard(error, [&] {
    auto& inputs = required(leaf, "leaf").leaf.inputs;
    if (inputs.empty() || inputs.back().kind != Argument::Kind::list)
      throw Error(ErrorKind::usage, "the last argument is no list; call profdb_leaf_add_list first");
    // A list holds at most 4,096: one more is enough for the check to say so.
    constexpr size_t kTooMany = 4097;
    auto& members = inputs.back().tensors;
    members.insert(members.end(), std::min(count, kTooMany), tensor_of(shape, rank, dtype, format));
  });
}

profdb_status profdb_leaf_add_output(profdb_leaf* leaf, const int64_t* shape, size_t rank, const char* dtype,
                                     const char* format, char** error) {
  return guard(error,
               [&] { required(leaf, "leaf").leaf.outputs.push_back(tensor_of(shape, rank, dtype, format)); });
}

profdb_status profdb_leaf_set_text(profdb_leaf* leaf, const char* name, const char* value, char** error) {
  return set(leaf, name, error, [&] { return text_of(value, "value"); });
}

profdb_status profdb_leaf_set_integer(profdb_leaf* leaf, const char* name, int64_t value, char** error) {
  return set(leaf, name, error, [&] { return value; });
}

profdb_status profdb_leaf_set_integers(profdb_leaf* leaf, const char* name, const int64_t* values,
                                       size_t count, char** error) {
  return set(leaf, name, error, [&] {
    nlohmann::json list = nlohmann::json::array();
    if (count > 0) required(values, "values");
    for (size_t i = 0; i < count; ++i) list.push_back(values[i]);
    return list;
  });
}

profdb_status profdb_leaf_set_json(profdb_leaf* leaf, const char* name, const char* json, size_t length,
                                   char** error) {
  return set(leaf, name, error, [&] { return attribute(json_of(json, length)); });
}

profdb_status profdb_leaf_set_prior(profdb_leaf* leaf, double latency_us, char** error) {
  return guard(error, [&] { required(leaf, "leaf").leaf.prior_latency_us = latency_us; });
}

profdb_status profdb_leaf_json(const profdb_leaf* leaf, char** json, char** error) {
  return hand_out(json, "json", error, [&] {
    profdb::validate(required(leaf, "leaf").leaf);
    return copy_text(profdb::to_json(leaf->leaf).dump());
  });
}

profdb_status profdb_prepare(const profdb_leaf* leaf, profdb_prepared** prepared, char** error) {
  return hand_out(prepared, "prepared", error,
                  [&] { return new profdb_prepared{profdb::PreparedLeaf(required(leaf, "leaf").leaf)}; });
}

profdb_status profdb_prepare_json(const char* json, size_t length, profdb_prepared** prepared, char** error) {
  return hand_out(prepared, "prepared", error, [&] {
    return new profdb_prepared{profdb::PreparedLeaf(profdb::parse_leaf_op(json_of(json, length)))};
  });
}

void profdb_prepared_free(profdb_prepared* prepared) {
  delete prepared;
}
