// Database files that cannot be used: each is refused with what it is and what to do, and none is changed.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "engine/store/database.h"
#include "tests/support/fault_child.h"
#include "tests/support/fault_release.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/release.h"
#include "tests/support/verify.h"

namespace {

namespace fs = std::filesystem;
using namespace profdb;
using namespace profdb::test;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

class BadDatabase : public testing::Test {
 protected:
  void SetUp() override {
    write_versioned_release(folder_ / "v1", 1, 20);
    write_versioned_release(folder_ / "v2", 2, 20);
    import_version(folder_ / "v1", database(), false);
  }
  fs::path database() const { return folder_ / "prof.db"; }

  template <typename Work>
  static std::string database_error_of(Work work) {
    try {
      work();
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::database) << e.what();
      return e.what();
    }
    ADD_FAILURE() << "accepted";
    return "";
  }

  // The messages of everything that opens the file. It stays as it was.
  std::vector<std::string> refusals() const {
    const std::string before = read_file(database());
    std::vector<std::string> messages = {
        database_error_of([&] { const Engine engine(database()); }),
        database_error_of([&] { list_releases(database()); }),
        database_error_of([&] { test::verify(database()); }),
        database_error_of(
            [&] { importer::set_mapping(database(), "1", folder_ / "v1" / "op_mapping.yaml"); }),
        database_error_of([&] { store::migrate(database()); }),
        database_error_of([&] { import_version(folder_ / "v2", database(), true); })};
    EXPECT_TRUE(read_file(database()) == before);
    for (const std::string& message : messages) EXPECT_THAT(message, HasSubstr(database().string()));
    return messages;
  }

  void pragma(const std::string& text) const {
    SQLite::Database(database().string(), SQLite::OPEN_READWRITE).exec("PRAGMA " + text);
  }

  TempFolder folder_;
};

TEST_F(BadDatabase, FileThatIsNoDatabase) {
  for (const std::string& text : {std::string("hello"), std::string(10'000, 'x')}) {
    write_file(database(), text);
    for (const std::string& message : refusals()) EXPECT_THAT(message, HasSubstr("not an SQLite database"));
  }
}

TEST_F(BadDatabase, TruncatedFileIsRefusedAtEveryLength) {
  const std::string whole = read_file(database());
  // One byte is an empty file to SQLite.
  const std::vector<std::size_t> lengths = {2,
                                            15,
                                            16,
                                            99,
                                            100,
                                            511,
                                            512,
                                            1000,
                                            4095,
                                            4096,
                                            4097,
                                            8192,
                                            whole.size() / 2,
                                            whole.size() - 4096,
                                            whole.size() - 4095,
                                            whole.size() - 1};
  for (const std::size_t length : lengths) {
    SCOPED_TRACE(std::to_string(length) + " of " + std::to_string(whole.size()) + " bytes");
    write_file(database(), whole.substr(0, length));
    for (const std::string& message : refusals())
      EXPECT_THAT(message, AnyOf(HasSubstr("damaged"), HasSubstr("not an SQLite database")));
  }
}

TEST_F(BadDatabase, EmptyFileIsNoDatabaseToReadAndIsFilledByAnImport) {
  write_file(database(), "");
  EXPECT_THAT(database_error_of([&] { const Engine engine(database()); }),
              AllOf(HasSubstr("empty"), HasSubstr("profdb import")));
  EXPECT_EQ(read_file(database()), "");
  import_version(folder_ / "v1", database(), false);
  EXPECT_EQ(answered_version(database()), 1);
}

TEST_F(BadDatabase, DamagedPagesAreFoundByVerifyOrRefused) {
  const std::string whole = read_file(database());
  constexpr std::size_t kPage = 4096;
  int noticed = 0;
  int damaged = 0;
  for (std::size_t page = 1; page < whole.size() / kPage; page += 3) {
    std::string text = whole;
    text.replace(page * kPage, kPage, kPage, '\xA5');
    write_file(database(), text);
    ++damaged;
    try {
      if (!test::verify(database()).empty()) ++noticed;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::database) << e.what();
      ++noticed;
    }
    try {
      const Engine engine(database());
      engine.lookup(parse_leaf_op(matmul_leaf(100)));
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::database) << e.what();
    }
  }
  EXPECT_GT(damaged, 10);
  EXPECT_EQ(noticed, damaged);
}

TEST_F(BadDatabase, FileOfAnotherApplication) {
  fs::remove(database());
  SQLite::Database(database().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE notes (text)");
  for (const std::string& message : refusals()) EXPECT_THAT(message, HasSubstr("another application"));
}

TEST_F(BadDatabase, NewerSchema) {
  pragma("user_version = " + std::to_string(store::schema_version() + 1));
  for (const std::string& message : refusals())
    EXPECT_THAT(message, AllOf(HasSubstr("newer"), HasSubstr("use a newer profdb")));
}

TEST_F(BadDatabase, FolderInItsPlace) {
  fs::remove(database());
  fs::create_directory(database());
  EXPECT_THAT(database_error_of([&] { const Engine engine(database()); }), HasSubstr("is a folder"));
  EXPECT_THAT(database_error_of([&] { import_version(folder_ / "v1", database(), false); }),
              HasSubstr("is a folder"));
}

TEST_F(BadDatabase, MissingFolderOfTheDatabase) {
  const fs::path path = folder_ / "no" / "such" / "prof.db";
  EXPECT_THAT(database_error_of([&] { import_version(folder_ / "v1", path, false); }),
              AllOf(HasSubstr(path.string()), HasSubstr("missing folder")));
}

// Runs `work` as a user for whom permissions count.
ChildEnd run_without_rights(const std::function<std::string()>& work) {
  return run_in_child([&] {
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0))
      throw std::runtime_error("cannot drop rights");
    return work();
  });
}

TEST_F(BadDatabase, ReadOnlyFileInAReadOnlyFolderAnswersButTakesNoImport) {
  const std::string before = read_file(database());
  fs::permissions(database(), fs::perms{0444});
  fs::permissions(folder_.path(), fs::perms{0555});
  const ChildEnd reading = run_without_rights([&] {
    if (access(database().c_str(), R_OK) != 0) return std::string("unreachable");
    return std::to_string(answered_version(database())) + findings(database());
  });
  const ChildEnd writing = run_without_rights([&] {
    import_version(folder_ / "v2", database(), true);
    return std::string();
  });
  fs::permissions(folder_.path(), fs::perms{0755});
  if (reading.message == "unreachable") GTEST_SKIP() << "the temporary folder is closed to other users";
  EXPECT_EQ(reading.message, "1");
  EXPECT_EQ(writing.exit_code, 1);
  EXPECT_THAT(writing.message,
              AllOf(HasSubstr(database().string()), HasSubstr("read-only"), HasSubstr("make it writable")));
  EXPECT_TRUE(read_file(database()) == before);
}

TEST_F(BadDatabase, ReadOnlyFileInAWritableFolderTakesNoImport) {
  fs::permissions(database(), fs::perms{0444});
  fs::permissions(folder_.path(), fs::perms{0777});
  const ChildEnd writing = run_without_rights([&] {
    if (access(database().c_str(), R_OK) != 0) return std::string("unreachable");
    import_version(folder_ / "v2", database(), true);
    return std::string();
  });
  if (writing.message == "unreachable") GTEST_SKIP() << "the temporary folder is closed to other users";
  EXPECT_EQ(writing.exit_code, 1);
  EXPECT_THAT(writing.message, HasSubstr("read-only"));
  EXPECT_EQ(answered_version(database()), 1);
}

std::vector<fs::path> backups_of(const fs::path& database) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(database.parent_path()))
    if (entry.path().extension() == ".bak") found.push_back(entry.path());
  return found;
}

TEST_F(BadDatabase, MigratingACurrentDatabaseDoesNothing) {
  const std::string before = read_file(database());
  const auto report = store::migrate(database());
  EXPECT_EQ(report.from, store::schema_version());
  EXPECT_EQ(report.to, store::schema_version());
  EXPECT_TRUE(report.backup.empty());
  EXPECT_TRUE(backups_of(database()).empty());
  EXPECT_TRUE(read_file(database()) == before);
}

TEST_F(BadDatabase, OlderSchemaAsksForMigrate) {
  pragma("user_version = 0");
  for (const auto& message : {database_error_of([&] { const Engine engine(database()); }),
                              database_error_of([&] { import_version(folder_ / "v2", database(), true); })})
    EXPECT_THAT(message, AllOf(HasSubstr("older"), HasSubstr("profdb migrate")));
}

// Schema 0 of this application: what a version before the first migration would have left.
void make_schema_0(const fs::path& database) {
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(database.string() + suffix);
  SQLite::Database db(database.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  db.exec("PRAGMA journal_mode = WAL");
  db.exec("PRAGMA application_id = " + std::to_string(store::kApplicationId));
  db.exec("CREATE TABLE remark (text TEXT) STRICT");
  db.exec("INSERT INTO remark VALUES ('kept')");
}

std::string remark_in(const fs::path& database) {
  return SQLite::Database(database.string()).execAndGet("SELECT text FROM remark").getString();
}

TEST_F(BadDatabase, OlderSchemaIsMigratedWholeAfterABackup) {
  make_schema_0(database());
  const auto report = store::migrate(database());
  EXPECT_EQ(report.from, 0);
  EXPECT_EQ(report.to, store::schema_version());
  EXPECT_EQ(remark_in(database()), "kept");
  EXPECT_EQ(remark_in(report.backup), "kept");
  SQLite::Database backup(report.backup.string());
  EXPECT_EQ(backup.execAndGet("PRAGMA user_version").getInt(), 0);
  EXPECT_EQ(backup.execAndGet("PRAGMA application_id").getInt(), store::kApplicationId);
  EXPECT_EQ(findings(database()), "");
  import_version(folder_ / "v1", database(), false);
  EXPECT_EQ(answered_version(database()), 1);
}

TEST_F(BadDatabase, MigrationThatCannotApplyLeavesTheFileAndNoBackup) {
  pragma("user_version = 0");  // the tables of migration 1 are there already
  const std::string before = read_file(database());
  EXPECT_THAT(
      database_error_of([&] { store::migrate(database()); }),
      AllOf(HasSubstr("cannot migrate"), HasSubstr(database().string()), HasSubstr("already exists")));
  EXPECT_TRUE(read_file(database()) == before);
  EXPECT_TRUE(backups_of(database()).empty());
}

TEST_F(BadDatabase, MigrationOnAFullDiskLeavesTheFileAndNoBackup) {
  int failures = 0;
  for (std::uint64_t at = 1;; at = next_point(at)) {
    SCOPED_TRACE("full at change " + std::to_string(at));
    make_schema_0(database());
    bool struck = false;
    bool failed = false;
    {
      const FaultVfs vfs(Fault::disk_full, at);
      try {
        store::migrate(database());
      } catch (const Error& e) {
        failed = true;
        EXPECT_THAT(e.what(), AllOf(HasSubstr("disk is full"), HasSubstr("make room and repeat")));
      }
      struck = vfs.struck();
    }
    ASSERT_EQ(SQLite::Database(database().string()).execAndGet("PRAGMA user_version").getInt(),
              failed ? 0 : store::schema_version());
    if (failed) {
      ++failures;
      ASSERT_EQ(remark_in(database()), "kept");
      ASSERT_TRUE(backups_of(database()).empty());
    }
    for (const fs::path& backup : backups_of(database())) fs::remove(backup);
    if (!struck) break;
  }
  EXPECT_GT(failures, 10);
}

}  // namespace
