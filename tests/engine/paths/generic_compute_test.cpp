// Generic compute: along the first dimension of input 0, or the elements of the output (contract §12).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/release.h"
#include "tests/support/shorthand.h"

namespace profdb {
namespace {

using test::csv_header;
using test::leaf;
using test::measured;
using test::TestRelease;
using ::testing::ElementsAre;
using ::testing::Pair;

std::string one_op(const std::string& fields) {
  return "operator_mappings:\n  op: {" + fields + "}\n";
}

Result ask(const std::string& rows, const std::string& leaf_json,
           const std::string& fields = "kernel_type: RmsNorm") {
  return TestRelease({{"RmsNorm.csv", csv_header() + rows}}, one_op(fields)).lookup(leaf_json);
}

// axis_0 from 10 (100 us) to 30 (200 us): 150 at 20.
const std::string kRows = measured("DT_BF16[10,300] DT_BF16[300]", "DT_BF16[10,300]", {"100"}) +
                          measured("DT_BF16[30,300] DT_BF16[300]", "DT_BF16[30,300]", {"200"});

TEST(GenericComputeTest, Axis0IsTheFirstDimensionOfInput0) {
  const Result result = ask(kRows, leaf("op", "bfloat16[20,300] bfloat16[300]"));
  EXPECT_EQ(result.source, Source::interpolated);
  EXPECT_EQ(result.path, "generic_compute");
  EXPECT_THAT(result.axes, ElementsAre("axis_0"));
  EXPECT_EQ(result.dim, 1);
  EXPECT_DOUBLE_EQ(result.latency_us, 150);
  EXPECT_THAT(result.details.target_axes, ElementsAre(Pair("axis_0", 20)));
}

TEST(GenericComputeTest, TheRestOfInput0IsInTheRegime) {
  EXPECT_EQ(ask(kRows, leaf("op", "bfloat16[20,301] bfloat16[300]")).reason, "regime_mismatch");
}

TEST(GenericComputeTest, TheFullShapesOfTheOthersAreInTheRegime) {
  EXPECT_EQ(ask(kRows, leaf("op", "bfloat16[20,300] bfloat16[301]")).reason, "regime_mismatch");
}

TEST(GenericComputeTest, TheInputCountIsInTheRegime) {
  EXPECT_EQ(ask(kRows, leaf("op", "bfloat16[20,300]")).reason, "regime_mismatch");
}

TEST(GenericComputeTest, DtypesAreInTheRegime) {
  EXPECT_EQ(ask(kRows, leaf("op", "bfloat16[20,300] float32[300]")).reason, "regime_mismatch");
}

TEST(GenericComputeTest, OutputsAreNotInTheRegimeOfAxis0) {
  EXPECT_DOUBLE_EQ(ask(kRows, leaf("op", "bfloat16[20,300] bfloat16[300]", "int8[7] int8[8]")).latency_us,
                   150);
}

TEST(GenericComputeTest, ALeadingOneIsRemovedFromRankThreeUp) {
  EXPECT_DOUBLE_EQ(ask(kRows, leaf("op", "bfloat16[1,20,300] bfloat16[300]")).latency_us, 150);
  const std::string rows = measured("DT_BF16[1,10,300] DT_BF16[1,4,5]", "DT_BF16[10,300]", {"100"}) +
                           measured("DT_BF16[30,300] DT_BF16[4,5]", "DT_BF16[30,300]", {"200"});
  EXPECT_DOUBLE_EQ(ask(rows, leaf("op", "bfloat16[20,300] bfloat16[4,5]")).latency_us, 150);
}

// axis_0 = 1 at 10 us, 3 at 30 us: 20 at 2.
TEST(GenericComputeTest, ALeadingOneOfRankTwoIsTheAxis) {
  const std::string rows = measured("DT_BF16[1,300]", "DT_BF16[1,300]", {"10"}) +
                           measured("DT_BF16[3,300]", "DT_BF16[3,300]", {"30"});
  EXPECT_DOUBLE_EQ(ask(rows, leaf("op", "bfloat16[2,300]")).latency_us, 20);
}

TEST(GenericComputeTest, AnotherSizeOfInput1WithTheSameAxisIsAnotherRegime) {
  const std::string rows = measured("DT_BF16[10,300] DT_BF16[300]", "DT_BF16[10,300]", {"100"}) +
                           measured("DT_BF16[30,300] DT_BF16[600]", "DT_BF16[30,300]", {"200"});
  EXPECT_EQ(ask(rows, leaf("op", "bfloat16[20,300] bfloat16[300]")).reason, "insufficient_candidates");
}

// contract §12 lists kernel, input count, dtypes and shapes as the regime: no formats.
// contract §12 lists no formats; what contract §1 calls format groups keeps rows of different layouts apart
// here as well.
TEST(GenericComputeTest, FormatsNeverMixInOneInterpolation) {
  const std::string rows = measured("DT_BF16[10,300]:ND", "DT_BF16[10,300]", {"100"}) +
                           measured("DT_BF16[30,300]:NCHW", "DT_BF16[30,300]", {"200"});
  EXPECT_EQ(ask(rows, leaf("op", "bfloat16[20,300]")).reason, "insufficient_candidates");
}

TEST(GenericComputeTest, AStatedFormatUsesItsOwnRows) {
  EXPECT_EQ(ask(kRows, leaf("op", "bfloat16[20,300]:NCHW bfloat16[300]")).reason, "regime_mismatch");
}

TEST(GenericComputeTest, ACallWithoutTensorsIsUnextractable) {
  EXPECT_EQ(ask(kRows, leaf("op", "float32[] -")).reason, "target_unextractable");
}

TEST(GenericComputeTest, ADimensionLimitOfZeroDisablesTheAxis) {
  const std::string policy =
      "interpolation_policy:\n  kernel_overrides: {RmsNorm: {max_interpolation_dim: 0}}\n";
  const TestRelease release({{"RmsNorm.csv", csv_header() + kRows}}, policy + one_op("kernel_type: RmsNorm"));
  EXPECT_EQ(release.lookup(leaf("op", "bfloat16[20,300] bfloat16[300]")).reason,
            "interpolation_dim_disabled");
  EXPECT_EQ(release.lookup(leaf("op", "bfloat16[30,300] bfloat16[300]")).source, Source::measured);
}

const std::string kOutputNumel =
    "interpolation_policy:\n  kernel_overrides:\n    GatherV2: {generic_compute: {axis: output_numel}}\n";

std::string gather(int table, int indices, const char* latency) {
  return measured(fmt::format("DT_BF16[{},64] INT64[{}]", table, indices),
                  fmt::format("DT_BF16[{},64]", indices), {latency});
}

std::string gather_call(int table, int indices) {
  return leaf("op", fmt::format("bfloat16[{},64] int64[{}]", table, indices),
              fmt::format("bfloat16[{},64]", indices));
}

Result ask_gather(const std::string& rows, const std::string& leaf_json,
                  const std::string& fields = "kernel_type: GatherV2") {
  return TestRelease({{"GatherV2.csv", csv_header() + rows}}, kOutputNumel + one_op(fields))
      .lookup(leaf_json);
}

// 640 elements take 100 us, 1920 take 300 us: 200 us at 1280.
const std::string kGather = gather(1000, 10, "100") + gather(1000, 30, "300");

TEST(OutputNumelTest, TheAxisIsTheProductOfTheOutputsDimensions) {
  const Result result = ask_gather(kGather, gather_call(1000, 20));
  EXPECT_DOUBLE_EQ(result.latency_us, 200);
  EXPECT_THAT(result.axes, ElementsAre("output_numel"));
  EXPECT_THAT(result.details.target_axes, ElementsAre(Pair("output_numel", 1280)));
}

TEST(OutputNumelTest, InputShapesAreNotInTheRegime) {
  EXPECT_DOUBLE_EQ(ask_gather(kGather, gather_call(2000, 20)).latency_us, 200);
}

TEST(OutputNumelTest, InputCountAndDtypesAreInTheRegime) {
  EXPECT_EQ(ask_gather(kGather, leaf("op", "bfloat16[1000,64] int32[20]", "bfloat16[20,64]")).reason,
            "regime_mismatch");
  EXPECT_EQ(ask_gather(kGather, leaf("op", "bfloat16[1000,64]", "bfloat16[20,64]")).reason,
            "regime_mismatch");
}

TEST(OutputNumelTest, TheOutputBeyondItsFirstDimensionIsInTheRegime) {
  EXPECT_EQ(ask_gather(kGather, leaf("op", "bfloat16[1000,64] int64[20]", "bfloat16[40,32]")).reason,
            "regime_mismatch");
}

TEST(OutputNumelTest, ALeadingOneOfTheOutputIsRemoved) {
  EXPECT_DOUBLE_EQ(
      ask_gather(kGather, leaf("op", "bfloat16[1000,64] int64[1,20]", "bfloat16[1,20,64]")).latency_us, 200);
}

TEST(OutputNumelTest, SeveralOutputsAreUnsupported) {
  EXPECT_EQ(ask_gather(kGather, leaf("op", "bfloat16[1000,64] int64[20]", "bfloat16[10,64] bfloat16[10,64]"))
                .reason,
            "multi_output_unsupported");
}

TEST(OutputNumelTest, RowsWithSeveralOutputsAreRejected) {
  const std::string rows =
      kGather + measured("DT_BF16[1000,64] INT64[20]", "DT_BF16[20,64] DT_BF16[20,64]", {"1"});
  const Result result = ask_gather(rows, gather_call(1000, 50));
  EXPECT_EQ(result.reason, "outside_boundary");
  EXPECT_EQ(result.details.rejected_rows.at("multi_output_unsupported"), 1);
}

TEST(OutputNumelTest, WithoutAnOutputTheTargetIsUnextractable) {
  EXPECT_EQ(ask_gather(kGather, leaf("op", "bfloat16[1000,64] int64[20]")).reason, "target_unextractable");
}

TEST(OutputNumelTest, ACoincidingCoordinateIsABracketOfWidthZero) {
  const Result result = ask_gather(kGather, gather_call(2000, 10));  // another table: no exact match
  EXPECT_EQ(result.source, Source::interpolated);
  EXPECT_EQ(result.latency_us, 100);
  ASSERT_EQ(result.details.boundary.size(), 1U);
  EXPECT_EQ(result.details.boundary[0].low, 640);
  EXPECT_EQ(result.details.boundary[0].high, 640);
}

TEST(AxisPolicyTest, AlternatesTakeThePrimarysPolicy) {
  const TestRelease release(
      {{"GatherV3.csv", csv_header() + kGather}},
      kOutputNumel + one_op("kernel_type: GatherV2, alternate_kernel_types: [GatherV3]"));
  EXPECT_THAT(release.lookup(gather_call(1000, 20)).axes, ElementsAre("output_numel"));
}

TEST(AxisPolicyTest, TheKernelsOwnPolicyComesFirst) {
  const TestRelease release({{"GatherV3.csv", csv_header() + kRows}},
                            kOutputNumel + "    GatherV3: {generic_compute: {axis: axis_0}}\n" +
                                one_op("kernel_type: GatherV2, alternate_kernel_types: [GatherV3]"));
  const Result result = release.lookup(leaf("op", "bfloat16[20,300] bfloat16[300]", "bfloat16[20,300]"));
  EXPECT_THAT(result.axes, ElementsAre("axis_0"));
  EXPECT_DOUBLE_EQ(result.latency_us, 150);
}

// What a row projects to depends on the operator that asks.
TEST(AxisPolicyTest, OneKernelHasAnAxisPerOperatorThatAsks) {
  const TestRelease release({{"GatherV3.csv", csv_header() + gather(10, 20, "100") + gather(30, 60, "300")}},
                            kOutputNumel +
                                "operator_mappings:\n"
                                "  by_output: {kernel_type: GatherV2, alternate_kernel_types: [GatherV3]}\n"
                                "  by_input: {kernel_type: GatherV3, tc_input_count: 1}\n");
  EXPECT_THAT(release.lookup(leaf("by_output", "bfloat16[9,64] int64[40]", "bfloat16[40,64]")).axes,
              ElementsAre("output_numel"));
  EXPECT_THAT(release.lookup(leaf("by_input", "bfloat16[20,64] int64[40]", "bfloat16[40,64]")).axes,
              ElementsAre("axis_0"));
}

TEST(AxisPolicyTest, OneKernelHasAnInputCountPerOperatorThatAsks) {
  const TestRelease release(
      {{"Cast.csv", csv_header() + measured("DT_BF16[10,8] INT64[4]", "DT_BF16[10,8]", {"100"}) +
                        measured("DT_BF16[30,8] INT64[5]", "DT_BF16[30,8]", {"200"})}},
      "operator_mappings:\n  of_one: {kernel_type: Cast, tc_input_count: 1}\n  of_all: {kernel_type: "
      "Cast}\n");
  EXPECT_DOUBLE_EQ(release.lookup(leaf("of_one", "bfloat16[20,8] int64[9]")).latency_us, 150);
  EXPECT_EQ(release.lookup(leaf("of_all", "bfloat16[20,8] int64[4]")).reason, "insufficient_candidates");
}

// Rewrites come before contract §12 too: SwiGlu's halves [20,150] are one input [20,300]; 150 us between 10
// and 30.
TEST(GenericComputeTest, TheTargetIsRewrittenBeforeItIsProjected) {
  const TestRelease release(
      {{"SwiGlu.csv", csv_header() + measured("DT_BF16[10,300]", "DT_BF16[10,150]", {"100"}) +
                          measured("DT_BF16[30,300]", "DT_BF16[30,150]", {"200"})}},
      one_op("kernel_type: SwiGlu"));
  EXPECT_DOUBLE_EQ(release.lookup(leaf("op", "bfloat16[20,150] bfloat16[20,150]")).latency_us, 150);
}

}  // namespace
}  // namespace profdb
