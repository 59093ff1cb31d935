// CSV of JSON rows.
#include "cli/output/csv_output.h"

#include <set>
#include <vector>

#include "cli/output/records.h"

namespace profdb::cli {

std::string csv_of(const nlohmann::ordered_json& rows) {
  std::vector<RecordField> fields;
  std::set<std::string> seen;
  for (const auto& row : rows)
    for (const auto& [key, value] : row.items())
      if (seen.insert(key).second) fields.push_back({key, ""});
  return Records(std::move(fields), rows).csv();
}

}  // namespace profdb::cli
