// A table of small sets, swept by a clock's hand.
#include "engine/cache/results.h"

#include <limits>
#include <utility>

namespace profdb::cache {

ResultPtr Results::find(const Key& key) {
  if (sets_ > 0) {
    Entry* const set = set_of(key);
    for (std::size_t way = 0; way < kWays; ++way) {
      Entry& entry = set[way];
      if (entry.key != key || !entry.result) continue;
      ++stats_.hits;
      entry.is_asked = true;
      return entry.result;
    }
  }
  ++stats_.misses;
  return nullptr;
}

void Results::keep(const Key& key, const ResultPtr& result, std::size_t bytes) {
  constexpr std::size_t kPlaces = 6;  // per entry, about, for the table is sparse
  bytes += kPlaces * sizeof(Entry);
  if (bytes > budget_ || bytes > std::numeric_limits<std::uint32_t>::max()) return;
  Entry* place = free_place(key);
  *place = {key, result, static_cast<std::uint32_t>(bytes), false};
  ++stats_.entries;
  stats_.bytes += bytes;
  make_room(place);
}

// A free place in the key's set; where there is none the table grows, or, being sparse, an entry gives way.
Results::Entry* Results::free_place(const Key& key) {
  while (true) {
    if (sets_ > 0) {
      Entry* const set = set_of(key);
      for (std::size_t way = 0; way < kWays; ++way)
        if (!set[way].result) return &set[way];
      constexpr std::size_t kSparse = 8;  // places per entry
      if (entries_.size() > kSparse * stats_.entries) {
        drop(set[0]);
        ++stats_.evictions;
        return set;
      }
    }
    grow();
  }
}

void Results::grow() {
  std::vector<Entry> old = std::exchange(entries_, {});
  sets_ = sets_ == 0 ? kLeastSets : sets_ * 2;
  entries_.resize(sets_ * kWays);
  hand_ = 0;
  // A set's entries part into two sets: all find a place.
  for (Entry& entry : old) {
    if (!entry.result) continue;
    Entry* place = set_of(entry.key);
    while (place->result) ++place;
    *place = std::move(entry);
  }
}

void Results::drop(Entry& entry) {
  stats_.bytes -= entry.bytes;
  --stats_.entries;
  entry = {};
}

void Results::make_room(const Entry* latest) {
  while (stats_.bytes > budget_) {
    Entry& entry = entries_[hand_];
    hand_ = (hand_ + 1) % entries_.size();
    if (!entry.result || &entry == latest) continue;
    if (std::exchange(entry.is_asked, false)) continue;  // until the hand comes again
    drop(entry);
    ++stats_.evictions;
  }
}

void Results::clear() {
  entries_.clear();
  sets_ = 0;
  hand_ = 0;
  stats_.entries = 0;
  stats_.bytes = 0;
}

void Results::count(CacheStats& total) const {
  total.hits += stats_.hits;
  total.misses += stats_.misses;
  total.evictions += stats_.evictions;
  total.entries += stats_.entries;
  total.bytes += stats_.bytes;
}

}  // namespace profdb::cache
