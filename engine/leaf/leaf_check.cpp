// The limits of a leaf operator call (formats §4) and the messages of those who overstep them.
#include "engine/leaf/leaf_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "profdb/error.h"
#include "profdb/leaf_op.h"

namespace profdb {
namespace leaf_check {
namespace {

using nlohmann::json;

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

// Eight characters at a time: names are short, but every lookup has some.
bool is_all_ascii(const std::string& text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  std::size_t i = 0;
  for (; i + sizeof(std::uint64_t) <= text.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + i, sizeof eight);
    if ((eight & kHighBits) != 0) return false;
  }
  for (; i < text.size(); ++i)
    if (!is_ascii(text[i])) return false;
  return true;
}

bool is_utf8(const std::string& text) {
  if (is_all_ascii(text)) return true;
  try {
    (void)json(text).dump();
    return true;
  } catch (const json::type_error&) {
    return false;
  }
}

// `text` as an error message can carry it: short and valid UTF-8.
std::string shown(std::string_view text) {
  constexpr std::size_t kMaxBytes = 60;
  const auto continues = [&](std::size_t i) {
    return (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
  };
  std::size_t size = std::min(text.size(), kMaxBytes);
  while (size > 0 && size < text.size() && continues(size)) --size;
  std::string result(text.substr(0, size));
  if (!is_utf8(result))
    std::replace_if(
        result.begin(), result.end(), [](char c) { return !is_ascii(c); }, '?');
  return size < text.size() ? result + "..." : result;
}

}  // namespace

std::string Place::text() const {
  if (parent_ == nullptr) return "leaf";
  const std::string before = parent_->parent_ == nullptr ? "" : parent_->text();
  if (key_.data() == nullptr) return fmt::format("{}[{}]", before, index_);
  return fmt::format("{}{}{}", before, before.empty() ? "" : ".", shown(key_));
}

void fail(const Place& place, std::string_view what) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", place.text(), what));
}

std::string too_many(std::size_t limit) {
  return fmt::format("more than {} entries", limit);
}

std::string too_deep() {
  return fmt::format("nested deeper than {} levels", kMaxNesting);
}

void text(const std::string& text, const Place& place) {
  if (text.empty()) fail(place, "is empty");
  if (!is_utf8(text)) fail(place, "is no valid UTF-8");
}

void type_name(const std::string& text, const Place& place) {
  leaf_check::text(text, place);
  if (text.size() > kMaxTypeBytes)
    fail(place, fmt::format("is {} bytes long; at most {}", text.size(), kMaxTypeBytes));
}

void rank(std::size_t rank, const Place& place) {
  if (rank > kMaxRank) fail(place, fmt::format("has {} dimensions; at most {}", rank, kMaxRank));
}

void shape(const std::vector<std::int64_t>& shape, const Place& place) {
  rank(shape.size(), place);
  bool overflows = false;
  std::int64_t product = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t dimension = shape[i];
    if (dimension < 0) fail(place.at(i), fmt::format("{} is negative; {}", dimension, kDimensionRule));
    if (dimension > kMaxElements)
      fail(place.at(i), fmt::format("{} is over 2^53; {}", dimension, kDimensionRule));
    if (dimension == 0) continue;
    overflows = overflows || __builtin_mul_overflow(product, dimension, &product) || product > kMaxElements;
  }
  // A 0 anywhere makes the product 0, however large the others are.
  if (overflows && std::find(shape.begin(), shape.end(), 0) == shape.end())
    fail(place, "the product of the dimensions is over 2^53");
}

void prior(double latency_us, const Place& place) {
  if (!std::isfinite(latency_us) || latency_us < 0)
    fail(place, fmt::format("{} is no latency; give microseconds, finite and not negative", latency_us));
}

void attribute(const json& value, const Place& place, std::size_t level) {
  if (value.is_structured() && level > kMaxNesting) fail(place, too_deep());
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      if (!is_utf8(key)) fail(place.member(key), "the name is no valid UTF-8");
      attribute(member, place.member(key), level + 1);
    }
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) attribute(value[i], place.at(i), level + 1);
  } else if (value.is_string()) {
    if (!is_utf8(value.get_ref<const std::string&>())) fail(place, "is no valid UTF-8");
  } else if (value.is_number_float()) {
    if (!std::isfinite(value.get<double>())) fail(place, "is no finite number");
  } else if (value.is_binary() || value.is_discarded()) {
    fail(place, "is no JSON value");
  }
}

namespace {

void tensor(const Tensor& tensor, const Place& place) {
  shape(tensor.shape, place.member("shape"));
  type_name(tensor.dtype, place.member("dtype"));
  if (tensor.format) type_name(*tensor.format, place.member("format"));
}

void argument(const Argument& argument, const Place& place) {
  const auto& tensors = argument.tensors;
  if (!argument.role.empty()) text(argument.role, place.member("role"));
  switch (argument.kind) {
    case Argument::Kind::absent:
      if (!tensors.empty() || !argument.role.empty())
        fail(place, "an absent argument has neither tensors nor a role");
      break;
    case Argument::Kind::tensor:
      if (tensors.size() != 1)
        fail(place, fmt::format("a tensor argument holds one tensor, not {}", tensors.size()));
      tensor(tensors.front(), place);
      break;
    case Argument::Kind::list:
      if (tensors.size() > kMaxListMembers) fail(place.member("list"), too_many(kMaxListMembers));
      for (std::size_t i = 0; i < tensors.size(); ++i) tensor(tensors[i], place.member("list").at(i));
      break;
  }
}

}  // namespace
}  // namespace leaf_check

void validate(const LeafOp& leaf) {
  using namespace leaf_check;
  const Place root;
  const Place inputs = root.member("inputs");
  const Place outputs = root.member("outputs");
  text(leaf.op, root.member("op"));
  if (leaf.inputs.size() > kMaxTensors) fail(inputs, too_many(kMaxTensors));
  for (std::size_t i = 0; i < leaf.inputs.size(); ++i) argument(leaf.inputs[i], inputs.at(i));
  if (leaf.outputs.size() > kMaxTensors) fail(outputs, too_many(kMaxTensors));
  for (std::size_t i = 0; i < leaf.outputs.size(); ++i) tensor(leaf.outputs[i], outputs.at(i));
  const Place attrs = root.member("attrs");
  if (!leaf.attrs.is_object())
    fail(attrs, fmt::format("expected an object, found {}", leaf.attrs.type_name()));
  attribute(leaf.attrs, attrs, 2);
  if (leaf.prior_latency_us) prior(*leaf.prior_latency_us, root.member("prior").member("latency_us"));
}

}  // namespace profdb
