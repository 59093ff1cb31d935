// acceptance-protocol §2, the validity of a level. Every check has a case in which it alone fails.
#include "serving/rules/level_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/utc.h"
#include "tests/serving/round_fixture.h"

namespace profdb::serving {
namespace {

using test::record_of;
using test::TestRound;
using test::TestRun;

struct Case {
  const char* check;
  const char* what;
  std::function<void(TestRound&, TestRun& b1)> disturb;
};

RequestRecord& measured(TestRun& run, std::int64_t slot = 1) {
  return record_of(run, 2, Phase::measured, slot);
}
RequestRecord& warmup(TestRun& run, std::int64_t slot = 1) {
  return record_of(run, 2, Phase::warmup, slot);
}
void remove(TestRun& run, Phase phase, std::int64_t slot) {
  std::erase_if(run.records, [&](const RequestRecord& record) {
    return record.level == 2 && record.phase == phase && record.slot == slot;
  });
}
void set_header(RequestRecord& record, const std::string& name, const std::string& value) {
  for (auto& [key, old] : record.headers)
    if (key == name) old = value;
}
// A request that is not part of any level's plan, at the time of another.
void add_meanwhile(TestRun& run, const RequestRecord& other, Phase phase) {
  RequestRecord extra = other;
  extra.phase = phase;
  extra.slot = 0;
  extra.cache_salt = "extra";
  run.records.push_back(extra);
}

// Each disturbs level 2 of run B1.
const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"count", "a measured request is missing",
       [](TestRound&, TestRun& b1) { remove(b1, Phase::measured, 1); }},
      {"count", "a warm-up is missing", [](TestRound&, TestRun& b1) { remove(b1, Phase::warmup, 0); }},
      {"slots", "a slot stands twice",
       [](TestRound&, TestRun& b1) {
         // Slot 1 becomes a second slot 0, in everything that depends on it.
         RequestRecord& record = measured(b1, 1);
         record.slot = 0;
         record.prompt_sha256 = measured(b1, 0).prompt_sha256;
         record.rank_header = "0";
         set_header(record, "X-data-parallel-rank", "0");
       }},
      {"prompts", "the other pool's prompt",
       [](TestRound&, TestRun& b1) { measured(b1).prompt_sha256 = test::sha('1'); }},
      {"prompts", "another position's prompt",
       [](TestRound&, TestRun& b1) { warmup(b1).prompt_sha256 = test::sha('1'); }},
      {"pools_disjoint", "a measured prompt is a warm-up prompt as well",
       [](TestRound& round, TestRun& b1) {
         round.pool.measured[1].sha256 = round.pool.warmup[1].sha256;
         measured(b1).prompt_sha256 = round.pool.warmup[1].sha256;
       }},
      {"input_length", "a short prompt",
       [](TestRound&, TestRun& b1) {
         measured(b1).prompt_tokens = 7;
         measured(b1).usage->prompt_tokens = 7;
       }},
      {"input_length", "a short prompt in the pool",
       [](TestRound& round, TestRun&) { round.pool.measured[1].tokens = 7; }},
      {"output_length", "a token less than asked",
       [](TestRound&, TestRun& b1) {
         measured(b1).frames.pop_back();
         measured(b1).usage->completion_tokens = 3;
       }},
      {"output_length", "two tokens in the last frame: frames are not counted",
       [](TestRound&, TestRun& b1) {
         measured(b1).frames.back().token_ids.push_back(5);
         measured(b1).usage->completion_tokens = 5;
       }},
      {"usage", "usage says one token less",
       [](TestRound&, TestRun& b1) { measured(b1).usage->completion_tokens = 3; }},
      {"usage", "usage says another prompt length",
       [](TestRound&, TestRun& b1) { measured(b1).usage->prompt_tokens = 9; }},
      {"usage", "no usage", [](TestRound&, TestRun& b1) { measured(b1).usage.reset(); }},
      {"salts", "a salt of the other run",
       [](TestRound& round, TestRun& b1) {
         measured(b1).cache_salt = measured(round.run("B2")).cache_salt;
         measured(b1).body["cache_salt"] = measured(b1).cache_salt;
       }},
      {"salts", "another salt in the body",
       [](TestRound&, TestRun& b1) { measured(b1).body["cache_salt"] = "other"; }},
      {"salts", "no salt",
       [](TestRound&, TestRun& b1) {
         measured(b1).cache_salt = "";
         measured(b1).body.erase("cache_salt");
       }},
      {"cached_tokens", "a token from the cache",
       [](TestRound&, TestRun& b1) { measured(b1).cached_tokens = 1; }},
      {"cached_tokens", "a negative count", [](TestRound&, TestRun& b1) { warmup(b1).cached_tokens = -1; }},
      {"cached_tokens", "not reported", [](TestRound&, TestRun& b1) { warmup(b1).cached_tokens.reset(); }},
      {"rank", "another rank in the header",
       [](TestRound&, TestRun& b1) { set_header(measured(b1), "X-data-parallel-rank", "0"); }},
      {"rank", "no rank header", [](TestRound&, TestRun& b1) { measured(b1).headers.pop_back(); }},
      {"rank", "another rank recorded", [](TestRound&, TestRun& b1) { measured(b1).rank_header = "0"; }},
      {"body", "temperature 1", [](TestRound&, TestRun& b1) { measured(b1).body["temperature"] = 1; }},
      {"body", "a member that the protocol does not have",
       [](TestRound&, TestRun& b1) { measured(b1).body["n"] = 2; }},
      {"body", "a member is missing", [](TestRound&, TestRun& b1) { measured(b1).body.erase("stream"); }},
      {"body", "min_tokens is missing",
       [](TestRound&, TestRun& b1) { measured(b1).body.erase("min_tokens"); }},
      {"body", "max_tokens is another", [](TestRound&, TestRun& b1) { warmup(b1).body["max_tokens"] = 4; }},
      {"body", "another path", [](TestRound&, TestRun& b1) { measured(b1).path = "/v1/chat/completions"; }},
      {"body", "its digest is not that of what was sent",
       [](TestRound&, TestRun& b1) { b1.body_problem = "another digest"; }},
      {"status", "HTTP 500", [](TestRound&, TestRun& b1) { measured(b1).http_status = 500; }},
      {"status", "a timeout", [](TestRound&, TestRun& b1) { measured(b1).status = Status::timeout; }},
      {"done", "no DONE", [](TestRound&, TestRun& b1) { measured(b1).done = false; }},
      {"raw", "the raw bytes say something else",
       [](TestRound&, TestRun& b1) { b1.raw_problem = "other token ids"; }},
      {"clock", "another clock", [](TestRound&, TestRun& b1) { measured(b1).clock_id = "bench/2"; }},
      {"times", "a frame before the one before it",
       [](TestRound&, TestRun& b1) { measured(b1).frames[2].t_ns = measured(b1).frames[1].t_ns - 1; }},
      {"times", "an end before the last frame", [](TestRound&, TestRun& b1) { measured(b1).end_ns -= 1; }},
      {"after_freeze", "older than the RunSpec's freezing",
       [](TestRound& round, TestRun& b1) {
         round.frozen_clock_id = "bench/1";
         round.frozen_monotonic_ns = warmup(b1, 0).start_ns + 1;
       }},
      {"service_life", "sent before the service started",
       [](TestRound&, TestRun& b1) { b1.service.started_utc_ns = *parse_utc(warmup(b1, 0).start_utc) + 1; }},
      {"service_life", "sent after the service stopped",
       [](TestRound&, TestRun& b1) {
         b1.service.stopped_utc_ns = *parse_utc(measured(b1, 0).start_utc) - 1;
       }},
      {"level_order", "level 1 ends after level 2 began",
       // Its requests are of another clock, so that the window is not concerned.
       [](TestRound&, TestRun& b1) {
         for (RequestRecord& record : b1.records) {
           if (record.level != 1) continue;
           record.clock_id = "bench/0";
           record.end_ns += 3'000'000'000;
         }
       }},
      {"warmup_first", "a measured request begins before the last warm-up ends",
       [](TestRound&, TestRun& b1) { warmup(b1).end_ns = measured(b1, 0).start_ns + 1; }},
      {"barrier", "a measured request starts 101 ms after the first",
       [](TestRound&, TestRun& b1) {
         RequestRecord& late = measured(b1);
         const std::int64_t shift = 101'000'000 - (late.start_ns - measured(b1, 0).start_ns);
         late.start_ns += shift;
         late.end_ns += shift;
         for (Frame& frame : late.frames) frame.t_ns += shift;
       }},
      {"window", "a probe inside the window",
       [](TestRound&, TestRun& b1) { add_meanwhile(b1, measured(b1), Phase::probe); }},
      {"window", "a request of the other run inside the window",
       [](TestRound& round, TestRun& b1) { add_meanwhile(round.run("B2"), measured(b1), Phase::probe); }},
      {"identity", "of another service", [](TestRound&, TestRun& b1) { measured(b1).service = "r1-B2"; }},
      {"identity", "of another run", [](TestRound&, TestRun& b1) { measured(b1).run = "B2"; }},
      {"identity", "of another round", [](TestRound&, TestRun& b1) { measured(b1).round = "r0"; }},
      {"numbers", "all tokens arrive with the end: no time per token",
       [](TestRound&, TestRun& b1) {
         for (Frame& frame : measured(b1).frames) frame.t_ns = measured(b1).end_ns;
       }},
  };
  return all;
}

AttemptValidation validate(const TestRound& round) {
  const RoundEvidence evidence = round.evidence();
  return validate_attempt(evidence, *evidence.run("B1"), 2, 1);
}

TEST(LevelChecks, AllAreKeptByTheUndisturbedRound) {
  const auto validation = validate(test::make_candidate().round);
  EXPECT_TRUE(validation.valid()) << failures(validation.checks);
  std::vector<std::string> names;
  for (const Check& check : validation.checks) names.push_back(check.name);
  EXPECT_EQ(names, level_check_names());
  // TPOT of every request is 31 ms.
  EXPECT_EQ(validation.mean_tpot_ms, 31.0);
}

TEST(LevelChecks, EachAloneFailsAndIsNamed) {
  std::set<std::string> covered;
  for (const Case& one : cases()) {
    SCOPED_TRACE(testing::Message() << one.check << ": " << one.what);
    TestRound round = test::make_candidate().round;
    one.disturb(round, round.run("B1"));
    const auto validation = validate(round);
    EXPECT_THAT(test::failing(validation.checks), testing::ElementsAre(one.check))
        << failures(validation.checks);
    EXPECT_FALSE(validation.valid());
    covered.insert(one.check);
  }
  const auto& names = level_check_names();
  EXPECT_EQ(covered, std::set<std::string>(names.begin(), names.end())) << "a check has no case";
}

TEST(LevelChecks, EachMakesTheVerdictInconclusive) {
  ASSERT_EQ(judge_candidate(test::make_candidate().evidence()).result.verdict, Verdict::pass);
  for (const Case& one : cases()) {
    SCOPED_TRACE(testing::Message() << one.check << ": " << one.what);
    test::TestCandidate candidate = test::make_candidate();
    one.disturb(candidate.round, candidate.round.run("B1"));
    const auto judgement = judge_candidate(candidate.evidence());
    EXPECT_EQ(judgement.result.verdict, Verdict::inconclusive);
    EXPECT_EQ(judgement.result.rule, 1);
    EXPECT_THAT(judgement.result.reason, testing::HasSubstr(std::string(one.check) + ": "));
  }
}

TEST(LevelChecks, TheBarrierMayTakeItsWholeLimit) {
  TestRound round = test::make_candidate().round;
  RequestRecord& late = measured(round.run("B1"));
  const std::int64_t shift = 100'000'000 - (late.start_ns - measured(round.run("B1"), 0).start_ns);
  late.start_ns += shift;
  late.end_ns += shift;
  for (Frame& frame : late.frames) frame.t_ns += shift;
  EXPECT_TRUE(validate(round).valid());
}

TEST(LevelChecks, AProbeBetweenLevelsIsAllowed) {
  TestRound round = test::make_candidate().round;
  TestRun& b1 = round.run("B1");
  RequestRecord probe = record_of(b1, 1, Phase::measured, 0);
  probe.phase = Phase::probe;
  probe.cache_salt = "probe";
  probe.start_ns = probe.end_ns + 1;
  probe.end_ns = probe.start_ns + 1000;
  probe.frames.clear();
  b1.records.push_back(probe);
  EXPECT_TRUE(validate(round).valid());
}

TEST(LevelChecks, SeveralTokensPerFrameCountByTokens) {
  TestRound round = test::make_candidate().round;
  RequestRecord& record = measured(round.run("B1"));
  // Four tokens in two frames: TPOT = (end - first) / 3, as with four frames.
  record.frames = {{record.frames[0].t_ns, 100, {1, 2, 3}}, {record.frames[3].t_ns, 200, {4}}};
  const auto validation = validate(round);
  EXPECT_TRUE(validation.valid()) << failures(validation.checks);
  EXPECT_EQ(validation.mean_tpot_ms, 31.0);
}

TEST(LevelChecks, AnInvalidLevelMayBeRepeatedWholeAndTheFirstValidAttemptCounts) {
  TestRound round = test::make_candidate().round;
  TestRun& b1 = round.run("B1");
  measured(b1).http_status = 500;
  test::add_attempt(round, b1, 2, 2, 30.0);
  test::add_attempt(round, b1, 2, 3, 20.0);
  const RoundEvidence evidence = round.evidence();
  const auto validation = validate_run(evidence, *evidence.run("B1"));
  EXPECT_TRUE(validation.valid()) << validation.problems();
  ASSERT_EQ(validation.level(2)->attempts.size(), 3U);  // the failed records stay
  EXPECT_EQ(validation.level(2)->counted()->attempt, 2);
  EXPECT_EQ(validation.mean_tpot(2), 30.0);
}

TEST(LevelChecks, ARepetitionWithoutItsWarmUpsIsNotWhole) {
  TestRound round = test::make_candidate().round;
  TestRun& b1 = round.run("B1");
  measured(b1).http_status = 500;
  test::add_attempt(round, b1, 2, 2, 30.0);
  std::erase_if(b1.records,
                [](const RequestRecord& r) { return r.attempt == 2 && r.phase == Phase::warmup; });
  const RoundEvidence evidence = round.evidence();
  const auto validation = validate_run(evidence, *evidence.run("B1"));
  EXPECT_FALSE(validation.valid());
  EXPECT_THAT(test::failing(validation.level(2)->attempts[1].checks), testing::ElementsAre("count"));
}

// Hand calculation: start 1 s, first token 1.25 s, end 2 s, four tokens.
TEST(Numbers, FollowTheFormulas) {
  RequestRecord record;
  record.start_ns = 1'000'000'000;
  record.frames = {{1'100'000'000, 10, {}}, {1'250'000'000, 20, {7, 8}}, {1'900'000'000, 30, {9, 10}}};
  record.end_ns = 2'000'000'000;
  const auto numbers = numbers_of(record);
  ASSERT_TRUE(numbers.has_value());
  EXPECT_EQ(numbers->ttft_ms, 250.0);  // to the first frame that holds a token
  EXPECT_EQ(numbers->e2e_ms, 1000.0);
  EXPECT_EQ(numbers->tpot_ms, 250.0);  // 750 ms over three
}

TEST(Numbers, DoNotFollowFromUnusableTimes) {
  RequestRecord record;
  record.start_ns = 100;
  record.end_ns = 300;
  EXPECT_FALSE(numbers_of(record).has_value());  // no token
  record.frames = {{200, 10, {1}}};
  EXPECT_FALSE(numbers_of(record).has_value());  // one token: nothing to divide by
  record.frames[0].token_ids = {1, 2};
  EXPECT_TRUE(numbers_of(record).has_value());
  record.start_ns = -100;
  EXPECT_FALSE(numbers_of(record).has_value());
  record.start_ns = 200;
  EXPECT_FALSE(numbers_of(record).has_value());  // the first token with the start
  record.start_ns = 100;
  record.end_ns = 200;
  EXPECT_FALSE(numbers_of(record).has_value());  // the end with the first token
  record.end_ns = 150;
  EXPECT_FALSE(numbers_of(record).has_value());
}

}  // namespace
}  // namespace profdb::serving
