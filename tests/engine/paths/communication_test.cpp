// Collectives by message size (contract §4).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/release.h"
#include "tests/support/shorthand.h"

namespace profdb {
namespace {

using nlohmann::json;
using test::leaf;
using test::TestRelease;

constexpr const char* kMapping =
    "operator_mappings:\n"
    "  tensor_cast.all_reduce.default: {kernel_type: hcom_allReduce_, category: communication}\n"
    "  tensor_cast.reduce_scatter.default: {kernel_type: hcom_allReduce_, category: communication}\n";

TestRelease release_of(const std::string& rows,
                       const std::string& columns = "message_bytes,num_devices,Average Duration(us)") {
  return {{{"hcom_allReduce_.csv", columns + "\n" + rows}}, kMapping};
}

// 8 devices: 1000 bytes 20 us, 2000 bytes 30 us, 3000 bytes 40 us: 10 + bytes / 100.
constexpr const char* kLine = "1000,8,20\n2000,8,30\n3000,8,40\n";

std::string call(const std::string& tensor, const std::string& attrs = R"("num_devices": 8)",
                 const std::string& op = "all_reduce") {
  return leaf("tensor_cast." + op + ".default", tensor, tensor, R"("attrs": {)" + attrs + "}");
}

void expect_miss(const Result& result, const std::string& reason) {
  EXPECT_EQ(result.source, Source::miss) << to_json(result).dump();
  EXPECT_EQ(result.reason, reason) << to_json(result).dump();
}

TEST(CommunicationTest, ExactMessageIsMeasured) {
  const Result result = release_of(kLine).lookup(call("bfloat16[10,100]"));  // 1000 elements of 2 bytes
  EXPECT_EQ(result.source, Source::measured);
  EXPECT_EQ(result.latency_us, 30);
  EXPECT_EQ(result.confidence, 0.9);
}

TEST(CommunicationTest, BytesFollowTheItemSize) {
  const TestRelease release = release_of(kLine);
  EXPECT_EQ(release.lookup(call("float32[250]")).latency_us, 20);
  EXPECT_EQ(release.lookup(call("int8[3000]")).latency_us, 40);
}

TEST(CommunicationTest, DuplicatesAreTheirMedian) {  // 20, 22, 30
  EXPECT_EQ(release_of("1000,8,20\n1000,8,30\n1000,8,22\n").lookup(call("int8[1000]")).latency_us, 22);
}

TEST(CommunicationTest, TheFitAnswersBetween) {
  const Result result = release_of(kLine).lookup(call("int8[1500]"));  // 10 + 15
  EXPECT_EQ(result.source, Source::interpolated);
  EXPECT_EQ(result.method, "alpha_beta");
  EXPECT_NEAR(result.latency_us, 25, 1e-9);
  EXPECT_EQ(result.confidence, 0.8);
}

// (0,10), (10,20), (20,60): mean (10,30); beta = (-10*-20 + 0 + 10*30)/200 = 2.5, alpha = 5. At 12: 35.
TEST(CommunicationTest, TheFitIsOfTheWholeGroup) {
  const TestRelease release = release_of("0,8,10\n10,8,20\n20,8,60\n");
  EXPECT_NEAR(release.lookup(call("int8[12]")).latency_us, 35, 1e-9);
}

// The same line at 2: 10, within [10, 20]. At 1: 7.5, clamped to 10. At 19: 52.5, within [20, 60].
TEST(CommunicationTest, TheFitIsClampedToTheBracketingMeasurements) {
  const TestRelease release = release_of("0,8,10\n10,8,20\n20,8,60\n");
  EXPECT_NEAR(release.lookup(call("int8[1]")).latency_us, 10, 1e-9);
  EXPECT_NEAR(release.lookup(call("int8[9]")).latency_us, 20, 1e-9);  // 27.5, clamped to 20
  EXPECT_NEAR(release.lookup(call("int8[19]")).latency_us, 52.5, 1e-9);
}

// (0,10) twice and (30,40), once (60,100): each row counts. x mean 22.5, y mean 40;
// Sxy = 22.5*30*2 + 7.5*0 + 37.5*60 = 3600, Sxx = 22.5^2*2 + 7.5^2 + 37.5^2 = 2475; beta = 16/11.
// At 45: 40 + 16/11 * 22.5 = 72.727...
TEST(CommunicationTest, DuplicatesWeighInTheFit) {
  const Result result = release_of("0,8,10\n0,8,10\n30,8,40\n60,8,100\n").lookup(call("int8[45]"));
  EXPECT_NEAR(result.latency_us, 40 + 16.0 / 11 * 22.5, 1e-9);
}

TEST(CommunicationTest, OutsideTheGroupsSizesMisses) {
  const TestRelease release = release_of(kLine);
  expect_miss(release.lookup(call("int8[999]")), "outside_boundary");
  expect_miss(release.lookup(call("int8[3001]")), "outside_boundary");
}

TEST(CommunicationTest, AnotherNumberOfDevicesIsAnotherGroup) {
  const Result result = release_of(kLine).lookup(call("int8[1000]", R"("num_devices": 16)"));
  expect_miss(result, "regime_mismatch");
  const json details = to_json(result)["details"];
  EXPECT_EQ(details.at("target_axes"), json({{"message_bytes", 1000}}));
  EXPECT_EQ(details.at("closest_regime").at("differences"),
            json::array({{{"field", "num_devices"}, {"target", 16}, {"measured", 8}}}));
}

TEST(CommunicationTest, TheRankGroupsSizeIsTheNumberOfDevices) {
  const TestRelease release = release_of(kLine);
  EXPECT_EQ(release.lookup(call("int8[1000]", R"("rank_group": [0, 1, 2, 3, 4, 5, 6, 7])")).latency_us, 20);
  expect_miss(release.lookup(call("int8[1000]", R"("rank_group": [0, 1])")), "regime_mismatch");
}

TEST(CommunicationTest, ReduceScatterDividesByTheGroupSize) {
  EXPECT_EQ(release_of(kLine).lookup(call("int8[8000]", R"("num_devices": 8)", "reduce_scatter")).latency_us,
            20);
}

TEST(CommunicationTest, TargetsThatCannotBeExtracted) {
  const TestRelease release = release_of(kLine);
  expect_miss(release.lookup(call("int8[1000]", "")), "target_unextractable");
  expect_miss(
      release.lookup(leaf("tensor_cast.all_reduce.default", "", "", R"("attrs": {"num_devices": 8})")),
      "target_unextractable");
}

// Both groups measured 1000 bytes.
constexpr const char* kTiers = "1000,8,0,20\n1000,8,1,50\n2000,8,1,60\n";
constexpr const char* kTierColumns = "message_bytes,num_devices,topology_tier,Average Duration(us)";

TEST(CommunicationTest, TheTopologyTierIsOpen) {
  const TestRelease release = release_of(kTiers, kTierColumns);
  EXPECT_EQ(release.lookup(call("int8[1000]", R"("num_devices": 8, "topology_tier": 0)")).latency_us, 20);
  EXPECT_EQ(release.lookup(call("int8[1000]", R"("num_devices": 8, "topology_tier": 1)")).latency_us, 50);
  expect_miss(release.lookup(call("int8[1000]")), "topology_tier_unspecified");
  expect_miss(release.lookup(call("int8[1000]", R"("num_devices": 8, "topology_tier": 2)")),
              "regime_mismatch");
}

TEST(CommunicationTest, RowsThatStateNoTierAnswerBoth) {
  const TestRelease release = release_of("1000,8,,20\n1000,8,1,50\n", kTierColumns);
  EXPECT_EQ(release.lookup(call("int8[1000]")).latency_us, 20);
  EXPECT_EQ(release.lookup(call("int8[1000]", R"("num_devices": 8, "topology_tier": 1)")).latency_us, 50);
  EXPECT_EQ(release.lookup(call("int8[1000]", R"("num_devices": 8, "topology_tier": 2)")).latency_us, 20);
}

TEST(CommunicationTest, OneStatedTierAnswersASilentCall) {
  EXPECT_EQ(release_of("1000,8,1,50\n", kTierColumns).lookup(call("int8[1000]")).latency_us, 50);
}

TEST(CommunicationTest, DtypesAreGroupsUnderProfilerNames) {
  const TestRelease release = release_of("1000,8,DT_BF16,20\n1000,8,FLOAT,70\n",
                                         "message_bytes,num_devices,dtype,Average Duration(us)");
  EXPECT_EQ(release.lookup(call("bfloat16[500]")).latency_us, 20);
  EXPECT_EQ(release.lookup(call("float32[250]")).latency_us, 70);
  expect_miss(release.lookup(call("int8[1000]")), "regime_mismatch");
}

// The group has a selected row, so its fallback rows count nowhere; another group has none.
TEST(CommunicationTest, FallbackRowsOnlyWhereTheGroupHasNoOthers) {
  const TestRelease release =
      release_of("1000,8,20,\n2000,8,,30\n1000,4,,7\n3000,4,0,9\n",
                 "message_bytes,num_devices,Average Duration(us),Median Duration(us)");
  expect_miss(release.lookup(call("int8[2000]")), "outside_boundary");
  const Result result = release.lookup(call("int8[2000]", R"("num_devices": 4)"));
  EXPECT_NEAR(result.latency_us, 8, 1e-9);
  EXPECT_EQ(result.details.source_class, "fallback");
}

TEST(CommunicationTest, RowsThatAreNoMessagesAreCounted) {
  const Result result =
      release_of("x,8,20\n-1,8,20\n1000,0,20\n1000,8,0\n2000,4,5\n").lookup(call("int8[1000]"));
  expect_miss(result, "latency_invalid");
  EXPECT_EQ(result.details.rejected_rows.at("message_bytes_invalid"), 2);
  EXPECT_EQ(result.details.rejected_rows.at("num_devices_invalid"), 1);
  EXPECT_EQ(result.details.rejected_rows.at("latency_zero"), 1);
}

TEST(CommunicationTest, TheFitStaysWithInterpolationOff) {
  EngineOptions options;
  options.interpolation = false;
  const TestRelease release = release_of(kLine);
  EXPECT_NEAR(release.lookup(call("int8[1500]"), options).latency_us, 25, 1e-9);
  EXPECT_EQ(release.lookup(call("int8[1000]"), options).latency_us, 20);
}

TEST(CommunicationTest, SuccessDetails) {
  const json result = to_json(release_of(kLine).lookup(call("int8[1500]")));
  const json& details = result.at("details");
  EXPECT_EQ(result.at("path"), "communication");
  EXPECT_EQ(result.at("kernel"), "hcom_allReduce_");
  EXPECT_EQ(details.at("target_axes"), json({{"message_bytes", 1500}}));
  EXPECT_EQ(details.at("boundary"), json({{"message_bytes", {1000, 2000}}}));
  EXPECT_EQ(details.at("candidate_count"), 3);
  EXPECT_EQ(details.at("num_devices"), 8);
  EXPECT_EQ(details.at("fallback_from"), "exact_miss");
  ASSERT_EQ(details.at("matched_rows").size(), 2U);
  EXPECT_EQ(details.at("matched_rows").at(0).at("latency_us"), 20);
  EXPECT_EQ(details.at("matched_rows").at(1).at("latency_us"), 30);
}

}  // namespace
}  // namespace profdb
