// acceptance-protocol §5, accuracy and final acceptance. Every check has a case in which it alone fails.
#include "serving/rules/accuracy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/utc.h"
#include "tests/serving/round_fixture.h"

namespace profdb::serving {
namespace {

using test::sha;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kMinute = 60'000'000'000;

struct TestAccuracy {
  test::TestRound round = test::make_candidate().round;
  AccuracyEvidence evidence;
  AccuracyResult judge() const { return judge_accuracy(round.evidence(), evidence); }
};

// The protocol selects 3 of 10 with seed 0: 0, 6 and 9 (python_random_test). Two correct answers are needed.
TestAccuracy make_accuracy() {
  TestAccuracy made;
  ServiceRun& service = made.round.run("B2").service;
  service.stopped_utc_ns = service.started_utc_ns + 10 * kMinute;
  AccuracyRun run;
  run.round = "r1";
  run.run_id = "r1-accuracy";
  run.run = "B2";
  run.service = service.service;
  run.host = service.host;
  run.pid = service.pid;
  run.start_ticks = service.start_ticks;
  run.identity = made.round.spec.candidate;
  run.started_utc_ns = service.started_utc_ns + 5 * kMinute;
  run.cache_state = "as left";
  run.concurrency = 32;
  run.max_output_tokens = 64;
  run.dataset = "set";
  run.dataset_revision = "1";
  run.dataset_sha256 = sha('1');
  run.scorer = "scorer";
  run.scorer_revision = "2";
  run.scorer_sha256 = sha('2');
  run.prompt = "template";
  run.prompts_sha256 = sha('3');
  run.settings = {{"temperature", 0}};
  made.evidence.run = run;
  for (const std::int64_t question : {0, 6, 9})
    made.evidence.answers.push_back({question, 1, true, sha('a'), true, false, false});
  made.evidence.selection_sha256 = sha('5');
  made.evidence.sealed_utc_ns = run.started_utc_ns - 2;
  made.evidence.judged_utc_ns = run.started_utc_ns - 1;
  made.evidence.performance = Verdict::pass;
  return made;
}

struct Case {
  const char* check;
  std::function<void(TestAccuracy&)> disturb;
};

TEST(Accuracy, EachCheckAloneFailsAndIsNamed) {
  ASSERT_EQ(make_accuracy().judge().verdict, Verdict::pass) << make_accuracy().judge().reason;
  const std::vector<Case> cases = {
      {"accuracy_archive",
       [](TestAccuracy& t) { t.evidence.archive_problems = {"answers.jsonl has changed"}; }},
      {"accuracy_run_id", [](TestAccuracy& t) { t.evidence.run->run_id = "B2"; }},
      {"accuracy_service", [](TestAccuracy& t) { t.evidence.run->service = "r1-B1"; }},
      {"accuracy_service", [](TestAccuracy& t) { t.evidence.run->pid = 5; }},
      {"accuracy_service", [](TestAccuracy& t) { t.evidence.run->start_ticks = 5; }},
      {"accuracy_service",
       [](TestAccuracy& t) {
         t.round.run("B2").service.stopped_utc_ns = t.evidence.run->started_utc_ns - 1;
       }},
      {"accuracy_identity", [](TestAccuracy& t) { t.evidence.run->identity.weights = sha('0'); }},
      {"accuracy_after_seal",
       [](TestAccuracy& t) { t.evidence.sealed_utc_ns = t.evidence.run->started_utc_ns + 1; }},
      {"accuracy_after_seal", [](TestAccuracy& t) { t.evidence.sealed_utc_ns.reset(); }},
      {"accuracy_after_judgement",
       [](TestAccuracy& t) { t.evidence.judged_utc_ns = t.evidence.run->started_utc_ns + 1; }},
      {"accuracy_drained", [](TestAccuracy& t) { t.evidence.run->pending_requests = 1; }},
      {"accuracy_drained", [](TestAccuracy& t) { t.round.run("B2").records.back().end_ns += 6 * kMinute; }},
      {"accuracy_settings", [](TestAccuracy& t) { t.evidence.run->concurrency = 16; }},
      {"accuracy_settings", [](TestAccuracy& t) { t.evidence.run->warmup_requests = 1; }},
      {"accuracy_settings", [](TestAccuracy& t) { t.evidence.run->max_output_tokens = 16384; }},
      {"accuracy_settings", [](TestAccuracy& t) { t.evidence.run->settings["temperature"] = 1; }},
      {"accuracy_dataset", [](TestAccuracy& t) { t.evidence.run->dataset_sha256 = sha('0'); }},
      {"accuracy_dataset", [](TestAccuracy& t) { t.evidence.run->dataset_revision = "2"; }},
      {"accuracy_scorer", [](TestAccuracy& t) { t.evidence.run->scorer_sha256 = sha('0'); }},
      {"accuracy_prompt", [](TestAccuracy& t) { t.evidence.run->prompts_sha256 = sha('0'); }},
      {"accuracy_selection", [](TestAccuracy& t) { t.evidence.selection_sha256 = sha('0'); }},
      {"accuracy_order", [](TestAccuracy& t) { std::swap(t.evidence.answers[0], t.evidence.answers[1]); }},
      {"accuracy_answers",
       [](TestAccuracy& t) {
         t.evidence.answers.push_back({9, 2, true, sha('a'), true, false, false});
       }},
      {"accuracy_failures",
       [](TestAccuracy& t) {
         t.evidence.answers.push_back({9, 2, false, "", false, false, false});
       }},
  };
  std::set<std::string> covered = {"accuracy_questions"};  // below
  for (const Case& one : cases) {
    SCOPED_TRACE(one.check);
    TestAccuracy accuracy = make_accuracy();
    one.disturb(accuracy);
    const auto result = accuracy.judge();
    EXPECT_THAT(test::failing(result.checks), ElementsAre(one.check)) << result.reason;
    EXPECT_EQ(result.verdict, Verdict::inconclusive);
    EXPECT_THAT(result.reason, HasSubstr(std::string(one.check) + ": "));
    covered.insert(one.check);
  }
  std::set<std::string> names;
  for (const Check& check : make_accuracy().judge().checks) names.insert(check.name);
  EXPECT_EQ(covered, names) << "a check has no case";
}

TEST(Accuracy, AMissingOrForeignQuestionIsNamed) {
  TestAccuracy missing = make_accuracy();
  missing.evidence.answers.pop_back();
  EXPECT_THAT(test::failing(missing.judge().checks), ElementsAre("accuracy_questions", "accuracy_order"));
  TestAccuracy foreign = make_accuracy();
  foreign.evidence.answers.push_back({7, 1, true, sha('a'), true, false, false});
  EXPECT_THAT(test::failing(foreign.judge().checks), ElementsAre("accuracy_questions", "accuracy_order"));
}

TEST(Accuracy, CountsWhatIsCorrect) {
  TestAccuracy accuracy = make_accuracy();
  accuracy.evidence.answers[0].correct = false;
  accuracy.evidence.answers[0].truncated = true;  // scored as it is
  EXPECT_EQ(accuracy.judge().verdict, Verdict::pass);
  EXPECT_EQ(accuracy.judge().correct, 2);
  EXPECT_EQ(accuracy.judge().truncated, 1);
  accuracy.evidence.answers[1].correct = false;
  accuracy.evidence.answers[1].extraction_failed = true;
  EXPECT_EQ(accuracy.judge().verdict, Verdict::fail);
  EXPECT_EQ(accuracy.judge().extraction_failed, 1);
}

TEST(Accuracy, IsNotRunWithoutAPassUnlessAskedFor) {
  TestAccuracy accuracy = make_accuracy();
  for (const Verdict verdict : {Verdict::fail, Verdict::inconclusive, Verdict::not_run}) {
    accuracy.evidence.performance = verdict;
    accuracy.evidence.requested = false;
    EXPECT_EQ(accuracy.judge().verdict, Verdict::not_run);
    accuracy.evidence.requested = true;
    EXPECT_EQ(accuracy.judge().verdict, Verdict::pass);
  }
  accuracy.evidence.run.reset();
  EXPECT_EQ(accuracy.judge().verdict, Verdict::inconclusive);
}

TEST(Functions, AllThatTheRunSpecRequiresMustBeRecordedAsPassed) {
  RunSpec spec = test::make_candidate().round.spec;
  spec.functions = {"answers", "graph"};
  FunctionDocument document{"r1", spec.candidate, {{"answers", true, ""}, {"graph", true, ""}}, {}};
  EXPECT_EQ(judge_functions(spec, {document}).verdict, Verdict::pass);
  EXPECT_EQ(judge_functions(spec, {}).verdict, Verdict::not_run);
  document.checks[1].passed = false;
  EXPECT_EQ(judge_functions(spec, {document}).verdict, Verdict::fail);
  document.checks.pop_back();
  EXPECT_EQ(judge_functions(spec, {document}).verdict, Verdict::inconclusive);
  EXPECT_EQ(judge_functions(spec, {document}).reason, "not recorded: graph");
  document.identity.commit = "other";
  EXPECT_THAT(judge_functions(spec, {document}).reason, HasSubstr("function_identity"));
}

TEST(Conclusion, NamesEachMissingPart) {
  const PartResult pass{Verdict::pass, "good"};
  EXPECT_EQ(conclude({{"performance", pass}, {"accuracy", pass}}).verdict, Verdict::pass);
  const auto missing = conclude({{"performance", pass},
                                 {"accuracy", {Verdict::not_run, "not judged yet"}},
                                 {"function", {Verdict::inconclusive, "x"}}});
  EXPECT_EQ(missing.verdict, Verdict::inconclusive);
  EXPECT_EQ(missing.reason, "accuracy is NOT_RUN: not judged yet; function is INCONCLUSIVE: x");
  EXPECT_EQ(conclude({{"accuracy", {Verdict::fail, "x"}}, {"function", {Verdict::not_run, "y"}}}).verdict,
            Verdict::fail);
}

}  // namespace
}  // namespace profdb::serving
