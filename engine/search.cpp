// The steps that paths share: exact coordinates, interpolation, the base exact match.
#include "engine/search.h"

#include <algorithm>
#include <array>

#include "engine/paths/base_exact.h"

namespace profdb {
namespace {

struct ExactMatch {
  store::ExactRow row;
  base_exact::RuleMatch match;
};

// Rows of §2 for the call, the best source class first, then in row order.
std::vector<ExactMatch> find_matches(SearchContext& context, const KernelSearch& search, bool padded) {
  const std::string& kernel = search.plan.kernel;
  std::vector<ExactMatch> found;
  for (const std::int64_t key : base_exact::padded_block_keys(search.signature, kernel)) {
    for (store::ExactRow& row :
         context.candidates.base_exact(*search.plan.exact_projection, search.signature, key, padded)) {
      auto match = base_exact::match(search.signature, row.input_shapes, kernel);
      if (match && match->padded == padded) found.push_back({std::move(row), std::move(*match)});
    }
  }
  std::sort(found.begin(), found.end(), [](const ExactMatch& a, const ExactMatch& b) {
    if (a.row.source_class != b.row.source_class) return a.row.source_class < b.row.source_class;
    return a.row.measurement_id < b.row.measurement_id;
  });
  return found;
}

// §5, one source class of one regime: axis groups in order.
bool interpolate_class(SearchContext& context, KernelSearch& search, const store::RegimeRow& regime,
                       SourceClass source_class) {
  const PathSpec& spec = context.spec();
  // §8, §9: a regime with an ambiguous coordinate (in this class) is not interpolated at all.
  if (spec.ambiguity_closes_regime &&
      context.candidates.whole_class(spec, regime, source_class)->is_ambiguous()) {
    Interpolation closed;
    closed.attempt.reason = "ambiguous_coordinate";
    closed.attempt.message = "a coordinate of the regime was measured with latencies more than 10 % apart";
    context.note(closed, search, regime, source_class);
    return false;
  }
  const std::int64_t ceiling = search.plan.max_interpolation_dim;
  for (std::size_t g = 0; g < spec.groups.size(); ++g) {
    const AxisGroup& group = spec.groups[g];
    const auto lacks = [&](std::size_t axis) { return search.target->coordinate[axis] == kNoAxis; };
    if (std::any_of(group.begin(), group.end(), lacks)) continue;  // not an attempt
    Interpolation tried;
    if (static_cast<std::int64_t>(group.size()) > ceiling) {
      for (const std::size_t axis : group) tried.attempt.axes.emplace_back(spec.axes[axis]);
      tried.attempt.reason = "interpolation_dim_disabled";
    } else {
      tried = interpolate(*context.candidates.group(spec, regime, source_class, g, search.target->coordinate),
                          search.target->coordinate);
    }
    context.note(tried, search, regime, source_class);
    if (!tried.answered()) continue;
    context.answer_interpolation(search, regime, source_class, std::move(tried), group.size());
    return true;
  }
  return false;
}

}  // namespace

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
  tried.attempt.kernel = search.plan.kernel;
  tried.attempt.source_class = to_string(source_class);
  for (std::size_t i = 0; i < spec().fields.size(); ++i)
    if (spec().fields[i].match == Match::format_group)
      tried.attempt.input_formats = std::get<std::string>(regime.values[i]);
  attempts.push_back(tried.attempt);
}

void SearchContext::answer_point(const KernelSearch& search, const store::RegimeRow& regime,
                                 SourceClass source_class, const MeasuredPoint& point,
                                 std::string_view method) {
  result.latency_us = point.latency_us;
  result.method = method;
  result.details.candidate_count = point.measurement_ids.size();
  result.details.matched_rows = {matched_row(spec(), point, std::nullopt)};
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
  const auto found = find_matches(context, search, padded);
  if (found.empty()) return false;
  const SourceClass best = found.front().row.source_class;
  std::vector<store::CandidateRow> rows;
  for (const ExactMatch& hit : found)
    if (hit.row.source_class == best) rows.push_back({{}, hit.row.measurement_id, hit.row.latency_us});
  const MeasuredPoint point = merge_points(rows).front();
  static const PathSpec no_axes{};
  Details& details = context.result.details;
  context.result.latency_us = point.latency_us;
  context.result.method = "base_exact";
  context.result.match_rule = found.front().match.match_rule;
  details.candidate_count = rows.size();
  details.source_class = to_string(best);
  details.matched_rows = {matched_row(no_axes, point, std::nullopt)};
  details.regime = {{"input_count", static_cast<std::int64_t>(search.signature.size())},
                    {"input_dtypes", joined_dtypes(search.signature)}};
  context.finish_hit(search, padded ? Source::compatible : Source::measured, padded ? 0.9 : 1.0);
  return true;
}

// §5: all axes equal: selected rows of every format group in order, then fallback rows.
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
    // A regime that would not be interpolated anyway keeps its own reason (§5).
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

ResolvedRegimes SearchSteps::resolve(const PathSpec& spec, const Target& target,
                                     std::vector<store::RegimeRow> regimes) const {
  return resolve_regimes(spec, target.regime, std::move(regimes));
}

bool BaseExactSteps::exact(SearchContext& context, KernelSearch& search) const {
  return answer_base_exact(context, search, false);
}
bool BaseExactSteps::padded(SearchContext& context, KernelSearch& search) const {
  return answer_base_exact(context, search, true);
}

}  // namespace profdb
