// Columns and rows of kernel CSVs.
#include "importer/read/kernel_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "importer/read/tensor_list.h"
#include "profdb/error.h"

namespace profdb::importer {
namespace {

constexpr std::array<std::array<std::string_view, 3>, 2> kTensorColumns = {
    {{"Input Shapes", "Input Data Types", "Input Formats"},
     {"Output Shapes", "Output Data Types", "Output Formats"}}};
constexpr std::array<std::string_view, 2> kDirections = {"Input", "Output"};

// formats §2: the selected column is the first of these that the file has; the others are fallbacks,
constexpr std::array<std::string_view, 3> kSelectable = {"Average Duration(us)",
                                                         "Profiling Average Duration(us)", "Duration(us)"};
// followed by these.
constexpr std::array<std::string_view, 2> kFallbacks = {"Profiling Median Duration(us)",
                                                        "Median Duration(us)"};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::optional<std::size_t> index_of(const std::vector<std::string>& columns, std::string_view name) {
  const auto it = std::find(columns.begin(), columns.end(), name);
  if (it == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(it - columns.begin());
}

std::optional<double> parse_number(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Columns::Columns(const std::vector<std::string>& names, const std::string& file) : names_(names) {
  for (std::size_t d = 0; d < 2; ++d)
    for (std::size_t c = 0; c < 3; ++c) tensor_[d][c] = index_of(names, kTensorColumns[d][c]);
  const bool communication = index_of(names, "message_bytes") && index_of(names, "num_devices");
  if (!communication && (!tensor_[0][0] || !tensor_[0][1]))
    throw Error(
        ErrorKind::input,
        fmt::format(
            "{}: no column '{}'; a kernel CSV has Input Shapes and Input Data Types, a communication CSV "
            "message_bytes and num_devices",
            file, tensor_[0][0] ? kTensorColumns[0][1] : kTensorColumns[0][0]));
  latency_names_.emplace_back();
  latency_.emplace_back();
  const auto add = [&](std::string_view name, bool selectable) {
    const auto index = index_of(names, name);
    if (!index) return;
    if (selectable && !latency_[0]) {
      latency_names_[0] = name;
      latency_[0] = index;
    } else {
      latency_names_.emplace_back(name);
      latency_.push_back(index);
    }
  };
  for (const auto name : kSelectable) add(name, true);
  for (const auto name : kFallbacks) add(name, false);
  if (!latency_[0] && latency_.size() == 1)
    throw Error(ErrorKind::input, fmt::format("{}: no latency column; expected one of {}, {}", file,
                                              fmt::join(kSelectable, ", "), fmt::join(kFallbacks, ", ")));
}

void RowReader::read_latency(const CsvRow& record) {
  row_.latency_column.reset();
  row_.row.latency_us.reset();
  row_.unusable_reason.clear();
  for (std::size_t i = 0; i < columns_.latency_.size(); ++i) {
    if (!columns_.latency_[i]) continue;
    const std::string& cell = record.cells[*columns_.latency_[i]];
    const auto value = parse_number(cell);
    if (value && std::isfinite(*value) && *value > 0) {
      row_.latency_column = static_cast<int>(i);
      row_.row.latency_us = value;
      row_.row.source_class = i == 0 ? SourceClass::selected : SourceClass::fallback;
      row_.stored[*columns_.latency_[i]] = false;
      row_.cells[*columns_.latency_[i]].clear();
      row_.unusable_reason.clear();
      return;
    }
    // The first cell that says something names the reason.
    if (row_.unusable_reason.empty() && !trimmed(cell).empty())
      row_.unusable_reason = value && *value == 0 ? "latency_zero" : "latency_invalid";
  }
  if (row_.unusable_reason.empty()) row_.unusable_reason = "latency_invalid";
}

std::variant<const ReadRow*, RejectedRow> RowReader::read(const CsvRow& record) {
  std::array<std::string_view, 3> cells;
  for (std::size_t d = 0; d < 2; ++d) {
    for (std::size_t c = 0; c < 3; ++c)
      cells[c] = columns_.tensor_[d][c] ? std::string_view(record.cells[*columns_.tensor_[d][c]])
                                        : std::string_view();
    auto list = parse_tensor_list(kDirections[d], cells[0], cells[1], cells[2]);
    if (auto* problem = std::get_if<ListProblem>(&list)) return RejectedRow{problem->reason, problem->detail};
    (d == 0 ? row_.row.inputs : row_.row.outputs) = std::move(std::get<0>(list));
  }
  row_.cells = record.cells;
  row_.stored.assign(record.cells.size(), true);
  for (const auto& direction : columns_.tensor_)
    for (const auto& column : direction)
      if (column) {
        row_.stored[*column] = false;
        row_.cells[*column].clear();
      }
  read_latency(record);
  row_.row.columns = &columns_.names();
  row_.row.cells = &row_.cells;
  return &row_;
}

}  // namespace profdb::importer
