// Lets a number of threads start together.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace profdb::serving {

// Opens when as many threads as it was made for wait at it. All members may be called from any thread.
class StartBarrier {
 public:
  StartBarrier(std::size_t threads, std::chrono::nanoseconds timeout);

  // Waits until the barrier opens: true. False for all where it does not open within the timeout, or was
  // broken.
  bool arrive_and_wait();
  // Releases all who wait, and who will, with false: a thread is never going to come.
  void break_it();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t missing_;
  std::chrono::nanoseconds timeout_;
  bool broken_ = false;
};

}  // namespace profdb::serving
