// Look-ups by name in a mapping, and its aliases as JSON.
#include "engine/store/mapping.h"

#include <algorithm>

namespace profdb {

const OpMapping* Mapping::find(const std::string& op) const {
  const auto it = std::find_if(operators.begin(), operators.end(), [&](const auto& m) { return m.op == op; });
  return it == operators.end() ? nullptr : &*it;
}

const KernelPolicy* Mapping::policy(const std::string& kernel) const {
  const auto it =
      std::find_if(policies.begin(), policies.end(), [&](const auto& p) { return p.kernel == kernel; });
  return it == policies.end() ? nullptr : &*it;
}

nlohmann::ordered_json column_aliases_to_json(const Mapping& mapping) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [stem, aliases] : mapping.column_aliases) {
    for (const ColumnAlias& alias : aliases) {
      auto& entry = json[stem][alias.name] = nlohmann::ordered_json::object();
      if (alias.column) entry["column"] = *alias.column;
      if (alias.constant) entry["constant"] = *alias.constant;
      if (alias.zero_is_query_heads) entry["zero"] = "query_heads";
    }
  }
  return json;
}

std::map<std::string, std::vector<ColumnAlias>> column_aliases_from_json(const nlohmann::ordered_json& json) {
  std::map<std::string, std::vector<ColumnAlias>> all;
  for (const auto& [stem, entries] : json.items()) {
    for (const auto& [name, entry] : entries.items()) {
      ColumnAlias alias;
      alias.name = name;
      if (entry.contains("column")) alias.column = entry["column"].get<std::string>();
      if (entry.contains("constant")) alias.constant = entry["constant"].get<std::string>();
      alias.zero_is_query_heads = entry.contains("zero");
      all[stem].push_back(std::move(alias));
    }
  }
  return all;
}

}  // namespace profdb
