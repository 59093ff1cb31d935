// UTF-8 by the table of well-formed byte sequences (Unicode 15, table 3-7), with a fast way through ASCII.
#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace profdb {

namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080U;
constexpr std::uint64_t kOnes = 0x0101010101010101U;

// The first offset from `from` on, in steps of 64, whose block holds something else than ASCII without NUL.
std::size_t skip_ascii(std::string_view text, std::size_t from) {
  while (text.size() - from >= 64) {
    std::uint64_t odd = 0;
    for (std::size_t i = 0; i < 64; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + from + i, 8);
      odd |= word | (word - kOnes);  // a high bit: not ASCII, or borrowed by a zero byte
    }
    if ((odd & kHighBits) != 0) break;
    from += 64;
  }
  return from;
}

}  // namespace

std::optional<std::size_t> TextCheck::feed(std::string_view piece) {
  std::size_t at = 0;
  std::size_t next_skip = 0;
  while (at < piece.size()) {
    if (pending_ == 0 && at >= next_skip) {
      at = skip_ascii(piece, at);
      next_skip = at + 64;  // the block that stopped it goes byte by byte
      if (at == piece.size()) break;
    }
    if (!accept(static_cast<unsigned char>(piece[at]))) return at;
    ++at;
  }
  return std::nullopt;
}

bool TextCheck::accept(unsigned char byte) {
  if (pending_ > 0) {
    if (byte < low_ || byte > high_) return false;
    low_ = 0x80;
    high_ = 0xBF;
    --pending_;
    return true;
  }
  if (byte < 0x80) return byte != 0;
  if (byte < 0xC2 || byte > 0xF4) return false;
  pending_ = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
  if (byte == 0xE0) low_ = 0xA0;   // no overlong forms
  if (byte == 0xED) high_ = 0x9F;  // no surrogates
  if (byte == 0xF0) low_ = 0x90;
  if (byte == 0xF4) high_ = 0x8F;  // nothing past U+10FFFF
  return true;
}

std::size_t count_lines(std::string_view text) {
  std::size_t lines = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'))) ++lines;
  }
  return lines;
}

}  // namespace profdb
