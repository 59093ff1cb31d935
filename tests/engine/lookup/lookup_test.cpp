// The order of resolution: who answers a call, and in which class (contract §1, §2).
#include "engine/lookup/lookup.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/release.h"
#include "tests/support/shorthand.h"

namespace profdb {
namespace {

using test::csv_header;
using test::leaf;
using test::measured;
using test::TestRelease;
using ::testing::IsEmpty;
using ::testing::Optional;
using Files = std::vector<std::pair<std::string, std::string>>;

std::string one_op(const std::string& fields) {
  return "operator_mappings:\n  op: {" + fields + "}\n";
}

const std::string kTwoKernels = one_op("kernel_type: Neg, alternate_kernel_types: [NegAiCore]");
const std::string kTwoColumns = "Average Duration(us),Median Duration(us)";

// Rows of one input [n,300]; the cells are latencies.
std::string row(int n, const std::vector<std::string>& latencies) {
  return measured(fmt::format("DT_BF16[{},300]", n), fmt::format("DT_BF16[{},300]", n), latencies);
}
std::string row(int n, const char* latency) {
  return row(n, std::vector<std::string>{latency});
}
std::string call(int n, const std::string& rest = "") {
  return leaf("op", fmt::format("bfloat16[{},300]", n), fmt::format("bfloat16[{},300]", n), rest);
}

Files neg(const std::string& rows, const std::string& columns = "Average Duration(us)") {
  return {{"Neg.csv", csv_header(columns) + rows}};
}
Files both(const std::string& neg_rows, const std::string& alternate_rows,
           const std::string& columns = "Average Duration(us)") {
  return {{"Neg.csv", csv_header(columns) + neg_rows},
          {"NegAiCore.csv", csv_header(columns) + alternate_rows}};
}

Result ask(const Files& files, const std::string& leaf_json, const EngineOptions& options = {},
           const std::string& mapping = kTwoKernels) {
  return TestRelease(files, mapping).lookup(leaf_json, options);
}

EngineOptions padded(PaddedMatch place) {
  EngineOptions options;
  options.padded_match = place;
  return options;
}

EngineOptions without_interpolation() {
  EngineOptions options;
  options.interpolation = false;
  return options;
}

TEST(ResolutionTest, AnOperatorOutsideTheMappingIsUnmapped) {
  EXPECT_EQ(ask(neg(row(10, "1")), leaf("other", "bfloat16[10,300]")).reason, "unmapped");
}

TEST(ResolutionTest, ACompositeRequiresLeafOps) {
  EXPECT_EQ(ask(neg(row(10, "1")), call(10), {}, one_op("composite: true")).reason,
            "composite_requires_leaf_ops");
}

TEST(ResolutionTest, ZeroCostIsMeasuredAsZeroWithANote) {
  const Result result = ask(neg(row(10, "1")), call(10), {}, one_op("zero_cost: true, notes: a view"));
  EXPECT_EQ(result.source, Source::measured);
  EXPECT_EQ(result.latency_us, 0);
  EXPECT_EQ(result.details.note, "a view");
  EXPECT_FALSE(ask(neg(row(10, "1")), call(10), {}, one_op("zero_cost: true")).details.note.empty());
}

TEST(ResolutionTest, AnAcceptedMissIsMeasuredAsZeroAndSaysWhy) {
  const Result result = ask(neg(row(10, "1")), call(10), {}, one_op("accepted_miss: written elsewhere"));
  EXPECT_EQ(result.source, Source::measured);
  EXPECT_EQ(result.latency_us, 0);
  EXPECT_EQ(result.details.note, "written elsewhere");
}

TEST(ResolutionTest, AConditionLimitsAnAcceptedMiss) {
  const std::string mapping =
      one_op("kernel_type: Neg, accepted_miss: a table, accepted_miss_when: {producer: Rotary, level: 2}");
  const auto latency = [&](const std::string& attrs) {
    return ask(neg(row(10, "7")), call(10, R"("attrs": )" + attrs), {}, mapping).latency_us;
  };
  EXPECT_EQ(latency(R"({"producer": "Rotary", "level": 2, "more": 1})"), 0);
  EXPECT_EQ(latency(R"({"producer": "Rotary", "level": 3})"), 7);
  EXPECT_EQ(latency(R"({"producer": "Rotary"})"), 7);
  EXPECT_EQ(latency(R"({})"), 7);
}

TEST(ResolutionTest, UnknownSelectorsMiss) {
  const Result mode =
      ask(neg(row(10, "1")), call(10), {}, one_op("kernel_type: Neg, query_mode: of_tomorrow"));
  EXPECT_EQ(mode.reason, "query_mode_unknown");
  EXPECT_EQ(mode.details.query_mode, "of_tomorrow");
  const Result part =
      ask(neg(row(10, "1")), call(10), {}, one_op("kernel_type: Neg, compute_subcategory: of_tomorrow"));
  EXPECT_EQ(part.reason, "compute_subcategory_unknown");
  EXPECT_EQ(part.details.compute_subcategory, "of_tomorrow");
}

TEST(ResolutionTest, ThePrimaryKernelComesFirst) {
  const Result result = ask(both(row(10, "1"), row(10, "2")), call(10));
  EXPECT_EQ(result.kernel, "Neg");
  EXPECT_EQ(result.latency_us, 1);
}

TEST(ResolutionTest, AnExactAnswerOfAnyKernelComesBeforeInterpolation) {
  const Result result = ask(both(row(10, "100") + row(30, "200"), row(20, "7")), call(20));
  EXPECT_EQ(result.source, Source::measured);
  EXPECT_EQ(result.kernel, "NegAiCore");
  EXPECT_EQ(result.latency_us, 7);
}

TEST(ResolutionTest, KernelsInterpolateInMappingOrder) {
  EXPECT_EQ(ask(both(row(10, "100") + row(30, "200"), row(10, "1") + row(30, "3")), call(20)).latency_us,
            150);
  const Result second = ask(both(row(10, "100"), row(10, "1") + row(30, "3")), call(20));
  EXPECT_EQ(second.kernel, "NegAiCore");
  EXPECT_EQ(second.latency_us, 2);
}

TEST(BaseExactLookupTest, AnExactRowIsMeasured) {
  const Result result = ask(neg(row(10, "5.5")), call(10));
  EXPECT_EQ(result.source, Source::measured);
  EXPECT_EQ(result.latency_us, 5.5);
  EXPECT_EQ(result.match_rule, "identity");
}

TEST(BaseExactLookupTest, DtypesAndCountsMustBeEqual) {
  EXPECT_EQ(ask(neg(row(10, "5")), leaf("op", "int8[10,300]")).source, Source::miss);
  EXPECT_EQ(ask(neg(row(10, "5")), leaf("op", "bfloat16[10,300] bfloat16[10,300]")).source, Source::miss);
}

TEST(BaseExactLookupTest, FormatsAreNotCompared) {
  EXPECT_EQ(ask(neg(row(10, "5")), leaf("op", "bfloat16[10,300]:NCHW")).latency_us, 5);
}

// [1,19,16,16] = [H,W,h,w] is [1*16, 19*16] = [16,304]; the row is tiled, the call is plain.
TEST(BaseExactLookupTest, FractalNzIsComparedAsItsLogicalShape) {
  const std::string rows = measured("DT_BF16[1,19,16,16]:FRACTAL_NZ", "DT_BF16[16,304]", {"5"});
  EXPECT_EQ(ask(neg(rows), leaf("op", "bfloat16[16,304]:ND"), without_interpolation()).latency_us, 5);
}

// 10, 12 and 20: the median is 12, the spread (20 - 10) / 12.
TEST(BaseExactLookupTest, DuplicatesAnswerWithTheirMedian) {
  const Result result = ask(neg(row(10, "20") + row(10, "10") + row(10, "12")), call(10));
  EXPECT_EQ(result.latency_us, 12);
  EXPECT_EQ(result.details.candidate_count, 3U);
  ASSERT_EQ(result.details.matched_rows.size(), 1U);
  EXPECT_EQ(result.details.matched_rows[0].row_count, 3U);
  EXPECT_EQ(result.details.matched_rows[0].measurement_ids.size(), 3U);
  EXPECT_DOUBLE_EQ(result.details.matched_rows[0].spread, 10.0 / 12.0);
}

TEST(BaseExactLookupTest, TheRuleIsThatOfTheFirstMatchingRow) {
  const std::string stripped = measured("DT_BF16[1,10,300]", "DT_BF16[10,300]", {"4"});
  EXPECT_EQ(ask(neg(stripped + row(10, "8")), call(10)).match_rule, "batch_strip");
  const Result identity = ask(neg(row(10, "8") + stripped), call(10));
  EXPECT_EQ(identity.match_rule, "identity");
  EXPECT_EQ(identity.latency_us, 6);  // both rows match
}

TEST(BaseExactLookupTest, SelectedRowsComeBeforeFallbackRows) {
  const Result result = ask(neg(row(10, {"", "50"}) + row(10, {"40", "60"}), kTwoColumns), call(10));
  EXPECT_EQ(result.latency_us, 40);
  EXPECT_EQ(result.details.source_class, "selected");
  EXPECT_EQ(result.details.latency_column, "Average Duration(us)");
}

TEST(BaseExactLookupTest, FallbackRowsAnswerWhereThereAreNoOthers) {
  const Result result = ask(neg(row(10, {"0", "50"}), kTwoColumns), call(10));
  EXPECT_EQ(result.latency_us, 50);
  EXPECT_EQ(result.details.source_class, "fallback");
  EXPECT_EQ(result.details.latency_column, "Median Duration(us)");
}

TEST(BaseExactLookupTest, AFallbackRowOfThePrimaryComesBeforeAnAlternate) {
  const Result result = ask(both(row(10, {"0", "50"}), row(10, {"40", "40"}), kTwoColumns), call(10));
  EXPECT_EQ(result.kernel, "Neg");
  EXPECT_EQ(result.latency_us, 50);
}

TEST(BaseExactLookupTest, RowsWithoutALatencyCountNowhere) {
  const Result result = ask(neg(row(10, "0") + row(10, "8") + row(10, "nan")), call(10));
  EXPECT_EQ(result.latency_us, 8);
  EXPECT_EQ(result.details.candidate_count, 1U);
}

// 48 is 41 rounded up to 16. Between 41 (10 us) and 100 (69 us), 1 us each: 17 us at 48.
const std::string kPadded = row(41, "10") + row(100, "69");

TEST(PaddedMatchTest, ComesLastUnlessAskedOtherwise) {
  const Result result = ask(neg(kPadded), call(48));
  EXPECT_EQ(result.source, Source::interpolated);
  EXPECT_DOUBLE_EQ(result.latency_us, 17);
}

TEST(PaddedMatchTest, AnswersAfterInterpolationHasMissed) {
  const Result result = ask(neg(row(41, "10")), call(48));
  EXPECT_EQ(result.source, Source::compatible);
  EXPECT_EQ(result.match_rule, "padding");
  EXPECT_EQ(result.latency_us, 10);
  EXPECT_EQ(result.confidence, 0.9);
}

TEST(PaddedMatchTest, WaitsForInterpolationOnEveryKernel) {
  const Result result = ask(both(row(41, "10"), kPadded), call(48));
  EXPECT_EQ(result.source, Source::interpolated);
  EXPECT_EQ(result.kernel, "NegAiCore");
}

TEST(PaddedMatchTest, BeforePutsItAheadOfInterpolation) {
  const Result result = ask(neg(kPadded), call(48), padded(PaddedMatch::before));
  EXPECT_EQ(result.source, Source::compatible);
  EXPECT_EQ(result.latency_us, 10);
}

TEST(PaddedMatchTest, BeforeStillPrefersAnExactRow) {
  const Result result = ask(both(kPadded, row(48, "3")), call(48), padded(PaddedMatch::before));
  EXPECT_EQ(result.source, Source::measured);
  EXPECT_EQ(result.latency_us, 3);
}

TEST(PaddedMatchTest, OffRemovesIt) {
  EXPECT_EQ(ask(neg(kPadded), call(48), padded(PaddedMatch::off)).source, Source::interpolated);
  EXPECT_EQ(ask(neg(row(41, "10")), call(48), padded(PaddedMatch::off)).source, Source::miss);
}

TEST(PaddedMatchTest, SeveralPaddedRowsAnswerWithTheirMedian) {  // 41 and 45 both round up to 48
  const Result result = ask(neg(row(41, "10") + row(45, "20")), call(48));
  EXPECT_EQ(result.source, Source::compatible);
  EXPECT_EQ(result.latency_us, 15);
  EXPECT_EQ(result.details.candidate_count, 2U);
}

TEST(PaddedMatchTest, ARowOfOneRoundsUpToo) {  // 1 is 16 when rounded up to 16 (contract §2.4)
  const Result result = ask(neg(row(1, "10")), call(16));
  EXPECT_EQ(result.source, Source::compatible);
  EXPECT_EQ(result.match_rule, "padding");
}

TEST(InterpolationOffTest, ExactAndCompatibleAnswersStay) {
  EXPECT_EQ(ask(neg(kPadded), call(41), without_interpolation()).source, Source::measured);
  EXPECT_EQ(ask(neg(kPadded), call(48), without_interpolation()).source, Source::compatible);
}

TEST(InterpolationOffTest, WhatWouldBeInterpolatedMisses) {
  EXPECT_EQ(ask(neg(kPadded), call(50), without_interpolation()).reason, "interpolation_off");
}

TEST(InterpolationOffTest, StandsForWhatInterpolationWouldHaveMissed) {
  EXPECT_EQ(ask(neg(kPadded), call(500), without_interpolation()).reason,
            "interpolation_off");  // outside_boundary
  EXPECT_EQ(ask(neg(row(41, "1")), call(50), without_interpolation()).reason,
            "interpolation_off");  // insufficient
}

TEST(InterpolationOffTest, NearerReasonsStay) {
  EXPECT_EQ(ask(neg(kPadded), leaf("op", "int8[50,300]"), without_interpolation()).reason, "regime_mismatch");
  EXPECT_EQ(ask(neg(row(41, "0")), call(50), without_interpolation()).reason, "no_usable_rows");
}

const std::string kPrior = R"("prior": {"latency_us": 3.25})";

TEST(PriorTest, InterpolationSaysPartial) {
  const Result with = ask(neg(kPadded), call(50, kPrior));
  EXPECT_EQ(with.details.fallback_from, "partial");
  EXPECT_DOUBLE_EQ(with.latency_us, 19);  // 10 + (50 - 41): the prior is never used
  EXPECT_EQ(ask(neg(kPadded), call(50)).details.fallback_from, "exact_miss");
}

TEST(PriorTest, AMissCarriesItUnchanged) {
  for (const Result& result :
       {ask(neg(kPadded), call(500, kPrior)), ask(neg(kPadded), leaf("other", "int8[1]", "", kPrior)),
        ask(neg(kPadded), call(1, kPrior), {}, one_op("composite: true"))}) {
    EXPECT_EQ(result.source, Source::miss);
    EXPECT_THAT(result.details.prior_latency_us, Optional(3.25)) << result.reason;
    EXPECT_EQ(to_json(result)["details"]["prior"]["latency_us"], 3.25);
  }
}

TEST(PriorTest, AnExactAnswerIgnoresIt) {
  const Result result = ask(neg(kPadded), call(41, kPrior));
  EXPECT_EQ(result.latency_us, 10);
  EXPECT_THAT(result.details.fallback_from, IsEmpty());
  EXPECT_FALSE(result.details.prior_latency_us);
}

TEST(PriorTest, AMissWithoutOneCarriesNone) {
  EXPECT_FALSE(ask(neg(kPadded), call(500)).details.prior_latency_us);
}

TEST(ConfidenceTest, ExactIsOneAndALineIsSeventyPercent) {
  EXPECT_EQ(ask(neg(kPadded), call(41)).confidence, 1.0);
  EXPECT_EQ(ask(neg(kPadded), call(50)).confidence, 0.70);
}

// On M + 10 K over a square of 10 and 30; 220 at (20,20).
TEST(ConfidenceTest, APlaneIsSixtyFivePercent) {
  std::string rows;
  for (const int m : {10, 30})
    for (const int k : {10, 30})
      rows += measured(fmt::format("DT_BF16[{},{}] DT_BF16[{},7]", m, k, k), "DT_BF16[7]",
                       {fmt::format("{}", m + 10 * k)});
  const Result result =
      ask({{"MatMulV3.csv", csv_header() + rows}}, leaf("op", "bfloat16[20,20] bfloat16[20,7]"), {},
          one_op("kernel_type: MatMulV3"));
  EXPECT_EQ(result.dim, 2);
  EXPECT_NEAR(result.latency_us, 220, 1e-9);
  EXPECT_EQ(result.confidence, 0.65);
}

}  // namespace
}  // namespace profdb
