// The verdict on a candidate's performance (acceptance-protocol §4): a pure function of numbers that were
// computed from evidence.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace profdb::serving {

enum class Verdict { pass, fail, inconclusive, not_run };
const char* to_string(Verdict verdict);  // "PASS", "FAIL", "INCONCLUSIVE", "NOT_RUN"
Verdict verdict_from(const std::string& name);

// One level's figures, ms per token; absent where the evidence is missing, invalid or not comparable.
struct LevelFigures {
  std::optional<double> parent;  // P(C)
  std::optional<double> b1;
  std::optional<double> b2;
};

struct VerdictInput {
  double limit_ms_per_token = 0;
  std::map<std::int64_t, double> thresholds;  // by level, fractions
  std::vector<std::int64_t> targets;          // not empty, among the levels
  std::map<std::int64_t, LevelFigures> levels;
};

// What follows from one level's figures; absent where they are unusable.
struct LevelOutcome {
  LevelFigures figures;
  std::optional<double> threshold;
  bool target = false;
  std::optional<double> g1, g2, median_gain, tpot;
};

struct VerdictResult {
  Verdict verdict = Verdict::inconclusive;
  int rule = 1;        // of acceptance-protocol §4, the one that decided
  std::string reason;  // names the level and the figure
  std::map<std::int64_t, LevelOutcome> levels;
};

// The value where it is a number that a measurement can have: finite and above zero.
std::optional<double> usable(std::optional<double> value);

// The mean of the middle two of an even count. Nothing for no values, or where one is not usable.
std::optional<double> usable_median(std::vector<double> values);

// Rules 1 to 4 in order, in plain double arithmetic, nothing rounded. Figures that are absent, not finite,
// zero or negative, and thresholds or limits that are no numbers from zero on, make it INCONCLUSIVE by
// rule 1.
VerdictResult judge(const VerdictInput& input);

}  // namespace profdb::serving
