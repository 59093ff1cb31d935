// The client's clocks.
#pragma once

#include <cstdint>
#include <string>

namespace profdb::serving {

// Nanoseconds of CLOCK_MONOTONIC, the clock of every *_ns of a record.
std::int64_t monotonic_ns();
// Names that clock: "HOST/BOOT_ID". Two times compare only under one name.
std::string clock_id();
// "2026-11-07T12:14:20.123456Z"
std::string utc_now();

}  // namespace profdb::serving
