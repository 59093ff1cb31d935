// Hold-out on the public microbenchmarks of an Ascend 910B. The expected numbers are those that the task
// states
// ("Must hold" of the analysis issue), from a program that is not profdb.
#include <gtest/gtest.h>

#include "analysis/holdout.h"
#include "importer/import.h"
#include "importer/write/stored_rows.h"
#include "tests/support/release.h"
#include "tests/support/shared.h"

namespace profdb::analysis {
namespace {

constexpr const char* kData = "data/ascend_910b_vllm_ascend_0.18.0";
constexpr double kTolerance = 0.5e-6;  // the numbers are given in percent with four digits after the point

class Holdout910B : public testing::Test {
 protected:
  HoldoutRun run(const std::string& file, const std::string& mapping) {
    test::write_file(folder_ / "mapping.yaml", mapping);
    importer::ImportOptions options;
    options.database = folder_ / "t.db";
    options.sources = {test::shared_dir() / kData / file};
    options.mapping = folder_ / "mapping.yaml";
    options.identity = test::test_identity();
    importer::import_release(options);
    return holdout(options.database.string(), {}, importer::for_each_kernel_row);
  }
  test::TempFolder folder_;
};

TEST_F(Holdout910B, MatMulV2) {
  PROFDB_REQUIRE_SHARED(kData);
  const auto run_result =
      run("MatMulV2.csv", "operator_mappings:\n  aten.mm.default: {kernel_type: MatMulV2}\n");
  const auto groups = holdout_groups(run_result.samples);
  const HoldoutGroup& all = groups.front();
  EXPECT_EQ(all.samples, 1160);
  EXPECT_EQ(all.answered, 1149);
  EXPECT_EQ(all.misses, (std::map<std::string, std::int64_t>{{"outside_convex_hull", 11}}));
  EXPECT_NEAR(all.error.median, 0.045505, kTolerance);
  EXPECT_NEAR(all.error.p90, 0.248285, kTolerance);
  EXPECT_NEAR(all.error.p95, 0.347888, kTolerance);
  EXPECT_NEAR(all.error.max, 1.245358, kTolerance);
  std::int64_t interpolated = 0;
  std::int64_t compatible = 0;
  bool along_m = false;
  for (const HoldoutGroup& group : groups) {
    if (group.axes.empty() && group.source == "INTERPOLATED") interpolated += group.answered;
    if (group.axes.empty() && group.source == "COMPATIBLE") compatible += group.answered;
    if (group.axes != "M") continue;
    along_m = true;
    EXPECT_EQ(group.answered, 998);
    EXPECT_NEAR(group.error.median, 0.046455, kTolerance);
  }
  EXPECT_TRUE(along_m);
  EXPECT_EQ(interpolated, 1148);
  EXPECT_EQ(compatible, 1);
}

TEST_F(Holdout910B, QuantBatchMatmulV3) {
  PROFDB_REQUIRE_SHARED(kData);
  const auto run_result =
      run("QuantBatchMatmulV3.csv",
          "operator_mappings:\n  tensor_cast.static_quant_linear.default: {kernel_type: "
          "QuantBatchMatmulV3, compute_subcategory: quantized_matmul, tc_input_count: 2}\n");
  const auto groups = holdout_groups(run_result.samples);
  const HoldoutGroup& all = groups.front();
  EXPECT_EQ(all.samples, 1193);
  EXPECT_EQ(all.misses, (std::map<std::string, std::int64_t>{{"outside_convex_hull", 10}}));
  EXPECT_NEAR(all.error.median, 0.023702, kTolerance);
  EXPECT_NEAR(all.error.p90, 0.093166, kTolerance);
  EXPECT_NEAR(all.error.max, 0.307605, kTolerance);
}

}  // namespace
}  // namespace profdb::analysis
