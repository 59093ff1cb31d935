// Reading rows, and naming things alike in all sections.
#include "report/sections/input.h"

#include <fmt/format.h>

#include <algorithm>

namespace profdb::report {
namespace {

Json cell(const SQLite::Column& column) {
  if (column.isInteger()) return column.getInt64();
  if (column.isFloat()) return column.getDouble();
  if (column.isNull()) return {};
  return column.getString();
}

Json row_of(store::Rows& rows) {
  Json row = Json::array();
  for (int i = 0; i < rows->getColumnCount(); ++i) row.push_back(cell(rows[i]));
  return row;
}

}  // namespace

std::string Input::badge() const {
  const auto synthetic =
      std::find_if(releases.begin(), releases.end(), [](const Release& r) { return !r.badge.empty(); });
  return synthetic == releases.end() ? std::string() : synthetic->badge;
}

std::vector<Json> table_rows(SQLite::Statement& statement) {
  std::vector<Json> all;
  store::Rows rows(statement);
  while (rows.next()) all.push_back(row_of(rows));
  return all;
}

std::vector<Json> release_rows(const Input& input, const std::string& sql) {
  std::vector<Json> all;
  for (const Release& release : input.releases) {
    auto& statement = input.connection.statement(sql);
    statement.bind(":release", release.info.release_id);
    for (Json& row : table_rows(statement)) {
      row.insert(row.begin(), release.name);
      all.push_back(std::move(row));
    }
  }
  return all;
}

void cut(Table& table, const std::string& whole) {
  if (table.rows.size() <= kMaxTableRows) return;
  table.note += fmt::format("{}The first {} of {} rows; `{}` shows all.", table.note.empty() ? "" : " ",
                            kMaxTableRows, table.rows.size(), whole);
  table.rows.resize(kMaxTableRows);
}

std::string share(std::size_t part, std::size_t whole) {
  return fmt::format("{} of {}", part, whole);
}

std::string regime_name(const std::string& path, std::int64_t regime_id) {
  return fmt::format("{} {}", path, regime_id);
}

std::string regime_text(const std::string& fields_json) {
  std::string text;
  const Json fields = Json::parse(fields_json);
  for (const auto& [name, value] : fields.items()) {
    const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
    if (shown.empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, shown);
  }
  return text;
}

}  // namespace profdb::report
