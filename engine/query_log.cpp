// The query log's bounded queue and the thread that empties it into the table.
#include "engine/query_log.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "engine/log_table.h"
#include "engine/memory.h"
#include "profdb/error.h"

namespace profdb {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kQueueEntries = 8192;
constexpr std::size_t kQueueBytes = std::size_t{64}
                                    << 20U;  // a call with many weights holds far more than others
constexpr std::size_t kBatchEntries = 512;
constexpr auto kBatchTime = 100ms;    // how long an entry waits for others to share its transaction
constexpr auto kPushPatience = 50ms;  // the most that logging may delay a lookup
constexpr auto kLockPatience = 30s;   // how long a flush, and the end, wait for an import to finish
constexpr auto kRetryPause = 10ms;    // some lock conflicts come back at once

// Roughly what an entry holds.
std::size_t memory_of(const LogEntry& entry) {
  return sizeof entry + profdb::memory_of(*entry.leaf) + profdb::memory_of(*entry.result);
}

}  // namespace

class QueryLog::Impl {
 public:
  Impl(const std::filesystem::path& database, EngineOptions options)
      : table_(database), options_(std::move(options)), writer_([this] { run(); }) {}

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
  struct Queued {
    LogEntry entry;
    std::size_t bytes = 0;
  };
  using Lock = std::unique_lock<std::mutex>;

  // Entries that were accepted and are neither written nor lost.
  std::size_t pending() const { return queue_.size() + in_hand_; }
  bool has_room(std::size_t bytes) const {
    return pending() == 0 || (pending() < kQueueEntries && pending_bytes_ + bytes <= kQueueBytes);
  }
  bool wait_for_room(Lock& lock, std::size_t bytes);

  void run();
  std::vector<Queued> take();
  void write(Lock& lock, std::vector<Queued> batch);
  void settle();
  void lose(const std::string& why);

  LogTable table_;  // the writer's
  const EngineOptions options_;

  mutable std::mutex mutex_;
  std::condition_variable work_;      // the writer waits for entries, flushes and the end
  std::condition_variable progress_;  // pushes and flushes wait for the writer
  std::deque<Queued> queue_;
  std::size_t in_hand_ = 0;        // entries that the writer has taken
  std::size_t in_hand_bytes_ = 0;  // what they held
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

// Where a push has waited in vain, the next ones do not wait at all until the writer gets on: an import of
// minutes must not slow down every lookup.
bool QueryLog::Impl::wait_for_room(Lock& lock, std::size_t bytes) {
  if (has_room(bytes)) return true;
  if (stuck_) return false;
  stuck_ = !progress_.wait_for(lock, kPushPatience, [&] { return has_room(bytes); });
  return !stuck_;
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
  Lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [&] { return stop_by_ || !queue_.empty(); });
    if (queue_.empty()) return;
    work_.wait_for(lock, kBatchTime,
                   [&] { return stop_by_ || flushing_ > 0 || queue_.size() >= kBatchEntries; });
    try {
      write(lock, take());
    } catch (const std::exception& e) {  // out of memory
      if (!lock.owns_lock()) lock.lock();
      lose(e.what());
      work_.wait_for(lock, kRetryPause);
    }
  }
}

std::vector<QueryLog::Impl::Queued> QueryLog::Impl::take() {
  const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(std::min(queue_.size(), kBatchEntries));
  std::vector<Queued> batch(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
  queue_.erase(queue_.begin(), end);
  in_hand_ = batch.size();
  for (const Queued& queued : batch) in_hand_bytes_ += queued.bytes;
  return batch;
}

// Writes the batch, or loses it. Comes and goes with the lock held; everything slow happens without it.
void QueryLog::Impl::write(Lock& lock, std::vector<Queued> batch) {
  lock.unlock();
  std::vector<LogRow> rows;
  rows.reserve(batch.size());
  for (const Queued& queued : batch) rows.push_back(log_row(queued.entry, options_));
  batch.clear();
  for (;;) {
    std::string why;
    const LogTable::Outcome outcome = table_.write(rows, why);
    lock.lock();
    if (outcome == LogTable::Outcome::written) return settle();
    if (outcome == LogTable::Outcome::failed) return lose(why);
    if (stop_by_ && Clock::now() >= *stop_by_) {
      in_hand_ += queue_.size();
      queue_.clear();
      return lose(why);
    }
    obstacle_ = why;
    work_.wait_for(lock, kRetryPause);
    lock.unlock();
  }
}

// The entries in hand are done with.
void QueryLog::Impl::settle() {
  settled_ += std::exchange(in_hand_, 0);
  pending_bytes_ -= std::exchange(in_hand_bytes_, 0);
  stuck_ = false;
  obstacle_.clear();
  progress_.notify_all();
}

void QueryLog::Impl::lose(const std::string& why) {
  stats_.logged -= in_hand_;
  stats_.dropped += in_hand_;
  stats_.last_error = why;
  failure_ = why;
  settle();
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
