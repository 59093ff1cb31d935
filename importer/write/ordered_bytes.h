// Values as bytes whose order (memcmp) is the order of the values, so that records can be sorted as bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace profdb::importer {

// 1 to 9 bytes; small numbers take few.
void append_ordered(std::string& bytes, std::int64_t value);
// The text and a NUL, so that a prefix comes first; the text must hold none.
void append_ordered(std::string& bytes, std::string_view text);
// 8 bytes, in no particular order.
void append_real(std::string& bytes, double value);

// Take the next value off the front of `bytes`; it must be one that was appended so.
std::int64_t take_integer(std::string_view& bytes);
std::string_view take_text(std::string_view& bytes);
double take_real(std::string_view& bytes);

}  // namespace profdb::importer
