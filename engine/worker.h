// What one thread at a time works with: a connection, the state of the database that it sees, and the results
// kept by leaf digest.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/cache/results.h"
#include "engine/lookup/plan.h"
#include "engine/store/database.h"

namespace profdb {

// Used by one thread at a time; which, Workers decides.
class Worker {
 public:
  Worker(const std::string& database, std::size_t result_budget)
      : results(result_budget), connection_(database, store::Mode::read) {}
  ~Worker() { close_snapshot(); }

  store::Connection& connection() { return connection_; }

  // Milliseconds of a coarse clock since the snapshot was opened; nothing where none is open.
  std::optional<std::int64_t> snapshot_age() const;
  // Begins a read transaction in place of the one that is open, if any.
  void open_snapshot();
  void close_snapshot();

  std::shared_ptr<const ReleaseState> state;  // of the snapshot, or of an earlier one
  cache::Results results;                     // of `state`

 private:
  store::Connection connection_;
  std::optional<store::ReadTransaction> snapshot_;
  std::int64_t opened_at_ = 0;
};

// The workers of one engine. A thread that asks again mostly gets the worker it had: its results and pages
// are warm, and nothing of it is shared with other threads. Snapshots that are not used are closed by a
// thread of its own, so that they never keep a checkpoint from running.
class Workers {
 public:
  // `result_budget` in bytes is divided among the workers that there are; each takes to its share when it
  // opens its next snapshot.
  Workers(std::string database, std::size_t result_budget, int snapshot_ms);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

 private:
  struct alignas(64) Slot {
    std::atomic<bool> is_busy{false};
    std::unique_ptr<Worker> worker;  // belongs to whoever set is_busy
  };

 public:
  // A worker for the length of a scope, with a snapshot that is young enough.
  class Lease {
   public:
    // `refresh` is called on a worker whose snapshot has just been opened, and brings its state there. What
    // it throws, the constructor throws, and the worker's connection is closed.
    Lease(Workers& workers, const std::function<void(Worker&)>& refresh);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Worker& operator*() { return *slot_.worker; }
    Worker* operator->() { return slot_.worker.get(); }
    // The connection has failed: it is closed instead of being used again.
    void discard();

   private:
    Workers& workers_;
    Slot& slot_;
  };

  // Adds the counters of the workers' results.
  void count(CacheStats& total);
  std::uint64_t snapshots() const { return snapshots_; }

 private:
  static constexpr std::size_t kSlots = 64;  // lookups at the same time; more wait

  Slot& take();
  void fill(Slot& slot);
  void open(Worker& worker);
  void close(Worker& worker);
  void note(std::int64_t generation);
  void close_idle();  // the thread

  const std::string database_;
  const std::size_t result_budget_;
  const int snapshot_ms_;
  std::array<Slot, kSlots> slots_;
  std::atomic<std::size_t> filled_{0};
  std::atomic<int> open_{0};  // snapshots
  std::atomic<std::uint64_t> snapshots_{0};
  std::atomic<std::int64_t> newest_{
      0};  // generation that a lookup has seen: none that begins later sees less

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  CacheStats discarded_;  // counters of workers that are no more
  bool stop_ = false;
  std::thread closer_;  // runs from the first snapshot on
};

}  // namespace profdb
