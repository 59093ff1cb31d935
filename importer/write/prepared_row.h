// What a record becomes before it is stored. Preparing needs no database, so that it can run beside storing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/store/mapping.h"
#include "importer/mapping/column_aliases.h"
#include "importer/read/interned_text.h"
#include "importer/read/kernel_rows.h"
#include "importer/write/projector.h"

namespace profdb::importer {

// Used again for one record after the other, so that its texts keep their capacity.
struct PreparedRow {
  std::int64_t row_number = 0;
  std::int64_t line = 0;
  // Either why the record is no measurement, and its cells,
  std::optional<RejectedRow> rejected;
  std::vector<std::string> cells;
  // or the measurement.
  TensorListText inputs;
  TensorListText outputs;
  FieldSetText fields;
  Latency latency;
  int latency_column = -1;
  std::vector<Projected> projected;  // along the kernel's projections
  std::string synthetic;             // the notice of made-up data, where the row has one
};

// Prepares the records of one file. Not for several threads at once.
class RowPreparer {
 public:
  // `projections`: of the file's kernel; kept by reference, as the columns are.
  RowPreparer(const Columns& columns, const Mapping& mapping, const std::string& file_path,
              const std::vector<ProjectionKey>& projections);

  void prepare(const CsvRow& record, PreparedRow& prepared);
  // A record whose cells are not as many as the columns.
  void prepare_ragged(const CsvRow& record, PreparedRow& prepared) const;

 private:
  const Columns& columns_;
  const std::vector<ProjectionKey>& projections_;
  RowReader reader_;
  ColumnAliaser aliaser_;
};

}  // namespace profdb::importer
