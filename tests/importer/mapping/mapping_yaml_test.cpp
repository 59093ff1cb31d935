// op_mapping.yaml (formats §3, importer/mapping/mapping_yaml.h).
// Long: one table of bad mappings.
#include "importer/mapping/mapping_yaml.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "profdb/error.h"

namespace profdb::importer {
namespace {

using nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using namespace std::string_literals;

ParsedMapping parse(std::string_view text) {
  return parse_mapping(text, "m.yaml");
}

// The message of the Error(input) that parsing throws.
std::string error_of(std::string_view text) {
  try {
    parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  ADD_FAILURE() << "no error from: " << text.substr(0, 200);
  return {};
}

// A mapping of one operator, whose fields start on line 3.
std::string with_fields(std::string_view fields) {
  return fmt::format("operator_mappings:\n  op:\n    {}\n", fields);
}
OpMapping op_of(std::string_view fields) {
  return parse(with_fields(fields)).mapping.operators.at(0);
}

// A policy of one kernel, whose fields start on line 5.
std::string with_policy(std::string_view fields) {
  return fmt::format(
      "operator_mappings: {{op: {{kernel_type: K}}}}\n"
      "interpolation_policy:\n  kernel_overrides:\n    K:\n      {}\n",
      fields);
}
KernelPolicy policy_of(std::string_view fields) {
  return parse(with_policy(fields)).mapping.policies.at(0);
}

TEST(MappingYamlTest, ReadsTheExampleOfTheSpecification) {
  const ParsedMapping parsed = parse(R"(version: "0.18.0"
device: ATLAS_800_A3_752T_128G_DIE
framework: vllm_ascend
cann_version: "8.5"
pytorch_version: "2.9.0"
communication_data_ref: "../../hccl/v8.5/"
interpolation_policy:
  kernel_overrides:
    MatMulV2: {max_interpolation_dim: 1}
    FusedInferAttentionScore: {axis_transform: sqrt_seq}
    GatherV2: {generic_compute: {axis: output_numel}}
operator_mappings:
  "aten.mm.default":
    kernel_type: MatMulV2
    alternate_kernel_types: [MatMulV3, MatMulCommon]
    tc_input_count: 2
    notes: "evidence for the mapping"
  a: {kernel_type: FusedInferAttentionScore, query_mode: attention_special}
  b: {kernel_type: GatherV2}
)");
  const Mapping& mapping = parsed.mapping;
  EXPECT_THAT(parsed.warnings, IsEmpty());
  EXPECT_EQ(mapping.version, "0.18.0");
  EXPECT_EQ(mapping.device, "ATLAS_800_A3_752T_128G_DIE");
  EXPECT_EQ(mapping.framework, "vllm_ascend");
  EXPECT_EQ(mapping.cann_version, "8.5");
  EXPECT_EQ(mapping.pytorch_version, "2.9.0");
  EXPECT_EQ(mapping.communication_data_ref, "../../hccl/v8.5/");
  ASSERT_EQ(mapping.policies.size(), 3U);
  EXPECT_EQ(mapping.policies[0].kernel, "MatMulV2");
  EXPECT_EQ(mapping.policies[0].max_interpolation_dim, 1);
  EXPECT_EQ(mapping.policies[0].axis_transform, std::nullopt);
  EXPECT_EQ(mapping.policies[1].axis_transform, "sqrt_seq");
  EXPECT_EQ(mapping.policies[2].generic_compute_axis, "output_numel");
  ASSERT_EQ(mapping.operators.size(), 3U);
  const OpMapping& op = mapping.operators[0];
  EXPECT_EQ(op.op, "aten.mm.default");
  EXPECT_THAT(op.kernels, ElementsAre("MatMulV2", "MatMulV3", "MatMulCommon"));
  EXPECT_EQ(op.category, "compute");
  EXPECT_EQ(op.tc_input_count, 2);
  EXPECT_EQ(op.notes, "evidence for the mapping");
  EXPECT_EQ(mapping.operators[1].op, "a");
  EXPECT_EQ(mapping.operators[2].op, "b");
}

TEST(MappingYamlTest, FieldsThatAreLeftOutHaveTheirDefaults) {
  const Mapping mapping = parse("operator_mappings: {op: {kernel_type: K}}").mapping;
  EXPECT_EQ(mapping.version, std::nullopt);
  EXPECT_EQ(mapping.framework, std::nullopt);
  EXPECT_THAT(mapping.policies, IsEmpty());
  EXPECT_EQ(mapping.unknown_fields, ordered_json::object());
  const OpMapping& op = mapping.operators.at(0);
  EXPECT_EQ(op.category, "compute");
  EXPECT_FALSE(op.zero_cost);
  EXPECT_FALSE(op.composite);
  EXPECT_EQ(op.query_mode, std::nullopt);
  EXPECT_EQ(op.compute_subcategory, std::nullopt);
  EXPECT_EQ(op.tc_input_count, std::nullopt);
  EXPECT_EQ(op.accepted_miss, std::nullopt);
  EXPECT_EQ(op.accepted_miss_when, ordered_json::object());
  EXPECT_EQ(op.api_path, std::nullopt);
  EXPECT_THAT(op.expected_input_formats, IsEmpty());
  EXPECT_EQ(op.notes, std::nullopt);
  EXPECT_EQ(op.unknown_fields, ordered_json::object());
}

TEST(MappingYamlTest, VersionsAreTheTextAsWritten) {
  const Mapping mapping = parse(
                              "version: 0.10\ncann_version: 8.50\npytorch_version: '2.9'\noperator_mappings: "
                              "{op: {composite: true}}")
                              .mapping;
  EXPECT_EQ(mapping.version, "0.10");
  EXPECT_EQ(mapping.cann_version, "8.50");
  EXPECT_EQ(mapping.pytorch_version, "2.9");
}

TEST(MappingYamlTest, IdentityMustBeASingleValue) {
  EXPECT_THAT(error_of("device: A\nversion: [1]\n"),
              StartsWith("m.yaml:2: version of the mapping is a list"));
  EXPECT_THAT(error_of("version: \"\"\n"), StartsWith("m.yaml:1: version of the mapping is"));
  EXPECT_THAT(error_of("version: 1\n\ndevice:\n"), StartsWith("m.yaml:3: device of the mapping is empty"));
}

TEST(MappingYamlTest, ReadsEveryOperatorField) {
  const OpMapping op = op_of(
      "{kernel_type: K, category: communication, query_mode: moe_fused, compute_subcategory: compute_scale, "
      "api_path: torch_npu.f, expected_input_formats: [ND, FRACTAL_NZ]}");
  EXPECT_THAT(op.kernels, ElementsAre("K"));
  EXPECT_EQ(op.category, "communication");
  EXPECT_EQ(op.query_mode, "moe_fused");
  EXPECT_EQ(op.compute_subcategory, "compute_scale");
  EXPECT_EQ(op.api_path, "torch_npu.f");
  EXPECT_THAT(op.expected_input_formats, ElementsAre("ND", "FRACTAL_NZ"));
}

TEST(MappingYamlTest, OperatorsNeedNoKernelWhereTheyAreDeclared) {
  EXPECT_TRUE(op_of("zero_cost: true").zero_cost);
  EXPECT_TRUE(op_of("composite: true").composite);
  EXPECT_EQ(op_of("accepted_miss: written elsewhere").accepted_miss, "written elsewhere");
}

TEST(MappingYamlTest, OperatorThatIsNothingIsAnError) {
  for (const char* fields : {"{}", "zero_cost: false", "{notes: x}", "composite: false"}) {
    EXPECT_THAT(error_of(with_fields(fields)), AllOf(StartsWith("m.yaml:2: "), HasSubstr("'op' has none of")))
        << fields;
  }
}

TEST(MappingYamlTest, OperatorWithoutANameIsAnError) {
  EXPECT_THAT(error_of("operator_mappings:\n  \"\": {kernel_type: K}\n"),
              StartsWith("m.yaml:2: an operator has no name"));
}

TEST(MappingYamlTest, AcceptedMissIsATextThatSaysWhy) {
  for (const char* value : {"\"\"", "true", "5", "", "[a]"}) {
    EXPECT_THAT(error_of(with_fields("accepted_miss: "s + value)),
                StartsWith("m.yaml:3: accepted_miss of operator 'op' is"))
        << value;
  }
}

TEST(MappingYamlTest, ConditionsOfAnAcceptedMissAreScalarsByTheCoreRules) {
  const OpMapping op = op_of(
      "{accepted_miss: why, accepted_miss_when: {text: CachingRotaryEmb, quoted: \"5\", "
      "whole: 5, negative: -3, plus: +4, plus_real: +.5, hex: 0x1F, octal: 0o17, real: 2.5, power: 1e3, "
      "yes: True, no: false, nothing: ~, word: yes, tagged: !!str 7, version: 1.2.3, infinite: .inf}}");
  EXPECT_EQ(op.accepted_miss_when,
            ordered_json::parse(R"({"text": "CachingRotaryEmb", "quoted": "5", "whole": 5,
    "negative": -3, "plus": 4, "plus_real": 0.5, "hex": 31, "octal": 15, "real": 2.5, "power": 1000.0,
    "yes": true, "no": false,
    "nothing": null, "word": "yes", "tagged": "7", "version": "1.2.3", "infinite": ".inf"})"));
  EXPECT_TRUE(op.accepted_miss_when["whole"].is_number_integer());
  EXPECT_TRUE(op.accepted_miss_when["power"].is_number_float());
}

TEST(MappingYamlTest, IntegerThatDoesNotFitStaysText) {
  const OpMapping op = op_of("{accepted_miss: why, accepted_miss_when: {n: 99999999999999999999, r: 1e999}}");
  EXPECT_EQ(op.accepted_miss_when["n"], "99999999999999999999");
  EXPECT_EQ(op.accepted_miss_when["r"], "1e999");
}

TEST(MappingYamlTest, ConditionThatIsNoScalarIsAnError) {
  EXPECT_THAT(error_of(with_fields("accepted_miss: why\n    accepted_miss_when:\n      phase: [a]")),
              StartsWith("m.yaml:5: phase of accepted_miss_when of operator 'op' is a list"));
  EXPECT_THAT(error_of(with_fields("accepted_miss: why\n    accepted_miss_when: decode")),
              StartsWith("m.yaml:4: "));
}

TEST(MappingYamlTest, ConditionWithoutAcceptedMissIsWarnedAbout) {
  EXPECT_THAT(parse(with_fields("zero_cost: true\n    accepted_miss_when: {a: 1}")).warnings,
              ElementsAre(AllOf(StartsWith("m.yaml:4: "), HasSubstr("accepted_miss_when"))));
}

TEST(MappingYamlTest, BooleansAreTrueOrFalse) {
  EXPECT_TRUE(op_of("zero_cost: TRUE").zero_cost);
  EXPECT_FALSE(op_of("{kernel_type: K, composite: False}").composite);
  for (const char* field : {"zero_cost", "composite"}) {
    for (const char* value : {"yes", "1", "\"true\"", "", "[true]", "tRUE"}) {
      EXPECT_THAT(error_of(with_fields(fmt::format("{}: {}", field, value))),
                  AllOf(StartsWith("m.yaml:3: "), HasSubstr(field), HasSubstr("write true or false")))
          << value;
    }
  }
}

TEST(MappingYamlTest, TcInputCountIsAWholeNumberFromOneOn) {
  EXPECT_EQ(op_of("{kernel_type: K, tc_input_count: 1}").tc_input_count, 1);
  for (const char* value : {"0", "-1", "2.0", "two", "\"2\"", "", "true", "[2]", "18446744073709551615"}) {
    EXPECT_THAT(error_of(with_fields("kernel_type: K\n    tc_input_count: "s + value)),
                AllOf(StartsWith("m.yaml:4: tc_input_count of operator 'op'"), HasSubstr("from 1 on")))
        << value;
  }
}

TEST(MappingYamlTest, CategoryIsOneOfTwo) {
  for (const char* value : {"Compute", "comm", "5", "", "[compute]"}) {
    EXPECT_THAT(error_of(with_fields("kernel_type: K\n    category: "s + value)),
                AllOf(StartsWith("m.yaml:4: "), HasSubstr("compute or communication")))
        << value;
  }
}

TEST(MappingYamlTest, TextFieldsRefuseOtherTypes) {
  for (const char* field : {"kernel_type", "query_mode", "compute_subcategory", "api_path", "notes"}) {
    for (const char* value : {"[a]", "{a: b}", "5", "true"}) {
      EXPECT_THAT(error_of(with_fields(fmt::format("{}: {}", field, value))),
                  AllOf(StartsWith("m.yaml:3: "), HasSubstr(field), HasSubstr("write a text")))
          << field << ' ' << value;
    }
  }
}

TEST(MappingYamlTest, EmptyNotesAreNone) {
  EXPECT_EQ(op_of("{kernel_type: K, notes: \"\"}").notes, std::nullopt);
  EXPECT_EQ(op_of("{kernel_type: K, notes: }").notes, std::nullopt);
}

TEST(MappingYamlTest, ListFieldsRefuseOtherTypes) {
  for (const char* field : {"alternate_kernel_types", "expected_input_formats"}) {
    for (const char* value : {"A", "{a: b}", "[[A]]", "[5]", "[~]", "[\"\"]", ""}) {
      EXPECT_THAT(error_of(with_fields(fmt::format("kernel_type: K\n    {}: {}", field, value))),
                  AllOf(StartsWith("m.yaml:4: "), HasSubstr(field)))
          << field << ' ' << value;
    }
  }
}

TEST(MappingYamlTest, UnknownSelectorsAreKeptAndWarnedAbout) {
  const ParsedMapping parsed = parse(
      with_fields("kernel_type: K\n    query_mode: elementwise_v2\n    compute_subcategory: scale_matrix"));
  EXPECT_EQ(parsed.mapping.operators.at(0).query_mode, "elementwise_v2");
  EXPECT_EQ(parsed.mapping.operators.at(0).compute_subcategory, "scale_matrix");
  EXPECT_THAT(parsed.warnings,
              ElementsAre(AllOf(StartsWith("m.yaml:4: "), HasSubstr("query_mode 'elementwise_v2'")),
                          AllOf(StartsWith("m.yaml:5: "), HasSubstr("compute_subcategory 'scale_matrix'"))));
}

TEST(MappingYamlTest, SelectorsOfTheSpecificationAreKnown) {
  for (const char* mode : {"attention_special", "moe_fused", "elementwise", "attention_lightning_indexer",
                           "attention_sparse_sharedkv", "scatter_nd_update_mla"}) {
    EXPECT_THAT(parse(with_fields(fmt::format("{{kernel_type: K, query_mode: {}}}", mode))).warnings,
                IsEmpty())
        << mode;
  }
  for (const char* kind : {"compute_scale", "quantized_matmul"}) {
    EXPECT_THAT(parse(with_fields(fmt::format("{{kernel_type: K, compute_subcategory: {}}}", kind))).warnings,
                IsEmpty())
        << kind;
  }
}

TEST(MappingYamlTest, KernelNamesAreLettersDigitsAndUnderscores) {
  EXPECT_THAT(op_of("kernel_type: _triton_rope").kernels, ElementsAre("_triton_rope"));
  for (const char* name : {"Mat-Mul", "a.b", "../x", "Mat Mul", "M\xC3\xBCl", "a/b"}) {
    EXPECT_THAT(error_of(with_fields(fmt::format("kernel_type: \"{}\"", name))),
                AllOf(StartsWith("m.yaml:3: "), HasSubstr("no kernel name")))
        << name;
    EXPECT_THAT(
        error_of(with_fields(fmt::format("kernel_type: K\n    alternate_kernel_types: [L, \"{}\"]", name))),
        StartsWith("m.yaml:4: "))
        << name;
  }
  EXPECT_THAT(error_of("interpolation_policy:\n  kernel_overrides:\n    a.b: {}\n"),
              StartsWith("m.yaml:3: "));
}

TEST(MappingYamlTest, KernelNamedTwiceIsAnError) {
  EXPECT_THAT(error_of(with_fields("kernel_type: K\n    alternate_kernel_types: [L, K]")),
              AllOf(StartsWith("m.yaml:4: "), HasSubstr("K twice")));
  EXPECT_THAT(error_of(with_fields("kernel_type: K\n    alternate_kernel_types: [L, L]")),
              AllOf(StartsWith("m.yaml:4: "), HasSubstr("L twice")));
}

TEST(MappingYamlTest, AlternatesNeedAFirstKernel) {
  EXPECT_THAT(error_of(with_fields("alternate_kernel_types: [L]")),
              AllOf(StartsWith("m.yaml:3: "), HasSubstr("no kernel_type")));
}

TEST(MappingYamlTest, MaxInterpolationDimIsAWholeNumberFromZeroOn) {
  EXPECT_EQ(policy_of("max_interpolation_dim: 0").max_interpolation_dim, 0);
  for (const char* value : {"-1", "1.5", "one", "\"1\"", ""}) {
    EXPECT_THAT(error_of(with_policy("max_interpolation_dim: "s + value)),
                AllOf(StartsWith("m.yaml:5: max_interpolation_dim"), HasSubstr("from 0 on")))
        << value;
  }
}

TEST(MappingYamlTest, AxisTransformIsSqrtSeqOnly) {
  EXPECT_THAT(error_of(with_policy("axis_transform: log")),
              AllOf(StartsWith("m.yaml:5: "), HasSubstr("sqrt_seq")));
}

TEST(MappingYamlTest, GenericComputeAxisIsOneOfTwo) {
  EXPECT_EQ(policy_of("generic_compute: {axis: axis_0}").generic_compute_axis, "axis_0");
  EXPECT_THAT(error_of(with_policy("generic_compute:\n        axis: axis_1")),
              AllOf(StartsWith("m.yaml:6: axis"), HasSubstr("axis_0 or output_numel")));
  EXPECT_THAT(error_of(with_policy("generic_compute: axis_0")), StartsWith("m.yaml:5: "));
}

TEST(MappingYamlTest, PolicyForAnUnmappedKernelIsKeptAndWarnedAbout) {
  const ParsedMapping parsed = parse(
      "operator_mappings: {op: {kernel_type: K, alternate_kernel_types: [L]}}\n"
      "interpolation_policy:\n  kernel_overrides:\n    L: {}\n    Stray: {max_interpolation_dim: 1}\n");
  EXPECT_EQ(parsed.mapping.policies.size(), 2U);
  EXPECT_THAT(parsed.warnings, ElementsAre(AllOf(StartsWith("m.yaml:5: "), HasSubstr("Stray"))));
}

TEST(MappingYamlTest, UnknownFieldsAreKeptAsJsonAndWarnedAboutWithTheirLine) {
  const ParsedMapping parsed = parse(R"(owner: {name: me, since: 2024}
operator_mappings:
  op:
    kernel_type: K
    future: [1, "2", null, {a: true}]
interpolation_policy:
  mode: fast
  kernel_overrides:
    K:
      weight: 0.5
      generic_compute:
        order: 2
)");
  EXPECT_EQ(parsed.mapping.unknown_fields, ordered_json::parse(R"({"owner": {"name": "me", "since": 2024},
    "interpolation_policy": {"mode": "fast"}})"));
  EXPECT_EQ(parsed.mapping.operators.at(0).unknown_fields,
            ordered_json::parse(R"({"future": [1, "2", null, {"a": true}]})"));
  EXPECT_EQ(parsed.mapping.policies.at(0).unknown_fields,
            ordered_json::parse(R"({"weight": 0.5, "generic_compute": {"order": 2}})"));
  EXPECT_THAT(parsed.warnings, testing::UnorderedElementsAre(
                                   AllOf(StartsWith("m.yaml:1: "), HasSubstr("'owner'")),
                                   AllOf(StartsWith("m.yaml:5: "), HasSubstr("'future'"), HasSubstr("'op'")),
                                   AllOf(StartsWith("m.yaml:7: "), HasSubstr("'mode'")),
                                   AllOf(StartsWith("m.yaml:10: "), HasSubstr("'weight'")),
                                   AllOf(StartsWith("m.yaml:12: "), HasSubstr("'order'"))));
}

TEST(MappingYamlTest, MappingWithoutOperatorsIsWarnedAbout) {
  EXPECT_THAT(parse("version: 1\n").warnings, ElementsAre(HasSubstr("names no operator")));
  EXPECT_THAT(parse("version: 1\noperator_mappings: {}\n").warnings,
              ElementsAre(AllOf(StartsWith("m.yaml:2: "), HasSubstr("names no operator"))));
}

TEST(MappingYamlTest, WhatIsNotAMapIsAnError) {
  EXPECT_THAT(error_of("- a\n- b\n"), AllOf(StartsWith("m.yaml:1: "), HasSubstr("a list")));
  EXPECT_THAT(error_of("text\n"), AllOf(StartsWith("m.yaml:1: "), HasSubstr("'text'")));
  for (const char* empty : {"", "# only a comment\n", "---\n"}) {
    EXPECT_THAT(error_of(empty), AllOf(StartsWith("m.yaml:1: "), HasSubstr("empty"))) << empty;
  }
  EXPECT_THAT(error_of("version: 1\noperator_mappings: [a]\n"),
              StartsWith("m.yaml:2: operator_mappings is a list"));
  EXPECT_THAT(error_of("operator_mappings:\n  op: K\n"), StartsWith("m.yaml:2: operator 'op' is 'K'"));
  EXPECT_THAT(error_of("operator_mappings:\n  op:\n"), StartsWith("m.yaml:2: operator 'op' is empty"));
  EXPECT_THAT(error_of("interpolation_policy: 1\n"), StartsWith("m.yaml:1: "));
  EXPECT_THAT(error_of("interpolation_policy:\n  kernel_overrides: [K]\n"), StartsWith("m.yaml:2: "));
  EXPECT_THAT(error_of("interpolation_policy:\n  kernel_overrides:\n    K: 1\n"), StartsWith("m.yaml:3: "));
}

TEST(MappingYamlTest, AliasesAreExpanded) {
  const Mapping mapping =
      parse("operator_mappings:\n  a: &op {kernel_type: K, tc_input_count: 2}\n  b: *op\n").mapping;
  ASSERT_EQ(mapping.operators.size(), 2U);
  EXPECT_EQ(mapping.operators[1].op, "b");
  EXPECT_THAT(mapping.operators[1].kernels, ElementsAre("K"));
  EXPECT_EQ(mapping.operators[1].tc_input_count, 2);
}

TEST(MappingYamlTest, BlockTextsKeepTheirLineEnd) {
  EXPECT_EQ(op_of("kernel_type: K\n    notes: |\n      one\n      two").notes, "one\ntwo\n");
}

class MappingFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "profdb_mapping_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(std::string_view text) const {
    auto path = folder_ / "op_mapping.yaml";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  static std::string error_of_file(const std::filesystem::path& path) {
    try {
      read_mapping(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }

  std::filesystem::path folder_;
};

TEST_F(MappingFileTest, ReadsAFile) {
  EXPECT_EQ(
      read_mapping(file("version: 0.18.0\noperator_mappings: {op: {kernel_type: K}}\n")).mapping.version,
      "0.18.0");
}

TEST_F(MappingFileTest, ErrorsNameTheFileAndLine) {
  const auto path = file("version: 1\noperator_mappings: 5\n");
  EXPECT_THAT(error_of_file(path), StartsWith(path.string() + ":2: "));
}

TEST_F(MappingFileTest, MissingFileNamesItselfAndTheReason) {
  EXPECT_THAT(error_of_file(folder_ / "absent.yaml"),
              AllOf(HasSubstr("absent.yaml"), HasSubstr("No such file")));
}

TEST_F(MappingFileTest, DirectoryNamesItselfAndTheReason) {
  EXPECT_THAT(error_of_file(folder_), AllOf(HasSubstr(folder_.string()), HasSubstr("Is a directory")));
}

TEST_F(MappingFileTest, LargeFileIsAnErrorThatNamesTheLine) {
  const auto path = file("a: 1\n#" + std::string(std::size_t{17} * 1024 * 1024, 'x'));
  EXPECT_THAT(error_of_file(path), AllOf(StartsWith(path.string() + ":2: "), HasSubstr("16 MiB")));
}

TEST_F(MappingFileTest, GitLfsPointerIsNamedWithTheRemedy) {
  EXPECT_THAT(error_of_file(file("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")),
              AllOf(HasSubstr("Git LFS pointer"), HasSubstr("git lfs pull")));
}

}  // namespace
}  // namespace profdb::importer
