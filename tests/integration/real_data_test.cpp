// The public microbenchmarks of an Ascend 910B: every row accounted for, and views that agree with the
// tables.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>

#include "tests/support/fault_release.h"
#include "tests/support/release.h"
#include "tests/support/shared.h"

namespace {

namespace fs = std::filesystem;
using namespace profdb;
using namespace profdb::test;
using Outcome = importer::ImportReport::Outcome;

constexpr const char* kData = "data/ascend_910b_vllm_ascend_0.18.0";

std::string mapping_text() {
  return read_file(fs::path(PROFDB_SOURCE_DIR) / "mappings/ASCEND_910B/vllm_ascend-0.18.0.yaml");
}

class RealData : public testing::Test {
 protected:
  void SetUp() override {
    PROFDB_REQUIRE_SHARED(kData);
    write_file(mapping(), mapping_text());
    report_ = import();
  }
  std::string database() const { return folder_ / "prof.db"; }
  fs::path mapping() const { return folder_ / "mapping.yaml"; }

  importer::ImportReport import() const {
    importer::ImportOptions options;
    options.database = database();
    options.sources = {shared_dir() / kData};
    options.mapping = mapping();
    options.kernel_alias = {{"FusedInferAttentionScore_Decode", "FusedInferAttentionScore"},
                            {"GroupedMatmul_MoE_BF16", "GroupedMatmul"},
                            {"GroupedMatmul_MoE_W8A8", "GroupedMatmul"}};
    return importer::import_release(options);
  }
  std::int64_t integer(const std::string& sql) const {
    return SQLite::Database(database()).execAndGet(sql).getInt64();
  }
  std::string text(const std::string& sql) const {
    return SQLite::Database(database()).execAndGet(sql).getString();
  }

  std::int64_t matrix_candidates() const {
    return integer(
        "SELECT count(*) FROM matrix_compute_candidate JOIN matrix_compute_regime USING (regime_id) JOIN "
        "projection AS p "
        "USING (projection_id) JOIN kernel AS k USING (kernel_id) WHERE k.name = 'MatMulV2'");
  }

  // Everything that a change of the mapping must leave alone.
  std::string evidence() const {
    return text(
               "SELECT group_concat(path || sha256 || content_hash || row_count || taken_rows || "
               "rejected_rows) FROM source_file") +
           text("SELECT count(*) || ' ' || sum(measurement_id) || ' ' || sum(latency_us) FROM measurement");
  }

  TempFolder folder_;
  importer::ImportReport report_;
};

TEST_F(RealData, EveryRowIsTakenUnusableOrRejected) {
  EXPECT_EQ(report_.outcome, Outcome::imported);
  // Row counts of the data's README.
  const std::map<std::string, std::int64_t> rows = {{"MatMulV2.csv", 1160},
                                                    {"QuantBatchMatmulV3.csv", 1193},
                                                    {"FusedInferAttentionScore.csv", 1012},
                                                    {"GroupedMatmul_MoE_W8A8.csv", 91},
                                                    {"GroupedMatmul_MoE_BF16.csv", 104},
                                                    {"FusedInferAttentionScore_Decode.csv", 1216}};
  std::int64_t total = 0;
  ASSERT_EQ(report_.files.size(), rows.size());
  for (const auto& file : report_.files) {
    EXPECT_EQ(file.row_count, rows.at(file.path)) << file.path;
    EXPECT_EQ(file.row_count, file.taken_rows + file.unusable_rows + file.rejected_rows) << file.path;
    EXPECT_EQ(file.failure, "");
    total += file.row_count;
  }
  EXPECT_EQ(total, 4776);
  EXPECT_EQ(integer("SELECT (SELECT count(*) FROM measurement) + (SELECT count(*) FROM rejected_row)"), 4776);
  EXPECT_EQ(findings(database()), "");
}

TEST_F(RealData, SameFilesAgainAreUnchanged) {
  const std::string before = read_file(database());
  EXPECT_EQ(import().outcome, Outcome::unchanged);
  EXPECT_TRUE(read_file(database()) == before);
}

TEST_F(RealData, MappingsAreSetWithoutTouchingMeasurements) {
  const std::string before = evidence();
  const std::vector<std::pair<std::string, std::string>> variants = {
      {"    kernel_type: MatMulV2\n", "    kernel_type: MatMulV2\n    tc_input_count: 1\n"},
      {"    kernel_type: GroupedMatmul\n", "    kernel_type: GroupedMatmul\n    tc_input_count: 1\n"},
      {"operator_mappings:\n",
       "interpolation_policy:\n  kernel_overrides:\n    GroupedMatmul: {generic_compute: {axis: "
       "output_numel}}\n"
       "operator_mappings:\n"},
      {"  \"aten.mm.default\":\n", "  \"aten.bmm.default\":\n"},
  };
  const std::string original_digest = text("SELECT content_digest FROM release");
  for (const auto& [from, to] : variants) {
    std::string variant = mapping_text();
    ASSERT_NE(variant.find(from), std::string::npos) << from;
    variant.replace(variant.find(from), from.size(), to);
    write_file(mapping(), variant);
    const auto report = importer::set_mapping(database(), "", mapping());
    EXPECT_EQ(report.release_id, report_.release_id);
    EXPECT_EQ(findings(database()), "") << to;
    EXPECT_EQ(evidence(), before) << to;
    EXPECT_NE(text("SELECT content_digest FROM release"), original_digest) << to;
    EXPECT_EQ(import().outcome, Outcome::unchanged) << to;
  }
  write_file(mapping(), mapping_text());
  importer::set_mapping(database(), "", mapping());
  EXPECT_EQ(text("SELECT content_digest FROM release"), original_digest);
  EXPECT_EQ(findings(database()), "");
}

TEST_F(RealData, TruncatedInputListIsAnotherProjection) {
  std::string variant = mapping_text();
  const std::string kernel = "    kernel_type: MatMulV2\n";
  variant.replace(variant.find(kernel), kernel.size(), kernel + "    tc_input_count: 1\n");
  write_file(mapping(), variant);
  importer::set_mapping(database(), "", mapping());
  // One input is no matrix multiplication: every row is rejected by the path, none is lost.
  EXPECT_EQ(matrix_candidates(), 0);
  EXPECT_EQ(
      integer("SELECT sum(row_count) FROM rejections WHERE kernel = 'MatMulV2' AND path = 'matrix_compute'"),
      1160);
}

TEST_F(RealData, EveryViewCanBeRead) {
  SQLite::Database db(database());
  SQLite::Statement views(db, "SELECT name FROM sqlite_master WHERE type = 'view'");
  int count = 0;
  while (views.executeStep()) {
    const std::string name = views.getColumn(0);
    EXPECT_NO_THROW(db.execAndGet("SELECT count(*) FROM " + name)) << name;
    ++count;
  }
  EXPECT_GE(count, 11);
}

TEST_F(RealData, DensityCountsEveryPointOnEveryAxis) {
  // MatMulV2 of the data's README: 1,160 rows, all different, M with 15 values, K and N with 9 each.
  for (const auto& [axis, distinct] : std::map<std::string, int>{{"M", 15}, {"K", 9}, {"N", 9}}) {
    const std::string where =
        " FROM candidate_density WHERE kernel = 'MatMulV2' AND path = 'matrix_compute' AND axis = '" + axis +
        "'";
    EXPECT_EQ(integer("SELECT sum(points)" + where), 1160) << axis;
    EXPECT_EQ(integer("SELECT max(distinct_values)" + where), distinct) << axis;
    EXPECT_EQ(integer("SELECT max(max)" + where), 16384) << axis;
  }
  EXPECT_EQ(matrix_candidates(), 1160);
}

TEST_F(RealData, ViewsAgreeWithTheTables) {
  // No axis of any regime has more points than the regime has usable rows.
  EXPECT_EQ(integer("SELECT count(*) FROM (SELECT d.path, d.regime_id, d.axis, sum(d.points) AS points FROM "
                    "candidate_density AS d "
                    "GROUP BY d.path, d.regime_id, d.axis) AS d JOIN regime AS r USING (path, regime_id) "
                    "WHERE d.points > r.usable_rows"),
            0);
  EXPECT_EQ(integer("SELECT count(*) FROM (SELECT r.path, r.regime_id, r.usable_rows, "
                    "count(c.measurement_id) AS candidates FROM "
                    "regime AS r LEFT JOIN candidate AS c USING (path, regime_id) GROUP BY r.path, "
                    "r.regime_id) WHERE usable_rows <> "
                    "candidates"),
            0);
  EXPECT_EQ(integer("SELECT count(*) FROM measurement_row"), integer("SELECT count(*) FROM measurement"));
  EXPECT_EQ(integer("SELECT count(*) FROM measurement_row WHERE latency_column <> 'Average Duration(us)'"),
            0);
  EXPECT_EQ(integer("SELECT count(*) FROM measurement_tensor AS t JOIN measurement_row AS r USING "
                    "(measurement_id) WHERE "
                    "r.kernel = 'MatMulV2' AND t.direction = 'input'"),
            2 * 1160);
  EXPECT_EQ(integer("SELECT count(*) FROM measurement_field WHERE name = 'Quant Type' AND value = 'bf16'"),
            1160 + 104);
}

TEST_F(RealData, CoverageTellsOperatorsWithDataFromThoseWithout) {
  const std::string mm = " FROM release_coverage WHERE op = 'aten.mm.default'";
  EXPECT_EQ(text("SELECT coverage" + mm), "data");
  EXPECT_EQ(text("SELECT path" + mm), "matrix_compute");
  EXPECT_EQ(integer("SELECT candidates" + mm), 1160);
  EXPECT_EQ(
      integer("SELECT candidates FROM release_coverage WHERE op = 'tensor_cast.grouped_matmul.default'"),
      104 + 91);
  EXPECT_EQ(integer("SELECT count(DISTINCT op) FROM release_coverage"),
            integer("SELECT count(*) FROM op_mapping"));
}

}  // namespace
