// The query log: what was asked and answered, written in batches by one background thread (architecture, How
// a call travels).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "profdb/engine.h"
#include "profdb/leaf_op.h"
#include "profdb/result.h"

namespace profdb {

// One lookup to be logged. The writer makes JSON and digests of it, so that the lookup need not.
struct LogEntry {
  std::chrono::system_clock::time_point at;
  std::shared_ptr<const LeafOp> leaf;
  ResultPtr result;
  std::int64_t elapsed_ns = 0;
};

// Writes entries to the table query_log of `database`, which must have the current schema (or, for a database
// of its own, is created with it). Any thread may push. A full queue (65,536 entries, or 64 MiB) delays a
// push while entries are being written; once none has been for 50 ms, entries are dropped and counted until
// the writer gets on. Nothing here ever fails a lookup. The destructor writes what is queued.
class QueryLog {
 public:
  // `options` joins the leaf in the digest. Throws Error(database) where the file cannot be written.
  QueryLog(const std::filesystem::path& database, const EngineOptions& options);
  ~QueryLog();
  QueryLog(const QueryLog&) = delete;
  QueryLog& operator=(const QueryLog&) = delete;

  void push(LogEntry entry);
  // Waits until everything pushed so far is written. Throws Error(database) where it could not be.
  void flush();
  LogStats stats() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// XXH3-128 of the canonical leaf and the options that change answers, as 32 lower-case hex digits.
std::string leaf_digest(const LeafOp& leaf, const EngineOptions& options);

}  // namespace profdb
