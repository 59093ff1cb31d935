// Whole results by leaf digest, for one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/cache/key.h"
#include "profdb/engine.h"

namespace profdb::cache {

// Keeps results until they take more than `budget` bytes; one that was not asked for since the last sweep
// goes first. An entry is found with one or two cache lines touched, and none written that another thread
// reads.
class Results {
 public:
  explicit Results(std::size_t budget) : budget_(budget) {}
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  ResultPtr find(const Key& key);
  // Keeps `result`, which holds `bytes`, unless it alone is over the budget.
  void keep(const Key& key, const ResultPtr& result, std::size_t bytes);

  void set_budget(std::size_t budget) {
    budget_ = budget;
    make_room(nullptr);
  }
  void clear();
  // Adds the counters to `total`.
  void count(CacheStats& total) const;

 private:
  struct Entry {
    Key key;
    ResultPtr result;  // null: the place is free
    std::uint32_t bytes = 0;
    bool is_asked = false;
  };
  static constexpr std::size_t kWays = 4;  // places that a key may have: those of its set
  static constexpr std::size_t kLeastSets = 16;

  Entry* set_of(const Key& key) {
    return &entries_[(static_cast<std::size_t>(key.low) & (sets_ - 1)) * kWays];
  }
  Entry* free_place(const Key& key);
  void grow();
  void drop(Entry& entry);
  void make_room(const Entry* latest);

  std::vector<Entry> entries_;  // sets_ times kWays
  std::size_t sets_ = 0;        // a power of two
  std::size_t hand_ = 0;        // where the sweep goes on
  std::size_t budget_;
  CacheStats stats_;
};

}  // namespace profdb::cache
