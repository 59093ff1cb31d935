// Making the small round.
#include "tests/serving/round_fixture.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/utc.h"

namespace profdb::serving::test {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMinute = 60 * kSecond;

std::int64_t freeze_time() {
  return *parse_utc("2026-11-07T10:00:00Z");
}

Identity identity_of(const std::string& commit) {
  return {commit, sha('a'), sha('b'), sha('c'), sha('d')};
}

RequestRecord make_record(const TestRound& round, const TestRun& run, std::int64_t level, Phase phase,
                          std::int64_t slot, std::int64_t attempt, std::int64_t start_ns, double tpot_ms) {
  const Protocol& protocol = round.protocol;
  const bool measured = phase == Phase::measured;
  const auto& prompts = measured ? round.pool.measured : round.pool.warmup;
  RequestRecord record;
  record.round = run.service.round;
  record.run = run.service.run;
  record.service = run.service.service;
  record.level = level;
  record.phase = phase;
  record.slot = slot;
  record.attempt = attempt;
  record.rank_header = std::to_string(slot % protocol.rank_modulus);
  record.cache_salt =
      fmt::format("{}-{}-{}-{}-{}-{}", record.round, record.run, level, to_string(phase), slot, attempt);
  record.prompt_sha256 = prompts[static_cast<std::size_t>(slot)].sha256;
  record.prompt_tokens = protocol.input_tokens;
  record.path = protocol.path;
  record.headers = {{"Content-Type", "application/json"}, {protocol.rank_header, record.rank_header}};
  record.body = protocol.body;
  record.body["model"] = "m";
  record.body["cache_salt"] = record.cache_salt;
  record.body["max_tokens"] = protocol.output_tokens(measured);
  if (measured) record.body["min_tokens"] = protocol.output_tokens(measured);
  record.body_sha256 = sha('e');
  record.clock_id = "bench/1";
  record.start_ns = start_ns;
  record.start_utc = format_utc(round.frozen_utc_ns + start_ns);
  const std::int64_t count = protocol.output_tokens(measured);
  const auto step = static_cast<std::int64_t>(tpot_ms * 1e6);
  for (std::int64_t i = 0; i < count; ++i)
    record.frames.push_back({start_ns + 100'000'000 + i * step, 100 * (i + 1), {1000 + i}});
  record.end_ns = record.frames.back().t_ns;
  record.done = true;
  record.usage = Usage{protocol.input_tokens, count};
  record.cached_tokens = 0;
  record.http_status = 200;
  return record;
}

}  // namespace

std::string sha(char digit) {
  return std::string(64, digit);
}

Protocol small_protocol() {
  Protocol protocol;
  protocol.name = "small";
  protocol.version = "1";
  protocol.levels = {1, 2};
  protocol.input_tokens = 8;
  protocol.warmup_output_tokens = 2;
  protocol.measured_output_tokens = 4;
  protocol.limit_ms_per_token = 25;
  protocol.threshold_floor = 0.01;
  protocol.rank_header = "X-data-parallel-rank";
  protocol.rank_modulus = 2;
  protocol.path = "/v1/completions";
  protocol.body = {{"stream", true}, {"temperature", 0}, {"ignore_eos", true}};
  protocol.http_timeout_s = 10;
  protocol.barrier_timeout_s = 5;
  protocol.barrier_spread_ms = 100;
  AccuracyProtocol& accuracy = protocol.accuracy;
  accuracy.dataset = "set";
  accuracy.dataset_revision = "1";
  accuracy.scorer = "scorer";
  accuracy.scorer_revision = "2";
  accuracy.prompt = "template";
  accuracy.questions = 10;
  accuracy.sample = 3;
  accuracy.seed = 0;  // selects 0, 6 and 9
  accuracy.selection_sha256 = sha('5');
  accuracy.correct_at_least = 2;
  accuracy.concurrency = 32;
  accuracy.max_output_tokens = 64;
  accuracy.settings = {{"temperature", 0}};
  return protocol;
}

TestRun& TestRound::run(const std::string& name) {
  for (TestRun& one : runs)
    if (one.service.run == name) return one;
  throw std::runtime_error("no run " + name);
}

RequestRecord& record_of(TestRun& run, std::int64_t level, Phase phase, std::int64_t slot) {
  for (RequestRecord& record : run.records)
    if (record.level == level && record.phase == phase && record.slot == slot && record.attempt == 1)
      return record;
  throw std::runtime_error("no such record");
}

RoundEvidence TestRound::evidence() const {
  RoundEvidence evidence;
  evidence.spec = spec;
  evidence.protocol = protocol;
  evidence.protocol_sha256 = protocol_sha256;
  evidence.pool = pool;
  evidence.frozen_utc_ns = frozen_utc_ns;
  evidence.frozen_monotonic_ns = frozen_monotonic_ns;
  evidence.frozen_clock_id = frozen_clock_id;
  evidence.archive_problems = archive_problems;
  for (const TestRun& run : runs) {
    RunEvidence& out = evidence.runs.emplace_back();
    out.round = spec.round;
    out.name = run.service.run;
    out.service = run.service;
    out.sealed = run.sealed;
    out.archive_problems = run.archive_problems;
    out.record_files = {run.records_sha256};
    std::int64_t line = 0;
    for (const RequestRecord& record : run.records) out.requests.push_back(facts_of(record, ++line));
    if (!out.requests.empty()) {
      out.requests.back().raw_problem = run.raw_problem;
      out.requests.back().body_problem = run.body_problem;
    }
  }
  return evidence;
}

void add_attempt(const TestRound& round, TestRun& run, std::int64_t level, std::int64_t attempt,
                 double tpot_ms) {
  std::int64_t at = run.service.started_utc_ns - round.frozen_utc_ns + kSecond;
  for (const RequestRecord& record : run.records) at = std::max(at, record.end_ns + kSecond);
  for (const Phase phase : {Phase::warmup, Phase::measured}) {
    std::int64_t end = at;
    for (std::int64_t slot = 0; slot < level; ++slot) {
      run.records.push_back(make_record(round, run, level, phase, slot, attempt, at + slot * 1000, tpot_ms));
      end = std::max(end, run.records.back().end_ns);
    }
    at = end + 1'000'000;
  }
}

TestRun make_run(const TestRound& round, const std::string& name, int minute,
                 const std::vector<double>& tpot_ms) {
  TestRun run;
  run.service.round = round.spec.round;
  run.service.run = name;
  run.service.service = round.spec.round + "-" + name;
  run.service.host = "npu-host";
  run.service.pid = 1000 + minute;
  run.service.start_ticks = 77'000 + minute;
  run.service.identity = round.spec.candidate;
  run.service.started_utc_ns = round.frozen_utc_ns + minute * kMinute;
  run.service.stopped_utc_ns = run.service.started_utc_ns + kMinute - kSecond;
  run.service.execution_paths = {{"fused", {0, 1}}};
  run.records_sha256 = sha('f');
  for (std::size_t i = 0; i < tpot_ms.size(); ++i)
    add_attempt(round, run, round.protocol.levels[i], 1, tpot_ms[i]);
  return run;
}

TestRound make_round(const std::string& name, RoundKind kind, const std::string& commit) {
  TestRound round;
  round.frozen_utc_ns = freeze_time();
  round.pool.sha256 = sha('8');
  round.pool.warmup = {{sha('1'), 8}, {sha('2'), 8}};
  round.pool.measured = {{sha('3'), 8}, {sha('4'), 8}};
  RunSpec& spec = round.spec;
  spec.round = name;
  spec.kind = kind;
  spec.hypothesis = "it is faster";
  spec.protocol = {"protocol", "protocol.yaml", sha('9')};
  spec.candidate = identity_of(commit);
  spec.inputs = {{"prompt_pool", "pool.json", sha('8')}};
  spec.tools = {{"client", "client", sha('7')}};
  spec.validator = BoundFile{"validator", "validator", sha('6')};
  spec.knowledge = BoundFile{"knowledge", "knowledge.md", sha('0')};
  spec.knowledge_outcome = "no_hits";
  spec.required_paths = {"fused"};
  spec.dataset_sha256 = sha('1');
  spec.scorer_sha256 = sha('2');
  spec.prompts_sha256 = sha('3');
  return round;
}

TestCandidate make_candidate() {
  TestCandidate made;
  made.parent = make_round("base", RoundKind::calibration, "parent-commit");
  made.parent.spec.pairs = {{"P1", "C1", true}, {"P2", "C2", false}};
  int minute = 1;
  for (const char* name : {"P1", "C1", "C2", "P2"})
    made.parent.runs.push_back(make_run(made.parent, name, minute++, {32.0, 32.0}));
  made.round = make_round("r1", RoundKind::candidate, "candidate-commit");
  RunSpec& spec = made.round.spec;
  spec.targets = {1};
  spec.parent = made.parent.spec.candidate;
  spec.direct_parent = "parent-commit";
  spec.calibration = "base";
  for (const char* name : {"P1", "P2"})
    spec.references.push_back({std::string("base/") + name, "records.jsonl", sha('f')});
  made.round.runs.push_back(make_run(made.round, "B1", 1, {31.0, 31.0}));
  made.round.runs.push_back(make_run(made.round, "B2", 2, {31.0, 31.0}));
  return made;
}

CandidateEvidence TestCandidate::evidence() const {
  CandidateEvidence out;
  out.round = round.evidence();
  const auto base = std::make_shared<const RoundEvidence>(parent.evidence());
  const auto validations = validate_round(*base);
  for (const Reference& named : round.spec.references) {
    ReferenceEvidence& reference = out.references.emplace_back();
    reference.named = named;
    const std::size_t slash = named.run.find('/');
    if (named.run.substr(0, slash) != parent.spec.round) continue;
    reference.round = base;
    reference.run = base->run(named.run.substr(slash + 1));
    for (const RunValidation& validation : validations)
      if (reference.run != nullptr && validation.run == reference.run->name)
        reference.validation = validation;
  }
  if (round.spec.calibration == parent.spec.round) out.calibration = calibrate_round(*base, validations);
  return out;
}

std::vector<std::string> failing(const std::vector<Check>& checks) {
  std::vector<std::string> names;
  for (const Check& check : checks)
    if (!check.ok) names.push_back(check.name);
  return names;
}

}  // namespace profdb::serving::test
