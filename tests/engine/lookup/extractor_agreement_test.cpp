// Row and call of the same execution land on the same regime and coordinate, for every path: the two
// extractors of a path cannot drift apart (contract, "Path"). Calls are built from a row's own tensors, in
// call order, with the leading dimensions, layouts and lists that a framework has and the profiler has not.
// Long: one generator per path, side by side.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "engine/paths/registry.h"
#include "engine/release/dispatch.h"

namespace profdb {
namespace {

constexpr std::uint32_t kSeeds = 200;

// A row and a call of the same execution, and the coordinate on which both must land.
struct Execution {
  Row row;
  std::vector<std::string> columns, cells;
  LeafOp leaf;
  OpMapping op;
  std::string kernel;
  std::string axis_policy;
  EngineOptions options;
  std::vector<std::int64_t> coordinate;

  void state(const std::string& column, const std::string& cell) {
    columns.push_back(column);
    cells.push_back(cell);
  }
};

// Random numbers of one seed.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  std::int64_t roll(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  bool coin() { return roll(0, 1) == 1; }
  template <typename T>
  T pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(roll(0, static_cast<std::int64_t>(from.size()) - 1))];
  }

 private:
  std::mt19937 engine_;
};

struct Dtype {
  const char* framework;
  const char* profiler;
};
const Dtype kBf16{"bfloat16", "DT_BF16"};
const Dtype kFloat{"float32", "FLOAT"};
const Dtype kInt8{"int8", "INT8"};
const Dtype kInt32{"int32", "INT32"};
const Dtype kInt64{"int64", "INT64"};
const Dtype kInt4{"int4", "INT4"};
const Dtype kFp8{"float8_e4m3fn", "FLOAT8_E4M3FN"};
const Dtype kFp4{"float4_e2m1", "FLOAT4_E2M1"};

TensorSlot slot(const Shape& shape, const Dtype& dtype, const std::string& format = "ND") {
  return {true, shape, dtype.profiler, format};
}
// "" leaves the format out.
Tensor tensor(const Shape& shape, const Dtype& dtype, const std::string& format = "ND") {
  return {shape, dtype.framework, format.empty() ? std::nullopt : std::optional(format)};
}
Argument argument(Tensor one, const std::string& role = "") {
  return {Argument::Kind::tensor, role, {std::move(one)}};
}
// ND is what an omitted format means in the paths that use this.
std::string maybe_nd(Dice& dice) {
  return dice.coin() ? "ND" : "";
}
// The dimension as one, or as two factors: what a call may have where the row is flat.
Shape factored(Dice& dice, std::int64_t count) {
  const std::int64_t by = dice.roll(2, 4);
  if (count % by == 0 && dice.coin()) return {by, count / by};
  return {count};
}
Shape joined(Shape shape, const Shape& tail) {
  shape.insert(shape.end(), tail.begin(), tail.end());
  return shape;
}
// [H, W, 16, 16] is the logical [H * 16, W * 16] (formats §2).
Shape tiled(std::int64_t rows, std::int64_t columns) {
  return {rows / 16, columns / 16, 16, 16};
}
std::string lens_text(Dice& dice, const std::vector<std::int64_t>& lens) {
  const std::string separator = dice.coin() ? "," : ";";
  std::string text;
  for (const std::int64_t n : lens) text += (text.empty() ? "" : separator) + std::to_string(n);
  return text;
}

// --- one generator per path ---

Execution matrix(Dice& dice, bool quantized) {
  Execution e;
  const std::int64_t m = dice.roll(1, 500), k = 16 * dice.roll(1, 40), n = 16 * dice.roll(1, 40);
  const Dtype weight = quantized ? dice.pick<Dtype>({kInt8, kInt4, kFp8, kFp4}) : kBf16;
  const Dtype activation = quantized ? dice.pick<Dtype>({kInt8, kBf16, kFp8}) : kBf16;
  e.kernel = quantized ? "QuantBatchMatmulV3"
                       : dice.pick<std::string>({"MatMulV2", "MatMulV3", "BatchMatMulV2", "GroupedMatmul"});
  const bool batched = e.kernel == "BatchMatMulV2";
  const std::string name = weight.framework == kInt4.framework  ? "static_quant_linear_int4"
                           : weight.framework == kFp8.framework ? "fp8_linear"
                           : weight.framework == kFp4.framework ? "mxfp4_linear"
                                                                : "static_quant_linear";
  e.leaf.op = quantized ? "tensor_cast." + name + ".default" : "aten.mm.default";
  const Shape lead = batched ? Shape{dice.roll(1, 6)} : Shape{};
  const Shape a = joined(lead, {m, k});
  // A call's leading 1 that the row lacks; batched kernels keep theirs.
  const Shape call_a = !batched && dice.coin() ? joined({1}, a) : a;
  e.row.inputs = {slot(a, activation)};
  e.leaf.inputs = {argument(tensor(call_a, activation))};
  if (e.kernel == "GroupedMatmul") {
    const std::int64_t experts = dice.roll(2, 5);
    e.row.inputs.push_back(slot({experts, k, n}, weight));
    e.leaf.inputs.push_back({Argument::Kind::list, "",
                             std::vector<Tensor>(static_cast<std::size_t>(experts), tensor({k, n}, weight))});
  } else if (!batched && dice.coin()) {
    e.row.inputs.push_back(slot(tiled(k, n), weight, "FRACTAL_NZ"));
    e.leaf.inputs.push_back(argument(tensor(tiled(k, n), weight, "FRACTAL_NZ")));
  } else {  // orientation is recorded, not matched
    e.row.inputs.push_back(slot(joined(lead, dice.coin() ? Shape{k, n} : Shape{n, k}), weight));
    e.leaf.inputs.push_back(argument(tensor(joined(lead, {k, n}), weight)));
  }
  if (quantized) {
    e.op.tc_input_count = 2;  // the scale is cut off on both sides
    e.leaf.inputs.push_back(argument(tensor({n}, kFloat)));
    if (dice.coin()) e.row.inputs.push_back(slot({n}, kFloat));
    e.row.outputs = {slot({m, n}, kBf16)};
    e.leaf.outputs = {tensor({m, n}, kBf16, maybe_nd(dice))};
  } else if (e.kernel == "MatMulV2" && dice.coin()) {  // contract §2: FLOAT counts as BF16 there
    e.leaf.inputs[0].tensors[0].dtype = "float32";
  }
  e.coordinate = {m, k, n};
  return e;
}

Execution communication(Dice& dice) {
  Execution e;
  const std::int64_t devices = 1LL << dice.roll(1, 5), elements = devices * dice.roll(1, 4000);
  const bool scatter = dice.coin();
  e.leaf.op = scatter ? "tensor_cast.reduce_scatter.default" : "tensor_cast.all_reduce.default";
  const Dtype dtype = dice.pick<Dtype>({kBf16, kFloat, kInt8});
  const std::int64_t size = dtype.framework == kBf16.framework    ? 2
                            : dtype.framework == kFloat.framework ? 4
                                                                  : 1;
  const std::int64_t bytes = elements * size / (scatter ? devices : 1);
  const std::string tier = dice.pick<std::string>({"0", "1", "inter_node"});
  e.leaf.inputs = {argument(tensor(factored(dice, elements), dtype))};
  if (dice.coin())
    e.leaf.attrs["num_devices"] = devices;
  else
    e.leaf.attrs["rank_group"] = std::vector<std::int64_t>(static_cast<std::size_t>(devices), 0);
  if (tier == "inter_node")
    e.leaf.attrs["topology_tier"] = tier;
  else
    e.leaf.attrs["topology_tier"] = std::stoi(tier);
  e.kernel = "hcom_allReduce_";
  e.state("message_bytes", std::to_string(bytes) + (dice.coin() ? ".0" : ""));
  e.state("num_devices", std::to_string(devices));
  e.state("topology_tier", tier);
  e.state("dtype", dtype.profiler);
  e.coordinate = {bytes};
  return e;
}

Execution moe_fused(Dice& dice) {
  Execution e;
  const std::int64_t tokens = dice.roll(1, 600), hidden = 16 * dice.roll(1, 20), topk = dice.roll(1, 8);
  const std::int64_t experts = dice.roll(1, 6), n1 = 16 * dice.roll(21, 40), n2 = 16 * dice.roll(21, 40);
  const auto [dtype, suffix] = dice.pick<std::pair<Dtype, std::string>>(
      {{kBf16, ""}, {kInt8, "_quant"}, {kInt4, "_quant_int4"}, {kFp8, "_fp8"}, {kFp4, "_mxfp4"}});
  e.kernel = "DispatchFFNCombine";
  e.leaf.op = "tensor_cast.dispatch_ffn_combine" + suffix + ".default";
  const Shape lead = factored(dice, tokens);
  const auto list = [&](const Shape& shape, const std::string& format) {
    return std::vector<Tensor>(static_cast<std::size_t>(experts), tensor(shape, dtype, format));
  };
  const bool tiles = dice.coin();
  const std::string format = tiles ? "FRACTAL_NZ" : "ND";
  const auto rows = [&](std::int64_t r, std::int64_t c) { return tiles ? tiled(r, c) : Shape{r, c}; };
  e.row.inputs = {slot({tokens, hidden}, kBf16), slot(joined({experts}, rows(hidden, n1)), dtype, format),
                  slot(joined({experts}, rows(n2, hidden)), dtype, format), slot({tokens, topk}, kInt32)};
  // Either orientation of a per-expert weight.
  const Shape gmm1 = dice.coin() ? rows(hidden, n1) : rows(n1, hidden);
  const Shape gmm2 = dice.coin() ? rows(n2, hidden) : rows(hidden, n2);
  const bool roles = dice.coin();
  e.leaf.inputs = {
      argument(tensor(joined(lead, {hidden}), kBf16, maybe_nd(dice)), roles ? "x" : ""),
      argument(tensor(joined(lead, {topk}), kInt32, maybe_nd(dice)), roles ? "expert_indices" : ""),
      {Argument::Kind::list, roles ? "gmm1_weight" : "", list(gmm1, format)},
      {Argument::Kind::list, roles ? "gmm2_weight" : "", list(gmm2, format)}};
  if (roles) std::swap(e.leaf.inputs[1], e.leaf.inputs[3]);
  e.options.ep_size = dice.roll(1, 64);
  e.state("EP Size", std::to_string(*e.options.ep_size));
  if (dice.coin()) e.state("Local Experts", std::to_string(experts));
  e.coordinate = {tokens};
  return e;
}

Execution elementwise(Dice& dice) {
  Execution e;
  Shape shape;
  for (std::int64_t i = dice.roll(1, 4); i > 0; --i) shape.push_back(dice.roll(2, 50));
  const bool leading_one = shape.size() >= 2 && dice.coin();
  const auto call = [&](Shape s) { return leading_one && s.size() == shape.size() ? joined({1}, s) : s; };
  for (std::int64_t i = dice.roll(1, 3); i > 0; --i) {
    const auto missing = dice.roll(0, static_cast<std::int64_t>(shape.size()) - 1);
    Shape input(shape.begin() + missing, shape.end());
    for (std::int64_t& d : input)
      if (dice.roll(0, 3) == 0) d = 1;
    const Dtype dtype = dice.pick<Dtype>({kBf16, kFloat});
    e.row.inputs.push_back(slot(input, dtype));
    e.leaf.inputs.push_back(argument(tensor(call(input), dtype)));
  }
  e.row.outputs = {slot(shape, kBf16)};
  e.leaf.outputs = {tensor(call(shape), kBf16, maybe_nd(dice))};
  e.kernel = "Add";
  e.leaf.op = "aten.add.Tensor";
  e.coordinate = {shape[0], shape.size() == 2 ? shape[1] : kNoAxis};
  return e;
}

// Request metadata as columns and attributes, each stated on both sides or on neither.
void state_lengths(Dice& dice, Execution& e) {
  const std::vector<std::int64_t> query{dice.roll(1, 9), dice.roll(1, 9)}, kv{dice.roll(10, 99)};
  if (dice.coin()) {
    e.state("Runtime actual_seq_lengths_values", lens_text(dice, query));
    e.leaf.attrs["query_lens"] = query;
  }
  if (dice.coin()) {
    e.state("Runtime actual_seq_lengths_kv_values", "[" + lens_text(dice, kv) + "]");
    e.leaf.attrs["seq_lens"] = lens_text(dice, kv);
  }
}

Execution lightning_indexer(Dice& dice) {
  Execution e;
  const std::int64_t batch = dice.roll(1, 3), seq = dice.roll(1, 200), heads = dice.roll(1, 64);
  const std::int64_t dim = dice.roll(1, 128), blocks = dice.roll(1, 900), topk = dice.roll(1, 2048);
  const bool ranks4 = batch > 1 || dice.coin();
  const Shape query = ranks4 ? Shape{batch, seq, heads, dim} : Shape{seq, heads, dim};
  // A leading 1 of a rank-4 query is no other regime.
  const Shape row_query = batch == 1 && dice.coin() ? Shape{seq, heads, dim} : query;
  const Shape cache{blocks, 128, 1, dim};
  const Shape weights{batch * seq, heads};
  const Dtype meta = dice.pick<Dtype>({kInt32, kInt64});
  e.row.inputs = {slot(row_query, kBf16), slot(cache, kInt8), slot(weights, kBf16), slot({batch}, meta),
                  slot({batch, 33}, kInt32)};
  const bool roles = dice.coin();
  e.leaf.inputs = {argument(tensor(query, kBf16, maybe_nd(dice)), roles ? "query" : ""),
                   argument(tensor(weights, kBf16, maybe_nd(dice)), roles ? "weights" : ""),
                   argument(tensor(cache, kInt8, maybe_nd(dice)), roles ? "cache" : ""),
                   argument(tensor({batch}, meta)), argument(tensor({batch, 33}, kInt32))};
  if (roles) std::swap(e.leaf.inputs[0], e.leaf.inputs[2]);
  e.row.outputs = {slot({batch * seq, 1, topk}, kInt32)};
  e.leaf.outputs = {tensor({batch, seq, topk}, kInt32)};
  state_lengths(dice, e);
  if (dice.coin()) {
    e.state("Runtime phase", "decode");
    e.leaf.attrs["phase"] = "decode";
  }
  if (dice.coin()) {
    e.state("API Path", "npu_lightning_indexer");
    if (dice.coin())
      e.leaf.attrs["api_path"] = "npu_lightning_indexer";
    else
      e.op.api_path = "npu_lightning_indexer";
  }
  e.kernel = "LightningIndexer";
  e.leaf.op = "tensor_cast.quant_lightning_indexer.default";
  e.coordinate = {batch * seq, blocks};
  return e;
}

Execution sparse_sharedkv(Dice& dice) {
  Execution e;
  const std::int64_t batch = dice.roll(1, 3), seq = dice.roll(1, 200), heads = dice.roll(1, 64);
  const std::int64_t dim = dice.roll(1, 128), blocks = dice.roll(1, 900), topk = dice.roll(1, 2048);
  // The rank is no field here: rows may be flat where calls are not.
  const Shape row_query{batch * seq, heads, dim};
  const Shape query = dice.coin() ? Shape{batch, seq, heads, dim} : row_query;
  const Shape cache{blocks, 128, 1, dim};
  e.row.inputs = {slot(row_query, kBf16),    slot(cache, kInt8),
                  slot(cache, kInt8),        slot({batch * seq, 1, topk}, kInt32),
                  slot({batch, 33}, kInt32), slot({batch}, kInt32),
                  slot({batch}, kInt64)};
  const bool roles = dice.coin();
  e.leaf.inputs = {argument(tensor(query, kBf16, maybe_nd(dice)), roles ? "query" : ""),
                   argument(tensor(cache, kInt8, maybe_nd(dice)), roles ? "cache" : ""),
                   argument(tensor(cache, kInt8), "value"),
                   argument(tensor({batch, seq, topk}, kInt32), roles ? "topk_indices" : ""),
                   argument(tensor({batch, 33}, kInt32), "block_table"),
                   argument(tensor({batch}, kInt32), "actual_seq_lengths_query"),
                   argument(tensor({batch}, kInt64), "actual_seq_lengths_kv")};
  state_lengths(dice, e);
  const std::string phase = dice.pick<std::string>({"prefill", "decode"});
  e.state("Runtime phase", phase);
  if (dice.coin()) e.leaf.attrs["phase"] = dice.coin() ? phase : "overruled";
  if (e.leaf.attrs.value("phase", "overruled") == "overruled") e.leaf.attrs["sparse_phase"] = phase;
  e.kernel = "SparseFlashAttention";
  e.leaf.op = "tensor_cast.sparse_attn_sharedkv.default";
  e.coordinate = {batch * seq};
  return e;
}

Execution compute_scale(Dice& dice) {
  Execution e;
  const std::int64_t m = dice.roll(2, 500), k = 32 * dice.roll(1, 60);
  const Shape lead = factored(dice, m);
  const bool block = dice.coin();
  const Dtype half{"float16", "DT_FLOAT16"};  // not BF16 on this path
  const Dtype dtype = dice.pick<Dtype>({kBf16, half});
  e.kernel = block ? "DynamicBlockQuant" : "DynamicQuant";
  e.leaf.op = "tensor_cast.dynamic_quantize_symmetric.default";
  e.row.inputs = {slot({m, k}, dtype)};
  e.leaf.inputs = {argument(tensor(joined(lead, {k}), dtype, maybe_nd(dice)))};
  e.row.outputs = {slot({m, k}, kInt8)};
  e.leaf.outputs = {tensor(joined(lead, {k}), kInt8, maybe_nd(dice))};
  for (std::int64_t i = dice.roll(1, 2); i > 0; --i) {
    if (block) {
      e.row.outputs.push_back(slot({m, k / 32}, kFloat));
      e.leaf.outputs.push_back(tensor(joined(lead, {k / 32}), kFloat, maybe_nd(dice)));
    } else if (dice.coin()) {  // per token, with or without a last dimension of 1
      e.row.outputs.push_back(slot({m}, kFloat));
      e.leaf.outputs.push_back(tensor(dice.coin() ? lead : joined(lead, {1}), kFloat, maybe_nd(dice)));
    } else {  // per tensor
      e.row.outputs.push_back(slot(dice.coin() ? Shape{1} : Shape{}, kFloat));
      e.leaf.outputs.push_back(tensor(dice.coin() ? Shape{1} : Shape{}, kFloat, maybe_nd(dice)));
    }
  }
  e.coordinate = {m, k};
  return e;
}

Execution scatter(Dice& dice) {
  Execution e;
  const std::int64_t tokens = dice.roll(1, 600), dim = dice.roll(1, 600);
  const Shape cache{dice.roll(1, 900), 128, dim};
  const Shape row_update = dice.roll(0, 4) == 0 ? Shape{tokens} : Shape{tokens, dim};
  const Shape update = row_update.size() == 1 || tokens % 2 != 0 ? row_update : Shape{2, tokens / 2, dim};
  e.row.inputs = {slot(cache, kInt8), slot({tokens, 1}, kInt64), slot(row_update, kBf16)};
  const bool roles = dice.coin();
  e.leaf.inputs = {argument(tensor(update, kBf16, maybe_nd(dice)), roles ? "update" : ""),
                   argument(tensor(cache, kInt8, maybe_nd(dice)), roles ? "cache" : ""),
                   argument(tensor({tokens, 1}, kInt64, maybe_nd(dice)), roles ? "index" : "")};
  if (roles) std::swap(e.leaf.inputs[0], e.leaf.inputs[2]);
  e.kernel = "ScatterNdUpdate";
  e.leaf.op = "tensor_cast.scatter_nd_update_mla.default";
  e.coordinate = {tokens};
  return e;
}

Execution generic(Dice& dice) {
  Execution e;
  const bool numel = dice.coin();
  e.axis_policy = numel ? "output_numel" : "axis_0";
  for (std::int64_t i = dice.roll(1, 3); i > 0; --i) {
    Shape shape;
    for (std::int64_t r = dice.roll(1, 3); r > 0; --r) shape.push_back(dice.roll(2, 50));
    const Dtype dtype = dice.pick<Dtype>({kBf16, kFloat, kInt64});
    e.row.inputs.push_back(slot(shape, dtype));
    e.leaf.inputs.push_back(
        argument(tensor(shape.size() >= 2 && dice.coin() ? joined({1}, shape) : shape, dtype)));
  }
  const Shape output{dice.roll(2, 50), dice.roll(2, 50)};
  e.row.outputs = {slot(output, kBf16)};
  e.leaf.outputs = {tensor(dice.coin() ? joined({1}, output) : output, kBf16)};
  if (dice.coin()) {  // absent optional inputs hold a position and are in no signature
    e.row.inputs.insert(e.row.inputs.begin() + 1, TensorSlot{false, {}, "DT_UNDEFINED", "NULL"});
    e.leaf.inputs.push_back({Argument::Kind::absent, "", {}});
  }
  e.kernel = "ConcatD";
  e.leaf.op = "aten.cat.default";
  const std::int64_t first = e.row.inputs[0].shape[0];
  e.coordinate = numel ? std::vector<std::int64_t>{kNoAxis, output[0] * output[1]}
                       : std::vector<std::int64_t>{first, kNoAxis};
  return e;
}

Execution attention(Dice& dice) {
  Execution e;
  const std::int64_t requests = dice.roll(1, 8), heads = dice.roll(1, 64), dim = dice.roll(1, 128);
  const std::int64_t kv = dice.roll(1, 8);
  const bool bnsd = dice.coin();
  const std::int64_t tokens = bnsd ? requests : requests * dice.roll(1, 100);
  std::vector<std::int64_t> lens;
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < requests; ++i) sum += lens.emplace_back(dice.roll(1, 4000));
  const std::int64_t seq = sum / requests;  // whole numbers: rounded down
  const Shape key = bnsd ? Shape{77, kv, 128, dim} : Shape{77, 128, kv, dim};
  const Shape row_query = bnsd ? Shape{requests, heads, 1, dim} : Shape{tokens, heads, dim};
  const Shape query = !bnsd && dice.coin() ? Shape{tokens, heads * dim} : row_query;
  e.row.inputs = {slot(row_query, kBf16), slot(key, kBf16)};
  const bool roles = dice.coin();
  e.leaf.inputs = {argument(tensor(query, kBf16, maybe_nd(dice)), roles ? "query" : ""),
                   argument(tensor(key, kBf16, maybe_nd(dice)), roles ? "key" : "")};
  if (roles) std::swap(e.leaf.inputs[0], e.leaf.inputs[1]);
  e.leaf.attrs["seq_lens"] = lens;
  e.state(dice.coin() ? "Runtime avg_seq_len" : "avg_seq_len",
          std::to_string(seq) + (dice.coin() ? ".0" : ""));
  if (!bnsd || dice.coin()) e.state("Runtime batch_size", std::to_string(requests));
  e.state("Runtime sparse_mode", bnsd ? "0" : "3");
  e.state("Runtime num_key_value_heads", std::to_string(kv) + (dice.coin() ? ".0" : ""));
  e.state("Runtime input_layout", bnsd ? "BNSD_NBSD" : "TND");
  if (dice.coin()) {
    e.state("Runtime quant_mode", "2");
    e.leaf.attrs["quant_mode"] = "2";
  }
  e.kernel = "FusedInferAttentionScore";
  e.leaf.op = "tensor_cast.attention.default";
  e.coordinate = {tokens, seq, requests, heads, dim};
  return e;
}

// --- the property ---

struct PathCase {
  const char* path;
  std::function<Execution(Dice&)> make;
};

class ExtractorAgreementTest : public testing::TestWithParam<PathCase> {};

std::string text(const FieldValue& value) {
  return std::visit([](const auto& v) { return nlohmann::json(v).dump(); }, value);
}

TEST_P(ExtractorAgreementTest, RowAndCallOfOneExecutionLandOnTheSamePoint) {
  const Path* path = find_path(GetParam().path);
  ASSERT_NE(path, nullptr);
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    Dice dice(seed);
    Execution e = GetParam().make(dice);
    e.op.op = e.leaf.op;
    e.op.kernels = {e.kernel};
    e.row.columns = &e.columns;
    e.row.cells = &e.cells;
    ProjectionKey key{GetParam().path, e.kernel, kAbsentInteger, e.axis_policy};
    if (path->spec().tc_input_count) key.tc_input_count = e.op.tc_input_count.value_or(kAbsentInteger);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + to_json(e.leaf).dump());
    const auto row = path->project(e.row, key);
    const auto call = path->target({e.leaf, e.op, e.kernel, e.axis_policy, e.options, {}});
    if (const auto* unfit = std::get_if<Unfit>(&row))
      FAIL() << "row: " << unfit->reason << ": " << unfit->detail;
    if (const auto* unfit = std::get_if<Unfit>(&call))
      FAIL() << "call: " << unfit->reason << ": " << unfit->detail;
    const auto& candidate = std::get<Candidate>(row);
    const auto& target = std::get<Target>(call);
    ASSERT_EQ(candidate.coordinate, e.coordinate);
    ASSERT_EQ(target.coordinate, e.coordinate);
    ASSERT_EQ(candidate.regime.size(), path->spec().fields.size());
    ASSERT_EQ(target.regime.size(), path->spec().fields.size());
    for (std::size_t i = 0; i < candidate.regime.size(); ++i)
      ASSERT_EQ(candidate.regime[i], target.regime[i])
          << path->spec().fields[i].name << ": row " << text(candidate.regime[i]) << ", call "
          << text(target.regime[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    EveryPath, ExtractorAgreementTest,
    testing::Values(PathCase{"matrix_compute", [](Dice& dice) { return matrix(dice, false); }},
                    PathCase{"communication", communication}, PathCase{"moe_fused", moe_fused},
                    PathCase{"elementwise", elementwise},
                    PathCase{"attention_lightning_indexer", lightning_indexer},
                    PathCase{"attention_sparse_sharedkv", sparse_sharedkv},
                    PathCase{"compute_scale", compute_scale},
                    PathCase{"quantized_matmul", [](Dice& dice) { return matrix(dice, true); }},
                    PathCase{"scatter_nd_update_mla", scatter}, PathCase{"generic_compute", generic},
                    PathCase{"attention_special", attention}),
    [](const auto& instance) { return std::string(instance.param.path); });

// [2,4,16,16] in FRACTAL_NZ is the logical [32,64] (formats §2): topk is 64 on both sides.
TEST(ExtractorAgreement, LightningIndexerReadsTopkFromTheLogicalOutput) {
  Dice dice(1);
  Execution e = lightning_indexer(dice);
  e.op.op = e.leaf.op;
  e.op.kernels = {e.kernel};
  e.row.columns = &e.columns;
  e.row.cells = &e.cells;
  e.row.outputs = {slot({2, 4, 16, 16}, kInt32, "FRACTAL_NZ")};
  e.leaf.outputs = {tensor({2, 4, 16, 16}, kInt32, "FRACTAL_NZ")};
  const Path& path = attention_lightning_indexer_path();
  const auto row = path.project(e.row, {"attention_lightning_indexer", e.kernel, kAbsentInteger, ""});
  const auto call = path.target({e.leaf, e.op, e.kernel, e.axis_policy, e.options, {}});
  ASSERT_TRUE(std::holds_alternative<Candidate>(row));
  ASSERT_TRUE(std::holds_alternative<Target>(call));
  EXPECT_EQ(std::get<Candidate>(row).regime, std::get<Target>(call).regime);
}

TEST(ExtractorAgreement, EveryPathIsCovered) {
  EXPECT_EQ(all_paths().size(), 11U);  // as many as above
}

}  // namespace
}  // namespace profdb
