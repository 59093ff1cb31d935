// The runner of the cases: what it takes for a difference, a case, a list of pending cases.
#include "tests/conformance/pending.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/release.h"

namespace profdb::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::map<std::string, int> kCases = {{"geometry", 12}, {"moe_fused", 2}};

TEST(PendingCases, AreReadByFolderAndLine) {
  const auto pending = read_pending("# until later\ngeometry:2\ngeometry:12\n# and\nmoe_fused:1\n", kCases);
  EXPECT_THAT(pending.problems, IsEmpty());
  EXPECT_EQ(pending.lines, (std::map<std::string, std::set<int>>{{"geometry", {2, 12}}, {"moe_fused", {1}}}));
}

TEST(PendingCases, MayBeNone) {
  const auto pending = read_pending("# none\n", kCases);
  EXPECT_THAT(pending.problems, IsEmpty());
  EXPECT_THAT(pending.lines, IsEmpty());
}

TEST(PendingCases, AreRefusedWhereTheListIsNotFolderAndLine) {
  for (const std::string line :
       {"geometry", "geometry:", ":1", "geometry:x", "geometry:1 ", "geometry:01", "geometry:1,2",
        "geometry:1 # why", "geometry:1\r", "", "geometry:99999999999"}) {
    EXPECT_THAT(read_pending(line + "\n", kCases).problems,
                ElementsAre("line 1: \"" + line + "\" is not folder:line"));
  }
}

TEST(PendingCases, AreRefusedWhereThereIsNoSuchCase) {
  for (const std::string line : {"geometry:0", "geometry:13", "matrix:1", "moe_fused:3", " geometry:1"}) {
    EXPECT_THAT(read_pending(line + "\n", kCases).problems,
                ElementsAre("line 1: \"" + line + "\" names no case"));
  }
}

TEST(PendingCases, AreRefusedTwiceOrOutOfOrder) {
  EXPECT_THAT(read_pending("geometry:2\ngeometry:2\n", kCases).problems,
              ElementsAre("line 2: \"geometry:2\" is there twice"));
  EXPECT_THAT(read_pending("geometry:12\ngeometry:2\n", kCases).problems,
              ElementsAre("line 2: \"geometry:2\" is not in order"));
  EXPECT_THAT(read_pending("moe_fused:1\ngeometry:2\n", kCases).problems,
              ElementsAre("line 2: \"geometry:2\" is not in order"));
}

TEST(PendingCases, AreTheOnlyOnesThatMayFailAndMustFail) {
  const std::vector<Outcome> outcomes = {
      {1, "first", ""}, {2, "second", "dim is 2, not 1"}, {3, "third", ""}, {4, "fourth", "reason is"}};
  EXPECT_THAT(unexpected("geometry", outcomes, {2, 4}), IsEmpty());
  EXPECT_THAT(unexpected("geometry", outcomes, {4}),
              ElementsAre("geometry:2 fails: second\ndim is 2, not 1"));
  EXPECT_THAT(unexpected("geometry", outcomes, {2, 3, 4}),
              ElementsAre("geometry:3 answers as known and does not belong into pending.txt: third"));
}

Result hit() {
  Result result;
  result.source = Source::interpolated;
  result.latency_us = 1000;
  result.method = "griddata_linear";
  result.dim = 2;
  result.axes = {"M", "K"};
  result.match_rule = "padding";
  result.kernel = "MatMulV2";
  return result;
}

json expected_hit() {
  return {{"source", "INTERPOLATED"}, {"latency_us", 1000.0},    {"method", "griddata_linear"}, {"dim", 2},
          {"axes", {"M", "K"}},       {"match_rule", "padding"}, {"kernel", "MatMulV2"}};
}

TEST(ConformanceCase, ComparesEveryFieldThatIsGiven) {
  EXPECT_THAT(differences(expected_hit(), hit()), IsEmpty());
  const std::vector<std::pair<std::string, json>> others = {
      {"source", "MEASURED"}, {"reason", "outside_boundary"}, {"method", "linear_1d"}, {"dim", 1},
      {"axes", {"K", "M"}},   {"match_rule", "identity"},     {"kernel", "MatMulV3"}};
  for (const auto& [field, value] : others) {
    json expected = expected_hit();
    expected[field] = value;
    EXPECT_THAT(differences(expected, hit()), ElementsAre(HasSubstr(field + " is "))) << field;
  }
}

TEST(ConformanceCase, ComparesLatencyToABillionth) {
  const auto found = [](double latency) {
    Result result = hit();
    result.latency_us = latency;
    return differences(expected_hit(), result);
  };
  EXPECT_THAT(found(1000.0000009), IsEmpty());
  EXPECT_THAT(found(999.9999991), IsEmpty());
  EXPECT_THAT(found(1000.0000011), ElementsAre(HasSubstr("latency_us is ")));
  EXPECT_THAT(found(999.9999989), ElementsAre(HasSubstr("latency_us is ")));
  EXPECT_THAT(found(std::numeric_limits<double>::quiet_NaN()), ElementsAre(HasSubstr("latency_us is ")));
}

std::string reading(const std::string& text) {
  const TempFolder folder;
  write_file(folder / "cases.jsonl", text);
  try {
    read_cases(folder / "cases.jsonl");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "read";
}

TEST(ConformanceCase, IsRefusedWhereNothingWouldLookAtIt) {
  const std::string good = R"({"leaf": {}, "expected": {"source": "MISS", "reason": "unmapped"}})";
  EXPECT_EQ(reading(good + "\n"), "read");
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"", "parse error"},
      {R"({"leaf": {}})", "'expected'"},
      {R"({"leaf": {}, "expected": {"source": "MISS"}})", "expected has no reason"},
      {R"({"leaf": {}, "expected": {"source": "MEASURED", "kernel": "Add"}})", "expected has no latency_us"},
      {R"({"leaf": {}, "expected": {"source": "MISS", "reason": "unmapped", "axis": ["M"]}})", "\"axis\""},
      {R"({"leaf": {}, "expect": {"source": "MISS", "reason": "unmapped"}})", "\"expect\""},
      {R"({"leaf": {}, "options": {"ep": 4}, "expected": {"source": "MISS", "reason": "unmapped"}})",
       "\"ep\""},
      {R"({"leaf": {}, "options": {"padded_match": "first"}, "expected": {"source": "MISS", "reason": "u"}})",
       "padded_match"}};
  for (const auto& [line, message] : wrong) {
    const std::string error = reading(good + "\n" + line + "\n");
    EXPECT_THAT(error, HasSubstr("cases.jsonl:2: ")) << line;
    EXPECT_THAT(error, HasSubstr(message)) << line;
  }
}

TEST(ConformanceCase, FailsByItselfWhereTheEngineRefusesIt) {
  const TestRelease release(
      {{"Neg.csv", csv_header() + csv_row("4,8", "DT_BF16", "ND", "4,8", "DT_BF16", "ND", {"5.0"})}},
      "operator_mappings:\n  aten.neg.default: {kernel_type: Neg}\n");
  const json leaf = json::parse(
      R"({"op": "aten.neg.default", "inputs": [{"shape": [4, 8], "dtype": "bfloat16"}], "outputs": []})");
  const json expected = {{"source", "MEASURED"}, {"latency_us", 5.0}};
  const auto outcomes = run_cases_in(release.database(), {{1, "no leaf", json(7), json::object(), expected},
                                                          {2, "a leaf", leaf, json::object(), expected}});
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_THAT(outcomes[0].failure, HasSubstr("error: "));
  EXPECT_EQ(outcomes[1].failure, "");
}

// Even where all of them are pending: what is not imported proves nothing about them.
TEST(ConformanceCase, FailsWithItsWholeFolderWhereTheImportFails) {
  const TempFolder folder;
  write_file(folder / "op_mapping.yaml", "operator_mappings: 7\n");
  const json expected = {{"source", "MEASURED"}, {"latency_us", 5.0}};
  std::vector<Outcome> outcomes;
  EXPECT_NONFATAL_FAILURE(
      (outcomes = run_cases(folder.path(), {{1, "one", json::object(), json::object(), expected},
                                            {2, "two", json::object(), json::object(), expected}})),
      "is not imported");
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_THAT(outcomes[0].failure, HasSubstr("error: "));
  EXPECT_THAT(outcomes[1].failure, HasSubstr("error: "));
}

}  // namespace
}  // namespace profdb::test
