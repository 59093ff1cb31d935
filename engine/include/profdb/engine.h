// The lookup engine: opens a profiling database and answers leaf operator calls.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profdb/error.h"
#include "profdb/leaf_op.h"
#include "profdb/result.h"

namespace profdb {

// Where a padded match stands among the answers (contract §1).
enum class PaddedMatch {
  last,    // after interpolation has missed on every kernel
  before,  // ahead of interpolation, where the original CSV reader has it
  off,
};

enum class LogMode { off, misses, all };

// Everything that is the deployment's and not the call's.
struct EngineOptions {
  // "ID" or "DEVICE/FRAMEWORK/VERSION"; empty: the only release of the file.
  std::string release;
  std::optional<std::int64_t> ep_size;  // expert parallelism; >= 1
  std::optional<std::int64_t> tp_size;  // tensor parallelism; >= 1
  bool interpolation = true;
  PaddedMatch padded_match = PaddedMatch::last;
  LogMode log = LogMode::off;
  std::string log_db;  // a database of its own for the query log; empty: the database itself
  // What the caches may hold, in bytes: a quarter for whole results, the rest for regimes, candidate sets and
  // triangulations. 0 keeps nothing between lookups.
  std::size_t cache_bytes = std::size_t{256} << 20;
  // How long one state of the database may answer, in milliseconds, 0 to 100. 0: each lookup sees the newest.
  int snapshot_ms = 50;
  bool cache_results = true;  // whether whole results are kept by leaf digest
};

// One release in a database.
struct ReleaseInfo {
  std::int64_t release_id = 0;
  std::string device;
  std::string framework;
  std::string framework_version;
  std::string torch_version;
  std::string cann_version;
  std::string imported_at;  // UTC, ISO 8601
  std::string content_digest;
  std::string synthetic;  // the notice of made-up data; empty for measurements
  std::int64_t file_count = 0;
  std::int64_t row_count = 0;
  std::int64_t taken_rows = 0;
  std::int64_t unusable_rows = 0;
  std::int64_t rejected_rows = 0;
  std::int64_t operator_count = 0;
};

// Counters of the query log of one engine.
struct LogStats {
  std::uint64_t logged = 0;   // entries handed to the writer
  std::uint64_t dropped = 0;  // entries lost because the queue stayed full
  std::string last_error;     // why entries could not be written, if that happened
};

// Counters of one cache since the engine was opened.
struct CacheStats {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t evictions = 0;  // entries that gave way to others
  std::uint64_t entries = 0;    // held now
  std::uint64_t bytes = 0;      // held now
};

// Counters of an engine.
struct EngineStats {
  CacheStats results;               // whole results, by leaf digest
  CacheStats regimes;               // which regimes a target may use
  CacheStats candidates;            // candidate sets, per regime and source class
  CacheStats triangulations;        // per regime, source class, axis group and fixed axes
  std::uint64_t cache_budget = 0;   // EngineOptions::cache_bytes
  std::uint64_t invalidations = 0;  // times that an import or re-projection emptied the caches
  std::uint64_t snapshots = 0;      // times that a read transaction was opened
};

// What warm() brought into the caches.
struct WarmReport {
  std::uint64_t operators = 0;
  std::uint64_t regimes = 0;
  std::uint64_t candidates = 0;  // rows
  std::uint64_t triangulations = 0;
};

// Opens `database` and answers for one release. The file is opened read-only; only the query log writes.
//
// One engine, many threads: every member function may be called from any thread at the same time. Inside,
// each lookup uses a connection of its own from a pool and sees one state of the database from begin to end.
// That state is at most EngineOptions::snapshot_ms old: an import that has finished is seen by every lookup
// that begins later than that. A state that nobody uses is let go within twice that time.
//
// Throws Error: database for a file that is missing, no profdb database, damaged, newer, or in need of
// `profdb migrate`; usage for a release that is not there (the message lists those that are).
class Engine {
 public:
  explicit Engine(const std::string& database, EngineOptions options = {});
  ~Engine();  // writes what the query log still holds
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Answers one call. A miss is a Result with a reason, never an exception. Throws Error(input) for a
  // malformed leaf, Error(database) where the file cannot be read.
  ResultPtr lookup(const LeafOp& leaf) const;
  // The same for a leaf that was checked and digested before.
  ResultPtr lookup(const PreparedLeaf& leaf) const;

  // Loads what lookups of these operators will need: regimes, candidate sets, and the triangulation of the
  // path's axis group that spans all axes. No `ops`: every operator of the mapping. Stops where the budget is
  // full. `release` as EngineOptions::release; empty, or the engine's own. Throws Error(usage) for another
  // release, or for an operator that the mapping lacks.
  WarmReport warm(const std::string& release = {}, const std::vector<std::string>& ops = {});

  EngineStats stats() const;

  // The release that this engine answers for, as it is now.
  ReleaseInfo release() const;

  // Writes the queued log entries and waits until they are in the file. Throws Error(database) where they
  // cannot be written.
  void flush_log();
  LogStats log_stats() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// All releases in a database, by release_id. Throws as Engine does.
std::vector<ReleaseInfo> list_releases(const std::string& database);

// The library's version, e.g. "0.1.0".
const char* version();

}  // namespace profdb
