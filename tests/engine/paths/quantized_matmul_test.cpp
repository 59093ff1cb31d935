// Quantized matrix multiplication (contract §10, quantized_matmul).
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

std::string mapping_with(const std::string& more = "") {
  std::string text = "operator_mappings:\n";
  for (const char* op : {"static_quant_linear", "static_quant_linear_int4", "fp8_linear", "mxfp4_linear"})
    text += "  tensor_cast." + std::string(op) +
            ".default: {kernel_type: QuantBatchMatmulV3, compute_subcategory: quantized_matmul, "
            "tc_input_count: 2" +
            more + "}\n";
  return text;
}

// (M,K) int8 times (K,N) int8 gives (M,N) bf16.
std::string row(int m, int k, int n, const std::string& latency, const std::string& dtype = "INT8") {
  return measured(fmt::format("INT8[{},{}] {}[{},{}]", m, k, dtype, k, n),
                  fmt::format("DT_BF16[{},{}]", m, n), {latency});
}

// As a call passes it: weight, then scale and bias.
std::string call(int m, int k, int n, const std::string& op = "static_quant_linear",
                 const std::string& dtype = "int8", const std::string& format = "") {
  return leaf("tensor_cast." + op + ".default",
              fmt::format("int8[{},{}] {}[{},{}]{} float32[{}] int32[{}]", m, k, dtype, k, n, format, n, n),
              fmt::format("bfloat16[{},{}]", m, n));
}

TestRelease release_of(const std::string& rows, const std::string& mapping = mapping_with()) {
  return {{{"QuantBatchMatmulV3.csv", csv_header() + rows}}, mapping};
}

// f = M + 2 K + 4 N on the corners of {10,30} x {100,200} x {50,70}.
std::string cube() {
  std::string rows;
  for (const int m : {10, 30})
    for (const int k : {100, 200})
      for (const int n : {50, 70}) rows += row(m, k, n, std::to_string(m + 2 * k + 4 * n));
  return rows;
}

void expect_miss(const Result& result, const std::string& reason) {
  EXPECT_EQ(result.source, Source::miss) << to_json(result).dump();
  EXPECT_EQ(result.reason, reason) << to_json(result).dump();
}

TEST(QuantizedMatmulTest, EveryAxisGroupInOrder) {
  const TestRelease release = release_of(cube());
  struct Case {
    int m, k, n;
    std::vector<std::string> axes;
  };
  for (const Case& c : {Case{20, 100, 50, {"M"}}, Case{10, 150, 50, {"K"}}, Case{10, 100, 60, {"N"}},
                        Case{20, 150, 50, {"M", "K"}}, Case{20, 100, 60, {"M", "N"}},
                        Case{10, 150, 60, {"K", "N"}}, Case{20, 150, 60, {"M", "K", "N"}}}) {
    const Result result = release.lookup(call(c.m, c.k, c.n));
    EXPECT_EQ(result.axes, c.axes) << to_json(result).dump();
    EXPECT_NEAR(result.latency_us, c.m + 2 * c.k + 4 * c.n, 1e-9);
    EXPECT_EQ(result.dim, static_cast<int>(c.axes.size()));
  }
}

TEST(QuantizedMatmulTest, ExactCoordinateIsMeasured) {
  const Result result = release_of(cube()).lookup(call(30, 200, 70));
  EXPECT_EQ(result.source, Source::measured);
  EXPECT_EQ(result.method, "exact_coordinate");
  EXPECT_EQ(result.latency_us, 710);  // 30 + 400 + 280
}

// The orientation of the weight is recorded, not matched.
TEST(QuantizedMatmulTest, TheWeightMayBeTransposed) {
  const std::string stored = measured("INT8[10,100] INT8[50,100]", "DT_BF16[10,50]", {"7"});
  EXPECT_EQ(release_of(stored).lookup(call(10, 100, 50)).latency_us, 7);
}

TEST(QuantizedMatmulTest, ALeadingOneOfTheActivationIsRemovedForAFlatWeight) {
  const Result result = release_of(cube()).lookup(
      leaf("tensor_cast.static_quant_linear.default", "int8[1,10,100] int8[100,50]", "bfloat16[1,10,50]"));
  EXPECT_EQ(result.latency_us, 410);  // 10 + 200 + 200
}

TEST(QuantizedMatmulTest, LeadingDimensionsAreIsolated) {
  expect_miss(release_of(cube()).lookup(leaf("tensor_cast.static_quant_linear.default",
                                             "int8[3,10,100] int8[100,50]", "bfloat16[3,10,50]")),
              "regime_mismatch");
}

// Without the cut the scale would be a third input; two rows of three inputs then differ from the call of
// four.
TEST(QuantizedMatmulTest, OnlyTwoInputsTakePart) {
  const std::string scaled = measured("INT8[10,100] INT8[100,50] FLOAT[50]", "DT_BF16[10,50]", {"7"});
  EXPECT_EQ(release_of(scaled).lookup(call(10, 100, 50)).latency_us, 7);
}

TEST(QuantizedMatmulTest, SubtypesAreIsolated) {
  struct Subtype {
    const char* op;
    const char* call_dtype;
    const char* row_dtype;
  };
  const std::vector<Subtype> subtypes = {{"static_quant_linear", "int8", "INT8"},
                                         {"static_quant_linear_int4", "int4", "INT4"},
                                         {"fp8_linear", "float8_e4m3fn", "FLOAT8_E4M3FN"},
                                         {"mxfp4_linear", "float4_e2m1", "FLOAT4_E2M1"}};
  for (std::size_t present = 0; present < subtypes.size(); ++present) {
    const TestRelease release = release_of(row(10, 100, 50, "7", subtypes[present].row_dtype));
    for (std::size_t asked = 0; asked < subtypes.size(); ++asked) {
      const Result result = release.lookup(call(10, 100, 50, subtypes[asked].op, subtypes[asked].call_dtype));
      if (asked == present)
        EXPECT_EQ(result.latency_us, 7) << to_json(result).dump();
      else
        expect_miss(result, "regime_mismatch");
    }
  }
}

// Even where the call's weight is int8, as packed INT4 weights may be.
TEST(QuantizedMatmulTest, Int8RowsNeverAnswerOtherOperators) {
  const TestRelease release = release_of(cube());
  for (const char* op : {"static_quant_linear_int4", "fp8_linear", "mxfp4_linear"})
    expect_miss(release.lookup(call(10, 100, 50, op)), "regime_mismatch");
}

TEST(QuantizedMatmulTest, OutputsAreIsolated) {
  const TestRelease release = release_of(cube());
  const std::string op = "tensor_cast.static_quant_linear.default";
  const std::string in = "int8[10,100] int8[100,50]";
  for (const char* out : {"int32[10,50]", "bfloat16[10,50] bfloat16[10]", "bfloat16[10,50]:NCHW"})
    expect_miss(release.lookup(leaf(op, in, out)), "regime_mismatch");
  EXPECT_EQ(release.lookup(leaf(op, in, "bfloat16[10,50]:ND")).latency_us, 410);
}

// [7,4,16,16] is the logical [112,64] (formats §2).
std::string tiled(const std::string& latency) {
  return measured("INT8[10,112] INT8[7,4,16,16]:FRACTAL_NZ", "DT_BF16[10,64]", {latency});
}

TEST(QuantizedMatmulTest, OmittedLayoutsAreOpen) {
  EXPECT_EQ(release_of(tiled("7")).lookup(call(10, 112, 64)).latency_us, 7) << "one layout was measured";
  const TestRelease both = release_of(tiled("7") + row(10, 112, 64, "9"));
  expect_miss(both.lookup(call(10, 112, 64)), "format_unspecified");
  EXPECT_EQ(both.lookup(call(10, 112, 64, "static_quant_linear", "int8", ":ND")).latency_us, 9);
  EXPECT_EQ(both.lookup(leaf("tensor_cast.static_quant_linear.default",
                             "int8[10,112] int8[7,4,16,16]:FRACTAL_NZ", "bfloat16[10,64]"))
                .latency_us,
            7);
}

TEST(QuantizedMatmulTest, ExpectedInputFormatsStandInForOmittedOnes) {
  const TestRelease release =
      release_of(tiled("7") + row(10, 112, 64, "9"), mapping_with(", expected_input_formats: [ND, ND]"));
  EXPECT_EQ(release.lookup(call(10, 112, 64)).latency_us, 9);
  // What a leaf states wins.
  EXPECT_EQ(release
                .lookup(leaf("tensor_cast.static_quant_linear.default",
                             "int8[10,112] int8[7,4,16,16]:FRACTAL_NZ", "bfloat16[10,64]"))
                .latency_us,
            7);
}

TEST(QuantizedMatmulTest, MaxDimensionStopsTheCube) {
  const std::string policy =
      "interpolation_policy: {kernel_overrides: {QuantBatchMatmulV3: {max_interpolation_dim: "
      "2}}}\n";
  const TestRelease release = release_of(cube(), policy + mapping_with());
  expect_miss(release.lookup(call(20, 150, 60)), "interpolation_dim_disabled");
  EXPECT_EQ(release.lookup(call(20, 150, 50)).dim, 2);
}

TEST(QuantizedMatmulTest, NothingIsPadded) {  // 41 rounds up to 48
  expect_miss(release_of(row(41, 100, 50, "7")).lookup(call(48, 100, 50)), "insufficient_candidates");
}

TEST(QuantizedMatmulTest, TargetsThatCannotBeExtracted) {
  const TestRelease release = release_of(cube());
  const std::string op = "tensor_cast.static_quant_linear.default";
  expect_miss(release.lookup(leaf(op, "int8[10,100] int8[99,50]", "bfloat16[10,50]")),
              "target_unextractable");
  expect_miss(release.lookup(leaf(op, "int8[10,100]", "bfloat16[10,50]")), "target_unextractable");
}

TEST(QuantizedMatmulTest, RowsThatDoNotFitAreCounted) {
  const Result result = release_of(measured("INT8[10,100] INT8[99,50]", "DT_BF16[10,50]", {"1"}) +
                                   measured("INT8[10,100] UINT8[100,50]", "DT_BF16[10,50]", {"1"}))
                            .lookup(call(10, 100, 50));
  expect_miss(result, "no_usable_rows");
  EXPECT_EQ(result.details.rejected_rows,
            (std::map<std::string, std::int64_t>{{"target_unextractable", 1}, {"quant_subtype_unknown", 1}}));
}

TEST(QuantizedMatmulTest, TooFewOutsideAndInvalid) {
  expect_miss(release_of(row(10, 100, 50, "7")).lookup(call(11, 100, 50)), "insufficient_candidates");
  expect_miss(release_of(cube()).lookup(call(31, 100, 50)), "outside_boundary");
  expect_miss(release_of(row(10, 100, 50, "inf") + row(10, 100, 50, "1", "INT4")).lookup(call(10, 100, 50)),
              "latency_invalid");
}

TEST(QuantizedMatmulTest, Details) {
  const json hit = to_json(release_of(cube()).lookup(call(20, 100, 50)))["details"];
  EXPECT_EQ(hit.at("compute_subcategory"), "quantized_matmul");
  EXPECT_EQ(hit.at("target_axes"), json({{"M", 20}, {"K", 100}, {"N", 50}}));
  EXPECT_EQ(hit.at("boundary"), json({{"M", {10, 30}}}));
  EXPECT_EQ(hit.at("quant_subtype"), "int8");
  EXPECT_EQ(hit.at("regime").at("output_dtypes"), "DT_BF16");
  const json miss = to_json(release_of(cube()).lookup(call(10, 100, 50, "fp8_linear")))["details"];
  EXPECT_EQ(miss.at("closest_regime").at("differences"),
            json::array({{{"field", "quant_subtype"}, {"target", "fp8"}, {"measured", "int8"}}}));
  EXPECT_EQ(miss.at("kernels_attempted"),
            json::array({{{"kernel", "QuantBatchMatmulV3"}, {"reason", "regime_mismatch"}}}));
}

}  // namespace
}  // namespace profdb
