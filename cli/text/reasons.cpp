// The reasons of misses (contract §1, §5 and the paths' own) and what they mean.
#include "cli/text/reasons.h"

#include <algorithm>
#include <array>
#include <utility>

namespace profdb::cli {
namespace {

using Explanation = std::pair<std::string_view, std::string_view>;

constexpr std::array kExplanations = {
    // contract §1
    Explanation{"unmapped",
                "The release's mapping does not name this operator; add it with 'profdb mapping set'."},
    Explanation{
        "composite_requires_leaf_ops",
        "The mapping declares this operator composite: ask for the leaf operators that it consists of."},
    Explanation{"accepted_miss",
                "The mapping accepts a latency of 0 only for calls with certain attributes, which this call "
                "lacks, and "
                "names no kernel for the others."},
    Explanation{"compute_subcategory_unknown",
                "The mapping gives this operator a compute_subcategory that no lookup "
                "path serves."},
    Explanation{"query_mode_unknown",
                "The mapping gives this operator a query_mode that no lookup path serves."},
    Explanation{
        "interpolation_off",
        "No measurement has exactly this coordinate, and interpolation was switched off for this lookup."},
    // contract §5, from near to far
    Explanation{"kernel_not_in_release",
                "The release has no measurements of any kernel that the mapping names for this "
                "operator."},
    Explanation{"target_unextractable",
                "The call's tensors do not have the shapes, dtypes or attributes that this lookup "
                "path needs."},
    Explanation{"no_usable_rows",
                "The kernel was measured, but no row both fits this lookup path and has a latency."},
    Explanation{"regime_mismatch",
                "The kernel was measured, but never with these discrete properties (dtypes, formats, "
                "fixed dimensions, ...); see what differs from the closest."},
    Explanation{"latency_invalid", "This regime was measured, but none of its rows has a usable latency."},
    Explanation{"insufficient_candidates",
                "Too few measurements agree with the call on the other axes to interpolate "
                "between."},
    Explanation{"interpolation_dim_disabled",
                "The mapping's policy allows no interpolation of the dimension that would "
                "be needed."},
    Explanation{"outside_boundary",
                "The call lies outside the measured range of an axis; nothing is extrapolated."},
    Explanation{"degenerate_axes",
                "The measurements have a single value on one of the axes, so that nothing can be "
                "interpolated along it."},
    Explanation{"degenerate_point_cloud",
                "The measurements lie on one line or plane, so that they do not surround the "
                "call."},
    Explanation{"triangulation_failed",
                "The measurements could not be triangulated; see the attempts for Qhull's "
                "message."},
    Explanation{"outside_convex_hull",
                "The call lies within the measured range of every axis, but not between the "
                "measured combinations of them."},
    Explanation{"latency_guard_rejected", "Interpolation gave a latency that is not finite or not above 0."},
    Explanation{"ambiguous_coordinate",
                "Repeated measurements at one coordinate differ by more than 10 %: a property "
                "that matters is missing from the data."},
    // the paths' own
    Explanation{"ep_size_not_configured",
                "This operator's latency depends on expert parallelism; say it with "
                "--ep-size."},
    Explanation{"ep_size_missing", "No expert parallelism (EP size) is stated."},
    Explanation{"ep_size_invalid", "The expert parallelism (EP size) is not a positive whole number."},
    Explanation{"moe_weight_shapes_unextractable",
                "The expert weights are missing or do not have a shape that this path "
                "understands."},
    Explanation{"topk_unextractable",
                "The experts per token cannot be read from expert_indices, or do not fit the "
                "tokens."},
    Explanation{"quant_subtype_unknown", "The quantization is none that this path knows."},
    Explanation{"broadcast_unresolvable", "The input shapes do not broadcast to the output shape."},
    Explanation{"elementwise_output_unavailable",
                "The call names no output tensor, and no measurement has these inputs "
                "exactly."},
    Explanation{"request_group_unextractable",
                "The call lacks the request metadata tensors (sequence lengths, block "
                "table)."},
    Explanation{"sparse_phase_unextractable",
                "The call does not say its phase (attrs.sparse_phase or attrs.phase)."},
    Explanation{"selected_topk_unextractable",
                "The call has no topk_indices to read the selected topk from."},
    Explanation{"scatter_target_unextractable", "The update is a scalar, or the cache or index is missing."},
    Explanation{"multi_output_unsupported",
                "The kernel is measured by its output size, and the call has several "
                "outputs."},
};

bool is_extraction_reason(std::string_view reason) {
  return reason.ends_with("_unextractable") || reason.ends_with("_missing") || reason.ends_with("_invalid");
}

}  // namespace

std::string explain(std::string_view reason) {
  const auto* const found = std::find_if(kExplanations.begin(), kExplanations.end(),
                                         [&](const Explanation& e) { return e.first == reason; });
  if (found != kExplanations.end()) return std::string(found->second);
  constexpr std::string_view kUnspecified = "_unspecified";
  if (reason.ends_with(kUnspecified)) {
    const std::string field(reason.substr(0, reason.size() - kUnspecified.size()));
    return "Several values of " + field +
           " were measured and the call does not say which it means; state it.";
  }
  if (is_extraction_reason(reason)) return "The call lacks something that this lookup path needs.";
  return "The release holds no measurement that answers this call.";
}

}  // namespace profdb::cli
