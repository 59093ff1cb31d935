// What the shipped mappings reach: path, axis groups and highest dimension of every operator in every release
// (contract §15.1), and what is not interpolated, and what happens instead (contract §15.2).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/release/dispatch.h"
#include "importer/mapping/mapping_yaml.h"
#include "tests/support/release.h"
#include "tests/support/shorthand.h"

namespace profdb {
namespace {

namespace fs = std::filesystem;
using test::csv_header;
using test::leaf;
using test::measured;
using test::TestRelease;

fs::path mapping_file(const std::string& version) {
  return fs::path(PROFDB_SOURCE_DIR) / "mappings" / "ATLAS_800_A3_752T_128G_DIE" / (version + ".yaml");
}

std::string mapping_text(const std::string& version) {
  return test::read_file(mapping_file(version));
}

// "M|K|M+K": the groups that a call of the operator on `kernel` may be tried along, in order.
std::string groups_on(const Mapping& mapping, const OpMapping& op, const Path& path,
                      const std::string& kernel) {
  const std::string policy = projection_key(mapping, op, path, kernel).axis_policy;
  const auto ceiling = max_interpolation_dim(mapping, op, kernel);
  std::string joined;
  for (const AxisGroup& group : path.spec().groups) {
    if (static_cast<std::int64_t>(group.size()) > ceiling) continue;
    std::string name;
    for (const std::size_t axis : group)
      name += (name.empty() ? "" : "+") + std::string(path.spec().axes[axis]);
    // Generic compute has one axis or the other, as the policy says (contract §12).
    if (!policy.empty() && name != policy) continue;
    joined += (joined.empty() ? "" : "|") + name;
  }
  return joined;
}

std::size_t highest_dimension(const std::string& groups) {
  std::size_t highest = 0;
  for (std::size_t begin = 0; begin < groups.size();) {
    const std::size_t end = std::min(groups.find('|', begin), groups.size());
    const auto plus = std::count(groups.begin() + static_cast<std::ptrdiff_t>(begin),
                                 groups.begin() + static_cast<std::ptrdiff_t>(end), '+');
    highest = std::max(highest, static_cast<std::size_t>(plus) + 1);
    begin = end + 1;
  }
  return highest;
}

// One line of contract §15.1 in one release.
struct Line {
  std::string op;
  std::string version;
  std::string path;  // or the word for a release in which it is not interpolated
  std::string groups;
  std::size_t dimension;
  std::vector<std::string> kernels;  // of the mapping, in order
};

std::vector<Line> table() {
  const std::string tokens = "tokens";
  const std::string elementwise = "axis_0|axis_1|axis_0+axis_1";
  const std::string mk = "M|K|M+K";
  const std::string mkn = "M|K|N|M+K|M+N|K+N|M+K+N";
  std::vector<Line> lines;
  for (const char* op :
       {"tensor_cast.dispatch_ffn_combine.default", "tensor_cast.dispatch_ffn_combine_quant.default",
        "tensor_cast.dispatch_ffn_combine_quant_int4.default", "tensor_cast.dispatch_ffn_combine_fp8.default",
        "tensor_cast.dispatch_ffn_combine_mxfp4.default"})
    for (const char* version : {"0.15.0", "0.18.0"})
      lines.push_back({op, version, "moe_fused", tokens, 1, {"DispatchFFNCombine"}});
  lines.insert(
      lines.end(),
      {{"aten.add.Tensor", "0.13.0", "elementwise", elementwise, 2, {"Add"}},
       {"aten.add.Tensor", "0.15.0", "elementwise", elementwise, 2, {"Add", "AddAiCore"}},
       {"aten.add.Tensor", "0.18.0", "elementwise", elementwise, 2, {"Add", "AddAiCore"}},
       {"aten.mul.Tensor", "0.13.0", "generic_compute", "axis_0", 1, {"Mul"}},
       {"aten.mul.Tensor", "0.15.0", "elementwise", elementwise, 2, {"Mul", "MulAiCore"}},
       {"aten.mul.Tensor", "0.18.0", "elementwise", elementwise, 2, {"Mul", "MulAiCore"}},
       {"aten.div.Tensor", "0.13.0", "generic_compute", "axis_0", 1, {"Div", "RealDiv"}},
       {"aten.div.Tensor", "0.15.0", "elementwise", elementwise, 2, {"Div", "RealDiv"}},
       {"aten.div.Tensor", "0.18.0", "zero_cost", "", 0, {}},
       {"tensor_cast.quant_lightning_indexer.default",
        "0.18.0",
        "attention_lightning_indexer",
        "tokens|cache_blocks|tokens+cache_blocks",
        2,
        {"LightningIndexer"}},
       {"tensor_cast.sparse_attn_sharedkv.default",
        "0.18.0",
        "attention_sparse_sharedkv",
        tokens,
        1,
        {"SparseFlashAttention"}},
       {"aten.embedding.default", "0.13.0", "generic_compute", "output_numel", 1, {"GatherV2", "GatherV3"}},
       {"aten.embedding.default",
        "0.15.0",
        "generic_compute",
        "output_numel",
        1,
        {"GatherV2", "GatherV3", "GatherV2AiCore"}},
       {"aten.embedding.default",
        "0.18.0",
        "generic_compute",
        "output_numel",
        1,
        {"GatherV2", "GatherV3", "GatherV2AiCore"}},
       {"aten.to.dtype", "0.13.0", "generic_compute", "axis_0", 1, {"Cast", "TensorMove"}},
       {"aten.to.dtype", "0.15.0", "generic_compute", "axis_0", 1, {"Cast", "TensorMove", "CastAiCore"}},
       {"aten.to.dtype",
        "0.18.0",
        "generic_compute",
        "axis_0",
        1,
        {"Cast", "TensorMove", "CastAiCore", "TensorMoveAiCore"}},
       {"aten.native_layer_norm.default",
        "0.18.0",
        "generic_compute",
        "axis_0",
        1,
        {"LayerNormV3", "LayerNormV3WithImplMode"}},
       {"tensor_cast.scatter_nd_update_mla.default",
        "0.18.0",
        "scatter_nd_update_mla",
        tokens,
        1,
        {"ScatterNdUpdate", "ScatterNdUpdateAiCore"}}});
  for (const char* op : {"aten.cat.default", "tensor_cast.cat.default"}) {
    lines.push_back({op, "0.13.0", "generic_compute", "axis_0", 1, {"ConcatD"}});
    lines.push_back({op, "0.15.0", "zero_cost", "", 0, {}});
    lines.push_back({op, "0.18.0", "generic_compute", "axis_0", 1, {"ConcatD"}});
  }
  for (const char* version : {"0.13.0", "0.15.0", "0.18.0"}) {
    for (const char* op : {"symmetric", "asymmetric"})
      lines.push_back({"tensor_cast.dynamic_quantize_" + std::string(op) + ".default",
                       version,
                       "compute_scale",
                       mk,
                       2,
                       {"DynamicQuant"}});
    lines.push_back({"tensor_cast.dynamic_quantize_mxfp4.default",
                     version,
                     "compute_scale",
                     mk,
                     2,
                     {"DynamicBlockQuant"}});
    for (const char* op : {"static_quant_linear", "static_quant_linear_int4", "fp8_linear", "mxfp4_linear"})
      lines.push_back({"tensor_cast." + std::string(op) + ".default",
                       version,
                       "quantized_matmul",
                       mkn,
                       3,
                       {"QuantBatchMatmulV3"}});
  }
  return lines;
}

class ShippedMappingsTest : public testing::TestWithParam<Line> {};

TEST_P(ShippedMappingsTest, OperatorReachesItsPathAxesAndDimension) {
  const Line& line = GetParam();
  const Mapping mapping = importer::read_mapping(mapping_file(line.version)).mapping;
  const OpMapping* op = mapping.find(line.op);
  ASSERT_NE(op, nullptr) << line.op << " is not in the mapping of " << line.version;
  EXPECT_EQ(op->kernels, line.kernels);
  const auto selected = select_path(*op);
  if (line.dimension == 0) {
    const auto* unfit = std::get_if<Unfit>(&selected);
    ASSERT_NE(unfit, nullptr);
    EXPECT_EQ(unfit->reason, line.path);
    return;
  }
  ASSERT_TRUE(std::holds_alternative<const Path*>(selected)) << std::get<Unfit>(selected).reason;
  const Path& path = *std::get<const Path*>(selected);
  EXPECT_EQ(path.spec().name, line.path);
  for (const std::string& kernel : op->kernels) {
    EXPECT_EQ(groups_on(mapping, *op, path, kernel), line.groups) << kernel;
    EXPECT_EQ(highest_dimension(groups_on(mapping, *op, path, kernel)), line.dimension) << kernel;
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, ShippedMappingsTest, testing::ValuesIn(table()),
                         [](const auto& instance) {
                           std::string name = instance.param.op + "_" + instance.param.version;
                           std::replace_if(
                               name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; },
                               '_');
                           return name;
                         });

// contract §15.1: (x, weight, scale, ...) of a call is aligned to the two matrices of a row.
TEST(ShippedMappings, QuantizedLinearsTakeTwoInputs) {
  for (const char* version : {"0.13.0", "0.15.0", "0.18.0"}) {
    const Mapping mapping = importer::read_mapping(mapping_file(version)).mapping;
    for (const char* op : {"static_quant_linear", "static_quant_linear_int4", "fp8_linear", "mxfp4_linear"})
      EXPECT_EQ(mapping.find("tensor_cast." + std::string(op) + ".default")->tc_input_count, 2)
          << op << " in " << version;
  }
}

// contract §15.1: normalized shape and epsilon are no tensors of the kernel.
TEST(ShippedMappings, LayerNormTakesThreeInputs) {
  const Mapping mapping = importer::read_mapping(mapping_file("0.18.0")).mapping;
  EXPECT_EQ(mapping.find("aten.native_layer_norm.default")->tc_input_count, 3);
}

// --- contract §15.2 ---

TestRelease release_0_18() {
  const std::string rows = csv_header() + measured("DT_BF16[16,64]", "DT_BF16[16,64]", {"7"});
  return {
      {{"Index.csv", rows}, {"Div.csv", rows}, {"ConcatD.csv", rows}, {"ReshapeAndCacheNdKernel.csv", rows}},
      mapping_text("0.18.0")};
}

TEST(ShippedMappings, OperatorsWithACollectiveAreComposite) {
  for (const char* version : {"0.13.0", "0.15.0", "0.18.0"}) {
    const Mapping mapping = importer::read_mapping(mapping_file(version)).mapping;
    for (const char* name :
         {"matmul", "static_quant_linear", "static_quant_linear_int4", "fp8_linear", "mxfp4_linear"}) {
      const OpMapping* op = mapping.find("tensor_cast." + std::string(name) + "_all_reduce.default");
      ASSERT_NE(op, nullptr) << name << " in " << version;
      const auto selected = select_path(*op);
      ASSERT_TRUE(std::holds_alternative<Unfit>(selected)) << name << " in " << version;
      EXPECT_EQ(std::get<Unfit>(selected).reason, "composite_requires_leaf_ops") << name << " in " << version;
    }
  }
}

TEST(ShippedMappings, ACompositeCallMisses) {
  const Result result = release_0_18().lookup(
      leaf("tensor_cast.matmul_all_reduce.default", "bfloat16[16,64] bfloat16[64,64]", "bfloat16[16,64]"));
  EXPECT_EQ(result.source, Source::miss);
  EXPECT_EQ(result.reason, "composite_requires_leaf_ops");
}

TEST(ShippedMappings, ConcatAndCacheMlaIsFreeIn018AndSaysWhy) {
  const Result result = release_0_18().lookup(
      leaf("tensor_cast.concat_and_cache_mla.default", "bfloat16[16,64] bfloat16[16,64]"));
  EXPECT_EQ(result.source, Source::measured);
  EXPECT_EQ(result.latency_us, 0);
  EXPECT_EQ(result.method, "accepted_miss");
  EXPECT_NE(result.details.note.find("KvRmsNormRopeCache"), std::string::npos) << result.details.note;
}

TEST(ShippedMappings, IndexIsFreeIn018OnlyForTheRotaryCache) {
  const TestRelease release = release_0_18();
  const std::string call = "bfloat16[16,64]";
  const Result artifact =
      release.lookup(leaf("aten.index.Tensor", call, call, R"("attrs": {"producer": "CachingRotaryEmb"})"));
  EXPECT_EQ(artifact.source, Source::measured);
  EXPECT_EQ(artifact.latency_us, 0);
  EXPECT_FALSE(artifact.details.note.empty());
  const Result real = release.lookup(leaf("aten.index.Tensor", call, call));
  EXPECT_EQ(real.source, Source::measured);
  EXPECT_EQ(real.kernel, "Index");
  EXPECT_EQ(real.latency_us, 7);
}

TEST(ShippedMappings, ZeroCostAnswersZeroThoughTheKernelHasRows) {
  const Result result =
      release_0_18().lookup(leaf("aten.div.Tensor", "bfloat16[16,64] bfloat16[16,64]", "bfloat16[16,64]"));
  EXPECT_EQ(result.source, Source::measured);
  EXPECT_EQ(result.method, "zero_cost");
  EXPECT_EQ(result.latency_us, 0);
  EXPECT_TRUE(result.details.matched_rows.empty());
}

// --- every mapping of the project ---

std::vector<fs::path> all_mappings() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(PROFDB_SOURCE_DIR) / "mappings"))
    if (entry.path().extension() == ".yaml" && entry.path().parent_path().filename() != "standards")
      files.push_back(entry.path());  // a standard of required grids is no mapping
  std::sort(files.begin(), files.end());
  return files;
}

TEST(ShippedMappings, EveryMappingParsesWithoutWarnings) {
  ASSERT_GE(all_mappings().size(), 3U);
  for (const fs::path& file : all_mappings()) {
    const auto parsed = importer::read_mapping(file);
    EXPECT_TRUE(parsed.warnings.empty()) << file.filename() << ": " << parsed.warnings.front();
    EXPECT_FALSE(parsed.mapping.operators.empty()) << file.filename();
  }
}

TEST(ShippedMappings, EveryMappedOperatorReachesAPathOrIsDeclared) {
  for (const fs::path& file : all_mappings()) {
    for (const OpMapping& op : importer::read_mapping(file).mapping.operators) {
      const auto selected = select_path(op);
      const auto* unfit = std::get_if<Unfit>(&selected);
      if (unfit == nullptr) continue;
      EXPECT_TRUE(unfit->reason == "composite_requires_leaf_ops" || unfit->reason == "zero_cost" ||
                  unfit->reason == "accepted_miss")
          << op.op << " in " << file.filename() << ": " << unfit->reason;
    }
  }
}

}  // namespace
}  // namespace profdb
