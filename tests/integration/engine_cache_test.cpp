// What an engine keeps between lookups: answers stay the same, counters count, changes of the database
// arrive.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "engine/store/database.h"
#include "tests/support/fault_release.h"
#include "tests/support/release.h"

namespace {

namespace fs = std::filesystem;
using namespace profdb;
using namespace profdb::test;

class EngineCache : public testing::Test {
 protected:
  void SetUp() override {
    for (int version = 1; version <= 2; ++version) write_versioned_release(source(version), version, 20);
    import_version(source(1), database(), false);
  }
  fs::path source(int version) const { return folder_ / ("v" + std::to_string(version)); }
  fs::path database() const { return folder_ / "prof.db"; }

  static std::vector<std::string> leaves() {
    std::vector<std::string> all;
    for (int m = 90; m <= 2010; m += 15) {
      all.push_back(matmul_leaf(m));
      all.push_back(add_leaf(m));
    }
    return all;
  }

  TempFolder folder_;
};

std::string answer_of(const Engine& engine, const std::string& leaf) {
  return to_json(*engine.lookup(parse_leaf_op(leaf))).dump();
}

TEST_F(EngineCache, AnswersAreTheSameWithAndWithoutCaches) {
  EngineOptions without;
  without.cache_bytes = 0;
  without.cache_results = false;
  const Engine uncached(database(), without);
  const Engine cached(database());
  for (int round = 0; round < 3; ++round) {
    for (const std::string& leaf : leaves())
      ASSERT_EQ(answer_of(cached, leaf), answer_of(uncached, leaf)) << leaf;
  }
  EXPECT_EQ(uncached.stats().results.entries, 0U);
  EXPECT_EQ(uncached.stats().candidates.entries, 0U);
}

TEST_F(EngineCache, AnswersAreTheSameWhereTheBudgetIsTight) {
  EngineOptions tight;
  tight.cache_bytes = 20'000;
  const Engine engine(database(), tight);
  const Engine reference(database());
  for (int round = 0; round < 2; ++round)
    for (const std::string& leaf : leaves())
      ASSERT_EQ(answer_of(engine, leaf), answer_of(reference, leaf)) << leaf;
  const EngineStats stats = engine.stats();
  EXPECT_GT(stats.results.evictions, 0U);
  EXPECT_LE(stats.results.bytes + stats.regimes.bytes + stats.candidates.bytes + stats.triangulations.bytes,
            tight.cache_bytes);
}

TEST_F(EngineCache, CountsHitsOfRepeatedLeaves) {
  const Engine engine(database());
  const PreparedLeaf prepared(parse_leaf_op(matmul_leaf(150)));
  const ResultPtr first = engine.lookup(prepared);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(engine.lookup(prepared), first);  // the very same object
  EXPECT_EQ(engine.lookup(prepared.leaf()), first);
  const EngineStats stats = engine.stats();
  EXPECT_EQ(stats.results.misses, 1U);
  EXPECT_EQ(stats.results.hits, 10U);
  EXPECT_EQ(stats.results.entries, 1U);
  EXPECT_GT(stats.results.bytes, sizeof(Result));
  EXPECT_EQ(stats.cache_budget, EngineOptions().cache_bytes);
}

TEST_F(EngineCache, WarmUpBringsWhatLookupsNeed) {
  Engine engine(database());
  const WarmReport report = engine.warm();
  EXPECT_EQ(report.operators, 2U);
  // One of MatMulV2; of Add 20, for the other input's shape is part of its regimes.
  EXPECT_EQ(report.regimes, 21U);
  EXPECT_EQ(report.candidates, 40U);  // 20 rows per kernel
  const CacheStats before = engine.stats().candidates;
  engine.lookup(parse_leaf_op(add_leaf(155)));
  engine.lookup(parse_leaf_op(matmul_leaf(155)));
  const CacheStats after = engine.stats().candidates;
  EXPECT_GT(after.hits, before.hits);
  EXPECT_EQ(engine.warm("", {"aten.add.Tensor"}).operators, 1U);
}

TEST_F(EngineCache, WarmUpRefusesWhatTheEngineDoesNotAnswerFor) {
  import_version(source(2), database(), false, "2.0");
  EngineOptions options;
  options.release = "1";
  Engine engine(database(), options);
  EXPECT_THROW(engine.warm("2"), Error);
  EXPECT_THROW(engine.warm("", {"aten.mul.Tensor"}), Error);
  EXPECT_NO_THROW(engine.warm("1", {"aten.mm.default"}));
}

// A lookup that begins 100 ms after the end of an import sees it; the engine's word is snapshot_ms.
TEST_F(EngineCache, AReplacementArrives) {
  const Engine engine(database());
  const LeafOp leaf = parse_leaf_op(matmul_leaf(150));
  EXPECT_EQ(version_of(*engine.lookup(leaf), 150), 1);
  import_version(source(2), database(), true);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(version_of(*engine.lookup(leaf), 150), 2);
  EXPECT_EQ(engine.stats().invalidations, 1U);
}

TEST_F(EngineCache, WithoutSnapshotsAReplacementArrivesAtOnce) {
  EngineOptions options;
  options.snapshot_ms = 0;
  const Engine engine(database(), options);
  const LeafOp leaf = parse_leaf_op(matmul_leaf(150));
  EXPECT_EQ(version_of(*engine.lookup(leaf), 150), 1);
  import_version(source(2), database(), true);
  EXPECT_EQ(version_of(*engine.lookup(leaf), 150), 2);
}

TEST_F(EngineCache, AReplacementDuringLookupsGivesOldOrNewAndInTheEndNew) {
  const Engine engine(database());
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t)
    readers.emplace_back([&] {
      int newest = 1;
      for (int i = 0; !done; ++i) {
        const int m = 100 + 50 * (i % 38);  // measured ones, and half way between
        const auto version = version_of(*engine.lookup(parse_leaf_op(matmul_leaf(m))), m);
        if (!version || *version < newest) ++wrong;
        newest = version.value_or(newest);
      }
    });
  import_version(source(2), database(), true);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(version_of(*engine.lookup(parse_leaf_op(matmul_leaf(150))), 150), 2);
  done = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

// A snapshot that nobody uses must not keep the WAL from being emptied.
TEST_F(EngineCache, IdleSnapshotsAreLetGo) {
  const Engine engine(database());
  engine.lookup(parse_leaf_op(matmul_leaf(150)));
  import_version(source(2), database(), true);
  store::Connection writer(database(), store::Mode::write);
  int blocked = 1;
  for (int attempt = 0; attempt < 200 && blocked != 0; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    SQLite::Statement checkpoint(writer.db(), "PRAGMA wal_checkpoint(TRUNCATE)");
    checkpoint.executeStep();
    blocked = checkpoint.getColumn(0).getInt();
  }
  EXPECT_EQ(blocked, 0);
}

TEST_F(EngineCache, RefusesASnapshotThatIsTooLong) {
  EngineOptions options;
  options.snapshot_ms = 101;
  EXPECT_THROW(Engine(database(), options), Error);
  options.snapshot_ms = -1;
  EXPECT_THROW(Engine(database(), options), Error);
}

}  // namespace
