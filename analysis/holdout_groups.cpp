// The statistics of a hold-out, and its JSON.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "analysis/holdout.h"

namespace profdb::analysis {
namespace {

using nlohmann::ordered_json;

// A group that is still being filled.
struct Filling {
  HoldoutGroup group;
  std::vector<double> errors;

  void add(const HoldoutSample& sample) {
    ++group.samples;
    if (!sample.answered()) {
      ++group.misses[sample.reason];
      return;
    }
    ++group.answered;
    errors.push_back(sample.relative_error);
  }
};

// kernel, path, source (INTERPOLATED before the others), dim, axes: a group stands before its parts.
using GroupKey = std::tuple<std::string, std::string, std::string, int, std::string>;

void add(std::map<GroupKey, Filling>& groups, const HoldoutSample& sample, const std::string& source, int dim,
         const std::string& axes) {
  Filling& filling = groups[{sample.kernel, sample.path, source, dim, axes}];
  filling.group.kernel = sample.kernel;
  filling.group.path = sample.path;
  filling.group.source = source;
  filling.group.dim = dim;
  filling.group.axes = axes;
  filling.add(sample);
}

ordered_json misses_json(const std::vector<HoldoutGroup>& groups) {
  auto rows = ordered_json::array();
  for (const HoldoutGroup& group : groups)
    for (const auto& [reason, count] : group.misses)
      rows.push_back({{"kernel", group.kernel},
                      {"path", group.path},
                      {"reason", reason},
                      {"samples", count},
                      {"share", static_cast<double>(count) / static_cast<double>(group.samples)}});
  return rows;
}

}  // namespace

std::vector<HoldoutGroup> holdout_groups(const std::vector<HoldoutSample>& samples) {
  std::map<GroupKey, Filling> groups;
  for (const HoldoutSample& sample : samples) {
    add(groups, sample, "", 0, "");
    if (!sample.answered()) continue;
    const char* source = to_string(sample.source);
    add(groups, sample, source, sample.dim, "");
    if (!sample.axes.empty()) add(groups, sample, source, sample.dim, sample.axes);
  }
  std::vector<HoldoutGroup> all;
  for (auto& [key, filling] : groups) {
    filling.group.error = error_statistics(filling.errors);
    all.push_back(std::move(filling.group));
  }
  return all;
}

std::vector<std::size_t> worst_samples(const std::vector<HoldoutSample>& samples, std::size_t most) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (samples[i].answered()) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(samples[a].relative_error) > std::abs(samples[b].relative_error);
  });
  order.resize(std::min(order.size(), most));
  return order;
}

ordered_json to_json(const HoldoutSample& sample) {
  ordered_json json{{"op", sample.op},
                    {"kernel", sample.kernel},
                    {"path", sample.path},
                    {"regime_id", sample.regime_id},
                    {"regime", sample.regime},
                    {"source_class", sample.source_class},
                    {"coordinate", sample.coordinate},
                    {"measurement_id", sample.measurement_id},
                    {"row_count", sample.row_count},
                    {"measured_us", sample.measured_us},
                    {"spread", sample.spread},
                    {"source", to_string(sample.source)}};
  if (!sample.answered()) {
    json["reason"] = sample.reason;
    return json;
  }
  json["predicted_us"] = sample.predicted_us;
  json["relative_error"] = sample.relative_error;
  json["method"] = sample.method;
  if (!sample.match_rule.empty()) json["match_rule"] = sample.match_rule;
  if (sample.dim > 0) json["dim"] = sample.dim;
  if (!sample.axes.empty()) json["axes"] = sample.axes;
  json["neighbours"] = sample.neighbours;
  return json;
}

ordered_json to_json(const HoldoutGroup& group) {
  ordered_json json{{"kernel", group.kernel},    {"path", group.path}, {"source", group.source},
                    {"dim", group.dim},          {"axes", group.axes}, {"samples", group.samples},
                    {"answered", group.answered}};
  add_to_json(json, group.error);
  return json;
}

ordered_json to_json(const HoldoutRun& run, std::size_t worst) {
  const auto groups = holdout_groups(run.samples);
  const auto answered = std::count_if(run.samples.begin(), run.samples.end(),
                                      [](const HoldoutSample& sample) { return sample.answered(); });
  ordered_json json{{"run",
                     {{"holdout_run_id", run.holdout_run_id},
                      {"run_at", run.run_at},
                      {"engine_version", run.engine_version},
                      {"release_id", run.release_id},
                      {"release", run.release},
                      {"content_digest", run.content_digest},
                      {"mapping_digest", run.mapping_digest},
                      {"synthetic", run.synthetic},
                      {"options", run.options},
                      {"sample_count", run.samples.size()},
                      {"answered_count", answered}}},
                    {"groups", ordered_json::array()},
                    {"misses", misses_json(groups)},
                    {"worst", ordered_json::array()}};
  for (const HoldoutGroup& group : groups) json["groups"].push_back(to_json(group));
  for (const std::size_t i : worst_samples(run.samples, worst))
    json["worst"].push_back(to_json(run.samples[i]));
  return json;
}

}  // namespace profdb::analysis
