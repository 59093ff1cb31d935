// Standards: the geometry of grids, reading them, and what a release lacks.
#include "analysis/standard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/standard_yaml.h"
#include "engine/store/releases.h"
#include "tests/analysis/matmul_release.h"

namespace profdb::analysis {
namespace {

using test::matmul_files;
using test::matmul_row;
using test::TestRelease;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Grid grid_of(const std::string& fields) {
  return parse_standard("grids:\n- {path: matrix_compute, axis: M, " + fields + "}\n", "s.yaml")
      .grids.front();
}

std::string error_of(const std::string& text) {
  try {
    parse_standard(text, "s.yaml");
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    return e.what();
  }
  return "no error";
}

TEST(GridTest, ADenseAxisViolatesNothing) {
  const Grid grid =
      grid_of("range: [1, 8], required_values: [2], segments: [{from: 1, to: 8, max_ratio: 2}]");
  EXPECT_THAT(violations_of(grid, {1, 2, 4, 8, 16}), IsEmpty());
}

TEST(GridTest, ARangeAsksForItsEndsAndWhatSegmentsNeedUpToThem) {
  const auto found =
      violations_of(grid_of("range: [1, 64], segments: [{from: 1, to: 64, max_ratio: 2}]"), {4, 8, 16});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].kind, "range_min");
  EXPECT_THAT(found[0].missing_values, ElementsAre(1, 2));
  EXPECT_EQ(found[1].kind, "range_max");
  EXPECT_THAT(found[1].missing_values, ElementsAre(32, 64));
}

TEST(GridTest, RequiredValuesThatAreMissingAreNamed) {
  const auto found = violations_of(grid_of("required_values: [16, 1, 32]"), {1, 8});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "required_value");
  EXPECT_EQ(found[0].message, "lacks 16, 32");
  EXPECT_THAT(found[0].missing_values, ElementsAre(16, 32));
}

TEST(GridTest, AGapIsFilledInStepsOfTheGap) {
  const auto found = violations_of(grid_of("segments: [{from: 0, to: 1000, max_gap: 100}]"), {0, 100, 350});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "max_gap");
  EXPECT_THAT(found[0].missing_values, ElementsAre(200, 300));
}

TEST(GridTest, AStepCountsToEverySegmentThatItOverlaps) {
  const Grid grid = grid_of("segments: [{from: 1, to: 64, max_ratio: 2}, {from: 64, to: 256, max_gap: 96}]");
  const auto found = violations_of(grid, {32, 200});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].kind, "max_ratio");
  EXPECT_EQ(found[1].kind, "max_gap");
  EXPECT_THAT(found[0].missing_values, ElementsAre(64, 160));
}

TEST(GridTest, NeighbouringIntegersAreNeverTooFarApart) {
  EXPECT_THAT(violations_of(grid_of("segments: [{from: 1, to: 4, max_ratio: 1.2}]"), {1, 2, 3, 4}),
              IsEmpty());
}

TEST(StandardYamlTest, ErrorsNameTheLine) {
  EXPECT_THAT(error_of("name: x\n"), HasSubstr("no list 'grids'"));
  EXPECT_THAT(error_of("grids:\n- {path: nowhere, axis: M}\n"),
              HasSubstr("s.yaml:2: path of a grid is 'nowhere'"));
  EXPECT_THAT(error_of("grids:\n- path: matrix_compute\n  axis: X\n  range: [1, 2]\n"),
              HasSubstr("s.yaml:3: axis of a grid is 'X'; matrix_compute has M, K, N"));
  EXPECT_THAT(error_of("grids:\n- path: matrix_compute\n  axis: M\n  range: [5, 2]\n"),
              HasSubstr("s.yaml:4: range"));
  EXPECT_THAT(error_of("grids:\n- path: matrix_compute\n  axis: M\n"),
              HasSubstr("s.yaml:2: the grid asks for nothing"));
  EXPECT_THAT(error_of("grids:\n- path: matrix_compute\n  axis: M\n  maxgap: 3\n"),
              HasSubstr("s.yaml:4: unknown field 'maxgap'"));
  EXPECT_THAT(error_of("grids:\n- path: matrix_compute\n  axis: M\n  segments:\n  - {from: 1, to: 9}\n"),
              HasSubstr("s.yaml:5: a segment needs either max_gap or max_ratio"));
  EXPECT_THAT(error_of("grids:\n- path: matrix_compute\n  axis: M\n  segments:\n  - from: 1\n    to: 9\n    "
                       "max_ratio: 1\n"),
              HasSubstr("s.yaml:7: max_ratio"));
  EXPECT_THAT(error_of("grids:\n- path: matrix_compute\n  axis: M\n  required_values: [1, x]\n"),
              HasSubstr("s.yaml:4: an entry of required_values"));
  EXPECT_THAT(
      error_of("grids:\n- {path: matrix_compute, axis: M, range: [1, 2]}\n- {path: matrix_compute, axis: M, "
               "range: [1, 3]}\n"),
      HasSubstr("s.yaml:3: a second grid for axis M"));
}

TEST(StandardYamlTest, TheShippedStandardIsOne) {
  const auto path = std::filesystem::path(PROFDB_SOURCE_DIR) / "mappings/standards/ascend_910b.yaml";
  const Standard standard = read_standard(path);
  EXPECT_EQ(standard.device, "ASCEND_910B");
  EXPECT_FALSE(standard.grids.empty());
}

class CheckStandardTest : public testing::Test {
 protected:
  CheckStandardTest()
      : release_(matmul_files(matmul_row(1, 256, 512, "1") + matmul_row(8, 256, 512, "2") +
                              matmul_row(1, 1024, 512, "4")),
                 test::kMatmulMapping),
        connection_(release_.database(), store::Mode::read) {}

  StandardReport check(const std::string& grids, const std::string& head = "") {
    return check_standard(connection_, select_release(connection_, "1"),
                          parse_standard(head + "grids:\n" + grids, "s.yaml"), {});
  }

  TestRelease release_;
  store::Connection connection_;
};

TEST_F(CheckStandardTest, AWholeRegimeIsExtendedOnItsLines) {
  const auto report = check("- {path: matrix_compute, axis: M, required_values: [4]}\n");
  ASSERT_EQ(report.violations.size(), 1U);
  EXPECT_EQ(report.regimes, 1U);
  ASSERT_EQ(report.missing.size(), 1U);  // K=1024 is no line along M: it has one value
  EXPECT_EQ(report.missing[0].coordinate, "M=4,K=256,N=512");
  EXPECT_EQ(report.missing[0].input_shapes, "4,256;256,512");
  EXPECT_EQ(report.missing[0].input_dtypes, "DT_BF16;DT_BF16");
  EXPECT_EQ(report.missing[0].output_shapes, "4,512");
}

TEST_F(CheckStandardTest, EachLineIsCheckedByItself) {
  const auto report = check("- {path: matrix_compute, axis: M, each: line, required_values: [8]}\n");
  ASSERT_EQ(report.violations.size(), 1U);
  EXPECT_EQ(report.violations[0].others, "K=1024,N=512");
  ASSERT_EQ(report.missing.size(), 1U);
  EXPECT_EQ(report.missing[0].input_shapes, "8,1024;1024,512");
}

TEST_F(CheckStandardTest, AKernelOfItsOwnGridIsNotHeldToThePathS) {
  const auto report = check(
      "- {path: matrix_compute, axis: M, required_values: [4]}\n"
      "- {path: matrix_compute, kernel: MatMulV2, axis: M, required_values: [8]}\n");
  EXPECT_THAT(report.violations, IsEmpty());
}

TEST_F(CheckStandardTest, AGridWithoutAnyRowIsAViolation) {
  const auto report = check("- {path: moe_fused, axis: tokens, range: [1, 8]}\n");
  ASSERT_EQ(report.violations.size(), 1U);
  EXPECT_EQ(report.violations[0].kind, "no_data");
  EXPECT_THAT(report.missing, IsEmpty());
}

TEST_F(CheckStandardTest, TheStandardOfAnotherDeviceIsRefused) {
  EXPECT_THROW(check("- {path: matrix_compute, axis: M, range: [1, 8]}\n", "device: OTHER\n"), Error);
}

}  // namespace
}  // namespace profdb::analysis
