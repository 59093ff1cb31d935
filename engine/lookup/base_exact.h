// Contract §2: the base exact match, slot by slot, and its padded form.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/lookup/signature.h"

namespace profdb::base_exact {

// What the signature table keeps of a row (schema: base_exact_candidate).
struct Key {
  std::int64_t padded_blocks = 0;  // slot 0: dimensions after leading ones, each rounded up to 64, multiplied
  std::string elements;            // per slot, joined by ";"
  std::string input_shapes;        // logical, per slot, joined by ";"
};
Key row_key(const Signature& row);

// The keys under which rows that match the call can stand: one per form that slot 0 can take (itself,
// flattened, merged), each once.
class PaddedBlockKeys {
 public:
  using value_type = std::int64_t;
  using const_iterator = const std::int64_t*;

  void add(std::int64_t key) {
    if (std::find(begin(), end(), key) == end()) keys_.at(count_++) = key;
  }
  const std::int64_t* begin() const { return keys_.data(); }
  const std::int64_t* end() const { return keys_.data() + count_; }

 private:
  std::array<std::int64_t, 3> keys_{};
  std::size_t count_ = 0;
};
PaddedBlockKeys padded_block_keys(const Signature& call, const std::string& kernel);
std::string elements(const Signature& signature);

// The rule by which a row matches a call on `kernel`.
struct RuleMatch {
  std::string match_rule;  // e.g. "identity", "batch_strip+padding"
  bool padded = false;     // compatible, not exact
};
// `input_shapes` is a row's Key::input_shapes; counts and dtypes are already known to be equal.
std::optional<RuleMatch> match(const Signature& call, std::string_view input_shapes,
                               const std::string& kernel);

// contract §2.4: whether `call` is `row` rounded up to a multiple of 16, 32 or 64 (of 8 only where row >=
// 64).
bool pads_to(std::int64_t row, std::int64_t call);

}  // namespace profdb::base_exact
