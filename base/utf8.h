// Tells text from binary data: UTF-8 without NUL bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace profdb {

// Checks text that arrives in pieces; a character may be cut by their ends.
class TextCheck {
 public:
  // The offset in `piece` of the first byte that is NUL or cannot continue UTF-8; nothing where all is well.
  std::optional<std::size_t> feed(std::string_view piece);

  // False where the text so far ends within a character.
  bool complete() const { return pending_ == 0; }

 private:
  bool accept(unsigned char byte);

  int pending_ = 0;           // bytes that the current character still needs
  unsigned char low_ = 0x80;  // range of the next of them
  unsigned char high_ = 0xBF;
};

// Physical lines that end in `text`: by LF, CRLF or CR.
std::size_t count_lines(std::string_view text);

}  // namespace profdb
