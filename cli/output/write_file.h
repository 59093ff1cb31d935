// Files that a command writes.
#pragma once

#include <string>

namespace profdb::cli {

// Whole or not at all: written beside the file, then put in its place. Throws Error(input) where that fails.
void write_file(const std::string& file, const std::string& text);

}  // namespace profdb::cli
