// One import: everything in one transaction, or nothing.
#include "importer/import.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <limits>

#include "engine/release/dispatch.h"
#include "engine/store/database.h"
#include "importer/file_import.h"
#include "importer/prepared_reader.h"
#include "importer/read/kernel_rows.h"
#include "importer/read/raw_export.h"
#include "importer/release_source.h"
#include "importer/write/mapping_store.h"
#include "importer/write/measurement_store.h"
#include "importer/write/projector.h"

namespace profdb::importer {
namespace fs = std::filesystem;
namespace {

using store::Connection;

std::string utc_now() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::string name_of(const Identity& identity) {
  return fmt::format("{}/{}/{} (torch {}, CANN {})", identity.device, identity.framework,
                     identity.framework_version, identity.torch_version, identity.cann_version);
}

struct Existing {
  std::int64_t release_id = 0;
  std::string content_digest;
};

std::optional<Existing> find_existing(Connection& connection, const Identity& identity) {
  auto& find = connection.statement(
      "SELECT r.release_id, r.content_digest\nFROM release AS r\nJOIN device AS d USING (device_id)\nWHERE "
      "d.name = "
      ":device\nAND r.framework = :framework\nAND r.framework_version = :framework_version\nAND "
      "r.torch_version = "
      ":torch_version\nAND r.cann_version = :cann_version");
  find.bind(1, identity.device);
  find.bind(2, identity.framework);
  find.bind(3, identity.framework_version);
  find.bind(4, identity.torch_version);
  find.bind(5, identity.cann_version);
  store::Rows rows(find);
  if (!rows.next()) return std::nullopt;
  return Existing{rows.integer(0), rows.text(1)};
}

// Deletes the entries of an interned table that the release's measurements refer to by `columns`. An import
// makes its entries anew, with ids of one range, and no other import's fall into it.
void delete_interned(Connection& connection, std::int64_t release_id, const std::string& table,
                     const std::vector<std::string>& columns) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = 0;
  for (const std::string& column : columns) {
    auto& range = connection.statement(
        fmt::format("SELECT coalesce(min(m.{0}), :first), coalesce(max(m.{0}), :last)\nFROM source_file AS "
                    "f\nJOIN measurement AS m USING (source_file_id)\nWHERE f.release_id = :release",
                    column));
    range.bind(1, first);
    range.bind(2, last);
    range.bind(3, release_id);
    store::Rows rows(range);
    rows.next();
    first = std::min(first, rows.integer(0));
    last = std::max(last, rows.integer(1));
  }
  auto& remove =
      connection.statement(fmt::format("DELETE FROM {0}\nWHERE {0}_id BETWEEN :first AND :last", table));
  remove.bind(1, first);
  remove.bind(2, last);
  remove.exec();
}

// Takes a release away, with everything that nobody else uses.
void delete_release(Connection& connection, std::int64_t release_id) {
  clear_mapping(connection, release_id);
  delete_interned(connection, release_id, "tensor_list", {"input_list_id", "output_list_id"});
  delete_interned(connection, release_id, "field_set", {"field_set_id"});
  auto& remove = connection.statement("DELETE FROM release\nWHERE release_id = :release");
  remove.bind(1, release_id);
  remove.exec();
}

// Reads the files of one release into the database.
class Import {
 public:
  Import(Connection& connection, const ReleaseSource& source, const ImportOptions& options,
         ImportReport& report)
      : connection_(connection), source_(source), options_(options), report_(report) {}

  void run(std::int64_t release_id);

 private:
  void insert_release(std::int64_t release_id);
  void read_file(const SourceFile& file, FileTarget& target, bool failed_before);
  void read_kernel_csv(const SourceFile& file, FileTarget& target, FileReport& file_report);
  void read_raw(const SourceFile& file, FileTarget& target);
  void store_raw_kernel(const SourceFile& file, const RawKernel& raw, FileTarget& target);
  void check_digest(const SourceFile& file, const CsvSummary& summary) const;
  void fail_on(const std::vector<std::string>& failures) const;

  Connection& connection_;
  const ReleaseSource& source_;
  const ImportOptions& options_;
  ImportReport& report_;
  std::uint64_t bytes_before_ = 0;  // of the files already read
  std::uint64_t bytes_total_ = 0;
};

void Import::insert_release(std::int64_t release_id) {
  auto& device = connection_.statement("INSERT OR IGNORE INTO device (name)\nVALUES (:name)");
  device.bind(1, source_.identity.device);
  device.exec();
  auto& insert = connection_.statement(
      "INSERT INTO release (release_id, device_id, framework, framework_version, torch_version, "
      "cann_version, imported_at, "
      "content_digest, mapping_digest, mapping_fields)\nVALUES (:release, (SELECT device_id FROM device "
      "WHERE name = :device), "
      ":framework, :framework_version, :torch_version, :cann_version, :imported_at, :content_digest, "
      ":mapping_digest, "
      ":mapping_fields)");
  if (release_id != 0) insert.bind(1, release_id);
  insert.bind(2, source_.identity.device);
  insert.bind(3, source_.identity.framework);
  insert.bind(4, source_.identity.framework_version);
  insert.bind(5, source_.identity.torch_version);
  insert.bind(6, source_.identity.cann_version);
  insert.bind(7, utc_now());
  insert.bind(8, source_.content_digest);
  insert.bind(9, source_.mapping_digest);
  insert.bind(10, mapping_fields(source_.mapping));
  insert.exec();
  report_.release_id = connection_.db().getLastInsertRowid();
}

// Reads the whole file for its errors only.
void check_readable(const SourceFile& file) {
  if (is_raw_export(file.on_disk)) {
    read_raw_export(file.on_disk);
    return;
  }
  CsvHandler handler;
  handler.on_header = [&](const std::vector<std::string>& names) {
    const Columns columns(names, file.on_disk.string());
  };
  handler.on_row = handler.on_ragged = [](const CsvRow&) { return true; };
  read_csv(file.on_disk, handler);
}

void Import::check_digest(const SourceFile& file, const CsvSummary& summary) const {
  if (summary.sha256 != file.sha256)
    throw Error(ErrorKind::input, fmt::format("{}: the file changed while it was read; repeat the import",
                                              file.on_disk.string()));
}

void Import::read_kernel_csv(const SourceFile& file, FileTarget& target, FileReport& file_report) {
  FileImport into(target, file, file_report);
  const auto progress = [&](std::uint64_t bytes) {
    if (options_.progress) options_.progress(bytes_before_ + std::min(bytes, file.bytes), bytes_total_);
  };
  check_digest(file, read_prepared(file.on_disk, into, progress));
  if (file_report.row_count == 0)
    report_.warnings.push_back(fmt::format("{}: a header without rows; its kernel {} has no measurements",
                                           file.on_disk.string(), file.kernel));
  into.finish();
}

// One kernel of a raw export: a source file of its own, named FILE#KERNEL.
void Import::store_raw_kernel(const SourceFile& file, const RawKernel& raw, FileTarget& target) {
  SourceFile part = file;
  part.path = file.path + "#" + raw.kernel;
  part.kernel = raw.kernel;
  FileReport& file_report = report_.files.emplace_back();
  file_report.path = part.path;
  file_report.kernel = raw.kernel;
  FileImport into(target, part, file_report);
  RowPreparer& preparer = into.begin(raw_columns());
  PreparedRow prepared;
  for (const CsvRow& row : raw.rows) {
    preparer.prepare(row, prepared);
    into.store(prepared);
  }
  into.finish();
  for (const auto& [what, count] : {std::pair{"have no recorded shapes", raw.without_shapes},
                                    std::pair{"have no positive duration", raw.invalid_latency}})
    if (count > 0)
      report_.warnings.push_back(fmt::format("{}: {} of {} executions {} and were left out", part.path, count,
                                             raw.executions + raw.without_shapes + raw.invalid_latency,
                                             what));
}

void Import::read_raw(const SourceFile& file, FileTarget& target) {
  const RawExport raw = read_raw_export(file.on_disk);
  check_digest(file, raw.summary);
  if (raw.repeated > 0)
    report_.warnings.push_back(
        fmt::format("{}: {} of {} executions are communication kernels recorded twice; each counts once",
                    file.path, raw.repeated, raw.executions));
  if (raw.ragged > 0)
    report_.warnings.push_back(
        fmt::format("{}: {} lines have another number of cells than the header and were left out", file.path,
                    raw.ragged));
  for (const auto& [type, count] : raw.unnamed)
    report_.warnings.push_back(fmt::format(
        "{}: {} executions of type '{}' were left out: that is no kernel name", file.path, count, type));
  for (const RawKernel& kernel : raw.kernels) store_raw_kernel(file, kernel, target);
}

// Once a file has failed without keep_going, nothing will be kept: the rest is read for its errors only. With
// keep_going a file is looked through before anything of it is stored; what fails after that has changed
// under our eyes, and nothing is kept.
void Import::read_file(const SourceFile& file, FileTarget& target, bool failed_before) {
  std::string failure;
  try {
    if (options_.keep_going || failed_before) check_readable(file);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::input) throw;
    failure = e.what();
  }
  if (failure.empty() && !failed_before && is_raw_export(file.on_disk)) return read_raw(file, target);
  FileReport& file_report = report_.files.emplace_back();
  file_report.path = file.path;
  file_report.kernel = file.kernel;
  file_report.failure = failure;
  if (failed_before) return;
  if (failure.empty())
    read_kernel_csv(file, target, file_report);
  else
    FileImport(target, file, file_report).finish_failed();
}

void Import::fail_on(const std::vector<std::string>& failures) const {
  if (failures.empty()) return;
  throw Error(
      ErrorKind::input,
      fmt::format(
          "{} of {} files cannot be imported; nothing was changed (--keep-going imports the rest):\n  {}",
          failures.size(), source_.files.size(), fmt::join(failures, "\n  ")));
}

void Import::run(std::int64_t release_id) {
  insert_release(release_id);
  store_mapping(connection_, report_.release_id, source_.mapping);
  MeasurementWriter writer(connection_);
  Projector projector(connection_, report_.release_id, projection_keys(source_.mapping));
  FileTarget target{connection_, report_.release_id, source_.mapping, writer, projector};
  for (const SourceFile& file : source_.files) bytes_total_ += file.bytes;
  std::vector<std::string> failures;
  for (const SourceFile& file : source_.files) {
    try {
      read_file(file, target, !failures.empty());
      const std::string& failure = report_.files.empty() ? std::string() : report_.files.back().failure;
      if (!failure.empty() && !options_.keep_going) failures.push_back(failure);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::input || options_.keep_going) throw;
      failures.emplace_back(e.what());
    }
    bytes_before_ += file.bytes;
    if (options_.progress) options_.progress(bytes_before_, bytes_total_);
  }
  const bool nothing_read = std::all_of(report_.files.begin(), report_.files.end(),
                                        [](const FileReport& file) { return !file.failure.empty(); });
  if (options_.keep_going && nothing_read)
    for (const FileReport& file : report_.files) failures.push_back(file.failure);
  fail_on(failures);
  projector.finish();
  link_projections(connection_, report_.release_id, source_.mapping);
  if (!target.synthetic.empty()) {
    auto& update =
        connection_.statement("UPDATE release\nSET synthetic = :synthetic\nWHERE release_id = :release");
    update.bind(1, fmt::format("{}", fmt::join(target.synthetic, "; ")));
    update.bind(2, report_.release_id);
    update.exec();
  }
  bump_generation(connection_);
}

// Removes a database that this import made, where the import comes to nothing.
class NewFileGuard {
 public:
  explicit NewFileGuard(const fs::path& path) : path_(path), is_new_(!path.empty() && !fs::exists(path)) {}
  ~NewFileGuard() {
    if (!is_new_ || kept_ || is_used_by_others()) return;
    std::error_code ignored;
    for (const char* suffix : {"-journal", "-wal", "-shm", ""}) fs::remove(path_.string() + suffix, ignored);
  }
  NewFileGuard(const NewFileGuard&) = delete;
  NewFileGuard& operator=(const NewFileGuard&) = delete;
  void keep() { kept_ = true; }

 private:
  // Another process may have found the new file, and may have imported into it.
  bool is_used_by_others() const {
    try {
      SQLite::Database db(path_.string(), SQLite::OPEN_READWRITE);
      db.exec("PRAGMA locking_mode = EXCLUSIVE");  // busy where anybody else has the file open
      return db.tableExists("release") && db.execAndGet("SELECT count(*) FROM release").getInt() > 0;
    } catch (const SQLite::Exception& e) {
      return e.getErrorCode() == SQLITE_BUSY || e.getErrorCode() == SQLITE_LOCKED;
    }
  }

  fs::path path_;
  bool is_new_;
  bool kept_ = false;
};

void import_into(const fs::path& database, const ReleaseSource& source, const ImportOptions& options,
                 ImportReport& report) {
  NewFileGuard guard(database);
  Connection connection(database, store::Mode::create);
  bound_page_cache(connection);
  // The log of a large import goes once it is in the database, also where others keep the file open.
  connection.db().exec("PRAGMA journal_size_limit = 67108864");
  SQLite::Transaction transaction(connection.db(), SQLite::TransactionBehavior::IMMEDIATE);
  const auto existing = find_existing(connection, source.identity);
  if (existing && existing->content_digest == source.content_digest) {
    report.outcome = ImportReport::Outcome::unchanged;
    report.release_id = existing->release_id;
    return;
  }
  if (existing && !options.replace)
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "release {} is there already as {} with other content; --replace puts the new files in its place",
            name_of(source.identity), existing->release_id));
  if (existing) delete_release(connection, existing->release_id);
  report.outcome = existing ? ImportReport::Outcome::replaced : ImportReport::Outcome::imported;
  Import(connection, source, options, report).run(existing ? existing->release_id : 0);
  if (options.dry_run) return;  // the transaction rolls back
  transaction.commit();
  guard.keep();
}

}  // namespace

ImportReport import_release(const ImportOptions& options) {
  const ReleaseSource source = find_release_source(options);
  ImportReport report;
  report.identity = source.identity;
  report.warnings = source.warnings;
  report.dry_run = options.dry_run;
  // A dry run without a database works in a temporary one.
  const bool temporary = options.dry_run && !fs::exists(options.database);
  try {
    import_into(temporary ? fs::path() : options.database, source, options, report);
  } catch (const SQLite::Exception& e) {
    throw store::database_error(options.database, e, "import into");
  }
  if (options.dry_run && report.outcome == ImportReport::Outcome::imported) report.release_id = 0;
  return report;
}

}  // namespace profdb::importer
