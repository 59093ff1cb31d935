// Contract §2: the rules of the base exact match.
#include "engine/lookup/base_exact.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/lookup/matrix_shapes.h"
#include "engine/lookup/names.h"

namespace profdb::base_exact {
namespace {

using Parts = std::vector<std::string_view>;

constexpr std::array<std::string_view, 6> kFlattenKernels = {
    "AscendQuantV2", "DynamicQuant", "RmsNorm", "AddRmsNorm", "AddRmsNormBias", "DispatchFFNCombine"};
constexpr std::array<std::string_view, 2> kMergeKernels = {"AscendQuantV2", "DynamicQuant"};

std::int64_t rounded_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

bool equal_or_padded(const Shape& call, const Shape& row) {
  return call.size() == row.size() && std::equal(call.begin(), call.end(), row.begin(),
                                                 [](auto c, auto r) { return c == r || pads_to(r, c); });
}

// The shape less one leading 1; nothing where there is none to remove.
std::optional<Shape> stripped(const Shape& shape) {
  if (shape.size() < 2 || shape.front() != 1) return std::nullopt;
  return Shape(shape.begin() + 1, shape.end());
}

// Whether `same` holds after removing one leading 1 from the call, the row or both.
template <typename Same>
bool holds_stripped(const Shape& call, const Shape& row, Same same) {
  const auto c = stripped(call);
  const auto r = stripped(row);
  return (c && same(*c, row)) || (r && same(call, *r)) || (c && r && same(*c, *r));
}

bool transposed(const Shape& call, const Shape& row) {
  if (call.size() != row.size() || call.size() < 2 || call.size() > 3) return false;
  const auto n = call.size();
  return call[n - 1] == row[n - 2] && call[n - 2] == row[n - 1] && (n == 2 || call[0] == row[0]);
}

// (B,M,D) -> (B*M,D)
std::optional<Shape> flattened(const Shape& shape, const std::string& kernel) {
  if (shape.size() != 3 || !one_of(kernel, kFlattenKernels)) return std::nullopt;
  return Shape{shape[0] * shape[1], shape[2]};
}

// (T,H,D) -> (T,H*D)
std::optional<Shape> merged(const Shape& shape, const std::string& kernel) {
  if (shape.size() != 3 || !one_of(kernel, kMergeKernels)) return std::nullopt;
  return Shape{shape[0], shape[1] * shape[2]};
}

// (1,T) against (T,1)
std::optional<Shape> singleton_transposed(const Shape& shape, const std::string& kernel) {
  if (kernel != "Index" || shape.size() != 2 || shape[0] != 1) return std::nullopt;
  return Shape{shape[1], 1};
}

// The first rule that holds for one slot, as its parts; identity has none.
std::optional<Parts> slot_rule(const Shape& call, const Shape& row, const std::string& kernel,
                               std::size_t slot) {
  const auto equal = [](const Shape& a, const Shape& b) { return a == b; };
  if (call == row) return Parts{};
  if (holds_stripped(call, row, equal)) return Parts{"batch_strip"};
  if (slot >= 1 && is_matrix_kernel(kernel) && transposed(call, row))
    return Parts{call.size() == 2 ? "transpose" : "batched_transpose"};
  if (singleton_transposed(call, kernel) == row) return Parts{"singleton_axis_transpose"};
  if (equal_or_padded(call, row)) return Parts{"padding"};
  if (holds_stripped(call, row, equal_or_padded)) return Parts{"batch_strip", "padding"};
  if (const auto flat = flattened(call, kernel)) {
    if (*flat == row) return Parts{"flatten_3d"};
    if (equal_or_padded(*flat, row)) return Parts{"flatten_3d", "padding"};
  }
  if (const auto one = merged(call, kernel)) {
    if (*one == row) return Parts{"merge_last_dims"};
    if (equal_or_padded(*one, row)) return Parts{"merge_last_dims", "padding"};
  }
  return std::nullopt;
}

// Equal for a call and a row whenever one's dimensions are the other's rounded up (16, 32, 64 and 8 divide
// 64), and whatever dimensions of 1 either has. Wraps on overflow: only equality counts.
std::int64_t padded_blocks(const Shape& shape) {
  std::uint64_t product = 1;
  for (const std::int64_t dimension : shape) product *= static_cast<std::uint64_t>((dimension + 63) / 64);
  return static_cast<std::int64_t>(product);
}

// Moves past the next shape of "136,5120;5120" if it is `shape`; otherwise stays.
bool passes(const Shape& shape, const char*& at, const char* end) {
  const char* next = at;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0 && (next == end || *next++ != ',')) return false;
    std::int64_t dimension = -1;
    next = std::from_chars(next, end, dimension).ptr;
    if (dimension != shape[i]) return false;
  }
  if (next < end && *next++ != ';') return false;
  at = next;
  return true;
}

// Reads the next shape of "136,5120;5120" and moves past it.
Shape next_shape(const char*& at, const char* end) {
  Shape shape;
  while (at < end && *at != ';') {
    std::int64_t dimension = 0;
    at = std::from_chars(at, end, dimension).ptr;
    shape.push_back(dimension);
    if (at < end && *at == ',') ++at;
  }
  if (at < end) ++at;
  return shape;
}

}  // namespace

bool pads_to(std::int64_t row, std::int64_t call) {
  return rounded_up(row, 16) == call || rounded_up(row, 32) == call || rounded_up(row, 64) == call ||
         (row >= 64 && rounded_up(row, 8) == call);
}

std::string elements(const Signature& signature) {
  std::string joined;
  for (std::size_t i = 0; i < signature.size(); ++i) {
    if (i > 0) joined += ';';
    append_number(joined, element_count(signature[i].shape));
  }
  return joined;
}

Key row_key(const Signature& row) {
  Key key;
  key.padded_blocks = row.empty() ? 1 : padded_blocks(row[0].shape);
  key.elements = elements(row);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) key.input_shapes += ';';
    append_shape(key.input_shapes, row[i].shape);
  }
  return key;
}

PaddedBlockKeys padded_block_keys(const Signature& call, const std::string& kernel) {
  PaddedBlockKeys keys;
  if (call.empty()) {
    keys.add(1);
    return keys;
  }
  const Shape& shape = call[0].shape;
  keys.add(padded_blocks(shape));
  if (const auto form = flattened(shape, kernel)) keys.add(padded_blocks(*form));
  if (const auto form = merged(shape, kernel)) keys.add(padded_blocks(*form));
  return keys;
}

std::optional<RuleMatch> match(const Signature& call, std::string_view input_shapes,
                               const std::string& kernel) {
  RuleMatch result;
  Parts parts;
  const char* at = input_shapes.data();
  const char* const end = at + input_shapes.size();
  for (std::size_t slot = 0; slot < call.size(); ++slot) {
    if (passes(call[slot].shape, at, end)) continue;  // identity
    const auto rule = slot_rule(call[slot].shape, next_shape(at, end), kernel, slot);
    if (!rule) return std::nullopt;
    for (const std::string_view part : *rule)
      if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
  }
  for (const std::string_view part : parts) {
    if (!result.match_rule.empty()) result.match_rule += '+';
    result.match_rule += part;
    result.padded = result.padded || part == "padding";
  }
  if (parts.empty()) result.match_rule = "identity";
  return result;
}

}  // namespace profdb::base_exact
