// The base exact match, rule by rule (contract §2).
#include "engine/lookup/base_exact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace profdb::base_exact {
namespace {

using ::testing::Contains;

Signature signature(const std::vector<Shape>& shapes) {
  Signature slots;
  for (const Shape& shape : shapes)
    slots.push_back({.present = true, .shape = shape, .dtype = "DT_BF16", .format = ""});
  return slots;
}

// The match rule of a call against a row's shapes; "none" where they do not match.
std::string rule(const std::vector<Shape>& call, const std::string& row, const std::string& kernel = "Cast") {
  const auto found = match(signature(call), row, kernel);
  return found ? found->match_rule : "none";
}

bool is_padded(const std::vector<Shape>& call, const std::string& row, const std::string& kernel = "Cast") {
  const auto found = match(signature(call), row, kernel);
  return found && found->padded;
}

TEST(BaseExactTest, EqualShapesAreIdentity) {
  EXPECT_EQ(rule({{16, 256}, {256}}, "16,256;256"), "identity");
  EXPECT_FALSE(is_padded({{16, 256}, {256}}, "16,256;256"));
}

TEST(BaseExactTest, OneSlotThatMatchesNoRuleRejectsTheRow) {
  EXPECT_EQ(rule({{16, 256}, {257}}, "16,256;300"), "none");
  EXPECT_EQ(rule({{16, 256}}, "16,2,128"), "none");
}

TEST(BaseExactTest, BatchStripRemovesALeadingOneFromTheTarget) {
  EXPECT_EQ(rule({{1, 136, 5120}}, "136,5120"), "batch_strip");
  EXPECT_FALSE(is_padded({{1, 136, 5120}}, "136,5120"));
}

TEST(BaseExactTest, BatchStripRemovesALeadingOneFromTheRow) {
  EXPECT_EQ(rule({{136, 5120}}, "1,136,5120"), "batch_strip");
}

TEST(BaseExactTest, BatchStripRemovesOneDimensionOnly) {
  const auto found = match(signature({{1, 1, 136, 5120}}), "136,5120", "Cast");
  EXPECT_TRUE(!found || found->padded) << "two leading dimensions of 1 are no exact match";
}

TEST(BaseExactTest, BatchStripRemovesDimensionsOfOneOnly) {
  EXPECT_EQ(rule({{2, 136, 5120}}, "136,5120"), "none");
}

TEST(BaseExactTest, TransposeSwapsTheSecondInputOfMatrixKernels) {
  for (const char* kernel :
       {"MatMul", "MatMulV2", "MatMulV3", "MatMulCommon", "BatchMatMulV2", "BatchMatMulNd",
        "TransposeBatchMatMul", "QuantBatchMatmulV3", "GroupedMatmul", "GroupedMatmulSwigluQuant"})
    EXPECT_EQ(rule({{16, 256}, {256, 512}}, "16,256;512,256", kernel), "transpose") << kernel;
}

TEST(BaseExactTest, TransposeIsNoRuleOfOtherKernels) {
  EXPECT_EQ(rule({{16, 256}, {256, 512}}, "16,256;512,256", "RmsNorm"), "none");
}

TEST(BaseExactTest, TransposeIsNoRuleOfTheFirstInput) {
  EXPECT_EQ(rule({{256, 512}, {512, 8}}, "512,256;512,8", "MatMulV2"), "none");
}

TEST(BaseExactTest, BatchedTransposeSwapsTheLastTwoDimensions) {
  EXPECT_EQ(rule({{2, 16, 256}, {2, 256, 512}}, "2,16,256;2,512,256", "BatchMatMulV2"), "batched_transpose");
}

TEST(BaseExactTest, BatchedTransposeKeepsTheBatch) {
  EXPECT_EQ(rule({{2, 16, 256}, {4, 256, 512}}, "2,16,256;2,512,256", "BatchMatMulV2"), "none");
}

TEST(BaseExactTest, TransposesEndAtRankThree) {
  EXPECT_EQ(rule({{2, 3, 16, 256}, {2, 3, 256, 512}}, "2,3,16,256;2,3,512,256", "BatchMatMulV2"), "none");
}

TEST(BaseExactTest, SquareWeightsAreIdentityBeforeTranspose) {
  EXPECT_EQ(rule({{16, 256}, {256, 256}}, "16,256;256,256", "MatMulV2"), "identity");
}

// 70 rounded up: 80 to 16, 96 to 32, 128 to 64, and 72 to 8, which is allowed from 64 on.
TEST(BaseExactTest, PaddingRoundsTheRowUpTo16Or32Or64) {
  for (const std::int64_t padded : {80, 96, 128, 72}) {
    EXPECT_EQ(rule({{padded, 300}}, "70,300"), "padding") << padded;
    EXPECT_TRUE(is_padded({{padded, 300}}, "70,300")) << padded;
  }
}

TEST(BaseExactTest, PaddingTo8NeedsARowDimensionOf64) {
  EXPECT_EQ(rule({{40, 300}}, "33,300"), "none");      // 33 -> 40 only by 8
  EXPECT_EQ(rule({{56, 300}}, "50,300"), "none");      // 50 -> 56 only by 8
  EXPECT_EQ(rule({{72, 300}}, "65,300"), "padding");   // 65 -> 72 by 8
  EXPECT_EQ(rule({{104, 300}}, "97,300"), "padding");  // 97 -> 104 by 8
}

TEST(BaseExactTest, PaddingGoesToTheNextMultipleOnly) {
  EXPECT_EQ(rule({{80, 300}}, "41,300"), "none");   // 41 -> 48 or 64
  EXPECT_EQ(rule({{144, 300}}, "70,300"), "none");  // 70 -> 72, 80, 96 or 128
}

TEST(BaseExactTest, PaddingRoundsTheRowNotTheTarget) {
  EXPECT_EQ(rule({{41, 300}}, "48,300"), "none");
}

TEST(BaseExactTest, PaddingHoldsForEveryDimension) {
  EXPECT_EQ(rule({{48, 304}}, "41,300"), "padding");  // 41 -> 48 and 300 -> 304, both by 16
  EXPECT_EQ(rule({{48, 305}}, "41,300"), "none");
}

TEST(BaseExactTest, PaddingAfterRemovingLeadingOnesSaysBoth) {
  EXPECT_EQ(rule({{1, 48, 300}}, "41,300"), "batch_strip+padding");
  EXPECT_EQ(rule({{48, 300}}, "1,41,300"), "batch_strip+padding");
  EXPECT_TRUE(is_padded({{1, 48, 300}}, "41,300"));
}

TEST(BaseExactTest, Flatten3dJoinsTheFirstTwoDimensions) {
  for (const char* kernel :
       {"AscendQuantV2", "DynamicQuant", "RmsNorm", "AddRmsNorm", "AddRmsNormBias", "DispatchFFNCombine"}) {
    EXPECT_EQ(rule({{2, 68, 5120}}, "136,5120", kernel), "flatten_3d") << kernel;
    EXPECT_FALSE(is_padded({{2, 68, 5120}}, "136,5120", kernel)) << kernel;
  }
}

TEST(BaseExactTest, Flatten3dIsNoRuleOfOtherKernels) {
  EXPECT_EQ(rule({{2, 68, 5120}}, "136,5120", "Cast"), "none");
}

// 2 * 72 = 144, which is 136 rounded up to 16.
TEST(BaseExactTest, Flatten3dMayNeedPadding) {
  EXPECT_EQ(rule({{2, 72, 5120}}, "136,5120", "RmsNorm"), "flatten_3d+padding");
  EXPECT_TRUE(is_padded({{2, 72, 5120}}, "136,5120", "RmsNorm"));
}

TEST(BaseExactTest, MergeLastDimsJoinsTheLastTwoDimensions) {
  for (const char* kernel : {"AscendQuantV2", "DynamicQuant"})
    EXPECT_EQ(rule({{136, 4, 128}}, "136,512", kernel), "merge_last_dims") << kernel;
}

TEST(BaseExactTest, MergeLastDimsIsNoRuleOfTheNorms) {
  for (const char* kernel : {"RmsNorm", "AddRmsNorm", "AddRmsNormBias", "DispatchFFNCombine", "Cast"})
    EXPECT_EQ(rule({{136, 4, 128}}, "136,512", kernel), "none") << kernel;
}

TEST(BaseExactTest, MergeLastDimsMayNeedPadding) {  // 136 -> 144 by 16
  EXPECT_EQ(rule({{144, 4, 128}}, "136,512", "DynamicQuant"), "merge_last_dims+padding");
  EXPECT_TRUE(is_padded({{144, 4, 128}}, "136,512", "DynamicQuant"));
}

TEST(BaseExactTest, TheFirstRuleThatHoldsNamesTheMatch) {
  EXPECT_EQ(rule({{1, 136, 5120}}, "136,5120", "RmsNorm"), "batch_strip");  // flatten_3d holds too
  EXPECT_EQ(rule({{1, 144, 5120}}, "136,5120", "RmsNorm"), "batch_strip+padding");
}

TEST(BaseExactTest, IndexAcceptsARowAgainstAColumn) {
  EXPECT_EQ(rule({{1, 512}}, "512,1", "Index"), "singleton_axis_transpose");
  EXPECT_FALSE(is_padded({{1, 512}}, "512,1", "Index"));
  EXPECT_EQ(rule({{1, 512}}, "512,1", "Cast"), "none");
}

TEST(BaseExactTest, MatchRuleJoinsTheSlotsRulesInSlotOrder) {
  EXPECT_EQ(rule({{48, 256}, {256, 512}}, "41,256;512,256", "MatMulV2"), "padding+transpose");
  EXPECT_EQ(rule({{1, 41, 256}, {256, 512}}, "41,256;512,256", "MatMulV2"), "batch_strip+transpose");
}

TEST(BaseExactTest, MatchRuleNamesEachPartOnce) {
  EXPECT_EQ(rule({{1, 16, 8}, {1, 16, 9}}, "16,8;16,9"), "batch_strip");
  EXPECT_EQ(rule({{1, 48, 300}, {48, 300}}, "41,300;41,300"), "batch_strip+padding");
}

TEST(BaseExactTest, MatchRuleNamesIdentityOnlyWhereThereAreNoOthers) {
  EXPECT_EQ(rule({{16, 256}, {1, 5, 7}}, "16,256;5,7"), "batch_strip");
}

TEST(BaseExactTest, PaddingInAnySlotMakesTheRowCompatible) {
  EXPECT_TRUE(is_padded({{16, 256}, {1, 9, 7}, {48, 300}}, "16,256;9,7;41,300"));
  EXPECT_FALSE(is_padded({{16, 256}, {1, 9, 7}, {41, 300}}, "16,256;9,7;41,300"));
}

TEST(BaseExactTest, ElementsAreCountedPerSlot) {
  EXPECT_EQ(elements(signature({{16, 256}, {5}, {1, 2, 3}})), "4096;5;6");
}

TEST(BaseExactTest, RowKeyKeepsTheShapes) {
  const Key key = row_key(signature({{16, 256}, {512}}));
  EXPECT_EQ(key.input_shapes, "16,256;512");
  EXPECT_EQ(key.elements, "4096;512");
}

struct KeyCase {
  const char* name;
  Shape call;
  Shape row;
  const char* kernel;
};

void PrintTo(const KeyCase& key_case, std::ostream* out) {
  *out << to_string(key_case.call) << " against " << to_string(key_case.row);
}

class BaseExactKeyTest : public testing::TestWithParam<KeyCase> {};

// A row whose key the call does not ask for is never compared, whatever the rules say.
TEST_P(BaseExactKeyTest, EveryRuleFindsItsRow) {
  const auto& [name, call, row, kernel] = GetParam();
  ASSERT_NE(rule({call}, to_string(row), kernel), "none");
  EXPECT_THAT(padded_block_keys(signature({call}), kernel),
              Contains(row_key(signature({row})).padded_blocks));
}

INSTANTIATE_TEST_SUITE_P(
    Rules, BaseExactKeyTest,
    testing::Values(KeyCase{"Identity", {41, 300}, {41, 300}, "Cast"},
                    KeyCase{"BatchStripOfTheTarget", {1, 41, 300}, {41, 300}, "Cast"},
                    KeyCase{"BatchStripOfTheRow", {41, 300}, {1, 41, 300}, "Cast"},
                    KeyCase{"PaddingTo16", {48, 304}, {41, 300}, "Cast"},
                    KeyCase{"PaddingTo64", {128, 320}, {70, 300}, "Cast"},
                    KeyCase{"PaddingOfALeadingOne", {16, 300}, {1, 300}, "Cast"},
                    KeyCase{"PaddingOfTwoLeadingOnes", {16, 16, 300}, {1, 1, 300}, "Cast"},
                    KeyCase{"BatchStripAndPadding", {1, 48, 300}, {41, 300}, "Cast"},
                    KeyCase{"BatchStripAndPaddingOfALeadingOne", {1, 16, 300}, {1, 300}, "Cast"},
                    KeyCase{"Flatten3d", {2, 68, 5120}, {136, 5120}, "RmsNorm"},
                    KeyCase{"Flatten3dAndPadding", {2, 72, 5120}, {136, 5120}, "RmsNorm"},
                    KeyCase{"MergeLastDims", {136, 4, 128}, {136, 512}, "DynamicQuant"},
                    KeyCase{"MergeLastDimsAndPadding", {144, 4, 128}, {136, 512}, "DynamicQuant"},
                    KeyCase{"SingletonAxisTranspose", {1, 512}, {512, 1}, "Index"}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace profdb::base_exact
