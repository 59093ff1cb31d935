// Which measured regimes a target may use: open fields, formats, groups of formats (contract, "Open fields",
// contract §3).
#include "engine/candidates/regimes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace profdb {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using Values = std::vector<FieldValue>;

const FieldValue kSilent = kAbsentText;
const FieldValue kSilentCount = kAbsentInteger;

const PathSpec& open_spec() {
  static const PathSpec spec{
      .name = "test_open",
      .fields = {{"heads", false},
                 {"api_path", true, Match::open, "api_path_unspecified"},
                 {"local_experts", false, Match::open, "local_experts_unspecified"}},
      .axes = {"tokens"},
      .groups = {{0}},
  };
  return spec;
}

const PathSpec& format_spec(Match match) {
  static const PathSpec open{.name = "test_formats",
                             .fields = {{"input_formats", true, Match::format_open, "format_unspecified"}},
                             .axes = {"M"},
                             .groups = {{0}}};
  static const PathSpec groups{.name = "test_groups",
                               .fields = {{"input_formats", true, Match::format_group}},
                               .axes = {"M"},
                               .groups = {{0}}};
  return match == Match::format_open ? open : groups;
}

// Regimes are numbered from 1 in the order of their first rows.
std::vector<store::RegimeRow> regimes(const std::vector<Values>& values) {
  std::vector<store::RegimeRow> rows;
  for (const Values& fields : values) {
    const auto id = static_cast<std::int64_t>(rows.size()) + 1;
    rows.push_back({id, fields, 5, 0, id * 10});
  }
  return rows;
}

store::RegimeRow without_latency(store::RegimeRow regime) {
  regime.unusable_rows = regime.usable_rows;
  regime.usable_rows = 0;
  return regime;
}

// The chosen regimes by number, or the reason why there are none: "1 3", "regime_mismatch".
std::string chosen(const PathSpec& spec, const Values& target, const std::vector<store::RegimeRow>& rows) {
  const auto resolved = resolve_regimes(spec, target, rows);
  if (const auto* unfit = std::get_if<Unfit>(&resolved)) return std::string(unfit->reason);
  std::string ids;
  for (const auto& regime : std::get<RegimeGroups>(resolved))
    ids += (ids.empty() ? "" : " ") + std::to_string(regime.regime_id);
  return ids;
}

Values api(const FieldValue& path) {
  return {std::int64_t{64}, path, kSilentCount};
}
Values experts(std::int64_t count) {
  return {std::int64_t{64}, kSilent, count};
}

std::string chosen_api(const FieldValue& target, const std::vector<FieldValue>& measured) {
  std::vector<Values> rows;
  for (const FieldValue& value : measured) rows.push_back(api(value));
  return chosen(open_spec(), api(target), regimes(rows));
}

TEST(OpenFieldTest, AStatedTargetUsesTheRowsThatStateTheSame) {
  EXPECT_EQ(chosen_api("aclnn", {"aclnn", "triton"}), "1");
  EXPECT_EQ(chosen_api("triton", {kSilent, "aclnn", "triton"}), "3");
}

TEST(OpenFieldTest, AStatedTargetFallsBackToRowsThatStateNothing) {
  EXPECT_EQ(chosen_api("aclnn", {"triton", kSilent}), "2");
}

TEST(OpenFieldTest, AStatedTargetNeverUsesRowsThatStateAnotherValue) {
  EXPECT_EQ(chosen_api("aclnn", {"triton"}), "regime_mismatch");
}

TEST(OpenFieldTest, ASilentTargetUsesTheRowsThatStateNothing) {
  EXPECT_EQ(chosen_api(kSilent, {"aclnn", kSilent, "triton"}), "2");
}

TEST(OpenFieldTest, ASilentTargetUsesTheOneValueThatIsStated) {
  EXPECT_EQ(chosen_api(kSilent, {"aclnn"}), "1");
}

TEST(OpenFieldTest, SeveralStatedValuesAreUnspecifiedForASilentTarget) {
  EXPECT_EQ(chosen_api(kSilent, {"aclnn", "triton"}), "api_path_unspecified");
}

TEST(OpenFieldTest, IntegersAreOpenAlike) {
  const auto rows = regimes({experts(16), experts(32)});
  EXPECT_EQ(chosen(open_spec(), experts(32), rows), "2");
  EXPECT_EQ(chosen(open_spec(), experts(8), rows), "regime_mismatch");
  EXPECT_EQ(chosen(open_spec(), experts(kAbsentInteger), rows), "local_experts_unspecified");
  EXPECT_EQ(chosen(open_spec(), experts(8), regimes({experts(16), experts(kAbsentInteger)})), "2");
}

// The first field leaves one value of the second: "triton" was measured with 32 experts only.
TEST(OpenFieldTest, FieldsNarrowOneAfterTheOther) {
  const auto rows = regimes(
      {{std::int64_t{64}, "aclnn", std::int64_t{16}}, {std::int64_t{64}, "triton", std::int64_t{32}}});
  EXPECT_EQ(chosen(open_spec(), api("triton"), rows), "2");
}

TEST(OpenFieldTest, RowsWithoutALatencyStateNoValue) {
  auto rows = regimes({api("aclnn"), api("triton")});
  rows[0] = without_latency(rows[0]);
  EXPECT_EQ(chosen(open_spec(), api(kSilent), rows), "2");
}

TEST(OpenFieldTest, RowsWithoutALatencyDoNotHideThoseThatStateNothing) {
  auto rows = regimes({api("aclnn"), api(kSilent)});
  rows[0] = without_latency(rows[0]);
  EXPECT_EQ(chosen(open_spec(), api("aclnn"), rows), "2");
}

TEST(RegimeTest, NoRegimeIsAMismatch) {
  EXPECT_EQ(chosen(open_spec(), api(kSilent), {}), "regime_mismatch");
}

TEST(RegimeTest, ARegimeOfRowsWithoutALatencyIsLatencyInvalid) {
  EXPECT_EQ(chosen(open_spec(), api(kSilent), {without_latency(regimes({api(kSilent)})[0])}),
            "latency_invalid");
}

TEST(RegimeTest, RowsWithoutALatencyOfAnotherValueAreAMismatch) {
  EXPECT_EQ(chosen(open_spec(), api("aclnn"), {without_latency(regimes({api("triton")})[0])}),
            "regime_mismatch");
}

std::string chosen_format(const std::string& target, const std::vector<FieldValue>& measured) {
  std::vector<Values> rows;
  for (const FieldValue& value : measured) rows.push_back({value});
  return chosen(format_spec(Match::format_open), {target}, regimes(rows));
}

TEST(OpenFormatsTest, EverySlotIsOpenByItself) {
  EXPECT_EQ(chosen_format("ND;FRACTAL_NZ", {"ND;ND", "ND;FRACTAL_NZ"}), "2");
  EXPECT_EQ(chosen_format("ND;", {"ND;FRACTAL_NZ"}), "1");
  EXPECT_EQ(chosen_format(";FRACTAL_NZ", {"ND;ND", "ND;FRACTAL_NZ"}), "2");
}

TEST(OpenFormatsTest, AStatedFormatMatchesNoOther) {
  EXPECT_EQ(chosen_format("ND;ND", {"ND;FRACTAL_NZ"}), "regime_mismatch");
}

TEST(OpenFormatsTest, AStatedFormatFallsBackToRowsThatStateNone) {
  EXPECT_EQ(chosen_format("ND;ND", {"ND;FRACTAL_NZ", "ND;"}), "2");
}

TEST(OpenFormatsTest, SeveralFormatsAreUnspecifiedForASilentSlot) {
  EXPECT_EQ(chosen_format("ND;", {"ND;ND", "ND;FRACTAL_NZ"}), "format_unspecified");
  EXPECT_EQ(chosen_format(";", {"ND;ND", "FRACTAL_NZ;ND"}), "format_unspecified");
}

std::string groups(const std::string& target, const std::vector<store::RegimeRow>& rows) {
  return chosen(format_spec(Match::format_group), {target}, rows);
}

TEST(FormatGroupTest, WhatTheTargetStatesMustMatch) {
  const auto rows = regimes({{"ND;ND"}, {"ND;FRACTAL_NZ"}});
  EXPECT_EQ(groups(";FRACTAL_NZ", rows), "2");
  EXPECT_EQ(groups("ND;ND", rows), "1");
  EXPECT_EQ(groups("NCHW;", rows), "regime_mismatch");
}

TEST(FormatGroupTest, AllNdComesFirst) {
  auto rows = regimes({{"ND;FRACTAL_NZ"}, {"ND;ND"}});
  rows[0].usable_rows = 100;
  EXPECT_EQ(groups(";", rows), "2 1");
}

TEST(FormatGroupTest, ThenTheGroupWithMoreRows) {
  auto rows = regimes({{"ND;FRACTAL_NZ"}, {"FRACTAL_NZ;FRACTAL_NZ"}, {"ND;ND"}});
  rows[1].usable_rows = 6;
  EXPECT_EQ(groups(";", rows), "3 2 1");
}

TEST(FormatGroupTest, ThenTheGroupOfTheFirstRow) {
  auto rows = regimes({{"ND;FRACTAL_NZ"}, {"FRACTAL_NZ;FRACTAL_NZ"}});
  rows[0].first_measurement_id = 30;
  EXPECT_EQ(groups(";", rows), "2 1");
}

TEST(FormatGroupTest, RowsWithoutALatencyMakeNoGroup) {
  auto rows = regimes({{"ND;ND"}, {"ND;FRACTAL_NZ"}});
  rows[0] = without_latency(rows[0]);
  EXPECT_EQ(groups(";", rows), "2");
  EXPECT_EQ(groups("ND;ND", rows), "latency_invalid");
}

const PathSpec& exact_spec() {
  static const PathSpec spec{
      .name = "test_exact",
      .fields = {{"heads", false}, {"dtype"}, {"phase"}, {"api_path", true, Match::open, "x"}},
      .axes = {"tokens"},
      .groups = {{0}}};
  return spec;
}

Values fields(std::int64_t heads, const char* dtype, const char* phase, const char* api_path = "") {
  return {heads, std::string(dtype), std::string(phase), std::string(api_path)};
}

std::vector<std::string> differing(const ClosestRegime& closest) {
  std::vector<std::string> names;
  for (const auto& difference : closest.differences) names.push_back(difference.field);
  return names;
}

TEST(ClosestRegimeTest, HasTheFewestDifferingFields) {
  const auto closest = closest_regime(exact_spec(), fields(64, "BF16", "decode"), "Kernel",
                                      regimes({fields(32, "INT8", "decode"), fields(64, "INT8", "decode")}));
  EXPECT_EQ(closest.kernel, "Kernel");
  ASSERT_THAT(differing(closest), ElementsAre("dtype"));
  EXPECT_EQ(closest.differences[0].target, FieldValue("BF16"));
  EXPECT_EQ(closest.differences[0].measured, FieldValue("INT8"));
}

TEST(ClosestRegimeTest, OfEqualOnesHasTheMostRows) {
  auto rows =
      regimes({fields(32, "BF16", "decode"), fields(16, "BF16", "decode"), fields(8, "BF16", "decode")});
  rows[1].usable_rows = 7;
  const auto closest = closest_regime(exact_spec(), fields(64, "BF16", "decode"), "Kernel", rows);
  EXPECT_EQ(closest.row_count, 7);
  EXPECT_EQ(closest.differences.at(0).measured, FieldValue(std::int64_t{16}));
}

TEST(ClosestRegimeTest, RowsWithoutALatencyCountNowhere) {
  auto rows = regimes({fields(64, "INT8", "decode"), fields(32, "INT8", "decode")});
  rows[0] = without_latency(rows[0]);
  EXPECT_THAT(differing(closest_regime(exact_spec(), fields(64, "BF16", "decode"), "Kernel", rows)),
              ElementsAre("heads", "dtype"));
}

TEST(ClosestRegimeTest, ASilentOpenFieldDoesNotDiffer) {
  EXPECT_THAT(differing(closest_regime(exact_spec(), fields(64, "BF16", "decode"), "Kernel",
                                       regimes({fields(64, "BF16", "prefill", "aclnn")}))),
              ElementsAre("phase"));
}

TEST(ClosestRegimeTest, AStatedOpenFieldDiffers) {
  EXPECT_THAT(differing(closest_regime(exact_spec(), fields(64, "BF16", "decode", "triton"), "Kernel",
                                       regimes({fields(64, "BF16", "decode", "aclnn")}))),
              ElementsAre("api_path"));
}

TEST(ClosestRegimeTest, WithoutRegimesThereIsNone) {
  EXPECT_EQ(closest_regime(exact_spec(), fields(64, "BF16", "decode"), "Kernel", {}).row_count, 0);
}

TEST(NamedFieldsTest, ATargetsSilentOpenFieldsAreLeftOut) {
  EXPECT_THAT(named_fields(open_spec(), api(kSilent), true),
              ElementsAre(Pair("heads", FieldValue(std::int64_t{64}))));
  EXPECT_THAT(
      named_fields(open_spec(), api("aclnn"), true),
      ElementsAre(Pair("heads", FieldValue(std::int64_t{64})), Pair("api_path", FieldValue("aclnn"))));
}

TEST(NamedFieldsTest, AMeasuredRegimeHasAllItsFields) {
  EXPECT_EQ(named_fields(open_spec(), api(kSilent), false).size(), 3U);
}

}  // namespace
}  // namespace profdb
