// Density: the numbers of the views, and why there are none.
#include "analysis/density.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/store/releases.h"
#include "tests/analysis/matmul_release.h"

namespace profdb::analysis {
namespace {

using test::matmul_files;
using test::matmul_row;
using test::TestRelease;
using ::testing::HasSubstr;

const AxisDensity& axis(const std::vector<AxisDensity>& rows, const std::string& name) {
  for (const AxisDensity& row : rows)
    if (row.axis == name) return row;
  throw std::runtime_error("no axis " + name);
}

class DensityTest : public testing::Test {
 protected:
  DensityTest()
      : release_(matmul_files(matmul_row(1, 256, 512, "1") + matmul_row(4, 256, 512, "2") +
                              matmul_row(4, 256, 512, "2.1") + matmul_row(64, 256, 512, "3") +
                              matmul_row(4, 1024, 512, "4")),
                 test::kMatmulMapping),
        connection_(release_.database(), store::Mode::read) {}

  std::vector<AxisDensity> ask(const RegimeFilter& filter = {}) { return density(connection_, 1, filter); }

  TestRelease release_;
  store::Connection connection_;
};

TEST_F(DensityTest, CountsPointsValuesRangeAndSteps) {
  const auto rows = ask();
  ASSERT_EQ(rows.size(), 3U);
  const AxisDensity& m = axis(rows, "M");
  EXPECT_EQ(m.kernel, "MatMulV2");
  EXPECT_EQ(m.path, "matrix_compute");
  EXPECT_EQ(m.points, 5);  // the duplicate counts
  EXPECT_EQ(m.distinct_values, 3);
  EXPECT_EQ(m.min, 1);
  EXPECT_EQ(m.max, 64);
  EXPECT_EQ(m.largest_gap, 60);      // 4 to 64
  EXPECT_EQ(m.largest_ratio, 16.0);  // likewise
  EXPECT_EQ(axis(rows, "N").largest_gap, std::nullopt);
}

TEST_F(DensityTest, LinesAreWhatOneDimensionNeeds) {
  const auto rows = ask();
  EXPECT_EQ(axis(rows, "M").lines, 1);  // K=256, N=512
  EXPECT_EQ(axis(rows, "M").longest_line, 3);
  EXPECT_EQ(axis(rows, "K").lines, 1);  // M=4, N=512
  EXPECT_EQ(axis(rows, "N").lines, 0);
}

TEST_F(DensityTest, DimensionsNeedVaryingAxesAndPoints) {
  EXPECT_EQ(axis(ask(), "M").possible_dims, "1,2");  // N never varies
}

TEST_F(DensityTest, PlainSqlGivesTheSameNumbers) {
  SQLite::Database db(release_.database());
  for (const AxisDensity& row : ask()) {
    SQLite::Statement select(db,
                             "SELECT points, distinct_values, min, max, largest_gap, largest_ratio FROM "
                             "candidate_density WHERE path = ? AND regime_id = ? AND axis = ?");
    select.bind(1, row.path);
    select.bind(2, row.regime_id);
    select.bind(3, row.axis);
    ASSERT_TRUE(select.executeStep());
    EXPECT_EQ(select.getColumn(0).getInt64(), row.points);
    EXPECT_EQ(select.getColumn(1).getInt64(), row.distinct_values);
    EXPECT_EQ(select.getColumn(2).getInt64(), row.min);
    EXPECT_EQ(select.getColumn(3).getInt64(), row.max);
    EXPECT_EQ(select.getColumn(4).isNull(), !row.largest_gap);
    EXPECT_EQ(select.getColumn(4).getInt64(), row.largest_gap.value_or(0));
    EXPECT_EQ(select.getColumn(5).getDouble(), row.largest_ratio.value_or(0));
    EXPECT_FALSE(select.executeStep());
  }
}

TEST_F(DensityTest, TheFilterRestricts) {
  EXPECT_TRUE(ask({.kernel = "Other", .path = {}, .regime_id = {}}).empty());
  EXPECT_EQ(ask({.kernel = "MatMulV2", .path = "matrix_compute", .regime_id = 1}).size(), 3U);
  EXPECT_TRUE(ask({.kernel = {}, .path = "matrix_compute", .regime_id = 2}).empty());
}

TEST_F(DensityTest, AnUnknownPathListsThoseThereAre) {
  try {
    ask({.kernel = {}, .path = "matmul", .regime_id = {}});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_THAT(e.what(), HasSubstr("no path 'matmul'"));
    EXPECT_THAT(e.what(), HasSubstr("matrix_compute"));
  }
}

TEST_F(DensityTest, ARegimeNeedsItsPath) {
  EXPECT_THROW(ask({.kernel = {}, .path = {}, .regime_id = 1}), Error);
}

TEST_F(DensityTest, AnEmptyResultSaysWhatThereIsInstead) {
  const ReleaseInfo info = select_release(connection_, "1");
  EXPECT_THAT(why_empty(connection_, info, {.kernel = "Other", .path = {}, .regime_id = {}}),
              HasSubstr("no candidates of Other; it has MatMulV2"));
  EXPECT_THAT(why_empty(connection_, info, {.kernel = {}, .path = "moe_fused", .regime_id = {}}),
              HasSubstr("no candidates of path moe_fused; it has candidates of matrix_compute"));
}

}  // namespace
}  // namespace profdb::analysis
