// cases/paths: small releases with cases whose answers come from an independent implementation of the
// contract.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/conformance/cases.h"
#include "tests/conformance/pending.h"
#include "tests/support/conformance.h"
#include "tests/support/release.h"
#include "tests/support/shared.h"

namespace profdb::test {
namespace {

namespace fs = std::filesystem;

// Written down, so that every folder is a test of its own; OfEveryFolder holds the list against the folders.
constexpr const char* kFolders[] = {"attention_lightning_indexer",
                                    "attention_sparse_sharedkv",
                                    "attention_special",
                                    "base_exact",
                                    "communication",
                                    "compute_scale",
                                    "elementwise",
                                    "generic_compute",
                                    "geometry",
                                    "kernel_leaf",
                                    "latency_columns",
                                    "matrix_compute",
                                    "moe_fused",
                                    "quantized_matmul",
                                    "real_calls",
                                    "same_meaning",
                                    "scatter_nd_update_mla"};

std::vector<Case> cases_of(const std::string& folder) {
  return read_cases(conformance_cases() / "paths" / folder / "cases.jsonl");
}

Pending pending_cases() {
  std::map<std::string, int> cases;
  for (const std::string folder : kFolders) cases[folder] = static_cast<int>(cases_of(folder).size());
  return read_pending(read_file(fs::path(PROFDB_SOURCE_DIR) / "tests/conformance/pending.txt"), cases);
}

class ConformancePaths : public testing::TestWithParam<const char*> {};

TEST_P(ConformancePaths, CasesAnswerAsKnownUnlessPending) {
  const std::string folder = GetParam();
  const auto cases = cases_of(folder);
  ASSERT_FALSE(cases.empty());
  const auto outcomes = run_cases(conformance_cases() / "paths" / folder, cases);
  ASSERT_EQ(outcomes.size(), cases.size());
  for (const std::string& problem : unexpected(folder, outcomes, pending_cases().lines[folder]))
    ADD_FAILURE() << problem;
}

INSTANTIATE_TEST_SUITE_P(All, ConformancePaths, testing::ValuesIn(kFolders),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(ConformancePathsList, OfEveryFolder) {
  std::vector<std::string> present;
  for (const auto& entry : fs::directory_iterator(conformance_cases() / "paths"))
    present.push_back(entry.path().filename().string());
  EXPECT_THAT(present, testing::UnorderedElementsAreArray(kFolders));
}

TEST(ConformancePathsList, OfPendingCasesIsInOrder) {
  EXPECT_THAT(pending_cases().problems, testing::IsEmpty());
}

// Cases of a real file, which is not part of the project: MatMulV2.csv, mapped as {kernel_type: MatMulV2}
// with no policy.
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
  const auto outcomes = run_cases_in(options.database, read_cases(cases));
  EXPECT_EQ(outcomes.size(), 300U);
  for (const Outcome& outcome : outcomes)
    EXPECT_EQ(outcome.failure, "") << "line " << outcome.line << ": " << outcome.why;
}

}  // namespace
}  // namespace profdb::test
