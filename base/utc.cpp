// Times and clocks.
#include "base/utc.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <climits>
#include <fstream>

namespace profdb {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

// ".123456" as nanoseconds; nothing where it is no fraction of one to nine digits.
std::optional<std::int64_t> fraction_ns(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] != '.' || text.size() < 2 || text.size() > 10) return std::nullopt;
  const auto value = digits(text, 1, text.size() - 1);
  if (!value) return std::nullopt;
  std::int64_t ns = *value;
  for (std::size_t i = text.size(); i < 10; ++i) ns *= 10;
  return ns;
}

}  // namespace

std::optional<std::int64_t> parse_utc(std::string_view text) {
  constexpr std::size_t kSeconds = 19;  // "2026-11-07T12:14:20"
  if (text.size() <= kSeconds || text.back() != 'Z') return std::nullopt;
  const auto year = digits(text, 0, 4);
  const auto month = digits(text, 5, 2);
  const auto day = digits(text, 8, 2);
  const auto hour = digits(text, 11, 2);
  const auto minute = digits(text, 14, 2);
  const auto second = digits(text, 17, 2);
  const bool punctuated =
      text[4] == '-' && text[7] == '-' && text[10] == 'T' && text[13] == ':' && text[16] == ':';
  const auto fraction = fraction_ns(text.substr(kSeconds, text.size() - kSeconds - 1));
  if (!punctuated || !year || !month || !day || !hour || !minute || !second || !fraction) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  // Nanoseconds in 64 bits reach from 1678 to 2262.
  if (!date.ok() || *year < 1970 || *year > 2261 || *hour > 23 || *minute > 59 || *second > 59)
    return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return (((days * 24 + *hour) * 60 + *minute) * 60 + *second) * kSecond + *fraction;
}

std::string format_utc(std::int64_t ns) {
  const std::chrono::sys_time<std::chrono::nanoseconds> time{std::chrono::nanoseconds(ns)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                 clock.hours().count(), clock.minutes().count(), clock.seconds().count());
  const std::int64_t fraction = clock.subseconds().count();
  if (fraction % 1000 != 0)
    text += fmt::format(".{:09}", fraction);
  else if (fraction % 1'000'000 != 0)
    text += fmt::format(".{:06}", fraction / 1000);
  else if (fraction != 0)
    text += fmt::format(".{:03}", fraction / 1'000'000);
  return text + "Z";
}

std::int64_t utc_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::int64_t monotonic_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : "unknown";
}

std::string monotonic_clock_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(file, boot);
  return host_name() + "/" + (boot.empty() ? "unknown" : boot);
}

}  // namespace profdb
