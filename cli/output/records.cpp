// The three forms of a table.
#include "cli/output/records.h"

#include <fmt/format.h>

#include "cli/output/output.h"
#include "profdb/error.h"

namespace profdb::cli {
namespace {

using nlohmann::ordered_json;

std::string shown(const ordered_json& value, Show show) {
  constexpr double kPercent = 100;
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "";
  if (show == Show::percent && value.is_number())
    return fmt::format("{:.2f}", value.get<double>() * kPercent);
  if (show == Show::brief && value.is_number()) return fmt::format("{:.3g}", value.get<double>());
  if (show == Show::ratio && value.is_number()) return fmt::format("{:.3f}", value.get<double>());
  if (value.is_number_integer())
    return show == Show::id ? std::to_string(value.get<std::int64_t>()) : count(value.get<std::int64_t>());
  if (value.is_number()) return number(value.get<double>());
  std::string joined;
  for (const auto& [key, part] : value.items()) {
    const std::string text = shown(part, Show::id);
    if (value.is_object() && text.empty()) continue;
    if (!joined.empty()) joined += value.is_object() ? ", " : "+";
    joined += value.is_object() ? fmt::format("{} {}", key, text) : text;
  }
  return joined;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + "\"";
}

std::string raw(const ordered_json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : json_line(value);
}

const ordered_json& at(const ordered_json& row, const std::string& key) {
  static const ordered_json none;
  const auto it = row.find(key);
  return it == row.end() ? none : *it;
}

}  // namespace

std::string Records::text(std::size_t most) const {
  std::vector<Column> columns;
  for (const RecordField& field : fields_)
    if (!field.title.empty()) columns.push_back({field.title, field.align});
  Table table(std::move(columns));
  for (const auto& row : rows_) {
    if (table.size() == most) break;
    std::vector<std::string> cells;
    for (const RecordField& field : fields_)
      if (!field.title.empty()) cells.push_back(shown(at(row, field.key), field.show));
    table.add(std::move(cells));
  }
  std::string text = table.text();
  if (size() > most)
    text += fmt::format("({} more; --json and --csv have all)\n",
                        count(static_cast<std::int64_t>(size() - most)));
  return text;
}

std::string Records::csv() const {
  std::string text;
  for (const RecordField& field : fields_) text += (text.empty() ? "" : ",") + quoted(field.key);
  text += "\n";
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < fields_.size(); ++i)
      line += (i == 0 ? "" : ",") + quoted(raw(at(row, fields_[i].key)));
    text += line + "\n";
  }
  return text;
}

const Records& choose(const std::vector<NamedRecords>& tables, const std::string& name) {
  if (name.empty()) return tables.front().records;
  std::string known;
  for (const NamedRecords& table : tables) {
    if (table.name == name) return table.records;
    known += (known.empty() ? "" : ", ") + table.name;
  }
  throw Error(ErrorKind::usage, fmt::format("there is no table '{}'; choose from {}", name, known));
}

}  // namespace profdb::cli
