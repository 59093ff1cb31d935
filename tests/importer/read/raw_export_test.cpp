// Raw profiler exports, one line per execution (formats §2, "Raw profiler export").
#include "importer/read/raw_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profdb/error.h"
#include "tests/support/release.h"
#include "tests/support/shorthand.h"

namespace profdb::importer {
namespace {

using test::leaf;
using test::TempFolder;
using test::TestRelease;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kDetailsHeader =
    "Name,Type,Accelerator Core,Start Time(us),Duration(us),Stream ID,Input Shapes,Input Data Types,Input "
    "Formats,"
    "Output Shapes,Output Data Types,Output Formats,aicore_time(us)\n";

// An execution in kernel_details.csv with one input and one output of the same shape.
std::string execution(const std::string& type, const std::string& start, const std::string& duration,
                      const std::string& shape, const std::string& dtype = "DT_BF16",
                      const std::string& stream = "5", const std::string& format = "ND") {
  return "step/" + type + "," + type + ",AI_CORE," + start + "," + duration + "," + stream + ",\"" + shape +
         "\"," + dtype + "," + format + ",\"" + shape + "\"," + dtype + "," + format + ",0.5\n";
}

RawExport read(const std::string& text, const std::string& name = "kernel_details.csv") {
  const TempFolder folder;
  test::write_file(folder / name, text);
  return read_raw_export(folder / name);
}

std::string error_of(const std::string& text, const std::string& name = "kernel_details.csv") {
  try {
    read(text, name);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "no error";
}

TEST(RawExportTest, FilesAreKnownByTheirNames) {
  EXPECT_TRUE(is_raw_export("a/kernel_details.csv"));
  EXPECT_TRUE(is_raw_export("op_summary_20260101.csv"));
  EXPECT_FALSE(is_raw_export("MatMulV2.csv"));
  EXPECT_FALSE(is_raw_export("op_summary.csv"));
}

// 2, 4, 4, 10: average 20/4 = 5, median (4+4)/2 = 4, variance (9+1+1+25)/4 = 9, standard deviation 3.
TEST(RawExportTest, StatisticsOfOneSignature) {
  const RawExport raw =
      read(kDetailsHeader + execution("Cast", "1", "4", "16,64") + execution("Cast", "2", "10", "16,64") +
           execution("Cast", "3", "2", "16,64") + execution("Cast", "4", "4", "16,64"));
  ASSERT_EQ(raw.kernels.size(), 1U);
  EXPECT_EQ(raw.kernels[0].kernel, "Cast");
  EXPECT_EQ(raw.kernels[0].executions, 4);
  ASSERT_EQ(raw.kernels[0].rows.size(), 1U);
  EXPECT_THAT(raw_columns(),
              ElementsAre("OP State", "Accelerator Core", "Input Shapes", "Input Data Types", "Input Formats",
                          "Output Shapes", "Output Data Types", "Output Formats", "Average Duration(us)",
                          "Median Duration(us)", "Standard Deviation(us)", "Minimum Duration(us)",
                          "Maximum Duration(us)", "Count"));
  EXPECT_THAT(raw.kernels[0].rows[0].cells, ElementsAre("", "AI_CORE", "16,64", "DT_BF16", "ND", "16,64",
                                                        "DT_BF16", "ND", "5", "4", "3", "2", "10", "4"));
}

// 1, 2, 6: median the middle one, 2; average 3.
TEST(RawExportTest, MedianOfAnOddNumberIsTheMiddleOne) {
  const RawExport raw = read(kDetailsHeader + execution("Cast", "1", "6", "16,64") +
                             execution("Cast", "2", "1", "16,64") + execution("Cast", "3", "2", "16,64"));
  const auto& cells = raw.kernels.at(0).rows.at(0).cells;
  EXPECT_EQ(cells[8], "3");
  EXPECT_EQ(cells[9], "2");
}

TEST(RawExportTest, GroupsByTheFullSignature) {
  const RawExport raw = read(kDetailsHeader + execution("Cast", "1", "4", "16,64") +
                             execution("Cast", "2", "5", "32,64") +                          // shapes
                             execution("Cast", "3", "6", "16,64", "FLOAT") +                 // dtypes
                             execution("Cast", "4", "7", "16,64", "DT_BF16", "5", "NCHW") +  // formats
                             execution("TensorMove", "5", "8", "16,64") +                    // kernel
                             execution("Cast", "6", "9", "16,64", "DT_BF16", "6"));  // the first again
  ASSERT_EQ(raw.kernels.size(), 2U);
  EXPECT_EQ(raw.kernels[0].rows.size(), 4U);
  EXPECT_EQ(raw.kernels[0].rows[0].cells.back(), "2");
  EXPECT_EQ(raw.kernels[0].rows[0].cells[8], "6.5");  // (4 + 9) / 2
  EXPECT_EQ(raw.kernels[1].kernel, "TensorMove");
  EXPECT_EQ(raw.executions, 6);
}

TEST(RawExportTest, OutputsArePartOfTheSignature) {
  std::string other = execution("Cast", "2", "5", "16,64");
  other.replace(other.rfind("DT_BF16"), 7, "FLOAT");
  const RawExport raw = read(kDetailsHeader + execution("Cast", "1", "4", "16,64") + other);
  EXPECT_EQ(raw.kernels.at(0).rows.size(), 2U);
}

TEST(RawExportTest, ExecutionsWithoutShapesAreCountedPerKernel) {
  const RawExport raw =
      read(kDetailsHeader + execution("Cast", "1", "4", "16,64") + execution("Cast", "2", "5", "N/A") +
           execution("Add", "3", "5", "N/A") + execution("Add", "4", "5", "N/A"));
  ASSERT_EQ(raw.kernels.size(), 2U);
  EXPECT_EQ(raw.kernels[0].without_shapes, 1);
  EXPECT_EQ(raw.kernels[0].rows.size(), 1U);
  EXPECT_EQ(raw.kernels[1].without_shapes, 2);
  EXPECT_TRUE(raw.kernels[1].rows.empty());
}

TEST(RawExportTest, ExecutionsWithoutADurationAreCountedPerKernel) {
  const RawExport raw =
      read(kDetailsHeader + execution("Cast", "1", "0", "16,64") + execution("Cast", "2", "nan", "16,64") +
           execution("Cast", "3", "", "16,64") + execution("Cast", "4", "7", "16,64"));
  EXPECT_EQ(raw.kernels.at(0).invalid_latency, 3);
  EXPECT_EQ(raw.kernels.at(0).rows.at(0).cells[8], "7");
}

// Formats §2, "What real files do": numbers such as 1e3 and " 12.5 ".
TEST(RawExportTest, DurationsAreReadAsInKernelCsvs) {
  const RawExport raw = read(kDetailsHeader + execution("Cast", "1", "1e1", "16,64") +
                             execution("Cast", "2", " 12.5 ", "16,64"));
  EXPECT_EQ(raw.kernels.at(0).invalid_latency, 0);
  EXPECT_EQ(raw.kernels.at(0).executions, 2);
}

TEST(RawExportTest, TypesThatAreNoKernelNamesAreCounted) {
  const RawExport raw = read(kDetailsHeader + execution("N/A", "1", "4", "16,64") +
                             execution("a b", "2", "4", "16,64") + execution("N/A", "3", "4", "16,64"));
  EXPECT_TRUE(raw.kernels.empty());
  EXPECT_EQ(raw.unnamed.at("N/A"), 2);
  EXPECT_EQ(raw.unnamed.at("a b"), 1);
}

// Two collectives; the first stands on stream N/A and on stream 7, the second on stream 7 alone.
TEST(RawExportTest, CollectivesThatAreRecordedTwiceCountOnce) {
  const RawExport raw =
      read(kDetailsHeader + execution("hcom_allReduce_", "10", "4", "1024", "DT_BF16", "N/A") +
           execution("hcom_allReduce_", "10", "4", "1024", "DT_BF16", "7") +
           execution("hcom_allReduce_", "20", "6", "1024", "DT_BF16", "7"));
  EXPECT_EQ(raw.repeated, 1);
  EXPECT_EQ(raw.kernels.at(0).rows.at(0).cells.back(), "2");
  EXPECT_EQ(raw.kernels.at(0).rows.at(0).cells[8], "5");  // (4 + 6) / 2
}

TEST(RawExportTest, TheHardwareStreamMayComeFirst) {
  const RawExport raw =
      read(kDetailsHeader + execution("hcom_allReduce_", "10", "4", "1024", "DT_BF16", "7") +
           execution("hcom_allReduce_", "10", "4", "1024", "DT_BF16", "N/A"));
  EXPECT_EQ(raw.repeated, 1);
  EXPECT_EQ(raw.kernels.at(0).executions, 1);
}

TEST(RawExportTest, CollectivesThatDifferInStartOrDurationAreTwo) {
  const RawExport raw =
      read(kDetailsHeader + execution("hcom_allReduce_", "10", "4", "1024", "DT_BF16", "N/A") +
           execution("hcom_allReduce_", "11", "4", "1024", "DT_BF16", "7") +
           execution("hcom_allReduce_", "10", "5", "1024", "DT_BF16", "7"));
  EXPECT_EQ(raw.repeated, 0);
  EXPECT_EQ(raw.kernels.at(0).executions, 3);
}

TEST(RawExportTest, OtherKernelsAreNeverRepeated) {
  const RawExport raw = read(kDetailsHeader + execution("Cast", "10", "4", "1024", "DT_BF16", "N/A") +
                             execution("Cast", "10", "4", "1024", "DT_BF16", "7"));
  EXPECT_EQ(raw.repeated, 0);
  EXPECT_EQ(raw.kernels.at(0).executions, 2);
}

// A row without shapes on stream N/A whose twin on the hardware stream has them: the twin's shapes count.
TEST(RawExportTest, TheRowWithShapesOfARepeatedCollectiveCounts) {
  const RawExport raw =
      read(kDetailsHeader + execution("hcom_allReduce_", "10", "4", "N/A", "N/A", "N/A", "N/A") +
           execution("hcom_allReduce_", "10", "4", "1024", "DT_BF16", "7"));
  EXPECT_EQ(raw.repeated, 1);
  EXPECT_EQ(raw.kernels.at(0).executions, 1);
}

TEST(RawExportTest, ReadsOpSummary) {
  const RawExport raw = read(
      "Op Name,OP Type,OP State,Task Type,Task Start Time(us),Task Duration(us),Input Shapes,Input Data "
      "Types,Input Formats,Output Shapes,Output Data Types,Output Formats\n"
      "a,Cast,static,AI_VECTOR_CORE,1,4,\"16,64\",DT_BF16,ND,\"16,64\",FLOAT,ND\n"
      "b,Cast,static,AI_VECTOR_CORE,2,6,\"16,64\",DT_BF16,ND,\"16,64\",FLOAT,ND\n",
      "op_summary_1.csv");
  ASSERT_EQ(raw.kernels.size(), 1U);
  EXPECT_THAT(raw.kernels[0].rows.at(0).cells,
              ElementsAre("static", "AI_VECTOR_CORE", "16,64", "DT_BF16", "ND", "16,64", "FLOAT", "ND", "5",
                          "5", "1", "4", "6", "2"));
}

TEST(RawExportTest, MissingColumnsAreNamed) {
  EXPECT_THAT(error_of("Name,Type,Input Shapes\na,Cast,\"16,64\"\n"),
              AllOf(HasSubstr("kernel_details.csv"), HasSubstr("Duration(us)"), HasSubstr("Start Time(us)")));
  EXPECT_THAT(error_of("Op Name,Task Duration(us)\na,1\n", "op_summary_1.csv"),
              AllOf(HasSubstr("op_summary_1.csv"), HasSubstr("OP Type"), HasSubstr("Input Shapes")));
}

// The aggregated rows are measurements like any other: imported, projected, looked up.
TEST(RawExportTest, ImportedExecutionsAnswerLookups) {
  const TestRelease release(
      {{"kernel_details.csv",
        kDetailsHeader + execution("Cast", "1", "4", "16,64") + execution("Cast", "2", "8", "16,64") +
            execution("Cast", "3", "18", "32,64") + execution("Cast", "4", "3", "N/A")}},
      "operator_mappings:\n  aten.to.dtype: {kernel_type: Cast}\n");
  const Result exact = release.lookup(leaf("aten.to.dtype", "bfloat16[16,64]", "bfloat16[16,64]"));
  EXPECT_EQ(exact.source, Source::measured);
  EXPECT_EQ(exact.latency_us, 6);  // (4 + 8) / 2
  EXPECT_EQ(exact.details.latency_column, "Average Duration(us)");
  // Half way between 16 -> 6 and 32 -> 18.
  const Result between = release.lookup(leaf("aten.to.dtype", "bfloat16[24,64]", "bfloat16[24,64]"));
  EXPECT_EQ(between.source, Source::interpolated);
  EXPECT_EQ(between.latency_us, 12);
  ASSERT_EQ(release.report().files.size(), 1U);
  EXPECT_EQ(release.report().files[0].kernel, "Cast");
  EXPECT_EQ(release.report().files[0].row_count, 2);
}

TEST(RawExportTest, TheReportNamesExecutionsWithoutShapes) {
  const TestRelease release(
      {{"kernel_details.csv", kDetailsHeader + execution("Cast", "1", "4", "16,64") +
                                  execution("Cast", "2", "5", "N/A") + execution("Cast", "3", "5", "N/A")}},
      "operator_mappings:\n  aten.to.dtype: {kernel_type: Cast}\n");
  std::string said;
  for (const std::string& warning : release.report().warnings) said += warning + "\n";
  for (const auto& file : release.report().files)
    for (const auto& [reason, count] : file.reasons) said += reason + ": " + std::to_string(count) + "\n";
  EXPECT_THAT(said, AllOf(HasSubstr("Cast"), HasSubstr("2"), HasSubstr("shapes")));
}

}  // namespace
}  // namespace profdb::importer
