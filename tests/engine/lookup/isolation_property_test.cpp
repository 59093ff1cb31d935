// What was measured under another regime, source class, layout or release never answers (contract, Terms,
// Open fields, and contract §5). Random releases and calls: every row's latency names the row, and a result
// is held against what was generated through its matched rows.
// Long: one generator per path, side by side.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/release.h"
#include "tests/support/shorthand.h"

namespace profdb {
namespace {

using nlohmann::json;
using test::TestRelease;

constexpr std::uint32_t kSeeds = 3;
constexpr const char* kLatencies = "Average Duration(us),Median Duration(us)";  // selected, fallback

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  std::int64_t roll(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }

 private:
  std::mt19937 engine_;
};

// Which regime fields of a subject differ from its base.
class Side {
 public:
  Side(const std::vector<std::string>& fields, std::set<std::string> changed)
      : fields_(&fields), changed_(std::move(changed)) {}
  bool operator()(const std::string& field) const {
    if (std::find(fields_->begin(), fields_->end(), field) == fields_->end())
      throw std::logic_error(field + " is no field of the subject");
    return changed_.contains(field);
  }
  std::int64_t pick(const std::string& field, std::int64_t base, std::int64_t other) const {
    return (*this)(field) ? other : base;
  }
  std::string pick(const std::string& field, const char* base, const char* other) const {
    return (*this)(field) ? other : base;
  }
  std::string name() const {
    std::string joined = "base";
    for (const std::string& field : changed_) joined += ", other " + field;
    return joined;
  }

 private:
  const std::vector<std::string>* fields_;
  std::set<std::string> changed_;
};

using Dims = std::vector<std::int64_t>;

// A tensor under its framework dtype; `list` > 0 for that many of them in one argument.
struct Part {
  std::string dtype;
  Dims shape;
  std::string format = "ND";
  std::string role = {};
  std::int64_t list = 0;
};

// One execution of a kernel: the row that measured it and the call that asks for it.
struct Execution {
  std::string op;
  std::vector<Part> call;  // in call order
  std::vector<Part> row;   // in row order
  std::vector<Part> outputs;
  json attrs = json::object();
  std::vector<std::string> cells = {};  // of the further columns
  std::optional<std::int64_t> ep_size = {};
};

// A path with executions along one axis (`t`, even), in a regime that a side varies.
struct Subject {
  std::string path;
  std::string kernel;
  std::vector<std::string> ops;
  std::string selector;  // of every operator's mapping entry
  std::string columns;   // further ones, each after a comma
  std::vector<std::string> fields;
  bool exact_in_regime;  // false where exactness is contract §2's alone, which compares no formats
  std::function<Execution(const Side&, std::int64_t t)> make;
};

std::string n(std::int64_t number) {
  return std::to_string(number);
}

std::string row_word(const Part& part) {
  static const std::map<std::string, std::string> profiler = {
      {"bfloat16", "DT_BF16"}, {"float16", "DT_FLOAT16"}, {"float32", "FLOAT"}, {"int8", "INT8"},
      {"int32", "INT32"},      {"int64", "INT64"},        {"int4", "INT4"}};
  std::string dims;
  for (const std::int64_t d : part.shape) dims += (dims.empty() ? "" : ",") + n(d);
  return profiler.at(part.dtype) + "[" + dims + "]:" + part.format + " ";
}

json call_tensor(const Part& part) {
  json tensor = {{"dtype", part.dtype}, {"shape", part.shape}};
  if (!part.format.empty()) tensor["format"] = part.format;
  return tensor;
}

std::string leaf_text(const Execution& execution) {
  json leaf = {{"op", execution.op}, {"inputs", json::array()}, {"attrs", execution.attrs}};
  for (const Part& part : execution.call) {
    json argument = call_tensor(part);
    if (part.list > 0) argument = {{"repeat", part.list}, {"of", std::move(argument)}};
    if (!part.role.empty()) argument["role"] = part.role;
    leaf["inputs"].push_back(argument);
  }
  for (const Part& part : execution.outputs) leaf["outputs"].push_back(call_tensor(part));
  return leaf.dump();
}

std::string row_text(const Execution& execution, std::vector<std::string> cells) {
  cells.insert(cells.end(), execution.cells.begin(), execution.cells.end());
  std::string inputs, outputs;
  for (const Part& part : execution.row) inputs += row_word(part);
  for (const Part& part : execution.outputs) outputs += row_word(part);
  return test::measured(inputs, outputs, cells);
}

// [R, C] as it stands, or tiled.
Part matrix(const std::string& dtype, Dims lead, std::int64_t r, std::int64_t c, bool tiled) {
  if (tiled)
    lead.insert(lead.end(), {r / 16, c / 16, 16, 16});
  else
    lead.insert(lead.end(), {r, c});
  return {dtype, lead, tiled ? "FRACTAL_NZ" : "ND"};
}

Part as_list(Part part, std::int64_t count) {  // per-expert weights of a call
  part.list = count;
  return part;
}

// --- the paths ---

Subject moe_fused(Dice& dice) {
  const std::int64_t hidden0 = 16 * dice.roll(4, 9), inner = 16 * dice.roll(12, 19);
  const std::int64_t experts0 = dice.roll(2, 4), ep = dice.roll(2, 8);
  return {"moe_fused",
          "DispatchFFNCombine",
          {"tensor_cast.dispatch_ffn_combine_quant.default",
           "tensor_cast.dispatch_ffn_combine_quant_int4.default"},
          "query_mode: moe_fused",
          ",EP Size",
          {"activation_dtype", "activation_format", "quant_subtype", "gmm1_weight_shape", "gmm2_weight_shape",
           "hidden", "topk", "ep_size", "gmm1_weight_format", "gmm2_weight_format", "experts"},
          true,
          [=](const Side& s, std::int64_t t) {
            const auto hidden = s.pick("hidden", hidden0, hidden0 + 16), topk = s.pick("topk", 6, 8);
            const auto n1 = s.pick("gmm1_weight_shape", inner, inner + 16);
            const auto n2 = s.pick("gmm2_weight_shape", inner, inner + 16);
            const auto experts = s.pick("experts", experts0, experts0 + 1);
            const std::string dtype = s.pick("quant_subtype", "int8", "int4");
            const Part x{s.pick("activation_dtype", "bfloat16", "float32"),
                         {t, hidden},
                         s.pick("activation_format", "ND", "NCHW")};
            const Part indices{"int32", {t, topk}};
            const bool tiled1 = s("gmm1_weight_format"), tiled2 = s("gmm2_weight_format");
            Execution e;
            e.op =
                "tensor_cast.dispatch_ffn_combine_quant" + s.pick("quant_subtype", "", "_int4") + ".default";
            e.call = {x, indices, as_list(matrix(dtype, {}, hidden, n1, tiled1), experts),
                      as_list(matrix(dtype, {}, n2, hidden, tiled2), experts)};
            e.row = {x, matrix(dtype, {experts}, hidden, n1, tiled1),
                     matrix(dtype, {experts}, n2, hidden, tiled2), indices};
            e.outputs = {x};
            e.ep_size = s.pick("ep_size", ep, ep + 1);
            e.cells = {n(*e.ep_size)};
            return e;
          }};
}

Subject elementwise(Dice& dice) {
  const std::int64_t d = 2 * dice.roll(2, 30), tail0 = 2 * dice.roll(2, 30);
  return {"elementwise",
          "Add",
          {"aten.add.Tensor"},
          "query_mode: elementwise",
          "",
          {"output_tail", "output_rank", "input_count", "broadcast_pattern", "input_dtypes", "output_dtype",
           "input_formats"},
          true,
          [=](const Side& s, std::int64_t t) {
            const auto tail = s.pick("output_tail", tail0, tail0 + 2);
            const Dims shape = s("output_rank") ? Dims{t, 2, d, tail} : Dims{t, d, tail};
            const Part full{s.pick("input_dtypes", "bfloat16", "float32"), shape,
                            s.pick("input_formats", "ND", "NCHW")};
            Execution e;
            e.op = "aten.add.Tensor";
            e.row = {full, s("broadcast_pattern") ? Part{"bfloat16", {tail}} : Part{"bfloat16", shape}};
            if (s("input_count")) e.row.push_back(full);
            e.call = e.row;
            e.outputs = {{s.pick("output_dtype", "bfloat16", "float32"), shape}};
            return e;
          }};
}

Subject lightning_indexer(Dice& dice) {
  const std::int64_t heads0 = dice.roll(4, 60), dim0 = dice.roll(16, 128), blocks = dice.roll(50, 900);
  return {"attention_lightning_indexer",
          "LightningIndexer",
          {"tensor_cast.quant_lightning_indexer.default"},
          "query_mode: attention_lightning_indexer",
          ",Runtime actual_seq_lengths_values,Runtime actual_seq_lengths_kv_values,Runtime phase,API Path",
          {"query_dtype", "cache_dtype", "cache_tail", "query_format", "cache_format", "query_rank", "heads",
           "head_dim", "topk", "metadata", "query_lens", "seq_lens", "phase", "api_path"},
          true,
          [=](const Side& s, std::int64_t t) {
            const auto heads = s.pick("heads", heads0, heads0 + 1), dim = s.pick("head_dim", dim0, dim0 + 1);
            const auto page = s.pick("cache_tail", 128, 64), topk = s.pick("topk", 2048, 1024);
            const Part query{s.pick("query_dtype", "bfloat16", "int8"),
                             s("query_rank") ? Dims{2, t / 2, heads, dim} : Dims{t, heads, dim},
                             s.pick("query_format", "ND", "NCHW")};
            const Part cache{s.pick("cache_dtype", "int8", "bfloat16"),
                             {blocks, page, 1, dim0},
                             s.pick("cache_format", "ND", "NCHW")};
            const Part weights{"bfloat16", {t, heads}};
            const Part lengths{"int32", {s.pick("metadata", 2, 3)}};
            Execution e;
            e.op = "tensor_cast.quant_lightning_indexer.default";
            e.call = {query, weights, cache, lengths};
            e.row = {query, cache, weights, lengths};
            e.outputs = {{"int32", {t, 1, topk}}};
            const auto query_lens = s.pick("query_lens", 5, 6), seq_lens = s.pick("seq_lens", 70, 71);
            e.attrs = {{"query_lens", {query_lens, 9}},
                       {"seq_lens", {seq_lens, 90}},
                       {"phase", s.pick("phase", "decode", "prefill")},
                       {"api_path", s.pick("api_path", "a", "b")}};
            e.cells = {n(query_lens) + ";9", n(seq_lens) + ";90", s.pick("phase", "decode", "prefill"),
                       s.pick("api_path", "a", "b")};
            return e;
          }};
}

Subject sparse_sharedkv(Dice& dice) {
  const std::int64_t heads0 = dice.roll(4, 60), dim0 = dice.roll(16, 128), blocks0 = dice.roll(50, 900);
  return {"attention_sparse_sharedkv",
          "SparseFlashAttention",
          {"tensor_cast.sparse_attn_sharedkv.default"},
          "query_mode: attention_sparse_sharedkv",
          ",Runtime actual_seq_lengths_values,Runtime actual_seq_lengths_kv_values,Runtime phase",
          {"query_dtype", "cache_dtype", "query_format", "cache_format", "heads", "head_dim", "cache_shape",
           "sparse_phase", "selected_topk", "metadata", "query_lens", "seq_lens"},
          true,
          [=](const Side& s, std::int64_t t) {
            const auto heads = s.pick("heads", heads0, heads0 + 1), dim = s.pick("head_dim", dim0, dim0 + 1);
            const Part query{s.pick("query_dtype", "bfloat16", "int8"),
                             {t, heads, dim},
                             s.pick("query_format", "ND", "NCHW"),
                             "query"};
            const Part cache{s.pick("cache_dtype", "int8", "bfloat16"),
                             {s.pick("cache_shape", blocks0, blocks0 + 1), 128, 1, dim0},
                             s.pick("cache_format", "ND", "NCHW"),
                             "cache"};
            const Part value{"int8", {blocks0, 128, 1, dim0}};
            const Part indices{"int32", {t, 1, s.pick("selected_topk", 2048, 1024)}, "ND", "topk_indices"};
            const Part table{"int32", {s.pick("metadata", 2, 3), 33}, "ND", "block_table"};
            Execution e;
            e.op = "tensor_cast.sparse_attn_sharedkv.default";
            e.call = {query, cache, value, indices, table};
            e.row = e.call;
            e.outputs = {query};
            const auto query_lens = s.pick("query_lens", 5, 6), seq_lens = s.pick("seq_lens", 70, 71);
            const std::string phase = s.pick("sparse_phase", "decode", "prefill");
            e.attrs = {{"query_lens", {query_lens}}, {"seq_lens", {seq_lens}}, {"phase", phase}};
            e.cells = {n(query_lens), n(seq_lens), phase};
            return e;
          }};
}

Subject compute_scale(Dice& dice) {
  const std::int64_t k = 2 * dice.roll(300, 400);
  return {"compute_scale",
          "DynamicQuant",
          {"tensor_cast.dynamic_quantize_symmetric.default"},
          "compute_subcategory: compute_scale",
          "",
          {"input_dtype", "input_format", "output_count", "output_dtypes", "output_formats", "scale_modes"},
          true,
          [=](const Side& s, std::int64_t t) {
            Execution e;
            e.op = "tensor_cast.dynamic_quantize_symmetric.default";
            e.row = {
                {s.pick("input_dtype", "bfloat16", "float16"), {t, k}, s.pick("input_format", "ND", "NCHW")}};
            e.call = e.row;
            const Part scale{s.pick("output_dtypes", "float32", "bfloat16"),
                             s("scale_modes") ? Dims{1} : Dims{t}, s.pick("output_formats", "ND", "NCHW")};
            e.outputs = {{"int8", {t, k}}, scale};
            if (s("output_count")) e.outputs.push_back(scale);
            return e;
          }};
}

Subject quantized_matmul(Dice& dice) {
  const std::int64_t k = 16 * dice.roll(4, 30), width = 16 * dice.roll(31, 60);
  return {
      "quantized_matmul",
      "QuantBatchMatmulV3",
      {"tensor_cast.static_quant_linear.default", "tensor_cast.static_quant_linear_int4.default"},
      "compute_subcategory: quantized_matmul, tc_input_count: 2",
      "",
      {"input_dtypes", "lead_a", "quant_subtype", "output_count", "output_dtypes", "output_formats",
       "input_formats"},
      true,
      [=](const Side& s, std::int64_t t) {
        Execution e;
        e.op = "tensor_cast.static_quant_linear" + s.pick("quant_subtype", "", "_int4") + ".default";
        e.row = {
            matrix(s.pick("input_dtypes", "int8", "bfloat16"), s("lead_a") ? Dims{3} : Dims{}, t, k, false),
            matrix(s.pick("quant_subtype", "int8", "int4"), {}, k, width, s("input_formats"))};
        e.call = e.row;
        e.call.push_back({"float32", {width}});  // the scale: beyond tc_input_count
        const Part output{
            s.pick("output_dtypes", "bfloat16", "int32"), {t, width}, s.pick("output_formats", "ND", "NCHW")};
        e.outputs = {output};
        if (s("output_count")) e.outputs.push_back(output);
        return e;
      }};
}

Subject scatter(Dice& dice) {
  const std::int64_t tail0 = dice.roll(30, 600), blocks0 = dice.roll(50, 900);
  return {"scatter_nd_update_mla",
          "ScatterNdUpdate",
          {"tensor_cast.scatter_nd_update_mla.default"},
          "query_mode: scatter_nd_update_mla",
          "",
          {"cache_dtype", "index_dtype", "update_dtype", "cache_shape", "update_tail", "cache_format",
           "index_format", "update_format"},
          true,
          [=](const Side& s, std::int64_t t) {
            const Part cache{s.pick("cache_dtype", "bfloat16", "int8"),
                             {s.pick("cache_shape", blocks0, blocks0 + 1), 128, tail0},
                             s.pick("cache_format", "ND", "NCHW")};
            const Part index{
                s.pick("index_dtype", "int64", "int32"), {t, 1}, s.pick("index_format", "ND", "NCHW")};
            const Part update{s.pick("update_dtype", "bfloat16", "int8"),
                              {t, s.pick("update_tail", tail0, tail0 + 1)},
                              s.pick("update_format", "ND", "NCHW")};
            Execution e;
            e.op = "tensor_cast.scatter_nd_update_mla.default";
            e.call = {update, cache, index};
            e.row = {cache, index, update};
            e.outputs = {cache};
            return e;
          }};
}

Subject generic_compute(Dice& dice) {
  const std::int64_t tail0 = dice.roll(30, 600), other0 = dice.roll(30, 600);
  return {"generic_compute",
          "ConcatD",
          {"aten.cat.default"},
          "",
          "",
          {"input_count", "input_dtypes", "input_0_tail", "other_input_shapes", "input_formats"},
          false,
          [=](const Side& s, std::int64_t t) {
            Execution e;
            e.op = "aten.cat.default";
            const Part other{"bfloat16", {s.pick("other_input_shapes", other0, other0 + 1)}};
            e.row = {{s.pick("input_dtypes", "bfloat16", "float32"),
                      {t, s.pick("input_0_tail", tail0, tail0 + 1)},
                      s.pick("input_formats", "ND", "NCHW")},
                     other};
            if (s("input_count")) e.row.push_back(other);
            e.call = e.row;
            e.outputs = {e.row[0]};
            return e;
          }};
}

Subject matrix_compute(Dice& dice) {
  const std::int64_t k = 16 * dice.roll(4, 30), width = 16 * dice.roll(31, 60), lead = dice.roll(2, 9);
  return {"matrix_compute",
          "BatchMatMulV2",
          {"aten.bmm.default"},
          "",
          "",
          {"input_count", "input_dtypes", "lead_a", "lead_b", "input_formats"},
          false,
          [=](const Side& s, std::int64_t t) {
            Execution e;
            e.op = "aten.bmm.default";
            const std::string dtype = s.pick("input_dtypes", "bfloat16", "float32");
            e.row = {matrix(dtype, {s.pick("lead_a", lead, lead + 1)}, t, k, false),
                     matrix(dtype, {s.pick("lead_b", lead, lead + 1)}, k, width, s("input_formats"))};
            if (s("input_count")) e.row.push_back({dtype, {width}});
            e.call = e.row;
            e.outputs = {{dtype, {lead, t, width}}};
            return e;
          }};
}

Subject attention_special(Dice& dice) {
  const std::int64_t heads = dice.roll(8, 60), dim = dice.roll(16, 128), kv0 = dice.roll(1, 8);
  const std::int64_t requests = dice.roll(2, 6);
  return {"attention_special",
          "FusedInferAttentionScore",
          {"tensor_cast.attention.default"},
          "query_mode: attention_special",
          ",Runtime avg_seq_len,Runtime batch_size,Runtime sparse_mode,Runtime num_key_value_heads,Runtime "
          "input_layout,Runtime quant_mode",
          {"query_dtype", "layout", "kv_heads", "quant_mode", "tokens"},
          true,
          [=](const Side& s, std::int64_t t) {
            const auto kv = s.pick("kv_heads", kv0, kv0 + 1);
            const auto tokens = s("tokens") ? requests + 1 : requests;
            const bool bnsd = s("layout");  // sparse mode and input layout go with the query's rank
            Execution e;
            e.op = "tensor_cast.attention.default";
            e.row = {{s.pick("query_dtype", "bfloat16", "int8"),
                      bnsd ? Dims{tokens, heads, 1, dim} : Dims{tokens, heads, dim}},
                     {"bfloat16", bnsd ? Dims{70, kv, 128, dim} : Dims{70, 128, kv, dim}}};
            e.call = e.row;
            e.outputs = {e.row[0]};
            const std::string quant = s.pick("quant_mode", "1", "2");
            e.attrs = {{"seq_lens", Dims(static_cast<std::size_t>(tokens), 100 * t)}, {"quant_mode", quant}};
            e.cells = {n(100 * t), n(tokens), bnsd ? "0" : "3", n(kv), bnsd ? "BNSD_NBSD" : "TND", quant};
            return e;
          }};
}

// --- releases ---

// A measurement that was generated; its id is its place in the file.
struct Generated {
  std::size_t side;
  bool selected;
  double latency_us;
};

struct Generation {
  std::string csv;
  std::vector<Generated> rows;
};

constexpr std::int64_t kFirst = 10, kStep = 20, kRowsPerSide = 8;

// Rows of every side along t = 10, 30, … 150: the ends and two more from the selected column, the rest by
// lot.
Generation generate(const Subject& subject, const std::vector<Side>& sides, Dice& dice, double base_latency) {
  Generation made;
  made.csv = test::csv_header(kLatencies + subject.columns);
  for (std::size_t side = 0; side < sides.size(); ++side) {
    for (std::int64_t i = 0; i < kRowsPerSide; ++i) {
      const bool selected = i == 0 || i == kRowsPerSide - 1 || dice.roll(0, 1) == 1;
      const double latency = base_latency + 100.0 * static_cast<double>(side) + static_cast<double>(i);
      const std::string cell = std::to_string(latency);
      made.csv += row_text(subject.make(sides[side], kFirst + kStep * i),
                           {selected ? cell : "", selected ? "" : cell});
      made.rows.push_back({side, selected, latency});
    }
  }
  return made;
}

std::string mapping_of(const Subject& subject) {
  std::string text = "operator_mappings:\n";
  for (const std::string& op : subject.ops)
    text += "  " + op + ": {kernel_type: " + subject.kernel +
            (subject.selector.empty() ? "" : ", " + subject.selector) + "}\n";
  return text;
}

Result ask(const std::string& database, const Execution& execution, const std::string& release = "") {
  EngineOptions options;
  options.release = release;
  options.ep_size = execution.ep_size;
  options.padded_match = PaddedMatch::off;  // rounds dimensions, which is not the subject here
  return *Engine(database, options).lookup(parse_leaf_op(leaf_text(execution)));
}

// Every matched row is of the side and of one source class. `first_id` is that of the generation's first row.
void expect_from(const Generation& made, std::size_t side, const Result& result, std::int64_t first_id = 1) {
  ASSERT_FALSE(result.details.matched_rows.empty());
  for (const MatchedRow& matched : result.details.matched_rows) {
    for (const std::int64_t id : matched.measurement_ids) {
      const auto place = id - first_id;
      ASSERT_TRUE(place >= 0 && place < static_cast<std::int64_t>(made.rows.size())) << "measurement " << id;
      const Generated& row = made.rows[static_cast<std::size_t>(place)];
      EXPECT_EQ(row.side, side) << "measurement " << id;
      EXPECT_EQ(row.latency_us, matched.latency_us) << "measurement " << id;
      EXPECT_EQ(row.selected ? "selected" : "fallback", result.details.source_class) << "measurement " << id;
    }
  }
}

class IsolationTest : public testing::TestWithParam<Subject (*)(Dice&)> {};

// Between measured points of the middle, or on one: the ends are measured, so every such t can be answered.
std::int64_t any_t(const Subject& subject, Dice& dice) {
  const std::int64_t t = kFirst + 2 * dice.roll(0, kStep * (kRowsPerSide - 1) / 2);
  return !subject.exact_in_regime && (t - kFirst) % kStep == 0 ? t + (t == kFirst ? 2 : -2) : t;
}

TEST_P(IsolationTest, OtherRegimesNeverAnswer) {
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    Dice dice(seed);
    const Subject subject = GetParam()(dice);
    const std::vector<Side> base{Side(subject.fields, {})};
    const Generation made = generate(subject, base, dice, 1000);
    const TestRelease release({{subject.kernel + ".csv", made.csv}}, mapping_of(subject));
    const std::int64_t t = any_t(subject, dice);
    SCOPED_TRACE(subject.path + ", seed " + std::to_string(seed) + ", t = " + n(t));
    const Result own = ask(release.database(), subject.make(base[0], t));
    ASSERT_TRUE(own.hit()) << to_json(own).dump();
    ASSERT_EQ(own.path, subject.path);
    expect_from(made, 0, own);
    for (const std::string& field : subject.fields) {
      const Result other = ask(release.database(), subject.make(Side(subject.fields, {field}), t));
      EXPECT_EQ(other.source, Source::miss) << "other " << field << ": " << to_json(other).dump();
    }
  }
}

TEST_P(IsolationTest, EveryRegimeAnswersFromItsOwnRows) {
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    Dice dice(1000 + seed);
    const Subject subject = GetParam()(dice);
    std::vector<Side> sides{Side(subject.fields, {})};
    for (const std::string& field : subject.fields) sides.emplace_back(subject.fields, std::set{field});
    const Generation made = generate(subject, sides, dice, 1000);
    const TestRelease release({{subject.kernel + ".csv", made.csv}}, mapping_of(subject));
    for (std::size_t side = 0; side < sides.size(); ++side) {
      const std::int64_t t = any_t(subject, dice);
      SCOPED_TRACE(subject.path + ", seed " + std::to_string(seed) + ", t = " + n(t) + ", " +
                   sides[side].name());
      const Result result = ask(release.database(), subject.make(sides[side], t));
      EXPECT_TRUE(result.hit()) << to_json(result).dump();
      if (result.hit()) expect_from(made, side, result);
    }
    // Two fields changed at once were measured nowhere.
    const std::size_t one =
        static_cast<std::size_t>(dice.roll(0, static_cast<std::int64_t>(subject.fields.size()) - 2));
    const Side both(subject.fields, {subject.fields[one], subject.fields[one + 1]});
    const Result result = ask(release.database(), subject.make(both, any_t(subject, dice)));
    EXPECT_EQ(result.source, Source::miss) << both.name() << ": " << to_json(result).dump();
  }
}

TEST_P(IsolationTest, OtherReleasesNeverAnswer) {
  Dice dice(77);
  const Subject subject = GetParam()(dice);
  const std::vector<Side> base{Side(subject.fields, {})};
  const Generation first = generate(subject, base, dice, 1000);
  const Generation second = generate(subject, base, dice, 2000);
  const test::TempFolder folder;
  importer::ImportOptions options;
  options.database = folder / "two.db";
  for (const auto& [version, made] : {std::pair{"1.0", &first}, std::pair{"2.0", &second}}) {
    const auto source = folder / version;
    test::write_file(source / (subject.kernel + ".csv"), made->csv);
    test::write_file(source / "op_mapping.yaml", mapping_of(subject));
    options.sources = {source};
    options.identity = test::test_identity(version);
    importer::import_release(options);
  }
  for (int i = 0; i < 5; ++i) {
    const Execution execution = subject.make(base[0], any_t(subject, dice));
    const Result one = ask(options.database.string(), execution, "TEST_NPU/synthetic/1.0");
    const Result two = ask(options.database.string(), execution, "TEST_NPU/synthetic/2.0");
    ASSERT_TRUE(one.hit()) << to_json(one).dump();
    ASSERT_TRUE(two.hit()) << to_json(two).dump();
    expect_from(first, 0, one);
    expect_from(second, 0, two, 1 + kRowsPerSide);
    EXPECT_NE(one.release, two.release);
  }
}

// A call that states no format takes the rows of one layout, all-ND ones first, and never of two (contract
// §3, §5).
TEST(IsolationFormatsTest, LayoutsNeverMixInOneInterpolation) {
  for (const auto make : {matrix_compute, generic_compute, elementwise}) {
    Dice dice(9);
    const Subject subject = make(dice);
    const std::vector<Side> sides{Side(subject.fields, {"input_formats"}), Side(subject.fields, {})};
    const Generation made = generate(subject, sides, dice, 1000);
    const TestRelease release({{subject.kernel + ".csv", made.csv}}, mapping_of(subject));
    for (int i = 0; i < 10; ++i) {
      const std::int64_t t = any_t(subject, dice);
      Execution execution = subject.make(sides[1], t);
      for (Part& part : execution.call) part.format.clear();
      SCOPED_TRACE(subject.path + ", t = " + n(t));
      const Result result = ask(release.database(), execution);
      ASSERT_TRUE(result.hit()) << to_json(result).dump();
      if (result.method != "base_exact") expect_from(made, 1, result);  // contract §2 compares no formats
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryPath, IsolationTest,
                         testing::Values(moe_fused, elementwise, lightning_indexer, sparse_sharedkv,
                                         compute_scale, quantized_matmul, scatter, generic_compute,
                                         matrix_compute, attention_special),
                         [](const auto& instance) {
                           Dice dice(1);
                           return instance.param(dice).path;
                         });

// Collectives have files of another kind: a size per row, and a group by devices, tier and dtype.
TEST(IsolationCommunicationTest, GroupsNeverMix) {
  struct Group {
    int devices;
    int tier;
    const char* dtype;
    const char* profiler;
    int item;
  };
  const std::vector<Group> groups = {{8, 0, "bfloat16", "DT_BF16", 2},
                                     {16, 0, "bfloat16", "DT_BF16", 2},
                                     {8, 1, "bfloat16", "DT_BF16", 2},
                                     {8, 0, "float32", "FLOAT", 4}};
  const std::string mapping =
      "operator_mappings:\n  tensor_cast.all_reduce.default: {kernel_type: hcom_allReduce_, category: "
      "communication}\n";
  const auto call = [](const Group& g, std::int64_t bytes) {
    Execution e;
    e.op = "tensor_cast.all_reduce.default";
    e.call = {{g.dtype, {bytes / g.item}}};
    e.attrs = {{"num_devices", g.devices}, {"topology_tier", g.tier}};
    return e;
  };
  Dice dice(5);
  // Every group alone answers its own calls and no others; all together, each its own.
  for (std::size_t present = 0; present <= groups.size(); ++present) {
    Generation made;
    made.csv = std::string("message_bytes,num_devices,topology_tier,dtype,") + kLatencies + "\n";
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (present != g && present != groups.size()) continue;
      for (std::int64_t i = 0; i < 6; ++i) {
        const double latency = 1000.0 * static_cast<double>(g + 1) + static_cast<double>(i);
        made.csv += n(4096 * (i + 1)) + "," + n(groups[g].devices) + "," + n(groups[g].tier) + "," +
                    groups[g].profiler + "," + std::to_string(latency) + ",\n";
        made.rows.push_back({g, true, latency});
      }
    }
    const TestRelease release({{"hcom_allReduce_.csv", made.csv}}, mapping);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const std::int64_t bytes = 4096 + 4 * dice.roll(0, 5120);
      SCOPED_TRACE("rows of group " + n(static_cast<std::int64_t>(present)) + ", call of group " +
                   n(static_cast<std::int64_t>(g)) + ", bytes " + n(bytes));
      const Result result = ask(release.database(), call(groups[g], bytes));
      EXPECT_EQ(result.hit(), present == g || present == groups.size()) << to_json(result).dump();
      if (result.hit()) expect_from(made, g, result);
    }
  }
}

}  // namespace
}  // namespace profdb
