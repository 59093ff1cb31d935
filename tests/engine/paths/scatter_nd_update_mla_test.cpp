// MLA cache update (contract §11).
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

constexpr const char* kOp = "tensor_cast.scatter_nd_update_mla.default";
constexpr const char* kMapping =
    "operator_mappings:\n"
    "  tensor_cast.scatter_nd_update_mla.default: {kernel_type: ScatterNdUpdate, alternate_kernel_types: "
    "[ScatterNdUpdateAiCore], query_mode: scatter_nd_update_mla}\n";

constexpr const char* kCache = "[100,16,72]";

// Rows hold (cache, index, update).
std::string row(const std::string& tokens, const std::string& latency, const std::string& cache = kCache) {
  return measured("DT_BF16" + cache + " INT64[" + tokens + ",1] DT_BF16[" + tokens + ",72]",
                  "DT_BF16" + cache, {latency});
}
// Calls pass (update, cache, index).
std::string call(const std::string& tokens, const std::string& cache = kCache) {
  return leaf(kOp, "bfloat16[" + tokens + ",72] bfloat16" + cache + " int64[" + tokens + ",1]");
}

TestRelease release_of(const std::string& rows) {
  return {{{"ScatterNdUpdate.csv", csv_header() + rows}}, kMapping};
}

std::string two() {
  return row("64", "10") + row("128", "14");
}

void expect_miss(const Result& result, const std::string& reason) {
  EXPECT_EQ(result.source, Source::miss) << to_json(result).dump();
  EXPECT_EQ(result.reason, reason) << to_json(result).dump();
}

TEST(ScatterNdUpdateMlaTest, ArgumentsAreReordered) {
  EXPECT_EQ(release_of(two()).lookup(call("64")).latency_us, 10);
  // In row order they are another call: the cache would be the update.
  const Result rows_order =
      release_of(two()).lookup(leaf(kOp, "bfloat16[100,16,72] int64[64,1] bfloat16[64,72]"));
  expect_miss(rows_order, "regime_mismatch");
}

TEST(ScatterNdUpdateMlaTest, RolesTellThemApartInAnyOrder) {
  const Result result = release_of(two()).lookup(leaf(
      kOp,
      R"({"role":"cache","dtype":"bfloat16","shape":[100,16,72]} )"
      R"({"role":"index","dtype":"int64","shape":[64,1]} {"role":"update","dtype":"bfloat16","shape":[64,72]})"));
  EXPECT_EQ(result.latency_us, 10) << to_json(result).dump();
}

TEST(ScatterNdUpdateMlaTest, InterpolatesAlongTokens) {
  const Result result = release_of(two()).lookup(call("80"));  // a quarter of the way
  EXPECT_EQ(result.source, Source::interpolated);
  EXPECT_DOUBLE_EQ(result.latency_us, 11);
  EXPECT_EQ(result.axes, std::vector<std::string>{"tokens"});
}

TEST(ScatterNdUpdateMlaTest, ExactCoordinateIsMeasured) {
  const Result result = release_of(two()).lookup(call("128"));
  EXPECT_EQ(result.source, Source::measured);
  EXPECT_EQ(result.method, "exact_coordinate");
  EXPECT_EQ(result.latency_us, 14);
}

// Rank 3 and more: the product of all but the last dimension, 2 * 32.
TEST(ScatterNdUpdateMlaTest, TokensOfAHigherRank) {
  EXPECT_EQ(
      release_of(two()).lookup(leaf(kOp, "bfloat16[2,32,72] bfloat16[100,16,72] int64[64,1]")).latency_us,
      10);
}

// Rank 1: its one dimension, with an empty tail.
TEST(ScatterNdUpdateMlaTest, TokensOfRankOne) {
  const TestRelease release =
      release_of(measured("DT_BF16[100,16,72] INT64[64,1] DT_BF16[64]", "DT_BF16[100,16,72]", {"3"}) + two());
  EXPECT_EQ(release.lookup(leaf(kOp, "bfloat16[64] bfloat16[100,16,72] int64[64,1]")).latency_us, 3);
  expect_miss(release_of(two()).lookup(leaf(kOp, "bfloat16[64] bfloat16[100,16,72] int64[64,1]")),
              "regime_mismatch");
}

// Capacity is not an axis: nothing between 100 and 200 blocks.
TEST(ScatterNdUpdateMlaTest, TheFullCacheShapeIsIsolated) {
  const TestRelease release = release_of(row("64", "10") + row("64", "20", "[200,16,72]"));
  EXPECT_EQ(release.lookup(call("64", "[200,16,72]")).latency_us, 20);
  expect_miss(release.lookup(call("64", "[150,16,72]")), "regime_mismatch");
  expect_miss(release.lookup(call("64", "[1600,72]")), "regime_mismatch");
}

TEST(ScatterNdUpdateMlaTest, RegimeFieldsAreIsolated) {
  const TestRelease release = release_of(two());
  const std::vector<std::pair<std::string, std::string>> others = {
      {"cache_dtype", "bfloat16[64,72] int8[100,16,72] int64[64,1]"},
      {"index_dtype", "bfloat16[64,72] bfloat16[100,16,72] int32[64,1]"},
      {"update_dtype", "int8[64,72] bfloat16[100,16,72] int64[64,1]"},
      {"update_tail", "bfloat16[64,36] bfloat16[100,16,72] int64[64,1]"},
      {"cache_format", "bfloat16[64,72] bfloat16[100,16,72]:NCHW int64[64,1]"},
      {"index_format", "bfloat16[64,72] bfloat16[100,16,72] int64[64,1]:NCHW"},
      {"update_format", "bfloat16[64,72]:NCHW bfloat16[100,16,72] int64[64,1]"}};
  for (const auto& [field, inputs] : others) {
    const Result result = release.lookup(leaf(kOp, inputs));
    expect_miss(result, "regime_mismatch");
    ASSERT_TRUE(result.details.closest_regime) << field;
    ASSERT_EQ(result.details.closest_regime->differences.size(), 1U) << field;
    EXPECT_EQ(result.details.closest_regime->differences[0].field, field);
  }
}

TEST(ScatterNdUpdateMlaTest, OmittedFormatsAreNd) {
  EXPECT_EQ(release_of(two())
                .lookup(leaf(kOp, "bfloat16[64,72]:ND bfloat16[100,16,72]:ND int64[64,1]:ND"))
                .latency_us,
            10);
}

// 10 and 10.4: 0.4 / 10.2 = 3.9 %; the median 10.2. 10 and 12: 2 / 11 = 18 %.
TEST(ScatterNdUpdateMlaTest, DuplicatesMergeOnlyWhereTheyAgree) {
  const Result merged = release_of(two() + row("64", "10.4")).lookup(call("64"));
  EXPECT_DOUBLE_EQ(merged.latency_us, 10.2);
  EXPECT_EQ(merged.details.matched_rows.at(0).row_count, 2U);
  const TestRelease ambiguous = release_of(two() + row("64", "12") + row("32", "8"));
  expect_miss(ambiguous.lookup(call("64")), "ambiguous_coordinate");
  // Unlike contract §8 and §9, the rest of the regime is interpolated: 32 -> 8, 128 -> 14, at 80 half way.
  EXPECT_DOUBLE_EQ(ambiguous.lookup(call("80")).latency_us, 11);
}

// contract §5: an exact query for an ambiguous coordinate ends that kernel; the alternate may answer.
TEST(ScatterNdUpdateMlaTest, AmbiguityEndsTheKernelNotTheLookup) {
  const TestRelease release({{"ScatterNdUpdate.csv", csv_header() + two() + row("64", "12")},
                             {"ScatterNdUpdateAiCore.csv", csv_header() + row("64", "5")}},
                            kMapping);
  const Result result = release.lookup(call("64"));
  EXPECT_EQ(result.kernel, "ScatterNdUpdateAiCore");
  EXPECT_EQ(result.latency_us, 5);
}

TEST(ScatterNdUpdateMlaTest, TheAlternateKernelComesSecond) {
  const TestRelease release({{"ScatterNdUpdate.csv", csv_header() + two()},
                             {"ScatterNdUpdateAiCore.csv", csv_header() + row("64", "5") + row("256", "29")}},
                            kMapping);
  EXPECT_EQ(release.lookup(call("64")).kernel, "ScatterNdUpdate");
  EXPECT_EQ(release.lookup(call("80")).kernel, "ScatterNdUpdate");
  const Result beyond = release.lookup(call("160"));  // 5 + 96/192 * 24
  EXPECT_EQ(beyond.kernel, "ScatterNdUpdateAiCore");
  EXPECT_DOUBLE_EQ(beyond.latency_us, 17);
  EXPECT_EQ(release.lookup(call("256")).latency_us, 29);
}

TEST(ScatterNdUpdateMlaTest, TargetsThatCannotBeExtracted) {
  const TestRelease release = release_of(two());
  expect_miss(release.lookup(leaf(kOp, "bfloat16[] bfloat16[100,16,72] int64[64,1]")),
              "scatter_target_unextractable");
  expect_miss(release.lookup(leaf(kOp, "bfloat16[64,72] bfloat16[100,16,72]")),
              "scatter_target_unextractable");
  expect_miss(release.lookup(leaf(kOp, "bfloat16[64,72] - int64[64,1]")), "scatter_target_unextractable");
}

TEST(ScatterNdUpdateMlaTest, RowsThatDoNotFitAreCounted) {
  const Result result =
      release_of(measured("DT_BF16[100,16,72] INT64[64,1]", "DT_BF16[100,16,72]", {"1"})).lookup(call("64"));
  expect_miss(result, "no_usable_rows");
  EXPECT_EQ(result.details.rejected_rows.at("scatter_target_unextractable"), 1);
}

TEST(ScatterNdUpdateMlaTest, TooFewOutsideAndInvalid) {
  expect_miss(release_of(row("64", "10")).lookup(call("65")), "insufficient_candidates");
  expect_miss(release_of(two()).lookup(call("63")), "outside_boundary");
  expect_miss(release_of(row("64", "0") + row("64", "5", "[7,16,72]")).lookup(call("64")), "latency_invalid");
}

TEST(ScatterNdUpdateMlaTest, Details) {
  const json hit = to_json(release_of(two()).lookup(call("80")))["details"];
  EXPECT_EQ(hit.at("query_mode"), "scatter_nd_update_mla");
  EXPECT_EQ(hit.at("target_axes"), json({{"tokens", 80}}));
  EXPECT_EQ(hit.at("boundary"), json({{"tokens", {64, 128}}}));
  EXPECT_EQ(hit.at("candidate_count"), 2);
  EXPECT_EQ(hit.at("fallback_from"), "exact_miss");
  EXPECT_EQ(hit.at("regime").at("cache_shape"), "100,16,72");
  EXPECT_EQ(hit.at("regime").at("update_tail"), "72");
  const json miss = to_json(release_of(two()).lookup(call("200")))["details"];
  EXPECT_EQ(miss.at("kernels_attempted"),
            json::array({{{"kernel", "ScatterNdUpdate"}, {"reason", "outside_boundary"}},
                         {{"kernel", "ScatterNdUpdateAiCore"}, {"reason", "kernel_not_in_release"}}}));
  std::vector<json> measured_ranges;
  for (const json& attempt : miss.at("attempts"))
    if (attempt.contains("measured")) measured_ranges.push_back(attempt.at("measured"));
  ASSERT_FALSE(measured_ranges.empty());
  EXPECT_EQ(measured_ranges.front(), json({{"tokens", {64, 128}}}));
}

}  // namespace
}  // namespace profdb
