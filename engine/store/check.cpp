// PRAGMA integrity_check, foreign keys, references.
#include "engine/store/check.h"

#include <fmt/format.h>

#include <map>
#include <string>

namespace profdb::store {
namespace {

void check_integrity(Connection& connection, std::vector<Finding>& findings) {
  Rows rows(connection.statement("PRAGMA integrity_check"));
  while (rows.next())
    if (rows.text(0) != "ok") findings.push_back({"integrity", rows.text(0)});
}

void check_foreign_keys(Connection& connection, std::vector<Finding>& findings) {
  Rows rows(connection.statement("PRAGMA foreign_key_check"));
  while (rows.next())
    findings.push_back({"foreign_keys", fmt::format("table {}, row {}: no such row in {}", rows.text(0),
                                                    rows.text(1), rows.text(2))});
}

// References that are no foreign keys (schema: tensor_list).
void check_references(Connection& connection, std::vector<Finding>& findings) {
  const std::map<std::string, std::string> checks = {
      {"measurement without its tensor lists",
       "SELECT count(*) FROM measurement WHERE input_list_id NOT IN (SELECT tensor_list_id FROM tensor_list) "
       "OR output_list_id "
       "NOT IN (SELECT tensor_list_id FROM tensor_list)"},
      {"measurement without its field set",
       "SELECT count(*) FROM measurement WHERE field_set_id NOT IN (SELECT field_set_id FROM field_set)"},
      {"tensor list without its dtypes",
       "SELECT count(*) FROM tensor_list WHERE tensor_type_list_id NOT IN (SELECT tensor_type_list_id FROM "
       "tensor_type_list)"}};
  for (const auto& [what, sql] : checks)
    if (const auto count = connection.integer(sql); count > 0)
      findings.push_back({"references", fmt::format("{} {}", count, what)});
}

}  // namespace

bool check_file(Connection& connection, std::vector<Finding>& findings) {
  const std::size_t before = findings.size();
  check_integrity(connection, findings);
  if (findings.size() > before) return false;
  check_foreign_keys(connection, findings);
  check_references(connection, findings);
  return true;
}

}  // namespace profdb::store
