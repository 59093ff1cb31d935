// LightningIndexer (contract §8).
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

constexpr const char* kOp = "tensor_cast.quant_lightning_indexer.default";
constexpr const char* kMapping =
    "operator_mappings:\n"
    "  tensor_cast.quant_lightning_indexer.default: {kernel_type: LightningIndexer, query_mode: "
    "attention_lightning_indexer}\n";

// One execution: query [T,4,8] bf16, cache [blocks,16,1,8] int8, weights [T,4], two lengths and a block
// table.
struct Execution {
  std::string tokens = "64";
  std::string blocks = "100";
  std::string query = {};  // in place of [T,4,8]
  std::string cache_tail = "16,1,8";
  std::string query_dtype = {};  // in place of bf16
  std::string cache_dtype = {};  // in place of int8
  std::string metadata = "2";    // shape of the lengths
  std::string topk = "32";
  std::string format = {};  // of query and cache, ":NCHW"
};

std::string shape_of_query(const Execution& e) {
  return "[" + (e.query.empty() ? e.tokens + ",4,8" : e.query) + "]" + e.format + " ";
}

std::string row(const Execution& e, const std::vector<std::string>& cells) {
  return measured((e.query_dtype.empty() ? "DT_BF16" : e.query_dtype) + shape_of_query(e) +
                      (e.cache_dtype.empty() ? "INT8" : e.cache_dtype) + "[" + e.blocks + "," + e.cache_tail +
                      "]" + e.format + " DT_BF16[" + e.tokens + ",4] INT32[" + e.metadata + "] INT32[2,33]",
                  "INT32[" + e.tokens + ",1," + e.topk + "]", cells);
}

std::string call(const Execution& e, const std::string& attrs = "") {
  return leaf(kOp,
              (e.query_dtype.empty() ? "bfloat16" : e.query_dtype) + shape_of_query(e) + "bfloat16[" +
                  e.tokens + ",4] " + (e.cache_dtype.empty() ? "int8" : e.cache_dtype) + "[" + e.blocks +
                  "," + e.cache_tail + "]" + e.format + " int32[" + e.metadata + "] int32[2,33]",
              "int32[" + e.tokens + ",1," + e.topk + "]", attrs.empty() ? "" : R"("attrs": {)" + attrs + "}");
}

TestRelease release_of(const std::string& rows, const std::string& columns = "Average Duration(us)",
                       const std::string& mapping = kMapping) {
  return {{{"LightningIndexer.csv", csv_header(columns) + rows}}, mapping};
}

// f = tokens + 2 * blocks on a square.
std::string square() {
  return row({"64", "100"}, {"264"}) + row({"128", "100"}, {"328"}) + row({"64", "200"}, {"464"}) +
         row({"128", "200"}, {"528"});
}

void expect_miss(const Result& result, const std::string& reason) {
  EXPECT_EQ(result.source, Source::miss) << to_json(result).dump();
  EXPECT_EQ(result.reason, reason) << to_json(result).dump();
}

TEST(LightningIndexerTest, TokensThenBlocksThenBoth) {
  const TestRelease release = release_of(square());
  const Result tokens = release.lookup(call({"96", "100"}));
  EXPECT_DOUBLE_EQ(tokens.latency_us, 296);
  EXPECT_EQ(tokens.axes, std::vector<std::string>{"tokens"});
  const Result blocks = release.lookup(call({"64", "150"}));
  EXPECT_DOUBLE_EQ(blocks.latency_us, 364);
  EXPECT_EQ(blocks.axes, std::vector<std::string>{"cache_blocks"});
  const Result both = release.lookup(call({"96", "150"}));
  EXPECT_NEAR(both.latency_us, 396, 1e-9);
  EXPECT_EQ(both.dim, 2);
  EXPECT_EQ(both.axes, (std::vector<std::string>{"tokens", "cache_blocks"}));
}

TEST(LightningIndexerTest, ExactCoordinateOfTheRegimeIsMeasured) {
  const Result result = release_of(square()).lookup(call({"128", "200"}));
  EXPECT_EQ(result.source, Source::measured);
  EXPECT_EQ(result.method, "exact_coordinate");
  EXPECT_EQ(result.latency_us, 528);
}

// The whole input signature is a row's, but the topk is not: the base exact match, which reads inputs only,
// would answer.
TEST(LightningIndexerTest, TheBaseExactMatchDoesNotAnswer) {
  Execution other{"64", "100"};
  other.topk = "16";
  expect_miss(release_of(square()).lookup(call(other)), "regime_mismatch");
}

TEST(LightningIndexerTest, MaxDimensionOneStopsThePlane) {
  const TestRelease release = release_of(
      square(), "Average Duration(us)",
      std::string("interpolation_policy: {kernel_overrides: {LightningIndexer: {max_interpolation_dim: "
                  "1}}}\n") +
          kMapping);
  expect_miss(release.lookup(call({"96", "150"})), "interpolation_dim_disabled");
  EXPECT_DOUBLE_EQ(release.lookup(call({"96", "100"})).latency_us, 296);
}

TEST(LightningIndexerTest, RegimeFieldsAreIsolated) {
  const TestRelease release = release_of(square());
  std::vector<std::pair<std::string, Execution>> others(9, {"", {}});
  others[0].first = "query_dtype", others[0].second.query_dtype = "int8";
  others[1].first = "cache_dtype", others[1].second.cache_dtype = "bfloat16";
  others[2].first = "cache_tail", others[2].second.cache_tail = "32,1,8";
  others[3].first = "query_rank", others[3].second.query = "2,32,4,8";
  others[4].first = "heads", others[4].second.query = "64,5,8";
  others[5].first = "head_dim", others[5].second.query = "64,4,9";
  others[6].first = "topk", others[6].second.topk = "16";
  others[7].first = "request_group", others[7].second.metadata = "3";
  others[8].first = "query_format", others[8].second.format = ":NCHW";
  for (const auto& [field, execution] : others) {
    const Result result = release.lookup(call(execution));
    expect_miss(result, "regime_mismatch");
    ASSERT_TRUE(result.details.closest_regime) << field;
    EXPECT_EQ(result.details.closest_regime->differences.at(0).field, field);
  }
}

// [B,S,H,D] has B * S tokens; a leading 1 is no batch.
TEST(LightningIndexerTest, ALeadingOneOfARankFourQueryIsRemoved) {
  Execution call_of{"64", "100"};
  call_of.query = "1,64,4,8";
  EXPECT_EQ(release_of(square()).lookup(call(call_of)).latency_us, 264);
  Execution batch{"64", "100"};
  batch.query = "2,32,4,8";
  EXPECT_EQ(release_of(row(batch, {"7"}) + square()).lookup(call(batch)).latency_us, 7);
}

constexpr const char* kRequestColumns =
    "Average Duration(us),Runtime actual_seq_lengths_values,Runtime actual_seq_lengths_kv_values,Runtime "
    "phase";

TEST(LightningIndexerTest, RequestLengthsAndPhaseAreIsolated) {
  const TestRelease release = release_of(
      row({}, {"10", "32;64", "500;600", "decode"}) + row({}, {"20", "32;64", "500;700", "decode"}) +
          row({}, {"30", "16;64", "500;600", "decode"}) + row({}, {"40", "32;64", "500;600", "prefill"}),
      kRequestColumns);
  const auto ask = [&](const std::string& attrs) { return release.lookup(call({}, attrs)); };
  EXPECT_EQ(ask(R"("query_lens": [32, 64], "seq_lens": [500, 600], "phase": "decode")").latency_us, 10);
  EXPECT_EQ(ask(R"("query_lens": [32, 64], "seq_lens": [500, 700], "phase": "decode")").latency_us, 20);
  EXPECT_EQ(ask(R"("query_lens": [16, 64], "seq_lens": [500, 600], "phase": "decode")").latency_us, 30);
  EXPECT_EQ(ask(R"("query_lens": [32, 64], "seq_lens": [500, 600], "phase": "prefill")").latency_us, 40);
  expect_miss(ask(R"("query_lens": [32, 65], "seq_lens": [500, 600], "phase": "decode")"), "regime_mismatch");
  // Stated on one side only.
  expect_miss(ask(""), "regime_mismatch");
  expect_miss(ask(R"("query_lens": [32, 64], "seq_lens": [500, 600])"), "regime_mismatch");
  expect_miss(release_of(square()).lookup(call({}, R"("phase": "decode")")), "regime_mismatch");
}

TEST(LightningIndexerTest, LengthsCompareAsListsHoweverTheyAreWritten) {
  const TestRelease release = release_of(row({}, {"10", "32,64", "[500; 600]", "decode"}), kRequestColumns);
  EXPECT_EQ(release.lookup(call({}, R"("query_lens": "32;64", "seq_lens": [500, 600], "phase": "decode")"))
                .latency_us,
            10);
}

// 264 and 300: 36 / 282 = 13 % apart. Nothing of the regime is interpolated; other coordinates answer
// exactly.
TEST(LightningIndexerTest, AnAmbiguousCoordinateClosesTheRegime) {
  const TestRelease release = release_of(square() + row({"64", "100"}, {"300"}));
  expect_miss(release.lookup(call({"64", "100"})), "ambiguous_coordinate");
  expect_miss(release.lookup(call({"96", "200"})), "ambiguous_coordinate");
  EXPECT_EQ(release.lookup(call({"128", "200"})).latency_us, 528);
}

TEST(LightningIndexerTest, DuplicatesThatAgreeAreTheirMedian) {  // 264 and 266
  EXPECT_DOUBLE_EQ(release_of(square() + row({"64", "100"}, {"266"})).lookup(call({"64", "100"})).latency_us,
                   265);
}

TEST(LightningIndexerTest, TheApiPathIsOpen) {
  const std::string columns = "Average Duration(us),API Path";
  const TestRelease release = release_of(row({}, {"10", "a"}) + row({}, {"20", "b"}), columns);
  EXPECT_EQ(release.lookup(call({}, R"("api_path": "a")")).latency_us, 10);
  EXPECT_EQ(release.lookup(call({}, R"("api_path": "b")")).latency_us, 20);
  expect_miss(release.lookup(call({}, R"("api_path": "c")")), "regime_mismatch");
  expect_miss(release.lookup(call({})), "api_path_unspecified");
  // An empty cell states nothing: it answers where the stated value was not measured, and silent calls.
  const TestRelease empty = release_of(row({}, {"10", "a"}) + row({}, {"20", ""}), columns);
  EXPECT_EQ(empty.lookup(call({}, R"("api_path": "c")")).latency_us, 20);
  EXPECT_EQ(empty.lookup(call({})).latency_us, 20);
  // A file without the column states nothing.
  EXPECT_EQ(release_of(square()).lookup(call({}, R"("api_path": "c")")).latency_us, 264);
}

TEST(LightningIndexerTest, TheMappingsApiPathStandsInForTheCalls) {
  const TestRelease release =
      release_of(row({}, {"10", "a"}) + row({}, {"20", "b"}), "Average Duration(us),API Path",
                 "operator_mappings:\n  tensor_cast.quant_lightning_indexer.default: "
                 "{kernel_type: LightningIndexer, query_mode: attention_lightning_indexer, "
                 "api_path: b}\n");
  const Result result = release.lookup(call({}));
  EXPECT_EQ(result.latency_us, 20);
  EXPECT_EQ(to_json(result)["details"]["api_path"], "b");
  EXPECT_EQ(release.lookup(call({}, R"("api_path": "a")")).latency_us, 10);
}

TEST(LightningIndexerTest, TargetsThatCannotBeExtracted) {
  const TestRelease release = release_of(square());
  const std::string tensors = "bfloat16[64,4,8] bfloat16[64,4] int8[100,16,1,8]";
  const std::string output = "int32[64,1,32]";
  expect_miss(release.lookup(leaf(kOp, tensors, output)), "request_group_unextractable");
  expect_miss(release.lookup(leaf(kOp, tensors + " float32[2]", output)), "request_group_unextractable");
  expect_miss(release.lookup(leaf(kOp, tensors + " int32[2] int32[2,33]")), "target_unextractable");
  expect_miss(release.lookup(leaf(kOp, "bfloat16[64,32] bfloat16[64,4] int8[100,16,1,8] int32[2]", output)),
              "target_unextractable");
  expect_miss(release.lookup(leaf(kOp, "bfloat16[64,4,8] bfloat16[64,4] - int32[2]", output)),
              "target_unextractable");
}

// With roles, order is free; the other tensors are the metadata.
TEST(LightningIndexerTest, RolesNameQueryWeightsAndCache) {
  const Result result = release_of(square()).lookup(leaf(
      kOp,
      R"({"role":"cache","dtype":"int8","shape":[100,16,1,8]} int32[2] )"
      R"({"role":"query","dtype":"bfloat16","shape":[64,4,8]} {"role":"weights","dtype":"bfloat16","shape":[64,4]} )"
      "int32[2,33]",
      "int32[64,1,32]"));
  EXPECT_EQ(result.latency_us, 264) << to_json(result).dump();
}

TEST(LightningIndexerTest, RowsThatDoNotFitAreCounted) {
  const Result result =
      release_of(measured("DT_BF16[64,4,8] INT8[100,16,1,8] DT_BF16[64,4]", "INT32[64,1,32]", {"1"}) +
                 measured("DT_BF16[64,32] INT8[100,16,1,8] DT_BF16[64,4] INT32[2]", "INT32[64,1,32]", {"1"}))
          .lookup(call({}));
  expect_miss(result, "no_usable_rows");
  EXPECT_EQ(result.details.rejected_rows.at("request_group_unextractable"), 1);
  EXPECT_EQ(result.details.rejected_rows.at("target_unextractable"), 1);
}

TEST(LightningIndexerTest, TooFewOutsideAndInvalid) {
  expect_miss(release_of(row({"64", "100"}, {"1"})).lookup(call({"96", "100"})), "insufficient_candidates");
  expect_miss(release_of(square()).lookup(call({"129", "100"})), "outside_boundary");
  Execution other{"64", "100"};
  other.topk = "16";
  expect_miss(release_of(row({"64", "100"}, {"0"}) + row(other, {"5"})).lookup(call({"64", "100"})),
              "latency_invalid");
}

TEST(LightningIndexerTest, WithoutACsvTheDetailsNameTheKernel) {
  const TestRelease release({{"Add.csv", csv_header() + measured("DT_BF16[4]", "DT_BF16[4]", {"1"})}},
                            kMapping);
  const Result result = release.lookup(call({}));
  expect_miss(result, "kernel_not_in_release");
  EXPECT_EQ(to_json(result)["details"]["kernels_attempted"],
            json::array({{{"kernel", "LightningIndexer"}, {"reason", "kernel_not_in_release"}}}));
}

TEST(LightningIndexerTest, SuccessDetails) {
  const json details = to_json(release_of(square()).lookup(call({"96", "100"})))["details"];
  EXPECT_EQ(details.at("query_mode"), "attention_lightning_indexer");
  EXPECT_EQ(details.at("target_axes"), json({{"tokens", 96}, {"cache_blocks", 100}}));
  EXPECT_EQ(details.at("boundary"), json({{"tokens", {64, 128}}}));
  EXPECT_EQ(details.at("candidate_count"), 2);
  EXPECT_EQ(details.at("regime").at("heads"), 4);
  EXPECT_EQ(details.at("regime").at("head_dim"), 8);
  EXPECT_EQ(details.at("regime").at("topk"), 32);
  EXPECT_EQ(details.at("regime").at("cache_tail"), "16,1,8");
  EXPECT_EQ(details.at("regime").at("query_rank"), 3);
}

}  // namespace
}  // namespace profdb
