// Handing out workers, and the thread that closes snapshots which nobody uses.
#include "engine/worker.h"

#include <chrono>
#include <ctime>
#include <utility>

namespace profdb {
namespace {

// Good to some milliseconds, and read in a few nanoseconds.
std::int64_t coarse_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// Each thread begins its search at a place of its own.
std::size_t home() {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t mine = threads++;
  return mine;
}

}  // namespace

std::optional<std::int64_t> Worker::snapshot_age() const {
  if (!snapshot_) return std::nullopt;
  return coarse_ms() - opened_at_;
}

void Worker::open_snapshot() {
  snapshot_.reset();
  snapshot_.emplace(connection_);
  opened_at_ = coarse_ms();
}

void Worker::close_snapshot() {
  snapshot_.reset();
}

Workers::Workers(std::string database, std::size_t result_budget, int snapshot_ms)
    : database_(std::move(database)), result_budget_(result_budget), snapshot_ms_(snapshot_ms) {}

Workers::~Workers() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (closer_.joinable()) closer_.join();
}

Workers::Slot& Workers::take() {
  while (true) {
    for (std::size_t i = 0; i < kSlots; ++i) {
      Slot& slot = slots_[(home() + i) % kSlots];
      if (!slot.is_busy.exchange(true, std::memory_order_acquire)) return slot;
    }
    std::this_thread::yield();
  }
}

void Workers::fill(Slot& slot) {
  slot.worker = std::make_unique<Worker>(database_, 0);
  ++filled_;
}

void Workers::open(Worker& worker) {
  worker.results.set_budget(result_budget_ / filled_);  // as many workers as there are now share it
  const bool had_one = worker.snapshot_age().has_value();
  if (had_one) --open_;
  worker.open_snapshot();
  ++snapshots_;
  if (open_++ > 0 || snapshot_ms_ == 0) return;
  {
    const std::scoped_lock lock(mutex_);
    if (!closer_.joinable()) closer_ = std::thread([this] { close_idle(); });
  }
  changed_.notify_one();
}

void Workers::note(std::int64_t generation) {
  std::int64_t newest = newest_;
  while (generation > newest && !newest_.compare_exchange_weak(newest, generation)) {
  }
}

void Workers::close(Worker& worker) {
  if (!worker.snapshot_age()) return;
  worker.close_snapshot();
  --open_;
}

void Workers::close_idle() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || open_ > 0; });
    changed_.wait_for(lock, std::chrono::milliseconds(snapshot_ms_), [&] { return stop_; });
    if (stop_) return;
    lock.unlock();
    for (Slot& slot : slots_) {
      if (slot.is_busy.exchange(true, std::memory_order_acquire)) continue;  // renews its own
      if (slot.worker && slot.worker->snapshot_age() >= snapshot_ms_) close(*slot.worker);
      slot.is_busy.store(false, std::memory_order_release);
    }
    lock.lock();
  }
}

Workers::Lease::Lease(Workers& workers, const std::function<void(Worker&)>& refresh)
    : workers_(workers), slot_(workers.take()) {
  try {
    if (!slot_.worker) workers_.fill(slot_);
    if (slot_.worker->connection().is_outdated()) {
      discard();
      workers_.fill(slot_);
    }
    Worker& worker = *slot_.worker;
    const auto age = worker.snapshot_age();
    if (age && *age < workers_.snapshot_ms_ && worker.state->generation >= workers_.newest_) return;
    workers_.open(worker);
    refresh(worker);
    workers_.note(worker.state->generation);
  } catch (...) {
    discard();
    slot_.is_busy.store(false, std::memory_order_release);
    throw;
  }
}

Workers::Lease::~Lease() {
  if (workers_.snapshot_ms_ == 0 && slot_.worker) workers_.close(*slot_.worker);
  slot_.is_busy.store(false, std::memory_order_release);
}

void Workers::Lease::discard() {
  if (!slot_.worker) return;
  workers_.close(*slot_.worker);
  CacheStats gone;
  slot_.worker->results.count(gone);
  slot_.worker.reset();
  --workers_.filled_;
  const std::scoped_lock lock(workers_.mutex_);
  workers_.discarded_.hits += gone.hits;
  workers_.discarded_.misses += gone.misses;
  workers_.discarded_.evictions += gone.evictions;
}

void Workers::count(CacheStats& total) {
  for (Slot& slot : slots_) {
    while (slot.is_busy.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
    if (slot.worker) slot.worker->results.count(total);
    slot.is_busy.store(false, std::memory_order_release);
  }
  const std::scoped_lock lock(mutex_);
  total.hits += discarded_.hits;
  total.misses += discarded_.misses;
  total.evictions += discarded_.evictions;
}

}  // namespace profdb
