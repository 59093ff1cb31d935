// One engine under everything at once: readers, imports that replace what they read, the writer of the query
// log, warm-ups and counters. ThreadSanitizer runs this, too.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/store/database.h"
#include "tests/support/fault_release.h"
#include "tests/support/release.h"

namespace {

namespace fs = std::filesystem;
using namespace profdb;
using namespace profdb::test;

constexpr int kVersions = 6;
constexpr int kReaders = 3;
constexpr int kLookups = 400;  // that each reader makes at least

class Stress : public testing::Test {
 protected:
  void SetUp() override {
    for (int version = 1; version <= kVersions; ++version)
      write_versioned_release(source(version), version, 20);
    import_version(source(1), database(), false);
  }
  fs::path source(int version) const { return folder_ / ("v" + std::to_string(version)); }
  fs::path database() const { return folder_ / "prof.db"; }

  TempFolder folder_;
};

// Answers must be of one version, and never of an older one than was seen before.
class Reader {
 public:
  Reader(const Engine& engine, int first) : engine_(engine), first_(first) {}

  void read(const std::atomic<bool>& stop) {
    int newest = 1;
    for (int i = 0; i < kLookups || !stop; ++i) {
      const int m = 100 + 50 * ((i * 37 + first_) % 38);  // measured ones, and half way between
      const auto version = version_of(*engine_.lookup(parse_leaf_op(matmul_leaf(m))), m);
      if (!version || *version < newest) ++wrong;
      newest = version.value_or(newest);
      ++lookups;
    }
  }

  int wrong = 0;
  std::int64_t lookups = 0;

 private:
  const Engine& engine_;
  int first_;
};

TEST_F(Stress, ReadersImportsLogAndWarmUpsTogether) {
  EngineOptions options;
  options.log = LogMode::all;
  options.cache_bytes = std::size_t{1} << 20;  // small, so that entries give way
  std::int64_t lookups = 0;
  LogStats log;
  {
    Engine engine(database(), options);
    std::atomic<bool> stop{false};
    std::vector<Reader> readers;
    for (int i = 0; i < kReaders; ++i) readers.emplace_back(engine, 611 * i);
    std::vector<std::thread> threads;
    for (Reader& reader : readers) threads.emplace_back([&] { reader.read(stop); });
    threads.emplace_back([&] {
      while (!stop) {
        engine.warm();
        EXPECT_LE(engine.stats().candidates.bytes, options.cache_bytes);
      }
    });
    for (int version = 2; version <= kVersions; ++version) import_version(source(version), database(), true);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_EQ(version_of(*engine.lookup(parse_leaf_op(matmul_leaf(150))), 150), kVersions);
    ++lookups;
    stop = true;
    for (std::thread& thread : threads) thread.join();
    for (const Reader& reader : readers) {
      EXPECT_EQ(reader.wrong, 0);
      lookups += reader.lookups;
    }
    engine.flush_log();
    log = engine.log_stats();
    EXPECT_GE(engine.stats().invalidations, 1U);
  }
  EXPECT_EQ(static_cast<std::int64_t>(log.logged + log.dropped), lookups);
  store::Connection connection(database(), store::Mode::read);
  EXPECT_EQ(connection.integer("SELECT count(*) FROM query_log"), static_cast<std::int64_t>(log.logged));
  EXPECT_EQ(findings(database()), "");
}

// Equal leaves from many threads: one result each thread, all alike, and nothing torn.
TEST_F(Stress, ThreadsShareRepeatedLeaves) {
  const Engine engine(database());
  std::vector<PreparedLeaf> leaves;
  for (int m = 100; m < 2000; m += 10) leaves.emplace_back(parse_leaf_op(matmul_leaf(m)));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kReaders; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round)
        for (std::size_t i = 0; i < leaves.size(); ++i)
          if (engine.lookup(leaves[i])->latency_us != 10 + static_cast<double>(i)) ++wrong;  // M / 10
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(engine.stats().results.hits, leaves.size() * 19);
}

// Engines come and go while others work on the same file.
TEST_F(Stress, EnginesOpenAndCloseBesideEachOther) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < kReaders; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 15; ++i) {
        const Engine engine(database());
        if (version_of(*engine.lookup(parse_leaf_op(matmul_leaf(150))), 150) != 1) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
