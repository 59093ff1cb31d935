// Contract §1: resolution, exact answers of every kernel, interpolation of every kernel, padded matches.
#include "engine/lookup.h"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/interpolate.h"
#include "engine/paths/base_exact.h"
#include "engine/paths/registry.h"
#include "engine/regimes.h"

namespace profdb {
namespace {

// One of the operator's kernels, with what has been found out about the call on it.
struct KernelSearch {
  std::string kernel;
  ProjectionKey key;
  ProjectionKey exact_key;
  const Projection* projection = nullptr;        // nullptr: the release has no data for the kernel
  const Projection* exact_projection = nullptr;  // of the base exact match
  Signature signature;                           // of the base exact match
  std::optional<Target> target;
  RegimeGroups regimes;
  std::optional<Attempt> failure;  // why the kernel cannot be interpolated at all
};

struct PaddedRow {
  store::ExactRow row;
  base_exact::RuleMatch match;
};

class Lookup {
 public:
  Lookup(store::Connection& connection, const ReleaseState& release, const EngineOptions& options, const LeafOp& leaf)
      : connection_(connection), release_(release), options_(options), leaf_(leaf) {
    result_.release = release.info.release_id;
  }

  Result run();

 private:
  bool declared_free();
  void prepare(const std::string& kernel);
  bool base_exact(KernelSearch& search, bool padded);
  bool exact_coordinate(KernelSearch& search);
  bool interpolate_kernel(KernelSearch& search);
  bool interpolate_class(KernelSearch& search, const store::RegimeRow& regime, SourceClass source_class);
  void answer(KernelSearch& search, const store::RegimeRow& regime, SourceClass source_class);
  void finish_hit(const KernelSearch& search, Source source, double confidence, std::int64_t measurement_id);
  void miss(std::string_view reason);
  void miss_after_search();
  void note_target(const KernelSearch& search);
  void fail(KernelSearch& search, std::string_view reason, const std::string& message);

  store::Connection& connection_;
  const ReleaseState& release_;
  const EngineOptions& options_;
  const LeafOp& leaf_;
  const OpMapping* op_ = nullptr;
  const Path* path_ = nullptr;
  std::vector<KernelSearch> searches_;
  std::vector<Attempt> attempts_;
  Result result_;
};

// contract §1: the condition of accepted_miss_when is met when the call carries every attribute with that value.
bool condition_met(const OpMapping& op, const LeafOp& leaf) {
  for (const auto& [attr, value] : op.accepted_miss_when.items()) {
    const auto it = leaf.attrs.find(attr);
    if (it == leaf.attrs.end() || *it != nlohmann::json(value)) return false;
  }
  return true;
}

bool Lookup::declared_free() {
  const bool accepted = op_->accepted_miss && condition_met(*op_, leaf_);
  if (!op_->zero_cost && !accepted) return false;
  result_.source = Source::measured;
  result_.latency_us = 0;
  result_.confidence = 1.0;
  result_.method = accepted ? "accepted_miss" : "zero_cost";
  result_.details.note = accepted ? *op_->accepted_miss : op_->notes.value_or("declared zero_cost by the mapping");
  return true;
}

void Lookup::miss(std::string_view reason) {
  result_.source = Source::miss;
  result_.reason = reason;
  result_.details.prior_latency_us = leaf_.prior_latency_us;
  if (path_ != nullptr) result_.path = path_->spec().name;
}

void Lookup::fail(KernelSearch& search, std::string_view reason, const std::string& message) {
  Attempt attempt;
  attempt.kernel = search.kernel;
  attempt.reason = reason;
  attempt.message = message;
  attempts_.push_back(attempt);
  search.failure = std::move(attempt);
}

// Target, projection and regimes of one kernel: everything that decides before geometry does.
void Lookup::prepare(const std::string& kernel) {
  KernelSearch& search = searches_.emplace_back();
  search.kernel = kernel;
  search.key = projection_key(release_.mapping, *op_, *path_, kernel);
  if (!release_.kernels.contains(kernel)) return fail(search, "kernel_not_in_release", "");
  search.projection = release_.projection(search.key);
  Call call{leaf_, *op_, kernel, search.key.axis_policy, options_, {}};
  if (path_->spec().base_exact) {
    search.exact_key = base_exact_key(*op_, kernel);
    search.exact_projection = release_.projection(search.exact_key);
    if (search.exact_projection != nullptr) call.row_input_counts = search.exact_projection->input_counts;
    search.signature = call_signature(call);
  }
  auto target = path_->target(call);
  if (const auto* unfit = std::get_if<Unfit>(&target)) return fail(search, unfit->reason, unfit->detail);
  search.target = std::move(std::get<Target>(target));
  if (search.projection == nullptr || search.projection->candidate_count == 0)
    return fail(search, "no_usable_rows", "");
  auto regimes = resolve_regimes(path_->spec(), search.target->regime,
                                 store::find_regimes(connection_, path_->spec(), search.projection->projection_id,
                                                     search.target->regime));
  if (const auto* unfit = std::get_if<Unfit>(&regimes)) return fail(search, unfit->reason, unfit->detail);
  search.regimes = std::move(std::get<RegimeGroups>(regimes));
}

// §2: the median of the matching rows of the best source class, exact or padded.
bool Lookup::base_exact(KernelSearch& search, bool padded) {
  if (search.exact_projection == nullptr || search.signature.empty()) return false;
  const auto count = static_cast<std::int64_t>(search.signature.size());
  const std::string dtypes = joined_dtypes(search.signature);
  const std::string elements = base_exact::elements(search.signature);
  std::vector<PaddedRow> found;
  for (const std::int64_t key : base_exact::padded_element_keys(search.signature, search.kernel)) {
    const auto id = search.exact_projection->projection_id;
    auto rows = padded ? store::find_base_padded(connection_, id, count, dtypes, key)
                       : store::find_base_exact(connection_, id, count, dtypes, key, elements);
    for (store::ExactRow& row : rows) {
      const auto match = base_exact::match(search.signature, row.input_shapes, search.kernel);
      if (match && match->padded == padded) found.push_back({std::move(row), *match});
    }
  }
  if (found.empty()) return false;
  std::sort(found.begin(), found.end(), [](const PaddedRow& a, const PaddedRow& b) {
    if (a.row.source_class != b.row.source_class) return a.row.source_class < b.row.source_class;
    return a.row.measurement_id < b.row.measurement_id;
  });
  const SourceClass best = found.front().row.source_class;
  std::vector<store::CandidateRow> rows;
  for (const PaddedRow& hit : found)
    if (hit.row.source_class == best) rows.push_back({{}, hit.row.measurement_id, hit.row.latency_us});
  const MeasuredPoint point = merge_points(rows).front();
  result_.latency_us = point.latency_us;
  result_.method = "base_exact";
  result_.match_rule = found.front().match.match_rule;
  result_.details.candidate_count = rows.size();
  result_.details.source_class = to_string(best);
  static const PathSpec no_axes{};
  result_.details.matched_rows = {matched_row(no_axes, point, std::nullopt)};
  result_.details.regime = {{"input_count", count}, {"input_dtypes", dtypes}};
  finish_hit(search, padded ? Source::compatible : Source::measured, padded ? 0.9 : 1.0, rows.front().measurement_id);
  return true;
}

// §5: specialised paths answer where all axes are equal: selected rows of every format group, then fallback rows.
bool Lookup::exact_coordinate(KernelSearch& search) {
  if (search.failure) return false;
  for (const SourceClass source_class : {SourceClass::selected, SourceClass::fallback}) {
    for (const store::RegimeRow& regime : search.regimes) {
      const auto rows = store::find_exact(connection_, path_->spec(), regime.regime_id, source_class, search.target->coordinate);
      if (rows.empty()) continue;
      const MeasuredPoint point = merge_points(rows).front();
      if (path_->spec().ambiguity_closes_coordinate && point.spread > kAmbiguousSpread) {
        fail(search, "ambiguous_coordinate", "duplicates of the exact coordinate differ by more than 10 %");
        return false;
      }
      result_.latency_us = point.latency_us;
      result_.method = "exact_coordinate";
      result_.details.candidate_count = rows.size();
      result_.details.matched_rows = {matched_row(path_->spec(), point, std::nullopt)};
      answer(search, regime, source_class);
      finish_hit(search, Source::measured, 1.0, point.measurement_ids.front());
      return true;
    }
  }
  return false;
}

void Lookup::answer(KernelSearch& search, const store::RegimeRow& regime, SourceClass source_class) {
  result_.details.source_class = to_string(source_class);
  result_.details.regime = named_fields(path_->spec(), regime.values, false);
  result_.details.path_fields = search.target->path_fields;
}

// §5, one source class of one regime: axis groups in order.
bool Lookup::interpolate_class(KernelSearch& search, const store::RegimeRow& regime, SourceClass source_class) {
  const PathSpec& spec = path_->spec();
  const std::int64_t ceiling = max_interpolation_dim(release_.mapping, *op_, search.kernel);
  const std::vector<std::int64_t>& coordinate = search.target->coordinate;
  for (std::size_t g = 0; g < spec.groups.size(); ++g) {
    const AxisGroup& group = spec.groups[g];
    const bool lacks_axis = std::any_of(group.begin(), group.end(), [&](auto axis) { return coordinate[axis] == kNoAxis; });
    if (lacks_axis) continue;
    Interpolation tried;
    if (static_cast<std::int64_t>(group.size()) > ceiling) {
      for (const std::size_t axis : group) tried.attempt.axes.emplace_back(spec.axes[axis]);
      tried.attempt.reason = "interpolation_dim_disabled";
    } else {
      auto points = merge_points(store::find_group(connection_, spec, regime.regime_id, source_class, g, coordinate));
      if (spec.ambiguity_closes_coordinate)
        std::erase_if(points, [](const MeasuredPoint& p) { return p.spread > kAmbiguousSpread; });
      tried = interpolate(spec, group, coordinate, points);
    }
    tried.attempt.kernel = search.kernel;
    tried.attempt.source_class = to_string(source_class);
    for (std::size_t i = 0; i < spec.fields.size(); ++i)
      if (spec.fields[i].match == Match::format_group) tried.attempt.input_formats = std::get<std::string>(regime.values[i]);
    attempts_.push_back(tried.attempt);
    if (!tried.answered()) continue;
    result_.latency_us = tried.latency_us;
    result_.method = tried.method;
    result_.dim = static_cast<int>(group.size());
    result_.axes = tried.attempt.axes;
    result_.details.boundary = std::move(tried.boundary);
    result_.details.candidate_count = tried.attempt.candidate_count;
    result_.details.matched_rows = std::move(tried.matched_rows);
    answer(search, regime, source_class);
    return true;
  }
  return false;
}

bool Lookup::interpolate_kernel(KernelSearch& search) {
  if (search.failure) return false;
  if (!options_.interpolation) {
    fail(search, "interpolation_off", "");
    return false;
  }
  for (const store::RegimeRow& regime : search.regimes) {
    for (const SourceClass source_class : {SourceClass::selected, SourceClass::fallback}) {
      if (!interpolate_class(search, regime, source_class)) continue;
      static constexpr std::array<double, 4> kConfidence = {0, 0.70, 0.65, 0.60};  // contract §1, by dimension
      result_.details.fallback_from = leaf_.prior_latency_us ? "partial" : "exact_miss";
      finish_hit(search, Source::interpolated, kConfidence[static_cast<std::size_t>(result_.dim)],
                 result_.details.matched_rows.front().measurement_ids.front());
      return true;
    }
  }
  return false;
}

void Lookup::note_target(const KernelSearch& search) {
  if (!search.target) return;
  const PathSpec& spec = path_->spec();
  for (std::size_t i = 0; i < spec.axes.size(); ++i)
    if (search.target->coordinate[i] != kNoAxis)
      result_.details.target_axes.emplace_back(spec.axes[i], search.target->coordinate[i]);
}

void Lookup::finish_hit(const KernelSearch& search, Source source, double confidence, std::int64_t measurement_id) {
  result_.source = source;
  result_.confidence = confidence;
  result_.kernel = search.kernel;
  result_.path = path_->spec().name;
  note_target(search);
  if (search.projection != nullptr) result_.details.rejected_rows = search.projection->rejected_rows;
  auto& statement = connection_.statement(
      "SELECT json_extract(f.latency_columns, '$[' || m.latency_column || ']')\nFROM measurement AS m\nJOIN source_file "
      "AS f USING (source_file_id)\nWHERE m.measurement_id = :measurement");
  statement.bind(1, measurement_id);
  store::Rows rows(statement);
  if (rows.next()) result_.details.latency_column = rows.text(0);
}

// The reason of the attempt that got furthest; of equals, the first.
void Lookup::miss_after_search() {
  const auto furthest = std::max_element(attempts_.begin(), attempts_.end(), [](const Attempt& a, const Attempt& b) {
    return reason_rank(a.reason) < reason_rank(b.reason);
  });
  miss(furthest->reason);
  Details& details = result_.details;
  for (const KernelSearch& search : searches_) {
    const auto best = std::max_element(attempts_.begin(), attempts_.end(), [&](const Attempt& a, const Attempt& b) {
      const auto rank = [&](const Attempt& x) { return x.kernel == search.kernel ? reason_rank(x.reason) : -1; };
      return rank(a) < rank(b);
    });
    details.kernels_attempted.emplace_back(search.kernel, best->reason);
    if (search.projection == nullptr) continue;
    for (const auto& [reason, count] : search.projection->rejected_rows) details.rejected_rows[reason] += count;
    if (!search.target || !search.regimes.empty()) continue;
    auto closest = closest_regime(path_->spec(), search.target->regime, search.kernel,
                                  store::list_regimes(connection_, path_->spec(), search.projection->projection_id));
    if (closest.row_count > 0 && (!details.closest_regime || closest.differences.size() < details.closest_regime->differences.size()))
      details.closest_regime = std::move(closest);
  }
  const auto extracted = std::find_if(searches_.begin(), searches_.end(), [](const auto& s) { return s.target.has_value(); });
  if (extracted != searches_.end()) {
    note_target(*extracted);
    details.target_regime = named_fields(path_->spec(), extracted->target->regime, true);
    details.path_fields = extracted->target->path_fields;
  }
}

Result Lookup::run() {
  const auto it = release_.operators.find(leaf_.op);
  if (it == release_.operators.end()) {
    miss("unmapped");
    return result_;
  }
  op_ = it->second;
  result_.details.query_mode = op_->query_mode.value_or("");
  result_.details.compute_subcategory = op_->compute_subcategory.value_or("");
  if (op_->composite) {
    miss("composite_requires_leaf_ops");
    return result_;
  }
  if (declared_free()) return result_;
  const auto selected = select_path(*op_);
  if (const auto* unfit = std::get_if<Unfit>(&selected)) {
    miss(unfit->reason);
    return result_;
  }
  path_ = std::get<const Path*>(selected);

  searches_.reserve(op_->kernels.size());
  for (const std::string& kernel : op_->kernels) prepare(kernel);
  const bool base = path_->spec().base_exact;
  for (KernelSearch& search : searches_)
    if (base ? base_exact(search, false) : exact_coordinate(search)) return result_;
  const auto padded = [&] {
    return base && std::any_of(searches_.begin(), searches_.end(), [&](auto& search) { return base_exact(search, true); });
  };
  if (options_.padded_match == PaddedMatch::before && padded()) return result_;
  for (KernelSearch& search : searches_)
    if (interpolate_kernel(search)) {
      result_.details.attempts = std::move(attempts_);
      return result_;
    }
  if (options_.padded_match == PaddedMatch::last && padded()) return result_;
  miss_after_search();
  result_.details.attempts = std::move(attempts_);
  return result_;
}

}  // namespace

int reason_rank(std::string_view reason) {
  // contract §5, from near to far. Extraction reasons stand between the first two entries.
  static constexpr std::array<std::string_view, 14> kOrder = {
      "kernel_not_in_release",      "no_usable_rows",        "regime_mismatch",     "latency_invalid",
      "insufficient_candidates",    "interpolation_dim_disabled", "outside_boundary", "degenerate_axes",
      "degenerate_point_cloud",     "triangulation_failed",  "outside_convex_hull", "latency_guard_rejected",
      "ambiguous_coordinate",       "answered"};
  constexpr int kExtraction = 5;
  if (reason.ends_with("_unspecified")) return 25;                       // between regime_mismatch and latency_invalid
  if (reason == "interpolation_off") return reason_rank("insufficient_candidates");
  const auto it = std::find(kOrder.begin(), kOrder.end(), reason);
  return it == kOrder.end() ? kExtraction : static_cast<int>(it - kOrder.begin()) * 10;
}

Result lookup(store::Connection& connection, const ReleaseState& release, const EngineOptions& options,
              const LeafOp& leaf) {
  return Lookup(connection, release, options, leaf).run();
}

}  // namespace profdb
