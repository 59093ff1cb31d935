// Records of one file on their way into the database.
#include "importer/file_import.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace profdb::importer {
namespace {

constexpr std::size_t kNotices = 8;  // of a release, how many are kept

}  // namespace

FileImport::FileImport(FileTarget& target, const SourceFile& file, FileReport& report)
    : target_(target), file_(file), report_(report) {
  const std::int64_t kernel = kernel_id(target_.connection, file.kernel);
  auto& insert = target_.connection.statement(
      "INSERT INTO source_file (release_id, kernel_id, path, sha256, bytes)\n"
      "VALUES (:release, :kernel, :path, :sha256, :bytes)");
  insert.bind(1, target_.release_id);
  insert.bind(2, kernel);
  insert.bind(3, file.path);
  insert.bind(4, file.sha256);
  insert.bind(5, static_cast<std::int64_t>(file.bytes));
  insert.exec();
  source_file_id_ = target_.connection.db().getLastInsertRowid();
}

RowPreparer& FileImport::begin(const std::vector<std::string>& columns) {
  columns_.emplace(columns, file_.on_disk.string());
  return preparer_.emplace(*columns_, target_.mapping, file_.path, target_.projector.keys(file_.kernel));
}

void FileImport::store(const PreparedRow& row) {
  ++report_.row_count;
  if (row.rejected) return store_rejected(row);
  const std::int64_t id = target_.writer.add(source_file_id_, row, hash_);
  target_.projector.add(file_.kernel, row.projected, id, row.latency);
  if (!row.synthetic.empty() && target_.synthetic.size() < kNotices) target_.synthetic.insert(row.synthetic);
  ++(row.latency.latency_us ? report_.taken_rows : report_.unusable_rows);
  if (!row.latency.latency_us) ++report_.reasons[row.latency.unusable_reason];
}

void FileImport::store_rejected(const PreparedRow& row) {
  ++report_.rejected_rows;
  ++report_.reasons[row.rejected->reason];
  auto& insert = target_.connection.statement(
      "INSERT INTO rejected_row (source_file_id, row_number, line, reason, detail, cells)\n"
      "VALUES (:file, :row, :line, :reason, :detail, :cells)");
  insert.bind(1, source_file_id_);
  insert.bind(2, row.row_number);
  insert.bind(3, row.line);
  insert.bind(4, row.rejected->reason);
  insert.bind(5, row.rejected->detail);
  insert.bind(6, nlohmann::json(row.cells).dump());
  insert.exec();
}

void FileImport::store_columns() {
  const std::string names = nlohmann::json(columns_->names()).dump();
  auto& insert = target_.connection.statement("INSERT OR IGNORE INTO column_list (names)\nVALUES (:names)");
  insert.bind(1, names);
  insert.exec();
  auto& link = target_.connection.statement(
      "UPDATE source_file\n"
      "SET column_list_id = (SELECT column_list_id FROM column_list WHERE names = :names), latency_columns = "
      ":latency_columns\n"
      "WHERE source_file_id = :file");
  link.bind(1, names);
  link.bind(2, nlohmann::json(columns_->latency_columns()).dump());
  link.bind(3, source_file_id_);
  link.exec();
}

void FileImport::store_counters(const std::string& content_hash) {
  auto& update = target_.connection.statement(
      "UPDATE source_file\n"
      "SET row_count = :rows, taken_rows = :taken, unusable_rows = :unusable, rejected_rows = :rejected, "
      "content_hash "
      "= :hash, failure = :failure\n"
      "WHERE source_file_id = :file");
  update.bind(1, report_.row_count);
  update.bind(2, report_.taken_rows);
  update.bind(3, report_.unusable_rows);
  update.bind(4, report_.rejected_rows);
  update.bind(5, content_hash);
  update.bind(6, report_.failure);
  update.bind(7, source_file_id_);
  update.exec();
}

void FileImport::finish() {
  target_.writer.flush();
  target_.projector.flush(file_.kernel);
  store_columns();
  store_counters(hash_.finish());
}

void FileImport::finish_failed() {
  store_counters("");
}

void bound_page_cache(store::Connection& connection) {
  constexpr int kCacheKiB = 64 * 1024;
  connection.db().exec(fmt::format("PRAGMA cache_size = -{}", kCacheKiB));
}

void bump_generation(store::Connection& connection) {
  connection
      .statement(
          "UPDATE generation\nSET number = number + 1, last_measurement_id = max(last_measurement_id, "
          "(SELECT "
          "coalesce(max(measurement_id), 0) FROM measurement))\nWHERE one = 1")
      .exec();
}

}  // namespace profdb::importer
