// Shapes and dtype names (engine/leaf/tensor.h, formats §2).
#include "engine/leaf/tensor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace profdb {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kTwoTo32 = std::int64_t{1} << 32;

TEST(TensorTest, ElementCountIsTheProduct) {
  EXPECT_EQ(element_count({2, 4, 72}), 576);
}

TEST(TensorTest, ElementCountOfAScalarIsOne) {
  EXPECT_EQ(element_count({}), 1);
}

TEST(TensorTest, ElementCountSaturates) {
  EXPECT_EQ(element_count({kTwoTo32, kTwoTo32}), kLargest);  // 2^64
  EXPECT_EQ(element_count({kTwoTo32, kTwoTo32, kTwoTo32, kTwoTo32, 3}), kLargest);
  EXPECT_EQ(element_count({kLargest, 1}), kLargest);
}

TEST(TensorTest, ElementCountWithAZeroIsZeroWhateverTheOthersAre) {
  EXPECT_EQ(element_count({0, kLargest, kLargest}), 0);
  EXPECT_EQ(element_count({kLargest, kLargest, 0}), 0);
}

TEST(TensorTest, FractalNzOfRankFourIsUntiled) {
  // [H,W,h,w] -> [H*w, W*h]: 320*16, 48*8
  EXPECT_EQ(logical_shape({320, 48, 8, 16}, "FRACTAL_NZ"), (Shape{5120, 384}));
}

TEST(TensorTest, FractalNzKeepsLeadingDimensions) {
  // [16,3, H=4,W=5,h=6,w=7] -> [16,3, 28, 30]
  EXPECT_EQ(logical_shape({16, 3, 4, 5, 6, 7}, "FRACTAL_NZ"), (Shape{16, 3, 28, 30}));
}

TEST(TensorTest, FractalNzBelowRankFourIsAlreadyLogical) {
  EXPECT_EQ(logical_shape({16, 7168, 4096}, "FRACTAL_NZ"), (Shape{16, 7168, 4096}));
  EXPECT_EQ(logical_shape({}, "FRACTAL_NZ"), Shape{});
}

TEST(TensorTest, OtherFormatsAreAlreadyLogical) {
  for (const char* format : {"ND", "NCHW", ""}) {
    EXPECT_EQ(logical_shape({320, 48, 8, 16}, format), (Shape{320, 48, 8, 16})) << format;
  }
}

TEST(TensorTest, LogicalShapeSaturates) {
  EXPECT_EQ(logical_shape({kTwoTo32, 1, 1, kTwoTo32}, "FRACTAL_NZ"), (Shape{kLargest, 1}));
  EXPECT_EQ(logical_shape({1, kLargest, 2, 0}, "FRACTAL_NZ"), (Shape{0, kLargest}));
}

TEST(TensorTest, LeadingOneGoesFromRankThreeOn) {
  EXPECT_EQ(without_leading_one({1, 48, 512}), (Shape{48, 512}));
  EXPECT_EQ(without_leading_one({1, 1, 48, 512}), (Shape{1, 48, 512}));  // one of them
}

TEST(TensorTest, LeadingOneStaysBelowRankThree) {
  EXPECT_EQ(without_leading_one({1, 512}), (Shape{1, 512}));
  EXPECT_EQ(without_leading_one({1}), (Shape{1}));
  EXPECT_EQ(without_leading_one({}), Shape{});
}

TEST(TensorTest, OtherLeadingDimensionStays) {
  EXPECT_EQ(without_leading_one({2, 1, 512}), (Shape{2, 1, 512}));
}

TEST(TensorTest, ShapeAsText) {
  EXPECT_EQ(to_string(Shape{136, 5120}), "136,5120");
  EXPECT_EQ(to_string(Shape{7}), "7");
  EXPECT_EQ(to_string(Shape{}), "");
}

TEST(TensorTest, FrameworkDtypesHaveProfilerNames) {
  EXPECT_EQ(profiler_dtype("bfloat16"), "DT_BF16");
  EXPECT_EQ(profiler_dtype("int8"), "INT8");
  EXPECT_EQ(profiler_dtype("int32"), "INT32");
  EXPECT_EQ(profiler_dtype("int64"), "INT64");
  EXPECT_EQ(profiler_dtype("float32"), "FLOAT");
  EXPECT_EQ(profiler_dtype("bool"), "BOOL");
}

TEST(TensorTest, Float16IsProfiledAsBf16ExceptInComputeScale) {
  EXPECT_EQ(profiler_dtype("float16"), "DT_BF16");
  EXPECT_EQ(profiler_dtype("float16", false), "DT_FLOAT16");
  EXPECT_EQ(profiler_dtype("bfloat16", false), "DT_BF16");
}

TEST(TensorTest, OtherDtypesAreKeptInUpperCase) {
  EXPECT_EQ(profiler_dtype("float8_e4m3fn"), "FLOAT8_E4M3FN");
  EXPECT_EQ(profiler_dtype("DT_BF16"), "DT_BF16");
  EXPECT_EQ(profiler_dtype("mxfp4"), "MXFP4");
}

TEST(TensorTest, SlotsAreEqualWhereAllTheirPartsAre) {
  const TensorSlot slot{.shape = {2}, .dtype = "INT8", .format = "ND"};
  EXPECT_EQ(slot, slot);
  EXPECT_NE(slot, (TensorSlot{.present = false, .shape = {2}, .dtype = "INT8", .format = "ND"}));
  EXPECT_NE(slot, (TensorSlot{.shape = {2}, .dtype = "INT8", .format = "FRACTAL_NZ"}));
}

}  // namespace
}  // namespace profdb
