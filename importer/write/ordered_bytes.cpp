// Integers as a head, which tells sign and length, and their significant bytes, the highest first.
#include "importer/write/ordered_bytes.h"

#include <array>
#include <bit>
#include <cstring>

namespace profdb::importer {

namespace {

// The head of a number >= 0 without significant bytes; one more for each byte. A negative number counts down
// from the head below.
constexpr unsigned kZeroHead = 0x80;

}  // namespace

void append_ordered(std::string& bytes, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  const auto size = static_cast<unsigned>(std::bit_width(value < 0 ? ~bits : bits) + 7) / 8;
  std::array<char, 1 + sizeof(bits)> encoded{};
  encoded[0] = static_cast<char>(value < 0 ? kZeroHead - 1 - size : kZeroHead + size);
  for (unsigned i = 0; i < size; ++i) encoded[1 + i] = static_cast<char>(bits >> (8 * (size - 1 - i)));
  bytes.append(encoded.data(), 1 + size);
}

void append_ordered(std::string& bytes, std::string_view text) {
  bytes.append(text).push_back('\0');
}

void append_real(std::string& bytes, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  bytes.append(reinterpret_cast<const char*>(&bits), sizeof(bits));
}

std::int64_t take_integer(std::string_view& bytes) {
  const unsigned head = static_cast<unsigned char>(bytes[0]);
  const bool negative = head < kZeroHead;
  const unsigned size = negative ? kZeroHead - 1 - head : head - kZeroHead;
  std::uint64_t bits = negative ? ~std::uint64_t{0} : 0;
  for (unsigned i = 0; i < size; ++i) bits = bits << 8 | static_cast<unsigned char>(bytes[1 + i]);
  bytes.remove_prefix(1 + size);
  return static_cast<std::int64_t>(bits);
}

std::string_view take_text(std::string_view& bytes) {
  const std::string_view text = bytes.substr(0, bytes.find('\0'));
  bytes.remove_prefix(text.size() + 1);
  return text;
}

double take_real(std::string_view& bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), sizeof(bits));
  bytes.remove_prefix(sizeof(bits));
  return std::bit_cast<double>(bits);
}

}  // namespace profdb::importer
