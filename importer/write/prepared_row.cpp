// From a record's cells to what the tables take.
#include "importer/write/prepared_row.h"

#include <fmt/format.h>

namespace profdb::importer {

namespace {

constexpr std::string_view kOriginColumn = "Data Origin";  // says of made-up data that it is synthetic

void reject(const CsvRow& record, RejectedRow why, PreparedRow& prepared) {
  prepared.rejected = std::move(why);
  prepared.cells = record.cells;
}

void set_place(const CsvRow& record, PreparedRow& prepared) {
  prepared.row_number = static_cast<std::int64_t>(record.row_number);
  prepared.line = static_cast<std::int64_t>(record.line);
}

}  // namespace

RowPreparer::RowPreparer(const Columns& columns, const Mapping& mapping, const std::string& file_path,
                         const std::vector<ProjectionKey>& projections)
    : columns_(columns),
      projections_(projections),
      reader_(columns),
      aliaser_(mapping, file_path, columns.names()) {}

void RowPreparer::prepare(const CsvRow& record, PreparedRow& prepared) {
  set_place(record, prepared);
  auto result = reader_.read(record);
  if (auto* rejected = std::get_if<RejectedRow>(&result))
    return reject(record, std::move(*rejected), prepared);
  const ReadRow& read = *std::get<const ReadRow*>(result);
  prepared.rejected.reset();
  prepared.inputs.assign(read.row.inputs);
  prepared.outputs.assign(read.row.outputs);
  prepared.fields.assign(read);
  prepared.latency.latency_us = read.row.latency_us;
  prepared.latency.source_class = read.row.source_class;
  prepared.latency.unusable_reason = read.unusable_reason;
  prepared.latency_column = read.latency_column.value_or(-1);
  prepared.projected.resize(projections_.size());
  const Row& row = aliaser_.widen(read.row);
  for (std::size_t i = 0; i < projections_.size(); ++i) prepared.projected[i] = project(projections_[i], row);
  const std::string_view origin = read.row.field(kOriginColumn);
  prepared.synthetic = origin.find("synthetic") == std::string_view::npos ? std::string_view() : origin;
}

void RowPreparer::prepare_ragged(const CsvRow& record, PreparedRow& prepared) const {
  set_place(record, prepared);
  reject(record,
         {"ragged_row", fmt::format("{} cells where the header has {} columns", record.cells.size(),
                                    columns_.names().size())},
         prepared);
}

}  // namespace profdb::importer
