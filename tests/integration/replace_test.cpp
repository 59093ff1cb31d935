// What an import does to a release that is there already, and to those beside it (formats §1).
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/fault_release.h"
#include "tests/support/release.h"

namespace {

using namespace profdb;
using namespace profdb::test;
using Outcome = importer::ImportReport::Outcome;

class Replace : public testing::Test {
 protected:
  void SetUp() override {
    write_versioned_release(folder_ / "v1", 1, 20);
    write_versioned_release(folder_ / "v2", 2, 30);
    import_version(folder_ / "v1", database(), false, "0.9");
    import_version(folder_ / "v1", database(), false, "1.0");
    import_version(folder_ / "v1", database(), false, "1.1");
  }
  std::string database() const { return folder_ / "prof.db"; }
  std::int64_t integer(const std::string& sql) const {
    return SQLite::Database(database()).execAndGet(sql).getInt64();
  }
  // Every measurement of a release as text, with its id: what a neighbour's import must not change.
  std::string measurements_of(std::int64_t release_id) const {
    return SQLite::Database(database())
        .execAndGet(
            "SELECT group_concat(measurement_id || input_shapes || latency_us || file) FROM measurement_row "
            "WHERE release_id = " +
            std::to_string(release_id))
        .getString();
  }

  TempFolder folder_;
};

TEST_F(Replace, SameBytesAgainAreUnchangedAndSaySo) {
  const std::string before = read_file(database());
  const auto report = import_version(folder_ / "v1", database(), false);
  EXPECT_EQ(report.outcome, Outcome::unchanged);
  EXPECT_EQ(report.release_id, 2);
  EXPECT_TRUE(read_file(database()) == before);
  EXPECT_EQ(import_version(folder_ / "v1", database(), true).outcome, Outcome::unchanged);
}

TEST_F(Replace, ChangedBytesAreRefusedWithoutTheFlag) {
  const std::string before = read_file(database());
  try {
    import_version(folder_ / "v2", database(), false);
    FAIL() << "imported";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(e.what()).find("--replace"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("TEST_NPU/synthetic/1.0"), std::string::npos) << e.what();
  }
  EXPECT_TRUE(read_file(database()) == before);
}

TEST_F(Replace, ReplacedReleaseKeepsItsIdAndItsNeighboursEverything) {
  const std::string first = measurements_of(1);
  const std::string third = measurements_of(3);
  const std::string digest = digest_of(database(), "0.9");
  const auto report = import_version(folder_ / "v2", database(), true);
  EXPECT_EQ(report.outcome, Outcome::replaced);
  EXPECT_EQ(report.release_id, 2);
  EXPECT_EQ(answered_version(database(), "2"), 2);
  EXPECT_EQ(answered_version(database(), "1"), 1);
  EXPECT_EQ(answered_version(database(), "3"), 1);
  EXPECT_EQ(measurements_of(1), first);
  EXPECT_EQ(measurements_of(3), third);
  EXPECT_EQ(digest_of(database(), "0.9"), digest);
  EXPECT_EQ(digest_of(database(), "1.1"), digest);
  EXPECT_NE(digest_of(database(), "1.0"), digest);
  EXPECT_EQ(findings(database()), "");
}

TEST_F(Replace, ReplacementLeavesNothingOfTheOldReleaseBehind) {
  import_version(folder_ / "v2", database(), true);
  // Two neighbours of 2 x 20 rows, the replacement of 2 x 30; no list or field set that nobody refers to.
  EXPECT_EQ(integer("SELECT count(*) FROM measurement"), 2 * 40 + 60);
  EXPECT_EQ(integer("SELECT count(*) FROM base_exact_candidate"), 2 * 40 + 60);
  EXPECT_EQ(integer("SELECT count(*) FROM matrix_compute_candidate"), 2 * 20 + 30);
  EXPECT_EQ(integer("SELECT count(*) FROM tensor_list WHERE tensor_list_id NOT IN (SELECT input_list_id FROM "
                    "measurement "
                    "UNION SELECT output_list_id FROM measurement)"),
            0);
  EXPECT_EQ(
      integer(
          "SELECT count(*) FROM field_set WHERE field_set_id NOT IN (SELECT field_set_id FROM measurement)"),
      0);
}

TEST_F(Replace, EveryChangeRaisesTheGeneration) {
  const auto generation = [&] { return integer("SELECT number FROM generation"); };
  const auto imported = generation();
  import_version(folder_ / "v1", database(), true);
  EXPECT_EQ(generation(), imported) << "nothing has changed";
  import_version(folder_ / "v2", database(), true);
  EXPECT_EQ(generation(), imported + 1);
  importer::set_mapping(database(), "2", folder_ / "v2" / "op_mapping.yaml");
  EXPECT_EQ(generation(), imported + 2);
}

TEST_F(Replace, RenamedFileIsAChange) {
  std::filesystem::rename(folder_ / "v1" / "Add.csv", folder_ / "v1" / "Sub.csv");
  EXPECT_THROW(import_version(folder_ / "v1", database(), false), Error);
}

TEST_F(Replace, ChangedMappingIsAChange) {
  write_file(folder_ / "v1" / "op_mapping.yaml",
             versioned_mapping() + "  aten.sub.Tensor: {zero_cost: true}\n");
  EXPECT_THROW(import_version(folder_ / "v1", database(), false), Error);
  // The mapping set by itself comes to the same release as importing with it.
  importer::set_mapping(database(), "2", folder_ / "v1" / "op_mapping.yaml");
  EXPECT_EQ(import_version(folder_ / "v1", database(), false).outcome, Outcome::unchanged);
}

}  // namespace
