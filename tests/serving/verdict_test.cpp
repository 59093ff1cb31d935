// acceptance-protocol §4, the verdict on a candidate.
#include "serving/rules/verdict.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/conformance.h"

namespace profdb::serving {
namespace {

std::optional<double> figure(const nlohmann::json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<double>();
}

VerdictInput read_case(const nlohmann::json& json) {
  VerdictInput input;
  input.limit_ms_per_token = json.at("limit");
  for (const auto& [level, threshold] : json.at("thresholds").items())
    input.thresholds[std::stoll(level)] = threshold;
  for (const auto& target : json.at("targets"))
    input.targets.push_back(std::stoll(target.get<std::string>()));
  for (const auto& [level, values] : json.at("levels").items())
    input.levels[std::stoll(level)] = {figure(values.at("P")), figure(values.at("B1")),
                                       figure(values.at("B2"))};
  return input;
}

TEST(Verdict, AnswersTheConformanceCases) {
  std::ifstream file(test::conformance_cases() / "verdicts.jsonl");
  std::string line;
  int cases = 0;
  while (std::getline(file, line)) {
    const auto json = nlohmann::json::parse(line);
    SCOPED_TRACE(json.at("why").get<std::string>());
    const auto result = judge(read_case(json));
    EXPECT_EQ(to_string(result.verdict), json.at("expected").at("verdict").get<std::string>());
    EXPECT_EQ(result.rule, json.at("expected").at("rule").get<int>());
    ++cases;
  }
  EXPECT_EQ(cases, 20);
}

// One level, whose gains of (32 - 31) / 32 are above the threshold: PASS unless a test changes something.
VerdictInput passing() {
  VerdictInput input;
  input.limit_ms_per_token = 25;
  input.thresholds = {{1, 0.015625}};
  input.targets = {1};
  input.levels = {{1, {32.0, 31.0, 31.0}}};
  return input;
}

TEST(Verdict, UnusableFiguresNeverReachIt) {
  const double unusable[] = {std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(), 0.0, -31.0};
  ASSERT_EQ(judge(passing()).verdict, Verdict::pass);
  for (const double value : unusable) {
    for (auto LevelFigures::*member : {&LevelFigures::parent, &LevelFigures::b1, &LevelFigures::b2}) {
      VerdictInput input = passing();
      input.levels[1].*member = value;
      const auto result = judge(input);
      EXPECT_EQ(result.verdict, Verdict::inconclusive) << value;
      EXPECT_EQ(result.rule, 1) << value;
      EXPECT_FALSE(result.levels.at(1).median_gain.has_value()) << value;
    }
  }
}

TEST(Verdict, UnusableBoundsNeverReachIt) {
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), -0.01, std::numeric_limits<double>::infinity()}) {
    VerdictInput threshold = passing();
    threshold.thresholds[1] = value;
    EXPECT_EQ(judge(threshold).verdict, Verdict::inconclusive) << value;
    EXPECT_EQ(judge(threshold).rule, 1) << value;
    VerdictInput limit = passing();
    limit.limit_ms_per_token = value;
    EXPECT_EQ(judge(limit).verdict, Verdict::inconclusive) << value;
  }
}

TEST(Verdict, NeedsATargetThatWasMeasured) {
  VerdictInput none = passing();
  none.targets.clear();
  EXPECT_EQ(judge(none).verdict, Verdict::inconclusive);
  VerdictInput other = passing();
  other.targets = {1, 4};
  EXPECT_EQ(judge(other).verdict, Verdict::inconclusive);
  EXPECT_EQ(judge(other).reason, "target level 4 was not measured");
}

TEST(Verdict, NamesTheLevelThatDecided) {
  VerdictInput input = passing();
  input.thresholds[4] = 0.015625;
  input.levels[4] = {32.0, 33.0, 33.0};
  EXPECT_EQ(judge(input).reason, "level 4: median gain -0.03125 is below minus its threshold 0.015625");
}

TEST(Median, OfAnEvenCountIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(usable_median({4.0, 1.0, 3.0, 2.0}), 2.5);
  EXPECT_EQ(usable_median({5.0, 1.0, 3.0}), 3.0);
  EXPECT_EQ(usable_median({7.0}), 7.0);
  EXPECT_EQ(usable_median({}), std::nullopt);
  EXPECT_EQ(usable_median({1.0, std::numeric_limits<double>::quiet_NaN(), 2.0}), std::nullopt);
  EXPECT_EQ(usable_median({1.0, -1.0, 2.0}), std::nullopt);
}

}  // namespace
}  // namespace profdb::serving
