// One import: everything in one transaction, or nothing.
#include "importer/import.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <set>

#include "engine/dispatch.h"
#include "engine/release_state.h"
#include "engine/store/database.h"
#include "importer/kernel_rows.h"
#include "importer/mapping_store.h"
#include "importer/measurement_store.h"
#include "importer/projector.h"
#include "importer/release_source.h"

namespace profdb::importer {
namespace fs = std::filesystem;
namespace {

using store::Connection;

// Page cache of the import's connection: bounds its memory, whatever the size of the files.
constexpr int kCacheKiB = 64 * 1024;
constexpr std::string_view kOriginColumn = "Data Origin";  // says of made-up data that it is synthetic

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

// Takes a release away, with everything that nobody else uses.
void delete_release(Connection& connection, std::int64_t release_id) {
  clear_mapping(connection, release_id);
  auto& remove = connection.statement("DELETE FROM release\nWHERE release_id = :release");
  remove.bind(1, release_id);
  remove.exec();
  connection.db().exec(
      "DELETE FROM tensor_list\nWHERE tensor_list_id NOT IN (SELECT input_list_id FROM measurement UNION "
      "SELECT "
      "output_list_id FROM measurement)");
  connection.db().exec(
      "DELETE FROM field_set\nWHERE field_set_id NOT IN (SELECT field_set_id FROM measurement)");
}

void bump_generation(Connection& connection) {
  connection.statement("UPDATE generation\nSET number = number + 1").exec();
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
  std::int64_t insert_file(const SourceFile& file);
  void read_file(const SourceFile& file, FileReport& file_report, bool failed_before);
  void read_rows(const SourceFile& file, std::int64_t source_file_id, FileReport& file_report);
  void reject(std::int64_t source_file_id, const CsvRow& record, const std::string& reason,
              const std::string& detail, FileReport& file_report);
  void finish_file(std::int64_t source_file_id, const Columns* columns, const FileReport& file_report,
                   const std::string& content_hash);
  void fail_on(const std::vector<std::string>& failures) const;
  void note_origin(const Row& row);

  Connection& connection_;
  const ReleaseSource& source_;
  const ImportOptions& options_;
  ImportReport& report_;
  std::unique_ptr<MeasurementWriter> writer_;
  std::unique_ptr<Projector> projector_;
  std::set<std::string> synthetic_;
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

std::int64_t Import::insert_file(const SourceFile& file) {
  const std::int64_t kernel = kernel_id(connection_, file.kernel);
  auto& insert = connection_.statement(
      "INSERT INTO source_file (release_id, kernel_id, path, sha256, bytes)\nVALUES (:release, :kernel, "
      ":path, :sha256, :bytes)");
  insert.bind(1, report_.release_id);
  insert.bind(2, kernel);
  insert.bind(3, file.path);
  insert.bind(4, file.sha256);
  insert.bind(5, static_cast<std::int64_t>(file.bytes));
  insert.exec();
  return connection_.db().getLastInsertRowid();
}

void Import::reject(std::int64_t source_file_id, const CsvRow& record, const std::string& reason,
                    const std::string& detail, FileReport& file_report) {
  ++file_report.rejected_rows;
  ++file_report.reasons[reason];
  auto& insert = connection_.statement(
      "INSERT INTO rejected_row (source_file_id, row_number, line, reason, detail, cells)\nVALUES (:file, "
      ":row, :line, :reason, "
      ":detail, :cells)");
  insert.bind(1, source_file_id);
  insert.bind(2, static_cast<std::int64_t>(record.row_number));
  insert.bind(3, static_cast<std::int64_t>(record.line));
  insert.bind(4, reason);
  insert.bind(5, detail);
  insert.bind(6, nlohmann::json(record.cells).dump());
  insert.exec();
}

void Import::note_origin(const Row& row) {
  const std::string_view origin = row.field(kOriginColumn);
  if (origin.find("synthetic") != std::string_view::npos && synthetic_.size() < 8) synthetic_.emplace(origin);
}

void Import::finish_file(std::int64_t source_file_id, const Columns* columns, const FileReport& file_report,
                         const std::string& content_hash) {
  if (columns != nullptr) {
    const std::string names = nlohmann::json(columns->names()).dump();
    auto& insert = connection_.statement("INSERT OR IGNORE INTO column_list (names)\nVALUES (:names)");
    insert.bind(1, names);
    insert.exec();
    auto& link = connection_.statement(
        "UPDATE source_file\nSET column_list_id = (SELECT column_list_id FROM column_list WHERE names = "
        ":names), latency_columns "
        "= :latency_columns\nWHERE source_file_id = :file");
    link.bind(1, names);
    link.bind(2, nlohmann::json(columns->latency_columns()).dump());
    link.bind(3, source_file_id);
    link.exec();
  }
  auto& update = connection_.statement(
      "UPDATE source_file\nSET row_count = :rows, taken_rows = :taken, unusable_rows = :unusable, "
      "rejected_rows = :rejected, "
      "content_hash = :hash, failure = :failure\nWHERE source_file_id = :file");
  update.bind(1, file_report.row_count);
  update.bind(2, file_report.taken_rows);
  update.bind(3, file_report.unusable_rows);
  update.bind(4, file_report.rejected_rows);
  update.bind(5, content_hash);
  update.bind(6, file_report.failure);
  update.bind(7, source_file_id);
  update.exec();
}

void Import::read_rows(const SourceFile& file, std::int64_t source_file_id, FileReport& file_report) {
  std::optional<Columns> columns;
  std::optional<RowReader> reader;
  ContentHash hash;
  std::uint64_t bytes = 0;
  CsvHandler handler;
  handler.on_header = [&](const std::vector<std::string>& names) {
    columns.emplace(names, file.on_disk.string());
    reader.emplace(*columns);
  };
  const auto progress = [&](const CsvRow& record) {
    ++file_report.row_count;
    for (const std::string& cell : record.cells) bytes += cell.size() + 1;
    if (options_.progress && record.row_number % 1024 == 0)
      options_.progress(bytes_before_ + std::min(bytes, file.bytes), bytes_total_);
  };
  handler.on_ragged = [&](const CsvRow& record) {
    progress(record);
    reject(
        source_file_id, record, "ragged_row",
        fmt::format("{} cells where the header has {} columns", record.cells.size(), columns->names().size()),
        file_report);
    return true;
  };
  handler.on_row = [&](const CsvRow& record) {
    progress(record);
    auto read = reader->read(record);
    if (const auto* rejected = std::get_if<RejectedRow>(&read)) {
      reject(source_file_id, record, rejected->reason, rejected->detail, file_report);
      return true;
    }
    const ReadRow& row = *std::get<const ReadRow*>(read);
    Row with_id = row.row;
    with_id.measurement_id =
        writer_->add(source_file_id, static_cast<std::int64_t>(record.row_number), row, hash);
    projector_->add(file.kernel, with_id, row.unusable_reason);
    note_origin(with_id);
    ++(row.row.latency_us ? file_report.taken_rows : file_report.unusable_rows);
    if (!row.row.latency_us) ++file_report.reasons[row.unusable_reason];
    return true;
  };
  const CsvSummary summary = read_csv(file.on_disk, handler);
  if (summary.sha256 != file.sha256)
    throw Error(ErrorKind::input, fmt::format("{}: the file changed while it was read; repeat the import",
                                              file.on_disk.string()));
  if (file_report.row_count == 0)
    report_.warnings.push_back(fmt::format("{}: a header without rows; its kernel {} has no measurements",
                                           file.on_disk.string(), file.kernel));
  finish_file(source_file_id, columns ? &*columns : nullptr, file_report, hash.finish());
}

// Reads the whole file for its errors only.
void check_readable(const SourceFile& file) {
  CsvHandler handler;
  handler.on_header = [&](const std::vector<std::string>& names) {
    const Columns columns(names, file.on_disk.string());
  };
  handler.on_row = handler.on_ragged = [](const CsvRow&) { return true; };
  read_csv(file.on_disk, handler);
}

// Once a file has failed without keep_going, nothing will be kept: the rest is read for its errors only. With
// keep_going a file is looked through before anything of it is stored.
void Import::read_file(const SourceFile& file, FileReport& file_report, bool failed_before) {
  file_report.path = file.path;
  file_report.kernel = file.kernel;
  try {
    if (options_.keep_going || failed_before) check_readable(file);
    if (!failed_before && !options_.keep_going) read_rows(file, insert_file(file), file_report);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::input) throw;
    file_report.failure = e.what();
  }
  if (!options_.keep_going) return;
  const std::int64_t source_file_id = insert_file(file);
  if (file_report.failure.empty())
    read_rows(file, source_file_id,
              file_report);  // what fails now has changed under our eyes: nothing is kept
  else
    finish_file(source_file_id, nullptr, file_report, "");
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
  writer_ = std::make_unique<MeasurementWriter>(connection_);
  projector_ = std::make_unique<Projector>(connection_, report_.release_id, projection_keys(source_.mapping));
  for (const SourceFile& file : source_.files) bytes_total_ += file.bytes;
  std::vector<std::string> failures;
  for (const SourceFile& file : source_.files) {
    FileReport& file_report = report_.files.emplace_back();
    read_file(file, file_report, !failures.empty());
    if (!file_report.failure.empty() && !options_.keep_going) failures.push_back(file_report.failure);
    bytes_before_ += file.bytes;
    if (options_.progress) options_.progress(bytes_before_, bytes_total_);
  }
  fail_on(failures);
  projector_->finish();
  if (!synthetic_.empty()) {
    auto& update =
        connection_.statement("UPDATE release\nSET synthetic = :synthetic\nWHERE release_id = :release");
    update.bind(1, fmt::format("{}", fmt::join(synthetic_, "; ")));
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
    for (const char* suffix : {"-wal", "-shm", ""}) fs::remove(path_.string() + suffix, ignored);
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
  connection.db().exec(fmt::format("PRAGMA cache_size = -{}", kCacheKiB));
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

ImportReport project_again(Connection& connection, const ReleaseInfo& info, const ParsedMapping& parsed) {
  ImportReport report;
  report.release_id = info.release_id;
  report.identity = {info.device, info.framework, info.framework_version, info.torch_version,
                     info.cann_version};
  report.outcome = ImportReport::Outcome::replaced;
  report.warnings = parsed.warnings;
  clear_mapping(connection, info.release_id);
  store_mapping(connection, info.release_id, parsed.mapping);
  Projector projector(connection, info.release_id, projection_keys(parsed.mapping));
  struct File {
    std::int64_t id;
    std::string path, kernel;
  };
  std::vector<File> files;
  std::string content = sha256_of_text(canonical_json(parsed.mapping)) + "\n";
  {
    auto& find = connection.statement(
        "SELECT f.source_file_id, f.path, k.name, f.sha256\nFROM source_file AS f\nJOIN kernel AS k USING "
        "(kernel_id)\nWHERE "
        "f.release_id = :release\nORDER BY f.source_file_id");
    find.bind(1, info.release_id);
    store::Rows rows(find);
    while (rows.next()) {
      files.push_back({rows.integer(0), rows.text(1), rows.text(2)});
      content += fmt::format("{}\t{}\t{}\n", rows.text(1), rows.text(2), rows.text(3));
    }
  }
  for (const File& file : files) {
    FileReport& file_report = report.files.emplace_back();
    file_report.path = file.path;
    file_report.kernel = file.kernel;
    for_each_measurement(connection, file.id, [&](const StoredRow& stored) {
      projector.add(file.kernel, stored.row, stored.unusable_reason);
      ++file_report.row_count;
      ++(stored.row.latency_us ? file_report.taken_rows : file_report.unusable_rows);
      if (!stored.row.latency_us) ++file_report.reasons[stored.unusable_reason];
    });
  }
  projector.finish();
  auto& update = connection.statement(
      "UPDATE release\nSET mapping_digest = :mapping_digest, content_digest = :content_digest, "
      "mapping_fields = "
      ":mapping_fields\nWHERE release_id = :release");
  update.bind(1, sha256_of_text(canonical_json(parsed.mapping)));
  update.bind(2, sha256_of_text(content));
  update.bind(3, mapping_fields(parsed.mapping));
  update.bind(4, info.release_id);
  update.exec();
  bump_generation(connection);
  return report;
}

// A mapping that names another release is a mistake.
void require_same_identity(const Mapping& mapping, const ReleaseInfo& info, const fs::path& path) {
  const auto check = [&](const char* field, const std::optional<std::string>& stated,
                         const std::string& actual) {
    if (stated && *stated != actual)
      throw Error(ErrorKind::usage, fmt::format("{}: {} is '{}', but release {} has '{}'", path.string(),
                                                field, *stated, info.release_id, actual));
  };
  check("device", mapping.device, info.device);
  check("framework", mapping.framework, info.framework);
  check("version", mapping.version, info.framework_version);
  check("pytorch_version", mapping.pytorch_version, info.torch_version);
  check("cann_version", mapping.cann_version, info.cann_version);
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

ImportReport set_mapping(const fs::path& database, const std::string& release, const fs::path& mapping) {
  const ParsedMapping parsed = read_mapping(mapping);
  Connection connection(database, store::Mode::write);
  try {
    connection.db().exec(fmt::format("PRAGMA cache_size = -{}", kCacheKiB));
    SQLite::Transaction transaction(connection.db(), SQLite::TransactionBehavior::IMMEDIATE);
    const ReleaseInfo info = select_release(connection, release);
    require_same_identity(parsed.mapping, info, mapping);
    ImportReport report = project_again(connection, info, parsed);
    transaction.commit();
    return report;
  } catch (const SQLite::Exception& e) {
    throw store::database_error(database, e, "change the mapping in");
  }
}

}  // namespace profdb::importer
