// The query log: every lookup becomes a row, nothing waits for long, and what is lost is counted
// (architecture, How a call travels). Long: one case per state that the queue can be in.
#include "engine/log/query_log.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/log/log_table.h"
#include "engine/store/database.h"

namespace profdb {
namespace {

namespace fs = std::filesystem;

LeafOp leaf_of(const std::string& op) {
  LeafOp leaf;
  leaf.op = op;
  leaf.inputs = {{Argument::Kind::tensor, "", {{{4, 5}, "bfloat16", std::nullopt}}}};
  return leaf;
}

// An entry that is still being filled in.
struct Draft {
  std::chrono::system_clock::time_point at;
  LeafOp leaf;
  Result result;
  std::int64_t elapsed_ns = 0;

  operator LogEntry() const {
    return {at, std::make_shared<const LeafOp>(leaf), std::make_shared<const Result>(result), elapsed_ns};
  }
};

Draft entry_of(const std::string& op) {
  Draft entry;
  entry.at = std::chrono::system_clock::now();
  entry.leaf = leaf_of(op);
  entry.result.reason = "unmapped";
  entry.result.release = 1;
  entry.elapsed_ns = 1500;
  return entry;
}

class QueryLogTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "profdb_query_log_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    const store::Connection created(database(), store::Mode::create);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path database() const { return folder_ / "prof.db"; }

  std::int64_t rows() const { return integer("SELECT count(*) FROM query_log"); }
  std::int64_t integer(const std::string& sql) const {
    return store::Connection(database(), store::Mode::read).integer(sql);
  }
  // The first column of the only row; "NULL" where it is.
  std::string value(const std::string& column) const {
    store::Connection connection(database(), store::Mode::read);
    const std::string sql = "SELECT coalesce(" + column + ", 'NULL') FROM query_log";
    store::Rows found(connection.statement(sql));
    return found.next() ? found.text(0) : "no row";
  }
  void log(const Draft& entry, const EngineOptions& options = {}) const {
    QueryLog(database(), options).push(entry);
  }

  fs::path folder_;
};

// The write lock of a database, as an import holds it.
class WriteLock {
 public:
  explicit WriteLock(const fs::path& database) : connection_(database, store::Mode::write) {
    connection_.db().exec("BEGIN IMMEDIATE");
  }
  void release() { connection_.db().exec("COMMIT"); }

 private:
  store::Connection connection_;
};

Draft interpolated() {
  Draft entry = entry_of("tensor_cast.x.default");
  entry.at = std::chrono::system_clock::time_point(std::chrono::microseconds(1'700'000'000'000'042));
  Result& result = entry.result;
  result.source = Source::interpolated;
  result.reason.clear();
  result.latency_us = 515.9875;
  result.confidence = 0.7;
  result.kernel = "DispatchFFNCombine";
  result.path = "moe_fused";
  result.method = "linear_1d";
  result.dim = 1;
  result.axes = {"tokens"};
  result.release = 3;
  result.details.regime = {{"ep_size", std::int64_t{16}}, {"weight_dtype", "INT8"}};
  return entry;
}

TEST_F(QueryLogTest, WritesEveryColumnOfAHit) {
  const Draft entry = interpolated();
  log(entry);
  ASSERT_EQ(rows(), 1);
  EXPECT_EQ(value("logged_at"), "2023-11-14T22:13:20.000042Z");  // date -u -d @1700000000
  EXPECT_TRUE(std::regex_match(value("session"), std::regex("[0-9a-f]{32}"))) << value("session");
  EXPECT_EQ(value("release_id"), "3");
  EXPECT_EQ(value("op"), "tensor_cast.x.default");
  EXPECT_EQ(value("leaf_digest"), leaf_digest(entry.leaf, {}));
  EXPECT_EQ(value("source"), "INTERPOLATED");
  EXPECT_EQ(value("latency_us"), "515.9875");
  EXPECT_EQ(value("kernel"), "DispatchFFNCombine");
  EXPECT_EQ(value("path"), "moe_fused");
  EXPECT_EQ(value("regime"), R"({"ep_size":16,"weight_dtype":"INT8"})");
  EXPECT_EQ(value("method"), "linear_1d");
  EXPECT_EQ(value("dim"), "1");
  EXPECT_EQ(value("axes"), R"(["tokens"])");
  EXPECT_EQ(value("reason"), "NULL");
  EXPECT_EQ(value("details"), to_json(entry.result).dump());
  EXPECT_EQ(value("elapsed_ns"), "1500");
}

TEST_F(QueryLogTest, LeavesNullWhatAMissDoesNotHave) {
  Draft entry = entry_of("o");
  entry.result.latency_us = 7;  // meaningless in a miss
  log(entry);
  EXPECT_EQ(value("source"), "MISS");
  EXPECT_EQ(value("reason"), "unmapped");
  for (const char* column : {"latency_us", "kernel", "path", "regime", "method", "dim", "axes"})
    EXPECT_EQ(value(column), "NULL") << column;
}

TEST_F(QueryLogTest, WritesTheTargetsRegimeOfAMiss) {
  Draft entry = entry_of("o");
  entry.result.details.target_regime = {{"topk", std::int64_t{8}}};
  log(entry);
  EXPECT_EQ(value("regime"), R"({"topk":8})");
}

TEST_F(QueryLogTest, WritesAnEntryWhoseTextIsNoUtf8) {
  Draft entry = entry_of("o");
  entry.result.details.note = "\xff";
  entry.leaf.attrs["a"] = "\xff";
  log(entry);
  EXPECT_EQ(value("json_extract(details, '$.details.note')"), "\xef\xbf\xbd");
}

TEST_F(QueryLogTest, GivesEveryLogASessionOfItsOwn) {
  for (int i = 0; i < 2; ++i) {
    QueryLog log(database(), {});
    log.push(entry_of("a"));
    log.push(entry_of("b"));
  }
  EXPECT_EQ(integer("SELECT count(DISTINCT session) FROM query_log"), 2);
  EXPECT_EQ(rows(), 4);
}

TEST_F(QueryLogTest, HasWrittenEverythingInOrderWhenItIsDestroyed) {
  constexpr int kEntries = 5000;  // several batches
  {
    QueryLog log(database(), {});
    for (int i = 0; i < kEntries; ++i) log.push(entry_of("op" + std::to_string(i)));
    EXPECT_EQ(log.stats().dropped, 0U);
  }
  EXPECT_EQ(rows(), kEntries);
  EXPECT_EQ(integer("SELECT count(*) FROM query_log WHERE op = 'op' || (query_log_id - 1)"), kEntries);
}

TEST_F(QueryLogTest, HasWrittenEverythingAfterFlush) {
  QueryLog log(database(), {});
  log.flush();  // with nothing to do, returns
  log.push(entry_of("a"));
  log.flush();
  EXPECT_EQ(rows(), 1);
  log.push(entry_of("b"));
  log.flush();
  EXPECT_EQ(rows(), 2);
  EXPECT_EQ(log.stats().logged, 2U);
}

TEST_F(QueryLogTest, WritesALoneEntryWithoutBeingAsked) {
  QueryLog log(database(), {});
  log.push(entry_of("a"));
  while (rows() == 0) std::this_thread::yield();  // the test's own time limit ends it
  EXPECT_EQ(rows(), 1);
}

TEST_F(QueryLogTest, TakesEntriesFromManyThreads) {
  constexpr int kThreads = 8;
  constexpr int kEach = 250;
  {
    QueryLog log(database(), {});
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&log, t] {
        for (int i = 0; i < kEach; ++i) {
          log.push(entry_of("op" + std::to_string(t) + "_" + std::to_string(i)));
          if (i % 100 == 0) log.flush();
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(log.stats().logged, std::uint64_t{kThreads} * kEach);
  }
  EXPECT_EQ(integer("SELECT count(DISTINCT op) FROM query_log"), kThreads * kEach);
  EXPECT_EQ(rows(), kThreads * kEach);
}

TEST_F(QueryLogTest, OpensWhileAnImportHoldsTheLockAndWritesWhenItEnds) {
  WriteLock import(database());
  QueryLog log(database(), {});
  for (int i = 0; i < 700; ++i) log.push(entry_of("o"));
  EXPECT_EQ(rows(), 0);
  auto flushed = std::async(std::launch::async, [&log] { log.flush(); });
  import.release();
  flushed.get();
  EXPECT_EQ(rows(), 700);
  EXPECT_EQ(log.stats().dropped, 0U);
}

TEST_F(QueryLogTest, WritesWhatIsQueuedWhenTheLockIsReleasedDuringDestruction) {
  WriteLock import(database());
  std::optional<QueryLog> log(std::in_place, database(), EngineOptions{});
  for (int i = 0; i < 700; ++i) log->push(entry_of("o"));
  auto destroyed = std::async(std::launch::async, [&log] { log.reset(); });
  import.release();
  destroyed.get();
  EXPECT_EQ(rows(), 700);
}

// Its leaf is large, its row is not: a few hundred of these fill the queue.
Draft bulky_entry(const std::string& op) {
  Draft bulky = entry_of(op);
  bulky.leaf.inputs = {{Argument::Kind::list, "", std::vector<Tensor>(1000, {{1}, "int8", std::nullopt})}};
  return bulky;
}

// Pushes until an entry is dropped; returns how many were taken.
std::uint64_t fill(QueryLog& log) {
  const LogEntry entry = bulky_entry("o");
  while (log.stats().dropped == 0) log.push(entry);
  return log.stats().logged;
}

TEST_F(QueryLogTest, HoldsALongBurstWhileAnImportHoldsTheLock) {
  constexpr int kBurst = 50'000;
  const LogEntry entry = entry_of("o");
  WriteLock import(database());
  QueryLog log(database(), {});
  for (int i = 0; i < kBurst; ++i) log.push(entry);
  EXPECT_EQ(log.stats().dropped, 0U);
  import.release();
  log.flush();
  EXPECT_EQ(rows(), kBurst);
}

TEST_F(QueryLogTest, DropsAndCountsWhatAFullQueueCannotTake) {
  constexpr std::size_t kTooMany = 20;
  LogStats stats;
  std::uint64_t taken = 0;
  {
    WriteLock import(database());
    QueryLog log(database(), {});
    taken = fill(log);
    for (std::size_t i = 0; i < kTooMany; ++i) log.push(bulky_entry("too_many"));  // each returns
    stats = log.stats();
    import.release();
  }
  EXPECT_GT(taken, 100U);
  EXPECT_EQ(stats.logged, taken);
  EXPECT_EQ(stats.dropped, 1 + kTooMany);
  EXPECT_FALSE(stats.last_error.empty());
  EXPECT_EQ(rows(), static_cast<std::int64_t>(taken));
  EXPECT_EQ(integer("SELECT count(*) FROM query_log WHERE op = 'too_many'"), 0);
}

TEST_F(QueryLogTest, TakesEntriesAgainOnceAFullQueueHasEmptied) {
  WriteLock import(database());
  QueryLog log(database(), {});
  const std::uint64_t taken = fill(log);
  import.release();
  log.flush();
  log.push(entry_of("after"));
  log.flush();
  EXPECT_EQ(rows(), static_cast<std::int64_t>(taken) + 1);
  EXPECT_EQ(log.stats().dropped, 1U);
}

TEST_F(QueryLogTest, KeepsABatchThatMeetsTheLockUntilItCanBeWritten) {
  WriteLock import(database());
  QueryLog log(database(), {});
  const std::uint64_t taken = fill(log);
  // A dropped entry says what keeps the writer from writing: from then on it has met the lock.
  while (log.stats().last_error.find("write lock") == std::string::npos) {
    log.push(bulky_entry("too_many"));
    std::this_thread::yield();
  }
  EXPECT_EQ(log.stats().logged, taken);
  import.release();
  log.flush();
  EXPECT_EQ(rows(), static_cast<std::int64_t>(taken));
}

TEST_F(QueryLogTest, AccountsForEveryEntryOfAStreamFasterThanTheWriter) {
  constexpr std::uint64_t kStream = 3000;  // several times what the queue holds
  const LogEntry entry = bulky_entry("o");
  LogStats stats;
  {
    QueryLog log(database(), {});
    for (std::uint64_t i = 0; i < kStream; ++i) log.push(entry);
    log.flush();
    stats = log.stats();
  }
  EXPECT_EQ(stats.logged + stats.dropped, kStream);
  EXPECT_EQ(rows(), static_cast<std::int64_t>(stats.logged));
}

// Some 2.5 MiB: few of these fit into the queue's 64 MiB.
Draft large_entry() {
  Draft large = entry_of("large");
  large.leaf.inputs.assign(
      8, {Argument::Kind::list, "", std::vector<Tensor>(4096, {{1}, "int8", std::nullopt})});
  return large;
}

TEST_F(QueryLogTest, HoldsNoMoreThanABoundedAmountOfMemory) {
  const Draft large = large_entry();
  WriteLock import(database());
  QueryLog log(database(), {});
  for (int i = 0; i < 40; ++i) log.push(large);
  EXPECT_GT(log.stats().dropped, 0U);
  EXPECT_GT(log.stats().logged, 10U);
  import.release();
}

TEST_F(QueryLogTest, HasThatMemoryFreeAgainForWhatFollows) {
  const Draft large = large_entry();
  QueryLog log(database(), {});
  for (int i = 0; i < 40; ++i) {
    log.push(large);
    if (i % 5 == 4) log.flush();
  }
  EXPECT_EQ(log.stats().dropped, 0U);
  EXPECT_EQ(rows(), 40);
}

TEST_F(QueryLogTest, FlushThrowsOnceWhereEntriesCouldNotBeWritten) {
  QueryLog log(database(), {});
  store::Connection(database(), store::Mode::write)
      .db()
      .exec("ALTER TABLE query_log RENAME COLUMN op TO gone");
  log.push(entry_of("o"));
  try {
    log.flush();
    FAIL() << "the entry cannot have been written";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::database);
    EXPECT_NE(std::string(e.what()).find("prof.db"), std::string::npos) << e.what();
  }
  EXPECT_EQ(log.stats().logged, 0U);
  EXPECT_EQ(log.stats().dropped, 1U);
  EXPECT_FALSE(log.stats().last_error.empty());
  EXPECT_NO_THROW(log.flush());
}

TEST_F(QueryLogTest, GoesOnAfterAFailure) {
  QueryLog log(database(), {});
  store::Connection other(database(), store::Mode::write);
  other.db().exec("ALTER TABLE query_log RENAME COLUMN op TO gone");
  log.push(entry_of("lost"));
  EXPECT_THROW(log.flush(), Error);
  other.db().exec("ALTER TABLE query_log RENAME COLUMN gone TO op");
  log.push(entry_of("kept"));
  log.flush();
  EXPECT_EQ(value("op"), "kept");
  EXPECT_EQ(rows(), 1);
}

TEST_F(QueryLogTest, CreatesADatabaseOfItsOwn) {
  const fs::path own = folder_ / "log.db";
  QueryLog(own, {}).push(entry_of("o"));
  EXPECT_EQ(store::Connection(own, store::Mode::read).integer("SELECT count(*) FROM query_log"), 1);
  EXPECT_EQ(rows(), 0);
}

TEST_F(QueryLogTest, RefusesAFileThatIsNoDatabaseOfOurs) {
  const fs::path foreign = folder_ / "foreign.db";
  SQLite::Database(foreign.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE t(a)");
  EXPECT_THROW(QueryLog(foreign, {}), Error);
  EXPECT_THROW(QueryLog(folder_ / "no" / "such" / "folder.db", {}), Error);
}

// Root writes read-only files, so a child that is not root tries.
TEST_F(QueryLogTest, RefusesAReadOnlyFile) {
  enum : int { kRefused, kOpened, kOtherError, kStillRoot };
  constexpr uid_t kNobody = 65534;
  fs::permissions(database(), fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  fs::permissions(folder_, fs::perms::all);  // only the file is in the way
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (geteuid() == 0 && setuid(kNobody) != 0) _exit(kStillRoot);
    try {
      const QueryLog log(database(), {});
      _exit(kOpened);
    } catch (const Error& e) {
      _exit(std::string(e.what()).find("read-only") == std::string::npos ? kOtherError : kRefused);
    }
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), kRefused);
}

}  // namespace
}  // namespace profdb
