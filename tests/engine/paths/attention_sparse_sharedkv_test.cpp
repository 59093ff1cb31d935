// SparseFlashAttention (contract §9).
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

constexpr const char* kOp = "tensor_cast.sparse_attn_sharedkv.default";
constexpr const char* kMapping =
    "operator_mappings:\n"
    "  tensor_cast.sparse_attn_sharedkv.default: {kernel_type: SparseFlashAttention, query_mode: "
    "attention_sparse_sharedkv}\n";
constexpr const char* kColumns =
    "Average Duration(us),Runtime phase,Runtime actual_seq_lengths_values,Runtime "
    "actual_seq_lengths_kv_values";

// Query [T,4,8] bf16, caches [100,16,1,8] int8, topk_indices [T,1,32], block table, lengths of query and
// cache.
struct Execution {
  std::string tokens = "64";
  std::string query = {};  // in place of [T,4,8]
  std::string cache = "100,16,1,8";
  std::string query_dtype = {};
  std::string cache_dtype = {};
  std::string topk = "32";
  std::string table = "2,33";
  std::string format = {};
};

std::string query_of(const Execution& e) {
  return "[" + (e.query.empty() ? e.tokens + ",4,8" : e.query) + "]" + e.format + " ";
}

std::string row(const Execution& e, const std::string& latency, const std::string& phase = "decode",
                const std::string& query_lens = "", const std::string& seq_lens = "") {
  const std::string cache_dtype = e.cache_dtype.empty() ? "INT8" : e.cache_dtype;
  return measured((e.query_dtype.empty() ? "DT_BF16" : e.query_dtype) + query_of(e) + cache_dtype + "[" +
                      e.cache + "]" + e.format + " " + cache_dtype + "[" + e.cache + "] INT32[" + e.tokens +
                      ",1," + e.topk + "] INT32[" + e.table + "] INT32[2] INT32[2]",
                  "DT_BF16" + query_of(e), {latency, phase, query_lens, seq_lens});
}

std::string with_role(const std::string& role, const std::string& dtype, const std::string& shape) {
  return R"({"role":")" + role + R"(","dtype":")" + dtype + R"(","shape":[)" + shape + "]} ";
}

std::string metadata(const std::string& table) {
  return with_role("block_table", "int32", table) + with_role("actual_seq_lengths_query", "int32", "2") +
         with_role("actual_seq_lengths_kv", "int32", "2");
}

std::string call(const Execution& e, const std::string& attrs = R"("phase": "decode")") {
  const std::string cache_dtype = e.cache_dtype.empty() ? "int8" : e.cache_dtype;
  return leaf(kOp,
              (e.query_dtype.empty() ? "bfloat16" : e.query_dtype) + query_of(e) + cache_dtype + "[" +
                  e.cache + "]" + e.format + " " + cache_dtype + "[" + e.cache + "] int32[" + e.tokens +
                  ",1," + e.topk + "] " + metadata(e.table),
              "bfloat16" + query_of(e), R"("attrs": {)" + attrs + "}");
}

TestRelease release_of(const std::string& rows) {
  return {{{"SparseFlashAttention.csv", csv_header(kColumns) + rows}}, kMapping};
}

std::string two() {
  return row({"64"}, "100") + row({"128"}, "140");
}

void expect_miss(const Result& result, const std::string& reason) {
  EXPECT_EQ(result.source, Source::miss) << to_json(result).dump();
  EXPECT_EQ(result.reason, reason) << to_json(result).dump();
}

TEST(SparseSharedkvTest, InterpolatesAlongTokens) {
  const Result result = release_of(two()).lookup(call({"80"}));  // a quarter of the way: 110
  EXPECT_EQ(result.source, Source::interpolated);
  EXPECT_DOUBLE_EQ(result.latency_us, 110);
  EXPECT_EQ(result.axes, std::vector<std::string>{"tokens"});
}

TEST(SparseSharedkvTest, ExactCoordinateIsMeasured) {
  const Result result = release_of(two()).lookup(call({"128"}));
  EXPECT_EQ(result.source, Source::measured);
  EXPECT_EQ(result.method, "exact_coordinate");
  EXPECT_EQ(result.latency_us, 140);
}

// The rank is no field: [B,S,H,D] has B * S tokens.
TEST(SparseSharedkvTest, ARankFourQueryIsFlattened) {
  Execution e{"64"};
  e.query = "2,32,4,8";
  EXPECT_EQ(release_of(two()).lookup(call(e)).latency_us, 100);
}

TEST(SparseSharedkvTest, RegimeFieldsAreIsolated) {
  const TestRelease release = release_of(two());
  std::vector<std::pair<std::string, Execution>> others(8, {"", {}});
  others[0].first = "query_dtype", others[0].second.query_dtype = "int8";
  others[1].first = "cache_dtype", others[1].second.cache_dtype = "bfloat16";
  others[2].first = "heads", others[2].second.query = "64,5,8";
  others[3].first = "head_dim", others[3].second.query = "64,4,9";
  others[4].first = "cache_shape", others[4].second.cache = "101,16,1,8";
  others[5].first = "selected_topk", others[5].second.topk = "16";
  others[6].first = "request_group", others[6].second.table = "2,34";
  others[7].first = "query_format", others[7].second.format = ":NCHW";
  for (const auto& [field, execution] : others) {
    const Result result = release.lookup(call(execution));
    expect_miss(result, "regime_mismatch");
    ASSERT_TRUE(result.details.closest_regime) << field;
    EXPECT_EQ(result.details.closest_regime->differences.at(0).field, field);
  }
}

// Capacity is not a length: between 100 and 200 blocks nothing is interpolated.
TEST(SparseSharedkvTest, CacheBlocksAreNoAxis) {
  Execution more{"64"}, between{"64"};
  more.cache = "200,16,1,8";
  between.cache = "150,16,1,8";
  expect_miss(release_of(row({"64"}, "100") + row(more, "200")).lookup(call(between)), "regime_mismatch");
}

TEST(SparseSharedkvTest, SparsePhaseIsIsolated) {
  const TestRelease release = release_of(row({}, "10", "decode") + row({}, "20", "prefill"));
  EXPECT_EQ(release.lookup(call({}, R"("phase": "decode")")).latency_us, 10);
  EXPECT_EQ(release.lookup(call({}, R"("phase": "prefill")")).latency_us, 20);
  expect_miss(release.lookup(call({}, R"("phase": "mixed")")), "regime_mismatch");
}

TEST(SparseSharedkvTest, SparsePhaseComesBeforePhase) {
  const TestRelease release = release_of(row({}, "10", "decode") + row({}, "20", "prefill"));
  EXPECT_EQ(release.lookup(call({}, R"("sparse_phase": "prefill", "phase": "decode")")).latency_us, 20);
}

TEST(SparseSharedkvTest, RequestLengthsAreIsolated) {
  const TestRelease release =
      release_of(row({}, "10", "decode", "1;1", "500;600") + row({}, "20", "decode", "1;1", "500;700"));
  const auto ask = [&](const std::string& lens) {
    return release.lookup(call({}, R"("phase": "decode", "query_lens": [1, 1], "seq_lens": )" + lens));
  };
  EXPECT_EQ(ask("[500, 600]").latency_us, 10);
  EXPECT_EQ(ask("[500, 700]").latency_us, 20);
  expect_miss(ask("[500, 800]"), "regime_mismatch");
  expect_miss(release.lookup(call({})), "regime_mismatch");  // stated on one side only
}

// Same tokens, cache and topk, request groups apart: each answers its own, none a median of both.
TEST(SparseSharedkvTest, DuplicatesOfOtherRequestsAreNotMerged) {
  Execution other{"64"};
  other.table = "4,33";
  const TestRelease release = release_of(two() + row(other, "900"));
  EXPECT_EQ(release.lookup(call({"64"})).latency_us, 100);
  EXPECT_EQ(release.lookup(call(other)).latency_us, 900);
}

// 100 and 130: 30 / 115 = 26 % apart.
TEST(SparseSharedkvTest, AnAmbiguousCoordinateClosesTheRegime) {
  const TestRelease release = release_of(two() + row({"64"}, "130") + row({"256"}, "200"));
  expect_miss(release.lookup(call({"64"})), "ambiguous_coordinate");
  expect_miss(release.lookup(call({"200"})), "ambiguous_coordinate");
  EXPECT_EQ(release.lookup(call({"128"})).latency_us, 140);
}

TEST(SparseSharedkvTest, TargetsThatCannotBeExtracted) {
  const TestRelease release = release_of(two());
  const std::string phase = R"("attrs": {"phase": "decode"})";
  const std::string tensors = "bfloat16[64,4,8] int8[100,16,1,8] int8[100,16,1,8] ";
  expect_miss(release.lookup(call({}, "")), "sparse_phase_unextractable");
  expect_miss(release.lookup(leaf(kOp, tensors + "- " + metadata("2,33"), "", phase)),
              "selected_topk_unextractable");
  expect_miss(release.lookup(leaf(kOp, tensors + "int32[64,1,32]", "", phase)),
              "request_group_unextractable");
  // Metadata are known by role, not by position.
  expect_miss(release.lookup(leaf(kOp, tensors + "int32[64,1,32] int32[2,33] int32[2] int32[2]", "", phase)),
              "request_group_unextractable");
  expect_miss(release.lookup(leaf(
                  kOp, "bfloat16[64,32] int8[100,16,1,8] - int32[64,1,32] " + metadata("2,33"), "", phase)),
              "target_unextractable");
}

// Of several missing fields the first in the contract's order.
TEST(SparseSharedkvTest, TheFirstMissingFieldIsNamed) {
  const TestRelease release = release_of(two());
  const std::string tensors = "bfloat16[64,4,8] int8[100,16,1,8] int8[100,16,1,8]";
  expect_miss(release.lookup(leaf(kOp, tensors)), "sparse_phase_unextractable");
  expect_miss(release.lookup(leaf(kOp, tensors, "", R"("attrs": {"phase": "decode"})")),
              "selected_topk_unextractable");
}

TEST(SparseSharedkvTest, RowsThatDoNotFitAreCounted) {
  const Result result =
      release_of(row({}, "1", "") +
                 measured("DT_BF16[64,4,8] INT8[100,16,1,8] INT8[100,16,1,8] INT32[64,1,32]",
                          "DT_BF16[64,4,8]", {"1", "decode", "", ""}) +
                 measured("DT_BF16[64,4,8] INT8[100,16,1,8] INT8[100,16,1,8] - INT32[2]", "DT_BF16[64,4,8]",
                          {"1", "decode", "", ""}))
          .lookup(call({}));
  expect_miss(result, "no_usable_rows");
  EXPECT_EQ(result.details.rejected_rows,
            (std::map<std::string, std::int64_t>{{"sparse_phase_unextractable", 1},
                                                 {"request_group_unextractable", 1},
                                                 {"selected_topk_unextractable", 1}}));
}

TEST(SparseSharedkvTest, TooFewOutsideAndInvalid) {
  expect_miss(release_of(row({"64"}, "1")).lookup(call({"65"})), "insufficient_candidates");
  expect_miss(release_of(two()).lookup(call({"129"})), "outside_boundary");
  expect_miss(release_of(row({"64"}, "nan") + row({"64"}, "5", "prefill")).lookup(call({"64"})),
              "latency_invalid");
}

TEST(SparseSharedkvTest, InterpolationOffKeepsExactAnswers) {
  EngineOptions options;
  options.interpolation = false;
  const TestRelease release = release_of(two());
  EXPECT_EQ(release.lookup(call({"64"}), options).latency_us, 100);
  expect_miss(release.lookup(call({"80"}), options), "interpolation_off");
}

TEST(SparseSharedkvTest, Details) {
  const json hit = to_json(release_of(two()).lookup(call({"80"})))["details"];
  EXPECT_EQ(hit.at("query_mode"), "attention_sparse_sharedkv");
  EXPECT_EQ(hit.at("boundary"), json({{"tokens", {64, 128}}}));
  EXPECT_EQ(hit.at("regime").at("cache_shape"), "100,16,1,8");
  EXPECT_EQ(hit.at("regime").at("sparse_phase"), "decode");
  EXPECT_EQ(hit.at("regime").at("selected_topk"), 32);
  const json miss = to_json(release_of(two()).lookup(call({}, R"("phase": "prefill")")))["details"];
  EXPECT_EQ(miss.at("target_axes"), json({{"tokens", 64}}));
  EXPECT_EQ(miss.at("target_regime").at("sparse_phase"), "prefill");
  EXPECT_EQ(miss.at("closest_regime").at("differences"),
            json::array({{{"field", "sparse_phase"}, {"target", "prefill"}, {"measured", "decode"}}}));
}

}  // namespace
}  // namespace profdb
