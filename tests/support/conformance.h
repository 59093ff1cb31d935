// Where tests find the cases with known answers.
#pragma once

#include <filesystem>

namespace profdb::test {

inline std::filesystem::path conformance_cases() {
  return std::filesystem::path(PROFDB_SOURCE_DIR) / "tests" / "conformance" / "cases";
}

}  // namespace profdb::test
