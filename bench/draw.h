// Draws what is asked from the measurements of a database, always with the same seed.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bench/workload.h"

namespace profdb::bench {

inline constexpr std::uint64_t kSeed = 20240229;

// Waits where another process holds the file for a moment.
inline SQLite::Database open_to_draw(const std::string& database) {
  constexpr int kBusyTimeoutMs = 30'000;
  return {database, SQLite::OPEN_READONLY, kBusyTimeoutMs};
}

// Both ends included.
inline std::int64_t draw(std::mt19937_64& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

template <typename Item>
const Item& draw_one(std::mt19937_64& random, const std::vector<Item>& items) {
  return items[static_cast<std::size_t>(draw(random, 0, static_cast<std::int64_t>(items.size()) - 1))];
}

// Up to `count` distinct items of `next`, which gives an item that it likes or nothing.
template <typename Item, typename Next>
std::vector<Item> collect(std::size_t count, Next next) {
  constexpr std::size_t kDraws = 20;  // tries per item wanted, before what there is must do
  std::set<Item> seen;
  std::vector<Item> items;
  for (std::size_t i = 0; i < count * kDraws && items.size() < count; ++i) {
    const std::optional<Item> item = next();
    if (item && seen.insert(*item).second) items.push_back(*item);
  }
  require(!items.empty(), "nothing of the kind wanted could be drawn from the measurements");
  return items;
}

}  // namespace profdb::bench
