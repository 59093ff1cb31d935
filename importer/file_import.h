// Stores the records of one source file of one kernel: measurements, their projections, and what is rejected.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "engine/store/database.h"
#include "engine/store/mapping.h"
#include "importer/import.h"
#include "importer/read/kernel_rows.h"
#include "importer/release_source.h"
#include "importer/write/measurement_store.h"
#include "importer/write/prepared_row.h"
#include "importer/write/projector.h"

namespace profdb::importer {

// What the files of one import share.
struct FileTarget {
  store::Connection& connection;
  std::int64_t release_id = 0;
  const Mapping& mapping;
  MeasurementWriter& writer;
  Projector& projector;
  std::set<std::string> synthetic = {};  // notices of made-up data, as rows state them
};

class FileImport {
 public:
  // Makes the row of source_file. `path` is its name in the database; counts go to `report`.
  FileImport(FileTarget& target, const SourceFile& file, FileReport& report);

  // Once, before any record. Throws Error(input) for columns that make no kernel CSV. Needs no database, so
  // that it may be called by the thread that prepares the rows.
  RowPreparer& begin(const std::vector<std::string>& columns);
  // The next row of the file.
  void store(const PreparedRow& row);
  // Stores the counters and the digest; nothing may follow.
  void finish();
  // Instead of all the above: the file was left out, and why.
  void finish_failed();

 private:
  void store_rejected(const PreparedRow& row);
  void store_columns();
  void store_counters(const std::string& content_hash);

  FileTarget& target_;
  const SourceFile& file_;
  FileReport& report_;
  std::int64_t source_file_id_ = 0;
  std::optional<Columns> columns_;
  std::optional<RowPreparer> preparer_;
  ContentHash hash_;
};

// Bounds the memory of a connection that writes a whole release, whatever its size.
void bound_page_cache(store::Connection& connection);

// Lets caches know that the releases have changed.
void bump_generation(store::Connection& connection);

}  // namespace profdb::importer
