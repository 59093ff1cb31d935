// Two threads and the batches of rows that go round between them.
#include "importer/prepared_reader.h"

#include <thread>

#include "importer/batch_exchange.h"

namespace profdb::importer {

namespace {

constexpr std::size_t kBatches = 6;
constexpr std::size_t kBatchRows = 256;
constexpr std::size_t kBatchBytes = std::size_t{1024} * 1024;  // a batch with more is handed on early

struct Batch {
  std::vector<PreparedRow> rows = std::vector<PreparedRow>(kBatchRows);
  std::size_t used = 0;
  std::size_t bytes = 0;

  // Empty for the next use. Rows keep their memory unless there is much of it.
  void clear() {
    if (bytes > kBatchBytes) rows = std::vector<PreparedRow>(kBatchRows);
    used = bytes = 0;
  }
};
using Exchange = BatchExchange<Batch>;

// The reading side.
class Filler {
 public:
  Filler(Exchange& exchange, FileImport& into) : exchange_(exchange), into_(into) {}

  CsvSummary read(const std::filesystem::path& path) {
    CsvHandler handler;
    handler.on_header = [this](const std::vector<std::string>& names) { preparer_ = &into_.begin(names); };
    handler.on_row = [this](const CsvRow& record) {
      return add(record, [&](PreparedRow& row) { preparer_->prepare(record, row); });
    };
    handler.on_ragged = [this](const CsvRow& record) {
      return add(record, [&](PreparedRow& row) { preparer_->prepare_ragged(record, row); });
    };
    CsvSummary summary = read_csv(path, handler);
    if (batch_ != nullptr) exchange_.put_full(batch_);
    return summary;
  }

 private:
  // False once nobody takes the rows.
  template <typename Prepare>
  bool add(const CsvRow& record, Prepare prepare) {
    if (batch_ == nullptr) batch_ = exchange_.take_empty();
    if (batch_ == nullptr) return false;
    prepare(batch_->rows[batch_->used++]);
    for (const std::string& cell : record.cells) batch_->bytes += cell.size() + 1;
    if (batch_->used < kBatchRows && batch_->bytes < kBatchBytes) return true;
    exchange_.put_full(batch_);
    batch_ = nullptr;
    return true;
  }

  Exchange& exchange_;
  FileImport& into_;
  RowPreparer* preparer_ = nullptr;
  Batch* batch_ = nullptr;
};

// Ends the reading, however storing ends.
class Reading {
 public:
  Reading(Exchange& exchange, std::thread thread) : exchange_(exchange), thread_(std::move(thread)) {}
  ~Reading() {
    exchange_.leave();
    thread_.join();
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

 private:
  Exchange& exchange_;
  std::thread thread_;
};

}  // namespace

CsvSummary read_prepared(const std::filesystem::path& path, FileImport& into,
                         const std::function<void(std::uint64_t bytes)>& progress) {
  Exchange exchange(kBatches);
  CsvSummary summary;
  {
    const Reading reading(exchange, std::thread([&] {
                            std::exception_ptr failure;
                            try {
                              summary = Filler(exchange, into).read(path);
                            } catch (...) {
                              failure = std::current_exception();
                            }
                            exchange.end(failure);
                          }));
    std::uint64_t bytes = 0;
    while (Batch* const batch = exchange.take_full()) {
      for (std::size_t i = 0; i < batch->used; ++i) into.store(batch->rows[i]);
      bytes += batch->bytes;
      batch->clear();
      exchange.put_empty(batch);
      progress(bytes);
    }
  }
  return summary;
}

}  // namespace profdb::importer
