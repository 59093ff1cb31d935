// Dynamic quantization scales (contract §10, compute_scale).
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

constexpr const char* kOp = "tensor_cast.dynamic_quantize_symmetric.default";
constexpr const char* kMapping =
    "operator_mappings:\n"
    "  tensor_cast.dynamic_quantize_symmetric.default: {kernel_type: DynamicQuant, compute_subcategory: "
    "compute_scale}\n"
    "  tensor_cast.dynamic_quantize_mxfp4.default: {kernel_type: DynamicBlockQuant, compute_subcategory: "
    "compute_scale}\n";

// [M,K] bf16 to int8 with one scale per token, unless told otherwise.
std::string row(const std::string& m, const std::string& k, const std::string& latency) {
  return measured("DT_BF16[" + m + "," + k + "]", "INT8[" + m + "," + k + "] FLOAT[" + m + "]", {latency});
}
std::string call(const std::string& m, const std::string& k) {
  return leaf(kOp, "bfloat16[" + m + "," + k + "]", "int8[" + m + "," + k + "] float32[" + m + "]");
}

TestRelease release_of(const std::string& rows, const std::string& kernel = "DynamicQuant",
                       const std::string& policy = "") {
  return {{{kernel + ".csv", csv_header() + rows}}, policy + kMapping};
}

// f = 2 M + K.
std::string square() {
  return row("10", "100", "120") + row("30", "100", "160") + row("10", "200", "220") +
         row("30", "200", "260");
}

void expect_miss(const Result& result, const std::string& reason) {
  EXPECT_EQ(result.source, Source::miss) << to_json(result).dump();
  EXPECT_EQ(result.reason, reason) << to_json(result).dump();
}

TEST(ComputeScaleTest, MThenKThenBoth) {
  const TestRelease release = release_of(square());
  const Result m = release.lookup(call("20", "100"));
  EXPECT_DOUBLE_EQ(m.latency_us, 140);
  EXPECT_EQ(m.axes, std::vector<std::string>{"M"});
  const Result k = release.lookup(call("10", "150"));
  EXPECT_DOUBLE_EQ(k.latency_us, 170);
  EXPECT_EQ(k.axes, std::vector<std::string>{"K"});
  const Result both = release.lookup(call("20", "150"));
  EXPECT_NEAR(both.latency_us, 190, 1e-9);
  EXPECT_EQ(both.axes, (std::vector<std::string>{"M", "K"}));
  EXPECT_EQ(both.dim, 2);
}

TEST(ComputeScaleTest, MIsTheProductOfTheLeadingDimensions) {
  EXPECT_EQ(
      release_of(square()).lookup(leaf(kOp, "bfloat16[5,6,100]", "int8[5,6,100] float32[5,6]")).latency_us,
      160);
  EXPECT_EQ(
      release_of(square()).lookup(leaf(kOp, "bfloat16[5,6,100]", "int8[5,6,100] float32[5,6,1]")).latency_us,
      160);
}

TEST(ComputeScaleTest, ExactCoordinateIsMeasured) {
  const Result result = release_of(square()).lookup(call("30", "200"));
  EXPECT_EQ(result.source, Source::measured);
  EXPECT_EQ(result.method, "exact_coordinate");
  EXPECT_EQ(result.latency_us, 260);
}

TEST(ComputeScaleTest, MaxDimensionOneStopsThePlane) {
  const TestRelease release = release_of(square(), "DynamicQuant",
                                         "interpolation_policy: {kernel_overrides: {DynamicQuant: "
                                         "{max_interpolation_dim: 1}}}\n");
  expect_miss(release.lookup(call("20", "150")), "interpolation_dim_disabled");
  EXPECT_DOUBLE_EQ(release.lookup(call("20", "100")).latency_us, 140);
}

// The same input each time; only the outputs tell the rows apart.
TEST(ComputeScaleTest, OutputSignaturesAreIsolated) {
  const std::string in = "DT_BF16[10,100]";
  const std::vector<std::pair<std::string, std::string>> outputs = {
      {"INT8[10,100] FLOAT[10]", "int8[10,100] float32[10]"},
      {"INT8[10,100] FLOAT[10] FLOAT[10]", "int8[10,100] float32[10] float32[10]"},
      {"INT8[10,100] DT_BF16[10]", "int8[10,100] bfloat16[10]"},
      {"INT4[10,100] FLOAT[10]", "int4[10,100] float32[10]"},
      {"INT8[10,100] FLOAT[1]", "int8[10,100] float32[1]"},
      {"INT8[10,100] FLOAT[100]", "int8[10,100] float32[100]"},
      {"INT8[10,100]:NCHW FLOAT[10]", "int8[10,100]:NCHW float32[10]"}};
  for (std::size_t present = 0; present < outputs.size(); ++present) {
    const TestRelease release = release_of(measured(in, outputs[present].first, {"7"}));
    for (std::size_t asked = 0; asked < outputs.size(); ++asked) {
      const Result result = release.lookup(leaf(kOp, "bfloat16[10,100]", outputs[asked].second));
      if (asked == present)
        EXPECT_EQ(result.latency_us, 7) << to_json(result).dump();
      else
        expect_miss(result, "regime_mismatch");
    }
  }
}

TEST(ComputeScaleTest, TwoOutputsNeverSatisfyThree) {
  const Result result =
      release_of(square()).lookup(leaf(kOp, "bfloat16[10,100]", "int8[10,100] float32[10] float32[10]"));
  expect_miss(result, "regime_mismatch");
  const json details = to_json(result)["details"];
  EXPECT_EQ(details.at("target_regime").at("output_count"), 3);
  EXPECT_EQ(details.at("closest_regime").at("differences").at(0),
            json({{"field", "output_count"}, {"target", 3}, {"measured", 2}}));
}

// Whichever auxiliary output differs: per token and per tensor against per token twice.
TEST(ComputeScaleTest, EveryAuxiliaryOutputsModeCounts) {
  const TestRelease release =
      release_of(measured("DT_BF16[10,100]", "INT8[10,100] FLOAT[10] FLOAT[1]", {"7"}));
  EXPECT_EQ(release.lookup(leaf(kOp, "bfloat16[10,100]", "int8[10,100] float32[10] float32[1]")).latency_us,
            7);
  expect_miss(release.lookup(leaf(kOp, "bfloat16[10,100]", "int8[10,100] float32[10] float32[10]")),
              "regime_mismatch");
  expect_miss(release.lookup(leaf(kOp, "bfloat16[10,100]", "int8[10,100] float32[1] float32[10]")),
              "regime_mismatch");
}

// [10,10]: M = K = 10; per_token holds first. [1,100]: one element is per_token where M = 1.
TEST(ComputeScaleTest, TheFirstScaleModeThatHolds) {
  const auto mode = [](const std::string& shape, const std::string& scale) {
    const std::string rows =
        measured("DT_BF16[" + shape + "]", "INT8[" + shape + "] FLOAT[" + scale + "]", {"7"});
    const std::string as_call =
        leaf(kOp, "bfloat16[" + shape + "]", "int8[" + shape + "] float32[" + scale + "]");
    return to_json(release_of(rows).lookup(as_call))["details"]["regime"]["scale_modes"].get<std::string>();
  };
  EXPECT_EQ(mode("10,100", ""), "per_tensor");
  EXPECT_EQ(mode("10,100", "1"), "per_tensor");
  EXPECT_EQ(mode("10,100", "10"), "per_token");
  EXPECT_EQ(mode("10,100", "100"), "per_channel");
  EXPECT_EQ(mode("10,10", "10"), "per_token");
  EXPECT_EQ(mode("1,100", "1"), "per_token");
  EXPECT_EQ(mode("1,100", "100"), "per_channel");
}

TEST(ComputeScaleTest, Float16HasItsOwnRows) {
  const TestRelease release = release_of(measured("DT_BF16[10,100]", "INT8[10,100] FLOAT[10]", {"7"}) +
                                         measured("DT_FLOAT16[10,100]", "INT8[10,100] FLOAT[10]", {"9"}));
  const std::string out = "int8[10,100] float32[10]";
  EXPECT_EQ(release.lookup(leaf(kOp, "float16[10,100]", out)).latency_us, 9);
  EXPECT_EQ(release.lookup(leaf(kOp, "bfloat16[10,100]", out)).latency_us, 7);
  expect_miss(release_of(square()).lookup(leaf(kOp, "float16[10,100]", out)), "regime_mismatch");
}

TEST(ComputeScaleTest, InputFormatsAreIsolated) {
  expect_miss(release_of(square()).lookup(leaf(kOp, "bfloat16[10,100]:NCHW", "int8[10,100] float32[10]")),
              "regime_mismatch");
  EXPECT_EQ(
      release_of(square()).lookup(leaf(kOp, "bfloat16[10,100]:ND", "int8[10,100] float32[10]")).latency_us,
      120)
      << "omitted is ND";
}

// DynamicBlockQuant: K = 96 over 3 scales is a block of 32, over 2 one of 48; 100 over 3 one of 34.
TEST(ComputeScaleTest, BlockQuantHasABlockSize) {
  const std::string op = "tensor_cast.dynamic_quantize_mxfp4.default";
  const auto row_of = [](const std::string& m, const std::string& k, const std::string& scales,
                         const std::string& latency) {
    return measured("DT_BF16[" + m + "," + k + "]",
                    "FLOAT4_E2M1[" + m + "," + k + "] FLOAT[" + m + "," + scales + "]", {latency});
  };
  const auto ask = [&](const TestRelease& release, const std::string& m, const std::string& k,
                       const std::string& scales) {
    return release.lookup(leaf(op, "bfloat16[" + m + "," + k + "]",
                               "float4_e2m1[" + m + "," + k + "] float32[" + m + "," + scales + "]"));
  };
  const TestRelease release = release_of(row_of("10", "96", "3", "10") + row_of("30", "96", "3", "30") +
                                             row_of("10", "96", "2", "99") + row_of("10", "100", "3", "77"),
                                         "DynamicBlockQuant");
  const Result result = ask(release, "20", "96", "3");
  EXPECT_DOUBLE_EQ(result.latency_us, 20);
  const json regime = to_json(result)["details"]["regime"];
  EXPECT_EQ(regime.at("scale_modes"), "per_block");
  EXPECT_EQ(regime.at("block_size"), 32);
  EXPECT_EQ(ask(release, "10", "96", "2").latency_us, 99);
  EXPECT_EQ(to_json(ask(release, "10", "100", "3"))["details"]["regime"]["block_size"], 34);
  expect_miss(ask(release, "10", "96", "6"), "regime_mismatch");
}

TEST(ComputeScaleTest, BlockQuantWithoutACsvMisses) {
  expect_miss(release_of(square()).lookup(leaf("tensor_cast.dynamic_quantize_mxfp4.default",
                                               "bfloat16[10,96]", "float4_e2m1[10,96] float32[10,3]")),
              "kernel_not_in_release");
}

TEST(ComputeScaleTest, TargetsThatCannotBeExtracted) {
  const TestRelease release = release_of(square());
  expect_miss(release.lookup(leaf(kOp, "bfloat16[10,100]", "int8[10,100]")), "target_unextractable");
  expect_miss(release.lookup(leaf(kOp, "bfloat16[10,100]", "int8[10,99] float32[10]")),
              "target_unextractable");
  expect_miss(release.lookup(leaf(kOp, "bfloat16[10,100]", "int8[10,100] float32[7]")),
              "target_unextractable");
  expect_miss(release.lookup(leaf(kOp, "", "int8[10,100] float32[10]")), "target_unextractable");
}

TEST(ComputeScaleTest, RowsThatDoNotFitAreCounted) {
  const Result result = release_of(measured("DT_BF16[10,100]", "INT8[10,100]", {"1"}) +
                                   measured("DT_BF16[10,100]", "INT8[10,100] FLOAT[7]", {"1"}))
                            .lookup(call("10", "100"));
  expect_miss(result, "no_usable_rows");
  EXPECT_EQ(result.details.rejected_rows, (std::map<std::string, std::int64_t>{{"target_unextractable", 2}}));
}

TEST(ComputeScaleTest, TooFewOutsideAndInvalid) {
  expect_miss(release_of(row("10", "100", "5")).lookup(call("11", "100")), "insufficient_candidates");
  expect_miss(release_of(square()).lookup(call("31", "100")), "outside_boundary");
  expect_miss(release_of(row("10", "100", "0") + measured("FLOAT[10,100]", "INT8[10,100] FLOAT[10]", {"5"}))
                  .lookup(call("10", "100")),
              "latency_invalid");
}

TEST(ComputeScaleTest, SuccessDetails) {
  const json result = to_json(release_of(square()).lookup(call("20", "100")));
  EXPECT_EQ(result.at("path"), "compute_scale");
  const json& details = result.at("details");
  EXPECT_EQ(details.at("compute_subcategory"), "compute_scale");
  EXPECT_EQ(details.at("target_axes"), json({{"M", 20}, {"K", 100}}));
  EXPECT_EQ(details.at("boundary"), json({{"M", {10, 30}}}));
  EXPECT_EQ(details.at("scale_modes"), "per_token") << "a path field (contract §14)";
  EXPECT_EQ(details.at("regime").at("output_dtypes"), "INT8;FLOAT");
}

}  // namespace
}  // namespace profdb
