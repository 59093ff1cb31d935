// Opening, creating and migrating database files.
#include "engine/store/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "engine/store/migrations.h"

namespace profdb::store {
namespace fs = std::filesystem;

namespace {

constexpr int kBusyTimeoutMs = 30'000;
// Readers map the file, up to SQLite's own limit, instead of copying page after page out of it.
constexpr const char* kMapping = "PRAGMA mmap_size = 2147418112";

std::string quoted(const fs::path& path) {
  return fmt::format("'{}'", path.string());
}

// A WAL database needs its -shm file: where the folder cannot be written and no writer is at work, the file
// is read as it stands. Should another user write it later, is_outdated() tells.
std::string immutable_uri(const fs::path& path) {
  std::string uri = "file:";
  for (const char c : path.string()) {
    if (c == '?' || c == '#' || c == '%')
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    else
      uri += c;
  }
  return uri + "?immutable=1";
}

bool has_wal_content(const fs::path& path) {
  std::error_code ignored;
  const auto size = fs::file_size(path.string() + "-wal", ignored);
  return !ignored && size > 0;
}

void require_regular_file(const fs::path& path, Mode mode) {
  std::error_code ec;
  const auto status = fs::status(path, ec);
  if (fs::is_directory(status))
    throw Error(ErrorKind::database,
                fmt::format("{} is a folder, not a database; name a file", quoted(path)));
  if (mode == Mode::create) return;
  if (!fs::exists(status))
    throw Error(ErrorKind::database,
                fmt::format("no database {}; create one with 'profdb import DIR --db {}'", quoted(path),
                            path.string()));
}

SQLite::Database open_file(const fs::path& path, Mode mode, bool* is_immutable = nullptr) {
  require_regular_file(path, mode);
  // A connection is one thread's at a time: SQLite need not lock it.
  const int flags =
      SQLite::OPEN_NOMUTEX | (mode == Mode::read    ? SQLite::OPEN_READONLY
                              : mode == Mode::write ? SQLite::OPEN_READWRITE
                                                    : SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  try {
    SQLite::Database db(path.string(), flags, kBusyTimeoutMs);
    if (mode == Mode::read) {
      try {
        db.execAndGet("SELECT count(*) FROM sqlite_master");
      } catch (const SQLite::Exception& e) {
        const int code = e.getErrorCode();
        if ((code != SQLITE_CANTOPEN && code != SQLITE_READONLY) || has_wal_content(path)) throw;
        if (is_immutable != nullptr) *is_immutable = true;
        return SQLite::Database(immutable_uri(path),
                                SQLite::OPEN_NOMUTEX | SQLite::OPEN_READONLY | SQLite::OPEN_URI,
                                kBusyTimeoutMs);
      }
    }
    return db;
  } catch (const SQLite::Exception& e) {
    throw database_error(path, e, "open");
  }
}

bool is_empty_database(SQLite::Database& db) {
  return db.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0 &&
         db.execAndGet("PRAGMA user_version").getInt() == 0 &&
         db.execAndGet("PRAGMA application_id").getInt() == 0;
}

void check_identity(SQLite::Database& db, const fs::path& path) {
  if (is_empty_database(db))
    throw Error(ErrorKind::database, fmt::format("{} is empty; fill it with 'profdb import DIR --db {}'",
                                                 quoted(path), path.string()));
  const int application = db.execAndGet("PRAGMA application_id").getInt();
  const int version = db.execAndGet("PRAGMA user_version").getInt();
  if (application != kApplicationId)
    throw Error(
        ErrorKind::database,
        fmt::format("{} is an SQLite database of another application (application_id {:#x}); name a profdb "
                    "database, or another file to create one",
                    quoted(path), static_cast<unsigned>(application)));
  if (version > schema_version())
    throw Error(ErrorKind::database,
                fmt::format("{} has schema {}, newer than the {} that this profdb knows; use a newer profdb",
                            quoted(path), version, schema_version()));
  if (version < schema_version())
    throw Error(ErrorKind::database,
                fmt::format("{} has schema {}, older than {}; run 'profdb migrate --db {}'", quoted(path),
                            version, schema_version(), path.string()));
}

// SQLite reads a page that is cut short as if it ended in zeros. Where a WAL has content, an interrupted copy
// of its pages may have left such a page, and the WAL has it whole.
void check_length(SQLite::Database& db, const fs::path& path) {
  std::error_code ec;
  const auto size = fs::file_size(path, ec);
  if (ec || has_wal_content(path)) return;  // a temporary database has no file
  const auto page = static_cast<std::uintmax_t>(db.execAndGet("PRAGMA page_size").getInt64());
  if (size % page != 0)
    throw Error(
        ErrorKind::database,
        fmt::format(
            "{} is damaged: {} bytes are no whole number of pages, it has been cut short; restore a backup, "
            "or import the releases into a new file",
            quoted(path), size));
}

void apply_migrations(SQLite::Database& db, int from) {
  for (auto i = static_cast<std::size_t>(from); i < migrations().size(); ++i) {
    db.exec(migrations()[i].sql);
    db.exec(fmt::format("PRAGMA user_version = {}", i + 1));
  }
}

// The switch wants the file for itself, and SQLite does not wait for that by its busy timeout: another
// process that makes the same file at the same moment would be an error instead of a delay.
void switch_to_wal(SQLite::Database& db) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyTimeoutMs);
  while (true) {
    try {
      db.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (const SQLite::Exception& e) {
      if (e.getErrorCode() != SQLITE_BUSY || std::chrono::steady_clock::now() > deadline) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

// Two processes may create the same file at once: the second finds the first one's schema under the lock.
void create_schema(SQLite::Database& db) {
  switch_to_wal(db);
  db.exec("BEGIN IMMEDIATE");
  if (is_empty_database(db)) {
    db.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
    apply_migrations(db, 0);
  }
  db.exec("COMMIT");
}

fs::path backup_path(const fs::path& path, int version) {
  for (int n = 0;; ++n) {
    fs::path candidate =
        fmt::format("{}.schema{}{}.bak", path.string(), version, n == 0 ? "" : fmt::format(".{}", n));
    if (!fs::exists(candidate)) return candidate;
  }
}

}  // namespace

int schema_version() {
  return static_cast<int>(migrations().size());
}

Error database_error(const fs::path& path, const SQLite::Exception& cause, const std::string& doing) {
  const std::string where = fmt::format("cannot {} {}: ", doing, quoted(path));
  switch (cause.getErrorCode()) {
    case SQLITE_NOTADB:
      return {ErrorKind::database,
              where + "the file is not an SQLite database (or is encrypted); name a profdb database"};
    case SQLITE_CORRUPT:
      return {ErrorKind::database, where + "the file is damaged (" + cause.what() +
                                       "); restore a backup, or import the releases into a new file"};
    case SQLITE_FULL:
      return {ErrorKind::database,
              where + "the disk is full; the database is as it was: make room and repeat"};
    case SQLITE_READONLY:
      return {ErrorKind::database,
              where + "the file or its folder is read-only; make it writable or copy it elsewhere"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorKind::database,
              where + "another process holds the write lock; repeat when its import has ended"};
    case SQLITE_CANTOPEN:
      return {ErrorKind::database, where + "it cannot be opened (missing folder, or no permission)"};
    case SQLITE_IOERR:
      return {ErrorKind::database,
              where + "reading or writing the file failed (" + cause.what() + "); check the disk"};
    default:
      return {ErrorKind::database, where + cause.what()};
  }
}

Connection::Connection(const fs::path& path, Mode mode)
    : path_(path), db_(open_file(path, mode, &is_immutable_)) {
  std::error_code ignored;
  if (is_immutable_) written_at_ = fs::last_write_time(path_, ignored);
  try {
    if (mode == Mode::create && is_empty_database(db_)) create_schema(db_);
    check_identity(db_, path_);
    check_length(db_, path_);
    db_.exec("PRAGMA foreign_keys = ON");
    if (mode == Mode::read) {
      db_.exec(kMapping);
    } else {
      switch_to_wal(db_);
      db_.exec("PRAGMA synchronous = NORMAL");
    }
  } catch (const SQLite::Exception& e) {
    throw database_error(path_, e, "open");
  }
}

bool Connection::is_outdated() const {
  if (!is_immutable_) return false;
  std::error_code ignored;
  return has_wal_content(path_) || fs::last_write_time(path_, ignored) != written_at_;
}

SQLite::Statement& Connection::statement(const std::string& sql) {
  auto it = statements_.find(sql);
  if (it == statements_.end())
    it = statements_.emplace(sql, std::make_unique<SQLite::Statement>(db_, sql)).first;
  it->second->tryReset();  // the error of an earlier step is not this one's
  it->second->clearBindings();
  return *it->second;
}

SQLite::Statement& Connection::kept(const std::string& sql) {
  auto& statement = kept_[&sql];
  if (!statement)
    statement = std::make_unique<SQLite::Statement>(db_, sql);
  else
    statement->tryReset();
  return *statement;
}

std::int64_t Connection::integer(const std::string& sql) {
  Rows rows(statement(sql));
  rows.next();
  return rows.integer(0);
}

ReadTransaction::ReadTransaction(Connection& connection) : connection_(connection) {
  connection_.statement("BEGIN").exec();
}

ReadTransaction::~ReadTransaction() {
  // Nothing was written: ending the transaction can only fail where it has already ended.
  try {
    connection_.statement("COMMIT").exec();
  } catch (const SQLite::Exception&) {
    sqlite3_exec(connection_.db().getHandle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

MigrationReport migrate(const fs::path& path) {
  SQLite::Database db = open_file(path, Mode::write);
  MigrationReport report;
  try {
    report.to = schema_version();
    report.from = db.execAndGet("PRAGMA user_version").getInt();
    if (db.execAndGet("PRAGMA application_id").getInt() != kApplicationId || report.from >= report.to) {
      check_identity(db, path);  // another application's, or newer: says so
      check_length(db, path);
      return report;
    }
    check_length(db, path);
    db.exec("BEGIN IMMEDIATE");  // nobody writes between the backup and the migration
    report.backup = backup_path(path, report.from);
    {
      // VACUUM INTO may not run inside a transaction of its own connection: a second one reads what is
      // committed.
      SQLite::Database reader(path.string(), SQLite::OPEN_READONLY, kBusyTimeoutMs);
      SQLite::Statement copy(reader, "VACUUM INTO ?");
      copy.bind(1, report.backup.string());
      copy.exec();
    }
    apply_migrations(db, report.from);
    db.exec("COMMIT");
    return report;
  } catch (const SQLite::Exception& e) {
    std::error_code ignored;
    if (!report.backup.empty()) fs::remove(report.backup, ignored);  // of a file that is as it was
    throw database_error(path, e, "migrate");
  }
}

}  // namespace profdb::store
