// Broadcasting operators by the shape of their output (contract §7).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/release.h"
#include "tests/support/shorthand.h"

namespace profdb {
namespace {

using nlohmann::json;
using test::csv_header;
using test::leaf;
using test::measured;
using test::TestRelease;

constexpr const char* kMapping =
    "operator_mappings:\n"
    "  aten.add.Tensor: {kernel_type: Add, alternate_kernel_types: [AddAiCore], query_mode: elementwise}\n";

// An add of two equal inputs; dtypes as the profiler names them.
std::string row(const std::string& shape, const std::string& latency, const std::string& dtype = "DT_BF16") {
  const std::string tensor = dtype + "[" + shape + "]";
  return measured(tensor + " " + tensor, tensor, {latency});
}

std::string call(const std::string& shape, const std::string& dtype = "bfloat16") {
  const std::string tensor = dtype + "[" + shape + "]";
  return leaf("aten.add.Tensor", tensor + " " + tensor, tensor);
}

TestRelease release_of(const std::string& rows, const std::string& mapping = kMapping) {
  return {{{"Add.csv", csv_header() + rows}}, mapping};
}

void expect_miss(const Result& result, const std::string& reason) {
  EXPECT_EQ(result.source, Source::miss) << to_json(result).dump();
  EXPECT_EQ(result.reason, reason) << to_json(result).dump();
}

// f = x + 2 y on a square: (16,64) 144, (48,64) 176, (16,128) 272, (48,128) 304.
std::string square() {
  return row("16,64", "144") + row("48,64", "176") + row("16,128", "272") + row("48,128", "304");
}

TEST(ElementwiseTest, InterpolatesAlongAxis0) {
  const Result result = release_of(square()).lookup(call("32,64"));  // half way: 160
  EXPECT_EQ(result.source, Source::interpolated);
  EXPECT_DOUBLE_EQ(result.latency_us, 160);
  EXPECT_EQ(result.axes, std::vector<std::string>{"axis_0"});
  EXPECT_EQ(result.method, "linear_1d");
}

TEST(ElementwiseTest, InterpolatesAlongAxis1) {
  const Result result = release_of(square()).lookup(call("16,80"));  // 144 + 16 * 2
  EXPECT_DOUBLE_EQ(result.latency_us, 176);
  EXPECT_EQ(result.axes, std::vector<std::string>{"axis_1"});
}

TEST(ElementwiseTest, InterpolatesAlongBothAxes) {
  const Result result = release_of(square()).lookup(call("32,96"));  // 32 + 2 * 96
  EXPECT_NEAR(result.latency_us, 224, 1e-9);
  EXPECT_EQ(result.dim, 2);
  EXPECT_EQ(result.method, "griddata_linear");
  EXPECT_EQ(result.axes, (std::vector<std::string>{"axis_0", "axis_1"}));
  EXPECT_EQ(result.confidence, 0.65);
}

// (32,64) lies on a measured line along axis_0, though the plane could answer too.
TEST(ElementwiseTest, OneDimensionComesBeforeTwo) {
  const Result result =
      release_of(row("16,64", "100") + row("64,64", "148") + row("16,128", "500") + row("64,128", "900"))
          .lookup(call("32,64"));
  EXPECT_EQ(result.dim, 1);
  EXPECT_DOUBLE_EQ(result.latency_us, 116);  // 100 + 16/48 * 48
}

TEST(ElementwiseTest, MaxDimensionStopsThePlane) {
  const std::string policy = "interpolation_policy: {kernel_overrides: {Add: {max_interpolation_dim: 1}}}\n";
  const TestRelease release = release_of(square(), policy + kMapping);
  expect_miss(release.lookup(call("32,96")), "interpolation_dim_disabled");
  EXPECT_DOUBLE_EQ(release.lookup(call("32,64")).latency_us, 160);
}

TEST(ElementwiseTest, ExactIsTheWholeOutputShape) {
  const Result result = release_of(square()).lookup(call("48,64"));
  EXPECT_EQ(result.source, Source::measured);
  EXPECT_EQ(result.method, "exact_coordinate");
  EXPECT_EQ(result.latency_us, 176);
}

TEST(ElementwiseTest, ALeadingOneOfRankThreeIsNoDimension) {
  EXPECT_EQ(release_of(square()).lookup(call("1,48,64")).latency_us, 176);
}

// Rank 3: axis_0 alone, the tail fixed.
TEST(ElementwiseTest, HigherRanksFixTheWholeTail) {
  const TestRelease release = release_of(row("16,4,8", "10") + row("32,4,8", "20") + row("16,4,16", "12"));
  EXPECT_DOUBLE_EQ(release.lookup(call("24,4,8")).latency_us, 15);
  expect_miss(release.lookup(call("24,4,10")), "regime_mismatch");
  const Result result = release.lookup(call("24,4,16"));
  expect_miss(result, "insufficient_candidates");
  for (const Attempt& attempt : result.details.attempts) {  // axis_1 and the plane are no attempts
    if (attempt.kernel != "Add") continue;
    EXPECT_EQ(attempt.axes, std::vector<std::string>{"axis_0"});
  }
}

TEST(ElementwiseTest, RankOneHasOneAxis) {
  EXPECT_DOUBLE_EQ(release_of(row("16", "10") + row("32", "20")).lookup(call("24")).latency_us, 15);
}

TEST(ElementwiseTest, OutputRankIsIsolated) {
  expect_miss(release_of(square()).lookup(call("48,8,8")), "regime_mismatch");
}

TEST(ElementwiseTest, BroadcastPatternsAreIsolated) {
  const TestRelease release =
      release_of(row("16,64", "10") + measured("DT_BF16[16,64] DT_BF16[64]", "DT_BF16[16,64]", {"20"}) +
                 measured("DT_BF16[16,64] DT_BF16[1,64]", "DT_BF16[16,64]", {"30"}) +
                 measured("DT_BF16[16,64] DT_BF16[16,1]", "DT_BF16[16,64]", {"40"}));
  const auto ask = [&](const std::string& second) {
    return release.lookup(
        leaf("aten.add.Tensor", "bfloat16[16,64] bfloat16[" + second + "]", "bfloat16[16,64]"));
  };
  EXPECT_EQ(ask("16,64").latency_us, 10);
  EXPECT_EQ(ask("64").latency_us, 20);
  EXPECT_EQ(ask("1,64").latency_us, 30);
  EXPECT_EQ(ask("16,1").latency_us, 40);
  expect_miss(ask("1,1"), "regime_mismatch");
  expect_miss(ask("1"), "regime_mismatch");
}

TEST(ElementwiseTest, InputCountIsIsolated) {
  expect_miss(release_of(square()).lookup(leaf(
                  "aten.add.Tensor", "bfloat16[16,64] bfloat16[16,64] bfloat16[16,64]", "bfloat16[16,64]")),
              "regime_mismatch");
}

// A scalar operand is no tensor input; one input is another count than two.
TEST(ElementwiseTest, ScalarsAreNoInputs) {
  const TestRelease release =
      release_of(measured("DT_BF16[16,64] FLOAT[]", "DT_BF16[16,64]", {"5"}) + square());
  EXPECT_EQ(
      release.lookup(leaf("aten.add.Tensor", "bfloat16[16,64] float32[]", "bfloat16[16,64]")).latency_us, 5);
}

TEST(ElementwiseTest, OtherDtypesAreRefused) {
  const TestRelease release = release_of(square());
  expect_miss(release.lookup(call("16,64", "float32")), "regime_mismatch");
  // Mixed precision is another kernel: the output's dtype, or one input's, differs.
  expect_miss(release.lookup(leaf("aten.add.Tensor", "bfloat16[16,64] bfloat16[16,64]", "float32[16,64]")),
              "regime_mismatch");
  expect_miss(release.lookup(leaf("aten.add.Tensor", "bfloat16[16,64] float32[16,64]", "bfloat16[16,64]")),
              "regime_mismatch");
}

TEST(ElementwiseTest, AlternateKernelsAnswerInMappingOrder) {
  const TestRelease release({{"Add.csv", csv_header() + row("16,64", "10") + row("32,64", "20")},
                             {"AddAiCore.csv", csv_header() + row("16,64", "1") + row("64,64", "7")}},
                            kMapping);
  EXPECT_EQ(release.lookup(call("16,64")).kernel, "Add") << "both measured it";
  const Result exact = release.lookup(call("64,64"));
  EXPECT_EQ(exact.kernel, "AddAiCore");
  EXPECT_EQ(exact.latency_us, 7);
  const Result between = release.lookup(call("40,64"));  // beyond Add's 32; 1 + 24/48 * 6
  EXPECT_EQ(between.kernel, "AddAiCore");
  EXPECT_DOUBLE_EQ(between.latency_us, 4);
  // An exact answer of the alternate comes before the primary's interpolation.
  const TestRelease other({{"Add.csv", csv_header() + row("16,64", "10") + row("32,64", "20")},
                           {"AddAiCore.csv", csv_header() + row("24,64", "99")}},
                          kMapping);
  EXPECT_EQ(other.lookup(call("24,64")).latency_us, 99);
}

TEST(ElementwiseTest, EveryKernelsReasonIsInTheDetails) {
  const TestRelease release({{"Add.csv", csv_header() + row("16,64", "10")},
                             {"AddAiCore.csv", csv_header() + row("16,64", "1") + row("64,64", "7")}},
                            kMapping);
  const Result result = release.lookup(call("80,64"));
  expect_miss(result, "outside_boundary");
  EXPECT_EQ(to_json(result)["details"]["kernels_attempted"],
            json::array({{{"kernel", "Add"}, {"reason", "insufficient_candidates"}},
                         {{"kernel", "AddAiCore"}, {"reason", "outside_boundary"}}}));
}

// Selected: 16 -> 10. Fallback: 32 -> 40, 64 -> 80. One selected row is too few; the fallback rows answer 48
// among themselves, and 24 is between the classes only.
TEST(ElementwiseTest, SourceClassesNeverMix) {
  const auto two = [](const std::string& shape, const std::string& average, const std::string& median) {
    const std::string tensor = "DT_BF16[" + shape + "]";
    return measured(tensor + " " + tensor, tensor, {average, median});
  };
  const TestRelease release(
      {{"Add.csv", csv_header("Average Duration(us),Median Duration(us)") + two("16,64", "10", "") +
                       two("32,64", "", "40") + two("64,64", "0", "80")}},
      kMapping);
  const Result result = release.lookup(call("48,64"));
  EXPECT_DOUBLE_EQ(result.latency_us, 60);
  EXPECT_EQ(result.details.source_class, "fallback");
  EXPECT_EQ(result.details.latency_column, "Median Duration(us)");
  expect_miss(release.lookup(call("24,64")), "outside_boundary");
}

TEST(ElementwiseTest, TargetsThatDoNotBroadcast) {
  expect_miss(release_of(square()).lookup(
                  leaf("aten.add.Tensor", "bfloat16[16,64] bfloat16[15,64]", "bfloat16[16,64]")),
              "broadcast_unresolvable");
  expect_miss(release_of(square()).lookup(
                  leaf("aten.add.Tensor", "bfloat16[16,64] bfloat16[2,16,64]", "bfloat16[16,64]")),
              "broadcast_unresolvable");
}

TEST(ElementwiseTest, RowsThatDoNotFitAreCounted) {
  const Result result = release_of(measured("DT_BF16[16,64] DT_BF16[15,64]", "DT_BF16[16,64]", {"1"}) +
                                   measured("DT_BF16[16,64] DT_BF16[16,64]", "DT_BF16[]", {"1"}))
                            .lookup(call("16,64"));
  expect_miss(result, "no_usable_rows");
  EXPECT_EQ(result.details.rejected_rows.at("broadcast_unresolvable"), 1);
  EXPECT_EQ(result.details.rejected_rows.at("elementwise_output_unavailable"), 1);
}

// Without an output: the base exact match, padded included, and no interpolation.
TEST(ElementwiseTest, WithoutAnOutputOnlyTheBaseExactMatch) {
  const TestRelease release = release_of(square());
  const auto silent = [](const std::string& shape) {
    return leaf("aten.add.Tensor", "bfloat16[" + shape + "] bfloat16[" + shape + "]");
  };
  const Result exact = release.lookup(silent("48,64"));
  EXPECT_EQ(exact.source, Source::measured);
  EXPECT_EQ(exact.method, "base_exact");
  EXPECT_EQ(exact.match_rule, "identity");
  EXPECT_EQ(exact.latency_us, 176);
  expect_miss(release.lookup(silent("33,64")), "elementwise_output_unavailable");
  const Result padded = release_of(row("41,64", "9")).lookup(silent("48,64"));  // 41 -> 48 by 16
  EXPECT_EQ(padded.source, Source::compatible);
  EXPECT_EQ(padded.match_rule, "padding");
  EXPECT_EQ(padded.latency_us, 9);
}

TEST(ElementwiseTest, AScalarOutputIsNone) {
  const Result result =
      release_of(square()).lookup(leaf("aten.add.Tensor", "bfloat16[48,64] bfloat16[48,64]", "bfloat16[]"));
  EXPECT_EQ(result.method, "base_exact");
}

// With an output nothing is padded: 41 rounds up to 48, but 48 was not measured.
TEST(ElementwiseTest, WithAnOutputNothingIsPadded) {
  expect_miss(release_of(row("41,64", "9")).lookup(call("48,64")), "insufficient_candidates");
}

TEST(ElementwiseTest, InvalidLatencies) {
  expect_miss(release_of(row("16,64", "0") + row("32,64", "-1")).lookup(call("16,64")), "no_usable_rows");
  expect_miss(release_of(row("16,64", "0") + row("32,4,4", "5")).lookup(call("16,64")), "latency_invalid");
}

TEST(ElementwiseTest, OutOfBoundsAndTooFew) {
  const TestRelease release = release_of(square());
  expect_miss(release.lookup(call("8,64")), "outside_boundary");
  expect_miss(release.lookup(call("32,200")), "outside_boundary");
  expect_miss(release_of(row("16,64", "10")).lookup(call("17,64")), "insufficient_candidates");
  // Three points on a line are no plane.
  expect_miss(release_of(row("16,64", "1") + row("32,128", "2") + row("48,192", "3")).lookup(call("24,80")),
              "degenerate_point_cloud");
  // Inside the square of the axes' ranges, outside the triangle.
  expect_miss(release_of(row("16,64", "1") + row("48,64", "2") + row("16,128", "3")).lookup(call("47,127")),
              "outside_convex_hull");
}

TEST(ElementwiseTest, SuccessDetails) {
  const json result = to_json(release_of(square()).lookup(call("32,96")));
  const json& details = result.at("details");
  EXPECT_EQ(result.at("path"), "elementwise");
  EXPECT_EQ(details.at("query_mode"), "elementwise");
  EXPECT_EQ(details.at("target_axes"), json({{"axis_0", 32}, {"axis_1", 96}}));
  EXPECT_EQ(details.at("boundary"), json({{"axis_0", {16, 48}}, {"axis_1", {64, 128}}}));
  EXPECT_EQ(details.at("candidate_count"), 4);
  EXPECT_EQ(details.at("regime").at("broadcast_pattern"), "2:same,same;2:same,same");
  EXPECT_EQ(details.at("regime").at("input_dtypes"), "DT_BF16;DT_BF16");
  EXPECT_EQ(details.at("regime").at("output_dtype"), "DT_BF16");
  ASSERT_FALSE(details.at("matched_rows").empty());
  double weights = 0;
  for (const json& matched : details.at("matched_rows")) weights += matched.at("weight").get<double>();
  EXPECT_NEAR(weights, 1, 1e-12);
  std::vector<std::vector<std::string>> tried;
  for (const json& attempt : details.at("attempts"))
    if (attempt.at("kernel") == "Add") tried.push_back(attempt.at("axes").get<std::vector<std::string>>());
  EXPECT_EQ(tried, (std::vector<std::vector<std::string>>{{"axis_0"}, {"axis_1"}, {"axis_0", "axis_1"}}));
}

TEST(ElementwiseTest, FailureDetails) {
  const json details = to_json(release_of(square()).lookup(call("16,64", "float32")))["details"];
  EXPECT_EQ(details.at("target_axes"), json({{"axis_0", 16}, {"axis_1", 64}}));
  EXPECT_EQ(details.at("target_regime").at("output_dtype"), "FLOAT");
  EXPECT_EQ(details.at("closest_regime").at("row_count"), 4);
  EXPECT_EQ(
      details.at("closest_regime").at("differences"),
      json::array({{{"field", "input_dtypes"}, {"target", "FLOAT;FLOAT"}, {"measured", "DT_BF16;DT_BF16"}},
                   {{"field", "output_dtype"}, {"target", "FLOAT"}, {"measured", "DT_BF16"}}}));
}

// v0.13 has mul in generic compute: along axis_0, with the base exact match.
TEST(ElementwiseTest, WithoutTheSelectorItIsGenericCompute) {
  const TestRelease release =
      release_of(square(), "operator_mappings:\n  aten.add.Tensor: {kernel_type: Add}\n");
  EXPECT_EQ(release.lookup(call("16,64")).method, "base_exact");
  // Input 0's first dimension varies; input 1's whole shape is fixed, so nothing lies on the line.
  const Result result = release.lookup(call("33,64"));
  EXPECT_EQ(result.path, "generic_compute");
  EXPECT_EQ(result.source, Source::miss);
}

}  // namespace
}  // namespace profdb
