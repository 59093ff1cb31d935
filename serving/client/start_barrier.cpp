// A counter, a mutex and a condition.
#include "serving/client/start_barrier.h"

namespace profdb::serving {

StartBarrier::StartBarrier(std::size_t threads, std::chrono::nanoseconds timeout)
    : missing_(threads), timeout_(timeout) {}

bool StartBarrier::arrive_and_wait() {
  std::unique_lock lock(mutex_);
  if (missing_ > 0) --missing_;
  if (missing_ == 0 || broken_) changed_.notify_all();
  if (!changed_.wait_for(lock, timeout_, [this] { return missing_ == 0 || broken_; })) {
    broken_ = true;
    changed_.notify_all();
  }
  return !broken_;
}

void StartBarrier::break_it() {
  const std::scoped_lock lock(mutex_);
  broken_ = true;
  changed_.notify_all();
}

}  // namespace profdb::serving
