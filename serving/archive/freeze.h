// Freezing a RunSpec: its digest with a time anchor, and everything that it binds (acceptance-protocol §1).
#pragma once

#include <filesystem>
#include <string>

namespace profdb::serving {

struct FreezeReport {
  std::string round;
  std::string runspec_sha256;
  std::string protocol;  // name and version
  std::string frozen_utc;
  std::string freeze_sha256;
  bool already = false;  // the same RunSpec was frozen before; nothing was changed
};

// Creates the database where there is none. Throws Error(input), naming every rule that the RunSpec breaks,
// where it cannot be frozen: a missing or changed file, an outcome of the knowledge query that is none, and
// so on. A RunSpec that was frozen stays as it is: another one needs another round id.
FreezeReport freeze(const std::filesystem::path& database, const std::filesystem::path& runspec);

}  // namespace profdb::serving
