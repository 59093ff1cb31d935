// An import that is killed, or whose disk fails, at any of its writes leaves the database as it was.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/support/fault_child.h"
#include "tests/support/fault_release.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/release.h"

namespace {

namespace fs = std::filesystem;
using namespace profdb;
using namespace profdb::test;

bool has_any_file(const fs::path& database) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"})
    if (fs::exists(database.string() + suffix)) return true;
  return false;
}

// A database with version 1 of a release and a neighbour that no test touches; folders with versions 1 and 2.
class InterruptedImport : public testing::Test {
 protected:
  void SetUp() override {
    write_versioned_release(v1(), 1);
    write_versioned_release(v2(), 2);
    import_version(v1(), baseline(), false);
    import_version(v1(), baseline(), false, kNeighbour);
    v1_digest_ = digest_of(baseline());
    import_version(v2(), file("v2.db"), false);
    v2_digest_ = digest_of(file("v2.db"));
    ASSERT_NE(v1_digest_, v2_digest_);
  }

  fs::path file(const std::string& name) const { return folder_ / name; }
  fs::path v1() const { return file("v1"); }
  fs::path v2() const { return file("v2"); }
  fs::path baseline() const { return file("baseline.db"); }

  // A fresh copy of the baseline.
  fs::path fresh() const {
    const fs::path path = file("work.db");
    remove(path);
    fs::copy_file(baseline(), path);
    return path;
  }
  static void remove(const fs::path& database) {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) fs::remove(database.string() + suffix);
  }

  // The version that the database holds, whole and sound; 0, and a failure, where it is anything else.
  int sound_version(const fs::path& database) const {
    EXPECT_EQ(findings(database), "");
    EXPECT_EQ(digest_of(database, kNeighbour), v1_digest_);
    EXPECT_EQ(answered_version(database, kNeighbourName), 1);
    const int version = answered_version(database, kReleaseName);
    EXPECT_EQ(digest_of(database), version == 1 ? v1_digest_ : v2_digest_);
    EXPECT_TRUE(version == 1 || version == 2) << version;
    return version;
  }

  void kill_replacements_at_every_point(const std::function<void()>& prepare_child);
  void fail_replacements_at_every_point(Fault fault, const std::string& cause, const std::string& remedy);

  static constexpr const char* kNeighbour = "2.0";
  static constexpr const char* kNeighbourName = "TEST_NPU/synthetic/2.0";
  static constexpr const char* kReleaseName = "TEST_NPU/synthetic/1.0";
  TempFolder folder_;
  std::string v1_digest_;
  std::string v2_digest_;
};

void InterruptedImport::kill_replacements_at_every_point(const std::function<void()>& prepare_child) {
  int kills_before_commit = 0;
  bool committed = false;
  for (std::uint64_t at = 1;; at = next_point(at)) {
    SCOPED_TRACE("killed at change " + std::to_string(at));
    const fs::path database = fresh();
    const ChildEnd end = run_in_child([&] {
      prepare_child();
      const FaultVfs vfs(Fault::kill, at);
      import_version(v2(), database, true);
      return std::string();
    });
    const int version = sound_version(database);
    if (HasFailure()) return;
    if (end.signal == 0) {
      EXPECT_EQ(end.exit_code, 0) << end.message;
      EXPECT_EQ(version, 2);
      break;
    }
    ASSERT_EQ(end.signal, SIGKILL);
    // Once the commit is in the file, only the copying into place is left to be killed.
    ASSERT_TRUE(version == 2 || !committed);
    committed = version == 2;
    if (!committed) ++kills_before_commit;
    import_version(v2(), database, true);
    ASSERT_EQ(sound_version(database), 2) << "the import after the killed one";
  }
  EXPECT_GT(kills_before_commit, 10);
  EXPECT_TRUE(committed) << "no kill came between commit and end";
}

TEST_F(InterruptedImport, KilledReplacementLeavesTheOldReleaseOrTheNewOne) {
  kill_replacements_at_every_point([] {});
}

// Little memory makes SQLite write uncommitted pages early, as it does in an import beyond its page cache.
void use_little_memory() {
  sqlite3_soft_heap_limit64(std::int64_t{400} * 1024);
}

TEST_F(InterruptedImport, KilledReplacementLeavesTheOldReleaseWhereItsPagesReachTheFileBeforeTheCommit) {
  const auto changes = [&](const std::function<void()>& prepare_child) {
    const fs::path database = fresh();
    const ChildEnd end = run_in_child([&] {
      prepare_child();
      const FaultVfs vfs;
      import_version(v2(), database, true);
      return std::to_string(vfs.changes());
    });
    return std::stoi(end.message);
  };
  // Pages that are written early are written again.
  ASSERT_GT(changes(use_little_memory), changes([] {}));
  kill_replacements_at_every_point(use_little_memory);
}

TEST_F(InterruptedImport, KilledFirstImportDoesNotStandInTheWayOfTheNext) {
  const fs::path database = file("first.db");
  for (std::uint64_t at = 1;; at = next_point(at)) {
    SCOPED_TRACE("killed at change " + std::to_string(at));
    remove(database);
    const ChildEnd end = run_in_child([&] {
      const FaultVfs vfs(Fault::kill, at);
      import_version(v1(), database, false);
      return std::string();
    });
    import_version(v1(), database, false);
    ASSERT_EQ(findings(database), "");
    ASSERT_EQ(digest_of(database), v1_digest_);
    ASSERT_EQ(answered_version(database), 1);
    if (end.signal != SIGKILL) {
      EXPECT_EQ(end.exit_code, 0) << end.message;
      EXPECT_GT(at, 50U);
      return;
    }
  }
}

// Runs `work`; the message of the Error that it throws, or nothing where it succeeds.
std::optional<std::string> error_of(const std::function<void()>& work) {
  try {
    work();
    return std::nullopt;
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::database) << e.what();
    return e.what();
  }
}

void expect_says(const std::string& message, const fs::path& database, const std::string& cause,
                 const std::string& remedy) {
  EXPECT_NE(message.find(database.string()), std::string::npos) << message;
  EXPECT_NE(message.find(cause), std::string::npos) << message;
  EXPECT_NE(message.find(remedy), std::string::npos) << message;
}

void InterruptedImport::fail_replacements_at_every_point(Fault fault, const std::string& cause,
                                                         const std::string& remedy) {
  int failures = 0;
  for (std::uint64_t at = 1;; at = next_point(at)) {
    SCOPED_TRACE("fails at change " + std::to_string(at));
    const fs::path database = fresh();
    std::optional<std::string> error;
    bool struck = false;
    {
      const FaultVfs vfs(fault, at);
      error = error_of([&] { import_version(v2(), database, true); });
      struck = vfs.struck();
    }
    // A failure after the commit, while pages are copied into place, is none of the import's.
    ASSERT_EQ(sound_version(database), error ? 1 : 2);
    if (error) {
      ++failures;
      expect_says(*error, database, cause, remedy);
    }
    if (HasFailure()) return;
    if (!struck) break;
  }
  EXPECT_GT(failures, 10);
}

TEST_F(InterruptedImport, FullDiskIsNamedAndLeavesTheOldRelease) {
  fail_replacements_at_every_point(Fault::disk_full, "the disk is full", "make room and repeat");
}

TEST_F(InterruptedImport, LastingIoErrorIsNamedAndLeavesTheOldRelease) {
  fail_replacements_at_every_point(Fault::io_error, "reading or writing the file failed", "check the disk");
}

TEST_F(InterruptedImport, PassingIoErrorIsNamedAndLeavesTheOldRelease) {
  fail_replacements_at_every_point(Fault::io_error_once, "reading or writing the file failed",
                                   "check the disk");
}

TEST_F(InterruptedImport, FailedFirstImportLeavesNoFile) {
  for (const Fault fault : {Fault::disk_full, Fault::io_error}) {
    int failures = 0;
    for (std::uint64_t at = 1;; at = next_point(at)) {
      SCOPED_TRACE("fails at change " + std::to_string(at));
      const fs::path database = file("first.db");
      remove(database);
      std::optional<std::string> error;
      bool struck = false;
      {
        const FaultVfs vfs(fault, at);
        error = error_of([&] { import_version(v1(), database, false); });
        struck = vfs.struck();
      }
      if (error) {
        ++failures;
        ASSERT_FALSE(has_any_file(database)) << *error;
      } else {
        ASSERT_EQ(findings(database), "");
        ASSERT_EQ(answered_version(database), 1);
      }
      if (!struck) break;
    }
    EXPECT_GT(failures, 10);
  }
}

TEST_F(InterruptedImport, FailedFirstImportKeepsWhatWasThereBefore) {
  const fs::path database = file("empty.db");
  write_file(database, "");  // an empty file, from mktemp for one, is the user's
  {
    const FaultVfs vfs(Fault::disk_full, 1);
    EXPECT_TRUE(error_of([&] { import_version(v1(), database, false); }));
  }
  EXPECT_TRUE(fs::exists(database));
  import_version(v1(), database, false);
  EXPECT_EQ(answered_version(database), 1);
}

TEST_F(InterruptedImport, FailedReprojectionLeavesTheOldMapping) {
  const fs::path mapping = file("other.yaml");
  write_file(mapping,
             versioned_mapping() +
                 "interpolation_policy:\n  kernel_overrides:\n    MatMulV2: {max_interpolation_dim: 0}\n");
  int failures = 0;
  for (std::uint64_t at = 1;; at = next_point(at)) {
    SCOPED_TRACE("fails at change " + std::to_string(at));
    const fs::path database = fresh();
    std::optional<std::string> error;
    bool struck = false;
    {
      const FaultVfs vfs(Fault::disk_full, at);
      error = error_of([&] { importer::set_mapping(database, kReleaseName, mapping); });
      struck = vfs.struck();
    }
    ASSERT_EQ(findings(database), "");
    // Without interpolation the release answers measured calls only.
    ASSERT_EQ(answered_version(database, kReleaseName), error ? 1 : 0);
    ASSERT_EQ(digest_of(database) == v1_digest_, error.has_value());
    if (error) {
      ++failures;
      expect_says(*error, database, "the disk is full", "make room and repeat");
    }
    if (!struck) break;
  }
  EXPECT_GT(failures, 10);
}

TEST_F(InterruptedImport, DryRunChangesNothing) {
  const fs::path database = fresh();
  const std::string before = read_file(database);
  importer::ImportOptions options;
  options.database = database;
  options.sources = {v2()};
  options.identity = test_identity();
  options.replace = true;
  options.dry_run = true;
  EXPECT_EQ(importer::import_release(options).outcome, importer::ImportReport::Outcome::replaced);
  EXPECT_EQ(sound_version(database), 1);
  EXPECT_TRUE(read_file(database) == before);
  options.database = file("absent.db");
  EXPECT_EQ(importer::import_release(options).release_id, 0);
  EXPECT_FALSE(has_any_file(options.database));
}

}  // namespace
