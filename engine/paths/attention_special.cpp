// Contract §13: FusedInferAttentionScore by sequence length, batch and heads, at equal tokens.
// Long: a path is one file, and this one has four steps of its own.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/statistics.h"
#include "engine/lookup/base_exact.h"
#include "engine/lookup/search.h"
#include "engine/paths/registry.h"
#include "engine/paths/roles.h"

namespace profdb {
namespace {

// Axes, in the order of the candidate table. Tokens are in no group: they are always equal.
enum Axis : std::size_t { kTokens, kSeq, kBatch, kHeads, kHeadDim };
// Fields, likewise.
enum Field : std::size_t { kQueryDtype, kSparseMode, kKvHeads, kInputLayout, kPhase, kQuantMode };

constexpr std::int64_t kNearSeq = 16;
constexpr std::int64_t kLargestGroup = 3;     // axes
constexpr double kAttentionConfidence = 0.9;  // contract §1: exact and compatible

struct QueryTnd {
  std::int64_t tokens = 0;
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
  bool is_bnsd = false;  // rank 4: [B,N,1,D]
};

std::optional<QueryTnd> query_tnd(const Shape& query, const Shape& key) {
  switch (query.size()) {
    case 3:
      return QueryTnd{query[0], query[1], query[2], false};
    case 4:
      if (query[2] != 1) return std::nullopt;
      return QueryTnd{query[0], query[1], query[3], true};
    case 2:
      if (key.empty() || key.back() <= 0 || query[1] % key.back() != 0) return std::nullopt;
      return QueryTnd{query[0], query[1] / key.back(), key.back(), false};
    default:
      return std::nullopt;
  }
}

// A cell as it is compared: whole numbers without their ".0"; kNoColumn where the file lacks the column.
std::string column_text(const Row& row, std::string_view name) {
  if (!row.has_column(name)) return std::string(kNoColumn);
  const std::string_view cell = row.field(name);
  if (cell == kNoColumn)
    return std::string(cell) + " in the file";  // a cell never passes for a missing column
  const auto number = cell_number(cell);
  if (number && *number == std::floor(*number) && std::abs(*number) < 1e15)
    return std::to_string(static_cast<std::int64_t>(*number));
  return std::string(cell);
}

// ⌊mean(seq_lens)⌋ and how many there are; nothing for lists that are no lists of lengths.
std::optional<std::pair<std::int64_t, std::int64_t>> mean_length(const LeafOp& leaf) {
  const auto it = leaf.attrs.find("seq_lens");
  if (it == leaf.attrs.end() || !it->is_array() || it->empty()) return std::nullopt;
  double sum = 0;
  for (const auto& length : *it) {
    if (!length.is_number()) return std::nullopt;
    sum += length.get<double>();
  }
  const auto count = static_cast<std::int64_t>(it->size());
  const double mean = std::floor(sum / static_cast<double>(count));
  if (!(mean > 0) || mean > 9007199254740992.0) return std::nullopt;
  return std::pair{static_cast<std::int64_t>(mean), count};
}

bool pads_either_way(std::int64_t a, std::int64_t b) {
  return a == b || base_exact::pads_to(a, b) || base_exact::pads_to(b, a);
}

// The rows of one source class of one regime, as the target sees them.
struct ClassRows {
  const store::RegimeRow* regime = nullptr;
  SourceClass source_class = SourceClass::selected;
  std::vector<store::CandidateRow> rows;
  std::vector<std::int64_t> target;  // its coordinate; without a batch where the regime has none
};
using AllRows = std::vector<ClassRows>;  // selected rows of every regime, then fallback rows

bool has_batch(const store::CandidateRow& row) {
  return row.coordinate[kBatch] != kNoAxis;
}

AllRows load(SearchContext& context, const KernelSearch& search) {
  AllRows all;
  for (const SourceClass source_class : {SourceClass::selected, SourceClass::fallback})
    for (const store::RegimeRow& regime : search.regimes())
      all.push_back({&regime, source_class,
                     context.candidates.whole_class(context.spec(), regime, source_class)->rows(),
                     search.target->coordinate});
  for (ClassRows& rows : all) {
    // Rows without a batch are candidates only where no row of the regime has one.
    const bool batched = std::any_of(all.begin(), all.end(), [&](const ClassRows& other) {
      return other.regime == rows.regime && std::any_of(other.rows.begin(), other.rows.end(), has_batch);
    });
    if (!batched) rows.target[kBatch] = kNoAxis;
  }
  for (ClassRows& rows : all)
    if (rows.target[kBatch] != kNoAxis)
      std::erase_if(rows.rows, [](const auto& row) { return !has_batch(row); });
  return all;
}

// Rows that equal the target on every axis but those of `free`.
std::vector<store::CandidateRow> fixed(const ClassRows& rows, const AxisGroup& free) {
  std::vector<store::CandidateRow> kept;
  for (const store::CandidateRow& row : rows.rows) {
    bool equal = true;
    for (std::size_t axis = kTokens; axis <= kHeadDim; ++axis)
      equal = equal && (row.coordinate[axis] == rows.target[axis] ||
                        std::find(free.begin(), free.end(), axis) != free.end());
    if (equal) kept.push_back(row);
  }
  return kept;
}

bool has_tokens(const ClassRows& rows) {
  return std::any_of(rows.rows.begin(), rows.rows.end(),
                     [&](const auto& row) { return row.coordinate[kTokens] == rows.target[kTokens]; });
}

bool interpolates(const store::RegimeRow& regime) {
  return std::get<std::string>(regime.values[kSparseMode]) != kNoColumn &&
         std::get<std::string>(regime.values[kKvHeads]) != kNoColumn;
}

class AttentionSteps final : public SearchSteps {
 public:
  ResolvedRegimes resolve(const PathSpec& spec, const std::vector<FieldValue>& target,
                          std::vector<store::RegimeRow> regimes) const override {
    std::erase_if(regimes, [&](const store::RegimeRow& regime) {
      const auto differs = [&](std::size_t field) {
        return regime.values[field] != target[field] &&
               std::get<std::string>(regime.values[field]) != kNoColumn;
      };
      return differs(kSparseMode) || differs(kKvHeads) || differs(kInputLayout);
    });
    auto resolved = resolve_regimes(spec, target, std::move(regimes));
    if (auto* groups = std::get_if<RegimeGroups>(&resolved)) {
      const auto unknown = [](const store::RegimeRow& regime) {
        return std::count(regime.values.begin(), regime.values.end(), FieldValue(std::string(kNoColumn)));
      };
      std::stable_sort(groups->begin(), groups->end(),
                       [&](const auto& a, const auto& b) { return unknown(a) < unknown(b); });
    }
    return resolved;
  }

  bool exact(SearchContext& context, KernelSearch& search) const override {
    if (search.failure || !exact_in(context, search, load(context, search))) return false;
    context.finish_hit(search, Source::measured, kAttentionConfidence);
    return true;
  }

  bool near(SearchContext& context, KernelSearch& search) const override {
    if (search.failure || !near_in(context, search, load(context, search))) return false;
    context.result.match_rule = "seq_len_within_16";
    context.finish_hit(search, Source::compatible, kAttentionConfidence);
    return true;
  }

  bool interpolate(SearchContext& context, KernelSearch& search) const override {
    if (search.failure) return false;
    if (!context.options.interpolation) {
      context.fail(search, "interpolation_off");
      return false;
    }
    return interpolate_in(context, search, load(context, search), true);
  }

  bool padded(SearchContext& context, KernelSearch& search) const override {
    const bool off_only = search.failure && search.failure->reason == "interpolation_off";
    if (!search.target || search.regimes().empty() || (search.failure && !off_only)) return false;
    AllRows all = load(context, search);
    const auto recorded = take_as_target(all);
    if (!exact_in(context, search, all) && !near_in(context, search, all) &&
        !(context.options.interpolation && interpolate_in(context, search, all, false)))
      return false;
    context.result.details.target_axes.clear();
    for (MatchedRow& row : context.result.details.matched_rows) restore(row, recorded, context.spec());
    context.result.match_rule = "padding";
    context.result.details.fallback_from.clear();
    context.finish_hit(search, Source::compatible, kAttentionConfidence);
    return true;
  }

 private:
  using Recorded =
      std::map<std::int64_t, std::vector<std::int64_t>>;  // measurement -> coordinate as measured

  static bool exact_in(SearchContext& context, KernelSearch& search, const AllRows& all) {
    for (const ClassRows& rows : all) {
      const auto points = merge_points(fixed(rows, {}));
      if (points.empty()) continue;
      context.answer_point(search, *rows.regime, rows.source_class, points.front(), "exact_coordinate");
      return true;
    }
    return false;
  }

  // The nearest seq within 16 at otherwise equal coordinates; two equally near: the median of both.
  static bool near_in(SearchContext& context, KernelSearch& search, const AllRows& all) {
    for (const ClassRows& rows : all) {
      const std::int64_t seq = rows.target[kSeq];
      auto nearest = fixed(rows, {kSeq});
      std::int64_t distance = kNearSeq;
      for (const auto& row : nearest) distance = std::min(distance, std::abs(row.coordinate[kSeq] - seq));
      std::erase_if(nearest,
                    [&](const auto& row) { return std::abs(row.coordinate[kSeq] - seq) != distance; });
      if (nearest.empty()) continue;
      const auto points = merge_points(nearest);
      std::vector<double> latencies;
      latencies.reserve(nearest.size());
      for (const auto& row : nearest) latencies.push_back(row.latency_us);
      context.answer_point(search, *rows.regime, rows.source_class, points.front(), "nearest_seq");
      context.result.latency_us = median(latencies);
      context.result.details.candidate_count = nearest.size();
      for (std::size_t i = 1; i < points.size(); ++i)
        context.result.details.matched_rows.push_back(matched_row(context.spec(), points[i], std::nullopt));
      return true;
    }
    return false;
  }

  static bool interpolate_in(SearchContext& context, KernelSearch& search, const AllRows& all, bool note) {
    // Within a regime selected rows come before fallback rows; regimes one after the other (contract §1).
    for (const store::RegimeRow& regime : search.regimes())
      for (const ClassRows& rows : all)
        if (rows.regime == &regime && interpolate_class(context, search, rows, note)) return true;
    return false;
  }

  static bool interpolate_class(SearchContext& context, KernelSearch& search, const ClassRows& rows,
                                bool note) {
    const PathSpec& spec = context.spec();
    if (rows.rows.empty()) return false;  // the regime's other source class has rows
    const std::int64_t ceiling = search.plan.max_interpolation_dim;
    if (interpolates(*rows.regime) && !has_tokens(rows) && ceiling >= kLargestGroup) {
      // Every group would find nothing, for one reason: say it once.
      Interpolation none;
      none.attempt.reason = "insufficient_candidates";
      none.attempt.message = "no row of the regime has T = " + std::to_string(rows.target[kTokens]) +
                             " tokens; attention is interpolated at equal T only";
      if (note) context.note(none, search, *rows.regime, rows.source_class);
      return false;
    }
    AxisTransform square_root(spec.axes.size(), false);
    square_root[kSeq] = search.plan.takes_sqrt_seq;
    for (const AxisGroup& group : spec.groups) {
      if (std::any_of(group.begin(), group.end(), [&](auto axis) { return rows.target[axis] == kNoAxis; }))
        continue;
      Interpolation tried;
      if (!interpolates(*rows.regime)) {
        tried.attempt.reason = "regime_mismatch";
        tried.attempt.message = "the file states no sparse mode or no KV heads: exact and near lengths only";
      } else if (static_cast<std::int64_t>(group.size()) > ceiling) {
        tried.attempt.reason = "interpolation_dim_disabled";
      } else {
        tried = profdb::interpolate(GroupPoints(spec, group, merge_points(fixed(rows, group)), square_root),
                                    rows.target);
      }
      if (tried.attempt.axes.empty())
        for (const std::size_t axis : group) tried.attempt.axes.emplace_back(spec.axes[axis]);
      if (note) context.note(tried, search, *rows.regime, rows.source_class);
      if (!tried.answered()) continue;
      context.answer_interpolation(search, *rows.regime, rows.source_class, std::move(tried), group.size());
      if (square_root[kSeq]) show_transform(context);
      return true;
    }
    return false;
  }

  // Both sides of the transform: the boundary in tokens stands in `boundary` already.
  static void show_transform(SearchContext& context) {
    Details& details = context.result.details;
    details.path_fields.emplace_back("axis_transform", std::string("sqrt_seq"));
    for (std::size_t i = 0; i < details.boundary.size(); ++i) {
      if (details.boundary[i].axis != "seq") continue;
      details.boundary.push_back(
          {"sqrt_seq", std::sqrt(details.boundary[i].low), std::sqrt(details.boundary[i].high)});
      return;
    }
  }

  // Keeps the rows of the nearest T that rounds to the target's (or the other way about), batch likewise, and
  // gives them the target's T and batch. A regime that has the target's own T gives none.
  static Recorded take_as_target(AllRows& all) {
    Recorded recorded;
    for (const ClassRows& rows : all)
      for (const auto& row : rows.rows) recorded[row.measurement_id] = row.coordinate;
    std::vector<const store::RegimeRow*> regimes;
    for (const ClassRows& rows : all)
      if (std::find(regimes.begin(), regimes.end(), rows.regime) == regimes.end())
        regimes.push_back(rows.regime);
    for (const store::RegimeRow* regime : regimes) take_regime(all, regime);
    return recorded;
  }

  static void take_regime(AllRows& all, const store::RegimeRow* regime) {
    std::optional<std::int64_t> nearest;
    bool has_own = false;
    for (const ClassRows& rows : all) {
      if (rows.regime != regime) continue;
      const std::int64_t tokens = rows.target[kTokens];
      for (const auto& row : rows.rows) {
        const std::int64_t t = row.coordinate[kTokens];
        has_own = has_own || t == tokens;
        if (!rounds(row, rows.target)) continue;
        const auto distance = std::abs(t - tokens);
        if (!nearest || distance < std::abs(*nearest - tokens) ||
            (distance == std::abs(*nearest - tokens) && t > *nearest))
          nearest = t;
      }
    }
    for (ClassRows& rows : all) {
      if (rows.regime != regime) continue;
      std::erase_if(rows.rows, [&](const auto& row) {
        return has_own || !nearest || row.coordinate[kTokens] != *nearest || !rounds(row, rows.target);
      });
      for (auto& row : rows.rows) {
        row.coordinate[kTokens] = rows.target[kTokens];
        row.coordinate[kBatch] = rows.target[kBatch];
      }
    }
  }

  static bool rounds(const store::CandidateRow& row, const std::vector<std::int64_t>& target) {
    return pads_either_way(row.coordinate[kTokens], target[kTokens]) &&
           (target[kBatch] == kNoAxis || pads_either_way(row.coordinate[kBatch], target[kBatch]));
  }

  static void restore(MatchedRow& row, const Recorded& recorded, const PathSpec& spec) {
    const auto it = recorded.find(row.measurement_ids.front());
    row.coordinate.clear();
    for (std::size_t axis = 0; axis < spec.axes.size(); ++axis)
      if (it->second[axis] != kNoAxis) row.coordinate.emplace_back(spec.axes[axis], it->second[axis]);
  }
};

class AttentionSpecial final : public Path {
 public:
  const PathSpec& spec() const override {
    static const PathSpec spec{
        .name = "attention_special",
        .fields = {{"query_dtype"},
                   {"sparse_mode", true, Match::column},
                   {"kv_heads", true, Match::column},
                   {"input_layout", true, Match::column},
                   {"phase", true, Match::open, "phase_unspecified"},
                   {"quant_mode", true, Match::open, "quant_mode_unspecified"}},
        .axes = {"tokens", "seq", "batch", "heads", "head_dim"},
        .groups = {{kSeq},
                   {kBatch},
                   {kHeads},
                   {kHeadDim},
                   {kSeq, kBatch},
                   {kSeq, kHeads},
                   {kSeq, kHeadDim},
                   {kBatch, kHeads},
                   {kBatch, kHeadDim},
                   {kHeads, kHeadDim},
                   {kSeq, kBatch, kHeads},
                   {kSeq, kBatch, kHeadDim},
                   {kSeq, kHeads, kHeadDim},
                   {kBatch, kHeads, kHeadDim}},
        .selector = Selector::query_mode,
    };
    return spec;
  }

  std::variant<Candidate, Unfit> project(const Row& row, const ProjectionKey&) const override {
    const auto query = row_slot(row.inputs, 0);
    const auto key = row_slot(row.inputs, 1);
    if (!query) return Unfit{"target_unextractable", "no query in slot 0"};
    const auto tnd = query_tnd(query->shape, key ? key->shape : Shape{});
    if (!tnd) return Unfit{"target_unextractable", "the query is neither [T,N,D] nor [B,N,1,D] nor [T,N*D]"};
    auto seq = cell_number(row.field("Runtime avg_seq_len"));
    if (!seq) seq = cell_number(row.field("avg_seq_len"));
    if (!seq || *seq < 1 || *seq > 9007199254740992.0)
      return Unfit{"avg_seq_len_invalid", "no positive Runtime avg_seq_len"};
    const std::string_view batch_cell = row.field("Runtime batch_size");
    const auto batch = cell_whole(batch_cell);
    if (!batch_cell.empty() && (!batch || *batch < 1))
      return Unfit{"batch_size_invalid", std::string(batch_cell)};
    Candidate candidate;
    candidate.regime = {query->dtype,
                        column_text(row, "Runtime sparse_mode"),
                        column_text(row, "Runtime num_key_value_heads"),
                        column_text(row, "Runtime input_layout"),
                        std::string(row.field("Runtime phase")),
                        std::string(row.field("Runtime quant_mode"))};
    candidate.coordinate = {tnd->tokens, static_cast<std::int64_t>(*seq),
                            batch          ? *batch
                            : tnd->is_bnsd ? tnd->tokens
                                           : kNoAxis,
                            tnd->heads, tnd->head_dim};
    return candidate;
  }

  std::variant<Target, Unfit> target(const Call& call) const override {
    const Tensor* query = tensor_of(call.leaf, "query", 0);
    const Tensor* key = tensor_of(call.leaf, "key", 1);
    if (query == nullptr || key == nullptr) return Unfit{"target_unextractable", "no query or no key"};
    const TensorSlot q = call_slot(*query);
    const TensorSlot k = call_slot(*key);
    const auto tnd = query_tnd(q.shape, k.shape);
    if (!tnd) return Unfit{"target_unextractable", "the query is neither [T,N,D] nor [B,N,1,D] nor [T,N*D]"};
    if (k.shape.size() < 2) return Unfit{"target_unextractable", "the key has no head dimension"};
    const auto length = mean_length(call.leaf);
    if (!length) return Unfit{"target_unextractable", "attrs.seq_lens is not a list of lengths"};
    const std::int64_t kv_heads =
        tnd->is_bnsd && k.shape.size() == 4 ? k.shape[1] : k.shape[k.shape.size() - 2];
    Target target;
    target.regime = {q.dtype,
                     std::string(tnd->is_bnsd ? "0" : "3"),
                     std::to_string(kv_heads),
                     std::string(tnd->is_bnsd ? "BNSD_NBSD" : "TND"),
                     attr_text(call.leaf, "phase"),
                     attr_text(call.leaf, "quant_mode")};
    target.coordinate = {tnd->tokens, length->first, tnd->is_bnsd ? tnd->tokens : length->second, tnd->heads,
                         tnd->head_dim};
    return target;
  }

  const SearchSteps& steps() const override {
    static const AttentionSteps steps;
    return steps;
  }
};

}  // namespace

const Path& attention_special_path() {
  static const AttentionSpecial path;
  return path;
}

}  // namespace profdb
