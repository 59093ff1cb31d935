// Reading and comparing identities.
#include "serving/documents/identity.h"

namespace profdb::serving {

Identity read_identity(Fields& fields) {
  Identity identity;
  for (const auto& [name, member] : kIdentities)
    identity.*member = member == &Identity::commit ? fields.text(name) : fields.sha256(name);
  return identity;
}

nlohmann::ordered_json to_json(const Identity& identity) {
  nlohmann::ordered_json json;
  for (const auto& [name, member] : kIdentities) json[name] = identity.*member;
  return json;
}

std::vector<std::string> differences(const Identity& a, const Identity& b) {
  std::vector<std::string> names;
  for (const auto& [name, member] : kIdentities)
    if (a.*member != b.*member) names.emplace_back(name);
  return names;
}

}  // namespace profdb::serving
