// The steps that paths share: exact coordinates, interpolation, the base exact match.
#include "engine/lookup/search.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "engine/lookup/base_exact.h"

namespace profdb {
namespace {

struct ExactMatch {
  SourceClass source_class = SourceClass::selected;
  std::int64_t measurement_id = 0;
  double latency_us = 0;
  std::string match_rule;
};

// Rows of contract §2 for the call, the best source class first, then in row order.
std::vector<ExactMatch> find_matches(SearchContext& context, const KernelSearch& search,
                                     const std::string& dtypes, bool padded) {
  std::vector<ExactMatch> found;
  const Signature& signature = search.signature;
  const Projection::Signatures* signatures =
      search.plan.exact_projection->signature(static_cast<std::int64_t>(signature.size()), dtypes);
  if (signatures == nullptr) return found;
  const std::string elements = padded ? std::string() : base_exact::elements(signature);
  const auto take = [&](const store::ExactRow& row) {
    auto match = base_exact::match(signature, row.input_shapes, search.plan.kernel);
    if (match && match->padded == padded)
      found.push_back({row.source_class, row.measurement_id, row.latency_us, std::move(match->match_rule)});
  };
  for (const std::int64_t key : base_exact::padded_block_keys(signature, search.plan.kernel))
    context.candidates.base_exact(*signatures, key, padded ? nullptr : &elements, take);
  std::sort(found.begin(), found.end(), [](const ExactMatch& a, const ExactMatch& b) {
    return std::tie(a.source_class, a.measurement_id) < std::tie(b.source_class, b.measurement_id);
  });
  return found;
}

// The rows of the best source class as one result row; they have no coordinate.
MatchedRow merged(const std::vector<ExactMatch>& found) {
  std::vector<store::CandidateRow> rows;
  for (const ExactMatch& hit : found)
    if (hit.source_class == found.front().source_class)
      rows.push_back({{}, hit.measurement_id, hit.latency_us});
  static const PathSpec no_axes{};
  return matched_row(no_axes, merge_points(rows).front(), std::nullopt);
}

Interpolation try_group(SearchContext& context, const KernelSearch& search, const store::RegimeRow& regime,
                        SourceClass source_class, std::size_t g) {
  const PathSpec& spec = context.spec();
  const AxisGroup& group = spec.groups[g];
  if (static_cast<std::int64_t>(group.size()) > search.plan.max_interpolation_dim)
    return no_interpolation(spec, group, "interpolation_dim_disabled");
  const std::vector<std::int64_t>& target = search.target->coordinate;
  if (const auto points = context.candidates.group(spec, regime, source_class, g, target))
    return interpolate(*points, target);
  return no_interpolation(spec, group, "insufficient_candidates");
}

// contract §5, one source class of one regime: axis groups in order.
bool interpolate_class(SearchContext& context, KernelSearch& search, const store::RegimeRow& regime,
                       SourceClass source_class) {
  const PathSpec& spec = context.spec();
  // contract §8, §9: a regime with an ambiguous coordinate (in this class) is not interpolated at all.
  if (spec.ambiguity_closes_regime &&
      context.candidates.whole_class(spec, regime, source_class)->is_ambiguous()) {
    Interpolation closed;
    closed.attempt.reason = "ambiguous_coordinate";
    closed.attempt.message = "a coordinate of the regime was measured with latencies more than 10 % apart";
    context.note(closed, search, regime, source_class);
    return false;
  }
  for (std::size_t g = 0; g < spec.groups.size(); ++g) {
    const AxisGroup& group = spec.groups[g];
    const auto lacks = [&](std::size_t axis) { return search.target->coordinate[axis] == kNoAxis; };
    if (std::any_of(group.begin(), group.end(), lacks)) continue;  // not an attempt
    Interpolation tried = try_group(context, search, regime, source_class, g);
    context.note(tried, search, regime, source_class);
    if (!tried.answered()) continue;
    context.answer_interpolation(search, regime, source_class, std::move(tried), group.size());
    return true;
  }
  return false;
}

}  // namespace

const SearchSteps& Path::steps() const {
  static const SearchSteps common;
  return common;
}

const RegimeGroups& KernelSearch::regimes() const {
  static const RegimeGroups none;
  const auto* groups = resolved ? std::get_if<RegimeGroups>(resolved.get()) : nullptr;
  return groups == nullptr ? none : *groups;
}

double interpolation_confidence(std::size_t dim) {
  static constexpr std::array<double, 4> kByDimension = {0, 0.70, 0.65, 0.60};
  return kByDimension.at(dim);
}

void SearchContext::fail(KernelSearch& search, std::string_view reason, const std::string& message) {
  Attempt attempt;
  attempt.kernel = search.plan.kernel;
  attempt.reason = reason;
  attempt.message = message;
  attempts.push_back(attempt);
  search.failure = std::move(attempt);
}

void SearchContext::note(Interpolation& tried, const KernelSearch& search, const store::RegimeRow& regime,
                         SourceClass source_class) {
  Attempt& attempt = tried.attempt;
  attempt.kernel = search.plan.kernel;
  attempt.source_class = to_string(source_class);
  for (std::size_t i = 0; i < spec().fields.size(); ++i)
    if (spec().fields[i].match == Match::format_group)
      attempt.input_formats = std::get<std::string>(regime.values[i]);
  if (attempts.size() == 1) attempts.reserve(spec().groups.size());  // most are answered by the first
  const std::string_view reason = attempt.reason;
  attempts.push_back(std::exchange(attempt, {}));
  attempt.reason = reason;
  attempt.candidate_count = attempts.back().candidate_count;
  if (tried.answered()) attempt.axes = attempts.back().axes;  // the answer needs them, too
}

void SearchContext::answer_point(const KernelSearch& search, const store::RegimeRow& regime,
                                 SourceClass source_class, const MeasuredPoint& point,
                                 std::string_view method) {
  result.latency_us = point.latency_us;
  result.method = method;
  result.details.candidate_count = point.measurement_ids.size();
  result.details.matched_rows.clear();
  result.details.matched_rows.push_back(matched_row(spec(), point, std::nullopt));
  result.details.source_class = to_string(source_class);
  result.details.regime = named_fields(spec(), regime.values, false);
  result.details.path_fields = search.target->path_fields;
}

void SearchContext::answer_interpolation(const KernelSearch& search, const store::RegimeRow& regime,
                                         SourceClass source_class, Interpolation tried, std::size_t dim) {
  result.latency_us = tried.latency_us;
  result.method = std::move(tried.method);
  result.dim = static_cast<int>(dim);
  result.axes = std::move(tried.attempt.axes);
  result.details.boundary = std::move(tried.boundary);
  result.details.candidate_count = tried.attempt.candidate_count;
  result.details.matched_rows = std::move(tried.matched_rows);
  result.details.source_class = to_string(source_class);
  result.details.regime = named_fields(spec(), regime.values, false);
  result.details.path_fields = search.target->path_fields;
  result.details.fallback_from = leaf.prior_latency_us ? "partial" : "exact_miss";
  finish_hit(search, Source::interpolated, interpolation_confidence(dim));
}

void SearchContext::finish_hit(const KernelSearch& search, Source source, double confidence) {
  result.source = source;
  result.confidence = confidence;
  result.kernel = search.plan.kernel;
  result.path = spec().name;
  result.details.target_axes.reserve(spec().axes.size());
  if (search.target)
    for (std::size_t i = 0; i < spec().axes.size(); ++i)
      if (search.target->coordinate[i] != kNoAxis)
        result.details.target_axes.emplace_back(spec().axes[i], search.target->coordinate[i]);
  if (search.plan.projection != nullptr) result.details.rejected_rows = search.plan.projection->rejected_rows;
  Details& details = result.details;
  if (details.source_class == to_string(SourceClass::selected) && !search.plan.selected_column.empty())
    details.latency_column = search.plan.selected_column;
  else
    details.latency_column =
        store::latency_column(candidates.connection(), details.matched_rows.front().measurement_ids.front());
}

bool answer_base_exact(SearchContext& context, KernelSearch& search, bool padded) {
  if (search.plan.exact_projection == nullptr || search.signature.empty()) return false;
  std::string dtypes = joined_dtypes(search.signature);
  auto found = find_matches(context, search, dtypes, padded);
  if (found.empty()) return false;
  Details& details = context.result.details;
  if (found.size() == 1)
    details.matched_rows.push_back(
        {{found.front().measurement_id}, 1, 0, {}, found.front().latency_us, std::nullopt});
  else
    details.matched_rows.push_back(merged(found));
  context.result.latency_us = details.matched_rows.front().latency_us;
  context.result.method = "base_exact";
  context.result.match_rule = std::move(found.front().match_rule);
  details.candidate_count = details.matched_rows.front().row_count;
  details.source_class = to_string(found.front().source_class);
  details.regime.reserve(2);
  details.regime.emplace_back("input_count", static_cast<std::int64_t>(search.signature.size()));
  details.regime.emplace_back("input_dtypes", std::move(dtypes));
  context.finish_hit(search, padded ? Source::compatible : Source::measured, padded ? 0.9 : 1.0);
  return true;
}

// contract §5: all axes equal: selected rows of every format group in order, then fallback rows.
bool SearchSteps::exact(SearchContext& context, KernelSearch& search) const {
  if (search.failure) return false;
  for (const SourceClass source_class : {SourceClass::selected, SourceClass::fallback}) {
    for (const store::RegimeRow& regime : search.regimes()) {
      const auto point =
          context.candidates.exact(context.spec(), regime, source_class, search.target->coordinate);
      if (!point) continue;
      if (context.spec().ambiguity_closes_coordinate && point->spread > kAmbiguousSpread) {
        context.fail(search, "ambiguous_coordinate",
                     "the exact coordinate was measured with latencies more than 10 % apart");
        return false;
      }
      context.answer_point(search, regime, source_class, *point, "exact_coordinate");
      context.finish_hit(search, Source::measured, 1.0);
      return true;
    }
  }
  return false;
}

bool SearchSteps::interpolate(SearchContext& context, KernelSearch& search) const {
  if (search.failure) return false;
  if (!context.options.interpolation) {
    // A regime that would not be interpolated anyway keeps its own reason (contract §5).
    const auto closes = [&](const store::RegimeRow& regime, SourceClass source_class) {
      return context.candidates.whole_class(context.spec(), regime, source_class)->is_ambiguous();
    };
    const bool closed =
        context.spec().ambiguity_closes_regime &&
        std::any_of(search.regimes().begin(), search.regimes().end(), [&](const auto& regime) {
          return closes(regime, SourceClass::selected) || closes(regime, SourceClass::fallback);
        });
    context.fail(search, closed ? "ambiguous_coordinate" : "interpolation_off");
    return false;
  }
  for (const store::RegimeRow& regime : search.regimes())
    for (const SourceClass source_class : {SourceClass::selected, SourceClass::fallback})
      if (interpolate_class(context, search, regime, source_class)) return true;
  return false;
}

bool BaseExactSteps::exact(SearchContext& context, KernelSearch& search) const {
  return answer_base_exact(context, search, false);
}
bool BaseExactSteps::padded(SearchContext& context, KernelSearch& search) const {
  return answer_base_exact(context, search, true);
}

}  // namespace profdb
