// Release comparison: coordinates in common, changes beyond the threshold, what only one has.
#include "analysis/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/store/releases.h"
#include "tests/analysis/matmul_release.h"

namespace profdb::analysis {
namespace {

using test::matmul_row;
using ::testing::IsEmpty;

class DiffTest : public testing::Test {
 protected:
  // Two releases of one database.
  void import(const std::string& version, const std::string& rows,
              const std::string& mapping = test::kMatmulMapping) {
    const auto folder = folder_ / version;
    test::write_file(folder / "MatMulV2.csv", test::csv_header() + rows);
    test::write_file(folder / "op_mapping.yaml", mapping);
    importer::ImportOptions options;
    options.database = folder_ / "t.db";
    options.sources = {folder};
    options.identity = test::test_identity(version);
    importer::import_release(options);
  }
  DiffReport ask(double threshold = 0.05) {
    store::Connection connection(folder_ / "t.db", store::Mode::read);
    return diff(connection, select_release(connection, "1"), select_release(connection, "2"),
                {{}, threshold});
  }

  test::TempFolder folder_;
};

TEST_F(DiffTest, RatiosAreOfTheMediansAtCommonCoordinates) {
  import("1", matmul_row(1, 256, 512, "10") + matmul_row(1, 256, 512, "12") + matmul_row(2, 256, 512, "20") +
                  matmul_row(4, 256, 512, "40"));
  import("2", matmul_row(1, 256, 512, "22") + matmul_row(2, 256, 512, "21") + matmul_row(4, 256, 512, "20") +
                  matmul_row(8, 256, 512, "1"));
  const auto report = ask();
  ASSERT_EQ(report.regimes.size(), 1U);
  const RegimeDiff& regime = report.regimes[0];
  EXPECT_EQ(regime.ratio.n, 3U);
  EXPECT_DOUBLE_EQ(regime.ratio.max, 2);        // 22 / median(10, 12)
  EXPECT_DOUBLE_EQ(regime.ratio.median, 1.05);  // 21 / 20
  EXPECT_DOUBLE_EQ(regime.ratio.min, 0.5);
  EXPECT_EQ(regime.regressions, 1);  // 1.05 is not beyond 5 %
  EXPECT_EQ(regime.improvements, 1);
  EXPECT_EQ(regime.only_a, 0);
  EXPECT_EQ(regime.only_b, 1);
  ASSERT_EQ(report.regressions.size(), 1U);
  EXPECT_EQ(report.regressions[0].coordinate, "M=1,K=256,N=512");
  EXPECT_DOUBLE_EQ(report.regressions[0].a_us, 11);
  ASSERT_EQ(report.kernels.size(), 1U);
  EXPECT_EQ(report.kernels[0].ratio.n, 3U);
}

TEST_F(DiffTest, TheThresholdDecidesWhatARegressionIs) {
  import("1", matmul_row(1, 256, 512, "100"));
  import("2", matmul_row(1, 256, 512, "108"));
  EXPECT_EQ(ask(0.05).regressions.size(), 1U);
  EXPECT_THAT(ask(0.10).regressions, IsEmpty());
}

TEST_F(DiffTest, RegimesThatDifferInAnyFieldAreNotCompared) {
  import("1", matmul_row(1, 256, 512, "10"));
  import("2", test::measured("FLOAT16[1,256] FLOAT16[256,512]", "FLOAT16[1,512]", {"10"}));
  const auto report = ask();
  EXPECT_THAT(report.regimes, IsEmpty());
  ASSERT_EQ(report.only.size(), 2U);
  EXPECT_EQ(report.only[0].release, "A");
  EXPECT_EQ(report.only[0].scope, "regime");
  EXPECT_EQ(report.only[1].release, "B");
}

TEST_F(DiffTest, OperatorsOfOneMappingOnlyAreNamed) {
  import("1", matmul_row(1, 256, 512, "10"));
  import("2", matmul_row(1, 256, 512, "10"),
         std::string(test::kMatmulMapping) + "  extra: {zero_cost: true}\n");
  const auto report = ask();
  ASSERT_EQ(report.only.size(), 1U);
  EXPECT_EQ(report.only[0].op, "extra");
  EXPECT_EQ(report.only[0].release, "B");
}

TEST_F(DiffTest, AReleaseIsNotComparedWithItself) {
  import("1", matmul_row(1, 256, 512, "10"));
  store::Connection connection(folder_ / "t.db", store::Mode::read);
  const auto release = select_release(connection, "1");
  EXPECT_THROW(diff(connection, release, release, {}), Error);
}

}  // namespace
}  // namespace profdb::analysis
