// Turns the records of a kernel CSV into rows: tensor lists, latency, and every other column (formats §2).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/store/row.h"
#include "importer/read/csv.h"

namespace profdb::importer {

// The number that a cell holds (1e3, ` 12.5 `, nan, inf); nothing for anything else.
std::optional<double> parse_number(std::string_view cell);

// Where among the columns the first of this name is.
std::optional<std::size_t> index_of(const std::vector<std::string>& columns, std::string_view name);

// The columns of one file, by what they are for.
class Columns {
 public:
  // Throws Error(input), naming `file`, where the file has no tensor columns and is no communication CSV, or
  // has no latency column.
  Columns(const std::vector<std::string>& names, const std::string& file);

  const std::vector<std::string>& names() const { return names_; }
  // The selected column ("" where the file has only fallbacks), then the fallbacks in order.
  const std::vector<std::string>& latency_columns() const { return latency_names_; }

 private:
  friend class RowReader;
  std::vector<std::string> names_;
  // Input and output: shapes, dtypes, formats.
  std::array<std::array<std::optional<std::size_t>, 3>, 2> tensor_;
  std::vector<std::string> latency_names_;
  std::vector<std::optional<std::size_t>> latency_;  // along latency_names_
};

// A record that is a measurement.
struct ReadRow {
  Row row;                         // measurement_id is not set
  std::vector<std::string> cells;  // along the columns; those stored elsewhere are emptied
  std::vector<bool> stored;        // along the columns: whether the cell belongs to the field set
  std::optional<int> latency_column;
  std::string unusable_reason;  // latency_zero or latency_invalid; empty for a usable row
};

// A record that is none.
struct RejectedRow {
  std::string reason;
  std::string detail;
};

class RowReader {
 public:
  explicit RowReader(const Columns& columns) : columns_(columns) {}
  // The result is valid until the next call.
  std::variant<const ReadRow*, RejectedRow> read(const CsvRow& record);

 private:
  void read_latency(const CsvRow& record);

  const Columns& columns_;
  ReadRow row_;
};

}  // namespace profdb::importer
