// The leaf operator call (formats §4): read from JSON text or values.
#include "profdb/leaf_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>

#include "engine/leaf/leaf_check.h"
#include "profdb/error.h"

namespace profdb {
namespace {

using leaf_check::fail;
using leaf_check::kDimensionRule;
using leaf_check::kMaxElements;
using leaf_check::kMaxListMembers;
using leaf_check::kMaxNesting;
using leaf_check::kMaxTensors;
using leaf_check::Place;
using nlohmann::json;

[[noreturn]] void fail_type(const Place& place, std::string_view expected, const json& found) {
  fail(place, fmt::format("expected {}, found {}", expected, found.type_name()));
}

void require_object(const json& value, const Place& place, std::string_view what) {
  if (!value.is_object()) fail_type(place, what, value);
}

void require_keys(const json& value, const Place& place, std::initializer_list<std::string_view> known,
                  std::string_view what) {
  for (const auto& [key, ignored] : value.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      fail(place.member(key), fmt::format("unknown key; {} has {}", what, fmt::join(known, ", ")));
}

const json& required(const json& object, const char* key, const Place& place) {
  const auto it = object.find(key);
  if (it == object.end()) fail(place.member(key), "missing");
  return *it;
}

std::string read_text(const json& value, const Place& place) {
  if (!value.is_string()) fail_type(place, "a string", value);
  return value.get<std::string>();
}

std::int64_t read_dimension(const json& value, const Place& place) {
  const bool too_large =
      (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{kMaxElements}) ||
      (value.is_number_float() && value.get<double>() > static_cast<double>(kMaxElements));
  if (too_large) fail(place, fmt::format("{} is over 2^53; {}", value.dump(), kDimensionRule));
  if (value.is_number_float())
    fail(place, fmt::format("{} is not written as an integer; {}", value.dump(), kDimensionRule));
  if (!value.is_number()) fail_type(place, "an integer", value);
  return value.get<std::int64_t>();
}

std::vector<std::int64_t> read_shape(const json& value, const Place& place) {
  if (!value.is_array()) fail_type(place, "a list of integers", value);
  leaf_check::rank(value.size(), place);
  std::vector<std::int64_t> shape;
  shape.reserve(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) shape.push_back(read_dimension(value[i], place.at(i)));
  leaf_check::shape(shape, place);
  return shape;
}

// The tensor keys of `value`; the caller has checked which others may stand beside them.
Tensor read_tensor(const json& value, const Place& place) {
  Tensor tensor;
  tensor.shape = read_shape(required(value, "shape", place), place.member("shape"));
  tensor.dtype = read_text(required(value, "dtype", place), place.member("dtype"));
  leaf_check::type_name(tensor.dtype, place.member("dtype"));
  if (const auto it = value.find("format"); it != value.end()) {
    tensor.format = read_text(*it, place.member("format"));
    leaf_check::type_name(*tensor.format, place.member("format"));
  }
  return tensor;
}

Tensor read_list_member(const json& value, const Place& place) {
  require_object(value, place, "a tensor");
  for (const char* key : {"list", "repeat", "of"})
    if (value.contains(key)) fail(place.member(key), "a list inside a list; its members are tensors");
  if (value.contains("role")) fail(place.member("role"), "role belongs to the list");
  require_keys(value, place, {"shape", "dtype", "format"}, "a list member");
  return read_tensor(value, place);
}

std::vector<Tensor> read_list(const json& value, const Place& place) {
  if (!value.is_array()) fail_type(place, "a list of tensors", value);
  if (value.size() > kMaxListMembers) fail(place, leaf_check::too_many(kMaxListMembers));
  std::vector<Tensor> tensors;
  tensors.reserve(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) tensors.push_back(read_list_member(value[i], place.at(i)));
  return tensors;
}

std::vector<Tensor> read_repeat(const json& argument, const Place& place) {
  const json& repeat = required(argument, "repeat", place);
  const Place here = place.member("repeat");
  if (!repeat.is_number_integer()) fail_type(here, "an integer", repeat);
  const bool fits = repeat.is_number_unsigned() ? repeat.get<std::uint64_t>() - 1 < kMaxListMembers
                                                : repeat.get<std::int64_t>() > 0 && repeat <= kMaxListMembers;
  if (!fits) fail(here, fmt::format("{} is not from 1 to {}", repeat.dump(), kMaxListMembers));
  return {repeat.get<std::size_t>(), read_list_member(required(argument, "of", place), place.member("of"))};
}

Argument read_argument(const json& value, const Place& place) {
  Argument argument;
  if (value.is_null()) {
    argument.kind = Argument::Kind::absent;
    return argument;
  }
  require_object(value, place, "a tensor, a list argument or null");
  if (const auto it = value.find("list"); it != value.end()) {
    require_keys(value, place, {"role", "list"}, "a list argument");
    argument.kind = Argument::Kind::list;
    argument.tensors = read_list(*it, place.member("list"));
  } else if (value.contains("repeat") || value.contains("of")) {
    require_keys(value, place, {"role", "repeat", "of"}, "a repeated argument");
    argument.kind = Argument::Kind::list;
    argument.tensors = read_repeat(value, place);
  } else {
    require_keys(value, place, {"role", "shape", "dtype", "format"}, "a tensor");
    argument.tensors = {read_tensor(value, place)};
  }
  if (const auto it = value.find("role"); it != value.end()) {
    argument.role = read_text(*it, place.member("role"));
    leaf_check::text(argument.role, place.member("role"));
  }
  return argument;
}

std::vector<Argument> read_inputs(const json& value, const Place& place) {
  if (!value.is_array()) fail_type(place, "a list of arguments", value);
  if (value.size() > kMaxTensors) fail(place, leaf_check::too_many(kMaxTensors));
  std::vector<Argument> inputs;
  inputs.reserve(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) inputs.push_back(read_argument(value[i], place.at(i)));
  return inputs;
}

std::vector<Tensor> read_outputs(const json& value, const Place& place) {
  if (!value.is_array()) fail_type(place, "a list of tensors", value);
  if (value.size() > kMaxTensors) fail(place, leaf_check::too_many(kMaxTensors));
  std::vector<Tensor> outputs;
  outputs.reserve(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    require_object(value[i], place.at(i), "a tensor");
    require_keys(value[i], place.at(i), {"shape", "dtype", "format"}, "an output");
    outputs.push_back(read_tensor(value[i], place.at(i)));
  }
  return outputs;
}

json read_attrs(const json& value, const Place& place) {
  require_object(value, place, "an object");
  leaf_check::attribute(value, place, 2);
  return value;
}

double read_prior(const json& value, const Place& place) {
  require_object(value, place, "an object");
  require_keys(value, place, {"latency_us"}, "a prior");
  const json& latency = required(value, "latency_us", place);
  const Place here = place.member("latency_us");
  if (!latency.is_number()) fail_type(here, "a number", latency);
  leaf_check::prior(latency.get<double>(), here);
  return latency.get<double>();
}

// What the parser says, without its own prefix and without text of the input that may be long or no UTF-8.
std::string parser_words(const json::exception& error) {
  std::string words = error.what();
  if (const auto prefix = words.find("] "); prefix != std::string::npos) words.erase(0, prefix + 2);
  if (const auto token = words.find("; last read: "); token != std::string::npos) words.erase(token);
  constexpr std::size_t kMaxBytes = 200;
  if (words.size() > kMaxBytes) words.resize(kMaxBytes);
  return words;
}

// Builds the JSON value, and stops the parser at what a finished value no longer shows (a key that stands
// twice) or would show too late (arrays and nesting without end). The library's own callback parser would do,
// but takes quadratic time for an array of objects.
class LeafReader : public nlohmann::json_sax<json> {
 public:
  json take() { return std::move(root_); }

  bool null() override { return scalar(nullptr); }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(number_integer_t value) override { return scalar(value); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return scalar(value); }
  bool string(string_t& value) override { return scalar(std::move(value)); }
  bool binary(binary_t& value) override { return scalar(std::move(value)); }
  bool start_object(std::size_t /*size*/) override { return open(json::object()); }
  bool start_array(std::size_t /*size*/) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.key = std::move(name);
    if (level.value.contains(level.key)) fail_here("the key stands twice");
    return true;
  }

  bool parse_error(std::size_t /*byte*/, const std::string& /*token*/,
                   const json::exception& error) override {
    fail({}, fmt::format("not JSON: {}", parser_words(error)));
  }

 private:
  // An object or array that is not finished.
  struct Level {
    json value;
    std::string key;  // of an object: the last one
  };

  bool scalar(json value) {
    check_count();
    put(std::move(value));
    return true;
  }

  bool open(json empty) {
    check_count();
    if (levels_.size() == kMaxNesting) fail_here(leaf_check::too_deep());
    levels_.push_back({std::move(empty), {}});
    return true;
  }

  bool close() {
    json value = std::move(levels_.back().value);
    levels_.pop_back();
    put(std::move(value));
    return true;
  }

  void put(json value) {
    if (levels_.empty())
      root_ = std::move(value);
    else if (levels_.back().value.is_array())
      levels_.back().value.push_back(std::move(value));
    else
      levels_.back().value[levels_.back().key] = std::move(value);
  }

  // Before one more value.
  void check_count() {
    if (levels_.empty() || !levels_.back().value.is_array() || levels_.back().value.size() < count_limit())
      return;
    const std::size_t limit = count_limit();
    levels_.pop_back();  // the array itself is at fault, not its entry
    fail_here(leaf_check::too_many(limit));
  }

  // How many entries the innermost array may have.
  std::size_t count_limit() const {
    const std::string& field = levels_.front().key;
    if (levels_.size() == 2 && (field == "inputs" || field == "outputs")) return kMaxTensors;
    if (levels_.size() == 4 && field == "inputs" && levels_[2].key == "list") return kMaxListMembers;
    return std::numeric_limits<std::size_t>::max();
  }

  // At the value or key that comes next.
  [[noreturn]] void fail_here(const std::string& what) const { fail_below({}, 0, what); }
  [[noreturn]] void fail_below(const Place& place, std::size_t depth, const std::string& what) const {
    if (depth == levels_.size()) fail(place, what);
    const Level& level = levels_[depth];
    const bool in_array = level.value.is_array();
    fail_below(in_array ? place.at(level.value.size()) : place.member(level.key), depth + 1, what);
  }

  std::vector<Level> levels_;
  json root_;
};

}  // namespace

LeafOp parse_leaf_op(std::string_view json_text) {
  LeafReader reader;
  json::sax_parse(json_text, &reader);
  return leaf_op_from_json(reader.take());
}

LeafOp leaf_op_from_json(const json& value) {
  const Place root;
  require_object(value, root, "an object");
  require_keys(value, root, {"op", "inputs", "outputs", "attrs", "prior"}, "a leaf");
  LeafOp leaf;
  leaf.op = read_text(required(value, "op", root), root.member("op"));
  leaf_check::text(leaf.op, root.member("op"));
  if (const auto it = value.find("inputs"); it != value.end())
    leaf.inputs = read_inputs(*it, root.member("inputs"));
  if (const auto it = value.find("outputs"); it != value.end())
    leaf.outputs = read_outputs(*it, root.member("outputs"));
  if (const auto it = value.find("attrs"); it != value.end())
    leaf.attrs = read_attrs(*it, root.member("attrs"));
  if (const auto it = value.find("prior"); it != value.end())
    leaf.prior_latency_us = read_prior(*it, root.member("prior"));
  return leaf;
}

}  // namespace profdb
