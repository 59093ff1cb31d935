// The four rules, in their order.
#include "serving/rules/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profdb/error.h"

namespace profdb::serving {

namespace {

bool is_bound(double value) {
  return std::isfinite(value) && value >= 0;
}

// Fills the outcomes. Says what is missing, or nothing.
std::string complete(const VerdictInput& input, std::map<std::int64_t, LevelOutcome>& outcomes) {
  std::string missing;
  const auto note = [&missing](const std::string& what) { missing += (missing.empty() ? "" : "; ") + what; };
  if (!is_bound(input.limit_ms_per_token)) note("the limit is no number from zero on");
  if (input.levels.empty()) note("there is no level");
  if (input.targets.empty()) note("there is no target level");
  for (const auto& [level, figures] : input.levels) {
    LevelOutcome& outcome = outcomes[level];
    outcome.figures = {usable(figures.parent), usable(figures.b1), usable(figures.b2)};
    outcome.target = std::find(input.targets.begin(), input.targets.end(), level) != input.targets.end();
    const auto threshold = input.thresholds.find(level);
    if (threshold != input.thresholds.end() && is_bound(threshold->second))
      outcome.threshold = threshold->second;
    else
      note(fmt::format("level {}: no threshold", level));
    if (!outcome.figures.parent) note(fmt::format("level {}: no usable parent figure", level));
    if (!outcome.figures.b1) note(fmt::format("level {}: no usable figure of run 1", level));
    if (!outcome.figures.b2) note(fmt::format("level {}: no usable figure of run 2", level));
    if (!outcome.figures.parent || !outcome.figures.b1 || !outcome.figures.b2) continue;
    const double p = *outcome.figures.parent;
    const double b1 = *outcome.figures.b1;
    const double b2 = *outcome.figures.b2;
    outcome.g1 = (p - b1) / p;
    outcome.g2 = (p - b2) / p;
    outcome.median_gain = (*outcome.g1 + *outcome.g2) / 2;
    outcome.tpot = (b1 + b2) / 2;
  }
  for (const std::int64_t target : input.targets)
    if (input.levels.count(target) == 0) note(fmt::format("target level {} was not measured", target));
  return missing;
}

std::string regression(std::int64_t level, const LevelOutcome& outcome, double limit) {
  if (*outcome.median_gain < -*outcome.threshold)
    return fmt::format("level {}: median gain {} is below minus its threshold {}", level,
                       *outcome.median_gain, *outcome.threshold);
  if (*outcome.figures.parent <= limit && *outcome.tpot > limit)
    return fmt::format("level {}: the parent's {} ms/token kept the limit of {}, {} does not", level,
                       *outcome.figures.parent, limit, *outcome.tpot);
  return "";
}

bool both_improve(const LevelOutcome& outcome) {
  return outcome.target && *outcome.g1 > 0 && *outcome.g2 > 0;
}

// Rules 2 to 4, over levels that are complete.
void decide(double limit, VerdictResult& result) {
  const auto conclude = [&result](Verdict verdict, int rule, std::string reason) {
    result.verdict = verdict;
    result.rule = rule;
    result.reason = std::move(reason);
  };
  for (const auto& [level, outcome] : result.levels)
    if (auto reason = regression(level, outcome, limit); !reason.empty())
      return conclude(Verdict::fail, 2, std::move(reason));
  for (const auto& [level, outcome] : result.levels)
    if (outcome.target && ((*outcome.g1 > 0 && *outcome.g2 < 0) || (*outcome.g1 < 0 && *outcome.g2 > 0)))
      return conclude(Verdict::inconclusive, 3,
                      fmt::format("target level {}: one gain is positive, the other negative ({} and {})",
                                  level, *outcome.g1, *outcome.g2));
  for (const auto& [level, outcome] : result.levels)
    if (both_improve(outcome) && *outcome.median_gain > *outcome.threshold)
      return conclude(Verdict::pass, 4,
                      fmt::format("target level {}: both gains are positive and their median {} is above the "
                                  "threshold {}; no level regressed",
                                  level, *outcome.median_gain, *outcome.threshold));
  for (const auto& [level, outcome] : result.levels)
    if (both_improve(outcome) && *outcome.median_gain == *outcome.threshold)
      return conclude(
          Verdict::inconclusive, 4,
          fmt::format("target level {}: the median gain equals the threshold {}", level, *outcome.threshold));
  conclude(Verdict::fail, 4, "no target level improved in both runs by more than its threshold");
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "PASS";
    case Verdict::fail:
      return "FAIL";
    case Verdict::inconclusive:
      return "INCONCLUSIVE";
    case Verdict::not_run:
      return "NOT_RUN";
  }
  return "";
}

Verdict verdict_from(const std::string& name) {
  for (const Verdict verdict : {Verdict::pass, Verdict::fail, Verdict::inconclusive, Verdict::not_run})
    if (name == to_string(verdict)) return verdict;
  throw Error(ErrorKind::database, fmt::format("'{}' is no verdict; the database is damaged", name));
}

std::optional<double> usable(std::optional<double> value) {
  if (!value || !std::isfinite(*value) || *value <= 0) return std::nullopt;
  return value;
}

std::optional<double> usable_median(std::vector<double> values) {
  for (const double value : values)
    if (!usable(value)) return std::nullopt;
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  return (values[middle - 1] + values[middle]) / 2;
}

VerdictResult judge(const VerdictInput& input) {
  VerdictResult result;
  result.reason = complete(input, result.levels);
  if (result.reason.empty()) decide(input.limit_ms_per_token, result);
  return result;
}

}  // namespace profdb::serving
