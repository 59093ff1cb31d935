// Attention at sequence lengths between the measured ones (contract §13) that were not asked before, with
// warm caches but without whole results, against P from the same file.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "bench/draw.h"
#include "bench/floor_pair.h"

namespace profdb::bench {
namespace {

constexpr std::size_t kTargets = 2000;
constexpr std::int64_t kNear = 16;  // this far from a measured length nothing is interpolated yet

// Everything of a call but its sequence length.
struct Line {
  std::int64_t tokens = 0;
  std::int64_t batch = 0;
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t kv_heads = 0;
  std::string phase;
  auto operator<=>(const Line&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct AttentionCall {
  Line line;
  std::int64_t length = 0;
  auto operator<=>(const AttentionCall&) const = default;  // NOLINT(modernize-use-nullptr)
};

using Lengths = std::set<std::int64_t>;

// What calls in TND layout are answered from.
constexpr const char* kCandidates =
    "SELECT tokens, batch, heads, head_dim, CAST(kv_heads AS INTEGER), phase, seq\n"
    "FROM attention_special_candidate\n"
    "JOIN attention_special_regime USING (regime_id)\n"
    "WHERE query_dtype = 'DT_BF16' AND sparse_mode = '3' AND input_layout IN ('TND', '(no column)')\n"
    "AND batch > 0 AND source_class = 0";

std::map<Line, Lengths> measured_lines(const std::string& database) {
  SQLite::Database db = open_to_draw(database);
  SQLite::Statement row(db, kCandidates);
  std::map<Line, Lengths> lines;
  while (row.executeStep()) {
    const Line line{row.getColumn(0), row.getColumn(1), row.getColumn(2),
                    row.getColumn(3), row.getColumn(4), row.getColumn(5).getString()};
    lines[line].insert(row.getColumn(6).getInt64());
  }
  return lines;
}

bool near_any(const Lengths& lengths, std::int64_t length) {
  const auto it = lengths.lower_bound(length - kNear);
  return it != lengths.end() && *it <= length + kNear;
}

// Calls that were not measured, each between two measured lengths of its line and near none.
std::vector<AttentionCall> between_lengths(const std::map<Line, Lengths>& measured, std::size_t count) {
  std::vector<std::pair<Line, Lengths>> lines;  // with something between
  std::copy_if(measured.begin(), measured.end(), std::back_inserter(lines),
               [](const auto& line) { return line.second.size() > 1; });
  require(!lines.empty(), "no attention was measured at several sequence lengths");
  std::mt19937_64 random(kSeed);
  return collect<AttentionCall>(count, [&]() -> std::optional<AttentionCall> {
    const auto& [line, lengths] = draw_one(random, lines);
    const std::int64_t length = draw(random, *lengths.begin(), *lengths.rbegin());
    if (near_any(lengths, length)) return std::nullopt;
    return AttentionCall{line, length};
  });
}

// Sequences of one length, their cache in blocks of 128.
LeafOp leaf_of(const AttentionCall& call) {
  const Line& line = call.line;
  const auto tensor = [](std::vector<std::int64_t> shape) {
    return Tensor{std::move(shape), "bfloat16", std::nullopt};
  };
  const Tensor query = tensor({line.tokens, line.heads, line.head_dim});
  const Tensor cache = tensor({2048, 128, line.kv_heads, line.head_dim});
  LeafOp leaf;
  leaf.op = "tensor_cast.attention.default";
  leaf.inputs = {{Argument::Kind::tensor, "query", {query}},
                 {Argument::Kind::tensor, "key", {cache}},
                 {Argument::Kind::tensor, "value", {cache}}};
  leaf.outputs = {query};
  leaf.attrs["seq_lens"] = std::vector<std::int64_t>(static_cast<std::size_t>(line.batch), call.length);
  if (!line.phase.empty()) leaf.attrs["phase"] = line.phase;
  return leaf;
}

void require_along_seq(const Result& result) {
  require(result.source == Source::interpolated && result.path == "attention_special" && result.dim == 1 &&
              result.axes == std::vector<std::string>{"seq"},
          "an attention call is not interpolated along seq: " + to_json_text(result));
}

void attention(benchmark::State& state, const Settings& settings) {
  std::vector<LeafOp> leaves;
  for (const AttentionCall& call :
       between_lengths(measured_lines(settings.real), std::min(settings.leaves, kTargets)))
    leaves.push_back(leaf_of(call));
  EngineOptions options;
  options.cache_results = false;
  const Engine engine(settings.real, options);
  for (const LeafOp& leaf : leaves) require_along_seq(*engine.lookup(leaf));
  measure_against_p(state, settings, settings.real, all_measured(settings.real), engine, leaves);
}

}  // namespace

void register_attention(const Settings& settings) {
  if (settings.real.empty()) return;
  register_pair("attention/1d", settings,
                [settings](benchmark::State& state) { attention(state, settings); });
}

}  // namespace profdb::bench
