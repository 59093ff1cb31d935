// Results as JSON (formats §5): which members stand where, under the names of contract §14, and how numbers
// print.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "profdb/result.h"

namespace profdb {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

Result hit() {
  Result result;
  result.source = Source::measured;
  result.latency_us = 655.0;
  result.confidence = 1.0;
  result.kernel = "DispatchFFNCombine";
  result.path = "moe_fused";
  result.method = "exact_coordinate";
  result.release = 3;
  return result;
}

Result miss() {
  Result result;
  result.source = Source::miss;
  result.reason = "regime_mismatch";
  result.path = "moe_fused";
  result.release = 3;
  return result;
}

ordered_json details_of(const Details& details) {
  Result result = hit();
  result.details = details;
  return to_json(result).at("details");
}

TEST(ResultJson, NamesTheSources) {
  EXPECT_STREQ(to_string(Source::measured), "MEASURED");
  EXPECT_STREQ(to_string(Source::interpolated), "INTERPOLATED");
  EXPECT_STREQ(to_string(Source::compatible), "COMPATIBLE");
  EXPECT_STREQ(to_string(Source::miss), "MISS");
}

TEST(ResultJson, WritesAnExactHit) {
  EXPECT_EQ(to_json(hit()).dump(),
            R"({"source":"MEASURED","latency_us":655.0,"confidence":1.0,"kernel":"DispatchFFNCombine",)"
            R"("path":"moe_fused","method":"exact_coordinate","release":3,"details":{}})");
}

// The example of formats §5, with the order of its members.
TEST(ResultJson, WritesAnInterpolation) {
  Result result = hit();
  result.source = Source::interpolated;
  result.latency_us = 515.9875;
  result.confidence = 0.7;
  result.method = "linear_1d";
  result.dim = 1;
  result.axes = {"tokens"};
  result.details.boundary = {{"tokens", 256, 576}};
  EXPECT_EQ(
      to_json(result).dump(),
      R"({"source":"INTERPOLATED","latency_us":515.9875,"confidence":0.7,"kernel":"DispatchFFNCombine",)"
      R"("path":"moe_fused","method":"linear_1d","dim":1,"axes":["tokens"],"release":3,)"
      R"("details":{"boundary":{"tokens":[256,576]}}})");
}

TEST(ResultJson, WritesTheMatchRuleWhereSet) {
  Result result = hit();
  result.source = Source::compatible;
  result.match_rule = "batch_strip+padding";
  const ordered_json object = to_json(result);
  EXPECT_EQ(object.at("source"), "COMPATIBLE");
  EXPECT_EQ(object.at("match_rule"), "batch_strip+padding");
}

TEST(ResultJson, WritesAMissWithoutALatency) {
  EXPECT_EQ(to_json(miss()).dump(),
            R"({"source":"MISS","reason":"regime_mismatch","path":"moe_fused","release":3,"details":{}})");
}

TEST(ResultJson, LeavesThePathOutWhereNoneIsKnown) {
  Result result;
  result.reason = "unmapped";
  result.release = 1;
  EXPECT_EQ(to_json(result).dump(), R"({"source":"MISS","reason":"unmapped","release":1,"details":{}})");
}

TEST(ResultJson, WritesADeclaredZero) {
  Result result;
  result.source = Source::measured;
  result.confidence = 1.0;
  result.release = 1;
  result.details.note = "a view: nothing runs";
  EXPECT_EQ(to_json(result).dump(), R"({"source":"MEASURED","latency_us":0.0,"confidence":1.0,"release":1,)"
                                    R"("details":{"note":"a view: nothing runs"}})");
}

TEST(ResultJson, PrintsDoublesThatReadBackTheSame) {
  for (const double latency :
       {0.1 + 0.2, 1.0 / 3.0, 5e-324, std::numeric_limits<double>::max(), 123456789.12345678}) {
    Result result = hit();
    result.latency_us = latency;
    EXPECT_EQ(json::parse(to_json(result).dump()).at("latency_us").get<double>(), latency);
  }
}

TEST(ResultJson, PrintsWholeBoundariesAsIntegers) {
  Details details;
  details.boundary = {{"seq", 0, 4096}, {"sqrt_seq", 1.5, 64}};
  EXPECT_EQ(details_of(details).dump(), R"({"boundary":{"seq":[0,4096],"sqrt_seq":[1.5,64]}})");
}

TEST(ResultDetails, HasTheMappingsSelectors) {
  Details details;
  details.query_mode = "moe_fused";
  details.compute_subcategory = "compute_scale";
  EXPECT_EQ(details_of(details).dump(),
            R"({"query_mode":"moe_fused","compute_subcategory":"compute_scale"})");
}

TEST(ResultDetails, HasTargetAxesAndRegimes) {
  Details details;
  details.target_axes = {{"M", 16}, {"K", 4096}};
  details.target_regime = {{"weight_dtype", "INT8"}, {"ep_size", std::int64_t{16}}};
  details.regime = {{"weight_dtype", "INT8"}};
  EXPECT_EQ(details_of(details).dump(),
            R"({"target_axes":{"M":16,"K":4096},"target_regime":{"weight_dtype":"INT8","ep_size":16},)"
            R"("regime":{"weight_dtype":"INT8"}})");
}

TEST(ResultDetails, HasTheMatchedRows) {
  Details details;
  details.candidate_count = 7;
  details.latency_column = "Average Duration(us)";
  details.source_class = "selected";
  details.fallback_from = "exact_miss";
  details.matched_rows = {{{11}, 1, 0, {{"tokens", 256}}, 300.0, 0.25},
                          {{12, 15}, 2, 0.04, {}, 500.5, std::nullopt}};
  EXPECT_EQ(
      details_of(details).dump(),
      R"({"candidate_count":7,"matched_rows":[)"
      R"({"measurement_ids":[11],"coordinate":{"tokens":256},"latency_us":300.0,"weight":0.25},)"
      R"({"measurement_ids":[12,15],"row_count":2,"spread":0.04,"latency_us":500.5}],)"
      R"-("latency_column":"Average Duration(us)","source_class":"selected","fallback_from":"exact_miss"})-");
}

TEST(ResultDetails, KeepsAWeightOfZero) {
  Details details;
  details.matched_rows = {{{11}, 1, 0, {}, 300.0, 0.0}};
  EXPECT_EQ(details_of(details)["matched_rows"][0].dump(),
            R"({"measurement_ids":[11],"latency_us":300.0,"weight":0.0})");
}

TEST(ResultDetails, HasKernelsAndRejectedRows) {
  Details details;
  details.kernels_attempted = {{"MatMulV2", "outside_boundary"}, {"MatMulV3", "kernel_not_in_release"}};
  details.rejected_rows = {{"topk_unextractable", 3}, {"ep_size_missing", 2}};
  EXPECT_EQ(details_of(details).dump(),
            R"({"kernels_attempted":[{"kernel":"MatMulV2","reason":"outside_boundary"},)"
            R"({"kernel":"MatMulV3","reason":"kernel_not_in_release"}],)"
            R"("rejected_rows":{"ep_size_missing":2,"topk_unextractable":3}})");
}

TEST(ResultDetails, HasTheClosestRegime) {
  Details details;
  details.closest_regime = {"DispatchFFNCombine",
                            {{"topk", std::int64_t{8}, std::int64_t{6}}, {"weight_dtype", "INT8", "DT_INT4"}},
                            41};
  EXPECT_EQ(
      details_of(details).dump(),
      R"({"closest_regime":{"kernel":"DispatchFFNCombine","row_count":41,"differences":[)"
      R"({"field":"topk","target":8,"measured":6},{"field":"weight_dtype","target":"INT8","measured":"DT_INT4"}]}})");
}

TEST(ResultDetails, HasEveryAttemptWithItsGeometry) {
  Details details;
  Attempt full;
  full.kernel = "MatMulV2";
  full.reason = "outside_boundary";
  full.axes = {"M", "K"};
  full.input_formats = "ND;FRACTAL_NZ";
  full.source_class = "selected";
  full.candidate_count = 12;
  full.coordinate_count = 9;
  full.measured = {{"M", 1, 4096}, {"K", 128, 128}};
  full.message = "m";
  Attempt bare;
  bare.kernel = "MatMulV3";
  bare.reason = "kernel_not_in_release";
  details.attempts = {full, bare};
  EXPECT_EQ(
      details_of(details).dump(),
      R"({"attempts":[{"kernel":"MatMulV2","reason":"outside_boundary","axes":["M","K"],)"
      R"("input_formats":"ND;FRACTAL_NZ","source_class":"selected","candidate_count":12,"coordinate_count":9,)"
      R"("measured":{"M":[1,4096],"K":[128,128]},"message":"m"},)"
      R"({"kernel":"MatMulV3","reason":"kernel_not_in_release"}]})");
}

TEST(ResultDetails, HasPathFieldsAsMembersOfItsOwn) {
  Details details;
  details.path_fields = {{"ep_size", std::int64_t{16}}, {"quant_subtype", "w8a8"}};
  EXPECT_EQ(details_of(details).dump(), R"({"ep_size":16,"quant_subtype":"w8a8"})");
}

TEST(ResultDetails, DoesNotLetAPathFieldHideAnotherMember) {
  Details details;
  details.note = "the mapping's";
  details.path_fields = {{"note", "a path's"}};
  EXPECT_EQ(details_of(details).dump(), R"({"note":"the mapping's"})");
}

TEST(ResultDetails, CarriesThePriorUnchanged) {
  Result result = miss();
  result.details.prior_latency_us = 0.0;
  EXPECT_EQ(to_json(result).at("details").dump(), R"({"prior":{"latency_us":0.0}})");
}

}  // namespace
}  // namespace profdb
