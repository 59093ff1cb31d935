// Comparing two releases coordinate by coordinate.
#include "analysis/diff.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/error_statistics.h"
#include "base/statistics.h"
#include "engine/candidates/interpolate.h"
#include "engine/store/releases.h"

namespace profdb::analysis {
namespace {

using nlohmann::ordered_json;

using KernelKey = std::pair<std::string, std::string>;  // kernel, path
// What makes regimes of two releases the same: path and kernel, every field, and the source class.
struct RegimeKey {
  std::string kernel;
  std::string path;
  std::string fields;  // JSON, in the order of the table
  std::string source_class;
  auto operator<=>(const RegimeKey&) const = default;  // NOLINT(modernize-use-nullptr): sees one in it
};
using Latencies = std::map<std::string, double>;  // coordinate -> median
using Side = std::map<RegimeKey, Latencies>;

// A regime can stand under several projections (operators that ask otherwise): the first counts.
constexpr const char* kCandidates = R"(
SELECT k.name, c.path, r.fields, iif(c.source_class = 0, 'selected', 'fallback'), c.coordinate, r.projection_id,
       c.latency_us
FROM candidate AS c
JOIN regime AS r ON r.path = c.path AND r.regime_id = c.regime_id
JOIN projection AS p ON p.projection_id = r.projection_id
JOIN kernel AS k ON k.kernel_id = p.kernel_id
WHERE p.release_id = :release
AND (:kernel IS NULL OR k.name = :kernel)
AND (:path IS NULL OR c.path = :path)
ORDER BY r.projection_id)";

Side load(store::Connection& connection, std::int64_t release_id, const RegimeFilter& filter) {
  SQLite::Statement& statement = connection.statement(kCandidates);
  statement.bind(":release", release_id);
  if (!filter.kernel.empty()) statement.bind(":kernel", filter.kernel);
  if (!filter.path.empty()) statement.bind(":path", filter.path);
  std::map<RegimeKey, std::map<std::string, std::vector<double>>> all;
  std::map<RegimeKey, std::int64_t> projections;
  store::Rows rows(statement);
  while (rows.next()) {
    RegimeKey key{rows.text(0), rows.text(1), rows.text(2), rows.text(3)};
    const std::int64_t projection_id = rows.integer(5);
    if (projections.try_emplace(key, projection_id).first->second != projection_id) continue;
    all[std::move(key)][rows.text(4)].push_back(rows.real(6));
  }
  Side side;
  for (auto& [key, coordinates] : all)
    for (auto& [coordinate, latencies] : coordinates) side[key][coordinate] = median(std::move(latencies));
  return side;
}

std::set<std::string> operators(store::Connection& connection, std::int64_t release_id) {
  SQLite::Statement& statement =
      connection.statement("SELECT op\nFROM op_mapping\nWHERE release_id = :release");
  statement.bind(":release", release_id);
  std::set<std::string> names;
  store::Rows rows(statement);
  while (rows.next()) names.insert(rows.text(0));
  return names;
}

RatioStatistics ratio_statistics(std::vector<double> ratios) {
  RatioStatistics statistics;
  statistics.n = ratios.size();
  if (ratios.empty()) return statistics;
  std::sort(ratios.begin(), ratios.end());
  statistics.min = ratios.front();
  statistics.p10 = quantile(ratios, 0.1);
  statistics.median = quantile(ratios, 0.5);
  statistics.p90 = quantile(ratios, 0.9);
  statistics.max = ratios.back();
  return statistics;
}

// A kernel, or a regime, with the ratios that are still to be summed up.
struct Compared {
  RegimeDiff diff;
  std::vector<double> ratios;

  void add(double ratio, double threshold) {
    ratios.push_back(ratio);
    if (ratio > 1 + threshold) ++diff.regressions;
    if (ratio < 1 - threshold) ++diff.improvements;
  }
  RegimeDiff finish() {
    diff.ratio = ratio_statistics(std::move(ratios));
    return std::move(diff);
  }
};

class Comparison {
 public:
  Comparison(DiffReport& report, Side a, Side b) : report_(report), a_(std::move(a)), b_(std::move(b)) {}

  void run() {
    for (const auto& [key, latencies] : a_) note(kernels_a_, key);
    for (const auto& [key, latencies] : b_) note(kernels_b_, key);
    for (const auto& [key, latencies] : a_) {
      const auto other = b_.find(key);
      if (other == b_.end())
        only(key, "A", latencies.size(), kernels_b_);
      else
        compare(key, latencies, other->second);
    }
    for (const auto& [key, latencies] : b_)
      if (!a_.contains(key)) only(key, "B", latencies.size(), kernels_a_);
    finish();
  }

 private:
  void note(std::map<KernelKey, bool>& kernels, const RegimeKey& key) {
    kernels[{key.kernel, key.path}] = true;
    Compared& kernel = kernels_[{key.kernel, key.path}];
    kernel.diff.kernel = key.kernel;
    kernel.diff.path = key.path;
  }

  void compare(const RegimeKey& key, const Latencies& a, const Latencies& b) {
    Compared regime;
    regime.diff.kernel = key.kernel;
    regime.diff.path = key.path;
    regime.diff.regime = ordered_json::parse(key.fields);
    regime.diff.source_class = key.source_class;
    Compared& kernel = kernels_[{key.kernel, key.path}];
    for (const auto& [coordinate, a_us] : a) {
      const auto it = b.find(coordinate);
      if (it == b.end()) {
        ++regime.diff.only_a;
        continue;
      }
      const double ratio = it->second / a_us;
      regime.add(ratio, report_.threshold);
      kernel.add(ratio, report_.threshold);
      change(regime.diff, coordinate, a_us, it->second);
    }
    regime.diff.only_b = static_cast<std::int64_t>(b.size() - regime.ratios.size());
    coordinates_only(regime.diff, "A", regime.diff.only_a);
    coordinates_only(regime.diff, "B", regime.diff.only_b);
    kernel.diff.only_a += regime.diff.only_a;
    kernel.diff.only_b += regime.diff.only_b;
    report_.regimes.push_back(regime.finish());
  }

  void change(const RegimeDiff& regime, const std::string& coordinate, double a_us, double b_us) {
    const double ratio = b_us / a_us;
    CoordinateChange changed{regime.kernel, regime.path, regime.regime, regime.source_class,
                             coordinate,    a_us,        b_us,          ratio};
    if (ratio > 1 + report_.threshold)
      report_.regressions.push_back(std::move(changed));
    else if (ratio < 1 - report_.threshold)
      report_.improvements.push_back(std::move(changed));
  }

  void coordinates_only(const RegimeDiff& regime, const char* side, std::int64_t count) {
    if (count > 0)
      report_.only.push_back({side, "coordinates", "", regime.kernel, regime.path, regime.regime, count});
  }

  void only(const RegimeKey& key, const char* side, std::size_t count,
            const std::map<KernelKey, bool>& other_kernels) {
    const auto coordinates = static_cast<std::int64_t>(count);
    RegimeDiff& kernel = kernels_[{key.kernel, key.path}].diff;
    (*side == 'A' ? kernel.only_a : kernel.only_b) += coordinates;
    if (other_kernels.contains({key.kernel, key.path})) {
      report_.only.push_back(
          {side, "regime", "", key.kernel, key.path, ordered_json::parse(key.fields), coordinates});
      return;
    }
    auto& last = report_.only;
    const auto same = std::find_if(last.begin(), last.end(), [&](const OnlyIn& row) {
      return row.scope == "kernel" && row.release == side && row.kernel == key.kernel && row.path == key.path;
    });
    if (same != last.end())
      same->coordinates += coordinates;
    else
      last.push_back({side, "kernel", "", key.kernel, key.path, nullptr, coordinates});
  }

  void finish() {
    for (auto& [key, kernel] : kernels_) report_.kernels.push_back(kernel.finish());
    std::stable_sort(report_.regressions.begin(), report_.regressions.end(),
                     [](const auto& x, const auto& y) { return x.ratio > y.ratio; });
    std::stable_sort(report_.improvements.begin(), report_.improvements.end(),
                     [](const auto& x, const auto& y) { return x.ratio < y.ratio; });
  }

  DiffReport& report_;
  Side a_;
  Side b_;
  std::map<KernelKey, bool> kernels_a_;
  std::map<KernelKey, bool> kernels_b_;
  std::map<KernelKey, Compared> kernels_;
};

void note_operators(store::Connection& connection, DiffReport& report) {
  const auto a = operators(connection, report.a.release_id);
  const auto b = operators(connection, report.b.release_id);
  for (const std::string& op : a)
    if (!b.contains(op)) report.only.push_back({"A", "operator", op, "", "", nullptr, 0});
  for (const std::string& op : b)
    if (!a.contains(op)) report.only.push_back({"B", "operator", op, "", "", nullptr, 0});
}

ordered_json identity(const ReleaseInfo& info) {
  return {{"release_id", info.release_id},         {"release", release_name(info)},
          {"torch_version", info.torch_version},   {"cann_version", info.cann_version},
          {"content_digest", info.content_digest}, {"synthetic", info.synthetic}};
}

template <typename Row>
ordered_json array_of(const std::vector<Row>& rows) {
  auto json = ordered_json::array();
  for (const Row& row : rows) json.push_back(to_json(row));
  return json;
}

}  // namespace

DiffReport diff(store::Connection& connection, const ReleaseInfo& a, const ReleaseInfo& b,
                const DiffOptions& options) {
  check(options.filter);
  if (a.release_id == b.release_id) throw Error(ErrorKind::usage, "both name the same release; name two");
  DiffReport report;
  report.a = a;
  report.b = b;
  report.threshold = options.threshold;
  Comparison(report, load(connection, a.release_id, options.filter),
             load(connection, b.release_id, options.filter))
      .run();
  if (options.filter.kernel.empty() && options.filter.path.empty()) note_operators(connection, report);
  return report;
}

ordered_json to_json(const RegimeDiff& row) {
  ordered_json json{{"kernel", row.kernel},           {"path", row.path},
                    {"regime", row.regime},           {"source_class", row.source_class},
                    {"common", row.ratio.n},          {"min_ratio", nullptr},
                    {"p10_ratio", nullptr},           {"median_ratio", nullptr},
                    {"p90_ratio", nullptr},           {"max_ratio", nullptr},
                    {"regressions", row.regressions}, {"improvements", row.improvements},
                    {"only_a", row.only_a},           {"only_b", row.only_b}};
  if (row.ratio.n == 0) return json;
  json["min_ratio"] = row.ratio.min;
  json["p10_ratio"] = row.ratio.p10;
  json["median_ratio"] = row.ratio.median;
  json["p90_ratio"] = row.ratio.p90;
  json["max_ratio"] = row.ratio.max;
  return json;
}

ordered_json to_json(const CoordinateChange& row) {
  return {{"kernel", row.kernel},
          {"path", row.path},
          {"regime", row.regime},
          {"source_class", row.source_class},
          {"coordinate", row.coordinate},
          {"a_us", row.a_us},
          {"b_us", row.b_us},
          {"ratio", row.ratio}};
}

ordered_json to_json(const OnlyIn& row) {
  return {{"release", row.release},        {"scope", row.scope}, {"op", row.op},
          {"kernel", row.kernel},          {"path", row.path},   {"regime", row.regime},
          {"coordinates", row.coordinates}};
}

ordered_json to_json(const DiffReport& report) {
  return {{"a", identity(report.a)},
          {"b", identity(report.b)},
          {"threshold", report.threshold},
          {"kernels", array_of(report.kernels)},
          {"regimes", array_of(report.regimes)},
          {"regressions", array_of(report.regressions)},
          {"improvements", array_of(report.improvements)},
          {"only", array_of(report.only)}};
}

}  // namespace profdb::analysis
