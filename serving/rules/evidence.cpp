// Small questions to the evidence.
#include "serving/rules/evidence.h"

#include <fmt/format.h>

namespace profdb::serving {

std::string RequestFacts::label() const {
  return fmt::format("level {} {} slot {} attempt {} (line {})", record.level, to_string(record.phase),
                     record.slot, record.attempt, line);
}

RequestFacts facts_of(RequestRecord record, std::int64_t line) {
  RequestFacts facts;
  facts.line = line;
  facts.output_tokens = record.output_tokens();
  facts.monotone = times_are_monotone(record);
  facts.numbers = numbers_of(record);
  record.frames.clear();
  record.frames.shrink_to_fit();
  facts.record = std::move(record);
  return facts;
}

const RunEvidence* RoundEvidence::run(const std::string& name) const {
  for (const RunEvidence& one : runs)
    if (one.name == name) return &one;
  return nullptr;
}

const AttemptValidation* LevelValidation::counted() const {
  for (const AttemptValidation& attempt : attempts)
    if (attempt.valid()) return &attempt;
  return nullptr;
}

const LevelValidation* RunValidation::level(std::int64_t level) const {
  for (const LevelValidation& one : levels)
    if (one.level == level) return &one;
  return nullptr;
}

bool RunValidation::valid() const {
  return problems().empty();
}

std::optional<double> RunValidation::mean_tpot(std::int64_t level_) const {
  const LevelValidation* found = level(level_);
  if (!all_ok(checks) || found == nullptr || found->counted() == nullptr) return std::nullopt;
  return found->counted()->mean_tpot_ms;
}

std::string RunValidation::problems() const {
  std::string text = failures(checks);
  const auto add = [&text](const std::string& problem) { text += (text.empty() ? "" : "; ") + problem; };
  for (const LevelValidation& one : levels) {
    if (one.counted() != nullptr) continue;
    if (one.attempts.empty()) add(fmt::format("level {}: nothing was recorded", one.level));
    for (const AttemptValidation& attempt : one.attempts) {
      const std::string what = failures(attempt.checks);
      add(fmt::format("level {} attempt {}: {}", one.level, attempt.attempt,
                      what.empty() ? "numbers: no mean TPOT" : what));
    }
  }
  return text;
}

}  // namespace profdb::serving
