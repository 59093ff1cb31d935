// Aggregation of kernel_details.csv and op_summary_*.csv.
#include "importer/read/raw_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/statistics.h"
#include "importer/mapping/mapping_yaml.h"
#include "importer/read/kernel_rows.h"
#include "profdb/error.h"

namespace profdb::importer {
namespace {

constexpr std::array<std::string_view, 8> kSignatureColumns = {
    "OP State",      "Accelerator Core", "Input Shapes",      "Input Data Types",
    "Input Formats", "Output Shapes",    "Output Data Types", "Output Formats"};
constexpr std::size_t kInputShapes = 2;

// The same thing under the names of kernel_details.csv and of op_summary_*.csv.
struct RawNames {
  std::string_view name, type, duration, start, core;
};
constexpr std::array<RawNames, 2> kLayouts = {
    {{"Name", "Type", "Duration(us)", "Start Time(us)", "Accelerator Core"},
     {"Op Name", "OP Type", "Task Duration(us)", "Task Start Time(us)", "Task Type"}}};

bool is_not_recorded(std::string_view cell) {
  return cell.empty() || cell == "N/A";
}

std::optional<double> positive(const std::string& cell) {
  const auto value = parse_number(cell);
  return value && std::isfinite(*value) && *value > 0 ? value : std::nullopt;
}

std::string number(double value) {
  return fmt::format("{}", value);
}

// The statistics of one signature, as the last cells of its row.
void append_statistics(std::vector<std::string>& cells, std::vector<double>& durations) {
  std::sort(durations.begin(), durations.end());
  const auto count = static_cast<double>(durations.size());
  double sum = 0;
  for (const double d : durations) sum += d;
  const double mean = sum / count;
  double squares = 0;
  for (const double d : durations) squares += (d - mean) * (d - mean);
  for (const double value :
       {mean, median(durations), std::sqrt(squares / count), durations.front(), durations.back()})
    cells.push_back(number(value));
  cells.push_back(std::to_string(durations.size()));
}

class Aggregator {
 public:
  explicit Aggregator(std::string file) : file_(std::move(file)) {}

  void begin(const std::vector<std::string>& columns);
  void add(const CsvRow& record);
  RawExport finish();

 private:
  struct Signature {
    std::vector<std::string> cells;  // along kSignatureColumns
    std::vector<double> durations;
    std::uint64_t line = 0;
  };
  struct Kernel {
    RawKernel result;
    std::vector<Signature> signatures;
    std::unordered_map<std::string, std::size_t> index;
  };

  bool waits_for_twin(const CsvRow& record);
  void count(const CsvRow& record);
  Kernel& kernel_of(const std::string& type);
  std::string cell(const CsvRow& record, const std::optional<std::size_t>& column) const {
    return column ? record.cells[*column] : std::string();
  }

  std::string file_;
  RawExport export_;
  std::size_t name_ = 0, type_ = 0, duration_ = 0, start_ = 0;
  std::optional<std::size_t> stream_;
  std::array<std::optional<std::size_t>, kSignatureColumns.size()> signature_;
  std::vector<Kernel> kernels_;
  std::unordered_map<std::string, std::size_t> by_type_;
  // Collectives on stream N/A, and how many on a hardware stream, by type, start and duration.
  std::vector<std::pair<std::string, CsvRow>> waiting_;
  std::unordered_map<std::string, std::int64_t> on_hardware_;
};

void Aggregator::begin(const std::vector<std::string>& columns) {
  for (const RawNames& names : kLayouts) {
    const auto name = index_of(columns, names.name);
    const auto type = index_of(columns, names.type);
    const auto duration = index_of(columns, names.duration);
    const auto start = index_of(columns, names.start);
    const auto shapes = index_of(columns, kSignatureColumns[kInputShapes]);
    if (!name || !type || !duration || !start || !shapes) continue;
    name_ = *name;
    type_ = *type;
    duration_ = *duration;
    start_ = *start;
    stream_ = index_of(columns, "Stream ID");
    for (std::size_t i = 0; i < kSignatureColumns.size(); ++i)
      signature_[i] = index_of(columns, kSignatureColumns[i]);
    if (!signature_[1]) signature_[1] = index_of(columns, names.core);
    return;
  }
  throw Error(
      ErrorKind::input,
      fmt::format(
          "{}: not a raw profiler export; kernel_details.csv has the columns Name, Type, Start Time(us), "
          "Duration(us) and Input Shapes, op_summary_*.csv Op Name, OP Type, Task Start Time(us), Task "
          "Duration(us) and Input Shapes",
          file_));
}

// A communication kernel stands twice: on stream N/A and on a hardware stream, with equal start and duration.
// The hardware stream's record counts; the other one waits until the end for its twin.
bool Aggregator::waits_for_twin(const CsvRow& record) {
  if (!record.cells[name_].starts_with("hcom") && !record.cells[type_].starts_with("hcom")) return false;
  const std::string key =
      record.cells[type_] + '\x1f' + record.cells[start_] + '\x1f' + record.cells[duration_];
  if (stream_ && is_not_recorded(record.cells[*stream_])) {
    waiting_.emplace_back(key, record);
    return true;
  }
  ++on_hardware_[key];
  return false;
}

Aggregator::Kernel& Aggregator::kernel_of(const std::string& type) {
  const auto [it, is_new] = by_type_.emplace(type, kernels_.size());
  if (is_new) kernels_.emplace_back().result.kernel = type;
  return kernels_[it->second];
}

void Aggregator::add(const CsvRow& record) {
  ++export_.executions;
  if (!waits_for_twin(record)) count(record);
}

void Aggregator::count(const CsvRow& record) {
  const std::string& type = record.cells[type_];
  if (!is_kernel_name(type)) {
    ++export_.unnamed[type];
    return;
  }
  Kernel& kernel = kernel_of(type);
  const auto duration = positive(record.cells[duration_]);
  if (is_not_recorded(record.cells[*signature_[kInputShapes]])) {
    ++kernel.result.without_shapes;
    return;
  }
  if (!duration) {
    ++kernel.result.invalid_latency;
    return;
  }
  std::vector<std::string> cells;
  std::string key;
  for (const auto& column : signature_) {
    cells.push_back(cell(record, column));
    key += cells.back() + '\x1f';
  }
  const auto [it, is_new] = kernel.index.emplace(key, kernel.signatures.size());
  if (is_new) kernel.signatures.push_back({std::move(cells), {}, record.line});
  kernel.signatures[it->second].durations.push_back(*duration);
  ++kernel.result.executions;
}

RawExport Aggregator::finish() {
  for (const auto& [key, record] : waiting_) {
    const auto twin = on_hardware_.find(key);
    if (twin == on_hardware_.end() || twin->second == 0) {
      count(record);
    } else {
      --twin->second;
      ++export_.repeated;
    }
  }
  for (Kernel& kernel : kernels_) {
    for (Signature& signature : kernel.signatures) {
      CsvRow row;
      row.row_number = kernel.result.rows.size() + 1;
      row.line = signature.line;
      row.cells = std::move(signature.cells);
      append_statistics(row.cells, signature.durations);
      kernel.result.rows.push_back(std::move(row));
    }
    export_.kernels.push_back(std::move(kernel.result));
  }
  return std::move(export_);
}

}  // namespace

bool is_raw_export(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  return stem == "kernel_details" || stem.starts_with("op_summary_");
}

const std::vector<std::string>& raw_columns() {
  static const std::vector<std::string> columns = [] {
    std::vector<std::string> names(kSignatureColumns.begin(), kSignatureColumns.end());
    names.insert(names.end(), {"Average Duration(us)", "Median Duration(us)", "Standard Deviation(us)",
                               "Minimum Duration(us)", "Maximum Duration(us)", "Count"});
    return names;
  }();
  return columns;
}

RawExport read_raw_export(const std::filesystem::path& path) {
  Aggregator aggregator(path.string());
  CsvHandler handler;
  std::int64_t ragged = 0;
  handler.on_header = [&](const std::vector<std::string>& columns) { aggregator.begin(columns); };
  handler.on_row = [&](const CsvRow& record) {
    aggregator.add(record);
    return true;
  };
  handler.on_ragged = [&](const CsvRow&) {
    ++ragged;
    return true;
  };
  CsvSummary summary = read_csv(path, handler);
  RawExport result = aggregator.finish();
  result.ragged = ragged;
  result.summary = std::move(summary);
  return result;
}

}  // namespace profdb::importer
