// Keys of caches: anything that can be written as bytes without ambiguity, hashed to 128 bits.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

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
  KeyBytes& number(std::uint64_t value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
    return *this;
  }
  KeyBytes& number(std::int64_t value) { return number(static_cast<std::uint64_t>(value)); }
  KeyBytes& real(double value) { return number(std::bit_cast<std::uint64_t>(value)); }
  KeyBytes& pointer(const void* value) { return number(std::bit_cast<std::uint64_t>(value)); }
  KeyBytes& tag(char value) {
    bytes_.push_back(value);
    return *this;
  }
  KeyBytes& text(std::string_view value) {
    number(static_cast<std::uint64_t>(value.size()));
    bytes_.append(value);
    return *this;
  }
  Key key() const;

  // This thread's, emptied. Holds until the thread asks for it again.
  static KeyBytes& scratch() {
    thread_local KeyBytes bytes;
    bytes.bytes_.clear();
    return bytes;
  }

 private:
  std::string bytes_;
};

}  // namespace profdb::cache
