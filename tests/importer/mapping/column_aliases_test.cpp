// Contract columns that a mapping finds under other names (mapping: column_aliases).
#include "importer/mapping/column_aliases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "importer/import.h"
#include "importer/mapping/mapping_yaml.h"
#include "profdb/error.h"
#include "tests/support/release.h"
#include "tests/support/shorthand.h"
#include "tests/support/verify.h"

namespace profdb::importer {
namespace {

using test::csv_header;
using test::measured;
using test::TestRelease;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Mapping mapping_with(const std::string& aliases) {
  return parse_mapping("operator_mappings: {op: {kernel_type: K}}\ncolumn_aliases:\n" + aliases, "m.yaml")
      .mapping;
}

// What a row of `file` has under `name` once its aliases are applied; "(none)" where it has no such column.
std::string cell(const Mapping& mapping, const std::string& file, const std::string& name,
                 const std::vector<std::string>& columns, const std::vector<std::string>& cells,
                 const Shape& query = {6, 32, 128}) {
  Row row;
  row.inputs = {{true, query, "DT_BF16", "ND"}};
  row.columns = &columns;
  row.cells = &cells;
  ColumnAliaser aliaser(mapping, file, columns);
  const Row& widened = aliaser.widen(row);
  return widened.has_column(name) ? std::string(widened.field(name)) : "(none)";
}

TEST(ColumnAliasesTest, ACellComesFromTheColumnThatIsNamed) {
  const Mapping mapping = mapping_with("  K: {\"Runtime avg_seq_len\": {column: \"Seq Len\"}}\n");
  EXPECT_EQ(cell(mapping, "K.csv", "Runtime avg_seq_len", {"Batch", "Seq Len"}, {"4", "512"}), "512");
}

TEST(ColumnAliasesTest, AConstantIsTheCellOfEveryRow) {
  const Mapping mapping = mapping_with("  K: {\"Runtime phase\": {constant: decode}}\n");
  EXPECT_EQ(cell(mapping, "K.csv", "Runtime phase", {"Batch"}, {"4"}), "decode");
  EXPECT_EQ(cell(mapping, "K.csv", "Runtime phase", {"Batch"}, {"8"}), "decode");
}

TEST(ColumnAliasesTest, ANumberIsAConstantAsItIsWritten) {
  const Mapping mapping = mapping_with("  K: {\"Runtime sparse_mode\": {constant: 3}}\n");
  EXPECT_EQ(cell(mapping, "K.csv", "Runtime sparse_mode", {"Batch"}, {"4"}), "3");
}

TEST(ColumnAliasesTest, AliasesHoldForTheirFileOnly) {
  const Mapping mapping = mapping_with(
      "  K: {\"Runtime phase\": {constant: prefill}}\n  K_Decode: {\"Runtime phase\": {constant: decode}}\n");
  EXPECT_EQ(cell(mapping, "K.csv", "Runtime phase", {"Batch"}, {"4"}), "prefill");
  EXPECT_EQ(cell(mapping, "sub/K_Decode.csv", "Runtime phase", {"Batch"}, {"4"}), "decode");
  EXPECT_EQ(cell(mapping, "Other.csv", "Runtime phase", {"Batch"}, {"4"}), "(none)");
}

TEST(ColumnAliasesTest, TheFilesOwnColumnWins) {
  const Mapping mapping = mapping_with("  K: {\"Runtime phase\": {constant: decode}}\n");
  EXPECT_EQ(cell(mapping, "K.csv", "Runtime phase", {"Runtime phase"}, {"prefill"}), "prefill");
  EXPECT_EQ(cell(mapping, "K.csv", "Runtime phase", {"Runtime phase"}, {""}), "")
      << "an empty cell is the file's";
}

TEST(ColumnAliasesTest, AColumnThatTheFileLacksGivesNone) {
  const Mapping mapping = mapping_with("  K: {\"Runtime avg_seq_len\": {column: \"Seq Len\"}}\n");
  EXPECT_EQ(cell(mapping, "K.csv", "Runtime avg_seq_len", {"Batch"}, {"4"}), "(none)");
}

// [T,N,D] and [B,N,1,D]: N is the second dimension.
TEST(ColumnAliasesTest, ZeroMayMeanAsManyAsTheQueryHas) {
  const Mapping mapping =
      mapping_with("  K: {\"Runtime num_key_value_heads\": {column: KV, zero: query_heads}}\n");
  const std::string name = "Runtime num_key_value_heads";
  EXPECT_EQ(cell(mapping, "K.csv", name, {"KV"}, {"0"}, {6, 32, 128}), "32");
  EXPECT_EQ(cell(mapping, "K.csv", name, {"KV"}, {"0"}, {6, 16, 1, 128}), "16");
  EXPECT_EQ(cell(mapping, "K.csv", name, {"KV"}, {"8"}, {6, 32, 128}), "8");
  EXPECT_EQ(cell(mapping, "K.csv", name, {"KV"}, {""}, {6, 32, 128}), "");
}

TEST(ColumnAliasesTest, ZeroIsZeroWhereNothingElseIsSaid) {
  const Mapping mapping = mapping_with("  K: {\"Runtime num_key_value_heads\": {column: KV}}\n");
  EXPECT_EQ(cell(mapping, "K.csv", "Runtime num_key_value_heads", {"KV"}, {"0"}), "0");
}

TEST(ColumnAliasesTest, ARowWithoutAliasesStaysAsItIs) {
  const Mapping mapping = mapping_with("  K: {\"Runtime phase\": {constant: decode}}\n");
  const std::vector<std::string> columns{"Batch"}, cells{"4"};
  Row row;
  row.columns = &columns;
  row.cells = &cells;
  ColumnAliaser aliaser(mapping, "Other.csv", columns);
  EXPECT_EQ(&aliaser.widen(row), &row);
  EXPECT_THAT(*row.columns, ElementsAre("Batch"));
}

std::string error_of(const std::string& aliases) {
  try {
    mapping_with(aliases);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "no error";
}

// The aliases begin on line 3.
TEST(ColumnAliasesTest, NeitherColumnNorConstantIsAnErrorWithItsLine) {
  EXPECT_THAT(
      error_of("  K:\n    \"Runtime phase\": {}\n"),
      AllOf(HasSubstr("m.yaml:4"), HasSubstr("Runtime phase"), HasSubstr("column"), HasSubstr("constant")));
}

TEST(ColumnAliasesTest, BothColumnAndConstantAreAnErrorWithItsLine) {
  EXPECT_THAT(error_of("  K:\n    \"Runtime phase\": {column: A, constant: b}\n"),
              AllOf(HasSubstr("m.yaml:4"), HasSubstr("Runtime phase")));
}

TEST(ColumnAliasesTest, AnotherMeaningOfZeroIsAnErrorWithItsLine) {
  EXPECT_THAT(error_of("  K:\n    \"Runtime phase\": {column: A, zero: none}\n"),
              AllOf(HasSubstr("m.yaml:4"), HasSubstr("zero")));
}

TEST(ColumnAliasesTest, JsonKeepsEveryAlias) {
  const Mapping mapping = mapping_with(
      "  K: {\"Runtime phase\": {constant: decode}, \"Runtime num_key_value_heads\": {column: KV, zero: "
      "query_heads}}\n");
  const auto back = column_aliases_from_json(column_aliases_to_json(mapping));
  ASSERT_EQ(back.at("K").size(), 2U);
  EXPECT_EQ(back.at("K")[0].name, "Runtime phase");
  EXPECT_EQ(back.at("K")[0].constant, "decode");
  EXPECT_FALSE(back.at("K")[0].column);
  EXPECT_EQ(back.at("K")[1].column, "KV");
  EXPECT_TRUE(back.at("K")[1].zero_is_query_heads);
}

// --- through a release ---

constexpr const char* kAttention =
    "operator_mappings:\n"
    "  tensor_cast.attention.default: {kernel_type: FusedInferAttentionScore, query_mode: "
    "attention_special}\n";
constexpr const char* kAliases =
    "column_aliases:\n"
    "  FusedInferAttentionScore:\n"
    "    \"Runtime avg_seq_len\": {column: Seq}\n"
    "    \"Runtime batch_size\": {column: Batch}\n"
    "    \"Runtime num_key_value_heads\": {column: KV, zero: query_heads}\n"
    "    \"Runtime sparse_mode\": {constant: 3}\n";

// Two decode rows of two requests with 4 heads of 8, mean lengths 100 and 200; KV 0 means 4.
std::string attention_csv() {
  const std::string tensors = "DT_BF16[2,4,8] DT_BF16[70,16,4,8]";
  return csv_header("Average Duration(us),Seq,Batch,KV") +
         measured(tensors, "DT_BF16[2,4,8]", {"10", "100", "2", "0"}) +
         measured(tensors, "DT_BF16[2,4,8]", {"20", "200", "2", "0"});
}

std::string attention_call(const std::string& lengths) {
  return test::leaf("tensor_cast.attention.default", "bfloat16[2,4,8] bfloat16[70,16,4,8]", "bfloat16[2,4,8]",
                    R"("attrs": {"seq_lens": )" + lengths + "}");
}

TEST(ColumnAliasesTest, LookupsSeeTheAliasedColumns) {
  const TestRelease release({{"FusedInferAttentionScore.csv", attention_csv()}},
                            std::string(kAttention) + kAliases);
  const Result exact = release.lookup(attention_call("[100, 100]"));
  EXPECT_EQ(exact.source, Source::measured);
  EXPECT_EQ(exact.latency_us, 10);
  const Result between = release.lookup(attention_call("[150, 150]"));  // half way from 10 to 20
  EXPECT_EQ(between.source, Source::interpolated);
  EXPECT_EQ(between.latency_us, 15);
}

TEST(ColumnAliasesTest, WithoutAliasesTheRowsDoNotFit) {
  const TestRelease release({{"FusedInferAttentionScore.csv", attention_csv()}}, kAttention);
  const Result result = release.lookup(attention_call("[100, 100]"));
  EXPECT_EQ(result.reason, "no_usable_rows");
  EXPECT_EQ(result.details.rejected_rows.size(), 1U);
}

TEST(ColumnAliasesTest, AnotherMappingProjectsAfreshAndKeepsTheMeasurements) {
  const TestRelease release({{"FusedInferAttentionScore.csv", attention_csv()}}, kAttention);
  test::write_file(release.folder() / "aliases.yaml", std::string(kAttention) + kAliases);
  const ImportReport report = set_mapping(release.database(), "", release.folder() / "aliases.yaml");
  ASSERT_EQ(report.files.size(), 1U);
  EXPECT_EQ(report.files[0].row_count, 2);
  const Result result = release.lookup(attention_call("[100, 100]"));
  EXPECT_EQ(result.source, Source::measured);
  EXPECT_EQ(result.details.matched_rows.at(0).measurement_ids, std::vector<std::int64_t>{1});
  EXPECT_TRUE(test::verify(release.database()).empty());

  test::write_file(release.folder() / "plain.yaml", kAttention);
  set_mapping(release.database(), "", release.folder() / "plain.yaml");
  EXPECT_EQ(release.lookup(attention_call("[100, 100]")).reason, "no_usable_rows");
  EXPECT_TRUE(test::verify(release.database()).empty());
}

}  // namespace
}  // namespace profdb::importer
