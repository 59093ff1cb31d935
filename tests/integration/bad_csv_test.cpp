// Releases with files that are wrong: what is refused, what is rejected row by row, and what the message
// names.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include <map>
#include <string>

#include "tests/support/release.h"
#include "tests/support/verify.h"

namespace {

namespace fs = std::filesystem;
using namespace profdb;
using namespace profdb::test;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kMapping =
    "operator_mappings:\n  aten.mm.default: {kernel_type: MatMulV2}\n  aten.add.Tensor: {kernel_type: Add}\n";

std::string good_row(int m) {
  const std::string rows = std::to_string(m);
  return csv_row(rows + ",64;32,64", "DT_BF16;DT_BF16", "ND;ND", rows + ",32", "DT_BF16", "ND", {"10"});
}

std::string row_with_shapes(const std::string& shapes) {
  return csv_row(shapes, "DT_BF16", "ND", "4,4", "DT_BF16", "ND", {"10"});
}

class BadCsv : public testing::Test {
 protected:
  void SetUp() override {
    write_file(release() / "op_mapping.yaml", kMapping);
    write("MatMulV2.csv", csv_header() + good_row(100));
  }
  fs::path release() const { return folder_ / "release"; }
  fs::path database() const { return folder_ / "prof.db"; }
  void write(const std::string& name, const std::string& text) const { write_file(release() / name, text); }

  importer::ImportReport import(bool keep_going = false) const {
    importer::ImportOptions options;
    options.database = database();
    options.sources = {release()};
    options.identity = test_identity();
    options.keep_going = keep_going;
    return importer::import_release(options);
  }
  // The message of the Error(input) that the import ends with. No database comes of it.
  std::string refusal() const {
    try {
      import();
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::input) << e.what();
      EXPECT_FALSE(fs::exists(database()));
      return e.what();
    }
    ADD_FAILURE() << "imported";
    return "";
  }
  SQLite::Database open() const { return SQLite::Database(database().string()); }
  void expect_sound() const { EXPECT_TRUE(test::verify(database()).empty()); }

  TempFolder folder_;
};

const importer::FileReport& file_named(const importer::ImportReport& report, const std::string& name) {
  for (const auto& file : report.files)
    if (file.path == name) return file;
  throw std::runtime_error("no report of " + name);
}

TEST_F(BadCsv, MissingFolderIsNamed) {
  fs::remove_all(release());
  EXPECT_THAT(refusal(), HasSubstr(release().string()));
}

TEST_F(BadCsv, FolderWithoutCsvIsNamed) {
  fs::remove(release() / "MatMulV2.csv");
  EXPECT_THAT(refusal(), AllOf(HasSubstr(release().string()), HasSubstr(".csv")));
}

TEST_F(BadCsv, EmptyFileIsNamed) {
  write("Add.csv", "");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("Add.csv"), HasSubstr("empty"), Not(HasSubstr("MatMulV2.csv:"))));
}

TEST_F(BadCsv, FileOfBlankLinesIsNamed) {
  write("Add.csv", "\n\r\n\n");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("Add.csv"), HasSubstr("empty")));
}

TEST_F(BadCsv, HeaderWithoutRowsIsTakenWithAWarning) {
  write("Add.csv", csv_header());
  const auto report = import();
  EXPECT_EQ(file_named(report, "Add.csv").row_count, 0);
  EXPECT_EQ(file_named(report, "MatMulV2.csv").taken_rows, 1);
  EXPECT_THAT(report.warnings,
              testing::Contains(AllOf(HasSubstr("Add.csv"), HasSubstr("header without rows"))));
  expect_sound();
}

TEST_F(BadCsv, LfsPointerSaysHowToFetchTheData) {
  write("Add.csv",
        "version https://git-lfs.github.com/spec/v1\n"
        "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("Add.csv"), HasSubstr("Git LFS"), HasSubstr("git lfs pull")));
}

TEST_F(BadCsv, BinaryFileIsNamed) {
  write("Add.csv", std::string("PK\x03\x04\x00\x00\x08", 7) + std::string(5000, '\xff'));
  EXPECT_THAT(refusal(), AllOf(HasSubstr("Add.csv"), HasSubstr("binary")));
}

TEST_F(BadCsv, BinaryRestOfAFileIsFoundWithItsLine) {
  write("Add.csv", csv_header() + good_row(1) + good_row(2) + std::string("\x00\x01", 2) + "\n");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("Add.csv:4"), HasSubstr("binary")));
}

TEST_F(BadCsv, FileWithoutTensorColumnsIsNamedWithTheColumn) {
  write("Add.csv", "a,b\n1,2\n");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("Add.csv"), HasSubstr("Input Shapes")));
}

TEST_F(BadCsv, FileWithoutLatencyColumnIsNamedWithTheColumns) {
  write("Add.csv", csv_header("Something Else"));
  EXPECT_THAT(refusal(), AllOf(HasSubstr("Add.csv"), HasSubstr("Average Duration(us)")));
}

TEST_F(BadCsv, QuoteThatIsNeverClosedIsNamedWithItsLine) {
  write("Add.csv", csv_header() + good_row(1) + "dynamic,\"AI_CORE\nand on\n");
  EXPECT_THAT(refusal(), HasSubstr("Add.csv:3"));
}

TEST_F(BadCsv, EveryBadFileOfAFolderIsNamed) {
  write("Add.csv", "");
  write("Sub.csv", csv_header() + std::string("\0", 1));
  write("Mul.csv", "a,b\n");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("3 of 4 files"), HasSubstr("Add.csv"), HasSubstr("Sub.csv"),
                               HasSubstr("Mul.csv"), HasSubstr("--keep-going")));
}

TEST_F(BadCsv, BadFileLeavesADatabaseThatIsThereAsItWas) {
  import();
  const std::string before = read_file(database());
  write("Add.csv", "");
  importer::ImportOptions options;
  options.database = database();
  options.sources = {release()};
  options.identity = test_identity();
  options.replace = true;
  EXPECT_THROW(importer::import_release(options), Error);
  EXPECT_TRUE(read_file(database()) == before);
}

TEST_F(BadCsv, KeepGoingTakesTheRestAndRecordsTheFailure) {
  write("Add.csv", "");
  write("Sub.csv", csv_header() + good_row(1) + std::string("\0", 1));
  const auto report = import(true);
  EXPECT_THAT(file_named(report, "Add.csv").failure, HasSubstr("empty"));
  EXPECT_EQ(file_named(report, "MatMulV2.csv").taken_rows, 1);
  expect_sound();
  SQLite::Database db = open();
  SQLite::Statement files(db, "SELECT path, failure, row_count, sha256 FROM source_file ORDER BY path");
  std::map<std::string, std::string> failures;
  while (files.executeStep()) {
    failures[files.getColumn(0)] = files.getColumn(1).getString();
    if (!failures[files.getColumn(0)].empty()) {
      EXPECT_EQ(files.getColumn(2).getInt(), 0);
    }
    EXPECT_EQ(files.getColumn(3).getString().size(), 64U);
  }
  EXPECT_THAT(failures, testing::UnorderedElementsAre(testing::Pair("Add.csv", HasSubstr("empty")),
                                                      testing::Pair("MatMulV2.csv", ""),
                                                      testing::Pair("Sub.csv", HasSubstr("binary"))));
  // Nothing of the half-readable file is stored, and the same bytes again are the same release.
  EXPECT_EQ(db.execAndGet("SELECT count(*) FROM measurement").getInt(), 1);
  EXPECT_EQ(import(true).outcome, importer::ImportReport::Outcome::unchanged);
}

TEST_F(BadCsv, FileThatChangesWhileItIsReadIsRefused) {
  for (const bool keep_going : {false, true}) {
    std::string text = csv_header();
    // The end is read long after the first rows: the reader is some thousand rows ahead of the writer, no
    // more.
    for (int m = 1; m <= 60'000; ++m) text += good_row(m);
    write("MatMulV2.csv", text);
    importer::ImportOptions options;
    options.database = database();
    options.sources = {release()};
    options.identity = test_identity();
    options.keep_going = keep_going;
    options.progress = [&](auto, auto) {
      std::ofstream(release() / "MatMulV2.csv", std::ios::app) << good_row(1);
    };
    try {
      importer::import_release(options);
      FAIL() << "imported";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::input) << e.what();
      EXPECT_THAT(e.what(), AllOf(HasSubstr("MatMulV2.csv"), HasSubstr("changed while it was read")));
    }
    EXPECT_FALSE(fs::exists(database()));
  }
}

TEST_F(BadCsv, RaggedRowIsRejectedWithItsCellsAndTheOthersAreTaken) {
  write("MatMulV2.csv", csv_header() + good_row(100) + "dynamic,\"odd, one\"\n" + good_row(200));
  const auto report = import();
  const auto& file = file_named(report, "MatMulV2.csv");
  EXPECT_EQ(file.row_count, 3);
  EXPECT_EQ(file.taken_rows, 2);
  EXPECT_EQ(file.reasons, (std::map<std::string, std::int64_t>{{"ragged_row", 1}}));
  SQLite::Database db = open();
  SQLite::Statement row(db, "SELECT row_number, line, reason, detail, cells FROM rejected_row");
  ASSERT_TRUE(row.executeStep());
  EXPECT_EQ(row.getColumn(0).getInt(), 2);
  EXPECT_EQ(row.getColumn(1).getInt(), 3);
  EXPECT_EQ(row.getColumn(2).getString(), "ragged_row");
  EXPECT_THAT(row.getColumn(3).getString(), HasSubstr("2 cells"));
  EXPECT_EQ(json::parse(row.getColumn(4).getString()), json({"dynamic", "odd, one"}));
  expect_sound();
}

TEST_F(BadCsv, ShapesThatAreNoneAreRejectedRowByRow) {
  const std::vector<std::string> wrong = {
      "1,,2", "1,x", "-3", "99999999999999999999", "9007199254740993", "1.5", "4,4,", "94906267,94906267",
      "0x10"};
  std::string text = csv_header() + good_row(100);
  for (const std::string& shapes : wrong) text += row_with_shapes(shapes);
  write("MatMulV2.csv", text + good_row(200));
  const auto report = import();
  const auto& file = file_named(report, "MatMulV2.csv");
  EXPECT_EQ(file.row_count, static_cast<std::int64_t>(wrong.size() + 2));
  EXPECT_EQ(file.taken_rows, 2);
  EXPECT_EQ(file.rejected_rows, static_cast<std::int64_t>(wrong.size()));
  EXPECT_EQ(file.reasons.at("shape_invalid"), file.rejected_rows);
  SQLite::Database db = open();
  SQLite::Statement rows(db,
                         "SELECT detail, json_extract(cells, '$[2]') FROM rejected_row ORDER BY row_number");
  for (const std::string& shapes : wrong) {
    ASSERT_TRUE(rows.executeStep());
    EXPECT_THAT(rows.getColumn(0).getString(), AllOf(HasSubstr("Input Shapes"), HasSubstr(shapes)));
    EXPECT_EQ(rows.getColumn(1).getString(), shapes);
  }
  expect_sound();
}

TEST_F(BadCsv, ListsOfDifferentLengthsAreRejectedWithTheirCounts) {
  write("MatMulV2.csv",
        csv_header() + csv_row("4,4;4,4", "DT_BF16", "ND;ND", "4,4", "DT_BF16", "ND", {"10"}) +
            csv_row("4,4", "DT_BF16;DT_BF16;DT_BF16", "ND", "4,4", "DT_BF16", "ND", {"10"}) +
            csv_row("4,4;4,4", "DT_BF16;DT_BF16", "ND;ND;ND", "4,4", "DT_BF16", "ND", {"10"}) +
            csv_row("4,4", "DT_BF16", "ND", "4,4;4,4", "DT_BF16", "ND", {"10"}) + good_row(100));
  const auto report = import();
  const auto& file = file_named(report, "MatMulV2.csv");
  EXPECT_EQ(file.taken_rows, 1);
  EXPECT_EQ(file.reasons,
            (std::map<std::string, std::int64_t>{
                {"dtype_count_mismatch", 2}, {"shape_count_mismatch", 1}, {"format_count_mismatch", 1}}));
  expect_sound();
}

TEST_F(BadCsv, RowsWithoutALatencyStayAsEvidence) {
  std::string text = csv_header();
  for (const char* latency : {"0", "0.0", "-1", "nan", "inf", "", "fast", "1e999", "1,5"})
    text += csv_row("4,4;4,4", "DT_BF16;DT_BF16", "ND;ND", "4,4", "DT_BF16", "ND", {latency});
  write("MatMulV2.csv", text);
  const auto report = import();
  const auto& file = file_named(report, "MatMulV2.csv");
  EXPECT_EQ(file.unusable_rows, 9);
  EXPECT_EQ(file.reasons, (std::map<std::string, std::int64_t>{{"latency_zero", 2}, {"latency_invalid", 7}}));
  // The cell that is no latency can still be read.
  EXPECT_EQ(
      open()
          .execAndGet(
              "SELECT count(*) FROM measurement_field WHERE name = 'Average Duration(us)' AND value = 'fast'")
          .getInt(),
      1);
  expect_sound();
}

TEST_F(BadCsv, ForeignFileNameNeedsAnAlias) {
  write("Add-old.csv", csv_header() + good_row(1));
  try {
    import();
    FAIL() << "imported";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_THAT(e.what(), AllOf(HasSubstr("Add-old"), HasSubstr("--kernel-alias")));
  }
}

}  // namespace
