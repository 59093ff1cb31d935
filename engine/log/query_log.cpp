// The query log's bounded queue and the thread that empties it into the table.
#include "engine/log/query_log.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "engine/log/log_table.h"
#include "engine/result/memory.h"
#include "profdb/error.h"

namespace profdb {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Outcome = LogTable::Outcome;

constexpr std::size_t kQueueEntries = 65'536;
// A call with many weights holds far more than others.
constexpr std::size_t kQueueBytes = std::size_t{64} << 20U;
constexpr std::size_t kBatchEntries = 512;
constexpr std::size_t kLargestBatch = 2048;  // of a long queue
constexpr auto kBatchTime = 100ms;           // how long an entry waits for others to share its transaction
constexpr auto kPushPatience = 50ms;         // how long a push waits for a writer that does not get on
constexpr auto kLockPatience = 30s;          // how long a flush, and the end, wait for an import to finish
constexpr auto kRetryPause = 10ms;           // some lock conflicts come back at once

// Roughly what an entry holds.
std::size_t memory_of(const LogEntry& entry) {
  return sizeof(QueuedEntry) + profdb::memory_of(*entry.leaf) + profdb::memory_of(*entry.result);
}

// How many of the waiting entries share a transaction.
std::size_t batch_size(std::size_t waiting) {
  return std::min(waiting, std::clamp(waiting / 4, kBatchEntries, kLargestBatch));
}

}  // namespace

class QueryLog::Impl {
 public:
  Impl(const std::filesystem::path& database, const EngineOptions& options)
      : table_(database, options), writer_([this] { run(); }) {}

  ~Impl() {
    {
      const std::scoped_lock lock(mutex_);
      stop_by_ = Clock::now() + kLockPatience;
    }
    work_.notify_one();
    writer_.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void push(LogEntry entry);
  void flush();
  LogStats stats() const {
    const std::scoped_lock lock(mutex_);
    return stats_;
  }

 private:
  using Lock = std::unique_lock<std::mutex>;
  using Entries = std::span<QueuedEntry>;

  // Entries that were accepted and are neither written nor lost.
  std::size_t pending() const { return queue_.size() + in_hand_; }
  bool has_room(std::size_t bytes) const {
    return pending() == 0 || (pending() < kQueueEntries && pending_bytes_ + bytes <= kQueueBytes);
  }
  bool wait_for_room(Lock& lock, std::size_t bytes);

  // The writer's. They take the lock where they need it: everything slow happens without it.
  void run();
  void write_all(Entries entries);
  Outcome write(Entries batch, std::string& why);
  bool goes_on(const std::string& why);
  void settle(Entries entries, Outcome outcome, const std::string& why);

  LogTable table_;  // the writer's, but for rows_made()

  mutable std::mutex mutex_;
  std::condition_variable work_;      // the writer waits for entries, flushes and the end
  std::condition_variable progress_;  // pushes and flushes wait for the writer
  std::vector<QueuedEntry> queue_;
  std::size_t in_hand_ = 0;        // entries that the writer has taken
  std::size_t pending_bytes_ = 0;  // of all pending entries
  std::uint64_t settled_ = 0;      // entries written or lost, ever
  bool stuck_ = false;             // a push has waited in vain since the writer last got on
  int flushing_ = 0;
  std::optional<Clock::time_point> stop_by_;  // set by the destructor
  std::string obstacle_;                      // what keeps the writer from writing now
  std::string failure_;                       // why entries were lost since the last flush
  LogStats stats_;

  std::thread writer_;  // last: it uses all of the above
};

void QueryLog::Impl::push(LogEntry entry) {
  const std::size_t bytes = memory_of(entry);
  Lock lock(mutex_);
  try {
    if (!wait_for_room(lock, bytes)) {
      ++stats_.dropped;
      stats_.last_error =
          obstacle_.empty() ? "the queue stayed full: the database is locked or slow" : obstacle_;
      return;
    }
    queue_.push_back({std::move(entry), bytes});
  } catch (const std::bad_alloc&) {
    ++stats_.dropped;
    return;
  }
  ++stats_.logged;
  pending_bytes_ += bytes;
  // The writer sleeps until there is a first entry, and then until there is a full batch.
  if (queue_.size() == 1 || queue_.size() == kBatchEntries) work_.notify_one();
}

// As long as the writer makes rows, the queue gets room again, and waiting for it loses nothing. Where a push
// has waited in vain, the next ones do not wait at all until the writer gets on: an import of minutes must
// not slow down every lookup.
bool QueryLog::Impl::wait_for_room(Lock& lock, std::size_t bytes) {
  while (!has_room(bytes)) {
    if (stuck_) return false;
    const std::uint64_t before = table_.rows_made();
    const bool room = progress_.wait_for(lock, kPushPatience, [&] { return has_room(bytes); });
    stuck_ = !room && table_.rows_made() == before;
  }
  return true;
}

void QueryLog::Impl::flush() {
  Lock lock(mutex_);
  const std::uint64_t target = settled_ + pending();
  ++flushing_;
  work_.notify_one();
  const bool done = progress_.wait_for(lock, kLockPatience, [&] { return settled_ >= target; });
  --flushing_;
  if (!done)
    throw Error(ErrorKind::database, obstacle_.empty() ? "the query log is not written yet" : obstacle_);
  if (!failure_.empty()) throw Error(ErrorKind::database, std::exchange(failure_, {}));
}

void QueryLog::Impl::run() {
  std::vector<QueuedEntry> taken;
  for (;;) {
    {
      Lock lock(mutex_);
      work_.wait(lock, [&] { return stop_by_ || !queue_.empty(); });
      if (queue_.empty()) return;
      work_.wait_for(lock, kBatchTime,
                     [&] { return stop_by_ || flushing_ > 0 || queue_.size() >= kBatchEntries; });
      taken.swap(queue_);
      in_hand_ = taken.size();
    }
    write_all(taken);
    taken.clear();
  }
}

void QueryLog::Impl::write_all(Entries entries) {
  while (!entries.empty()) {
    std::string why;
    Entries batch = entries.first(batch_size(entries.size()));
    const Outcome outcome = write(batch, why);
    if (outcome == Outcome::busy) batch = entries;  // nor could the others be written
    settle(batch, outcome, why);
    entries = entries.subspan(batch.size());
  }
}

// busy: the log is to end, and has waited long enough.
Outcome QueryLog::Impl::write(Entries batch, std::string& why) {
  try {
    Outcome outcome = Outcome::busy;
    do outcome = table_.write(batch, why);
    while (outcome == Outcome::busy && goes_on(why));
    return outcome;
  } catch (const std::exception& e) {  // out of memory
    why = e.what();
    return Outcome::failed;
  }
}

// Pauses before the next attempt, unless it is time to end.
bool QueryLog::Impl::goes_on(const std::string& why) {
  Lock lock(mutex_);
  if (stop_by_ && Clock::now() >= *stop_by_) return false;
  obstacle_ = why;
  work_.wait_for(lock, kRetryPause);
  return true;
}

// The entries are done with. Their memory is free before others may take their place.
void QueryLog::Impl::settle(Entries entries, Outcome outcome, const std::string& why) {
  std::size_t bytes = 0;
  for (QueuedEntry& queued : entries) {
    bytes += queued.bytes;
    queued.entry = {};
  }
  const std::scoped_lock lock(mutex_);
  in_hand_ -= entries.size();
  pending_bytes_ -= bytes;
  settled_ += entries.size();
  stuck_ = false;
  obstacle_.clear();
  if (outcome != Outcome::written) {
    stats_.logged -= entries.size();
    stats_.dropped += entries.size();
    stats_.last_error = why;
    failure_ = why;
  }
  progress_.notify_all();
}

QueryLog::QueryLog(const std::filesystem::path& database, const EngineOptions& options)
    : impl_(std::make_unique<Impl>(database, options)) {}
QueryLog::~QueryLog() = default;

void QueryLog::push(LogEntry entry) {
  impl_->push(std::move(entry));
}
void QueryLog::flush() {
  impl_->flush();
}
LogStats QueryLog::stats() const {
  return impl_->stats();
}

}  // namespace profdb
