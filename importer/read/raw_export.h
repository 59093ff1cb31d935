// Raw profiler exports (formats §2, last part): one line per kernel execution, aggregated to one row per
// kernel and signature.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "importer/read/csv.h"

namespace profdb::importer {

// Whether a file is called like a raw export: kernel_details.csv, op_summary_*.csv.
bool is_raw_export(const std::filesystem::path& path);

// The executions of one kernel type.
struct RawKernel {
  std::string kernel;
  std::vector<CsvRow> rows;         // one per signature, in the order of first execution; along raw_columns()
  std::int64_t executions = 0;      // that are in `rows`
  std::int64_t without_shapes = 0;  // whose shapes are N/A
  std::int64_t invalid_latency = 0;  // whose duration is no positive number
};

struct RawExport {
  std::vector<RawKernel> kernels;  // by first execution
  std::int64_t executions = 0;     // lines of the file that were read
  std::int64_t ragged = 0;         // lines whose number of cells is not the header's
  std::int64_t repeated = 0;       // HCCL executions that were recorded a second time, on stream N/A
  std::map<std::string, std::int64_t> unnamed;  // executions whose type is no kernel name
  CsvSummary summary;
};

// The columns of an aggregated row: the tensor lists, then average, median, standard deviation (of the
// population), minimum and maximum duration in microseconds, and the number of executions.
const std::vector<std::string>& raw_columns();

// Reads a raw export. `progress` is called now and then. Throws Error(input) as read_csv does, and where the
// columns that the format needs are not there.
RawExport read_raw_export(const std::filesystem::path& path);

}  // namespace profdb::importer
