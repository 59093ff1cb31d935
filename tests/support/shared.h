// Where tests find real measurements, and the cases that belong to them, which are not part of the project.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>

namespace profdb::test {

inline std::filesystem::path shared_dir() {
  return PROFDB_SHARED_DIR;
}

// Skips a test, with the reason, where a file or folder of the shared material is absent.
#define PROFDB_REQUIRE_SHARED(relative)                                              \
  do {                                                                               \
    if (!std::filesystem::exists(profdb::test::shared_dir() / (relative)))           \
      GTEST_SKIP() << "needs " << (profdb::test::shared_dir() / (relative)).string() \
                   << " (set PROFDB_SHARED_DIR to the folder that has it)";          \
  } while (false)

}  // namespace profdb::test
