// Contract §4: collectives by message size; between measured sizes the alpha-beta fit, and nothing else.
#include <Eigen/Dense>
#include <algorithm>
#include <array>

#include "engine/lookup/search.h"
#include "engine/paths/quant_subtype.h"
#include "engine/paths/registry.h"
#include "engine/paths/roles.h"

namespace profdb {
namespace {

constexpr double kExactConfidence = 0.9;  // contract §1
constexpr double kFitConfidence = 0.8;

std::optional<std::int64_t> item_size(std::string_view dtype) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 12> kSizes = {{{"bfloat16", 2},
                                                                                 {"float16", 2},
                                                                                 {"float32", 4},
                                                                                 {"float64", 8},
                                                                                 {"int8", 1},
                                                                                 {"uint8", 1},
                                                                                 {"int16", 2},
                                                                                 {"int32", 4},
                                                                                 {"int64", 8},
                                                                                 {"bool", 1},
                                                                                 {"float8_e4m3fn", 1},
                                                                                 {"float8_e5m2", 1}}};
  for (const auto& [name, size] : kSizes)
    if (name == dtype) return size;
  return std::nullopt;
}

// The group's size: of attrs.rank_group, else attrs.num_devices.
std::optional<std::int64_t> group_size(const LeafOp& leaf) {
  const auto ranks = leaf.attrs.find("rank_group");
  if (ranks != leaf.attrs.end() && ranks->is_array() && !ranks->empty())
    return static_cast<std::int64_t>(ranks->size());
  const auto count = leaf.attrs.find("num_devices");
  if (count != leaf.attrs.end() && count->is_number_integer() && count->get<std::int64_t>() > 0)
    return count->get<std::int64_t>();
  return std::nullopt;
}

// Least-squares alpha + beta * bytes over the rows, each once, clamped to the bracketing measurements.
double fitted(const std::vector<store::CandidateRow>& rows, double bytes, const MeasuredPoint& below,
              const MeasuredPoint& above) {
  const auto count = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixX2d design(count, 2);
  Eigen::VectorXd latency(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto& row = rows[static_cast<std::size_t>(i)];
    design(i, 0) = 1;
    design(i, 1) = static_cast<double>(row.coordinate[0]);
    latency(i) = row.latency_us;
  }
  const Eigen::Vector2d alpha_beta = design.colPivHouseholderQr().solve(latency);
  const auto [low, high] = std::minmax(below.latency_us, above.latency_us);
  return std::clamp(alpha_beta(0) + alpha_beta(1) * bytes, low, high);
}

// Exact bytes, else the fit; one source class of one group, which keeps its fit with interpolation off.
class CommunicationSteps final : public SearchSteps {
 public:
  bool exact(SearchContext& context, KernelSearch& search) const override {
    if (search.failure) return false;
    const Group group = load(context, search);
    const std::int64_t bytes = search.target->coordinate[0];
    for (const MeasuredPoint& point : group.points) {
      if (point.coordinate[0] != bytes) continue;
      context.answer_point(search, search.regimes().front(), group.source_class, point, "exact_coordinate");
      context.finish_hit(search, Source::measured, kExactConfidence);
      return true;
    }
    return false;
  }

  bool interpolate(SearchContext& context, KernelSearch& search) const override {
    if (search.failure) return false;
    const Group group = load(context, search);
    if (group.points.empty()) {
      context.fail(search, "insufficient_candidates");
      return false;
    }
    const std::int64_t bytes = search.target->coordinate[0];
    const auto above = std::find_if(group.points.begin(), group.points.end(),
                                    [&](const auto& p) { return p.coordinate[0] > bytes; });
    Interpolation tried;
    tried.attempt.axes = {std::string(context.spec().axes[0])};
    tried.attempt.candidate_count = group.all->rows().size();
    tried.attempt.coordinate_count = group.points.size();
    tried.attempt.measured = {range(context, group.points.front(), group.points.back())};
    tried.attempt.reason =
        above == group.points.begin() || above == group.points.end() ? "outside_boundary" : "answered";
    context.note(tried, search, search.regimes().front(), group.source_class);
    if (!tried.answered()) return false;
    const MeasuredPoint& below = *(above - 1);
    tried.latency_us = fitted(group.all->rows(), static_cast<double>(bytes), below, *above);
    tried.method = "alpha_beta";
    tried.boundary = {range(context, below, *above)};
    tried.matched_rows = {matched_row(context.spec(), below, std::nullopt),
                          matched_row(context.spec(), *above, std::nullopt)};
    context.answer_interpolation(search, search.regimes().front(), group.source_class, std::move(tried), 1);
    context.result.confidence = kFitConfidence;
    return true;
  }

 private:
  struct Group {
    SourceClass source_class = SourceClass::selected;
    std::shared_ptr<const ClassPoints> all;
    std::vector<MeasuredPoint> points;  // rising in bytes
  };

  static Boundary range(const SearchContext& context, const MeasuredPoint& low, const MeasuredPoint& high) {
    return {std::string(context.spec().axes[0]), static_cast<double>(low.coordinate[0]),
            static_cast<double>(high.coordinate[0])};
  }

  // selected rows, or fallback rows where the group has no others.
  static Group load(SearchContext& context, const KernelSearch& search) {
    Group group;
    const store::RegimeRow& regime = search.regimes().front();
    group.all = context.candidates.whole_class(context.spec(), regime, SourceClass::selected);
    if (group.all->rows().empty()) {
      group.source_class = SourceClass::fallback;
      group.all = context.candidates.whole_class(context.spec(), regime, SourceClass::fallback);
    }
    group.points = group.all->points();
    std::sort(group.points.begin(), group.points.end(),
              [](const auto& a, const auto& b) { return a.coordinate < b.coordinate; });
    return group;
  }
};

class Communication final : public Path {
 public:
  const PathSpec& spec() const override {
    static const PathSpec spec{
        .name = "communication",
        .fields = {{"num_devices", false},
                   {"topology_tier", true, Match::open, "topology_tier_unspecified"},
                   {"dtype", true, Match::open, "dtype_unspecified"}},
        .axes = {"message_bytes"},
        .groups = {{0}},
        .selector = Selector::category,
    };
    return spec;
  }

  std::variant<Candidate, Unfit> project(const Row& row, const ProjectionKey&) const override {
    const auto bytes = cell_whole(row.field("message_bytes"));
    const auto devices = cell_whole(row.field("num_devices"));
    if (!bytes) return Unfit{"message_bytes_invalid", std::string(row.field("message_bytes"))};
    if (!devices || *devices < 1) return Unfit{"num_devices_invalid", std::string(row.field("num_devices"))};
    Candidate candidate;
    candidate.regime = {*devices, std::string(row.field("topology_tier")), std::string(row.field("dtype"))};
    candidate.coordinate = {*bytes};
    return candidate;
  }

  std::variant<Target, Unfit> target(const Call& call) const override {
    const auto devices = group_size(call.leaf);
    if (call.leaf.inputs.empty() || call.leaf.inputs.front().tensors.empty())
      return Unfit{"target_unextractable", "no input 0"};
    const Tensor& input = call.leaf.inputs.front().tensors.front();
    const auto size = item_size(input.dtype);
    if (!size) return Unfit{"target_unextractable", "item size of " + input.dtype + " is not known"};
    if (!devices) return Unfit{"target_unextractable", "neither attrs.rank_group nor attrs.num_devices"};
    Target target;
    std::int64_t bytes = element_count(input.shape) * *size;
    if (base_name(call.leaf.op).find("reduce_scatter") != std::string_view::npos) bytes /= *devices;
    target.regime = {*devices, attr_text(call.leaf, "topology_tier"), profiler_dtype(input.dtype)};
    target.coordinate = {bytes};
    target.path_fields = {{"num_devices", *devices}};
    return target;
  }

  const SearchSteps& steps() const override {
    static const CommunicationSteps steps;
    return steps;
  }
};

}  // namespace

const Path& communication_path() {
  static const Communication path;
  return path;
}

}  // namespace profdb
