// conformance/paths: small releases with cases whose answers come from an independent implementation of the
// contract.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/conformance/cases.h"
#include "tests/support/release.h"
#include "tests/support/shared.h"

namespace profdb::test {
namespace {

std::filesystem::path folder_of(const std::string& name) {
  return shared_dir() / "conformance" / "paths" / name;
}

int lines_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  int lines = 0;
  for (std::string line; std::getline(in, line);) ++lines;
  return lines;
}

class ConformancePaths : public testing::TestWithParam<const char*> {};

TEST_P(ConformancePaths, EveryCaseAnswersAsKnown) {
  const auto folder = folder_of(GetParam());
  PROFDB_REQUIRE_SHARED(folder);
  const int compared = run_cases(folder, folder / "cases.jsonl");
  EXPECT_EQ(compared, lines_in(folder / "cases.jsonl"));
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(All, ConformancePaths,
                         testing::Values("generic_compute", "matrix_compute", "base_exact", "communication",
                                         "moe_fused", "elementwise", "geometry", "latency_columns",
                                         "attention_lightning_indexer", "attention_sparse_sharedkv",
                                         "attention_special", "compute_scale", "quantized_matmul",
                                         "scatter_nd_update_mla"),
                         [](const auto& instance) { return std::string(instance.param); });

// conformance/README: MatMulV2.csv, mapped as {kernel_type: MatMulV2} with no policy.
TEST(ConformanceMatmul910b, AllThreeHundredAnswerAsKnown) {
  const auto csv = shared_dir() / "data" / "ascend_910b_vllm_ascend_0.18.0" / "MatMulV2.csv";
  const auto cases = shared_dir() / "conformance" / "matmul_910b.jsonl";
  PROFDB_REQUIRE_SHARED(csv);
  PROFDB_REQUIRE_SHARED(cases);
  const TempFolder folder;
  write_file(folder / "mapping.yaml", "operator_mappings:\n  aten.mm.default: {kernel_type: MatMulV2}\n");
  importer::ImportOptions options;
  options.database = folder / "910b.db";
  options.sources = {csv};
  options.mapping = folder / "mapping.yaml";
  options.identity = test_identity();
  importer::import_release(options);
  EXPECT_EQ(run_cases_in(options.database, cases), 300);
}

}  // namespace
}  // namespace profdb::test
