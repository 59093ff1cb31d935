// What a caller asks: one leaf operator call (formats §4).
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profdb {

// One tensor of a call. `shape` is what the framework sees, or the physical shape where `format` says so.
struct Tensor {
  std::vector<std::int64_t> shape;  // dimensions >= 0; empty for a scalar
  std::string dtype;                // framework name, e.g. "bfloat16"
  std::optional<std::string>
      format;  // e.g. "FRACTAL_NZ"; the contract says per path what an omitted one means
};

// One argument of a call, in call order: absent (an optional argument that holds its position), one tensor,
// or a list of tensors.
struct Argument {
  enum class Kind { absent, tensor, list };
  Kind kind = Kind::tensor;
  std::string role;             // empty where none is named
  std::vector<Tensor> tensors;  // none, one, or the list's
};

// A leaf operator call. Plain data: the caller owns it, and may fill it field by field or from JSON.
struct LeafOp {
  std::string op;                // e.g. "aten.mm.default"
  std::vector<Argument> inputs;  // at most 64; a list among them holds at most 4,096 tensors
  std::vector<Tensor> outputs;   // at most 64
  nlohmann::json attrs = nlohmann::json::object();  // what shapes cannot carry: phase, seq_lens, ...
  std::optional<double> prior_latency_us;  // a caller's partial sum (contract §1); never used as the answer
};

// Parses a leaf from JSON text. Throws Error(input) that names the field for text that is not JSON, keys that
// are unknown or stand twice, wrong types, negative dimensions, dimensions or products over 2^53, more than
// 64 inputs or outputs, a list or repeat over 4,096 members, and for what no call has: a rank over 64, a
// dtype or format over 256 bytes, attrs nested deeper than 64 levels.
LeafOp parse_leaf_op(std::string_view json_text);
// The same from a JSON value already read.
LeafOp leaf_op_from_json(const nlohmann::json& value);

// Checks a leaf that was filled in by hand against the same limits. Throws Error(input) naming the field.
void validate(const LeafOp& leaf);

// XXH3-128 over everything in a leaf. Equal leaves have equal digests; the value is this process's, no
// format.
struct LeafDigest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  auto operator<=>(const LeafDigest&) const = default;  // NOLINT(modernize-use-nullptr): sees one in it
};
LeafDigest digest(const LeafOp& leaf);

// A leaf that is checked and digested once and asked many times. Immutable: copies share the leaf, and any
// number of threads may use them.
class PreparedLeaf {
 public:
  // Throws Error(input) as validate() does.
  explicit PreparedLeaf(LeafOp leaf);
  const LeafOp& leaf() const { return *leaf_; }
  const LeafDigest& digest() const { return digest_; }
  std::shared_ptr<const LeafOp> shared() const { return leaf_; }

 private:
  std::shared_ptr<const LeafOp> leaf_;
  LeafDigest digest_;
};

// The leaf as JSON, canonical: keys in a fixed order, defaults left out. Equal leaves give equal text.
nlohmann::ordered_json to_json(const LeafOp& leaf);

}  // namespace profdb
