// Text that stands in HTML or Markdown as what it is.
#pragma once

#include <string>
#include <string_view>

namespace profdb::report {

inline std::string escape_html(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

// A table cell or a line of Markdown: on one line, without cell borders, HTML or emphasis of its own.
// `words between backticks` stay code.
inline std::string escape_markdown(std::string_view text) {
  std::string safe;
  bool code = false;
  const auto in_word = [&](std::size_t i) {
    const auto letter = [&](std::size_t at) { return at < text.size() && text[at] > ' ' && text[at] != '_'; };
    return i > 0 && letter(i - 1) && letter(i + 1);
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '`') code = !code;
    const bool special = c == '*' || c == '<' || c == '[' || c == '\\' || (c == '_' && !in_word(i));
    if (c == '\n' || c == '\r') {
      safe += ' ';
      continue;
    }
    if (c == '|' || (special && !code)) safe += '\\';
    safe += c;
  }
  return safe;
}

}  // namespace profdb::report
