// Contract §1: resolution, exact answers of every kernel, interpolation of every kernel, padded matches.
#include "engine/lookup.h"

#include <algorithm>
#include <array>

#include "engine/search.h"

namespace profdb {
namespace {

// contract §1: the condition of accepted_miss_when is met when the call carries every attribute with that
// value.
bool condition_met(const OpMapping& op, const LeafOp& leaf) {
  for (const auto& [attr, value] : op.accepted_miss_when.items()) {
    const auto it = leaf.attrs.find(attr);
    if (it == leaf.attrs.end() || *it != nlohmann::json(value)) return false;
  }
  return true;
}

bool declared_free(const OpMapping& op, const LeafOp& leaf, Result& result) {
  const bool accepted = op.accepted_miss && condition_met(op, leaf);
  if (!op.zero_cost && !accepted) return false;
  result.source = Source::measured;
  result.latency_us = 0;
  result.confidence = 1.0;
  result.method = accepted ? "accepted_miss" : "zero_cost";
  result.details.note = accepted ? *op.accepted_miss : op.notes.value_or("declared zero_cost by the mapping");
  return true;
}

void set_miss(Result& result, std::string_view reason, const LeafOp& leaf) {
  result.source = Source::miss;
  result.reason = reason;
  result.details.prior_latency_us = leaf.prior_latency_us;
}

// Projections of one kernel and the call's signature for the base exact match.
void find_projections(SearchContext& context, KernelSearch& search, Call& call, const ProjectionKey& key) {
  search.projection = context.release.projection(key);
  if (context.spec().base_exact == BaseExact::never) return;
  search.exact_projection = context.release.projection(base_exact_key(context.op, search.kernel));
  if (search.exact_projection != nullptr) call.row_input_counts = search.exact_projection->input_counts;
  search.signature = call_signature(call);
}

// Target, projection and regimes of one kernel: everything that decides before geometry does.
void prepare(SearchContext& context, KernelSearch& search) {
  const ProjectionKey key = projection_key(context.release.mapping, context.op, context.path, search.kernel);
  Call call{context.leaf,    context.op,      search.kernel,
            key.axis_policy, context.options, context.spec().assumes_formats};
  find_projections(context, search, call, key);
  auto target = context.path.target(call);
  const auto* unfit = std::get_if<Unfit>(&target);
  if (unfit == nullptr) search.target = std::move(std::get<Target>(target));
  if (!context.release.kernels.contains(search.kernel)) return context.fail(search, "kernel_not_in_release");
  if (unfit != nullptr) return context.fail(search, unfit->reason, unfit->detail);
  if (search.projection == nullptr || search.projection->candidate_count == 0)
    return context.fail(search, "no_usable_rows");
  auto regimes = context.path.steps().resolve(
      context.spec(), *search.target,
      store::find_regimes(context.connection, context.spec(), search.projection->projection_id,
                          search.target->regime));
  if (const auto* unresolved = std::get_if<Unfit>(&regimes))
    return context.fail(search, unresolved->reason, unresolved->detail);
  search.regimes = std::move(std::get<RegimeGroups>(regimes));
}

bool search_kernels(SearchContext& context, std::vector<KernelSearch>& searches) {
  const SearchSteps& steps = context.path.steps();
  const auto any = [&](auto step) {
    return std::any_of(searches.begin(), searches.end(),
                       [&](KernelSearch& search) { return (steps.*step)(context, search); });
  };
  const PaddedMatch padded = context.options.padded_match;
  return any(&SearchSteps::exact) || any(&SearchSteps::near) ||
         (padded == PaddedMatch::before && any(&SearchSteps::padded)) || any(&SearchSteps::interpolate) ||
         (padded == PaddedMatch::last && any(&SearchSteps::padded));
}

// The closest regime of a kernel whose target met none.
void note_closest(SearchContext& context, const KernelSearch& search) {
  if (search.projection == nullptr || !search.target || !search.regimes.empty()) return;
  auto closest = closest_regime(
      context.spec(), search.target->regime, search.kernel,
      store::list_regimes(context.connection, context.spec(), search.projection->projection_id));
  auto& known = context.result.details.closest_regime;
  if (closest.row_count > 0 && (!known || closest.differences.size() < known->differences.size()))
    known = std::move(closest);
}

void note_target(SearchContext& context, const KernelSearch& search) {
  Details& details = context.result.details;
  const PathSpec& spec = context.spec();
  for (std::size_t i = 0; i < spec.axes.size(); ++i)
    if (search.target->coordinate[i] != kNoAxis)
      details.target_axes.emplace_back(spec.axes[i], search.target->coordinate[i]);
  details.target_regime = named_fields(spec, search.target->regime, true);
  details.path_fields = search.target->path_fields;
}

// contract §5: the reason of the attempt that got furthest; of equals, the first.
const Attempt& furthest(const std::vector<Attempt>& attempts, const std::string* kernel) {
  const auto rank = [&](const Attempt& attempt) {
    return kernel == nullptr || attempt.kernel == *kernel ? reason_rank(attempt.reason) : -1;
  };
  return *std::max_element(attempts.begin(), attempts.end(),
                           [&](const Attempt& a, const Attempt& b) { return rank(a) < rank(b); });
}

// Attempts are made step by step over all kernels; people read them kernel by kernel.
void sort_by_kernel(std::vector<Attempt>& attempts, const std::vector<std::string>& kernels) {
  const auto position = [&](const Attempt& attempt) {
    return std::find(kernels.begin(), kernels.end(), attempt.kernel);
  };
  std::stable_sort(attempts.begin(), attempts.end(),
                   [&](const Attempt& a, const Attempt& b) { return position(a) < position(b); });
}

void miss_after_search(SearchContext& context, const std::vector<KernelSearch>& searches) {
  set_miss(context.result, furthest(context.attempts, nullptr).reason, context.leaf);
  Details& details = context.result.details;
  for (const KernelSearch& search : searches) {
    details.kernels_attempted.emplace_back(search.kernel, furthest(context.attempts, &search.kernel).reason);
    if (search.projection != nullptr)
      for (const auto& [reason, count] : search.projection->rejected_rows)
        details.rejected_rows[reason] += count;
    note_closest(context, search);
  }
  const auto extracted =
      std::find_if(searches.begin(), searches.end(), [](const auto& s) { return s.target.has_value(); });
  if (extracted != searches.end()) note_target(context, *extracted);
}

}  // namespace

int reason_rank(std::string_view reason) {
  // Extraction reasons, which the list does not name, stand between its first two entries.
  static constexpr std::array<std::string_view, 14> kOrder = {
      "kernel_not_in_release",   "no_usable_rows",
      "regime_mismatch",         "latency_invalid",
      "insufficient_candidates", "interpolation_dim_disabled",
      "outside_boundary",        "degenerate_axes",
      "degenerate_point_cloud",  "triangulation_failed",
      "outside_convex_hull",     "latency_guard_rejected",
      "ambiguous_coordinate",    "answered"};
  constexpr int kStep = 10;
  constexpr int kExtraction = 5;
  constexpr int kUnspecified = 25;  // between regime_mismatch and latency_invalid
  if (reason.ends_with("_unspecified")) return kUnspecified;
  if (reason == "interpolation_off") reason = "insufficient_candidates";
  const auto* const it = std::find(kOrder.begin(), kOrder.end(), reason);
  return it == kOrder.end() ? kExtraction : static_cast<int>(it - kOrder.begin()) * kStep;
}

Result lookup(store::Connection& connection, const ReleaseState& release, const EngineOptions& options,
              const LeafOp& leaf) {
  Result result;
  result.release = release.info.release_id;
  const auto it = release.operators.find(leaf.op);
  if (it == release.operators.end()) {
    set_miss(result, "unmapped", leaf);
    return result;
  }
  const OpMapping& op = *it->second;
  result.details.query_mode = op.query_mode.value_or("");
  result.details.compute_subcategory = op.compute_subcategory.value_or("");
  const auto selected = select_path(op);
  if (op.composite) {
    set_miss(result, "composite_requires_leaf_ops", leaf);
    return result;
  }
  if (declared_free(op, leaf, result)) return result;
  if (const auto* unfit = std::get_if<Unfit>(&selected)) {
    // An accepted_miss without a kernel, whose condition the call does not meet, has no kernel to ask.
    set_miss(result, unfit->reason == "accepted_miss" ? "kernel_not_in_release" : unfit->reason, leaf);
    return result;
  }
  const Path& path = *std::get<const Path*>(selected);
  SearchContext context{connection, release, options, leaf, op, path, result};
  result.path = path.spec().name;
  std::vector<KernelSearch> searches;
  searches.reserve(op.kernels.size());
  for (const std::string& kernel : op.kernels) {
    searches.emplace_back().kernel = kernel;
    prepare(context, searches.back());
  }
  if (!search_kernels(context, searches)) miss_after_search(context, searches);
  sort_by_kernel(context.attempts, op.kernels);
  result.details.attempts = std::move(context.attempts);
  return result;
}

}  // namespace profdb
