// What a report says of a small release whose every number is known.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "engine/store/database.h"
#include "profdb/error.h"
#include "report/release_report.h"
#include "report/render/render.h"
#include "tests/support/release.h"
#include "tests/support/shorthand.h"

namespace profdb::report {
namespace {

using test::csv_header;
using test::measured;
using ::testing::HasSubstr;

constexpr const char* kMapping = R"(
operator_mappings:
  "aten.mm.default": {kernel_type: MatMulV2}
  "aten.relu.default": {kernel_type: Relu}
)";

ReleaseReportOptions of_releases(std::vector<std::string> releases) {
  ReleaseReportOptions options;
  options.releases = std::move(releases);
  return options;
}

ReleaseReportOptions of_runs(std::vector<std::int64_t> runs) {
  ReleaseReportOptions options;
  options.holdout_runs = std::move(runs);
  return options;
}

ReleaseReportOptions with_replay(const std::filesystem::path& file) {
  ReleaseReportOptions options;
  options.replay = file.string();
  return options;
}

std::string matmul(int m, int k, int n, const std::string& latency) {
  return measured(fmt::format("DT_BF16[{},{}] DT_BF16[{},{}]", m, k, k, n),
                  fmt::format("DT_BF16[{},{}]", m, n), {latency});
}

// M 16, 64, 256 at K=32 N=64, the last measured twice (9 and 11: median 10); one more at K=128.
class ReleaseReport : public ::testing::Test {
 protected:
  test::TestRelease release_{
      {{"MatMulV2.csv", csv_header() + matmul(16, 32, 64, "2") + matmul(64, 32, 64, "4") +
                            matmul(256, 32, 64, "9") + matmul(256, 32, 64, "11") + matmul(16, 128, 64, "3")}},
      kMapping};

  Json report(ReleaseReportOptions options = {}) const {
    options.database = release_.database();
    options.written_at = "2026-01-31 10:00:00";
    return to_json(release_report(options));
  }

  void execute(const std::string& sql) const {
    SQLite::Database(release_.database(), SQLite::OPEN_READWRITE).exec(sql);
  }

  std::string refusal(ErrorKind kind, ReleaseReportOptions options) const {
    try {
      report(std::move(options));
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), kind);
      return e.what();
    }
    return "";
  }
};

Json section(const Json& report, const std::string& heading) {
  for (const Json& one : report.at("sections"))
    if (one.at("heading") == heading) return one;
  return {};
}

Json table(const Json& section, const std::string& caption) {
  if (section.contains("tables"))
    for (const Json& one : section.at("tables"))
      if (one.at("caption").get<std::string>().find(caption) != std::string::npos) return one;
  return {{"rows", Json::array()}};
}

Json row(const Json& table, const std::vector<std::string>& keys, std::size_t i) {
  Json cells = Json::array();
  for (const auto& key : keys)
    for (std::size_t c = 0; c < table.at("columns").size(); ++c)
      if (table.at("columns")[c].at("key") == key) cells.push_back(table.at("rows").at(i)[c]);
  return cells;
}

TEST_F(ReleaseReport, IsADocument) {
  EXPECT_NO_THROW(check(report()));
}

TEST_F(ReleaseReport, MapsEveryCoordinateWithItsMedianAndCount) {
  const Json map = section(report(), "Density").at("charts").at(0);
  EXPECT_EQ(map.at("type"), "density_map");
  // N has one value, so the map is M by K.
  EXPECT_EQ(map.at("axes"), Json::parse(R"([{"title": "M"}, {"title": "K"}])"));
  Json points = map.at("points");
  std::sort(points.begin(), points.end());
  EXPECT_EQ(points,
            Json::parse("[[16, 32, 2.0, 1], [16, 128, 3.0, 1], [64, 32, 4.0, 1], [256, 32, 10.0, 2]]"));
}

TEST_F(ReleaseReport, DensityRowsAreThoseOfTheView) {
  const Json density = table(section(report(), "Density"), "Density");
  SQLite::Database db(release_.database(), SQLite::OPEN_READONLY);
  SQLite::Statement view(
      db, "SELECT axis, points, distinct_values, min, max, largest_gap FROM candidate_density ORDER BY axis");
  std::size_t i = 0;
  while (view.executeStep()) {
    Json expected = {view.getColumn(0).getString()};
    for (int c = 1; c < 6; ++c)
      expected.push_back(view.getColumn(c).isNull() ? Json() : Json(view.getColumn(c).getInt64()));
    EXPECT_EQ(row(density, {"axis", "points", "distinct_values", "min", "max", "largest_gap"}, i++),
              expected);
  }
  EXPECT_EQ(i, density.at("rows").size());
}

TEST_F(ReleaseReport, DrawsACurveAlongEachAxisThatVariesAlone) {
  const Json charts = section(report(), "Latency curves").at("charts");
  ASSERT_EQ(charts.size(), 2U);  // M at K=32, and K at M=16
  EXPECT_EQ(charts[0].at("title"), "MatMulV2 along M");
  EXPECT_EQ(charts[0].at("series"),
            Json::parse(R"([{"label": "K=32 N=64", "points": [[16, 2.0, 1], [64, 4.0, 1], [256, 10.0, 2]],
                            "line": [[16, 2.0], [64, 4.0], [256, 10.0]]}])"));
  EXPECT_EQ(charts[1].at("series")[0].at("label"), "M=16 N=64");
}

TEST_F(ReleaseReport, ListsWhatIsNotVerified) {
  const Json gaps = section(report(), "Not verified");
  EXPECT_EQ(row(table(gaps, "Operators without data"), {"op", "kernel"}, 0),
            Json::parse(R"(["aten.relu.default", "Relu"])"));
  EXPECT_EQ(row(table(gaps, "Paths without data"), {"path", "operators"}, 0),
            Json::parse(R"(["generic_compute", 1])"));
  EXPECT_EQ(row(table(gaps, "Kernels without hold-out"), {"path", "kernel", "candidates"}, 0),
            Json::parse(R"(["matrix_compute", "MatMulV2", 5])"));
  EXPECT_THAT(gaps.at("list").dump(), HasSubstr("No lookup is in the query log"));
}

TEST_F(ReleaseReport, CountsLookupsAndNamesOperatorsNeverAsked) {
  EngineOptions options;
  options.log = LogMode::all;
  release_.lookup(test::leaf("aten.mm.default", "bfloat16[32,32] bfloat16[32,64]"),
                  options);  // between 16 and 64
  release_.lookup(test::leaf("aten.mm.default", "bfloat16[1024,32] bfloat16[32,64]"), options);  // beyond 256
  const Json whole = report();
  const Json lookups = section(whole, "Lookups");
  EXPECT_EQ(row(table(lookups, "Methods"), {"source", "method", "dim", "axes", "lookups"}, 0),
            Json::parse(R"(["INTERPOLATED", "linear_1d", 1, "M", 1])"));
  EXPECT_EQ(row(table(lookups, "Misses"), {"op", "reason", "lookups"}, 0),
            Json::parse(R"(["aten.mm.default", "outside_boundary", 1])"));
  const Json unasked = table(section(whole, "Not verified"), "never asked");
  ASSERT_EQ(unasked.at("rows").size(), 1U);
  EXPECT_EQ(row(unasked, {"op"}, 0), Json::parse(R"(["aten.relu.default"])"));
}

// A run of three made-up samples: +10 %, -5 % and a miss.
std::string holdout_run(int id, const std::string& digest) {
  const std::string sample =
      "INSERT INTO holdout_sample (holdout_run_id, sample, op, kernel, path, regime_id, regime, "
      "source_class, "
      "coordinate, measurement_id, row_count, measured_us, spread, source, predicted_us, relative_error, "
      "method, dim, axes, reason, neighbours) VALUES ({}, {}, 'aten.mm.default', 'MatMulV2', "
      "'matrix_compute', "
      "1, '{{}}', 'selected', 'M={},K=32,N=64', 1, 1, {}, 0, {}, {}, '[]');";
  return fmt::format(
             "INSERT INTO holdout_run SELECT {}, '2026-01-31T10:00:00.000Z', '0.1.0', release_id, 'r', {}, "
             "mapping_digest, '', '{{}}', 3, 2 FROM release;",
             id, digest) +
         fmt::format(fmt::runtime(sample), id, 1, 16, 2.0, "'INTERPOLATED', 2.2, 0.1",
                     "'linear_1d', 1, 'M', NULL") +
         fmt::format(fmt::runtime(sample), id, 2, 64, 4.0, "'INTERPOLATED', 3.8, -0.05",
                     "'linear_1d', 1, 'M', NULL") +
         fmt::format(fmt::runtime(sample), id, 3, 256, 10.0, "'MISS', NULL, NULL",
                     "NULL, NULL, NULL, 'outside_boundary'");
}

TEST_F(ReleaseReport, ShowsTheErrorsOfAHoldOutRun) {
  execute(holdout_run(1, "content_digest"));
  const Json whole = report();
  const Json errors = section(whole, "Interpolation error");
  // |errors| 5 % and 10 %: the median lies between them, p90 nine tenths of the way up, the signed median
  // at 2.5 %.
  const Json row_of_all =
      row(table(errors, "Relative error"),
          {"source", "n", "of", "median_error", "p90_error", "max_error", "signed_median_error"}, 0);
  EXPECT_EQ(row_of_all[0], "all answers");
  EXPECT_EQ(row_of_all[1], 2);
  EXPECT_EQ(row_of_all[2], 3);
  EXPECT_NEAR(row_of_all[3].get<double>(), 7.5, 1e-9);
  EXPECT_NEAR(row_of_all[4].get<double>(), 9.5, 1e-9);
  EXPECT_NEAR(row_of_all[5].get<double>(), 10, 1e-9);
  EXPECT_NEAR(row_of_all[6].get<double>(), 2.5, 1e-9);
  // p95 of 9.75 % gives bins from -10 % to 10 %, half a per cent wide: -5 % begins the eleventh, 10 % is
  // beyond the last.
  const Json distribution = errors.at("charts")[0];
  EXPECT_EQ(distribution.at("edges").front(), -10.0);
  const Json counts = distribution.at("groups")[0].at("counts");
  EXPECT_EQ(counts[11], 1);
  EXPECT_EQ(counts.back(), 1);
  EXPECT_EQ(errors.at("charts")[2].at("bars")[0].at("label"), "outside_boundary");
  EXPECT_EQ(table(section(whole, "Not verified"), "Kernels without hold-out").at("rows").size(), 0U);
}

TEST_F(ReleaseReport, SaysThatARunIsOfOtherData) {
  execute(holdout_run(1, "'another digest'"));
  EXPECT_THAT(section(report(), "Not verified").at("list").dump(),
              HasSubstr("Hold-out run 1 is of other data"));
}

TEST_F(ReleaseReport, TakesTheNewestRunUnlessOneIsAskedFor) {
  execute(holdout_run(1, "content_digest") + holdout_run(2, "content_digest"));
  const auto runs = [&](const ReleaseReportOptions& options) {
    return row(table(section(report(options), "Interpolation error"), "Hold-out runs"), {"holdout_run_id"},
               0);
  };
  EXPECT_EQ(runs({}), Json::parse("[2]"));
  EXPECT_EQ(runs(of_runs({1})), Json::parse("[1]"));
}

TEST_F(ReleaseReport, RefusesWhatIsNotThere) {
  EXPECT_THAT(refusal(ErrorKind::usage, of_releases({"NOWHERE/x/1"})), HasSubstr("TEST_NPU/synthetic/1.0"));
  EXPECT_THAT(refusal(ErrorKind::usage, of_runs({7})), HasSubstr("no hold-out run 7"));
  EXPECT_THAT(refusal(ErrorKind::input, with_replay(release_.folder() / "none.json")),
              HasSubstr("cannot be read"));
  test::write_file(release_.folder() / "bad.json", R"({"total": 1, "workloads": []})");
  EXPECT_THAT(refusal(ErrorKind::input, with_replay(release_.folder() / "bad.json")),
              HasSubstr("is no replay"));
}

TEST(ReleaseReportTest, AnEmptyDatabaseSaysWhatToDo) {
  const test::TempFolder folder;
  const std::string database = (folder / "empty.db").string();
  store::Connection(database, store::Mode::create);
  try {
    ReleaseReportOptions options;
    options.database = database;
    release_report(options);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("holds no release"));
  }
}

}  // namespace
}  // namespace profdb::report
