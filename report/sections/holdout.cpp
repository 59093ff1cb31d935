// How well lookups predict what was measured: hold-out runs.
#include "report/sections/holdout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "analysis/error_statistics.h"
#include "base/statistics.h"
#include "report/sections/sections.h"

namespace profdb::report {
namespace {

constexpr std::size_t kWorstCases = 50;
constexpr int kBins = 40;

std::vector<double> errors_of(const std::vector<HoldoutSample>& samples) {
  std::vector<double> errors;
  for (const auto& sample : samples)
    if (sample.relative_error) errors.push_back(*sample.relative_error);
  return errors;
}

Table runs_table(const Input& input, const std::vector<HoldoutRun>& runs) {
  Table table{.caption = "Hold-out runs",
              .columns = {{"release", "release"},
                          {"holdout_run_id", "run", Kind::integer},
                          {"run_at", "at (UTC)"},
                          {"engine_version", "profdb"},
                          {"sample_count", "samples", Kind::integer},
                          {"answered_count", "answered", Kind::integer},
                          {"current", "of the data as it is now"},
                          {"content_digest", "content digest", Kind::code},
                          {"mapping_digest", "mapping digest", Kind::code},
                          {"options", "options", Kind::code}},
              .badge = input.badge()};
  for (const HoldoutRun& run : runs)
    table.rows.push_back({run.release->name, run.run_id, run.run_at, run.engine_version, run.sample_count,
                          run.answered_count, run.current, run.content_digest, run.mapping_digest,
                          run.options});
  return table;
}

Json percent(double share) {
  return 100 * share;
}

// One row per way of answering, and one over all of a kernel's answers.
Table statistics_table(const Input& input, const std::vector<HoldoutSample>& samples) {
  using Key = std::tuple<std::string, std::string, std::string, bool, std::string, std::int64_t, std::string>;
  std::map<Key, std::vector<double>> groups;
  std::map<std::tuple<std::string, std::string, std::string>, std::int64_t> asked;
  for (const auto& sample : samples) {
    const std::string& release = sample.run->release->name;
    ++asked[{release, sample.path, sample.kernel}];
    if (!sample.relative_error) continue;
    groups[{release, sample.path, sample.kernel, false, "all answers", 0, ""}].push_back(
        *sample.relative_error);
    groups[{release, sample.path, sample.kernel, true, sample.source, sample.dim, sample.axes}].push_back(
        *sample.relative_error);
  }
  Table table{
      .caption = "Relative error by kernel, dimension and axes",
      .columns = {{"release", "release"},
                  {"path", "path"},
                  {"kernel", "kernel"},
                  {"source", "source"},
                  {"dim", "dim", Kind::integer},
                  {"axes", "axes"},
                  {"n", "n", Kind::integer},
                  {"of", "of", Kind::integer},
                  {"median_error", "median", Kind::number, "%"},
                  {"p90_error", "p90", Kind::number, "%"},
                  {"p95_error", "p95", Kind::number, "%"},
                  {"max_error", "max", Kind::number, "%"},
                  {"signed_median_error", "signed median", Kind::number, "%"}},
      .note =
          "Of |predicted − measured| / measured, percentiles by linear interpolation; the signed median "
          "keeps the sign. “of”: the kernel's coordinates that were held out.",
      .badge = input.badge()};
  for (const auto& [key, errors] : groups) {
    const auto& [release, path, kernel, is_part, source, dim, axes] = key;
    const auto statistics = analysis::error_statistics(errors);
    table.rows.push_back({release, path, kernel, source, dim == 0 ? Json() : Json(dim),
                          axes.empty() ? Json() : Json(axes), statistics.n, asked.at({release, path, kernel}),
                          percent(statistics.median), percent(statistics.p90), percent(statistics.p95),
                          percent(statistics.max), percent(statistics.signed_median)});
  }
  cut(table, "profdb holdout");
  return table;
}

Tags tags_of(const HoldoutSample& sample) {
  Tags tags{{"release", sample.run->release->name},
            {"path", sample.path},
            {"kernel", sample.kernel},
            {"regime", regime_name(sample.path, sample.regime_id)}};
  if (sample.dim > 0) tags.emplace_back("dim", std::to_string(sample.dim));
  return tags;
}

// Percent between which nearly all errors lie, on both sides alike.
double reach(std::vector<double> errors) {
  for (double& error : errors) error = 100 * std::abs(error);
  std::sort(errors.begin(), errors.end());
  const double most = quantile(errors, 0.95);
  for (const double step : {1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 60.0, 100.0, 200.0})
    if (most <= step) return step;
  return 400;
}

ErrorDistribution distribution(const Input& input, const std::vector<HoldoutSample>& samples) {
  ErrorDistribution chart{
      .head = {.title = "Relative error of predictions",
               .note = "Signed: above zero the lookup said more than was measured. What lies "
                       "outside the bins is in the bar at either end.",
               .badge = input.badge()},
      .x = {"(predicted − measured) / measured", "%"},
      .edges = {}};
  const double most = reach(errors_of(samples));
  for (int i = 0; i <= kBins; ++i) chart.edges.push_back(most * (2 * i - kBins) / kBins);
  std::map<Tags, std::vector<std::int64_t>> groups;
  for (const auto& sample : samples) {
    if (!sample.relative_error) continue;
    auto& counts = groups[tags_of(sample)];
    counts.resize(chart.edges.size() + 1);
    const auto bin = std::upper_bound(chart.edges.begin(), chart.edges.end(), 100 * *sample.relative_error);
    ++counts[static_cast<std::size_t>(bin - chart.edges.begin())];
  }
  for (auto& [tags, counts] : groups) chart.groups.push_back({tags, std::move(counts)});
  return chart;
}

Scatter predictions(const Input& input, const std::vector<HoldoutSample>& samples) {
  Scatter chart{.head = {.title = "Predicted and measured latency", .badge = input.badge()},
                .x = {"measured", "us", true},
                .y = {"predicted", "us", true}};
  const auto answered = errors_of(samples).size();
  const std::size_t step = std::max<std::size_t>(1, (answered + kMaxPoints - 1) / kMaxPoints);
  std::map<std::string, std::vector<Json>> by_kernel;
  std::size_t seen = 0;
  double low = 0;
  double high = 0;
  for (const auto& sample : samples) {
    if (!sample.predicted_us || seen++ % step != 0) continue;
    by_kernel[sample.kernel].push_back(
        {sample.measured_us, *sample.predicted_us, sample.kernel + " " + sample.coordinate});
    low = low == 0 ? sample.measured_us : std::min(low, sample.measured_us);
    high = std::max(high, sample.measured_us);
  }
  for (auto& [kernel, points] : by_kernel) chart.series.push_back({kernel, std::move(points)});
  chart.lines = {{"predicted = measured", {{low, low}, {high, high}}}};
  if (step > 1) chart.head.note = fmt::format("Every {}th of {} samples.", step, answered);
  return chart;
}

Bars miss_bars(const Input& input, const std::vector<HoldoutSample>& samples) {
  Bars bars{.head = {.title = "Held-out coordinates that could not be answered", .badge = input.badge()},
            .value = {"coordinates"}};
  std::map<std::pair<std::string, Tags>, double> counts;
  for (const auto& sample : samples)
    if (!sample.relative_error) counts[{sample.reason, tags_of(sample)}] += 1;
  for (const auto& [key, count] : counts) bars.bars.push_back({key.first, count, key.second});
  return bars;
}

// "M=1,K=256,N=512: 5.25 us; …" of a sample's neighbours; what has another form stays as it is.
std::string neighbours_text(const std::string& neighbours) {
  std::string text;
  const Json list = Json::parse(neighbours);
  for (const Json& neighbour : list) {
    text += text.empty() ? "" : "; ";
    if (!neighbour.is_object() || !neighbour.contains("coordinate") || !neighbour.contains("latency_us")) {
      text += neighbour.dump();
      continue;
    }
    const Json& coordinate = neighbour.at("coordinate");
    std::string at;
    if (coordinate.is_string()) at = coordinate.get<std::string>();
    if (coordinate.is_object())
      for (const auto& [axis, value] : coordinate.items())
        at += fmt::format("{}{}={}", at.empty() ? "" : ",", axis, value.dump());
    text += fmt::format("{}: {:.6g} us", at, neighbour.at("latency_us").get<double>());
  }
  return text;
}

Table worst_cases(const Input& input, const std::vector<HoldoutSample>& samples) {
  std::vector<const HoldoutSample*> worst;
  for (const auto& sample : samples)
    if (sample.relative_error) worst.push_back(&sample);
  std::stable_sort(worst.begin(), worst.end(), [](const auto* a, const auto* b) {
    return std::abs(*a->relative_error) > std::abs(*b->relative_error);
  });
  if (worst.size() > kWorstCases) worst.resize(kWorstCases);
  Table table{.caption = fmt::format("The {} worst predictions", worst.size()),
              .columns = {{"release", "release"},
                          {"path", "path"},
                          {"kernel", "kernel"},
                          {"coordinate", "coordinate"},
                          {"measured", "measured", Kind::number, "us"},
                          {"predicted", "predicted", Kind::number, "us"},
                          {"relative_error", "error", Kind::number, "%"},
                          {"method", "method"},
                          {"dim", "dim", Kind::integer},
                          {"axes", "axes"},
                          {"neighbours", "rests on", Kind::code}},
              .badge = input.badge()};
  for (const auto* sample : worst)
    table.rows.push_back({sample->run->release->name, sample->path, sample->kernel, sample->coordinate,
                          sample->measured_us, *sample->predicted_us, percent(*sample->relative_error),
                          sample->method, sample->dim == 0 ? Json() : Json(sample->dim), sample->axes,
                          neighbours_text(sample->neighbours)});
  return table;
}

// Kernels that answer operators but were never held out.
Table without_holdout(const Input& input, const std::vector<HoldoutSample>& samples) {
  std::set<std::tuple<std::string, std::string, std::string>> held_out;
  for (const auto& sample : samples) held_out.insert({sample.run->release->name, sample.path, sample.kernel});
  Table table{.caption = "Kernels without hold-out",
              .columns = {{"release", "release"},
                          {"path", "path"},
                          {"kernel", "kernel"},
                          {"candidates", "candidates", Kind::integer}},
              .note = "They answer lookups, but how well is not known. `profdb holdout` finds out."};
  for (Json& row : release_rows(input, R"(
SELECT p.path, k.name, sum(p.candidate_count)
FROM projection AS p
JOIN kernel AS k USING (kernel_id)
WHERE p.release_id = :release AND p.path <> 'base_exact'
GROUP BY p.path, k.name
HAVING sum(p.candidate_count) > 0
ORDER BY p.path, k.name)"))
    if (!held_out.contains({row[0].get<std::string>(), row[1].get<std::string>(), row[2].get<std::string>()}))
      table.rows.push_back(std::move(row));
  return table;
}

void add_gaps(const Input& input, const std::vector<HoldoutRun>& runs,
              const std::vector<HoldoutSample>& samples, Findings& findings) {
  Table missing = without_holdout(input, samples);
  if (!missing.rows.empty()) {
    findings.gaps.push_back(
        fmt::format("{} kernels with data have no hold-out: how well they are interpolated is not known.",
                    missing.rows.size()));
    cut(missing, "profdb holdout");
    findings.gap_tables.push_back(std::move(missing));
  }
  for (const HoldoutRun& run : runs)
    if (!run.current)
      findings.gaps.push_back(fmt::format(
          "Hold-out run {} is of other data or another mapping than {} has now: its errors are history.",
          run.run_id, run.release->name));
}

}  // namespace

Section holdout_section(const Input& input, Findings& findings) {
  Section section{.heading = "Interpolation error"};
  const auto runs = holdout_runs(input);
  const auto samples = holdout_samples(input, runs);
  std::vector<HoldoutRun> used;
  for (const HoldoutRun& run : runs)
    if (std::any_of(samples.begin(), samples.end(), [&](const auto& sample) { return sample.run == &run; }))
      used.push_back(run);
  add_gaps(input, used, samples, findings);
  if (samples.empty()) {
    section.text = {
        "No hold-out has been recorded for these releases, so nothing is known about the error of an "
        "interpolation. `profdb holdout` leaves each measured coordinate out in turn and asks for it."};
    return section;
  }
  section.text = {
      "Each measured coordinate was left out in turn, with its duplicates, and the production lookup asked "
      "for "
      "it. This is the error at points that were measured; between points that lie as close it should be "
      "like "
      "this, elsewhere it is not known."};
  const auto errors = errors_of(samples);
  findings.headlines.push_back({"held-out coordinates answered", share(errors.size(), samples.size())});
  if (!errors.empty()) {
    const auto statistics = analysis::error_statistics(errors);
    findings.headlines.push_back({"median relative error", percent(statistics.median), "%"});
    findings.headlines.push_back({"p90 relative error", percent(statistics.p90), "%"});
    section.charts = {to_json(distribution(input, samples)), to_json(predictions(input, samples))};
  }
  if (errors.size() < samples.size()) section.charts.push_back(to_json(miss_bars(input, samples)));
  section.tables = {statistics_table(input, samples)};
  if (!errors.empty()) section.tables.push_back(worst_cases(input, samples));
  section.tables.push_back(runs_table(input, used));
  return section;
}

}  // namespace profdb::report
