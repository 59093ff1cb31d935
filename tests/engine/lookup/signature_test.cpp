// Which inputs take part in a comparison, and how a call is rewritten before it (contract §2,
// engine/lookup/signature.h).
#include "engine/lookup/signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/shorthand.h"

namespace profdb {
namespace {

using test::leaf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct CallSetup {
  std::string kernel = "Cast";
  std::optional<std::int64_t> tc_input_count = std::nullopt;
  std::vector<std::int64_t> row_input_counts = {};
};

Signature signature_of(const std::string& leaf_json, const CallSetup& setup = {}) {
  const LeafOp leaf_op = parse_leaf_op(leaf_json);
  OpMapping op;
  op.op = leaf_op.op;
  op.kernels = {setup.kernel};
  op.tc_input_count = setup.tc_input_count;
  const std::string axis_policy;
  const EngineOptions options;
  return call_signature({leaf_op, op, setup.kernel, axis_policy, options, false, &setup.row_input_counts});
}

std::vector<Shape> shapes(const Signature& signature) {
  std::vector<Shape> found;
  for (const TensorSlot& slot : signature) found.push_back(slot.shape);
  return found;
}

std::vector<Shape> shapes_of(const std::string& leaf_json, const CallSetup& setup = {}) {
  return shapes(signature_of(leaf_json, setup));
}

TensorSlot slot(Shape shape, std::string dtype, std::string format = "ND") {
  return {.present = true, .shape = std::move(shape), .dtype = std::move(dtype), .format = std::move(format)};
}

TensorSlot absent() {
  return {.present = false, .shape = {}, .dtype = "DT_UNDEFINED", .format = ""};
}

Signature row_signature_of(const std::vector<TensorSlot>& inputs, const std::string& kernel = "Cast",
                           std::int64_t tc_input_count = kAbsentInteger) {
  Row row;
  row.inputs = inputs;
  return row_signature(row, {"base_exact", kernel, tc_input_count, ""});
}

TEST(SignatureTest, ScalarsAndAbsentArgumentsAreDropped) {
  EXPECT_THAT(shapes_of(leaf("op", "bfloat16[16,256] - float32[] bfloat16[256]")),
              ElementsAre(Shape{16, 256}, Shape{256}));
}

TEST(SignatureTest, ScalarsAndEmptySlotsOfARowAreDropped) {
  EXPECT_THAT(shapes(row_signature_of(
                  {slot({16, 256}, "DT_BF16"), absent(), slot({}, "FLOAT"), slot({256}, "DT_BF16")})),
              ElementsAre(Shape{16, 256}, Shape{256}));
}

// [2,3,16,32] = [H,W,h,w] is the tiled form of [H*w, W*h] = [64,48] (formats §2).
TEST(SignatureTest, FractalNzIsRestoredOnBothSides) {
  EXPECT_THAT(shapes_of(leaf("op", "int8[2,3,16,32]:FRACTAL_NZ")), ElementsAre(Shape{64, 48}));
  EXPECT_THAT(shapes(row_signature_of({slot({2, 3, 16, 32}, "INT8", "FRACTAL_NZ")})),
              ElementsAre(Shape{64, 48}));
}

TEST(SignatureTest, DtypesAreTheProfilersNames) {
  EXPECT_EQ(joined_dtypes(signature_of(leaf("op", "bfloat16[2] float16[2] int64[2] float8_e4m3[2]"))),
            "DT_BF16;DT_BF16;INT64;FLOAT8_E4M3");
}

TEST(SignatureTest, FormatsThatNobodyStatesAreEmpty) {
  EXPECT_EQ(joined_formats(signature_of(leaf("op", "bfloat16[2] bfloat16[2]:ND bfloat16[2]"))), ";ND;");
}

TEST(SignatureTest, ListsAreFlattenedInPlace) {
  EXPECT_THAT(shapes_of(leaf(
                  "op", R"(bfloat16[1] {"list":[{"shape":[2],"dtype":"int8"},{"shape":[3],"dtype":"int8"}]})"
                        " bfloat16[4]")),
              ElementsAre(Shape{1}, Shape{2}, Shape{3}, Shape{4}));
}

TEST(SignatureTest, TcInputCountKeepsTheFirstTensorInputsOfTheCall) {
  EXPECT_THAT(shapes_of(leaf("op", "float32[] - bfloat16[1] bfloat16[2] bfloat16[3]"), {.tc_input_count = 2}),
              ElementsAre(Shape{1}, Shape{2}));
}

TEST(SignatureTest, TcInputCountKeepsTheFirstTensorInputsOfTheRow) {
  EXPECT_THAT(
      shapes(row_signature_of(
          {slot({}, "FLOAT"), absent(), slot({1}, "INT8"), slot({2}, "INT8"), slot({3}, "INT8")}, "Cast", 2)),
      ElementsAre(Shape{1}, Shape{2}));
}

TEST(SignatureTest, AddmmsBiasMovesToTheEnd) {
  const std::string inputs = "bfloat16[512] bfloat16[16,256] bfloat16[256,512]";
  EXPECT_THAT(shapes_of(leaf("aten.addmm.default", inputs), {.kernel = "MatMulV2"}),
              ElementsAre(Shape{16, 256}, Shape{256, 512}, Shape{512}));
  EXPECT_THAT(shapes_of(leaf("aten.baddbmm.default", inputs), {.kernel = "MatMulV2"}),
              ElementsAre(Shape{512}, Shape{16, 256}, Shape{256, 512}));
}

TEST(SignatureTest, AddmmsBiasMovesBeforeTheCut) {
  EXPECT_THAT(shapes_of(leaf("aten.addmm.default", "bfloat16[512] bfloat16[16,256] bfloat16[256,512]"),
                        {.kernel = "MatMulV2", .tc_input_count = 2}),
              ElementsAre(Shape{16, 256}, Shape{256, 512}));
}

TEST(SignatureTest, GroupedMatmulStacksAListOfEqualWeights) {
  const std::string grouped = leaf("op", "bfloat16[16,256] 8*bfloat16[256,512]");
  for (const char* kernel : {"GroupedMatmul", "GroupedMatmulSwigluQuant"})
    EXPECT_THAT(shapes_of(grouped, {.kernel = kernel}), ElementsAre(Shape{16, 256}, Shape{8, 256, 512}))
        << kernel;
  EXPECT_EQ(shapes_of(grouped, {.kernel = "MatMulV2"}).size(), 9U) << "1 input and a flattened list of 8";
}

TEST(SignatureTest, GroupedMatmulFlattensAListOfUnequalWeights) {
  const std::string weights =
      R"({"list":[{"shape":[256,8],"dtype":"int8"},{"shape":[256,9],"dtype":"int8"}]})";
  EXPECT_THAT(shapes_of(leaf("op", "bfloat16[16,256] " + weights), {.kernel = "GroupedMatmul"}),
              ElementsAre(Shape{16, 256}, Shape{256, 8}, Shape{256, 9}));
}

TEST(SignatureTest, GroupedMatmulStacksBeforeTheCut) {
  EXPECT_THAT(shapes_of(leaf("op", "bfloat16[16,256] 8*bfloat16[256,512] int64[8]"),
                        {.kernel = "GroupedMatmul", .tc_input_count = 2}),
              ElementsAre(Shape{16, 256}, Shape{8, 256, 512}));
}

// Each weight is [32,16,16,16] = [H,W,h,w], so [H*w, W*h] = [512,256] logically.
TEST(SignatureTest, GroupedMatmulStacksLogicalShapes) {
  EXPECT_THAT(
      shapes_of(leaf("op", "bfloat16[4,512] 8*int8[32,16,16,16]:FRACTAL_NZ"), {.kernel = "GroupedMatmul"}),
      ElementsAre(Shape{4, 512}, Shape{8, 512, 256}));
}

TEST(SignatureTest, RopeSwapsQAndKWithTheirHeads) {
  const std::string rope =
      leaf("op", "float32[1,64,136,128] bfloat16[1,8,136,128] bfloat16[1,136,128] bfloat16[1,136,128]");
  for (const char* kernel : {"ApplyRotaryPosEmb", "_triton_rope", "split_qkv_rmsnorm_rope_kernel"})
    EXPECT_THAT(shapes_of(rope, {.kernel = kernel}),
                ElementsAre(Shape{1, 136, 8, 128}, Shape{1, 136, 64, 128}, Shape{1, 136, 1, 128},
                            Shape{1, 136, 1, 128}))
        << kernel;
  EXPECT_THAT(shapes_of(rope, {.kernel = "Cast"}), ElementsAre(Shape{1, 64, 136, 128}, Shape{1, 8, 136, 128},
                                                               Shape{1, 136, 128}, Shape{1, 136, 128}));
}

TEST(SignatureTest, RopeMovesTheDtypesWithTheShapes) {
  EXPECT_EQ(joined_dtypes(signature_of(leaf("op", "int8[1,64,136,128] bfloat16[1,8,136,128]"),
                                       {.kernel = "ApplyRotaryPosEmb"})),
            "DT_BF16;INT8");
}

TEST(SignatureTest, RopeIsRewrittenAfterTheCut) {
  EXPECT_THAT(shapes_of(leaf("op", "bfloat16[1,64,136,128] bfloat16[1,8,136,128] bfloat16[1,136,128]"),
                        {.kernel = "_triton_rope", .tc_input_count = 2}),
              ElementsAre(Shape{1, 136, 8, 128}, Shape{1, 136, 64, 128}));
}

TEST(SignatureTest, SwiGluJoinsTwoInputsWhereRowsHaveOne) {
  const std::string swiglu = leaf("op", "bfloat16[16,3072] bfloat16[16,3072]");
  EXPECT_THAT(shapes_of(swiglu, {.kernel = "SwiGlu", .row_input_counts = {1}}), ElementsAre(Shape{16, 6144}));
  EXPECT_THAT(shapes_of(swiglu, {.kernel = "SwiGlu", .row_input_counts = {2}}),
              ElementsAre(Shape{16, 3072}, Shape{16, 3072}));
  EXPECT_THAT(shapes_of(swiglu, {.kernel = "Gelu", .row_input_counts = {1}}),
              ElementsAre(Shape{16, 3072}, Shape{16, 3072}));
}

TEST(SignatureTest, CacheWriteTakesKeyValueAndBothHalvesOfTheCache) {
  const std::string write =
      leaf("op", "bfloat16[16,512] bfloat16[16,64] bfloat16[2,100,128,1,512] int32[16]");
  for (const char* kernel : {"ReshapeAndCacheNdKernel", "reshape_and_cache_200000000"})
    EXPECT_THAT(shapes_of(write, {.kernel = kernel}),
                ElementsAre(Shape{16, 1, 512}, Shape{16, 1, 64}, Shape{100, 128, 1, 512},
                            Shape{100, 128, 1, 512}, Shape{16}))
        << kernel;
  EXPECT_EQ(shapes_of(write, {.kernel = "Cast"}).size(), 4U);
}

TEST(SignatureTest, CacheWriteKeepsTheDtypesInPlace) {
  EXPECT_EQ(joined_dtypes(
                signature_of(leaf("op", "bfloat16[16,512] bfloat16[16,64] int8[2,100,128,1,512] int32[16]"),
                             {.kernel = "ReshapeAndCacheNdKernel"})),
            "DT_BF16;DT_BF16;INT8;INT8;INT32");
}

TEST(SignatureTest, CacheWriteIsRewrittenAfterTheCut) {
  EXPECT_EQ(shapes_of(leaf("op", "bfloat16[16,512] bfloat16[16,64] bfloat16[2,100,128,1,512] int32[16]"),
                      {.kernel = "ReshapeAndCacheNdKernel", .tc_input_count = 4})
                .size(),
            5U);
}

TEST(SignatureTest, Bf16AndFloatAreEqualForSomeKernels) {
  for (const char* kernel : {"ApplyRotaryPosEmb", "_triton_rope", "split_qkv_rmsnorm_rope_kernel", "MatMulV2",
                             "PadV3", "PadV3AiCore", "MoeGatingTopK"})
    EXPECT_EQ(kernel_dtype(kernel, "FLOAT"), kernel_dtype(kernel, "DT_BF16")) << kernel;
}

TEST(SignatureTest, Bf16AndFloatDifferForAllOthers) {
  for (const char* kernel : {"MatMulV3", "MatMul", "BatchMatMulV2", "Cast", "RmsNorm"})
    EXPECT_NE(kernel_dtype(kernel, "FLOAT"), kernel_dtype(kernel, "DT_BF16")) << kernel;
}

TEST(SignatureTest, OtherDtypesAreNeverEqualToBf16) {
  for (const char* dtype : {"INT8", "DT_FLOAT16", "FLOAT8_E4M3"})
    EXPECT_EQ(kernel_dtype("MatMulV2", dtype), dtype);
}

TEST(SignatureTest, BothSidesTellDtypesApartAlike) {
  EXPECT_EQ(joined_dtypes(row_signature_of({slot({16, 256}, "FLOAT")}, "MatMulV2")),
            joined_dtypes(signature_of(leaf("op", "bfloat16[16,256]"), {.kernel = "MatMulV2"})));
}

Signature assumed_signature(const std::string& text, std::vector<std::string> formats) {
  const LeafOp parsed = parse_leaf_op(text);
  OpMapping op;
  op.expected_input_formats = std::move(formats);
  const std::string kernel = "MatMulV2";
  const std::string no_policy;
  const EngineOptions options;
  return call_signature({parsed, op, kernel, no_policy, options, true, {}});
}

// [16,8,16,32] = [H,W,h,w] is [16*32, 8*16] = [512,128] once its format is known.
TEST(SignatureTest, ExpectedInputFormatsFillOmittedFormatsOnly) {
  const Signature signature = assumed_signature(
      leaf("op", "bfloat16[4,512]:ND int8[16,8,16,32] bfloat16[128]"), {"FRACTAL_NZ", "FRACTAL_NZ"});
  EXPECT_EQ(joined_formats(signature), "ND;FRACTAL_NZ;");
  EXPECT_THAT(shapes(signature), ElementsAre(Shape{4, 512}, Shape{512, 128}, Shape{128}));
}

TEST(SignatureTest, MoreExpectedFormatsThanInputsAreIgnored) {
  EXPECT_EQ(joined_formats(assumed_signature(leaf("op", "bfloat16[4,512]"), {"ND", "FRACTAL_NZ", "ND"})),
            "ND");
}

// formats §4: an absent argument holds its position.
TEST(SignatureTest, ExpectedInputFormatsCountAbsentInputs) {
  EXPECT_EQ(joined_formats(assumed_signature(leaf("op", "bfloat16[40,64] - bfloat16[64,64]"),
                                             {"ND", "ND", "FRACTAL_NZ"})),
            "ND;FRACTAL_NZ");
}

// The format belongs to the argument, wherever the kernel takes it: addmm's bias moves to the end.
TEST(SignatureTest, ExpectedInputFormatsMoveWithTheirArgument) {
  EXPECT_EQ(joined_formats(
                assumed_signature(leaf("aten.addmm.default", "bfloat16[64] bfloat16[40,64] bfloat16[64,64]"),
                                  {"ND", "ND", "FRACTAL_NZ"})),
            "ND;FRACTAL_NZ;ND");
}

TEST(SignatureTest, ACallWithoutTensorsHasAnEmptySignature) {
  EXPECT_THAT(shapes_of(leaf("op", "float32[] -")), IsEmpty());
}

}  // namespace
}  // namespace profdb
