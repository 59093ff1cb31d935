// Hands batches from the thread that fills them to the thread that uses them, and back to be filled again.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <vector>

namespace profdb::importer {

// A fixed number of batches on their way round. One thread fills, one uses. Either may end it.
template <typename Batch>
class BatchExchange {
 public:
  explicit BatchExchange(std::size_t batches) : batches_(batches) {
    for (Batch& batch : batches_) empty_.push_back(&batch);
  }

  // The filling thread: waits for an empty batch; nullptr once the other thread has left.
  Batch* take_empty() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return left_ || !empty_.empty(); });
    return left_ ? nullptr : pop(empty_);
  }
  void put_full(Batch* batch) { put(full_, batch); }
  // Nothing follows. `failure`: what ended the filling; nothing where all went well.
  void end(std::exception_ptr failure) {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    failure_ = std::move(failure);
    changed_.notify_all();
  }

  // The using thread: waits for a full batch; nullptr at the end. Throws the failure that ended the filling
  // once the batches before it are used up.
  Batch* take_full() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ || !full_.empty(); });
    if (!full_.empty()) return pop(full_);
    if (failure_) std::rethrow_exception(failure_);
    return nullptr;
  }
  void put_empty(Batch* batch) { put(empty_, batch); }
  // No batch is taken any more.
  void leave() {
    const std::scoped_lock lock(mutex_);
    left_ = true;
    changed_.notify_all();
  }

 private:
  static Batch* pop(std::deque<Batch*>& queue) {
    Batch* const batch = queue.front();
    queue.pop_front();
    return batch;
  }
  void put(std::deque<Batch*>& queue, Batch* batch) {
    const std::scoped_lock lock(mutex_);
    queue.push_back(batch);
    changed_.notify_all();
  }

  std::vector<Batch> batches_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch*> empty_;
  std::deque<Batch*> full_;
  bool ended_ = false;
  bool left_ = false;
  std::exception_ptr failure_;
};

}  // namespace profdb::importer
