// The table query_log: what of a lookup becomes a row, and how rows get into the database.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/query_log.h"
#include "engine/store/database.h"

namespace profdb {

// One row, ready to be bound.
struct LogRow {
  std::string logged_at;
  std::int64_t release_id = 0;
  std::string op;
  std::string leaf_digest;
  std::string source;
  std::optional<double> latency_us;
  std::optional<std::string> kernel;
  std::optional<std::string> path;
  std::optional<std::string> regime;  // JSON object
  std::optional<std::string> method;
  std::optional<std::int64_t> dim;
  std::optional<std::string> axes;  // JSON array
  std::optional<std::string> reason;
  std::string details;
  std::int64_t elapsed_ns = 0;
};

LogRow log_row(const LogEntry& entry, const EngineOptions& options);

// The table in one database, with a session id of its own. Not shared between threads at the same time.
class LogTable {
 public:
  enum class Outcome { written, busy, failed };

  // Throws Error(database) where the file cannot be written.
  explicit LogTable(const std::filesystem::path& database);

  // Writes all rows or none. busy: another connection holds the write lock, and waiting helps. Otherwise
  // `why` says what went wrong. Gives up after a fraction of a second, and does not throw.
  Outcome write(const std::vector<LogRow>& rows, std::string& why);

 private:
  void insert(const LogRow& row);
  Error error(const SQLite::Exception& cause) const;

  store::Connection connection_;
  std::optional<SQLite::Statement> insert_;
  std::string session_;
};

}  // namespace profdb
