// The bounded cache, the sets of measured points, and the digest of a leaf.
#include "engine/cache/cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "engine/cache/results.h"
#include "engine/candidates/points.h"
#include "engine/paths/registry.h"

namespace {

using namespace profdb;
using testing::ElementsAre;
using IntCache = cache::Cache<int>;

constexpr std::size_t kEntry = 1000;  // bytes, beside the cache's own

cache::Key key_of(std::int64_t value) {
  return cache::KeyBytes::scratch().number(value).key();
}

CacheStats stats_of(const IntCache& cache) {
  CacheStats stats;
  cache.count(stats);
  return stats;
}

TEST(Cache, GivesBackWhatItKeepsAndCounts) {
  IntCache cache(10 * kEntry);
  EXPECT_EQ(cache.find(key_of(1)), nullptr);
  cache.keep(key_of(1), std::make_shared<const int>(7), 100);
  ASSERT_NE(cache.find(key_of(1)), nullptr);
  EXPECT_EQ(*cache.find(key_of(1)), 7);
  const CacheStats stats = stats_of(cache);
  EXPECT_EQ(stats.hits, 2U);
  EXPECT_EQ(stats.misses, 1U);
  EXPECT_EQ(stats.entries, 1U);
  EXPECT_GE(stats.bytes, 100U);
}

TEST(Cache, TheFirstOfTwoEqualKeysStays) {
  IntCache cache(10 * kEntry);
  cache.keep(key_of(1), std::make_shared<const int>(7), 100);
  EXPECT_EQ(*cache.keep(key_of(1), std::make_shared<const int>(8), 100), 7);
}

TEST(Cache, StaysWithinItsBudget) {
  IntCache cache(20 * kEntry);
  for (int i = 0; i < 1000; ++i) {
    cache.keep(key_of(i), std::make_shared<const int>(i), kEntry);
    EXPECT_LE(stats_of(cache).bytes, 20 * kEntry);
  }
  const CacheStats stats = stats_of(cache);
  EXPECT_GT(stats.entries, 0U);
  EXPECT_EQ(stats.entries + stats.evictions, 1000U);
  EXPECT_NE(cache.find(key_of(999)), nullptr);  // the latest is never the one to go
}

TEST(Cache, WhatIsAskedForStays) {
  IntCache cache(40 * kEntry);
  cache.keep(key_of(-1), std::make_shared<const int>(1), kEntry);
  for (int i = 0; i < 200; ++i) {
    cache.keep(key_of(i), std::make_shared<const int>(i), kEntry);
    ASSERT_NE(cache.find(key_of(-1)), nullptr) << i;
  }
}

TEST(Cache, KeepsNothingOverItsBudgetAndNothingAtAllWithoutOne) {
  IntCache small(kEntry);
  EXPECT_EQ(*small.keep(key_of(1), std::make_shared<const int>(7), 2 * kEntry), 7);
  EXPECT_EQ(small.find(key_of(1)), nullptr);
  IntCache none(0);
  none.keep(key_of(1), std::make_shared<const int>(7), 1);
  EXPECT_EQ(none.find(key_of(1)), nullptr);
}

TEST(Cache, ClearsAndShrinks) {
  IntCache cache(100 * kEntry);
  for (int i = 0; i < 50; ++i) cache.keep(key_of(i), std::make_shared<const int>(i), kEntry);
  cache.set_budget(5 * kEntry);
  cache.keep(key_of(100), std::make_shared<const int>(100), kEntry);
  EXPECT_LE(stats_of(cache).bytes, 5 * kEntry);
  cache.clear();
  EXPECT_EQ(stats_of(cache).entries, 0U);
  EXPECT_EQ(stats_of(cache).bytes, 0U);
}

TEST(Cache, ManyThreadsShareIt) {
  IntCache cache(64 * kEntry);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5000; ++i) {
        const int n = (i * 7 + t) % 200;
        auto found = cache.find(key_of(n));
        if (!found) found = cache.keep(key_of(n), std::make_shared<const int>(n), kEntry);
        if (*found != n) ++wrong;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(stats_of(cache).bytes, 64 * kEntry);
}

ResultPtr result_of(double latency_us) {
  auto result = std::make_shared<Result>();
  result->latency_us = latency_us;
  return result;
}

CacheStats stats_of(const cache::Results& results) {
  CacheStats stats;
  results.count(stats);
  return stats;
}

TEST(Results, GivesBackTheSameObject) {
  cache::Results results(1'000'000);
  const ResultPtr kept = result_of(7);
  EXPECT_EQ(results.find(key_of(1)), nullptr);
  results.keep(key_of(1), kept, kEntry);
  EXPECT_EQ(results.find(key_of(1)), kept);
  EXPECT_EQ(results.find(key_of(2)), nullptr);
  EXPECT_EQ(stats_of(results).hits, 1U);
  EXPECT_EQ(stats_of(results).misses, 2U);
}

TEST(Results, HoldsManyAndLosesNoneWithinItsBudget) {
  constexpr int kMany = 20'000;
  cache::Results results(std::size_t{kMany} * 2 * kEntry);
  for (int i = 0; i < kMany; ++i) results.keep(key_of(i), result_of(i), kEntry);
  int missing = 0;
  for (int i = 0; i < kMany; ++i) {
    const ResultPtr found = results.find(key_of(i));
    if (!found)
      ++missing;
    else
      ASSERT_EQ(found->latency_us, i);
  }
  // A set that is full while the table is sparse loses one: next to never.
  EXPECT_EQ(static_cast<std::uint64_t>(missing), stats_of(results).evictions);
  EXPECT_LE(missing, kMany / 1000);
}

TEST(Results, StaysWithinItsBudgetAndKeepsWhatIsAskedFor) {
  cache::Results results(50 * kEntry);
  results.keep(key_of(-1), result_of(1), kEntry);
  for (int i = 0; i < 2000; ++i) {
    results.keep(key_of(i), result_of(i), kEntry);
    ASSERT_LE(stats_of(results).bytes, 50 * kEntry);
    ASSERT_NE(results.find(key_of(-1)), nullptr) << i;
  }
  const CacheStats stats = stats_of(results);
  EXPECT_EQ(stats.entries + stats.evictions, 2001U);
  EXPECT_GT(stats.entries, 30U);
  results.clear();
  EXPECT_EQ(results.find(key_of(-1)), nullptr);
  EXPECT_EQ(stats_of(results).bytes, 0U);
}

TEST(Results, KeepsNothingWithoutABudget) {
  cache::Results results(0);
  results.keep(key_of(1), result_of(1), 1);
  EXPECT_EQ(results.find(key_of(1)), nullptr);
}

// M, K, N of matrix_compute.
store::CandidateRow row(std::int64_t id, std::int64_t m, std::int64_t k, std::int64_t n, double latency) {
  return {{m, k, n}, id, latency};
}

TEST(ClassPoints, MergesAndIndexesByCoordinateAndGroup) {
  const PathSpec& spec = matrix_compute_path().spec();
  const ClassPoints all(
      spec, {row(1, 16, 64, 32, 4), row(2, 32, 64, 32, 8), row(3, 16, 64, 32, 6), row(4, 16, 128, 32, 9)});
  ASSERT_EQ(all.points().size(), 3U);
  ASSERT_NE(all.at({16, 64, 32}), nullptr);
  EXPECT_EQ(all.at({16, 64, 32})->latency_us, 5);  // the median of 4 and 6
  EXPECT_THAT(all.at({16, 64, 32})->measurement_ids, ElementsAre(1, 3));
  EXPECT_EQ(all.at({17, 64, 32}), nullptr);
  EXPECT_THAT(all.of_group(0, {99, 64, 32}), ElementsAre(0U, 1U));  // M free
  EXPECT_THAT(all.of_group(1, {16, 99, 32}), ElementsAre(0U, 2U));  // K free
  EXPECT_TRUE(all.of_group(2, {99, 99, 99}).empty());
  EXPECT_THAT(all.of_group(6, {99, 99, 99}), ElementsAre(0U, 1U, 2U));  // all free
  EXPECT_TRUE(all.is_ambiguous());                                      // 4 and 6 are more than 10 % apart
  EXPECT_TRUE(all.holds({3}));
  EXPECT_FALSE(all.holds({5}));
}

LeafOp leaf_of(const std::string& text) {
  return parse_leaf_op(text);
}

TEST(LeafDigest, TellsEveryPartOfALeafApart) {
  const std::vector<std::string> leaves = {
      R"({"op": "a", "inputs": [{"shape": [2, 3], "dtype": "int8"}]})",
      R"({"op": "b", "inputs": [{"shape": [2, 3], "dtype": "int8"}]})",
      R"({"op": "a", "inputs": [{"shape": [3, 2], "dtype": "int8"}]})",
      R"({"op": "a", "inputs": [{"shape": [2, 3], "dtype": "int32"}]})",
      R"({"op": "a", "inputs": [{"shape": [2, 3], "dtype": "int8", "format": "ND"}]})",
      R"({"op": "a", "inputs": [{"role": "query", "shape": [2, 3], "dtype": "int8"}]})",
      R"({"op": "a", "inputs": [null, {"shape": [2, 3], "dtype": "int8"}]})",
      R"({"op": "a", "inputs": [{"list": [{"shape": [2, 3], "dtype": "int8"}]}]})",
      R"({"op": "a", "outputs": [{"shape": [2, 3], "dtype": "int8"}]})",
      R"({"op": "a", "inputs": [{"shape": [2, 3], "dtype": "int8"}], "attrs": {"phase": "decode"}})",
      R"({"op": "a", "inputs": [{"shape": [2, 3], "dtype": "int8"}], "attrs": {"phase": 1}})",
      R"({"op": "a", "inputs": [{"shape": [2, 3], "dtype": "int8"}], "attrs": {"phase": [1]}})",
      R"({"op": "a", "inputs": [{"shape": [2, 3], "dtype": "int8"}], "prior": {"latency_us": 1}})",
  };
  std::set<LeafDigest> digests;
  for (const std::string& leaf : leaves) digests.insert(digest(leaf_of(leaf)));
  EXPECT_EQ(digests.size(), leaves.size());
}

TEST(LeafDigest, IsTheSameForEqualLeaves) {
  const std::string listed = R"({"op": "a", "inputs": [{"list": [{"shape": [2], "dtype": "int8"},)"
                             R"({"shape": [2], "dtype": "int8"}]}], "attrs": {"x": 1, "y": 2}})";
  const std::string repeated = R"({"attrs": {"y": 2, "x": 1}, "inputs": [{"repeat": 2, "of":)"
                               R"({"shape": [2], "dtype": "int8"}}], "op": "a"})";
  EXPECT_EQ(digest(leaf_of(listed)), digest(leaf_of(repeated)));
  EXPECT_EQ(PreparedLeaf(leaf_of(listed)).digest(), digest(leaf_of(listed)));
}

}  // namespace
