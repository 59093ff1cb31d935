// The checks of `profdb verify`, for tests that do not go through the command line.
#pragma once

#include <filesystem>
#include <vector>

#include "base/finding.h"

namespace profdb::test {

// An empty list means that all is well. Throws Error(database) where the file cannot be read.
std::vector<Finding> verify(const std::filesystem::path& database);

}  // namespace profdb::test
