// Why a lookup misses, and what hits and misses carry (contract §5, §14).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/lookup/lookup.h"
#include "tests/support/release.h"
#include "tests/support/shorthand.h"

namespace profdb {
namespace {

using nlohmann::ordered_json;
using test::csv_header;
using test::leaf;
using test::measured;
using test::TestRelease;
using Files = std::vector<std::pair<std::string, std::string>>;

std::string one_op(const std::string& fields) {
  return "operator_mappings:\n  op: {" + fields + "}\n";
}

const std::string kTwoKernels = one_op("kernel_type: Neg, alternate_kernel_types: [NegAiCore]");
const std::string kTwoColumns = "Average Duration(us),Median Duration(us)";

std::string row(int n, const std::vector<std::string>& latencies, int tail = 300) {
  return measured(fmt::format("DT_BF16[{},{}]", n, tail), fmt::format("DT_BF16[{},{}]", n, tail), latencies);
}
std::string row(int n, const char* latency, int tail = 300) {
  return row(n, std::vector<std::string>{latency}, tail);
}
std::string call(int n) {
  return leaf("op", fmt::format("bfloat16[{},300]", n));
}

Files neg(const std::string& rows, const std::string& columns = "Average Duration(us)") {
  return {{"Neg.csv", csv_header(columns) + rows}};
}

Result ask(const Files& files, const std::string& leaf_json, const std::string& mapping = kTwoKernels) {
  EngineOptions options;
  options.padded_match = PaddedMatch::off;
  return TestRelease(files, mapping).lookup(leaf_json, options);
}

Result ask_both(const std::string& neg_rows, const std::string& alternate_rows,
                const std::string& leaf_json) {
  return ask({{"Neg.csv", csv_header() + neg_rows}, {"NegAiCore.csv", csv_header() + alternate_rows}},
             leaf_json);
}

std::vector<std::string> names(const ordered_json& object) {
  std::vector<std::string> found;
  for (const auto& [name, value] : object.items()) found.push_back(name);
  return found;
}

// contract §5's list, from near to far; an extraction reason and an unspecified field stand in for their
// kind.
TEST(MissReasonTest, ReasonsRankFromNearToFar) {
  const std::vector<std::string> order = {
      "kernel_not_in_release",   "target_unextractable",       "no_usable_rows",
      "regime_mismatch",         "api_path_unspecified",       "latency_invalid",
      "insufficient_candidates", "interpolation_dim_disabled", "outside_boundary",
      "degenerate_axes",         "degenerate_point_cloud",     "triangulation_failed",
      "outside_convex_hull",     "latency_guard_rejected",     "ambiguous_coordinate"};
  for (std::size_t i = 1; i < order.size(); ++i)
    EXPECT_LT(reason_rank(order[i - 1]), reason_rank(order[i])) << order[i - 1] << " before " << order[i];
}

TEST(MissReasonTest, EveryPathsExtractionReasonsRankAlike) {
  for (const char* reason : {"ep_size_missing", "request_group_unextractable", "multi_output_unsupported"})
    EXPECT_EQ(reason_rank(reason), reason_rank("target_unextractable")) << reason;
}

TEST(MissReasonTest, AKernelWithoutAFileIsNotInTheRelease) {
  EXPECT_EQ(ask({{"Other.csv", csv_header() + row(1, "1")}}, call(10)).reason, "kernel_not_in_release");
}

TEST(MissReasonTest, AHeaderWithoutRowsHasNoUsableRows) {
  EXPECT_EQ(ask(neg(""), call(10)).reason, "no_usable_rows");
}

TEST(MissReasonTest, RowsThatLackALatencyAreNotUsable) {
  EXPECT_EQ(ask(neg(row(10, "0") + row(30, "nan")), call(20)).reason, "no_usable_rows");
}

TEST(MissReasonTest, RowsThatDoNotFitThePathAreNotUsable) {
  const std::string rows = measured("DT_BF16[10,20] DT_BF16[30,40]", "DT_BF16[10]", {"5"});
  EXPECT_EQ(ask({{"MatMulV3.csv", csv_header() + rows}}, leaf("op", "bfloat16[10,20] bfloat16[20,5]"),
                one_op("kernel_type: MatMulV3"))
                .reason,
            "no_usable_rows");
}

TEST(MissReasonTest, AnotherRegimeIsAMismatch) {
  EXPECT_EQ(ask(neg(row(10, "1", 301) + row(30, "2", 301)), call(20)).reason, "regime_mismatch");
}

TEST(MissReasonTest, ARegimeOfUnusableRowsIsLatencyInvalid) {
  EXPECT_EQ(ask(neg(row(10, "0") + row(30, "-1") + row(30, "2", 301)), call(20)).reason, "latency_invalid");
}

TEST(MissReasonTest, OneCoordinateIsInsufficient) {
  EXPECT_EQ(ask(neg(row(10, "1") + row(10, "2")), call(20)).reason, "insufficient_candidates");
}

TEST(MissReasonTest, OutsideTheMeasuredRangeIsOutsideBoundary) {
  EXPECT_EQ(ask(neg(row(10, "1") + row(30, "2")), call(31)).reason, "outside_boundary");
}

TEST(MissReasonTest, TheKernelThatGotFurthestNamesTheReason) {
  const std::string lines = row(10, "1") + row(30, "2");
  EXPECT_EQ(ask_both(lines, row(10, "1", 301), call(31)).reason, "outside_boundary");
  EXPECT_EQ(ask_both(row(10, "1", 301), lines, call(31)).reason, "outside_boundary");
  EXPECT_EQ(ask(neg(row(10, "1")), call(20)).reason,
            "insufficient_candidates");  // NegAiCore is not in the release
}

TEST(MissReasonTest, TheSourceClassThatGotFurthestNamesTheReason) {
  const std::string rows = row(10, {"1", ""}) + row(10, {"", "1"}) + row(30, {"", "2"});
  EXPECT_EQ(ask(neg(rows, kTwoColumns), call(31)).reason, "outside_boundary");
}

TEST(SourceClassTest, TwoClassesNeverMixInOneInterpolation) {
  EXPECT_EQ(ask(neg(row(10, {"100", ""}) + row(30, {"", "200"}), kTwoColumns), call(20)).reason,
            "insufficient_candidates");
}

// Selected 100 and 200 us around 20, fallback 1 and 3 us: a mixed median would differ.
TEST(SourceClassTest, SelectedRowsInterpolateFirst) {
  const Result result = ask(
      neg(row(10, {"", "1"}) + row(30, {"", "3"}) + row(10, {"100", ""}) + row(30, {"200", ""}), kTwoColumns),
      call(20));
  EXPECT_EQ(result.latency_us, 150);
  EXPECT_EQ(result.details.source_class, "selected");
  EXPECT_EQ(result.details.latency_column, "Average Duration(us)");
}

TEST(SourceClassTest, FallbackRowsInterpolateWhereSelectedRowsCannot) {
  const Result result =
      ask(neg(row(10, {"", "1"}) + row(30, {"", "3"}) + row(10, {"100", ""}), kTwoColumns), call(20));
  EXPECT_EQ(result.latency_us, 2);
  EXPECT_EQ(result.details.source_class, "fallback");
  EXPECT_EQ(result.details.latency_column, "Median Duration(us)");
}

// K - M plane and an M line that does not reach the target: with a limit of 1 the plane is skipped.
std::string matmul(int m, int k) {
  return measured(fmt::format("DT_BF16[{},{}] DT_BF16[{},7]", m, k, k), "DT_BF16[7]",
                  {fmt::format("{}", m + 10 * k)});
}
const std::string kPlane = matmul(10, 10) + matmul(30, 10) + matmul(10, 30) + matmul(30, 30);
const std::string kMatmulCall = leaf("op", "bfloat16[20,20] bfloat16[20,7]");

Result ask_limited(const std::string& policies, const std::string& kernel, const std::string& rows) {
  return ask({{kernel + ".csv", csv_header() + rows}}, kMatmulCall,
             "interpolation_policy:\n  kernel_overrides: {" + policies + "}\n" +
                 one_op("kernel_type: MatMulV3, alternate_kernel_types: [MatMulCommon]"));
}

TEST(MaxDimensionTest, GroupsBeyondTheLimitAreSkipped) {
  const Result result = ask_limited("MatMulV3: {max_interpolation_dim: 1}", "MatMulV3", kPlane);
  EXPECT_EQ(result.reason, "interpolation_dim_disabled");
  EXPECT_EQ(ask_limited("MatMulV3: {max_interpolation_dim: 2}", "MatMulV3", kPlane).dim, 2);
}

TEST(MaxDimensionTest, TheOrderOfTheOthersDoesNotChange) {
  const Result result = ask_limited("MatMulV3: {max_interpolation_dim: 1}", "MatMulV3", kPlane);
  std::vector<std::string> tried;
  for (const Attempt& attempt : result.details.attempts)
    if (attempt.kernel == "MatMulV3" && attempt.source_class == "selected")
      tried.push_back(fmt::format("{}:{}", fmt::join(attempt.axes, "+"), attempt.reason));
  EXPECT_THAT(tried, testing::ElementsAre("M:insufficient_candidates", "K:insufficient_candidates",
                                          "N:insufficient_candidates", "M+K:interpolation_dim_disabled",
                                          "M+N:interpolation_dim_disabled", "K+N:interpolation_dim_disabled",
                                          "M+K+N:interpolation_dim_disabled"));
}

TEST(MaxDimensionTest, ASkippedGroupIsNearerThanTheBoundary) {
  EXPECT_EQ(ask_limited("MatMulV3: {max_interpolation_dim: 1}", "MatMulV3",
                        kPlane + matmul(30, 20) + matmul(40, 20))
                .reason,
            "outside_boundary");
}

TEST(MaxDimensionTest, AnAlternateHasThePrimarysLimitUnlessItHasItsOwn) {
  EXPECT_EQ(ask_limited("MatMulV3: {max_interpolation_dim: 1}", "MatMulCommon", kPlane).reason,
            "interpolation_dim_disabled");
  EXPECT_EQ(ask_limited("MatMulV3: {max_interpolation_dim: 1}, MatMulCommon: {max_interpolation_dim: 3}",
                        "MatMulCommon", kPlane)
                .dim,
            2);
}

// Measurement ids count from 1 in row order: 10 -> 1, 30 -> 2, a zero -> 3.
TEST(HitDetailsTest, AnInterpolatedHitCarriesItsEvidence) {
  ordered_json hit = to_json(ask(neg(row(10, "100") + row(30, "200") + row(40, "0")), call(15)));
  EXPECT_EQ(hit["source"], "INTERPOLATED");
  EXPECT_EQ(hit["latency_us"], 125);
  EXPECT_EQ(hit["kernel"], "Neg");
  EXPECT_EQ(hit["path"], "generic_compute");
  EXPECT_EQ(hit["method"], "linear_1d");
  EXPECT_EQ(hit["dim"], 1);
  EXPECT_EQ(hit["axes"], ordered_json({"axis_0"}));
  EXPECT_EQ(hit["release"], 1);
  ordered_json details = hit["details"];
  EXPECT_EQ(details["target_axes"]["axis_0"], 15);
  EXPECT_EQ(details["boundary"]["axis_0"], ordered_json({10, 30}));
  EXPECT_EQ(details["candidate_count"], 2);
  ASSERT_EQ(details["matched_rows"].size(), 2U);
  EXPECT_EQ(details["matched_rows"][0]["measurement_ids"], ordered_json({1}));
  EXPECT_EQ(details["matched_rows"][0]["coordinate"]["axis_0"], 10);
  EXPECT_EQ(details["matched_rows"][0]["latency_us"], 100);
  EXPECT_EQ(details["matched_rows"][1]["measurement_ids"], ordered_json({2}));
  EXPECT_EQ(details["regime"]["input_dtypes"], "DT_BF16");
  EXPECT_EQ(details["regime"]["input_0_tail"], "300");
  EXPECT_EQ(details["latency_column"], "Average Duration(us)");
  EXPECT_EQ(details["source_class"], "selected");
  EXPECT_EQ(details["fallback_from"], "exact_miss");
  EXPECT_EQ(details["rejected_rows"], ordered_json({{"latency_zero", 1}}));
}

// (20,20) is the middle of a square: two corners at 1/2 each, or all weights on one diagonal.
TEST(HitDetailsTest, ASimplexHasWeightsThatSumToOne) {
  ordered_json hit = to_json(ask_limited("", "MatMulV3", kPlane));
  double sum = 0;
  ASSERT_EQ(hit["details"]["matched_rows"].size(), 3U);
  for (ordered_json& matched : hit["details"]["matched_rows"]) sum += matched["weight"].get<double>();
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_EQ(names(hit["details"]["boundary"]), (std::vector<std::string>{"M", "K"}));
}

TEST(HitDetailsTest, AnExactHitCarriesItsEvidence) {
  ordered_json hit = to_json(ask(neg(row(10, "100") + row(10, "300") + row(10, "0")), call(10)));
  EXPECT_EQ(hit["match_rule"], "identity");
  ordered_json details = hit["details"];
  EXPECT_EQ(details["target_axes"]["axis_0"], 10);
  EXPECT_EQ(details["candidate_count"], 2);
  EXPECT_EQ(details["matched_rows"][0]["measurement_ids"], ordered_json({1, 2}));
  EXPECT_EQ(details["matched_rows"][0]["row_count"], 2);
  EXPECT_EQ(details["matched_rows"][0]["spread"], 1);  // (300 - 100) / 200
  EXPECT_EQ(details["regime"]["input_dtypes"], "DT_BF16");
  EXPECT_EQ(details["latency_column"], "Average Duration(us)");
  EXPECT_EQ(details["source_class"], "selected");
  EXPECT_EQ(details["rejected_rows"], ordered_json({{"latency_zero", 1}}));
  EXPECT_FALSE(details.contains("fallback_from"));
}

// contract §5: every attempt is in the details. Interpolation was tried before the padded match answered.
TEST(HitDetailsTest, APaddedHitCarriesTheAttemptsBeforeIt) {
  const TestRelease release(neg(row(41, "10")), kTwoKernels);
  const Result result = release.lookup(call(48));
  ASSERT_EQ(result.source, Source::compatible);
  EXPECT_THAT(result.details.attempts,
              testing::Contains(testing::Field(&Attempt::reason, "insufficient_candidates")));
}

TEST(MissDetailsTest, AMissNamesItsTarget) {
  ordered_json miss = to_json(ask(neg(row(10, "1", 301) + row(30, "2", 301)), call(20)));
  EXPECT_EQ(miss["source"], "MISS");
  EXPECT_EQ(miss["path"], "generic_compute");
  EXPECT_FALSE(miss.contains("latency_us"));
  EXPECT_EQ(miss["details"]["target_axes"]["axis_0"], 20);
  EXPECT_EQ(miss["details"]["target_regime"]["input_0_tail"], "300");
  EXPECT_EQ(miss["details"]["target_regime"]["input_count"], 1);
  EXPECT_EQ(miss["details"]["target_regime"]["input_dtypes"], "DT_BF16");
}

TEST(MissDetailsTest, AMissOnAKernelThatIsNotInTheReleaseNamesItsTargetToo) {
  ordered_json miss = to_json(ask({{"Other.csv", csv_header() + row(1, "1")}}, call(20)));
  EXPECT_EQ(miss["details"]["target_axes"]["axis_0"], 20);
  EXPECT_EQ(miss["details"]["target_regime"]["input_0_tail"], "300");
}

TEST(MissDetailsTest, AMissNamesEveryKernelWithItsReason) {
  ordered_json miss = to_json(ask_both(row(10, "1", 301), row(10, "1") + row(30, "2"), call(31)));
  EXPECT_EQ(miss["details"]["kernels_attempted"],
            ordered_json::parse(R"([{"kernel": "Neg", "reason": "regime_mismatch"},
                                    {"kernel": "NegAiCore", "reason": "outside_boundary"}])"));
}

TEST(MissDetailsTest, AMissCountsRejectedRowsByReason) {
  const std::string scalar = measured("FLOAT[]", "FLOAT[]", {"1"});  // no tensor input
  ordered_json miss =
      to_json(ask(neg(row(10, "1") + row(11, "0") + row(12, "nan") + row(13, "-1") + scalar), call(20)));
  EXPECT_EQ(miss["details"]["rejected_rows"],
            ordered_json({{"latency_invalid", 2}, {"latency_zero", 1}, {"target_unextractable", 1}}));
}

// One field differs: the tail, 301 in two rows and 302 in three.
TEST(MissDetailsTest, AMissNamesTheClosestRegime) {
  const std::string rows = row(10, "1", 301) + row(11, "1", 301) + row(10, "1", 302) + row(11, "1", 302) +
                           row(12, "1", 302) + measured("INT8[10,300] INT8[1]", "INT8[10]", {"1"});
  ordered_json miss = to_json(ask(neg(rows), call(20)));
  ordered_json closest = miss["details"]["closest_regime"];
  EXPECT_EQ(closest["kernel"], "Neg");
  EXPECT_EQ(closest["row_count"], 3);
  EXPECT_EQ(closest["differences"],
            ordered_json::parse(R"([{"field": "input_0_tail", "target": "300", "measured": "302"}])"));
}

TEST(MissDetailsTest, AMissCarriesEveryAttemptWithItsGeometry) {
  ordered_json miss = to_json(ask(neg(row(10, "1") + row(30, "2") + row(30, "4")), call(31)));
  std::vector<std::string> tried;
  ordered_json outside;
  for (ordered_json& attempt : miss["details"]["attempts"]) {
    tried.push_back(attempt["kernel"].get<std::string>() + ":" + attempt["reason"].get<std::string>());
    if (attempt["reason"] == "outside_boundary") outside = attempt;
  }
  EXPECT_THAT(tried, testing::IsSupersetOf({"Neg:outside_boundary", "NegAiCore:kernel_not_in_release"}));
  EXPECT_EQ(outside["axes"], ordered_json({"axis_0"}));
  EXPECT_EQ(outside["source_class"], "selected");
  EXPECT_EQ(outside["candidate_count"], 3);
  EXPECT_EQ(outside["coordinate_count"], 2);
  EXPECT_EQ(outside["measured"]["axis_0"], ordered_json({10, 30}));
}

}  // namespace
}  // namespace profdb
