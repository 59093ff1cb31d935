// The table query_log: what of a lookup becomes a row, and how rows get into the database.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/log/query_log.h"
#include "engine/store/database.h"

namespace profdb {

// An entry in the queue, and what it is taken to hold.
struct QueuedEntry {
  LogEntry entry;
  std::size_t bytes = 0;
};

// UTC, ISO 8601, microseconds: "2023-11-14T22:13:20.000042Z". Entries come many to a second.
class Timestamp {
 public:
  // Holds until the next call.
  const std::string& text(std::chrono::system_clock::time_point at);

 private:
  static constexpr std::size_t kFraction = 20;  // where the microseconds begin
  std::optional<std::chrono::sys_seconds> second_;
  std::string text_;
};

// leaf_digest() of the leaves that came before and that someone still shares: a caller's prepared leaves,
// asked again and again. Keeps none of them alive.
class LeafDigests {
 public:
  explicit LeafDigests(const EngineOptions& options);
  // Holds until the next call.
  const std::string& of(const std::shared_ptr<const LeafOp>& leaf);

 private:
  struct Slot {
    std::weak_ptr<const LeafOp> leaf;
    std::string digest;
  };
  static constexpr std::size_t kSlots = 2048;  // a power of two

  std::string computed(const LeafOp& leaf);

  std::string options_;  // those that change answers, as the digested text ends
  std::string text_;     // that is digested
  std::string digest_;
  std::vector<Slot> slots_;
};

// The table in one database, with a session id of its own. Not shared between threads at the same time.
class LogTable {
 public:
  enum class Outcome { written, busy, failed };

  // `options` joins the leaf in the digest. Throws Error(database) where the file cannot be written.
  LogTable(const std::filesystem::path& database, const EngineOptions& options);

  // Writes all entries or none. busy: another connection holds the write lock, and waiting helps. Otherwise
  // `why` says what went wrong. Gives up after a fraction of a second, and does not throw.
  Outcome write(std::span<const QueuedEntry> entries, std::string& why);

  // Grows with every row that is made, whether or not it lasts: shows another thread that write() gets on.
  std::uint64_t rows_made() const { return rows_made_.load(std::memory_order_relaxed); }

 private:
  void insert(const LogEntry& entry);
  Error error(const SQLite::Exception& cause) const;

  store::Connection connection_;
  std::optional<SQLite::Statement> insert_;
  std::string session_;
  Timestamp timestamp_;
  LeafDigests digests_;
  std::string regime_, axes_, details_;  // of the row that is being inserted
  std::atomic<std::uint64_t> rows_made_{0};
};

}  // namespace profdb
