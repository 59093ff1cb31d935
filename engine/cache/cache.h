// A cache that is bounded by bytes and shared by threads.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "engine/cache/key.h"
#include "profdb/engine.h"

namespace profdb::cache {

// Keeps values until they take more than `budget` bytes; what was asked for longest ago goes first. Values
// are immutable and shared: one that gave way lives on with those who hold it. Any thread may call anything.
template <typename Value>
class Cache {
 public:
  using Pointer = std::shared_ptr<const Value>;

  // `budget` in bytes; 0 keeps nothing. May change at any time.
  explicit Cache(std::size_t budget) : budget_(budget) {}

  Pointer find(const Key& key) {
    Part& part = part_of(key);
    const std::scoped_lock lock(part.mutex);
    const auto it = part.entries.find(key);
    if (it == part.entries.end()) {
      ++part.stats.misses;
      return nullptr;
    }
    ++part.stats.hits;
    part.order.splice(part.order.begin(), part.order, it->second);
    return it->second->value;
  }

  // Keeps `value` unless it alone is over the budget. Of two threads that made the same value, the
  // first one's is kept and returned to both.
  Pointer keep(const Key& key, Pointer value, std::size_t bytes) {
    bytes += sizeof(Entry) + kNodeBytes;
    if (bytes > budget_) return value;
    {
      Part& part = part_of(key);
      const std::scoped_lock lock(part.mutex);
      if (const auto it = part.entries.find(key); it != part.entries.end()) return it->second->value;
      part.order.push_front({key, value, bytes});
      part.entries.emplace(key, part.order.begin());
      part.stats.bytes += bytes;
      bytes_ += bytes;
    }
    make_room(key);
    return value;
  }

  void set_budget(std::size_t budget) { budget_ = budget; }
  // Whether a value of that size would be kept.
  bool fits(std::size_t bytes) const { return bytes + sizeof(Entry) + kNodeBytes <= budget_; }

  void clear() {
    for (Part& part : parts_) {
      const std::scoped_lock lock(part.mutex);
      part.entries.clear();
      part.order.clear();
      bytes_ -= part.stats.bytes;
      part.stats.bytes = 0;
    }
  }

  // Adds this cache's counters to `total`.
  void count(CacheStats& total) const {
    for (const Part& part : parts_) {
      const std::scoped_lock lock(part.mutex);
      total.hits += part.stats.hits;
      total.misses += part.stats.misses;
      total.evictions += part.stats.evictions;
      total.entries += part.entries.size();
      total.bytes += part.stats.bytes;
    }
  }

 private:
  static constexpr std::size_t kParts = 8;
  static constexpr std::size_t kNodeBytes = 64;  // of the list and of the map

  struct Entry {
    Key key;
    Pointer value;
    std::size_t bytes = 0;
  };
  struct alignas(64) Part {
    mutable std::mutex mutex;
    std::list<Entry> order;  // the latest first
    std::unordered_map<Key, typename std::list<Entry>::iterator, KeyHash> entries;
    CacheStats stats;
  };

  Part& part_of(const Key& key) { return parts_[static_cast<std::size_t>(key.high) % kParts]; }

  // Drops the last entry of each part in turn, but never `latest`, until the rest fits.
  void make_room(const Key& latest) {
    for (auto i = static_cast<std::size_t>(latest.high); bytes_ > budget_; ++i) {
      Part& part = parts_[i % kParts];
      const std::scoped_lock lock(part.mutex);
      if (part.order.empty()) continue;
      auto last = std::prev(part.order.end());
      if (last->key == latest) {  // another thread has asked for all the others since
        if (last == part.order.begin()) continue;
        --last;
      }
      bytes_ -= last->bytes;
      part.stats.bytes -= last->bytes;
      ++part.stats.evictions;
      part.entries.erase(last->key);
      part.order.erase(last);
    }
  }

  std::atomic<std::size_t> budget_;
  std::atomic<std::size_t> bytes_{0};  // of all parts
  std::array<Part, kParts> parts_;
};

}  // namespace profdb::cache
