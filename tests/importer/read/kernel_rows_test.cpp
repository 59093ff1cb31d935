// Columns and rows of kernel CSVs: latency columns, tensor lists, every other cell (formats §2).
#include "importer/read/kernel_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profdb/error.h"

namespace profdb::importer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using Cells = std::vector<std::string>;

constexpr const char* kAverage = "Average Duration(us)";
constexpr const char* kProfiling = "Profiling Average Duration(us)";
constexpr const char* kDuration = "Duration(us)";
constexpr const char* kProfilingMedian = "Profiling Median Duration(us)";
constexpr const char* kMedian = "Median Duration(us)";

Cells with_shapes(const Cells& names) {
  Cells all = {"Input Shapes", "Input Data Types", "Input Formats"};
  all.insert(all.end(), names.begin(), names.end());
  return all;
}

Cells latency_columns(const Cells& names) {
  return Columns(with_shapes(names), "Neg.csv").latency_columns();
}

std::string error_of(const Cells& names) {
  try {
    const Columns columns(names, "Neg.csv");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

// What a row of one [16,256] tensor becomes with these cells under these columns.
ReadRow read(const Cells& names, const Cells& cells) {
  const Columns columns(with_shapes(names), "Neg.csv");
  RowReader reader(columns);
  Cells all = {"16,256", "DT_BF16", "ND"};
  all.insert(all.end(), cells.begin(), cells.end());
  const auto result = reader.read({1, 2, all});
  if (const auto* rejected = std::get_if<RejectedRow>(&result)) {
    ADD_FAILURE() << rejected->reason << ": " << rejected->detail;
    return {};
  }
  ReadRow row = *std::get<const ReadRow*>(result);
  row.row.columns = row.row.cells = nullptr;  // they go with the reader
  return row;
}

// "12.5 Average Duration(us) selected", or the reason why there is no latency.
std::string latency(const Cells& names, const Cells& cells) {
  const ReadRow row = read(names, cells);
  if (!row.row.latency_us) return row.unusable_reason;
  EXPECT_EQ(row.unusable_reason, "");
  const auto column = latency_columns(names).at(static_cast<std::size_t>(row.latency_column.value()));
  std::string value = std::to_string(*row.row.latency_us);
  value.resize(value.find_last_not_of("0") + 1);  // "12.500000" -> "12.5"
  return value + " " + column + " " + to_string(row.row.source_class);
}

std::string latency_of(const std::string& cell) {
  return latency({kAverage}, {cell});
}

TEST(LatencyColumnsTest, TheSelectedOneIsTheFirstOfThreeThatTheFileHas) {
  EXPECT_THAT(latency_columns({kDuration, kProfiling, kAverage}),
              ElementsAre(kAverage, kProfiling, kDuration));
  EXPECT_THAT(latency_columns({kDuration, kProfiling}), ElementsAre(kProfiling, kDuration));
  EXPECT_THAT(latency_columns({kDuration}), ElementsAre(kDuration));
}

TEST(LatencyColumnsTest, TheMediansAreFallbacksAfterTheOthers) {
  EXPECT_THAT(latency_columns({kMedian, kProfilingMedian, kDuration, kAverage}),
              ElementsAre(kAverage, kDuration, kProfilingMedian, kMedian));
}

TEST(LatencyColumnsTest, AMedianIsNeverSelected) {
  EXPECT_THAT(latency_columns({kMedian, kProfilingMedian}), ElementsAre("", kProfilingMedian, kMedian));
  EXPECT_EQ(latency({kMedian}, {"7"}), "7. Median Duration(us) fallback");
}

TEST(LatencyColumnsTest, AFileWithoutOneIsRefused) {
  EXPECT_THAT(error_of({"Input Shapes", "Input Data Types", "Maximum Duration(us)"}),
              testing::AllOf(HasSubstr("Neg.csv"), HasSubstr(kAverage)));
}

TEST(LatencyColumnsTest, AFileWithoutShapesIsRefused) {
  EXPECT_THAT(error_of({"Input Data Types", kAverage}),
              testing::AllOf(HasSubstr("Neg.csv"), HasSubstr("Input Shapes")));
  EXPECT_THAT(error_of({"Input Shapes", kAverage}), HasSubstr("Input Data Types"));
}

TEST(LatencyColumnsTest, ACommunicationFileNeedsNoShapes) {
  EXPECT_THAT(Columns({"message_bytes", "num_devices", kAverage}, "hcom.csv").latency_columns(),
              ElementsAre(kAverage));
}

TEST(LatencyTest, IsTheSelectedColumnsWhereItIsUsable) {
  EXPECT_EQ(latency({kAverage, kDuration, kMedian}, {"5", "6", "7"}), "5. Average Duration(us) selected");
}

TEST(LatencyTest, ElseTheFirstUsableFallback) {
  EXPECT_EQ(latency({kAverage, kDuration, kMedian}, {"", "6", "7"}), "6. Duration(us) fallback");
  EXPECT_EQ(latency({kAverage, kDuration, kMedian}, {"0", "-1", "7"}), "7. Median Duration(us) fallback");
  EXPECT_EQ(latency({kAverage, kMedian, kProfilingMedian}, {"nan", "7", "8"}),
            "8. Profiling Median Duration(us) fallback");
}

TEST(LatencyTest, NumbersAreReadAsRealFilesWriteThem) {
  EXPECT_EQ(latency_of("1e3"), "1000. Average Duration(us) selected");
  EXPECT_EQ(latency_of(" 12.5 "), "12.5 Average Duration(us) selected");
  EXPECT_EQ(latency_of("0.25"), "0.25 Average Duration(us) selected");
}

TEST(LatencyTest, ZeroIsLatencyZero) {
  EXPECT_EQ(latency_of("0"), "latency_zero");
  EXPECT_EQ(latency_of("0.000"), "latency_zero");
}

TEST(LatencyTest, WhatIsNotFiniteAndPositiveIsLatencyInvalid) {
  for (const char* cell : {"nan", "inf", "-inf", "-1", "-0.5", "", "N/A", "12,5", "12.5us", "1e999"})
    EXPECT_EQ(latency_of(cell), "latency_invalid") << "'" << cell << "'";
}

TEST(LatencyTest, AnUnusableRowIsARowAllTheSame) {
  const ReadRow row = read({kAverage, "Counter"}, {"0", "9"});
  EXPECT_FALSE(row.row.latency_us);
  EXPECT_FALSE(row.latency_column);
  EXPECT_EQ(row.row.inputs.size(), 1U);
}

TEST(LatencyTest, OneRowsLatencyDoesNotLeakIntoTheNext) {
  const Columns columns(with_shapes({kAverage}), "Neg.csv");
  RowReader reader(columns);
  reader.read({1, 2, {"16,256", "DT_BF16", "ND", "5"}});
  const auto second = reader.read({2, 3, {"16,256", "DT_BF16", "ND", "0"}});
  EXPECT_FALSE(std::get<const ReadRow*>(second)->row.latency_us);
  EXPECT_EQ(std::get<const ReadRow*>(second)->unusable_reason, "latency_zero");
  const auto third = reader.read({3, 4, {"16,256", "DT_BF16", "ND", "6"}});
  EXPECT_THAT(std::get<const ReadRow*>(third)->row.latency_us, Optional(6));
  EXPECT_EQ(std::get<const ReadRow*>(third)->unusable_reason, "");
}

TEST(RowTest, CellsThatNothingElseHoldsAreStored) {
  const ReadRow row = read({kAverage, kMedian, "EP Size", "Runtime phase"}, {"5", "6", "16", "decode"});
  EXPECT_THAT(row.cells, ElementsAre("", "", "", "", "6", "16", "decode"));
  EXPECT_THAT(row.stored, ElementsAre(false, false, false, false, true, true, true));
}

TEST(RowTest, ALatencyCellThatCouldNotBeUsedIsStoredAsEvidence) {
  const ReadRow row = read({kAverage, kMedian}, {"nan", "6"});
  EXPECT_THAT(row.cells, ElementsAre("", "", "", "nan", ""));
  EXPECT_THAT(row.stored, ElementsAre(false, false, false, true, false));
}

TEST(RowTest, FieldsAreFoundByName) {
  const Columns columns(with_shapes({kAverage, "EP Size", "Empty"}), "Neg.csv");
  RowReader reader(columns);
  const auto result = reader.read({1, 2, {"16,256", "DT_BF16", "ND", "5", "16", ""}});
  const Row& row = std::get<const ReadRow*>(result)->row;
  EXPECT_EQ(row.field("EP Size"), "16");
  EXPECT_TRUE(row.has_column("Empty"));
  EXPECT_EQ(row.field("Empty"), "");
  EXPECT_FALSE(row.has_column("Runtime phase"));
  EXPECT_EQ(row.field("Runtime phase"), "");
}

TEST(RowTest, InputsAndOutputsAreRead) {
  const Columns columns({"Input Shapes", "Input Data Types", "Input Formats", "Output Shapes",
                         "Output Data Types", "Output Formats", kAverage},
                        "Neg.csv");
  RowReader reader(columns);
  const auto result =
      reader.read({1, 2, {"16,256;256", "DT_BF16;FLOAT", "ND;ND", "16,512", "INT8", "FRACTAL_NZ", "5"}});
  const Row& row = std::get<const ReadRow*>(result)->row;
  ASSERT_EQ(row.inputs.size(), 2U);
  EXPECT_EQ(row.inputs[1].dtype, "FLOAT");
  ASSERT_EQ(row.outputs.size(), 1U);
  EXPECT_EQ(row.outputs[0].shape, (Shape{16, 512}));
  EXPECT_EQ(row.outputs[0].format, "FRACTAL_NZ");
}

TEST(RowTest, FilesWithoutOutputColumnsHaveNoOutputs) {
  EXPECT_TRUE(read({kAverage}, {"5"}).row.outputs.empty());
}

TEST(RowTest, ListsThatCannotBeReconciledRejectTheRow) {
  const Columns columns(with_shapes({kAverage}), "Neg.csv");
  RowReader reader(columns);
  const auto result = reader.read({1, 2, {"16,256;256", "DT_BF16", "ND", "5"}});
  const auto* rejected = std::get_if<RejectedRow>(&result);
  ASSERT_NE(rejected, nullptr);
  EXPECT_EQ(rejected->reason, "dtype_count_mismatch");
  EXPECT_THAT(rejected->detail, HasSubstr("Input"));
}

}  // namespace
}  // namespace profdb::importer
