// What the subcommands print with: checked standard output, messages, and how numbers and JSON look.
#pragma once

#include <cstdint>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace profdb::cli {

// Standard output cannot be written.
class OutputError : public std::exception {
 public:
  explicit OutputError(int error_number);
  const char* what() const noexcept override { return message_.c_str(); }
  bool reader_gone() const { return reader_gone_; }  // the pipe's other end is closed

 private:
  std::string message_;
  bool reader_gone_;
};

// To standard output, buffered. Throw OutputError.
void print(std::string_view text);
void flush_output();

// JSON to standard output and a line end: indented on a terminal, else one line.
void print_json(const nlohmann::ordered_json& value);
// JSON on one line, with bytes that are not UTF-8 replaced.
std::string json_line(const nlohmann::ordered_json& value);

// To standard error, as it is.
void note(std::string_view text);
// "profdb: MESSAGE" and "profdb: warning: MESSAGE" to standard error.
void complain(std::string_view message);
void warn(std::string_view message);

// 4776 as "4,776".
std::string count(std::int64_t number);
// Six significant digits, without an exponent where that reads better.
std::string number(double value);
// "515.988 us"
std::string latency(double latency_us);
// The text without control characters, which could rule a terminal: they are shown as \xNN.
std::string printable(std::string_view text);
// "2026-01-31T10:20:30.123Z" as "2026-01-31 10:20:30"; in UTC, as it is stored.
std::string time_text(std::string_view iso);
// "2026-01-31"
std::string date_text(std::string_view iso);

}  // namespace profdb::cli
