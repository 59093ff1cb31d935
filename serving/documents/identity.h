// What a service runs: the five identities that a RunSpec freezes and a service run is compared with
// (acceptance-protocol §1).
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/fields.h"

namespace profdb::serving {

struct Identity {
  std::string commit;            // as the version control names it, in full
  std::string deployed_files;    // SHA-256 of the manifest of deployed files
  std::string weights;           // SHA-256 of the manifest of weights
  std::string operator_library;  // SHA-256 of the manifest of the operator library
  std::string configuration;     // SHA-256 of the effective configuration
  bool operator==(const Identity&) const = default;
};

inline constexpr std::array<std::pair<const char*, std::string Identity::*>, 5> kIdentities = {{
    {"commit", &Identity::commit},
    {"deployed_files", &Identity::deployed_files},
    {"weights", &Identity::weights},
    {"operator_library", &Identity::operator_library},
    {"configuration", &Identity::configuration},
}};

// Reads the five members of `fields`, which may have others. Throws FieldError.
Identity read_identity(Fields& fields);
nlohmann::ordered_json to_json(const Identity& identity);
// The names of the members that differ.
std::vector<std::string> differences(const Identity& a, const Identity& b);

}  // namespace profdb::serving
