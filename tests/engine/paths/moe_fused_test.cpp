// DispatchFFNCombine (contract §6).
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
    "  tensor_cast.dispatch_ffn_combine.default: &dfc {kernel_type: DispatchFFNCombine, query_mode: "
    "moe_fused}\n"
    "  tensor_cast.dispatch_ffn_combine_quant.default: *dfc\n"
    "  tensor_cast.dispatch_ffn_combine_quant_int4.default: *dfc\n"
    "  tensor_cast.dispatch_ffn_combine_fp8.default: *dfc\n"
    "  tensor_cast.dispatch_ffn_combine_mxfp4.default: *dfc\n"
    "  tensor_cast.dispatch_ffn_combine_int2.default: *dfc\n";

// One W8A8 row: two experts, hidden 32, GMM1 [2,32,48], GMM2 [2,24,32], topk 4, EP 8, unless told otherwise.
struct RowOf {
  std::string tokens;
  std::string latency;
  std::string ep = "8";
  std::string weight = "INT8";
  std::string gmm1 = "2,32,48";
  std::string gmm2 = "2,24,32";
  std::string topk = "4";
  std::string rest = {};  // cells of further columns
};

std::string text(const RowOf& row) {
  std::vector<std::string> cells{row.latency, row.ep};
  if (!row.rest.empty()) cells.push_back(row.rest);
  return measured("DT_BF16[" + row.tokens + ",32] " + row.weight + "[" + row.gmm1 + "] " + row.weight + "[" +
                      row.gmm2 + "] INT32[" + row.tokens + "," + row.topk + "]",
                  "DT_BF16[" + row.tokens + ",32]", cells);
}

std::string csv(const std::vector<RowOf>& rows, const std::string& columns = "Average Duration(us),EP Size") {
  std::string all = csv_header(columns);
  for (const RowOf& row : rows) all += text(row);
  return all;
}

TestRelease release_of(const std::vector<RowOf>& rows) {
  return {{{"DispatchFFNCombine.csv", csv(rows)}}, kMapping};
}

// 64 -> 100 us, 128 -> 140 us.
const std::vector<RowOf> kTwo = {{"64", "100"}, {"128", "140"}};

struct CallOf {
  std::string tokens;
  std::string op = "_quant";
  std::string weight = "2*int8[32,48]";
  std::string down = "2*int8[24,32]";
  std::string topk = "4";
};

std::string call(const CallOf& c) {
  return leaf(
      "tensor_cast.dispatch_ffn_combine" + c.op + ".default",
      "bfloat16[" + c.tokens + ",32] int32[" + c.tokens + "," + c.topk + "] " + c.weight + " " + c.down,
      "bfloat16[" + c.tokens + ",32]");
}

Result ask(const TestRelease& release, const std::string& leaf_json, std::optional<std::int64_t> ep = 8) {
  EngineOptions options;
  options.ep_size = ep;
  return release.lookup(leaf_json, options);
}

void expect_miss(const Result& result, const std::string& reason) {
  EXPECT_EQ(result.source, Source::miss) << to_json(result).dump();
  EXPECT_EQ(result.reason, reason) << to_json(result).dump();
}

// (96 - 64) / (128 - 64) = 1/2: 120.
TEST(MoeFusedTest, W8A8InterpolatesAlongTokens) {
  const Result result = ask(release_of(kTwo), call({"96"}));
  EXPECT_EQ(result.source, Source::interpolated);
  EXPECT_DOUBLE_EQ(result.latency_us, 120);
  EXPECT_EQ(result.method, "linear_1d");
  EXPECT_EQ(result.dim, 1);
  EXPECT_EQ(result.axes, std::vector<std::string>{"tokens"});
}

// Formats §4's example: [2,4,72,hidden] has 576 tokens; here [2,4,12] = 96.
TEST(MoeFusedTest, TokensAreAllDimensionsButTheLast) {
  const Result result =
      ask(release_of(kTwo), leaf("tensor_cast.dispatch_ffn_combine_quant.default",
                                 "bfloat16[2,4,12,32] int32[96,4] 2*int8[32,48] 2*int8[24,32]"));
  EXPECT_DOUBLE_EQ(result.latency_us, 120);
}

TEST(MoeFusedTest, ExactCoordinateIsMeasured) {
  const Result result = ask(release_of(kTwo), call({"64"}));
  EXPECT_EQ(result.source, Source::measured);
  EXPECT_EQ(result.method, "exact_coordinate");
  EXPECT_EQ(result.latency_us, 100);
  EXPECT_EQ(result.confidence, 1.0);
}

TEST(MoeFusedTest, FullWeightShapesAreIsolated) {
  const TestRelease release = release_of(kTwo);
  expect_miss(ask(release, call({.tokens = "96", .weight = "2*int8[32,64]"})), "regime_mismatch");
  expect_miss(ask(release, call({.tokens = "96", .down = "2*int8[16,32]"})), "regime_mismatch");
  expect_miss(ask(release, call({.tokens = "64", .weight = "2*int8[32,64]"})), "regime_mismatch");
}

TEST(MoeFusedTest, EitherOrientationOfAPerExpertWeight) {
  const Result result =
      ask(release_of(kTwo), call({.tokens = "96", .weight = "2*int8[48,32]", .down = "2*int8[32,24]"}));
  EXPECT_DOUBLE_EQ(result.latency_us, 120);
}

// 100 and 104: (104 - 100) / 102 = 3.9 %, so their median 102 counts; (102 + 140) / 2 = 121.
TEST(MoeFusedTest, DuplicatesThatAgreeAreTheirMedian) {
  const TestRelease release = release_of({{"64", "100"}, {"64", "104"}, {"128", "140"}});
  const Result exact = ask(release, call({"64"}));
  EXPECT_DOUBLE_EQ(exact.latency_us, 102);
  EXPECT_EQ(exact.details.matched_rows.at(0).row_count, 2U);
  EXPECT_NEAR(exact.details.matched_rows.at(0).spread, 4.0 / 102, 1e-12);
  EXPECT_DOUBLE_EQ(ask(release, call({"96"})).latency_us, 121);
}

// 100 and 120: 20 / 110 = 18 % apart.
TEST(MoeFusedTest, DuplicatesThatDisagreeAreAmbiguous) {
  const TestRelease release = release_of({{"64", "100"}, {"64", "120"}, {"128", "140"}, {"32", "80"}});
  expect_miss(ask(release, call({"64"})), "ambiguous_coordinate");
  // It is no candidate: 32 -> 80, 128 -> 140 remain; at 80 half way, 110.
  EXPECT_DOUBLE_EQ(ask(release, call({"80"})).latency_us, 110);
}

// Ten percent exactly is not more than ten percent: 95 and 105, median 100.
TEST(MoeFusedTest, TenPercentIsNotAmbiguous) {
  EXPECT_DOUBLE_EQ(ask(release_of({{"64", "95"}, {"64", "105"}}), call({"64"})).latency_us, 100);
}

TEST(MoeFusedTest, OutsideTheMeasuredRangeMisses) {
  const TestRelease release = release_of(kTwo);
  expect_miss(ask(release, call({"63"})), "outside_boundary");
  expect_miss(ask(release, call({"129"})), "outside_boundary");
}

TEST(MoeFusedTest, OneCoordinateIsTooFew) {
  expect_miss(ask(release_of({{"64", "100"}}), call({"96"})), "insufficient_candidates");
}

TEST(MoeFusedTest, RowsWithoutALatencyOnly) {
  const Result result = ask(release_of({{"64", "0"}, {"128", "nan"}, {"64", "5", "4"}}), call({"64"}));
  expect_miss(result, "latency_invalid");
  EXPECT_EQ(result.details.rejected_rows.at("latency_zero"), 1);
  EXPECT_EQ(result.details.rejected_rows.at("latency_invalid"), 1);
}

TEST(MoeFusedTest, TopkIsIsolated) {
  expect_miss(ask(release_of(kTwo), call({.tokens = "96", .topk = "8"})), "regime_mismatch");
}

TEST(MoeFusedTest, EpSizeIsIsolated) {
  expect_miss(ask(release_of(kTwo), call({"96"}), 16), "regime_mismatch");
}

// Rows state 16 local experts where a call's lists have two; GMM1's own two otherwise.
TEST(MoeFusedTest, LocalExpertsAreIsolated) {
  const std::string columns = "Average Duration(us),EP Size,Local Experts";
  const auto with = [&](const std::string& experts) {
    return TestRelease({{"DispatchFFNCombine.csv", csv({{.tokens = "64", .latency = "100", .rest = experts},
                                                        {.tokens = "128", .latency = "140", .rest = experts}},
                                                       columns)}},
                       kMapping);
  };
  expect_miss(ask(with("16"), call({"96"})), "regime_mismatch");
  EXPECT_DOUBLE_EQ(ask(with("2"), call({"96"})).latency_us, 120);
  expect_miss(
      ask(release_of(kTwo), call({.tokens = "96", .weight = "3*int8[32,48]", .down = "3*int8[24,32]"})),
      "regime_mismatch");
}

// v0.15: the column is missing altogether.
TEST(MoeFusedTest, FilesWithoutEpSizeMiss) {
  const TestRelease release(
      {{"DispatchFFNCombine.csv",
        csv_header() +
            measured("DT_BF16[64,32] INT8[2,32,48] INT8[2,24,32] INT32[64,4]", "DT_BF16[64,32]", {"100"})}},
      kMapping);
  const Result result = ask(release, call({"64"}));
  expect_miss(result, "no_usable_rows");
  EXPECT_EQ(result.details.rejected_rows.at("ep_size_missing"), 1);
}

TEST(MoeFusedTest, EmptyAndInvalidEpSizesAreRejected) {
  const Result result = ask(
      release_of(
          {{"64", "1", ""}, {"64", "1", "0"}, {"64", "1", "-8"}, {"64", "1", "2.5"}, {"64", "1", "eight"}}),
      call({"64"}));
  expect_miss(result, "no_usable_rows");
  EXPECT_EQ(result.details.rejected_rows.at("ep_size_missing"), 1);
  EXPECT_EQ(result.details.rejected_rows.at("ep_size_invalid"), 4);
}

TEST(MoeFusedTest, WithoutAConfiguredEpSizeTheWholePathMisses) {
  expect_miss(ask(release_of(kTwo), call({"64"}), std::nullopt), "ep_size_not_configured");
}

// Each subtype has rows of its own; each call gets its own, and where there are none, none.
TEST(MoeFusedTest, SubtypesAreIsolated) {
  struct Subtype {
    const char* op;
    const char* call_dtype;
    const char* row_dtype;
  };
  const std::vector<Subtype> subtypes = {{"", "bfloat16", "DT_BF16"},
                                         {"_quant", "int8", "INT8"},
                                         {"_quant_int4", "int4", "INT4"},
                                         {"_fp8", "float8_e4m3fn", "FLOAT8_E4M3FN"},
                                         {"_mxfp4", "float4_e2m1", "FLOAT4_E2M1"}};
  for (std::size_t present = 0; present < subtypes.size(); ++present) {
    const TestRelease release =
        release_of({{.tokens = "64", .latency = "100", .weight = subtypes[present].row_dtype}});
    for (std::size_t asked = 0; asked < subtypes.size(); ++asked) {
      const std::string dtype = subtypes[asked].call_dtype;
      const Result result = ask(release, call({.tokens = "64",
                                               .op = subtypes[asked].op,
                                               .weight = "2*" + dtype + "[32,48]",
                                               .down = "2*" + dtype + "[24,32]"}));
      if (asked == present)
        EXPECT_EQ(result.latency_us, 100) << to_json(result).dump();
      else
        expect_miss(result, "regime_mismatch");
    }
  }
}

// The subtype is the operator's, whatever its weights: packed INT4 weights that come as int8 are not W8A8.
TEST(MoeFusedTest, TheOperatorNameDecidesTheSubtype) {
  expect_miss(ask(release_of(kTwo), call({.tokens = "64", .op = "_quant_int4"})), "regime_mismatch");
  expect_miss(ask(release_of(kTwo), call({.tokens = "64", .op = ""})), "regime_mismatch");
}

TEST(MoeFusedTest, TargetsThatCannotBeExtracted) {
  const TestRelease release = release_of(kTwo);
  expect_miss(ask(release, call({.tokens = "64", .op = "_int2"})), "quant_subtype_unknown");
  const std::string op = "tensor_cast.dispatch_ffn_combine_quant.default";
  expect_miss(ask(release, leaf(op, "bfloat16[64,32] int32[64,4] 2*int8[32,48]")),
              "moe_weight_shapes_unextractable");
  expect_miss(ask(release, leaf(op, "bfloat16[64,32] int32[64,4] 2*int8[33,48] 2*int8[24,32]")),
              "moe_weight_shapes_unextractable");
  expect_miss(ask(release, leaf(op, "bfloat16[64,32] - 2*int8[32,48] 2*int8[24,32]")), "topk_unextractable");
  // 63 rows of expert indices for 64 tokens.
  expect_miss(ask(release, leaf(op, "bfloat16[64,32] int32[63,4] 2*int8[32,48] 2*int8[24,32]")),
              "topk_unextractable");
  expect_miss(ask(release, leaf(op, "- int32[64,4] 2*int8[32,48] 2*int8[24,32]")), "target_unextractable");
}

TEST(MoeFusedTest, RowsThatCannotBeExtractedAreCountedByReason) {
  const std::string out = "DT_BF16[64,32]";
  const TestRelease release(
      {{"DispatchFFNCombine.csv",
        csv(kTwo) + measured("DT_BF16[64,32] INT8[2,33,48] INT8[2,24,32] INT32[64,4]", out, {"1", "8"}) +
            measured("DT_BF16[64,32] - INT8[2,24,32] INT32[64,4]", out, {"1", "8"}) +
            measured("DT_BF16[64,32] INT8[2,32,48] INT8[2,24,32]", out, {"1", "8"}) +
            measured("DT_BF16[64,32] UINT8[2,32,48] UINT8[2,24,32] INT32[64,4]", out, {"1", "8"})}},
      kMapping);
  const Result result = ask(release, call({"96"}));
  EXPECT_EQ(result.source, Source::interpolated);
  EXPECT_EQ(
      result.details.rejected_rows,
      (std::map<std::string, std::int64_t>{
          {"moe_weight_shapes_unextractable", 2}, {"topk_unextractable", 1}, {"quant_subtype_unknown", 1}}));
}

// Omitted weight layouts are open: the one that was measured answers, of two neither.
TEST(MoeFusedTest, OmittedWeightLayoutsAreOpen) {
  const std::string tiled = "DT_BF16[64,32] INT8[2,2,3,16,16]:FRACTAL_NZ INT8[2,24,32] INT32[64,4]";
  const TestRelease one(
      {{"DispatchFFNCombine.csv", csv({}) + measured(tiled, "DT_BF16[64,32]", {"70", "8"})}}, kMapping);
  EXPECT_EQ(ask(one, call({"64"})).latency_us, 70);
  const TestRelease two(
      {{"DispatchFFNCombine.csv", csv(kTwo) + measured(tiled, "DT_BF16[64,32]", {"70", "8"})}}, kMapping);
  expect_miss(ask(two, call({"64"})), "format_unspecified");
  EXPECT_EQ(ask(two, call({.tokens = "64", .weight = "2*int8[2,3,16,16]:FRACTAL_NZ"})).latency_us, 70);
  EXPECT_EQ(ask(two, call({.tokens = "64", .weight = "2*int8[32,48]:ND"})).latency_us, 100);
}

TEST(MoeFusedTest, ExpectedInputFormatsStandInForOmittedLayouts) {
  const std::string tiled = "DT_BF16[64,32] INT8[2,2,3,16,16]:FRACTAL_NZ INT8[2,24,32] INT32[64,4]";
  const TestRelease release(
      {{"DispatchFFNCombine.csv", csv(kTwo) + measured(tiled, "DT_BF16[64,32]", {"70", "8"})}},
      "operator_mappings:\n  tensor_cast.dispatch_ffn_combine_quant.default: {kernel_type: "
      "DispatchFFNCombine, "
      "query_mode: moe_fused, expected_input_formats: [ND, ND, ND, ND]}\n");
  EXPECT_EQ(ask(release, call({"64"})).latency_us, 100);
}

TEST(MoeFusedTest, MaxDimensionZeroDisablesInterpolation) {
  const std::string mapping = std::string(
                                  "interpolation_policy: {kernel_overrides: {DispatchFFNCombine: "
                                  "{max_interpolation_dim: 0}}}\n") +
                              kMapping;
  const TestRelease release({{"DispatchFFNCombine.csv", csv(kTwo)}}, mapping);
  expect_miss(ask(release, call({"96"})), "interpolation_dim_disabled");
  EXPECT_EQ(ask(release, call({"64"})).latency_us, 100);
}

TEST(MoeFusedTest, SuccessDetails) {
  const json result = to_json(ask(release_of(kTwo), call({"96"})));
  EXPECT_EQ(result.at("kernel"), "DispatchFFNCombine");
  EXPECT_EQ(result.at("path"), "moe_fused");
  EXPECT_EQ(result.at("confidence"), 0.70);
  const json& details = result.at("details");
  EXPECT_EQ(details.at("query_mode"), "moe_fused");
  EXPECT_EQ(details.at("target_axes"), json({{"tokens", 96}}));
  EXPECT_EQ(details.at("boundary"), json({{"tokens", {64, 128}}}));
  EXPECT_EQ(details.at("candidate_count"), 2);
  EXPECT_EQ(details.at("fallback_from"), "exact_miss");
  EXPECT_EQ(details.at("latency_column"), "Average Duration(us)");
  EXPECT_EQ(details.at("source_class"), "selected");
  EXPECT_EQ(details.at("ep_size"), 8);
  EXPECT_EQ(details.at("quant_subtype"), "w8a8");
  EXPECT_EQ(details.at("regime").at("gmm1_weight_shape"), "2,32,48");
  EXPECT_EQ(details.at("regime").at("gmm2_weight_shape"), "2,24,32");
  ASSERT_EQ(details.at("matched_rows").size(), 2U);
  EXPECT_EQ(details.at("matched_rows").at(0).at("measurement_ids"), json({1}));
  EXPECT_EQ(details.at("matched_rows").at(0).at("coordinate"), json({{"tokens", 64}}));
  EXPECT_EQ(details.at("matched_rows").at(1).at("latency_us"), 140);
}

TEST(MoeFusedTest, FailureDetails) {
  const json details = to_json(ask(release_of({{"64", "100"}, {"128", "140"}, {"64", "1", ""}}),
                                   call({.tokens = "96", .topk = "8"})))["details"];
  EXPECT_EQ(details.at("target_axes"), json({{"tokens", 96}}));
  EXPECT_EQ(details.at("target_regime").at("topk"), 8);
  EXPECT_EQ(details.at("target_regime").at("ep_size"), 8);
  EXPECT_EQ(details.at("kernels_attempted"),
            json::array({{{"kernel", "DispatchFFNCombine"}, {"reason", "regime_mismatch"}}}));
  EXPECT_EQ(details.at("rejected_rows"), json({{"ep_size_missing", 1}}));
  EXPECT_EQ(details.at("closest_regime").at("kernel"), "DispatchFFNCombine");
  EXPECT_EQ(details.at("closest_regime").at("row_count"), 2);
  EXPECT_EQ(details.at("closest_regime").at("differences"),
            json::array({{{"field", "topk"}, {"target", 8}, {"measured", 4}}}));
}

TEST(MoeFusedTest, GeometryDetailsOfAMiss) {
  const json details = to_json(ask(release_of(kTwo), call({"200"})))["details"];
  ASSERT_FALSE(details.at("attempts").empty());
  EXPECT_EQ(details.at("attempts").at(0).at("source_class"), "selected");
  EXPECT_EQ(details.at("attempts").at(0).at("axes"), json({"tokens"}));
  EXPECT_EQ(details.at("attempts").at(0).at("reason"), "outside_boundary");
  EXPECT_EQ(details.at("attempts").at(0).at("coordinate_count"), 2);
  EXPECT_EQ(details.at("attempts").at(0).at("measured"), json({{"tokens", {64, 128}}}));
}

TEST(MoeFusedTest, WithoutACsvTheKernelIsNotInTheRelease) {
  const TestRelease release({{"Add.csv", csv_header() + measured("DT_BF16[4]", "DT_BF16[4]", {"1"})}},
                            kMapping);
  expect_miss(ask(release, call({"64"})), "kernel_not_in_release");
}

}  // namespace
}  // namespace profdb
