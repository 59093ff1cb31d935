// Matrix compute: M, K, N, their regime, axis groups and format groups (contract §3).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/lookup/matrix_shapes.h"
#include "engine/paths/registry.h"
#include "tests/support/release.h"
#include "tests/support/shorthand.h"

namespace profdb {
namespace {

using test::csv_header;
using test::leaf;
using test::measured;
using test::TestRelease;
using ::testing::ElementsAre;

Signature signature(const Shape& a, const Shape& b) {
  return {{.present = true, .shape = a, .dtype = "DT_BF16", .format = "ND"},
          {.present = true, .shape = b, .dtype = "DT_BF16", .format = "ND"}};
}

// "M=16 K=256 N=512 lead_a= lead_b=8", or "none".
std::string mkn(const Shape& a, const Shape& b, const std::string& kernel = "MatMulV2") {
  const auto shapes = matrix_shapes(signature(a, b), kernel);
  if (!shapes) return "none";
  return fmt::format("M={} K={} N={} lead_a={} lead_b={}", shapes->m, shapes->k, shapes->n,
                     to_string(shapes->lead_a), to_string(shapes->lead_b));
}

TEST(MatrixShapesTest, MKNComeFromTheLastTwoDimensions) {
  EXPECT_EQ(mkn({16, 256}, {256, 512}), "M=16 K=256 N=512 lead_a= lead_b=");
}

TEST(MatrixShapesTest, ATransposedBGivesTheSame) {
  EXPECT_EQ(mkn({16, 256}, {512, 256}), "M=16 K=256 N=512 lead_a= lead_b=");
}

TEST(MatrixShapesTest, WithoutACommonKThereIsNothing) {
  EXPECT_EQ(mkn({16, 256}, {300, 512}), "none");
}

TEST(MatrixShapesTest, VectorsAndSingleInputsAreNoMatrices) {
  EXPECT_EQ(mkn({256}, {256, 512}), "none");
  EXPECT_EQ(mkn({16, 256}, {256}), "none");
  Signature one = signature({16, 256}, {256, 512});
  one.pop_back();
  EXPECT_FALSE(matrix_shapes(one, "MatMulV2"));
}

TEST(MatrixShapesTest, ALeadingOneIsRemoved) {
  EXPECT_EQ(mkn({1, 16, 256}, {1, 256, 512}), "M=16 K=256 N=512 lead_a= lead_b=");
  EXPECT_EQ(mkn({1, 16, 256}, {8, 256, 512}, "GroupedMatmul"), "M=16 K=256 N=512 lead_a= lead_b=8");
}

TEST(MatrixShapesTest, ALeadingOneOfAMatrixStays) {
  EXPECT_EQ(mkn({1, 256}, {256, 512}), "M=1 K=256 N=512 lead_a= lead_b=");
}

TEST(MatrixShapesTest, BatchedKernelsKeepALeadingOne) {
  for (const char* kernel : {"BatchMatMulV2", "BatchMatMulNd", "TransposeBatchMatMul", "QuantBatchMatmulV3"})
    EXPECT_EQ(mkn({1, 16, 256}, {1, 256, 512}, kernel), "M=16 K=256 N=512 lead_a=1 lead_b=1") << kernel;
}

TEST(MatrixComputeTest, AxisGroupsStandInTheContractsOrder) {
  std::vector<std::string> groups;
  for (const AxisGroup& group : matrix_compute_path().spec().groups) {
    std::string name;
    for (const std::size_t axis : group)
      name += (name.empty() ? "" : "+") + std::string(matrix_compute_path().spec().axes[axis]);
    groups.push_back(name);
  }
  EXPECT_THAT(groups, ElementsAre("M", "K", "N", "M+K", "M+N", "K+N", "M+K+N"));
}

std::string row(int m, int k, int n, double latency_us, const std::string& formats = "ND ND") {
  const auto blank = formats.find(' ');
  return measured(fmt::format("DT_BF16[{},{}]:{} DT_BF16[{},{}]:{}", m, k, formats.substr(0, blank), k, n,
                              formats.substr(blank + 1)),
                  fmt::format("DT_BF16[{},{}]", m, n), {fmt::format("{}", latency_us)});
}

std::string call(int m, int k, int n) {
  return leaf("mm", fmt::format("bfloat16[{},{}] bfloat16[{},{}]", m, k, k, n));
}

Result ask(const std::string& rows, const std::string& leaf_json,
           const std::string& fields = "kernel_type: MatMulV3") {
  return TestRelease({{"MatMulV3.csv", csv_header() + rows}}, "operator_mappings:\n  mm: {" + fields + "}\n")
      .lookup(leaf_json);
}

// Lines through (20,20,20): along M 100 to 200, along K 1000 to 2000, along N 10 to 30; the middle of each.
const std::string kAlongM = row(10, 20, 20, 100) + row(30, 20, 20, 200);
const std::string kAlongK = row(20, 10, 20, 1000) + row(20, 30, 20, 2000);
const std::string kAlongN = row(20, 20, 10, 10) + row(20, 20, 30, 30);
// Planes through (20,20,20), of one latency each.
const std::string kPlaneMK =
    row(10, 10, 20, 50) + row(30, 10, 20, 50) + row(10, 30, 20, 50) + row(30, 30, 20, 50);
const std::string kPlaneMN =
    row(10, 20, 10, 70) + row(30, 20, 10, 70) + row(10, 20, 30, 70) + row(30, 20, 30, 70);
const std::string kPlaneKN =
    row(20, 10, 10, 90) + row(20, 30, 10, 90) + row(20, 10, 30, 90) + row(20, 30, 30, 90);

struct GroupCase {
  std::string rows;
  std::vector<std::string> axes;
  double latency_us;
};

TEST(MatrixComputeTest, TheFirstGroupThatAnswersWins) {
  for (const auto& [rows, axes, latency_us] : std::vector<GroupCase>{
           {kAlongN + kAlongK + kAlongM, {"M"}, 150},
           {kAlongN + kAlongK, {"K"}, 1500},
           {kAlongN + kPlaneMK, {"N"}, 20},
           {kPlaneKN + kPlaneMN + kPlaneMK, {"M", "K"}, 50},
           {kPlaneKN + kPlaneMN, {"M", "N"}, 70},
           {kPlaneKN, {"K", "N"}, 90},
       }) {
    const Result result = ask(rows, call(20, 20, 20));
    EXPECT_EQ(result.axes, axes);
    EXPECT_EQ(result.dim, static_cast<int>(axes.size()));
    EXPECT_DOUBLE_EQ(result.latency_us, latency_us);
    EXPECT_EQ(result.path, "matrix_compute");
  }
}

// On M + 10 K + 100 N over the corners of a cube: 20 + 200 + 2000 in the middle.
TEST(MatrixComputeTest, ThreeDimensionsComeLast) {
  std::string rows;
  for (const int m : {10, 30})
    for (const int k : {10, 30})
      for (const int n : {10, 30}) rows += row(m, k, n, m + 10 * k + 100 * n);
  const Result result = ask(rows, call(20, 20, 20));
  EXPECT_EQ(result.source, Source::interpolated);
  EXPECT_THAT(result.axes, ElementsAre("M", "K", "N"));
  EXPECT_EQ(result.method, "griddata_linear");
  EXPECT_NEAR(result.latency_us, 2220, 1e-9);
  EXPECT_EQ(result.confidence, 0.60);
  std::vector<std::string> tried;
  for (const Attempt& attempt : result.details.attempts) {
    std::string name;
    for (const std::string& axis : attempt.axes) name += axis;
    if (attempt.source_class == "selected") tried.push_back(name);
  }
  EXPECT_THAT(tried, ElementsAre("M", "K", "N", "MK", "MN", "KN", "MKN"));
}

TEST(MatrixComputeTest, TheOrientationOfBIsNotMatched) {
  const std::string transposed = measured("DT_BF16[30,20] DT_BF16[40,20]", "DT_BF16[30,40]", {"200"});
  EXPECT_DOUBLE_EQ(ask(row(10, 20, 40, 100) + transposed, call(20, 20, 40)).latency_us, 150);
}

TEST(MatrixComputeTest, InputsWithoutACommonKAreUnextractable) {
  const Result result = ask(kAlongM, leaf("mm", "bfloat16[20,20] bfloat16[21,22]"));
  EXPECT_EQ(result.reason, "target_unextractable");
}

TEST(MatrixComputeTest, RowsWithoutACommonKAreRejected) {
  const Result result =
      ask(kAlongM + measured("DT_BF16[20,20] DT_BF16[21,22]", "DT_BF16[20,22]", {"1"}), call(20, 20, 20));
  EXPECT_EQ(result.details.rejected_rows.at("target_unextractable"), 1);
}

TEST(MatrixComputeTest, DtypesAreInTheRegime) {
  EXPECT_EQ(ask(kAlongM, leaf("mm", "int8[20,20] int8[20,20]")).reason, "regime_mismatch");
  EXPECT_EQ(ask(kAlongM, leaf("mm", "float32[20,20] float32[20,20]")).reason, "regime_mismatch");
}

TEST(MatrixComputeTest, FloatIsBf16ForMatMulV2) {
  const TestRelease release({{"MatMulV2.csv", csv_header() + kAlongM}},
                            "operator_mappings:\n  mm: {kernel_type: MatMulV2}\n");
  EXPECT_DOUBLE_EQ(release.lookup(leaf("mm", "float32[20,20] float32[20,20]")).latency_us, 150);
}

TEST(MatrixComputeTest, TheInputCountIsInTheRegime) {
  EXPECT_EQ(ask(kAlongM, leaf("mm", "bfloat16[20,20] bfloat16[20,20] bfloat16[20]")).reason,
            "regime_mismatch");
  EXPECT_EQ(ask(kAlongM, leaf("mm", "bfloat16[20,20] bfloat16[20,20] bfloat16[20]"),
                "kernel_type: MatMulV3, tc_input_count: 2")
                .latency_us,
            150);
}

// Rows 4 and 64 of M in a batch of 16, on 2 M + 2: 66 at 32.
TEST(MatrixComputeTest, LeadingDimensionsAreInTheRegime) {
  const TestRelease release(
      {{"BatchMatMulV2.csv",
        csv_header() + measured("DT_BF16[16,4,128] DT_BF16[16,128,512]", "DT_BF16[16,4,512]", {"10"}) +
            measured("DT_BF16[16,64,128] DT_BF16[16,128,512]", "DT_BF16[16,64,512]", {"130"})}},
      "operator_mappings:\n  bmm: {kernel_type: BatchMatMulV2}\n");
  EXPECT_DOUBLE_EQ(release.lookup(leaf("bmm", "bfloat16[16,32,128] bfloat16[16,128,512]")).latency_us, 66);
  EXPECT_EQ(release.lookup(leaf("bmm", "bfloat16[8,32,128] bfloat16[8,128,512]")).reason, "regime_mismatch");
  EXPECT_EQ(release.lookup(leaf("bmm", "bfloat16[16,32,128] bfloat16[128,512]")).reason, "regime_mismatch");
}

// The bias is no axis and in no regime field: (20,20,20) with another bias is no exact match, but the
// coordinate is.
TEST(MatrixComputeTest, ACoincidingCoordinateIsABracketOfWidthZero) {
  const auto with_bias = [](int m, const char* latency) {
    return measured(fmt::format("DT_BF16[{},20] DT_BF16[20,20] DT_BF16[20]", m), "DT_BF16[20]", {latency});
  };
  const Result result = ask(with_bias(20, "7") + with_bias(30, "9"),
                            leaf("mm", "bfloat16[20,20] bfloat16[20,20] bfloat16[21,22]"));
  EXPECT_EQ(result.source, Source::interpolated);
  EXPECT_EQ(result.latency_us, 7);
  ASSERT_EQ(result.details.boundary.size(), 1U);
  EXPECT_EQ(result.details.boundary[0].axis, "M");
  EXPECT_EQ(result.details.boundary[0].low, 20);
  EXPECT_EQ(result.details.boundary[0].high, 20);
}

TEST(MatrixComputeTest, ThePrimaryKernelDecidesForItsAlternates) {
  const TestRelease release(
      {{"Custom.csv", csv_header() + kAlongM}},
      "operator_mappings:\n  mm: {kernel_type: MatMulV3, alternate_kernel_types: [Custom]}\n");
  const Result result = release.lookup(call(20, 20, 20));
  EXPECT_EQ(result.path, "matrix_compute");
  EXPECT_EQ(result.kernel, "Custom");
  EXPECT_DOUBLE_EQ(result.latency_us, 150);
}

std::string nz(double low, double high, const std::string& formats = "ND FRACTAL_NZ") {
  return row(10, 20, 20, low, formats) + row(30, 20, 20, high, formats);
}

TEST(MatrixFormatsTest, AllNdIsTriedFirst) {  // although FRACTAL_NZ was measured first and has more rows
  EXPECT_DOUBLE_EQ(
      ask(nz(10, 20) + row(40, 20, 20, 30, "ND FRACTAL_NZ") + kAlongM, call(20, 20, 20)).latency_us, 150);
}

TEST(MatrixFormatsTest, ThenTheGroupWithMoreRows) {
  const std::string rows =
      nz(10, 20) + nz(300, 500, "FRACTAL_NZ FRACTAL_NZ") + row(40, 20, 20, 600, "FRACTAL_NZ FRACTAL_NZ");
  EXPECT_DOUBLE_EQ(ask(rows, call(20, 20, 20)).latency_us, 400);
}

TEST(MatrixFormatsTest, ThenTheGroupOfTheFirstRow) {
  EXPECT_DOUBLE_EQ(ask(nz(300, 500, "FRACTAL_NZ FRACTAL_NZ") + nz(10, 20), call(20, 20, 20)).latency_us, 400);
  EXPECT_DOUBLE_EQ(ask(nz(10, 20) + nz(300, 500, "FRACTAL_NZ FRACTAL_NZ"), call(20, 20, 20)).latency_us, 15);
}

TEST(MatrixFormatsTest, TheNextGroupAnswersWhereTheFirstCannot) {
  const Result result = ask(row(10, 20, 20, 100) + nz(10, 20), call(20, 20, 20));
  EXPECT_DOUBLE_EQ(result.latency_us, 15);
  EXPECT_THAT(result.details.regime,
              testing::Contains(testing::Pair("input_formats", FieldValue("ND;FRACTAL_NZ"))));
}

TEST(MatrixFormatsTest, GroupsNeverMix) {
  EXPECT_EQ(ask(row(10, 20, 20, 100) + row(30, 20, 20, 20, "ND FRACTAL_NZ"), call(20, 20, 20)).reason,
            "insufficient_candidates");
}

TEST(MatrixFormatsTest, AFormatThatTheLeafNamesMustMatch) {
  EXPECT_DOUBLE_EQ(
      ask(kAlongM + nz(10, 20), leaf("mm", "bfloat16[20,20] bfloat16[20,20]:FRACTAL_NZ")).latency_us, 15);
  EXPECT_EQ(ask(kAlongM + nz(10, 20), leaf("mm", "bfloat16[20,20]:NCHW bfloat16[20,20]")).reason,
            "regime_mismatch");
}

TEST(MatrixFormatsTest, ExpectedFormatsStandInForOmittedOnes) {
  const std::string fields = "kernel_type: MatMulV3, expected_input_formats: [ND, FRACTAL_NZ]";
  EXPECT_DOUBLE_EQ(ask(kAlongM + nz(10, 20), call(20, 20, 20), fields).latency_us, 15);
  EXPECT_DOUBLE_EQ(
      ask(kAlongM + nz(10, 20), leaf("mm", "bfloat16[20,20] bfloat16[20,20]:ND"), fields).latency_us, 150);
}

// Contract §1: within one kernel interpolation goes format groups, then source classes.
TEST(MatrixFormatsTest, EverySourceClassOfAGroupComesBeforeTheNextGroup) {
  const auto with = [](int m, const char* format, const std::vector<std::string>& latencies) {
    return measured(fmt::format("DT_BF16[{},20] DT_BF16[20,20]:{}", m, format), "DT_BF16[20]", latencies);
  };
  const TestRelease release(
      {{"MatMulV3.csv", csv_header("Average Duration(us),Median Duration(us)") +
                            with(10, "FRACTAL_NZ", {"10", ""}) + with(30, "FRACTAL_NZ", {"20", ""}) +
                            with(10, "ND", {"0", "100"}) + with(30, "ND", {"", "200"})}},
      "operator_mappings:\n  mm: {kernel_type: MatMulV3}\n");
  const Result result = release.lookup(call(20, 20, 20));
  EXPECT_DOUBLE_EQ(result.latency_us, 150);
  EXPECT_EQ(result.details.source_class, "fallback");
}

TEST(MatrixComputeTest, TheTargetCarriesAxesAndRegime) {
  const Result result = ask(kAlongM, leaf("mm", "bfloat16[40,20] bfloat16[20,20]"));
  EXPECT_EQ(result.reason, "outside_boundary");
  EXPECT_THAT(result.details.target_axes,
              ElementsAre(testing::Pair("M", 40), testing::Pair("K", 20), testing::Pair("N", 20)));
  EXPECT_THAT(
      result.details.target_regime,
      testing::IsSupersetOf({testing::Pair(std::string("input_count"), FieldValue(std::int64_t{2})),
                             testing::Pair(std::string("input_dtypes"), FieldValue("DT_BF16;DT_BF16"))}));
}

}  // namespace
}  // namespace profdb
