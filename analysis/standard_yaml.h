// Reads a standard of required grids (profdb density --standard).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "analysis/standard.h"

namespace profdb::analysis {

// Parses the text of a standard; `name` is what errors call the file. Throws Error(input) naming file and
// line for everything that the mapping's YAML is refused for, unknown fields and paths and axes, empty ranges
// and segments, and grids that ask for nothing or stand twice.
analysis::Standard parse_standard(std::string_view text, const std::string& name);

// Reads and parses a file. Throws Error(input) as above, or where it cannot be read.
analysis::Standard read_standard(const std::filesystem::path& path);

}  // namespace profdb::analysis
