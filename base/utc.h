// UTC times as nanoseconds since 1970, and as ISO 8601 text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace profdb {

// "2026-11-07T12:14:20Z", with up to nine fraction digits. Nothing for any other text.
std::optional<std::int64_t> parse_utc(std::string_view text);
// With the fraction digits that are needed: none, 3, 6 or 9.
std::string format_utc(std::int64_t ns);
std::int64_t utc_now_ns();
std::int64_t monotonic_now_ns();
// Names this machine's monotonic clock until its next boot: "HOST/BOOT_ID".
std::string monotonic_clock_id();
std::string host_name();

}  // namespace profdb
