// The analysing subcommands as a user runs them, on the synthetic sample releases.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/analysis/sample_database.h"
#include "tests/support/cli.h"
#include "tests/support/release.h"

namespace {

using namespace profdb::test;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class AnalysisCli : public testing::Test {
 protected:
  static CliResult run(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.end(), {"--db", sample_database()});
    return run_cli(arguments, input);
  }
  static std::size_t longest_line(const std::string& text) {
    std::istringstream lines(text);
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
    return longest;
  }
  static std::size_t line_count(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  static std::string workload() { return std::string(PROFDB_SOURCE_DIR) + "/examples/workload.jsonl"; }
};

TEST_F(AnalysisCli, EveryTextFitsAHundredColumns) {
  const std::vector<std::vector<std::string>> commands = {
      {"density", "--release", "3"},
      {"holdout", "--release", "3", "--no-save", "--ep-size", "16"},
      {"replay", workload(), "--release", "3", "--ep-size", "16"},
      {"diff", "2", "3"},
      {"diff", "2", "3", "--kernel", "MatMulV2"}};
  for (const auto& command : commands) {
    const CliResult result = run(command);
    EXPECT_EQ(result.exit_code, 0) << command[0] << ": " << result.err;
    EXPECT_GT(line_count(result.out), 5U) << command[0];
    EXPECT_LE(longest_line(result.out), 100U) << command[0];
    EXPECT_THAT(result.out, HasSubstr("SYNTHETIC")) << command[0];
  }
}

TEST_F(AnalysisCli, JsonAndCsvHoldTheSameRows) {
  const json density = json::parse(run({"density", "--release", "3", "--json"}).out);
  EXPECT_EQ(line_count(run({"density", "--release", "3", "--csv"}).out), density.at("density").size() + 1);
  const json diff = json::parse(run({"diff", "2", "3", "--json"}).out);
  for (const char* table : {"kernels", "regimes", "regressions", "improvements", "only"})
    EXPECT_EQ(line_count(run({"diff", "2", "3", "--csv", "--table", table}).out), diff.at(table).size() + 1)
        << table;
}

TEST_F(AnalysisCli, CsvQuotesWhatNeedsIt) {
  const std::string csv = run({"density", "--release", "3", "--kernel", "MatMulV2", "--csv"}).out;
  EXPECT_THAT(csv, StartsWith("kernel,path,regime_id,regime,source_class,axis,points,"));
  EXPECT_THAT(csv, HasSubstr("\"{\"\"input_count\"\":2,"));
}

TEST_F(AnalysisCli, AnUnknownReleaseListsThoseThereAre) {
  for (const auto& command : std::vector<std::vector<std::string>>{{"density", "--release", "9"},
                                                                   {"holdout", "--release", "9", "--no-save"},
                                                                   {"replay", workload(), "--release", "9"},
                                                                   {"diff", "2", "9"}}) {
    const CliResult result = run(command);
    EXPECT_EQ(result.exit_code, 2) << command[0];
    EXPECT_THAT(result.err,
                HasSubstr("no release '9': the database holds 1 (SYNTHETIC_NPU/synthetic/0.13.0"));
  }
}

TEST_F(AnalysisCli, AnEmptyResultSaysWhy) {
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"density", "--release", "3", "--kernel", "Nothing"},
           {"holdout", "--release", "3", "--kernel", "Nothing", "--no-save"},
           {"diff", "2", "3", "--kernel", "Nothing"}}) {
    const CliResult result = run(command);
    EXPECT_EQ(result.out, "") << command[0];
    EXPECT_THAT(result.err, HasSubstr("no candidates of Nothing; it has Add, ")) << command[0];
  }
  EXPECT_THAT(run({"replay", "-", "--release", "3"}, "\n").err, HasSubstr("there is no line with a call"));
}

TEST_F(AnalysisCli, AMalformedWorkloadNamesTheLine) {
  const CliResult result =
      run({"replay", "-", "--release", "3"}, "\n{\"workload_id\": \"a\", \"leaf\": {\"op\": 1}}\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("-:2: leaf: op: expected a string"));
}

TEST_F(AnalysisCli, ReplayWritesOneResultPerCall) {
  const TempFolder folder;
  const CliResult result =
      run({"replay", workload(), "--release", "3", "--ep-size", "16", "--results", folder / "r.jsonl"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::ifstream workload_lines(workload());
  std::ifstream results(folder / "r.jsonl");
  std::string call;
  std::string answer;
  int lines = 0;
  while (std::getline(workload_lines, call)) {
    ++lines;
    ASSERT_TRUE(std::getline(results, answer)) << lines;
    EXPECT_EQ(json::parse(answer).at("line"), lines);
    EXPECT_EQ(json::parse(answer).at("count"), json::parse(call).at("count"));
    EXPECT_TRUE(json::parse(answer).at("result").contains("source"));
  }
  EXPECT_GT(lines, 0);
  EXPECT_FALSE(std::getline(results, answer));
}

TEST_F(AnalysisCli, AViolatedStandardIsANoAndItsShapesAreWritten) {
  const TempFolder folder;
  write_file(
      folder / "s.yaml",
      "name: test\ngrids:\n- {path: matrix_compute, kernel: MatMulV3, axis: M, required_values: [24]}\n");
  const CliResult result =
      run({"density", "--release", "3", "--standard", folder / "s.yaml", "--missing", folder / "next.csv"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_LE(longest_line(result.out), 100U);
  EXPECT_THAT(result.out, HasSubstr("lacks 24"));
  const std::string csv = read_file(folder / "next.csv");
  EXPECT_THAT(csv, StartsWith("kernel,path,regime_id,coordinate,input_shapes,"));
  EXPECT_THAT(csv, HasSubstr("\"M=24,"));
  EXPECT_EQ(run({"density", "--release", "3", "--standard", folder / "s.yaml", "--missing", folder / "x.txt"})
                .exit_code,
            2);
  write_file(folder / "bad.yaml", "grids:\n- {path: nowhere}\n");
  const CliResult bad = run({"density", "--release", "3", "--standard", folder / "bad.yaml"});
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_THAT(bad.err, HasSubstr("bad.yaml:2: path of a grid is 'nowhere'"));
}

TEST_F(AnalysisCli, HoldoutRunsAreListedAndShownAgain) {
  const json runs = json::parse(run({"holdout", "--runs", "--json"}).out);
  ASSERT_EQ(runs.size(), 1U);  // of sample_database()
  const json again = json::parse(run({"holdout", "--run", "1", "--json"}).out);
  EXPECT_EQ(again.at("run").at("release"), "SYNTHETIC_NPU/synthetic/0.18.0");
  const auto samples = again.at("run").at("sample_count").get<std::size_t>();
  EXPECT_EQ(line_count(run({"holdout", "--run", "1", "--csv", "--table", "samples"}).out), samples + 1);
  EXPECT_EQ(run({"holdout", "--run", "99"}).exit_code, 2);
}

}  // namespace
