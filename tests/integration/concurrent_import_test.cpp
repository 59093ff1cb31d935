// Readers beside an import, and imports beside each other.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/support/cli.h"
#include "tests/support/fault_child.h"
#include "tests/support/fault_release.h"
#include "tests/support/release.h"

namespace {

namespace fs = std::filesystem;
using namespace profdb;
using namespace profdb::test;

// Holds children back until all of them are there.
class Gate {
 public:
  Gate() {
    if (pipe(ends_.data()) != 0) throw std::runtime_error("pipe failed");
  }
  ~Gate() {
    open();
    close(ends_[0]);
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // In the child: waits until the test opens the gate.
  void pass() const {
    close(ends_[1]);
    char none = 0;
    while (read(ends_[0], &none, 1) > 0) {
    }
  }
  void open() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{};
};

constexpr int kVersions = 12;
// A finished import may be hidden from a lookup for so long.
constexpr std::chrono::milliseconds kLongestSnapshot(100);

class ConcurrentImport : public testing::Test {
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

// Asks one engine from many threads and keeps the first thing that is wrong.
class Readers {
 public:
  explicit Readers(const fs::path& database) : engine_(database) {}

  void read_until(const std::atomic<bool>& done) {
    const std::array<std::pair<std::string, int>, 3> calls = {
        {{matmul_leaf(100), 100}, {matmul_leaf(150), 150}, {add_leaf(200), 200}}};
    std::vector<std::pair<LeafOp, int>> leaves;
    for (const auto& [json, m] : calls) leaves.emplace_back(parse_leaf_op(json), m);
    for (std::size_t i = 0; !done; ++i) {
      const int seen_before = newest_;  // by any thread: a lookup that begins now may not be older
      const auto& [leaf, m] = leaves[i % leaves.size()];
      try {
        note(version_of(*engine_.lookup(leaf), m), seen_before);
      } catch (const std::exception& e) {
        complain(e.what());
      }
      ++lookups_;
    }
  }

  int newest() const { return newest_; }
  std::uint64_t lookups() const { return lookups_; }
  std::string complaint() const { return complaint_; }

 private:
  void note(std::optional<int> version, int seen_before) {
    if (!version) return complain("an answer that belongs to no version");
    if (*version < seen_before)
      return complain("version " + std::to_string(*version) + " after " + std::to_string(seen_before));
    int newest = newest_;
    while (*version > newest && !newest_.compare_exchange_weak(newest, *version)) {
    }
  }
  void complain(const std::string& what) {
    const std::scoped_lock lock(mutex_);
    if (complaint_.empty()) complaint_ = what;
  }

  Engine engine_;
  std::atomic<int> newest_{1};
  std::atomic<std::uint64_t> lookups_{0};
  std::mutex mutex_;
  std::string complaint_;
};

TEST_F(ConcurrentImport, ReadersSeeTheOldReleaseOrTheNewOneAndNeverGoBack) {
  Gate gate;
  Child importer([&] {
    gate.pass();
    for (int version = 2; version <= kVersions; ++version) import_version(source(version), database(), true);
    return std::string();
  });
  Readers readers(database());
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { readers.read_until(done); });
  while (readers.lookups() < 100) std::this_thread::yield();
  gate.open();
  const ChildEnd end = importer.wait();
  std::this_thread::sleep_for(kLongestSnapshot);
  const std::uint64_t at_the_end = readers.lookups();
  while (readers.newest() < kVersions && readers.lookups() < at_the_end + 1000) std::this_thread::yield();
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(end.exit_code, 0) << end.message;
  EXPECT_EQ(readers.complaint(), "");
  EXPECT_EQ(readers.newest(), kVersions);
  EXPECT_EQ(findings(database()), "");
}

TEST_F(ConcurrentImport, ReadingProcessesSeeOneStateEach) {
  Gate gate;
  std::vector<std::unique_ptr<Child>> readers;
  for (int i = 0; i < 2; ++i)
    readers.push_back(std::make_unique<Child>([&] {
      gate.pass();
      int newest = 0;
      while (newest < kVersions) {
        const int version = answered_version(database());  // a new engine each time, as the CLI has it
        // Several lookups of one engine may straddle an import: then they disagree, and 0 is no version.
        if (version != 0 && version < newest)
          throw std::runtime_error("went back to " + std::to_string(version));
        newest = std::max(newest, version);
      }
      return std::string();
    }));
  gate.open();
  for (int version = 2; version <= kVersions; ++version) import_version(source(version), database(), true);
  for (const auto& reader : readers) {
    const ChildEnd end = reader->wait();
    EXPECT_EQ(end.exit_code, 0) << end.message;
  }
}

TEST_F(ConcurrentImport, StreamThatIsOpenAnswersFromTheNewReleaseOnceItIsThere) {
  CliProcess stream({"lookup", "--db", database().string(), "--jsonl", "-", "--json"});
  for (int version = 1; version <= 3; ++version) {
    if (version > 1) {
      import_version(source(version), database(), true);
      std::this_thread::sleep_for(kLongestSnapshot);
    }
    stream.write(matmul_leaf(150) + "\n");
    const auto line = stream.read_line();
    ASSERT_TRUE(line);
    // 15 us times the version: half way between M 100 and M 200
    EXPECT_EQ(nlohmann::json::parse(*line).at("latency_us"), 15.0 * version) << *line;
  }
  EXPECT_EQ(stream.finish().exit_code, 0);
}

TEST_F(ConcurrentImport, TwoFirstImportsOfDifferentReleasesBothLand) {
  for (int round = 0; round < 10; ++round) {
    const fs::path database = folder_ / ("new" + std::to_string(round) + ".db");
    Gate gate;
    std::vector<std::unique_ptr<Child>> importers;
    for (const char* framework_version : {"1.0", "2.0"})
      importers.push_back(std::make_unique<Child>([&, framework_version] {
        gate.pass();
        import_version(source(1), database, false, framework_version);
        return std::string();
      }));
    gate.open();
    for (const auto& importer : importers) {
      const ChildEnd end = importer->wait();
      ASSERT_EQ(end.exit_code, 0) << end.message;
    }
    ASSERT_EQ(list_releases(database).size(), 2U);
    ASSERT_EQ(findings(database), "");
  }
}

TEST_F(ConcurrentImport, TwoFirstImportsOfTheSameReleaseLeaveItThere) {
  for (int round = 0; round < 10; ++round) {
    const fs::path database = folder_ / ("same" + std::to_string(round) + ".db");
    Gate gate;
    std::vector<std::unique_ptr<Child>> importers;
    for (int i = 0; i < 2; ++i)
      importers.push_back(std::make_unique<Child>([&] {
        gate.pass();
        import_version(source(1), database, false);
        return std::string();
      }));
    gate.open();
    for (const auto& importer : importers) {
      const ChildEnd end = importer->wait();
      ASSERT_EQ(end.exit_code, 0) << end.message;
    }
    ASSERT_EQ(answered_version(database), 1);
  }
}

TEST_F(ConcurrentImport, FirstImportThatIsRefusedLeavesTheOneThatWasFaster) {
  for (int round = 0; round < 10; ++round) {
    const fs::path database = folder_ / ("race" + std::to_string(round) + ".db");
    Gate gate;
    std::vector<std::unique_ptr<Child>> importers;
    for (const int version : {1, 2})
      importers.push_back(std::make_unique<Child>([&, version] {
        gate.pass();
        import_version(source(version), database, false);
        return std::string();
      }));
    gate.open();
    int refused = 0;
    for (const auto& importer : importers) {
      const ChildEnd end = importer->wait();
      if (end.exit_code == 0) continue;
      ++refused;
      ASSERT_NE(end.message.find("--replace"), std::string::npos) << end.message;
    }
    ASSERT_EQ(refused, 1);
    ASSERT_NE(answered_version(database), 0);
  }
}

}  // namespace
