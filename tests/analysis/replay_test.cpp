// Replay: counting what workloads hit, and lines that are none.
#include "analysis/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/analysis/matmul_release.h"

namespace profdb::analysis {
namespace {

using test::matmul_files;
using test::matmul_row;
using test::TestRelease;
using ::testing::HasSubstr;

std::string mm(int m, int k) {
  return test::leaf("aten.mm.default", fmt::format("bfloat16[{},{}] bfloat16[{},512]", m, k, k),
                    fmt::format("bfloat16[{},512]", m));
}

std::string line(const std::string& workload, const std::string& leaf, const std::string& rest = "") {
  return fmt::format("{{\"workload_id\": \"{}\", {}\"leaf\": {}}}\n", workload, rest, leaf);
}

class ReplayTest : public testing::Test {
 protected:
  ReplayTest()
      : release_(matmul_files(matmul_row(1, 256, 512, "1") + matmul_row(8, 256, 512, "2")),
                 test::kMatmulMapping),
        engine_(release_.database()) {}

  ReplayReport ask(const std::string& lines) {
    std::istringstream in(lines);
    return replay(engine_, in, "w.jsonl");
  }
  std::string error_of(const std::string& lines) {
    try {
      ask(lines);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::input);
      return e.what();
    }
    return "no error";
  }
  static const ReplayShare& share(const WorkloadTally& tally, const std::string& by,
                                  const std::string& value) {
    for (const ReplayShare& s : tally.shares)
      if (s.by == by && s.value == value) return s;
    throw std::runtime_error("no share " + by + " " + value);
  }

  TestRelease release_;
  Engine engine_;
};

TEST_F(ReplayTest, CallsAreWeighedByTheirCountAndDistinctOnesCountOnce) {
  const auto report =
      ask(line("a", mm(1, 256), "\"count\": 3, ") + line("a", mm(4, 256)) + "\n" +
          line("b", mm(1, 256), "\"count\": 4, ") + line("b", mm(200, 256), "\"count\": 2, "));
  EXPECT_EQ(report.total.calls, 10);
  EXPECT_EQ(report.total.distinct_calls, 3);
  EXPECT_EQ(share(report.total, "source", "MEASURED").calls, 7);
  EXPECT_EQ(share(report.total, "source", "MEASURED").distinct_calls, 1);
  EXPECT_DOUBLE_EQ(share(report.total, "source", "MEASURED").share, 0.7);
  EXPECT_EQ(share(report.total, "dim", "1").calls, 1);
  EXPECT_EQ(share(report.total, "path", "matrix_compute").calls, 10);
  ASSERT_EQ(report.workloads.size(), 2U);
  EXPECT_EQ(report.workloads[0].workload_id, "a");
  EXPECT_EQ(report.workloads[1].calls, 6);
  EXPECT_EQ(share(report.workloads[1], "reason", "outside_boundary").calls, 2);
}

TEST_F(ReplayTest, CriticalCallsThatAreNotMeasuredAreNamed) {
  const std::string critical = "\"critical\": true, ";
  const auto report = ask(line("a", mm(1, 256), critical) + line("a", mm(4, 256), critical) +
                          line("a", mm(4, 256), critical + "\"count\": 5, ") + line("a", mm(64, 256)));
  EXPECT_EQ(report.total.critical_calls, 7);
  EXPECT_EQ(report.total.critical_not_measured, 6);
  ASSERT_EQ(report.critical_not_measured.size(), 1U);
  EXPECT_EQ(report.critical_not_measured[0].line, 2);
  EXPECT_EQ(report.critical_not_measured[0].calls, 6);
  EXPECT_EQ(report.critical_not_measured[0].how, "linear_1d");
}

TEST_F(ReplayTest, EveryLineIsObservedInOrder) {
  std::istringstream in(line("a", mm(1, 256)) + line("a", mm(4, 256)));
  std::vector<std::pair<std::int64_t, double>> seen;
  replay(engine_, in, "w", [&](auto number, const auto&, const Result& result) {
    seen.emplace_back(number, result.latency_us);
  });
  // Between 1 us at M=1 and 2 us at M=8: 1 + 3/7.
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0], (std::pair<std::int64_t, double>(1, 1.0)));
  EXPECT_EQ(seen[1].first, 2);
  EXPECT_NEAR(seen[1].second, 1 + 3.0 / 7, 1e-12);
}

TEST_F(ReplayTest, AMalformedLineNamesLineAndField) {
  const std::string good = line("a", mm(1, 256));
  EXPECT_THAT(error_of(good + "nonsense\n"), HasSubstr("w.jsonl:2: the line is no JSON object"));
  EXPECT_THAT(error_of("{\"leaf\": {}}"), HasSubstr("w.jsonl:1: workload_id is missing"));
  EXPECT_THAT(error_of("{\"workload_id\": \"a\"}"), HasSubstr("leaf is missing"));
  EXPECT_THAT(error_of(line("", mm(1, 256))), HasSubstr("workload_id is no text"));
  EXPECT_THAT(error_of(line("a", mm(1, 256), "\"count\": 0, ")), HasSubstr("count is no whole number"));
  EXPECT_THAT(error_of(line("a", mm(1, 256), "\"count\": 1.5, ")), HasSubstr("count is no whole number"));
  EXPECT_THAT(error_of(line("a", mm(1, 256), "\"critical\": 1, ")), HasSubstr("critical is neither"));
  EXPECT_THAT(error_of(line("a", mm(1, 256), "\"weight\": 1, ")), HasSubstr("unknown field 'weight'"));
  EXPECT_THAT(error_of(line("a", "{\"op\": 1}")), HasSubstr("leaf: op"));
}

}  // namespace
}  // namespace profdb::analysis
