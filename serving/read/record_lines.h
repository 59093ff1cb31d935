// The lines of a JSONL file, one at a time, with the digest of the whole.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace profdb::serving {

struct LinesRead {
  std::string sha256;  // of the whole file
  std::int64_t bytes = 0;
  std::int64_t lines = 0;
};

// Calls `visit(line, number)` for each line that is not empty; numbers from 1. Throws Error(input) where the
// file cannot be read, has a line above 64 MiB, or its last line does not end: it is still being written, or
// cut short.
LinesRead read_lines(const std::filesystem::path& path,
                     const std::function<void(std::string_view, std::int64_t)>& visit);

}  // namespace profdb::serving
