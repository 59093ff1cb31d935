// Which path an operator reaches, and how its kernels' rows are projected (contract §1, §5, §12).
#include "engine/release/dispatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "importer/mapping/mapping_yaml.h"

namespace profdb {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

Mapping mapping_of(const std::string& yaml) {
  return importer::parse_mapping(yaml, "op_mapping.yaml").mapping;
}

// A mapping of one operator "op" with these fields.
Mapping one_op(const std::string& fields) {
  return mapping_of("operator_mappings:\n  op: {" + fields + "}\n");
}

// "matrix_compute", or the reason why the operator reaches no path.
std::string path_of(const std::string& fields) {
  const Mapping mapping = one_op(fields);
  const auto selected = select_path(mapping.operators.at(0));
  if (const auto* unfit = std::get_if<Unfit>(&selected)) return std::string(unfit->reason);
  return std::string(std::get<const Path*>(selected)->spec().name);
}

TEST(SelectPathTest, ACompositeIsNoLeaf) {
  EXPECT_EQ(path_of("composite: true"), "composite_requires_leaf_ops");
  EXPECT_EQ(path_of("composite: true, zero_cost: true, kernel_type: Cast"), "composite_requires_leaf_ops");
}

TEST(SelectPathTest, DeclaredLatenciesReachNoPath) {
  EXPECT_EQ(path_of("zero_cost: true"), "zero_cost");
  EXPECT_EQ(path_of("accepted_miss: written elsewhere"), "accepted_miss");
}

TEST(SelectPathTest, AnAcceptedMissWithAKernelStillHasItsPath) {
  EXPECT_EQ(path_of("accepted_miss: no kernel, accepted_miss_when: {producer: X}, kernel_type: Index"),
            "generic_compute");
}

TEST(SelectPathTest, UnknownQueryModesAreNamed) {
  EXPECT_EQ(path_of("kernel_type: Cast, query_mode: attention_of_tomorrow"), "query_mode_unknown");
}

TEST(SelectPathTest, UnknownSubcategoriesAreNamed) {
  EXPECT_EQ(path_of("kernel_type: Cast, compute_subcategory: compute_of_tomorrow"),
            "compute_subcategory_unknown");
}

TEST(SelectPathTest, TheOrdinaryPathsAreNoSelectors) {
  for (const char* path : {"matrix_compute", "generic_compute", "base_exact", "communication"}) {
    EXPECT_EQ(path_of(std::string("kernel_type: Cast, query_mode: ") + path), "query_mode_unknown") << path;
    EXPECT_EQ(path_of(std::string("kernel_type: Cast, compute_subcategory: ") + path),
              "compute_subcategory_unknown")
        << path;
  }
}

TEST(SelectPathTest, QueryModesAndSubcategoriesAreApart) {
  EXPECT_EQ(path_of("kernel_type: Cast, query_mode: quantized_matmul"), "query_mode_unknown");
  EXPECT_EQ(path_of("kernel_type: Cast, compute_subcategory: elementwise"), "compute_subcategory_unknown");
}

TEST(SelectPathTest, MatrixKernelsGoThroughMatrixCompute) {
  for (const char* kernel :
       {"MatMul", "MatMulV2", "MatMulV3", "MatMulCommon", "BatchMatMulV2", "BatchMatMulNd",
        "TransposeBatchMatMul", "QuantBatchMatmulV3", "GroupedMatmul", "GroupedMatmulSwigluQuant"})
    EXPECT_EQ(path_of(std::string("kernel_type: ") + kernel), "matrix_compute") << kernel;
}

TEST(SelectPathTest, OtherKernelsGoThroughGenericCompute) {
  for (const char* kernel : {"Cast", "RmsNorm", "MatMulV4", "matmul"})
    EXPECT_EQ(path_of(std::string("kernel_type: ") + kernel), "generic_compute") << kernel;
}

TEST(SelectPathTest, ThePrimaryKernelDecides) {
  EXPECT_EQ(path_of("kernel_type: MatMulV2, alternate_kernel_types: [Cast]"), "matrix_compute");
  EXPECT_EQ(path_of("kernel_type: Cast, alternate_kernel_types: [MatMulV2]"), "generic_compute");
}

const char* const kPolicies =
    "interpolation_policy:\n"
    "  kernel_overrides:\n"
    "    GatherV2: {generic_compute: {axis: output_numel}, max_interpolation_dim: 2}\n"
    "    Cast: {generic_compute: {axis: axis_0}, max_interpolation_dim: 0}\n"
    "    RealDiv: {axis_transform: sqrt_seq}\n"
    "operator_mappings:\n"
    "  gather: {kernel_type: GatherV2, alternate_kernel_types: [GatherV3, Cast, RealDiv], tc_input_count: "
    "2}\n"
    "  plain: {kernel_type: Neg, alternate_kernel_types: [GatherV2]}\n"
    "  matmul: {kernel_type: MatMulV2, alternate_kernel_types: [GatherV2], tc_input_count: 2}\n";

ProjectionKey key_of(const std::string& op, const std::string& kernel) {
  const Mapping mapping = mapping_of(kPolicies);
  const OpMapping& entry = *mapping.find(op);
  return projection_key(mapping, entry, *std::get<const Path*>(select_path(entry)), kernel);
}

TEST(ProjectionKeyTest, TheAxisPolicyIsTheKernelsOwn) {
  EXPECT_EQ(key_of("gather", "GatherV2").axis_policy, "output_numel");
  EXPECT_EQ(key_of("gather", "Cast").axis_policy, "axis_0");
  EXPECT_EQ(key_of("plain", "GatherV2").axis_policy, "output_numel");
}

TEST(ProjectionKeyTest, ElseThePrimaryKernels) {
  EXPECT_EQ(key_of("gather", "GatherV3").axis_policy, "output_numel");
  EXPECT_EQ(key_of("gather", "RealDiv").axis_policy, "output_numel")
      << "its own policy says nothing about the axis";
}

TEST(ProjectionKeyTest, ElseAxis0) {
  EXPECT_EQ(key_of("plain", "Neg").axis_policy, "axis_0");
}

TEST(ProjectionKeyTest, MatrixComputeHasNoAxisPolicy) {
  EXPECT_EQ(key_of("matmul", "GatherV2").axis_policy, "");
}

TEST(ProjectionKeyTest, TcInputCountIsTheOperators) {
  EXPECT_EQ(key_of("gather", "GatherV2").tc_input_count, 2);
  EXPECT_EQ(key_of("plain", "GatherV2").tc_input_count, kAbsentInteger);
  EXPECT_NE(key_of("gather", "GatherV2"), key_of("plain", "GatherV2"));
}

TEST(ProjectionKeyTest, BaseExactHasAProjectionOfItsOwn) {
  const Mapping mapping = mapping_of(kPolicies);
  EXPECT_EQ(base_exact_key(*mapping.find("gather"), "GatherV3"),
            (ProjectionKey{"base_exact", "GatherV3", 2, ""}));
}

TEST(ProjectionKeysTest, EveryKernelHasItsPathAndBaseExact) {
  const auto keys =
      projection_keys(one_op("kernel_type: Neg, alternate_kernel_types: [NegAiCore], tc_input_count: 1"));
  EXPECT_THAT(keys,
              testing::UnorderedElementsAre(ProjectionKey{"base_exact", "Neg", 1, ""},
                                            ProjectionKey{"generic_compute", "Neg", 1, "axis_0"},
                                            ProjectionKey{"base_exact", "NegAiCore", 1, ""},
                                            ProjectionKey{"generic_compute", "NegAiCore", 1, "axis_0"}));
}

TEST(ProjectionKeysTest, OperatorsThatAskAlikeShareAProjection) {
  const auto keys = projection_keys(mapping_of(
      "operator_mappings:\n  a: {kernel_type: Neg}\n  b: {kernel_type: Neg}\n  c: {kernel_type: Neg, "
      "tc_input_count: 1}\n"));
  EXPECT_EQ(keys.size(), 4U);  // two of all inputs, two of the first
  EXPECT_THAT(keys, Contains(ProjectionKey{"generic_compute", "Neg", kAbsentInteger, "axis_0"}));
  EXPECT_THAT(keys, Contains(ProjectionKey{"generic_compute", "Neg", 1, "axis_0"}));
}

TEST(ProjectionKeysTest, OperatorsWithoutAPathNeedNone) {
  EXPECT_THAT(projection_keys(one_op("zero_cost: true")), IsEmpty());
  EXPECT_THAT(projection_keys(one_op("composite: true")), IsEmpty());
}

std::int64_t max_dim(const std::string& op, const std::string& kernel) {
  const Mapping mapping = mapping_of(kPolicies);
  return max_interpolation_dim(mapping, *mapping.find(op), kernel);
}

TEST(MaxInterpolationDimTest, IsTheKernelsOwn) {
  EXPECT_EQ(max_dim("gather", "GatherV2"), 2);
  EXPECT_EQ(max_dim("gather", "Cast"), 0);
  EXPECT_EQ(max_dim("plain", "GatherV2"), 2);
}

TEST(MaxInterpolationDimTest, ElseThePrimaryKernels) {
  EXPECT_EQ(max_dim("gather", "GatherV3"), 2);
  EXPECT_EQ(max_dim("gather", "RealDiv"), 2) << "its own policy says nothing about the dimension";
}

TEST(MaxInterpolationDimTest, ElseThereIsNoLimit) {
  EXPECT_GE(max_dim("plain", "Neg"), 3);
}

}  // namespace
}  // namespace profdb
