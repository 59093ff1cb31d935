// Imports: whole or not at all, every column kept, the same bytes twice, what the report says (formats §1,
// §2).
#include "importer/import.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/support/release.h"
#include "tests/support/shorthand.h"
#include "tests/support/verify.h"

namespace profdb::importer {
namespace {

using test::csv_header;
using test::leaf;
using test::measured;
using test::TempFolder;
using test::write_file;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using Outcome = ImportReport::Outcome;
namespace fs = std::filesystem;

std::string row(int n, const std::vector<std::string>& rest) {
  return measured("DT_BF16[" + std::to_string(n) + "]", "DT_BF16[" + std::to_string(n) + "]", rest);
}

class ImportTest : public testing::Test {
 protected:
  ImportTest() {
    write_csv("Neg", csv_header() + row(10, {"5"}));
    write_file(folder_ / "op_mapping.yaml", "operator_mappings:\n  op: {kernel_type: Neg}\n");
    options_.database = database_;
    options_.sources = {folder_};
    options_.identity = test::test_identity();
  }

  void write_csv(const std::string& stem, const std::string& text) {
    write_file(folder_ / (stem + ".csv"), text);
  }
  ImportReport import() { return import_release(options_); }
  std::string error_of(ErrorKind kind) {
    try {
      import();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }

  // The rows of a query, their columns joined by "|".
  std::vector<std::string> query(const std::string& sql) const {
    SQLite::Database db(database_.string());
    SQLite::Statement statement(db, sql);
    std::vector<std::string> rows;
    while (statement.executeStep()) {
      std::string text = statement.getColumn(0).getString();
      for (int i = 1; i < statement.getColumnCount(); ++i) text += "|" + statement.getColumn(i).getString();
      rows.push_back(text);
    }
    return rows;
  }

  double latency(const std::string& release = "", int n = 10) const {
    EngineOptions options;
    options.release = release;
    return Engine(database_.string(), options)
        .lookup(parse_leaf_op(leaf("op", "bfloat16[" + std::to_string(n) + "]")))
        ->latency_us;
  }

  std::set<std::string> files() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(temp_.path()))
      found.insert(entry.path().filename().string());
    return found;
  }

  TempFolder temp_;
  fs::path folder_ = temp_ / "release";
  fs::path database_ = temp_ / "test.db";
  ImportOptions options_;
};

TEST_F(ImportTest, AReleaseCanBeLookedUpAfterwards) {
  const ImportReport report = import();
  EXPECT_EQ(report.outcome, Outcome::imported);
  EXPECT_EQ(report.release_id, 1);
  EXPECT_EQ(report.identity.device, "TEST_NPU");
  EXPECT_EQ(latency(), 5);
  EXPECT_THAT(test::verify(database_), IsEmpty());
}

TEST_F(ImportTest, EveryColumnIsKeptAndCanBeQueried) {
  write_csv("Neg", csv_header("Average Duration(us),EP Size,Runtime phase,Some Counter") +
                       row(10, {"5", "16", "decode", "a, b"}) + row(11, {"6", "", " x ", "0.10"}));
  import();
  EXPECT_THAT(query("SELECT measurement_id, name, value FROM measurement_field WHERE name IN ('EP Size', "
                    "'Runtime phase', "
                    "'Some Counter') ORDER BY measurement_id, name"),
              ElementsAre("1|EP Size|16", "1|Runtime phase|decode", "1|Some Counter|a, b", "2|EP Size|",
                          "2|Runtime phase|x", "2|Some Counter|0.10"));
}

TEST_F(ImportTest, TheStandardColumnsAreKeptToo) {
  import();
  EXPECT_THAT(query("SELECT name, value FROM measurement_field WHERE name IN ('OP State', 'Accelerator "
                    "Core') ORDER BY name"),
              ElementsAre("Accelerator Core|AI_CORE", "OP State|dynamic"));
  EXPECT_THAT(
      query(
          "SELECT input_shapes, input_dtypes, latency_us, latency_column, source_class FROM measurement_row"),
      ElementsAre(HasSubstr("5.0|Average Duration(us)|selected")));
}

TEST_F(ImportTest, DuplicateColumnsAreKeptWithANumber) {
  write_csv("Neg", csv_header("Average Duration(us),Counter,Counter") + row(10, {"5", "first", "second"}));
  import();
  EXPECT_THAT(query("SELECT name, value FROM measurement_field WHERE name LIKE 'Counter%' ORDER BY name"),
              ElementsAre("Counter|first", "Counter#2|second"));
}

TEST_F(ImportTest, UnusedLatencyCellsAreKept) {
  write_csv("Neg", csv_header("Average Duration(us),Median Duration(us)") + row(10, {"nan", "6"}) +
                       row(11, {"5", "7"}));
  import();
  EXPECT_THAT(query("SELECT measurement_id, name, value FROM measurement_field WHERE name LIKE '%Duration%' "
                    "ORDER BY 1"),
              ElementsAre("1|Average Duration(us)|nan", "2|Median Duration(us)|7"));
}

TEST_F(ImportTest, RowsWithoutALatencyStayAsEvidence) {
  write_csv("Neg", csv_header() + row(10, {"5"}) + row(11, {"0"}) + row(12, {"inf"}) + row(13, {""}));
  const ImportReport report = import();
  EXPECT_THAT(
      query("SELECT row_number, unusable_reason FROM measurement_row WHERE latency_us IS NULL ORDER BY 1"),
      ElementsAre("2|latency_zero", "3|latency_invalid", "4|latency_invalid"));
  ASSERT_EQ(report.files.size(), 1U);
  EXPECT_EQ(report.files[0].row_count, 4);
  EXPECT_EQ(report.files[0].taken_rows, 1);
  EXPECT_EQ(report.files[0].unusable_rows, 3);
  EXPECT_THAT(report.files[0].reasons, ElementsAre(Pair("latency_invalid", 2), Pair("latency_zero", 1)));
}

TEST_F(ImportTest, RowsThatCannotBeReadAreRejectedAndCounted) {
  write_csv("Neg", csv_header() + row(10, {"5"}) +
                       test::csv_row("1;2", "DT_BF16", "ND", "1", "DT_BF16", "ND", {"5"}) +
                       row(11, {"5", "one cell too many"}));
  const ImportReport report = import();
  EXPECT_EQ(report.files.at(0).rejected_rows, 2);
  EXPECT_THAT(report.files[0].reasons, ElementsAre(Pair("dtype_count_mismatch", 1), Pair("ragged_row", 1)));
  EXPECT_THAT(query("SELECT row_number, line, reason FROM rejected_row ORDER BY 1"),
              ElementsAre("2|3|dtype_count_mismatch", "3|4|ragged_row"));
}

TEST_F(ImportTest, AHeaderWithoutRowsIsReported) {
  write_csv("Neg", csv_header());
  EXPECT_THAT(import().warnings, Contains(AllOf(HasSubstr("Neg.csv"), HasSubstr("without rows"))));
}

TEST_F(ImportTest, AnAliasedFileAnswersForItsKernel) {
  write_csv("Neg_Decode", csv_header() + row(20, {"8"}));
  options_.kernel_alias = {{"Neg_Decode", "Neg"}};
  import();
  EXPECT_EQ(latency("", 20), 8);
}

TEST_F(ImportTest, TheSameBytesTwiceAreANoOpThatSaysSo) {
  const std::int64_t first = import().release_id;
  const auto before = query("SELECT * FROM release");
  const ImportReport report = import();
  EXPECT_EQ(report.outcome, Outcome::unchanged);
  EXPECT_EQ(report.release_id, first);
  EXPECT_EQ(query("SELECT * FROM release"), before);
  EXPECT_THAT(query("SELECT count(*) FROM measurement"), ElementsAre("1"));
  EXPECT_THAT(query("SELECT number FROM generation"), ElementsAre("1"));
}

TEST_F(ImportTest, ChangedBytesAreRefusedUnlessAskedFor) {
  import();
  write_csv("Neg", csv_header() + row(10, {"6"}));
  EXPECT_THAT(error_of(ErrorKind::usage), HasSubstr("--replace"));
  EXPECT_EQ(latency(), 5);
}

TEST_F(ImportTest, AReplacementTakesThePlaceOfTheRelease) {
  const std::int64_t first = import().release_id;
  write_csv("Neg", csv_header() + row(10, {"6"}));
  options_.replace = true;
  const ImportReport report = import();
  EXPECT_EQ(report.outcome, Outcome::replaced);
  EXPECT_EQ(report.release_id, first);
  EXPECT_EQ(latency(), 6);
  EXPECT_THAT(query("SELECT count(*) FROM measurement"), ElementsAre("1"));
  EXPECT_THAT(test::verify(database_), IsEmpty());
}

TEST_F(ImportTest, AReplacementThatFailsLeavesTheReleaseAsItWas) {
  import();
  write_csv("Neg", "");
  options_.replace = true;
  error_of(ErrorKind::input);
  EXPECT_EQ(latency(), 5);
  EXPECT_THAT(test::verify(database_), IsEmpty());
}

TEST_F(ImportTest, SeveralReleasesNeverShareData) {
  import();
  options_.identity = test::test_identity("2.0");
  write_csv("Neg", csv_header() + row(20, {"8"}));
  EXPECT_EQ(import().release_id, 2);
  EXPECT_EQ(latency("TEST_NPU/synthetic/1.0", 10), 5);
  EXPECT_EQ(latency("TEST_NPU/synthetic/2.0", 20), 8);
  EXPECT_EQ(latency("TEST_NPU/synthetic/2.0", 10), 0) << "a miss: the row is the other release's";
  write_csv("Neg", csv_header() + row(20, {"9"}));
  options_.replace = true;
  import();
  EXPECT_EQ(latency("1", 10), 5);
  EXPECT_EQ(latency("2", 20), 9);
}

TEST_F(ImportTest, EveryFileThatCannotBeReadIsNamed) {
  write_csv("Neg", "");
  write_csv("Add", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
  write_csv("Mul", "Input Shapes,Input Data Types\n1,2\n");
  EXPECT_THAT(error_of(ErrorKind::input),
              AllOf(HasSubstr("Neg.csv"), HasSubstr("Add.csv"), HasSubstr("Mul.csv"), HasSubstr("3 of 3")));
  EXPECT_THAT(files(), ElementsAre("release"));
}

TEST_F(ImportTest, KeepGoingImportsTheRestAndRecordsTheFailed) {
  write_csv("Add", "");
  options_.keep_going = true;
  const ImportReport report = import();
  ASSERT_EQ(report.files.size(), 2U);
  EXPECT_THAT(report.files[0].failure, HasSubstr("Add.csv"));
  EXPECT_EQ(report.files[1].failure, "");
  EXPECT_EQ(latency(), 5);
  EXPECT_THAT(query("SELECT path FROM source_file WHERE failure <> ''"), ElementsAre("Add.csv"));
  EXPECT_THAT(test::verify(database_), IsEmpty());
}

TEST_F(ImportTest, ADryRunLeavesNothing) {
  options_.dry_run = true;
  const ImportReport report = import();
  EXPECT_TRUE(report.dry_run);
  EXPECT_EQ(report.outcome, Outcome::imported);
  EXPECT_EQ(report.release_id, 0);
  EXPECT_EQ(report.files.at(0).taken_rows, 1);
  EXPECT_THAT(files(), ElementsAre("release"));
}

TEST_F(ImportTest, ADryRunOfAReplacementLeavesTheRelease) {
  import();
  write_csv("Neg", csv_header() + row(10, {"6"}));
  options_.replace = options_.dry_run = true;
  EXPECT_EQ(import().outcome, Outcome::replaced);
  EXPECT_EQ(latency(), 5);
  EXPECT_THAT(query("SELECT number FROM generation"), ElementsAre("1"));
}

TEST_F(ImportTest, ADryRunFindsTheErrorsOfAnImport) {
  write_csv("Neg", "");
  options_.dry_run = true;
  EXPECT_THAT(error_of(ErrorKind::input), HasSubstr("Neg.csv"));
}

TEST_F(ImportTest, ADataOriginOfMadeUpDataMakesTheReleaseSynthetic) {
  write_csv("Neg",
            csv_header("Average Duration(us),Data Origin") + row(10, {"5", "synthetic: made by a formula"}));
  import();
  EXPECT_EQ(list_releases(database_.string()).at(0).synthetic, "synthetic: made by a formula");
}

TEST_F(ImportTest, MeasurementsAreNotSynthetic) {
  write_csv("Neg", csv_header("Average Duration(us),Data Origin") + row(10, {"5", "profiler"}));
  import();
  EXPECT_EQ(list_releases(database_.string()).at(0).synthetic, "");
}

TEST_F(ImportTest, CommunicationFilesOfTheNamedFolderAreImported) {
  write_file(folder_ / "op_mapping.yaml",
             "communication_data_ref: ../hccl/\noperator_mappings:\n  op: {kernel_type: Neg}\n  all_reduce: "
             "{kernel_type: "
             "hcom_allReduce_, category: communication}\n");
  write_file(temp_ / "hccl" / "hcom_allReduce_.csv",
             "message_bytes,num_devices,Average Duration(us)\n1024,8,5\n2048,8,7\n");
  const ImportReport report = import();
  ASSERT_EQ(report.files.size(), 2U);
  EXPECT_EQ(report.files[1].path, "../hccl/hcom_allReduce_.csv");
  EXPECT_EQ(report.files[1].kernel, "hcom_allReduce_");
  EXPECT_EQ(report.files[1].taken_rows, 2);
}

TEST_F(ImportTest, AnotherMappingProjectsTheSameMeasurementsAfresh) {
  import();
  write_file(temp_ / "other.yaml", "operator_mappings:\n  other: {kernel_type: Neg}\n");
  set_mapping(database_, "1", temp_ / "other.yaml");
  const Engine engine(database_.string());
  EXPECT_EQ(engine.lookup(parse_leaf_op(leaf("other", "bfloat16[10]")))->latency_us, 5);
  EXPECT_EQ(engine.lookup(parse_leaf_op(leaf("op", "bfloat16[10]")))->reason, "unmapped");
  EXPECT_THAT(test::verify(database_), IsEmpty());
}

}  // namespace
}  // namespace profdb::importer
