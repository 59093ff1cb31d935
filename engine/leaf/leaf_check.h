// Checks shared by leaves that come as JSON and leaves filled in by hand; a place is named only for an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace profdb::leaf_check {

inline constexpr std::int64_t kMaxElements = std::int64_t{1}
                                             << 53;  // whole numbers that every JSON reader keeps exact
inline constexpr std::size_t kMaxTensors = 64;       // of `inputs`, and of `outputs`
inline constexpr std::size_t kMaxListMembers = 4096;
// A repeated member is copied, so that a short text must not stand for gigabytes: what one tensor holds is
// bounded.
inline constexpr std::size_t kMaxRank = 64;
inline constexpr std::size_t kMaxTypeBytes = 256;  // of a dtype, and of a format
// Objects and arrays within each other. Copying, comparing and printing JSON are recursive.
inline constexpr std::size_t kMaxNesting = 64;
inline constexpr std::string_view kDimensionRule = "dimensions are whole numbers from 0 to 2^53";

// A place in the leaf, e.g. inputs[2].list[0].shape[1]: a chain on the stack, each link alive as long as the
// next.
class Place {
 public:
  Place() = default;  // the leaf itself
  Place member(std::string_view key) const { return {this, key, 0}; }
  Place at(std::size_t index) const { return {this, {}, index}; }
  std::string text() const;

 private:
  Place(const Place* parent, std::string_view key, std::size_t index)
      : parent_(parent), key_(key), index_(index) {}

  const Place* parent_ = nullptr;
  std::string_view key_;  // without data: an index
  std::size_t index_ = 0;
};

// Throws Error(input): "<place>: <what>".
[[noreturn]] void fail(const Place& place, std::string_view what);
std::string too_many(std::size_t limit);  // what to say of an array with more entries than `limit`
std::string too_deep();                   // ... of nesting beyond kMaxNesting

// Each throws Error(input) where the value is outside the limits.
void text(const std::string& text, const Place& place);       // not empty, UTF-8
void type_name(const std::string& text, const Place& place);  // a dtype or a format
void rank(std::size_t rank, const Place& place);
void shape(const std::vector<std::int64_t>& shape, const Place& place);
void prior(double latency_us, const Place& place);
// `level` counts the objects and arrays around and including `value`.
void attribute(const nlohmann::json& value, const Place& place, std::size_t level);

}  // namespace profdb::leaf_check
