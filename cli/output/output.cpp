// Checked standard output, messages, and how numbers and JSON look.
#include "cli/output/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <system_error>

namespace profdb::cli {

OutputError::OutputError(int error_number)
    : message_(fmt::format("cannot write the output: {}", std::generic_category().message(error_number))),
      reader_gone_(error_number == EPIPE) {}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) throw OutputError(errno);
}

void flush_output() {
  if (std::fflush(stdout) != 0) throw OutputError(errno);
}

std::string json_line(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void print_json(const nlohmann::ordered_json& value) {
  const int indent = isatty(STDOUT_FILENO) == 1 ? 2 : -1;
  print(value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void note(std::string_view text) {
  // Where standard error is closed as well, nobody is left to be told.
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

void complain(std::string_view message) {
  note(fmt::format("profdb: {}\n", message));
}

void warn(std::string_view message) {
  complain(fmt::format("warning: {}", message));
}

std::string count(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool group_begins = i > 0 && (digits.size() - i) % 3 == 0;
    if (group_begins && digits[i - 1] != '-') text += ',';
    text += digits[i];
  }
  return text;
}

std::string number(double value) {
  constexpr double kMillion = 1e6;
  constexpr double kLongestPlain = 1e15;
  const double size = std::abs(value);
  if (size >= kMillion && size < kLongestPlain) return fmt::format("{:.0f}", value);
  return fmt::format("{:.6g}", value);
}

std::string latency(double latency_us) {
  return number(latency_us) + " us";
}

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      shown += fmt::format("\\x{:02x}", byte);
    else
      shown += c;
  }
  return shown;
}

std::string time_text(std::string_view iso) {
  constexpr std::size_t kSeconds = 19;  // "2026-01-31T10:20:30"
  std::string text(iso.substr(0, kSeconds));
  if (text.size() == kSeconds && text[10] == 'T') text[10] = ' ';
  return text;
}

std::string date_text(std::string_view iso) {
  constexpr std::size_t kDate = 10;
  return std::string(iso.substr(0, kDate));
}

}  // namespace profdb::cli
