// Shape, dtype and format lists (formats §2, importer/read/tensor_list.h).
#include "importer/read/tensor_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace profdb::importer {
namespace {

using ::testing::HasSubstr;
using Slots = std::vector<TensorSlot>;

TensorSlot tensor(Shape shape, std::string dtype, std::string format) {
  return {.present = true, .shape = std::move(shape), .dtype = std::move(dtype), .format = std::move(format)};
}
TensorSlot absent(std::string dtype, std::string format) {
  return {.present = false, .shape = {}, .dtype = std::move(dtype), .format = std::move(format)};
}

Slots slots(std::string_view shapes, std::string_view dtypes, std::string_view formats) {
  const auto result = parse_tensor_list("Input", shapes, dtypes, formats);
  if (const auto* problem = std::get_if<ListProblem>(&result)) {
    ADD_FAILURE() << problem->reason << ": " << problem->detail;
    return {};
  }
  return std::get<Slots>(result);
}

ListProblem problem(std::string_view shapes, std::string_view dtypes, std::string_view formats = "") {
  const auto result = parse_tensor_list("Input", shapes, dtypes, formats);
  if (const auto* found = std::get_if<ListProblem>(&result)) return *found;
  ADD_FAILURE() << "no problem with '" << shapes << "', '" << dtypes << "', '" << formats << "'";
  return {};
}

TEST(TensorListTest, SemicolonsSeparateTensors) {
  EXPECT_EQ(slots("136,5120;320,48,16,16", "DT_BF16;INT8", "ND;FRACTAL_NZ"),
            (Slots{tensor({136, 5120}, "DT_BF16", "ND"), tensor({320, 48, 16, 16}, "INT8", "FRACTAL_NZ")}));
}

TEST(TensorListTest, ExtraQuotesAroundTheListAreRemoved) {
  EXPECT_EQ(slots("\"128,4,128;2,2\"", "\"INT8;INT8\"", "\"ND;ND\""),
            (Slots{tensor({128, 4, 128}, "INT8", "ND"), tensor({2, 2}, "INT8", "ND")}));
}

TEST(TensorListTest, ExtraQuotesAroundItemsAreRemoved) {
  EXPECT_EQ(slots("\"\"1,2\";\"3\"", "\"INT8\";\"BOOL\"", "ND;\"ND\""),
            (Slots{tensor({1, 2}, "INT8", "ND"), tensor({3}, "BOOL", "ND")}));
}

TEST(TensorListTest, BlanksAroundItemsAreIgnored) {
  EXPECT_EQ(slots(" 1 , 2 ;\t3\n", " INT8 ; BOOL", "ND ; ND "),
            (Slots{tensor({1, 2}, "INT8", "ND"), tensor({3}, "BOOL", "ND")}));
}

TEST(TensorListTest, ParenthesesAreAScalar) {
  EXPECT_EQ(slots("();2", "INT64;INT8", "ND;ND"),
            (Slots{tensor({}, "INT64", "ND"), tensor({2}, "INT8", "ND")}));
}

TEST(TensorListTest, EmptySlotOccupiesItsPosition) {
  EXPECT_EQ(slots("16,4;;2048,2048", "DT_BF16;DT_UNDEFINED;INT8", "ND;NULL;ND"),
            (Slots{tensor({16, 4}, "DT_BF16", "ND"), absent("DT_UNDEFINED", "NULL"),
                   tensor({2048, 2048}, "INT8", "ND")}));
}

TEST(TensorListTest, EmptySlotMayHaveNothingInAnyList) {
  EXPECT_EQ(slots("2;;3", "INT8;;INT8", "ND;;ND"),
            (Slots{tensor({2}, "INT8", "ND"), absent("", ""), tensor({3}, "INT8", "ND")}));
}

TEST(TensorListTest, EmptySlotWithADtypeIsAbsentAndKeepsTheText) {
  EXPECT_EQ(slots("2;", "INT8;DT_BF16", "ND;ND"),
            (Slots{tensor({2}, "INT8", "ND"), absent("DT_BF16", "ND")}));
  EXPECT_EQ(slots("", "DT_UNDEFINED", "NULL"), (Slots{absent("DT_UNDEFINED", "NULL")}));
}

TEST(TensorListTest, LeadingEmptySlotOccupiesItsPosition) {
  EXPECT_EQ(slots(";5", "DT_UNDEFINED;INT8", "NULL;ND"),
            (Slots{absent("DT_UNDEFINED", "NULL"), tensor({5}, "INT8", "ND")}));
}

TEST(TensorListTest, UndefinedDtypeWithAShapeIsStillThere) {
  EXPECT_EQ(slots("5", "DT_UNDEFINED", "ND"), (Slots{tensor({5}, "DT_UNDEFINED", "ND")}));
}

TEST(TensorListTest, NothingRecordedIsAnEmptyList) {
  EXPECT_EQ(slots("N/A", "N/A", "N/A"), Slots{});
  EXPECT_EQ(slots("", "", ""), Slots{});
  EXPECT_EQ(slots("", "N/A", "N/A"), Slots{});
  EXPECT_EQ(slots("N/A", "", ""), Slots{});
  EXPECT_EQ(slots(" \"\" ", "", ""), Slots{});
}

TEST(TensorListTest, UnrecordedShapesOfARowWithDtypesAreSaidSo) {
  EXPECT_EQ(problem("N/A", "DT_BF16;INT8", "ND;ND").reason, "shape_not_recorded");
  EXPECT_EQ(problem("N/A", "DT_BF16").reason, "shape_not_recorded");
  EXPECT_EQ(problem("N/A", "N/A", "ND").reason, "shape_not_recorded");
}

TEST(TensorListTest, UnrecordedShapeOfOneSlotIsSaidSo) {
  const ListProblem found = problem("2;N/A", "INT8;INT8", "ND;ND");
  EXPECT_EQ(found.reason, "shape_not_recorded");
  EXPECT_THAT(found.detail, HasSubstr("slot 2"));
}

TEST(TensorListTest, UnrecordedSlotWithoutADtypeIsAbsent) {
  EXPECT_EQ(slots("2;N/A", "INT8;N/A", "ND;N/A"), (Slots{tensor({2}, "INT8", "ND"), absent("N/A", "N/A")}));
}

TEST(TensorListTest, TrailingEmptySlotsThatTheDtypesLackAreDropped) {
  EXPECT_EQ(slots("2;3;;", "INT8;INT8", "ND;ND"),
            (Slots{tensor({2}, "INT8", "ND"), tensor({3}, "INT8", "ND")}));
  EXPECT_EQ(slots("2; ;\"\"", "INT8", "ND;NULL;"), (Slots{tensor({2}, "INT8", "ND")}));
  EXPECT_EQ(slots(";;", "", ""), Slots{});
}

TEST(TensorListTest, TrailingEmptySlotsThatTheDtypesHaveAreKept) {
  EXPECT_EQ(
      slots("2;;", "INT8;DT_UNDEFINED;DT_UNDEFINED", "ND;NULL;NULL"),
      (Slots{tensor({2}, "INT8", "ND"), absent("DT_UNDEFINED", "NULL"), absent("DT_UNDEFINED", "NULL")}));
}

TEST(TensorListTest, OnlyAsManyTrailingEmptySlotsAsTheDtypesLackAreDropped) {
  EXPECT_EQ(slots("2;;;", "INT8;DT_UNDEFINED", ""),
            (Slots{tensor({2}, "INT8", ""), absent("DT_UNDEFINED", "")}));
}

TEST(TensorListTest, TooFewDtypesAreAMismatch) {
  const ListProblem found = problem("1,2;3,4", "INT8", "ND");
  EXPECT_EQ(found.reason, "dtype_count_mismatch");
  EXPECT_EQ(found.detail, "Input Data Types: 1 entries, but Input Shapes has 2");
  EXPECT_EQ(problem("1,2", "", "ND").reason, "dtype_count_mismatch");
  EXPECT_EQ(problem("1,2", "N/A", "ND").reason, "dtype_count_mismatch");
  EXPECT_EQ(problem(";2", "INT8", "ND").reason, "dtype_count_mismatch");
}

TEST(TensorListTest, TooFewShapesAreAMismatch) {
  const ListProblem found = problem("1,2", "INT8;DT_UNDEFINED", "ND;NULL");
  EXPECT_EQ(found.reason, "shape_count_mismatch");
  EXPECT_EQ(found.detail, "Input Shapes: 1 entries, but Input Data Types has 2");
  EXPECT_EQ(problem("", "INT8;INT8").reason, "shape_count_mismatch");
}

TEST(TensorListTest, AnotherNumberOfFormatsIsAMismatch) {
  const ListProblem found = problem("1;2", "INT8;INT8", "ND");
  EXPECT_EQ(found.reason, "format_count_mismatch");
  EXPECT_EQ(found.detail, "Input Formats: 1 entries, but Input Shapes has 2");
  EXPECT_EQ(problem("1", "INT8", "ND;ND").reason, "format_count_mismatch");
  EXPECT_EQ(problem("", "", "ND").reason, "format_count_mismatch");
}

TEST(TensorListTest, FormatsMayBeUnstatedAsAWhole) {
  EXPECT_EQ(slots("1;2", "INT8;INT8", ""), (Slots{tensor({1}, "INT8", ""), tensor({2}, "INT8", "")}));
  EXPECT_EQ(slots("1", "INT8", "N/A"), (Slots{tensor({1}, "INT8", "")}));
}

TEST(TensorListTest, ZeroAndTwoToThe53AreDimensions) {
  EXPECT_EQ(slots("0,5;9007199254740992", "INT8;INT8", ""),
            (Slots{tensor({0, 5}, "INT8", ""), tensor({9007199254740992}, "INT8", "")}));
}

TEST(TensorListTest, LeadingZerosAreDecimal) {
  EXPECT_EQ(slots("010", "INT8", ""), (Slots{tensor({10}, "INT8", "")}));
}

TEST(TensorListTest, WhatIsNoDimensionIsAnInvalidShape) {
  for (const char* shape :
       {"1,,2", "1,x", "-3", "-0", "+3", "1.0", "1e3", ",", "1,", ",1", "9007199254740993",
        "0,9007199254740993", "99999999999999999999", "(1,2)", "( )", "1 2", "1\"2", "0x10"}) {
    EXPECT_EQ(problem(shape, "INT8", "ND").reason, "shape_invalid") << shape;
  }
}

TEST(TensorListTest, InvalidShapeIsNamedWithColumnAndSlot) {
  EXPECT_EQ(problem("2,2;1,x", "INT8;INT8", "ND;ND").detail, "Input Shapes: slot 2: '1,x' is not a shape");
}

TEST(TensorListTest, DirectionIsNamedInTheDetail) {
  const auto result = parse_tensor_list("Output", "x", "INT8", "ND");
  ASSERT_TRUE(std::holds_alternative<ListProblem>(result));
  EXPECT_EQ(std::get<ListProblem>(result).detail, "Output Shapes: slot 1: 'x' is not a shape");
}

TEST(TensorListTest, ProductUpToTwoToThe53IsAShape) {
  // 2^26 * 2^27 = 2^53; twice that is too much, and so is a product past 2^63.
  EXPECT_EQ(slots("67108864,134217728", "INT8", ""), (Slots{tensor({67108864, 134217728}, "INT8", "")}));
  EXPECT_EQ(problem("67108864,134217728,2", "INT8").reason, "shape_invalid");
  EXPECT_EQ(problem("4294967296,4294967296,4294967296", "INT8").reason, "shape_invalid");
}

TEST(TensorListTest, EmptyTensorIsAShapeWhateverItsOtherDimensions) {
  EXPECT_EQ(slots("4294967296,4294967296,0", "INT8", ""),
            (Slots{tensor({4294967296, 4294967296, 0}, "INT8", "")}));
}

}  // namespace
}  // namespace profdb::importer
