// acceptance-protocol §1 and §4, the rules for services, references and comparability; acceptance-protocol
// §3, calibration. Every rule has a case in which it alone fails.
#include "serving/rules/run_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "serving/rules/level_checks.h"
#include "tests/serving/round_fixture.h"

namespace profdb::serving {
namespace {

using test::sha;
using test::TestCandidate;
using test::TestRound;
using test::TestRun;
using testing::ElementsAre;
using testing::HasSubstr;

struct Case {
  const char* check;
  const char* what;
  std::function<void(TestRound&)> disturb;
};

constexpr std::int64_t kSecond = 1'000'000'000;

// Each disturbs run B2.
const std::vector<Case>& run_cases() {
  static const std::vector<Case> all = {
      {"identity_commit", "another commit",
       [](TestRound& r) { r.run("B2").service.identity.commit = "other"; }},
      {"identity_deployed_files", "other files",
       [](TestRound& r) { r.run("B2").service.identity.deployed_files = sha('0'); }},
      {"identity_weights", "other weights",
       [](TestRound& r) { r.run("B2").service.identity.weights = sha('0'); }},
      {"identity_operator_library", "another operator library",
       [](TestRound& r) { r.run("B2").service.identity.operator_library = sha('0'); }},
      {"identity_configuration", "another configuration",
       [](TestRound& r) { r.run("B2").service.identity.configuration = sha('0'); }},
      {"service_distinct", "two runs on one process",
       [](TestRound& r) {
         r.run("B2").service.pid = r.run("B1").service.pid;
         r.run("B2").service.start_ticks = r.run("B1").service.start_ticks;
       }},
      {"service_order", "B2 started before B1 stopped",
       [](TestRound& r) { r.run("B1").service.stopped_utc_ns = r.run("B2").service.started_utc_ns + 1; }},
      {"service_order", "nobody knows when B1 stopped",
       [](TestRound& r) { r.run("B1").service.stopped_utc_ns.reset(); }},
      {"execution_paths", "no worker ran the required path",
       [](TestRound& r) { r.run("B2").service.execution_paths[0].ranks.clear(); }},
      {"execution_paths", "the required path is not mentioned",
       [](TestRound& r) { r.run("B2").service.execution_paths[0].path = "other"; }},
      {"sealed", "not sealed", [](TestRound& r) { r.run("B2").sealed = false; }},
      {"archive", "an artifact has changed",
       [](TestRound& r) { r.run("B2").archive_problems = {"records.jsonl: another digest"}; }},
      {"probes", "a probe whose times run backwards",
       [](TestRound& r) {
         RequestRecord probe = r.run("B2").records.front();
         probe.phase = Phase::probe;
         probe.cache_salt = "probe";
         probe.end_ns = probe.start_ns - 1;
         r.run("B2").records.push_back(probe);
       }},
      {"levels_planned", "a level that the protocol does not have",
       [](TestRound& r) {
         RequestRecord extra = r.run("B2").records.back();
         extra.level = 32;
         extra.cache_salt = "extra";
         extra.start_ns = extra.end_ns + kSecond;
         extra.end_ns = extra.start_ns + kSecond;
         extra.frames.clear();
         r.run("B2").records.push_back(extra);
       }},
      {"replacement", "B2 claims to replace B1",
       [](TestRound& r) {
         r.run("B2").service.replaces = "B1";
         r.run("B2").service.replace_reason = "because";
       }},
  };
  return all;
}

RunValidation validate(const TestRound& round, const std::string& name) {
  for (RunValidation& validation : validate_round(round.evidence()))
    if (validation.run == name) return validation;
  return {};
}

TEST(RunChecks, AllAreKeptByTheUndisturbedRound) {
  const auto validation = validate(test::make_candidate().round, "B2");
  EXPECT_TRUE(validation.valid()) << validation.problems();
  std::vector<std::string> names;
  for (const Check& check : validation.checks) names.push_back(check.name);
  EXPECT_EQ(names, run_check_names());
}

TEST(RunChecks, EachAloneFailsAndMakesTheVerdictInconclusive) {
  std::set<std::string> covered = {"service_life", "planned"};  // cases of their own below
  for (const Case& one : run_cases()) {
    SCOPED_TRACE(testing::Message() << one.check << ": " << one.what);
    TestCandidate candidate = test::make_candidate();
    one.disturb(candidate.round);
    const auto validation = validate(candidate.round, "B2");
    EXPECT_THAT(test::failing(validation.checks), ElementsAre(one.check)) << failures(validation.checks);
    for (const LevelValidation& level : validation.levels)
      EXPECT_NE(level.counted(), nullptr) << level.level << ": " << failures(level.attempts.at(0).checks);
    const auto judgement = judge_candidate(candidate.evidence());
    EXPECT_EQ(judgement.result.verdict, Verdict::inconclusive);
    EXPECT_EQ(judgement.result.rule, 1);
    EXPECT_THAT(judgement.result.reason, HasSubstr(std::string(one.check) + ": "));
    covered.insert(one.check);
  }
  const auto& names = run_check_names();
  EXPECT_EQ(covered, std::set<std::string>(names.begin(), names.end())) << "a check has no case";
}

TEST(RunChecks, AServiceDoesNotStopBeforeItStarts) {
  TestRound round = test::make_candidate().round;
  TestRun& b2 = round.run("B2");
  b2.records.clear();  // nothing was sent to it, so that only the run's own check is concerned
  b2.service.stopped_utc_ns = b2.service.started_utc_ns - 1;
  EXPECT_THAT(test::failing(validate(round, "B2").checks), ElementsAre("service_life"));
}

TEST(RunChecks, ARunThatIsNotPlannedDoesNotCount) {
  TestRound round = test::make_candidate().round;
  round.runs.push_back(test::make_run(round, "B4", 3, {31.0, 31.0}));
  EXPECT_THAT(test::failing(validate(round, "B4").checks), ElementsAre("planned"));
}

TEST(RunChecks, ACalibrationKeepsItsPlannedOrder) {
  TestRound base = test::make_candidate().parent;  // planned: P1, C1, C2, P2
  base.runs = {test::make_run(base, "P1", 1, {32, 32}), test::make_run(base, "C1", 2, {32, 32}),
               test::make_run(base, "P2", 3, {32, 32}), test::make_run(base, "C2", 4, {32, 32})};
  EXPECT_THAT(test::failing(validate(base, "P2").checks), ElementsAre("planned"));
  EXPECT_TRUE(validate(base, "C2").valid());
}

// B3 counts in the place of an invalid run.
TestCandidate with_b3(const std::string& replaces) {
  TestCandidate candidate = test::make_candidate();
  TestRun b3 = test::make_run(candidate.round, "B3", 3, {31.0, 31.0});
  b3.service.replaces = replaces;
  b3.service.replace_reason = "the device was lost";
  candidate.round.runs.push_back(b3);
  return candidate;
}

TEST(Replacement, CountsInThePlaceOfAnInvalidRun) {
  TestCandidate candidate = with_b3("B2");
  candidate.round.run("B2").records.pop_back();
  const auto judgement = judge_candidate(candidate.evidence());
  EXPECT_EQ(judgement.result.verdict, Verdict::pass) << judgement.result.reason;
}

TEST(Replacement, DoesNotTakeThePlaceOfAValidRun) {
  const auto judgement = judge_candidate(with_b3("B2").evidence());
  EXPECT_EQ(judgement.result.verdict, Verdict::inconclusive);
  EXPECT_THAT(judgement.result.reason, HasSubstr("replacement: it replaces B2, which is valid"));
}

TEST(Replacement, NeedsTheRunThatItReplaces) {
  TestCandidate candidate = with_b3("");
  EXPECT_THAT(test::failing(validate(candidate.round, "B3").checks), ElementsAre("replacement"));
}

struct ComparisonCase {
  const char* check;
  const char* what;
  std::function<void(TestCandidate&)> disturb;
};

const std::vector<ComparisonCase>& comparison_cases() {
  static const std::vector<ComparisonCase> all = {
      {"round_archive", "the RunSpec's file has changed",
       [](TestCandidate& c) { c.round.archive_problems = {"runspec.yaml: another digest"}; }},
      {"runs", "there is no B2", [](TestCandidate& c) { c.round.runs.pop_back(); }},
      {"runs_valid", "a run is not valid",
       [](TestCandidate& c) { c.round.run("B2").records.back().done = false; }},
      {"reference_found", "the parent's run is not there",
       [](TestCandidate& c) { c.round.spec.references[0].run = "base/P9"; }},
      {"reference_digest", "other records than the RunSpec names",
       [](TestCandidate& c) { c.round.spec.references[0].sha256 = sha('0'); }},
      {"direct_parent", "built on another commit",
       [](TestCandidate& c) { c.round.spec.direct_parent = "grandparent"; }},
      {"direct_parent", "the reference is not the parent's",
       [](TestCandidate& c) {
         c.round.spec.parent->commit = "uncle";
         c.round.spec.direct_parent = "uncle";
       }},
      {"comparable_weights", "other weights",
       [](TestCandidate& c) {
         c.parent.spec.candidate.weights = sha('0');
         c.round.spec.parent->weights = sha('0');
         for (TestRun& run : c.parent.runs) run.service.identity.weights = sha('0');
         c.round.spec.calibration.clear();
         c.round.spec.thresholds = {{1, 0.01}, {2, 0.01}};
       }},
      {"comparable_configuration", "another configuration",
       [](TestCandidate& c) {
         c.parent.spec.candidate.configuration = sha('0');
         c.round.spec.parent->configuration = sha('0');
         for (TestRun& run : c.parent.runs) run.service.identity.configuration = sha('0');
         c.round.spec.calibration.clear();
         c.round.spec.thresholds = {{1, 0.01}, {2, 0.01}};
       }},
      {"comparable_protocol", "another protocol",
       [](TestCandidate& c) {
         c.parent.protocol_sha256 = sha('0');
         c.round.spec.calibration.clear();
         c.round.spec.thresholds = {{1, 0.01}, {2, 0.01}};
       }},
      {"comparable_workload", "another prompt pool",
       [](TestCandidate& c) {
         c.parent.pool.sha256 = sha('0');
         c.round.spec.calibration.clear();
         c.round.spec.thresholds = {{1, 0.01}, {2, 0.01}};
       }},
      {"reference_distinct", "one service in both rounds",
       [](TestCandidate& c) {
         TestRun& b1 = c.round.run("B1");
         b1.service.service = "base-P1";
         for (RequestRecord& record : b1.records) record.service = "base-P1";
       }},
      {"calibration", "there is no such calibration",
       [](TestCandidate& c) { c.round.spec.calibration = "other"; }},
      {"calibration", "a pair that is no reference is not sealed",
       [](TestCandidate& c) { c.parent.run("C2").sealed = false; }},
  };
  return all;
}

TEST(Comparison, EachRuleAloneFailsAndIsNamed) {
  std::set<std::string> covered;
  for (const ComparisonCase& one : comparison_cases()) {
    SCOPED_TRACE(testing::Message() << one.check << ": " << one.what);
    TestCandidate candidate = test::make_candidate();
    one.disturb(candidate);
    const auto judgement = judge_candidate(candidate.evidence());
    EXPECT_THAT(test::failing(judgement.checks), ElementsAre(one.check)) << failures(judgement.checks);
    EXPECT_EQ(judgement.result.verdict, Verdict::inconclusive);
    EXPECT_EQ(judgement.result.rule, 1);
    EXPECT_THAT(judgement.result.reason, HasSubstr(std::string(one.check) + ": "));
    covered.insert(one.check);
  }
  covered.insert("reference_valid");  // below
  std::set<std::string> names;
  for (const Check& check : judge_candidate(test::make_candidate().evidence()).checks)
    names.insert(check.name);
  EXPECT_EQ(covered, names) << "a rule has no case";
}

TEST(Comparison, AnInvalidReferenceIsNotLeftOut) {
  TestCandidate candidate = test::make_candidate();
  candidate.round.spec.calibration.clear();
  candidate.round.spec.thresholds = {{1, 0.01}, {2, 0.01}};
  candidate.parent.run("P2").records.back().done = false;
  const auto judgement = judge_candidate(candidate.evidence());
  EXPECT_THAT(test::failing(judgement.checks), ElementsAre("reference_valid"));
  EXPECT_EQ(judgement.result.verdict, Verdict::inconclusive);
  EXPECT_FALSE(judgement.result.levels.at(2).figures.parent.has_value());
}

TEST(Comparison, PIsTheMedianOfTheReferences) {
  TestCandidate candidate = test::make_candidate();
  candidate.parent.runs[0] = test::make_run(candidate.parent, "P1", 1, {33.0, 32.0});
  const auto judgement = judge_candidate(candidate.evidence());
  // Of 33 and 32, the mean of the middle two; the calibration pairs 33 with 32: jitter 1/33.
  EXPECT_EQ(judgement.result.levels.at(1).figures.parent, 32.5);
  EXPECT_EQ(judgement.result.levels.at(1).threshold, 1.0 / 33.0);
  EXPECT_EQ(judgement.result.levels.at(1).g1, (32.5 - 31.0) / 32.5);
  EXPECT_EQ(judgement.result.verdict, Verdict::pass) << judgement.result.reason;
}

CalibrationResult calibrate(const TestRound& round) {
  const RoundEvidence evidence = round.evidence();
  return calibrate_round(evidence, validate_round(evidence));
}

TEST(CalibrationRound, NeedsEveryPlannedPair) {
  const TestRound whole = test::make_candidate().parent;
  EXPECT_TRUE(calibrate(whole).usable());
  TestRound round = whole;
  round.runs.erase(round.runs.begin() + 1);
  EXPECT_THAT(test::failing(calibrate(round).checks), ElementsAre("pairs_complete"));
  EXPECT_FALSE(calibrate(round).usable());
}

TEST(CalibrationRound, NeedsEveryPairSealed) {
  TestRound round = test::make_candidate().parent;
  round.run("C1").sealed = false;
  // What is not sealed is not valid either.
  EXPECT_THAT(test::failing(calibrate(round).checks), ElementsAre("pairs_sealed", "pairs_valid"));
  EXPECT_TRUE(calibrate(round).levels.empty());
}

TEST(CalibrationRound, IsNotUsableAcrossVersionsOrWorkloads) {
  for (const auto member : {&Identity::commit, &Identity::configuration, &Identity::weights}) {
    TestRound round = test::make_candidate().parent;
    round.run("C1").service.identity.*member = sha('0');
    EXPECT_THAT(test::failing(calibrate(round).checks), ElementsAre("pairs_valid"));
  }
  TestRound workload = test::make_candidate().parent;
  workload.run("C1").records.back().prompt_sha256 = sha('0');
  EXPECT_THAT(test::failing(calibrate(workload).checks), ElementsAre("pairs_valid"));
  TestRound kind = test::make_candidate().round;
  EXPECT_THAT(test::failing(calibrate(kind).checks), ElementsAre("kind"));
  TestRound archive = test::make_candidate().parent;
  archive.archive_problems = {"pool.json: another digest"};
  EXPECT_THAT(test::failing(calibrate(archive).checks), ElementsAre("round_archive"));
}

TEST(CalibrationRound, DoesNotServeAnotherConfigurationWeightsProtocolOrWorkload) {
  const TestCandidate candidate = test::make_candidate();
  const auto judged = [&candidate](const std::function<void(CalibrationResult&)>& change) {
    CandidateEvidence evidence = candidate.evidence();
    change(*evidence.calibration);
    return test::failing(judge_candidate(evidence).checks);
  };
  EXPECT_THAT(judged([](CalibrationResult&) {}), ElementsAre());
  EXPECT_THAT(judged([](CalibrationResult& c) { c.version.configuration = sha('0'); }),
              ElementsAre("calibration"));
  EXPECT_THAT(judged([](CalibrationResult& c) { c.version.weights = sha('0'); }), ElementsAre("calibration"));
  EXPECT_THAT(judged([](CalibrationResult& c) { c.protocol_sha256 = sha('0'); }), ElementsAre("calibration"));
  EXPECT_THAT(judged([](CalibrationResult& c) { c.pool_sha256 = sha('0'); }), ElementsAre("calibration"));
}

TEST(FinalAcceptance, NeedsEveryLevelWithinTheLimit) {
  TestRound round = test::make_round("final", RoundKind::acceptance, "commit");
  round.runs = {test::make_run(round, "B1", 1, {24.0, 25.0}), test::make_run(round, "B2", 2, {25.0, 25.0})};
  EXPECT_EQ(judge_acceptance(round.evidence()).result.verdict, Verdict::pass);
  round.runs[1] = test::make_run(round, "B2", 2, {25.0, 25.001});
  const auto above = judge_acceptance(round.evidence()).result;
  EXPECT_EQ(above.verdict, Verdict::fail);
  EXPECT_THAT(above.reason, HasSubstr("level 2: "));
  round.runs.pop_back();
  EXPECT_EQ(judge_acceptance(round.evidence()).result.verdict, Verdict::inconclusive);
}

TEST(MetricNotes, TellWhatMovedAndWhatDiffers) {
  ServiceRun run;
  run.snapshots = {{"start", 0, {{"preemptions", 0}, {"kv_capacity_tokens", 184960}}},
                   {"start", 1, {{"preemptions", 0}, {"kv_capacity_tokens", 185088}}},
                   {"end", 0, {{"preemptions", 2}}}};
  EXPECT_THAT(metric_notes(run),
              ElementsAre("preemptions of rank 0: +2 between start and end",
                          "kv_capacity_tokens differs between ranks (0: 184960, 1: 185088)",
                          "preemptions differs between ranks (0: 2, 1: 0)"));
}

}  // namespace
}  // namespace profdb::serving
