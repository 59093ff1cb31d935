// Contract §1: resolution, exact answers of every kernel, interpolation of every kernel, padded matches.
#include "engine/lookup/lookup.h"

#include <algorithm>
#include <array>

#include "engine/lookup/search.h"

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

// What decides before geometry does, once the target (or its lack) is known: rows, regimes.
void resolve(SearchContext& context, KernelSearch& search, const Unfit* unfit) {
  const KernelPlan& plan = search.plan;
  if (!plan.is_in_release) return context.fail(search, "kernel_not_in_release");
  if (unfit != nullptr) return context.fail(search, unfit->reason, unfit->detail);
  if (plan.projection == nullptr || plan.projection->candidate_count == 0)
    return context.fail(search, "no_usable_rows");
  search.resolved = context.candidates.regimes(context.spec(), context.path.steps(),
                                               plan.projection->projection_id, search.target->regime);
  if (const auto* unresolved = std::get_if<Unfit>(search.resolved.get()))
    context.fail(search, unresolved->reason, unresolved->detail);
}

// Signature, target and regimes of a call on one kernel.
void prepare(SearchContext& context, KernelSearch& search) {
  const KernelPlan& plan = search.plan;
  Call call{context.leaf,         context.op,      plan.kernel,
            plan.key.axis_policy, context.options, context.spec().assumes_formats};
  if (context.spec().base_exact != BaseExact::never) {
    if (plan.exact_projection != nullptr) call.row_input_counts = &plan.exact_projection->input_counts;
    search.signature = call_signature(call);
    call.signature = &search.signature;
  }
  auto target = context.path.target(call);
  const auto* unfit = std::get_if<Unfit>(&target);
  if (unfit == nullptr) search.target = std::move(std::get<Target>(target));
  resolve(context, search, unfit);
}

// The same of a measured row, as if a call had its tensors.
void prepare(SearchContext& context, KernelSearch& search, const Row& row) {
  const KernelPlan& plan = search.plan;
  if (plan.exact_projection != nullptr) search.signature = row_signature(row, plan.exact_key);
  auto candidate = context.path.project(row, plan.key);
  const auto* unfit = std::get_if<Unfit>(&candidate);
  if (unfit == nullptr) {
    auto& found = std::get<Candidate>(candidate);
    search.target = Target{std::move(found.regime), std::move(found.coordinate), {}};
  }
  resolve(context, search, unfit);
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
  const Projection* projection = search.plan.projection;
  if (projection == nullptr || !search.target || !search.regimes().empty()) return;
  auto closest = closest_regime(
      context.spec(), search.target->regime, search.plan.kernel,
      store::list_regimes(context.candidates.connection(), context.spec(), projection->projection_id));
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

void miss_after_search(SearchContext& context, std::vector<KernelSearch>& searches) {
  Details& details = context.result.details;
  for (KernelSearch& search : searches) {
    const std::string& kernel = search.plan.kernel;
    if (std::none_of(context.attempts.begin(), context.attempts.end(),
                     [&](const Attempt& attempt) { return attempt.kernel == kernel; }))
      context.fail(search, "insufficient_candidates");  // every row of the regime was left out
    details.kernels_attempted.emplace_back(kernel, furthest(context.attempts, &kernel).reason);
    if (search.plan.projection != nullptr)
      for (const auto& [reason, count] : search.plan.projection->rejected_rows)
        details.rejected_rows[reason] += count;
    note_closest(context, search);
  }
  set_miss(context.result, furthest(context.attempts, nullptr).reason, context.leaf);
  const auto extracted =
      std::find_if(searches.begin(), searches.end(), [](const auto& s) { return s.target.has_value(); });
  if (extracted != searches.end()) note_target(context, *extracted);
}

void answer(SearchContext& context, std::vector<KernelSearch>& searches) {
  if (!search_kernels(context, searches)) miss_after_search(context, searches);
  if (searches.size() > 1) sort_by_kernel(context.attempts, context.op.kernels);
  context.result.details.attempts = std::move(context.attempts);
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

std::shared_ptr<Result> lookup(CandidateSource& candidates, const ReleaseState& release,
                               const EngineOptions& options, const LeafOp& leaf) {
  auto made = std::make_shared<Result>();
  Result& result = *made;
  result.release = release.info.release_id;
  const auto it = release.operators.find(leaf.op);
  if (it == release.operators.end()) {
    set_miss(result, "unmapped", leaf);
    return made;
  }
  const OperatorPlan& plan = it->second;
  const OpMapping& op = *plan.op;
  if (op.query_mode) result.details.query_mode = *op.query_mode;
  if (op.compute_subcategory) result.details.compute_subcategory = *op.compute_subcategory;
  if (op.composite) {
    set_miss(result, "composite_requires_leaf_ops", leaf);
    return made;
  }
  if (declared_free(op, leaf, result)) return made;
  if (const auto* unfit = std::get_if<Unfit>(&plan.selected)) {
    // An accepted_miss without a kernel, whose condition the call does not meet, has no kernel to ask.
    set_miss(result, unfit->reason == "accepted_miss" ? "kernel_not_in_release" : unfit->reason, leaf);
    return made;
  }
  const Path& path = *std::get<const Path*>(plan.selected);
  SearchContext context{candidates, release, options, leaf, op, path, result};
  result.path = path.spec().name;
  std::vector<KernelSearch> searches;
  searches.reserve(plan.kernels.size());
  for (const KernelPlan& kernel : plan.kernels) prepare(context, searches.emplace_back(kernel));
  answer(context, searches);
  return made;
}

std::shared_ptr<Result> lookup_measured(CandidateSource& candidates, const ReleaseState& release,
                                        const EngineOptions& options, const OperatorPlan& plan,
                                        const KernelPlan& kernel, const Row& row) {
  static const LeafOp no_call;
  auto made = std::make_shared<Result>();
  Result& result = *made;
  result.release = release.info.release_id;
  const Path& path = *std::get<const Path*>(plan.selected);
  SearchContext context{candidates, release, options, no_call, *plan.op, path, result};
  result.path = path.spec().name;
  std::vector<KernelSearch> searches;
  prepare(context, searches.emplace_back(kernel), row);
  answer(context, searches);
  return made;
}

}  // namespace profdb
