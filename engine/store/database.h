// Opening, creating and migrating database files; connections with their prepared statements.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "profdb/error.h"

namespace profdb::store {

inline constexpr int kApplicationId = 0x70726f66;  // "prof"

// The number of migrations that this build knows.
int schema_version();

enum class Mode {
  read,    // must exist, current schema
  write,   // must exist, current schema
  create,  // as write; created with the current schema where there is no file, or an empty one
};

// One SQLite connection and the statements prepared on it. Not shared between threads at the same time.
class Connection {
 public:
  // Throws Error(database), saying what the file is and what to do, where it cannot be used in `mode`.
  Connection(const std::filesystem::path& path, Mode mode);

  // The prepared statement of `sql`, reset and without bindings. `sql` is the key: the same text gives the
  // same statement, so only one row loop over a text may be open at a time.
  SQLite::Statement& statement(const std::string& sql);

  // The same, found by the address of `sql`, which must outlive the connection; every parameter must be bound
  // anew.
  SQLite::Statement& kept(const std::string& sql);

  SQLite::Database& db() { return db_; }
  const std::filesystem::path& path() const { return path_; }

  // Whether the file is read as one that nobody changes (see open_file in database.cpp) and has changed
  // since.
  bool is_outdated() const;

  // SELECT that gives one integer.
  std::int64_t integer(const std::string& sql);

 private:
  std::filesystem::path path_;
  bool is_immutable_ = false;
  std::filesystem::file_time_type written_at_;  // of an immutable file
  SQLite::Database db_;
  std::map<std::string, std::unique_ptr<SQLite::Statement>, std::less<>> statements_;
  std::unordered_map<const std::string*, std::unique_ptr<SQLite::Statement>> kept_;
};

// A statement whose rows are read to the end of a scope; resets it afterwards, so that no read stays open.
class Rows {
 public:
  explicit Rows(SQLite::Statement& statement) : statement_(statement) {}
  ~Rows() { statement_.tryReset(); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  bool next() { return statement_.executeStep(); }
  SQLite::Statement* operator->() { return &statement_; }
  SQLite::Column operator[](int column) const { return statement_.getColumn(column); }
  std::int64_t integer(int column) const { return statement_.getColumn(column).getInt64(); }
  std::string text(int column) const { return statement_.getColumn(column).getString(); }
  double real(int column) const { return statement_.getColumn(column).getDouble(); }

 private:
  SQLite::Statement& statement_;
};

// A read transaction: everything read inside belongs to one state of the database.
class ReadTransaction {
 public:
  explicit ReadTransaction(Connection& connection);
  ~ReadTransaction();
  ReadTransaction(const ReadTransaction&) = delete;
  ReadTransaction& operator=(const ReadTransaction&) = delete;

 private:
  Connection& connection_;
};

struct MigrationReport {
  int from = 0;
  int to = 0;
  std::filesystem::path backup;  // empty where nothing was to be done
};

// Brings an older database up to the current schema, whole or not at all, after a backup beside the file.
// Throws Error(database) where that cannot be done; the file is then as it was.
MigrationReport migrate(const std::filesystem::path& path);

// The Error for an exception of SQLite's: says what failed on which file and what to do.
Error database_error(const std::filesystem::path& path, const SQLite::Exception& cause,
                     const std::string& doing);

}  // namespace profdb::store
