// FusedInferAttentionScore (contract §13).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
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

constexpr const char* kOp = "tensor_cast.attention.default";
constexpr const char* kMapping =
    "operator_mappings:\n"
    "  tensor_cast.attention.default: {kernel_type: FusedInferAttentionScore, query_mode: "
    "attention_special}\n";
constexpr const char* kColumns =
    "Average Duration(us),Runtime avg_seq_len,Runtime batch_size,Runtime sparse_mode,Runtime "
    "num_key_value_heads,"
    "Runtime input_layout,Runtime quant_mode";

// A decode step: T = requests = 8, 4 heads of 16, 2 KV heads, TND.
struct RowOf {
  std::string seq;
  std::string latency;
  std::string tokens = "8";
  std::string batch = "8";
  std::string heads = "4";
  std::string kv_heads = "2";
  std::string sparse_mode = "3";
  std::string layout = "TND";
  std::string quant_mode = "";
  std::string dtype = "DT_BF16";
};

std::string row(const RowOf& r) {
  const std::string query = "[" + r.tokens + "," + r.heads + ",16]";
  return measured(r.dtype + query + " DT_BF16[50,128,2,16]", r.dtype + query,
                  {r.latency, r.seq, r.batch, r.sparse_mode, r.kv_heads, r.layout, r.quant_mode});
}

struct CallOf {
  std::int64_t seq;
  std::int64_t requests = 8;
  std::string query = "8,4,16";
  std::string key = "50,128,2,16";
  std::string attrs = {};  // further ones, after a comma
  std::string dtype = "bfloat16";
};

std::string call(const CallOf& c) {
  const std::vector<std::int64_t> lens(static_cast<std::size_t>(c.requests), c.seq);
  return leaf(kOp, c.dtype + "[" + c.query + "] bfloat16[" + c.key + "]", c.dtype + "[" + c.query + "]",
              R"("attrs": {"seq_lens": )" + json(lens).dump() + c.attrs + "}");
}

TestRelease release_of(const std::string& rows, const std::string& columns = kColumns,
                       const std::string& mapping = kMapping) {
  return {{{"FusedInferAttentionScore.csv", csv_header(columns) + rows}}, mapping};
}

std::string two() {
  return row({"100", "10"}) + row({"200", "20"});
}

void expect_miss(const Result& result, const std::string& reason) {
  EXPECT_EQ(result.source, Source::miss) << to_json(result).dump();
  EXPECT_EQ(result.reason, reason) << to_json(result).dump();
}

TEST(AttentionSpecialTest, ExactIsMeasured) {
  const Result result = release_of(two()).lookup(call({100}));
  EXPECT_EQ(result.source, Source::measured);
  EXPECT_EQ(result.latency_us, 10);
  EXPECT_EQ(result.confidence, 0.9);
  EXPECT_EQ(result.method, "exact_coordinate");
}

// (100 + 101) / 2 = 100.5, rounded down.
TEST(AttentionSpecialTest, SeqIsTheMeanRoundedDown) {
  const Result result = release_of(row({.seq = "100", .latency = "10", .batch = "2"}))
                            .lookup(leaf(kOp, "bfloat16[8,4,16] bfloat16[50,128,2,16]", "",
                                         R"("attrs": {"seq_lens": [100, 101]})"));
  EXPECT_EQ(result.source, Source::measured);
}

TEST(AttentionSpecialTest, InterpolatesAlongSeq) {
  const Result result = release_of(two()).lookup(call({150}));
  EXPECT_EQ(result.source, Source::interpolated);
  EXPECT_DOUBLE_EQ(result.latency_us, 15);
  EXPECT_EQ(result.axes, std::vector<std::string>{"seq"});
}

TEST(AttentionSpecialTest, AMeanWithin16IsCompatibleBeforeInterpolation) {
  const TestRelease release = release_of(two());
  const Result near = release.lookup(call({116}));
  EXPECT_EQ(near.source, Source::compatible);
  EXPECT_EQ(near.match_rule, "seq_len_within_16");
  EXPECT_EQ(near.latency_us, 10);
  EXPECT_EQ(release.lookup(call({84})).source, Source::compatible) << "outside the range, but near";
  EXPECT_EQ(release.lookup(call({117})).source, Source::interpolated);
  expect_miss(release.lookup(call({83})), "outside_boundary");
}

TEST(AttentionSpecialTest, TheNearestSeqAnswersAndOfTwoTheMedian) {
  const TestRelease release = release_of(row({"100", "10"}) + row({"110", "30"}) + row({"120", "70"}));
  EXPECT_EQ(release.lookup(call({104})).latency_us, 10);
  EXPECT_EQ(release.lookup(call({105})).latency_us, 20);  // 100 and 110 are equally near
  EXPECT_EQ(release.lookup(call({109})).latency_us, 30);
}

TEST(AttentionSpecialTest, InterpolatesAlongBatchAndHeads) {
  const TestRelease release = release_of(row({.seq = "100", .latency = "10", .batch = "4"}) +
                                         row({.seq = "100", .latency = "30", .batch = "8"}) +
                                         row({.seq = "100", .latency = "50", .batch = "8", .heads = "8"}));
  const Result batch = release.lookup(call({.seq = 100, .requests = 6}));
  EXPECT_DOUBLE_EQ(batch.latency_us, 20);
  EXPECT_EQ(batch.axes, std::vector<std::string>{"batch"});
  const Result heads = release.lookup(call({.seq = 100, .query = "8,6,16"}));
  EXPECT_DOUBLE_EQ(heads.latency_us, 40);
  EXPECT_EQ(heads.axes, std::vector<std::string>{"heads"});
}

// f = seq + 10 batch on a square.
TEST(AttentionSpecialTest, InterpolatesAlongTwoAxes) {
  const TestRelease release = release_of(row({.seq = "100", .latency = "140", .batch = "4"}) +
                                         row({.seq = "300", .latency = "340", .batch = "4"}) +
                                         row({.seq = "100", .latency = "180", .batch = "8"}) +
                                         row({.seq = "300", .latency = "380", .batch = "8"}));
  const Result result = release.lookup(call({.seq = 200, .requests = 6}));
  EXPECT_NEAR(result.latency_us, 260, 1e-9);
  EXPECT_EQ(result.axes, (std::vector<std::string>{"seq", "batch"}));
}

TEST(AttentionSpecialTest, TokensAreAlwaysEqual) {
  const TestRelease release = release_of(row({.seq = "100", .latency = "10", .tokens = "4"}) +
                                         row({.seq = "100", .latency = "30", .tokens = "24"}));
  EngineOptions options;
  options.padded_match = PaddedMatch::off;
  const Result result = release.lookup(call({100}), options);
  expect_miss(result, "insufficient_candidates");
  // Said once, in words, and not once per combination of axes.
  ASSERT_EQ(result.details.attempts.size(), 1U);
  EXPECT_THAT(result.details.attempts[0].message,
              testing::HasSubstr("attention is interpolated at equal T only"));
}

// sqrt(100) = 10, sqrt(400) = 20, sqrt(225) = 15: half way, 15 us; linear in seq it would be 14.17.
TEST(AttentionSpecialTest, SqrtSeqInterpolatesOverTheRoot) {
  const std::string policy =
      "interpolation_policy: {kernel_overrides: {FusedInferAttentionScore: {axis_transform: sqrt_seq}}}\n";
  const TestRelease release =
      release_of(row({"100", "10"}) + row({"400", "20"}), kColumns, policy + kMapping);
  const Result result = release.lookup(call({225}));
  EXPECT_DOUBLE_EQ(result.latency_us, 15);
  const json details = to_json(result)["details"];
  EXPECT_EQ(details.at("boundary").at("seq"), json({100, 400}));
  EXPECT_EQ(details.at("boundary").at("sqrt_seq"), json({10, 20}));
}

TEST(AttentionSpecialTest, RegimeFieldsAreIsolated) {
  const TestRelease release = release_of(two());
  expect_miss(release.lookup(call({.seq = 100, .dtype = "int8"})), "regime_mismatch");
  expect_miss(release.lookup(call({.seq = 100, .key = "50,128,4,16"})), "regime_mismatch");
  expect_miss(release.lookup(call({.seq = 100, .query = "8,4,1,16", .key = "50,2,128,16"})),
              "regime_mismatch");  // sparse mode 0, BNSD_NBSD
  expect_miss(release_of(row({.seq = "100", .latency = "1", .sparse_mode = "0"})).lookup(call({100})),
              "regime_mismatch");
  expect_miss(release_of(row({.seq = "100", .latency = "1", .layout = "BSND"})).lookup(call({100})),
              "regime_mismatch");
}

// A column that the file has and the row leaves empty matches nothing.
TEST(AttentionSpecialTest, EmptyCellsMatchNothing) {
  expect_miss(release_of(row({.seq = "100", .latency = "1", .sparse_mode = ""})).lookup(call({100})),
              "regime_mismatch");
  expect_miss(release_of(row({.seq = "100", .latency = "1", .kv_heads = ""})).lookup(call({100})),
              "regime_mismatch");
  expect_miss(release_of(row({.seq = "100", .latency = "1", .layout = ""})).lookup(call({100})),
              "regime_mismatch");
}

TEST(AttentionSpecialTest, TheQuantModeIsOpen) {
  const TestRelease release = release_of(row({.seq = "100", .latency = "1", .quant_mode = "a"}) +
                                         row({.seq = "100", .latency = "2", .quant_mode = "b"}));
  EXPECT_EQ(release.lookup(call({.seq = 100, .attrs = R"(, "quant_mode": "b")"})).latency_us, 2);
  expect_miss(release.lookup(call({.seq = 100, .attrs = R"(, "quant_mode": "c")"})), "regime_mismatch");
  expect_miss(release.lookup(call({100})), "quant_mode_unspecified");
  EXPECT_EQ(release_of(two()).lookup(call({.seq = 100, .attrs = R"(, "quant_mode": "c")"})).latency_us, 10);
}

// Rank 4, [B,N,1,D]: T = batch = 8, sparse mode 0, BNSD_NBSD, the key's second dimension are its heads.
TEST(AttentionSpecialTest, RankFourQueries) {
  const std::string decode = measured("DT_BF16[8,4,1,16] DT_BF16[50,2,128,16]", "DT_BF16[8,4,1,16]",
                                      {"7", "100", "", "0", "2", "BNSD_NBSD", ""});
  const Result result =
      release_of(decode).lookup(call({.seq = 100, .query = "8,4,1,16", .key = "50,2,128,16"}));
  EXPECT_EQ(result.source, Source::measured) << to_json(result).dump();
  EXPECT_EQ(result.latency_us, 7);
  EXPECT_EQ(json(to_json(result)["details"]["target_axes"]),
            json({{"tokens", 8}, {"seq", 100}, {"batch", 8}, {"heads", 4}, {"head_dim", 16}}));
}

// [T,N*D] with D = 16 from the key: 64 / 16 = 4 heads.
TEST(AttentionSpecialTest, RankTwoQueriesTakeTheirHeadSizeFromTheKey) {
  EXPECT_EQ(release_of(two()).lookup(call({.seq = 100, .query = "8,64"})).latency_us, 10);
}

constexpr const char* kWithoutModes = "Average Duration(us),Runtime avg_seq_len,Runtime batch_size";

std::string bare(const std::string& seq, const std::string& latency, const std::string& batch = "8") {
  return measured("DT_BF16[8,4,16] DT_BF16[50,128,2,16]", "DT_BF16[8,4,16]", {latency, seq, batch});
}

TEST(AttentionSpecialTest, FilesWithoutModesAnswerExactAndNearOnly) {
  const TestRelease release = release_of(bare("100", "10") + bare("200", "20"), kWithoutModes);
  EXPECT_EQ(release.lookup(call({100})).source, Source::measured);
  EXPECT_EQ(release.lookup(call({110})).source, Source::compatible);
  EXPECT_EQ(release.lookup(call({150})).source, Source::miss);
}

// avg_seq_len is read where Runtime avg_seq_len is not there; without a layout column nothing is compared.
TEST(AttentionSpecialTest, OlderColumnNames) {
  const TestRelease release = release_of(
      measured("DT_BF16[8,4,16] DT_BF16[50,128,2,16]", "DT_BF16[8,4,16]", {"10", "100", "8", "3", "2"}) +
          measured("DT_BF16[8,4,16] DT_BF16[50,128,2,16]", "DT_BF16[8,4,16]", {"20", "200", "8", "3", "2"}),
      "Average Duration(us),avg_seq_len,Runtime batch_size,Runtime sparse_mode,Runtime num_key_value_heads");
  EXPECT_DOUBLE_EQ(release.lookup(call({150})).latency_us, 15);
}

TEST(AttentionSpecialTest, RowsWithoutABatchCountOnlyWhereNoRowHasOne) {
  const TestRelease none = release_of(row({.seq = "100", .latency = "10", .batch = ""}) +
                                      row({.seq = "200", .latency = "20", .batch = ""}));
  EXPECT_EQ(none.lookup(call({100})).latency_us, 10);
  EXPECT_DOUBLE_EQ(none.lookup(call({150})).latency_us, 15);
  const TestRelease mixed = release_of(row({.seq = "100", .latency = "10", .batch = ""}) +
                                       row({.seq = "200", .latency = "20", .batch = "8"}));
  EXPECT_NE(mixed.lookup(call({100})).latency_us, 10);
  EXPECT_EQ(mixed.lookup(call({200})).latency_us, 20);
}

TEST(AttentionSpecialTest, RowsWithoutALengthAreRejected) {
  const Result result = release_of(row({"0", "1"}) + row({"-5", "1"}) + row({"", "1"})).lookup(call({100}));
  expect_miss(result, "no_usable_rows");
  std::int64_t rejected = 0;
  for (const auto& [reason, count] : result.details.rejected_rows) rejected += count;
  EXPECT_EQ(rejected, 3);
}

// No whole number of tokens: a cell of inf would otherwise become a coordinate.
TEST(AttentionSpecialTest, RowsOfInfiniteLengthAreRejected) {
  const Result result = release_of(row({"inf", "1"}) + row({"1e300", "1"})).lookup(call({100}));
  expect_miss(result, "no_usable_rows");
}

// T = 41 rounds up to the call's 48; batch likewise. Rows of 41 stand for 48, and say so.
TEST(AttentionSpecialTest, PaddedRowsAnswerLast) {
  const auto padded = [](const std::string& seq, const std::string& latency) {
    return row({.seq = seq, .latency = latency, .tokens = "41", .batch = "41"});
  };
  const TestRelease release = release_of(padded("100", "10") + padded("200", "20"));
  const CallOf exact{.seq = 100, .requests = 48, .query = "48,4,16"};
  const Result result = release.lookup(call(exact));
  EXPECT_EQ(result.source, Source::compatible);
  EXPECT_EQ(result.match_rule, "padding");
  EXPECT_EQ(result.latency_us, 10);
  EXPECT_EQ(result.confidence, 0.9);
  EXPECT_EQ(to_json(result)["details"]["matched_rows"][0]["coordinate"]["tokens"], 41);
  const Result between = release.lookup(call({.seq = 150, .requests = 48, .query = "48,4,16"}));
  EXPECT_EQ(between.source, Source::compatible);
  EXPECT_EQ(between.match_rule, "padding");
  EXPECT_EQ(between.method, "linear_1d");
  EXPECT_DOUBLE_EQ(between.latency_us, 15);
  EngineOptions off;
  off.padded_match = PaddedMatch::off;
  EXPECT_EQ(release.lookup(call(exact), off).source, Source::miss);
}

TEST(AttentionSpecialTest, NothingIsPaddedWhereTheTokensWereMeasured) {
  const TestRelease release = release_of(row({.seq = "100", .latency = "10", .tokens = "41", .batch = "41"}) +
                                         row({.seq = "900", .latency = "90", .tokens = "48", .batch = "48"}));
  expect_miss(release.lookup(call({.seq = 100, .requests = 48, .query = "48,4,16"})),
              "insufficient_candidates");
}

TEST(AttentionSpecialTest, TargetsThatCannotBeExtracted) {
  const TestRelease release = release_of(two());
  const std::string lens = R"("attrs": {"seq_lens": [100]})";
  expect_miss(release.lookup(leaf(kOp, "bfloat16[8,4,16] bfloat16[50,128,2,16]")), "target_unextractable");
  expect_miss(release.lookup(leaf(kOp, "bfloat16[8,4,16]", "", lens)), "target_unextractable");
  expect_miss(release.lookup(leaf(kOp, "bfloat16[8,4,2,16] bfloat16[50,2,128,16]", "", lens)),
              "target_unextractable");
  expect_miss(release.lookup(leaf(kOp, "bfloat16[8,65] bfloat16[50,128,2,16]", "", lens)),
              "target_unextractable");
}

TEST(AttentionSpecialTest, TooFewOutsideAndInvalid) {
  expect_miss(release_of(row({"100", "10"})).lookup(call({150})), "insufficient_candidates");
  expect_miss(release_of(two()).lookup(call({300})), "outside_boundary");
  expect_miss(release_of(row({"100", "0"}) + row({.seq = "100", .latency = "5", .dtype = "INT8"}))
                  .lookup(call({100})),
              "latency_invalid");
}

TEST(AttentionSpecialTest, InterpolationOffKeepsExactAndNear) {
  EngineOptions options;
  options.interpolation = false;
  const TestRelease release = release_of(two());
  EXPECT_EQ(release.lookup(call({100}), options).source, Source::measured);
  EXPECT_EQ(release.lookup(call({110}), options).source, Source::compatible);
  expect_miss(release.lookup(call({150}), options), "interpolation_off");
}

TEST(AttentionSpecialTest, Details) {
  const json hit = to_json(release_of(two()).lookup(call({150})))["details"];
  EXPECT_EQ(hit.at("query_mode"), "attention_special");
  EXPECT_EQ(hit.at("boundary"), json({{"seq", {100, 200}}}));
  EXPECT_EQ(hit.at("regime").at("kv_heads"), "2");
  EXPECT_EQ(hit.at("regime").at("input_layout"), "TND");
  EXPECT_EQ(hit.at("fallback_from"), "exact_miss");
  const json miss = to_json(release_of(two()).lookup(call({.seq = 100, .key = "50,128,4,16"})))["details"];
  EXPECT_EQ(miss.at("closest_regime").at("differences"),
            json::array({{{"field", "kv_heads"}, {"target", "4"}, {"measured", "2"}}}));
  EXPECT_EQ(miss.at("target_axes").at("seq"), 100);
}

}  // namespace
}  // namespace profdb
