// Keys of caches: anything that can be written as bytes without ambiguity, hashed to 128 bits.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "profdb/leaf_op.h"

namespace profdb::cache {

using Key = LeafDigest;

// The key is a digest already: its low half is as good a hash as any.
struct KeyHash {
  std::size_t operator()(const Key& key) const { return static_cast<std::size_t>(key.low); }
};

// Collects the bytes of a key. One is kept per thread (see scratch()), so that a key allocates nothing.
class KeyBytes {
 public:
  KeyBytes() : bytes_(kFirst) {}

  KeyBytes& number(std::uint64_t value) {
    std::memcpy(room(sizeof value), &value, sizeof value);
    return *this;
  }
  KeyBytes& number(std::int64_t value) { return number(static_cast<std::uint64_t>(value)); }
  KeyBytes& real(double value) { return number(std::bit_cast<std::uint64_t>(value)); }
  KeyBytes& pointer(const void* value) { return number(std::bit_cast<std::uint64_t>(value)); }
  KeyBytes& tag(char value) {
    *room(1) = value;
    return *this;
  }
  KeyBytes& text(std::string_view value) {
    number(static_cast<std::uint64_t>(value.size()));
    if (!value.empty()) std::memcpy(room(value.size()), value.data(), value.size());
    return *this;
  }
  Key key() const;

  // This thread's, emptied. Holds until the thread asks for it again.
  static KeyBytes& scratch() {
    thread_local KeyBytes bytes;
    bytes.size_ = 0;
    return bytes;
  }

 private:
  static constexpr std::size_t kFirst = 1024;

  // Where the next `size` bytes go.
  char* room(std::size_t size) {
    if (size_ + size > bytes_.size()) bytes_.resize((size_ + size) * 2);
    char* const at = bytes_.data() + size_;
    size_ += size;
    return at;
  }

  std::vector<char> bytes_;
  std::size_t size_ = 0;  // in use
};

}  // namespace profdb::cache
