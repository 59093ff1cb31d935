// Rows with aliased columns.
#include "importer/mapping/column_aliases.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace profdb::importer {
namespace {

bool is_zero(const std::string& cell) {
  double value = 1;
  const auto [end, ec] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return ec == std::errc() && end == cell.data() + cell.size() && value == 0;
}

// The heads of the query in slot 0: [T,N,D] or [B,N,1,D].
std::string query_heads(const Row& row) {
  if (row.inputs.empty() || row.inputs[0].shape.size() < 3) return "";
  return std::to_string(row.inputs[0].shape[1]);
}

}  // namespace

ColumnAliaser::ColumnAliaser(const Mapping& mapping, const std::string& file_path,
                             const std::vector<std::string>& columns) {
  const auto aliases = mapping.column_aliases.find(std::filesystem::path(file_path).stem().string());
  if (aliases == mapping.column_aliases.end()) return;
  columns_ = columns;
  for (const ColumnAlias& alias : aliases->second) {
    if (std::find(columns.begin(), columns.end(), alias.name) != columns.end()) continue;
    Source source{alias, 0};
    if (alias.column) {
      const auto it = std::find(columns.begin(), columns.end(), *alias.column);
      if (it == columns.end()) continue;
      source.column = static_cast<std::size_t>(it - columns.begin());
    }
    sources_.push_back(source);
    columns_.push_back(alias.name);
  }
}

const Row& ColumnAliaser::widen(const Row& row) {
  if (sources_.empty()) return row;
  row_ = row;
  cells_ = *row.cells;
  for (const Source& source : sources_) {
    std::string cell = source.alias.constant ? *source.alias.constant : (*row.cells)[source.column];
    if (source.alias.zero_is_query_heads && is_zero(cell)) cell = query_heads(row);
    cells_.push_back(std::move(cell));
  }
  row_.columns = &columns_;
  row_.cells = &cells_;
  return row_;
}

}  // namespace profdb::importer
