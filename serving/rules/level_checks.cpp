// The checks of one attempt at a level.
#include "serving/rules/level_checks.h"

#include <fmt/format.h>

#include <strings.h>
#include <algorithm>
#include <map>
#include <set>

#include "base/utc.h"

namespace profdb::serving {

namespace {

using Requests = std::vector<const RequestFacts*>;

// The value of a header; nothing where it is absent or stands twice.
std::optional<std::string> header(const RequestRecord& record, const std::string& name) {
  std::optional<std::string> found;
  for (const auto& [key, value] : record.headers) {
    if (strcasecmp(key.c_str(), name.c_str()) != 0) continue;
    if (found) return std::nullopt;
    found = value;
  }
  return found;
}

class LevelChecker {
 public:
  LevelChecker(const RoundEvidence& round, const RunEvidence& run, std::int64_t level, std::int64_t attempt)
      : round_(round), protocol_(round.protocol), run_(run), level_(level), attempt_(attempt) {
    for (const RequestFacts& facts : run.requests) {
      const RequestRecord& record = facts.record;
      if (record.level != level || record.attempt != attempt || record.phase == Phase::probe) continue;
      (record.phase == Phase::warmup ? warmups_ : measured_).push_back(&facts);
      all_.push_back(&facts);
    }
    std::stable_sort(measured_.begin(), measured_.end(), [](const RequestFacts* a, const RequestFacts* b) {
      return a->record.slot < b->record.slot;
    });
  }

  AttemptValidation check() {
    check_plan();
    check_prompts();
    check_lengths();
    check_cache();
    check_request();
    check_response();
    check_times();
    check_order();
    check_window();
    check_identity();
    AttemptValidation result;
    result.attempt = attempt_;
    result.tpot_ms = collect_numbers();
    result.checks = checks_.take();
    if (result.tpot_ms.size() == measured_.size()) result.mean_tpot_ms = mean(result.tpot_ms);
    return result;
  }

 private:
  // Opens a check and holds what `problem` says of each request against it.
  template <class Problem>
  void each(const std::string& name, const Requests& requests, const Problem& problem) {
    checks_.open(name);
    for (const RequestFacts* facts : requests)
      if (const std::string what = problem(*facts); !what.empty())
        checks_.fail(fmt::format("{}: {}", facts->label(), what));
  }

  void check_plan() {
    const auto planned = static_cast<std::size_t>(level_);
    checks_.open("count");
    if (warmups_.size() != planned)
      checks_.fail(fmt::format("{} warm-up requests instead of {}", warmups_.size(), planned));
    if (measured_.size() != planned)
      checks_.fail(fmt::format("{} measured requests instead of {}", measured_.size(), planned));
    checks_.open("slots");
    for (const Requests* phase : {&warmups_, &measured_}) {
      std::set<std::int64_t> seen;
      for (const RequestFacts* facts : *phase) {
        const std::int64_t slot = facts->record.slot;
        if (slot < 0 || slot >= level_)
          checks_.fail(fmt::format("{}: no slot of this level", facts->label()));
        if (!seen.insert(slot).second) checks_.fail(fmt::format("{}: a slot used twice", facts->label()));
      }
    }
  }

  // The prompt that the plan gives a request, or nothing.
  const Prompt* planned_prompt(const RequestRecord& record) const {
    const auto& pool = record.phase == Phase::warmup ? round_.pool.warmup : round_.pool.measured;
    if (record.slot < 0 || static_cast<std::size_t>(record.slot) >= pool.size()) return nullptr;
    return &pool[static_cast<std::size_t>(record.slot)];
  }

  void check_prompts() {
    each("prompts", all_, [this](const RequestFacts& facts) -> std::string {
      const Prompt* prompt = planned_prompt(facts.record);
      if (prompt == nullptr) return "the pool has no prompt for this slot";
      if (prompt->sha256 == facts.record.prompt_sha256) return "";
      return "not the pool's prompt of this position";
    });
    checks_.open("pools_disjoint");
    std::set<std::string> warmup;
    for (const Prompt& prompt : round_.pool.warmup) warmup.insert(prompt.sha256);
    for (std::size_t i = 0; i < round_.pool.measured.size(); ++i)
      if (warmup.count(round_.pool.measured[i].sha256) > 0)
        checks_.fail(fmt::format("prompt {} of the measured pool is one of the warm-up pool's", i));
  }

  void check_lengths() {
    each("input_length", all_, [this](const RequestFacts& facts) -> std::string {
      const Prompt* prompt = planned_prompt(facts.record);
      const std::int64_t actual = prompt == nullptr ? facts.record.prompt_tokens : prompt->tokens;
      for (const std::int64_t tokens : {actual, facts.record.prompt_tokens})
        if (tokens != protocol_.input_tokens)
          return fmt::format("{} prompt tokens instead of {}", tokens, protocol_.input_tokens);
      return "";
    });
    each("output_length", all_, [this](const RequestFacts& facts) -> std::string {
      const std::int64_t asked = protocol_.output_tokens(facts.record.phase == Phase::measured);
      if (facts.output_tokens == asked) return "";
      return fmt::format("{} generated token ids instead of {}", facts.output_tokens, asked);
    });
    each("usage", all_, [](const RequestFacts& facts) -> std::string {
      const auto& usage = facts.record.usage;
      if (!usage) return "no usage was reported";
      if (usage->completion_tokens != facts.output_tokens)
        return fmt::format("usage says {} completion tokens, {} ids were counted", usage->completion_tokens,
                           facts.output_tokens);
      if (usage->prompt_tokens != facts.record.prompt_tokens)
        return fmt::format("usage says {} prompt tokens, {} were sent", usage->prompt_tokens,
                           facts.record.prompt_tokens);
      return "";
    });
  }

  void check_cache() {
    std::map<std::string, int> uses;
    for (const RunEvidence& run : round_.runs)
      for (const RequestFacts& facts : run.requests) ++uses[facts.record.cache_salt];
    each("salts", all_, [&uses](const RequestFacts& facts) -> std::string {
      const RequestRecord& record = facts.record;
      if (record.cache_salt.empty()) return "no cache_salt";
      if (uses[record.cache_salt] > 1)
        return fmt::format("cache_salt '{}' was used before", record.cache_salt);
      const auto sent = record.body.find("cache_salt");
      return sent != record.body.end() && *sent == record.cache_salt ? "" : "the body has another cache_salt";
    });
    each("cached_tokens", all_, [](const RequestFacts& facts) -> std::string {
      if (!facts.record.cached_tokens) return "not reported";
      if (*facts.record.cached_tokens == 0) return "";
      return fmt::format("{} prompt tokens came from the cache", *facts.record.cached_tokens);
    });
  }

  std::string body_problem(const RequestFacts& facts) const {
    const RequestRecord& record = facts.record;
    if (record.path != protocol_.path)
      return fmt::format("path {} instead of {}", record.path, protocol_.path);
    if (!record.body.is_object()) return "the body is no object";
    const bool measured = record.phase == Phase::measured;
    const std::int64_t asked = protocol_.output_tokens(measured);
    for (const auto& [key, value] : record.body.items()) {
      const bool length = key == "max_tokens" || key == "min_tokens";
      if (length ? value == asked : key == "model" || key == "cache_salt") continue;
      const auto rule = protocol_.body.find(key);
      if (rule == protocol_.body.end() && !length) return fmt::format("'{}' is not the protocol's", key);
      if (length || *rule != value) return fmt::format("'{}' is {}", key, value.dump());
    }
    for (const auto& [key, value] : protocol_.body.items())
      if (!record.body.contains(key)) return fmt::format("'{}' is missing", key);
    if (!record.body.contains("max_tokens")) return "'max_tokens' is missing";
    if (measured && !record.body.contains("min_tokens")) return "'min_tokens' is missing";
    return facts.body_problem;
  }

  void check_request() {
    each("rank", all_, [this](const RequestFacts& facts) -> std::string {
      const std::string planned = std::to_string(facts.record.slot % protocol_.rank_modulus);
      const auto sent = header(facts.record, protocol_.rank_header);
      if (sent == planned && facts.record.rank_header == planned) return "";
      return fmt::format("{} is '{}' instead of '{}'", protocol_.rank_header,
                         sent ? *sent : facts.record.rank_header, planned);
    });
    each("body", all_, [this](const RequestFacts& facts) { return body_problem(facts); });
  }

  void check_response() {
    constexpr std::int64_t kHttpOk = 200;
    each("status", all_, [](const RequestFacts& facts) -> std::string {
      const RequestRecord& record = facts.record;
      if (record.status == Status::ok && record.http_status == kHttpOk) return "";
      return fmt::format("{}, HTTP {}{}{}", to_string(record.status), record.http_status,
                         record.error.empty() ? "" : ": ", record.error);
    });
    each("done", all_, [](const RequestFacts& facts) { return facts.record.done ? "" : "no DONE arrived"; });
    each("raw", all_, [](const RequestFacts& facts) { return facts.raw_problem; });
  }

  void check_times() {
    each("clock", all_, [this](const RequestFacts& facts) {
      return facts.record.clock_id == all_.front()->record.clock_id ? "" : "measured by another clock";
    });
    each("times", all_, [](const RequestFacts& facts) {
      return facts.monotone ? "" : "times run backwards, or are negative";
    });
    each("after_freeze", all_, [this](const RequestFacts& facts) -> std::string {
      const auto start = parse_utc(facts.record.start_utc);
      if (!start) return fmt::format("start_utc '{}' is no UTC time", facts.record.start_utc);
      const bool before =
          *start < round_.frozen_utc_ns || (facts.record.clock_id == round_.frozen_clock_id &&
                                            facts.record.start_ns < round_.frozen_monotonic_ns);
      return before ? "older than the freezing of the RunSpec" : "";
    });
    each("service_life", all_, [this](const RequestFacts& facts) -> std::string {
      const auto start = parse_utc(facts.record.start_utc);
      const ServiceRun& service = run_.service;
      if (!start || *start < service.started_utc_ns) return "sent before the service started";
      if (service.stopped_utc_ns && *start > *service.stopped_utc_ns) return "sent after the service stopped";
      return "";
    });
  }

  static std::int64_t first_start(const Requests& requests) {
    std::int64_t first = INT64_MAX;
    for (const RequestFacts* facts : requests) first = std::min(first, facts->record.start_ns);
    return first;
  }
  static std::int64_t last_end(const Requests& requests) {
    std::int64_t last = INT64_MIN;
    for (const RequestFacts* facts : requests) last = std::max(last, facts->record.end_ns);
    return last;
  }

  void check_order() {
    checks_.open("level_order");
    for (const RequestFacts& facts : run_.requests) {
      const RequestRecord& other = facts.record;
      if (other.phase == Phase::probe || all_.empty()) continue;
      // First attempts follow the lower levels' first attempts; a repeated attempt follows the one before it.
      const bool lower = attempt_ == 1 && other.attempt == 1 && other.level < level_;
      const bool earlier = other.level == level_ && other.attempt < attempt_;
      if ((lower || earlier) && other.end_ns > first_start(all_)) {
        checks_.fail(fmt::format("began before {} had ended", facts.label()));
        break;
      }
    }
    checks_.open("warmup_first");
    if (!warmups_.empty() && !measured_.empty() && last_end(warmups_) > first_start(measured_))
      checks_.fail("a measured request began before the last warm-up had ended");
    checks_.open("barrier");
    if (measured_.empty()) return;
    std::int64_t last_start = INT64_MIN;
    for (const RequestFacts* facts : measured_) last_start = std::max(last_start, facts->record.start_ns);
    const double spread_ms = static_cast<double>(last_start - first_start(measured_)) / 1e6;
    if (!(spread_ms <= protocol_.barrier_spread_ms))
      checks_.fail(fmt::format("the measured requests start {} ms apart; {} ms are allowed", spread_ms,
                               protocol_.barrier_spread_ms));
  }

  void check_window() {
    checks_.open("window");
    if (all_.empty()) return;
    const std::int64_t start = first_start(all_);
    const std::int64_t end = last_end(all_);
    for (const RunEvidence& run : round_.runs)
      for (const RequestFacts& facts : run.requests) {
        const RequestRecord& other = facts.record;
        const bool mine = &run == &run_ && other.phase != Phase::probe && other.level == level_ &&
                          other.attempt == attempt_;
        if (mine || other.clock_id != all_.front()->record.clock_id) continue;
        if (other.start_ns < end && other.end_ns > start)
          checks_.fail(fmt::format("{} of run {} ran meanwhile", facts.label(), run.name));
      }
  }

  void check_identity() {
    each("identity", all_, [this](const RequestFacts& facts) -> std::string {
      const RequestRecord& record = facts.record;
      if (record.round != run_.round) return fmt::format("of round '{}'", record.round);
      if (record.run != run_.name) return fmt::format("of run '{}'", record.run);
      if (record.service != run_.service.service) return fmt::format("of service '{}'", record.service);
      return "";
    });
  }

  std::vector<double> collect_numbers() {
    std::vector<double> values;
    checks_.open("numbers");
    for (const RequestFacts* facts : measured_) {
      if (facts->numbers)
        values.push_back(facts->numbers->tpot_ms);
      else
        checks_.fail(fmt::format("{}: no TPOT follows from it", facts->label()));
    }
    return values;
  }

  const RoundEvidence& round_;
  const Protocol& protocol_;
  const RunEvidence& run_;
  std::int64_t level_;
  std::int64_t attempt_;
  Requests warmups_, measured_, all_;
  CheckList checks_;
};

}  // namespace

const std::vector<std::string>& level_check_names() {
  static const std::vector<std::string> names = {
      "count",       "slots",        "prompts",       "pools_disjoint", "input_length", "output_length",
      "usage",       "salts",        "cached_tokens", "rank",           "body",         "status",
      "done",        "raw",          "clock",         "times",          "after_freeze", "service_life",
      "level_order", "warmup_first", "barrier",       "window",         "identity",     "numbers"};
  return names;
}

AttemptValidation validate_attempt(const RoundEvidence& round, const RunEvidence& run, std::int64_t level,
                                   std::int64_t attempt) {
  return LevelChecker(round, run, level, attempt).check();
}

std::vector<LevelValidation> validate_levels(const RoundEvidence& round, const RunEvidence& run) {
  std::vector<LevelValidation> levels;
  for (const std::int64_t level : round.protocol.levels) {
    std::set<std::int64_t> attempts;
    for (const RequestFacts& facts : run.requests)
      if (facts.record.level == level && facts.record.phase != Phase::probe)
        attempts.insert(facts.record.attempt);
    LevelValidation& validation = levels.emplace_back();
    validation.level = level;
    for (const std::int64_t attempt : attempts)
      validation.attempts.push_back(validate_attempt(round, run, level, attempt));
  }
  return levels;
}

}  // namespace profdb::serving
