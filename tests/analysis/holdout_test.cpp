// Hold-out on small releases whose predictions can be computed by hand.
#include "analysis/holdout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "importer/write/stored_rows.h"
#include "tests/analysis/matmul_release.h"

namespace profdb::analysis {
namespace {

using test::matmul_files;
using test::matmul_row;
using test::TestRelease;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

HoldoutRun run(const TestRelease& release, HoldoutOptions options = {}) {
  return holdout(release.database(), options, importer::for_each_kernel_row);
}

const HoldoutSample& at(const HoldoutRun& run, const std::string& coordinate) {
  for (const HoldoutSample& sample : run.samples)
    if (sample.coordinate == coordinate) return sample;
  throw std::runtime_error("no sample " + coordinate);
}

TestRelease line_release() {
  return {matmul_files(matmul_row(16, 256, 512, "10") + matmul_row(20, 256, 512, "20") +
                       matmul_row(20, 256, 512, "22") + matmul_row(40, 256, 512, "30")),
          test::kMatmulMapping};
}

TEST(HoldoutTest, ACoordinateIsPredictedFromItsNeighbours) {
  const TestRelease release = line_release();
  const HoldoutSample sample = at(run(release), "M=20,K=256,N=512");
  EXPECT_EQ(sample.source, Source::interpolated);
  EXPECT_EQ(sample.row_count, 2);  // left out together, or one would answer for the other
  EXPECT_DOUBLE_EQ(sample.measured_us, 21);
  // Linear from 10 us at M=16 to 30 us at M=40: 10 + 20 * 4 / 24.
  const double predicted = 10 + 20.0 * 4 / 24;
  EXPECT_NEAR(sample.predicted_us, predicted, 1e-12);
  EXPECT_NEAR(sample.relative_error, (predicted - 21) / 21, 1e-12);
  EXPECT_EQ(sample.dim, 1);
  EXPECT_EQ(sample.axes, "M");
  ASSERT_EQ(sample.neighbours.size(), 2U);
}

TEST(HoldoutTest, TheEndsOfALineLieOutsideWhatIsLeft) {
  const TestRelease release = line_release();
  const HoldoutRun all = run(release);
  EXPECT_EQ(at(all, "M=40,K=256,N=512").source, Source::miss);
  EXPECT_EQ(at(all, "M=40,K=256,N=512").reason, "outside_boundary");
  EXPECT_EQ(all.samples.size(), 3U);
}

TEST(HoldoutTest, PaddedMatchesAreTriedLastAndCanBeTurnedOff) {
  // 20 rounded up to a multiple of 16 is 32: without its own row, M=32 is answered from the row of M=20.
  const TestRelease release(matmul_files(matmul_row(20, 256, 512, "20") + matmul_row(32, 256, 512, "30")),
                            test::kMatmulMapping);
  const HoldoutRun with_padding = run(release);
  EXPECT_EQ(at(with_padding, "M=32,K=256,N=512").source, Source::compatible);
  EXPECT_NEAR(at(with_padding, "M=32,K=256,N=512").relative_error, (20.0 - 30) / 30, 1e-12);
  HoldoutOptions off;
  off.engine.padded_match = PaddedMatch::off;
  EXPECT_EQ(at(run(release, off), "M=32,K=256,N=512").source, Source::miss);
}

TEST(HoldoutTest, ASpecialisedPathIsAskedFromItsOwnRows) {
  const auto row = [](int tokens, const std::string& latency) {
    return test::measured(fmt::format("DT_BF16[4,64] INT32[{}] DT_BF16[{},64]", tokens, tokens),
                          "DT_BF16[4,64]", {latency});
  };
  const TestRelease release(
      {{"ScatterNdUpdate.csv", test::csv_header() + row(1, "10") + row(2, "11") + row(4, "15")}},
      "operator_mappings:\n  op: {kernel_type: ScatterNdUpdate, query_mode: "
      "scatter_nd_update_mla}\n");
  const HoldoutRun all = run(release);
  ASSERT_EQ(all.samples.size(), 3U);
  EXPECT_EQ(all.samples[1].path, "scatter_nd_update_mla");
  EXPECT_NEAR(all.samples[1].predicted_us, 10 + 5.0 / 3, 1e-12);  // tokens 2 between 1 and 4
}

TEST(HoldoutTest, TheNumberOfThreadsChangesNothing) {
  std::string rows;
  for (int m = 1; m <= 64; m *= 2)
    for (int k = 256; k <= 1024; k += 256) rows += matmul_row(m, k, 512, std::to_string(3 * m + k % 7));
  const TestRelease release(matmul_files(rows), test::kMatmulMapping);
  HoldoutOptions one;
  one.threads = 1;
  HoldoutOptions four;
  four.threads = 4;
  const auto a = to_json(run(release, one), 1000);
  const auto b = to_json(run(release, four), 1000);
  EXPECT_GT(a.at("worst").size(), 0U);
  EXPECT_EQ(a.at("groups"), b.at("groups"));
  EXPECT_EQ(a.at("worst"), b.at("worst"));
  EXPECT_EQ(a.at("run").at("options"), b.at("run").at("options"));
}

TEST(HoldoutTest, FiltersRestrictAndAnUnknownOperatorIsRefused) {
  const TestRelease release = line_release();
  HoldoutOptions options;
  options.filter.kernel = "Other";
  EXPECT_THAT(run(release, options).samples, IsEmpty());
  options = {};
  options.op = "nothing";
  EXPECT_THROW(run(release, options), Error);
}

TEST(HoldoutGroupsTest, CountsAnswersAndMissesPerKernelAndWay) {
  const TestRelease release = line_release();
  const auto groups = holdout_groups(run(release).samples);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].source, "");
  EXPECT_EQ(groups[0].samples, 3);
  EXPECT_EQ(groups[0].answered, 1);
  EXPECT_EQ(groups[0].misses.at("outside_boundary"), 2);
  EXPECT_EQ(groups[1].source, "INTERPOLATED");
  EXPECT_EQ(groups[1].dim, 1);
  EXPECT_EQ(groups[2].axes, "M");
}

TEST(HoldoutStoreTest, ARunComesBackAsItWas) {
  const TestRelease release = line_release();
  HoldoutRun made = run(release);
  store::Connection connection(release.database(), store::Mode::write);
  store_holdout(connection, made);
  EXPECT_EQ(made.holdout_run_id, 1);
  const HoldoutRun read = load_holdout(connection, 1);
  EXPECT_EQ(to_json(read, 100), to_json(made, 100));
  EXPECT_EQ(read.samples.size(), 3U);
  EXPECT_FALSE(read.content_digest.empty());
  EXPECT_FALSE(read.mapping_digest.empty());
}

TEST(HoldoutStoreTest, AnUnknownRunListsThoseThereAre) {
  const TestRelease release = line_release();
  store::Connection connection(release.database(), store::Mode::write);
  HoldoutRun made = run(release);
  store_holdout(connection, made);
  try {
    load_holdout(connection, 7);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("the database holds 1 (TEST_NPU/synthetic/1.0"));
  }
}

TEST(HoldoutStoreTest, TheViewGivesTheSameStatistics) {
  std::string rows;
  for (int m = 1; m <= 64; m *= 2)
    for (int k = 256; k <= 1024; k += 256) rows += matmul_row(m, k, 512, std::to_string(3 * m + k % 7));
  const TestRelease release(matmul_files(rows), test::kMatmulMapping);
  HoldoutRun made = run(release);
  store::Connection connection(release.database(), store::Mode::write);
  store_holdout(connection, made);
  int compared = 0;
  for (const HoldoutGroup& group : holdout_groups(made.samples)) {
    if (group.axes.empty()) continue;
    SQLite::Statement select(
        connection.db(),
        "SELECT samples, median_error, p90_error, p95_error, max_error FROM holdout_summary "
        "WHERE source = ? AND axes = ?");
    select.bind(1, group.source);
    select.bind(2, group.axes);
    ASSERT_TRUE(select.executeStep());
    EXPECT_EQ(select.getColumn(0).getInt64(), group.answered);
    EXPECT_NEAR(select.getColumn(1).getDouble(), group.error.median, 1e-12);
    EXPECT_NEAR(select.getColumn(2).getDouble(), group.error.p90, 1e-12);
    EXPECT_NEAR(select.getColumn(3).getDouble(), group.error.p95, 1e-12);
    EXPECT_NEAR(select.getColumn(4).getDouble(), group.error.max, 1e-12);
    ++compared;
  }
  EXPECT_GE(compared, 2);
}

}  // namespace
}  // namespace profdb::analysis
