// A whole round: the client against two services of a candidate and two of its parent, records imported,
// judged and verified; and every fault of a service, found by the right check (acceptance-protocol §2, §4,
// §7).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <map>
#include <ostream>

#include "report/render/render.h"
#include "serving/archive/actions.h"
#include "serving/report/round_report.h"
#include "tests/serving/client/round_files.h"

namespace profdb::serving {
namespace {

using test::Asked;
using test::CompletionScript;
using test::Fault;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAreArray;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

// The names of the checks that fail among an attempt's.
std::vector<std::string> failing(const std::vector<Check>& checks) {
  std::vector<std::string> names;
  for (const Check& check : checks)
    if (!check.ok) names.push_back(check.name);
  return names;
}

// B_r(C) out of a record file by acceptance-protocol §2: the mean of (end - first)/1e6/(output - 1).
double mean_tpot(const std::filesystem::path& folder, std::int64_t level, std::int64_t attempt) {
  double sum = 0;
  std::map<std::int64_t, double> by_slot;
  for (const RequestRecord& record : test::read_records(folder / "requests.jsonl"))
    if (record.level == level && record.attempt == attempt && record.phase == Phase::measured)
      by_slot[record.slot] = static_cast<double>(record.end_ns - record.frames.at(0).t_ns) / 1e6 / 5;
  for (const auto& [slot, tpot] : by_slot) sum += tpot;
  return sum / static_cast<double>(by_slot.size());
}

struct Figures {
  double parent = 0;
  double b1 = 0;
  double b2 = 0;
  double g1() const { return (parent - b1) / parent; }
  double g2() const { return (parent - b2) / parent; }
  double median_gain() const { return (g1() + g2()) / 2; }
};

// acceptance-protocol §4, rules 2 to 4, with targets 1 and 4, thresholds of 1 % and a limit that nothing
// exceeds.
Verdict expected_verdict(const std::map<std::int64_t, Figures>& levels) {
  for (const auto& [level, figures] : levels)
    if (figures.median_gain() < -0.01) return Verdict::fail;
  const auto signs_differ = [](const Figures& f) { return f.g1() * f.g2() < 0; };
  if (signs_differ(levels.at(1)) || signs_differ(levels.at(4))) return Verdict::inconclusive;
  for (const std::int64_t target : {1, 4}) {
    const Figures& figures = levels.at(target);
    if (figures.g1() > 0 && figures.g2() > 0 && figures.median_gain() > 0.01) return Verdict::pass;
  }
  return Verdict::fail;
}

Judged judge(const test::RoundFiles& files, const std::string& round) {
  store::Connection connection(files.database(), store::Mode::write);
  return judge_performance(connection, round, "test");
}

// The round's report as Markdown.
std::string report_of(const test::RoundFiles& files, const std::string& round) {
  store::Connection connection(files.database(), store::Mode::write);
  RoundReportOptions options;
  options.round = round;
  return report::markdown(round_report(connection, options));
}

TEST(WholeRound, IsMeasuredImportedJudgedAndVerified) {
  test::RoundFiles files(60);
  const CompletionScript slow = {.first_pause = std::chrono::milliseconds(5),
                                 .frame_pause = std::chrono::milliseconds(30)};
  files.freeze_base();
  files.measure("base", "P1", test::scripted(slow));
  files.measure("base", "C1", test::scripted(slow));
  files.freeze_candidate("r1");
  files.measure("r1", "B1",
                test::scripted(CompletionScript{.line_end = "\r\n", .comments = true, .split = 11}));
  files.measure("r1", "B2", test::scripted(CompletionScript{.ids_per_frame = 2}));

  const Judged judged = judge(files, "r1");
  EXPECT_THAT(failing(judged.judgement.checks), IsEmpty()) << judged.verdict.reason;
  std::map<std::int64_t, Figures> expected;
  for (const std::int64_t level : {1, 2, 4}) {
    Figures& figures = expected[level];
    figures.parent =
        (mean_tpot(files.folder("base", "P1"), level, 1) + mean_tpot(files.folder("base", "C1"), level, 1)) /
        2;
    figures.b1 = mean_tpot(files.folder("r1", "B1"), level, 1);
    figures.b2 = mean_tpot(files.folder("r1", "B2"), level, 1);
    const auto& outcome = judged.judgement.result.levels.at(level);
    EXPECT_DOUBLE_EQ(outcome.figures.parent.value(), figures.parent);
    EXPECT_DOUBLE_EQ(outcome.figures.b1.value(), figures.b1);
    EXPECT_DOUBLE_EQ(outcome.figures.b2.value(), figures.b2);
    EXPECT_DOUBLE_EQ(outcome.median_gain.value(), figures.median_gain());
  }
  EXPECT_EQ(judged.verdict.verdict, expected_verdict(expected)) << judged.verdict.reason;

  EXPECT_THAT(report_of(files, "r1"), AllOf(HasSubstr(to_string(judged.verdict.verdict)),
                                            HasSubstr("made by a test"), HasSubstr("B2")));

  store::Connection connection(files.database(), store::Mode::write);
  EXPECT_THAT(verify(connection, "r1").findings, IsEmpty());
  // One bit of the raw bytes of one response.
  const RequestRecord record = test::read_records(files.folder("r1", "B2") / "requests.jsonl").back();
  std::fstream raw(files.folder("r1", "B2") / record.raw->path,
                   std::ios::in | std::ios::out | std::ios::binary);
  raw.seekg(10);
  const char byte = static_cast<char>(raw.get());
  raw.seekp(10);
  raw.put(static_cast<char>(byte ^ 1));
  raw.close();
  EXPECT_THAT(verify(connection, "r1").findings,
              Contains(Field(&Finding::problem, HasSubstr(record.raw->path))));
  EXPECT_EQ(judge_performance(connection, "r1", "test").verdict.verdict, Verdict::inconclusive);
}

// A fault of one measured request of level 4 in B2, and the checks that it fails, in the order of
// acceptance-protocol §2.
struct Case {
  const char* name;
  CompletionScript script;
  std::vector<std::string> checks;
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

class FaultInARound : public testing::TestWithParam<Case> {
 protected:
  // The parent's runs are measured once.
  static void SetUpTestSuite() {
    files_ = std::make_unique<test::RoundFiles>(5);
    files_->freeze_base();
    files_->measure("base", "P1", test::scripted(CompletionScript{}));
    files_->measure("base", "C1", test::scripted(CompletionScript{}));
  }
  static void TearDownTestSuite() { files_.reset(); }

  static std::unique_ptr<test::RoundFiles> files_;
};

std::unique_ptr<test::RoundFiles> FaultInARound::files_;

TEST_P(FaultInARound, FailsItsCheckByName) {
  const Case& one = GetParam();
  const std::string round = one.name;
  files_->freeze_candidate(round);
  files_->measure(round, "B1", test::scripted(CompletionScript{}));
  // Level 4 alone uses slot 3.
  files_->measure(round, "B2", test::scripted([&](const Asked& request) {
                    return request.measured && request.slot == 3 ? one.script : CompletionScript{};
                  }));
  const Judged judged = judge(*files_, round);
  ASSERT_EQ(judged.judgement.runs.size(), 2U);
  EXPECT_TRUE(judged.judgement.runs[0].valid()) << judged.judgement.runs[0].problems();
  for (const LevelValidation& level : judged.judgement.runs[1].levels) {
    ASSERT_EQ(level.attempts.size(), 1U);
    if (level.level == 4) {
      EXPECT_THAT(failing(level.attempts[0].checks), ElementsAreArray(one.checks));
      for (const Check& check : level.attempts[0].checks)
        if (!check.ok) {
          EXPECT_THAT(check.detail, HasSubstr("level 4 measured slot 3 attempt 1")) << check.name;
        }
    } else {
      EXPECT_THAT(failing(level.attempts[0].checks), IsEmpty());
    }
  }
  EXPECT_EQ(judged.verdict.verdict, Verdict::inconclusive);
  EXPECT_EQ(judged.verdict.rule, 1);
  EXPECT_THAT(report_of(*files_, round), AllOf(HasSubstr("INCONCLUSIVE"), HasSubstr(one.checks.front())));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, FaultInARound,
    testing::Values(Case{"HttpError",
                         {.fault = Fault::http_error},
                         {"output_length", "usage", "cached_tokens", "status", "done", "numbers"}},
                    Case{"MissingDone", {.fault = Fault::missing_done}, {"done"}},
                    Case{"CutConnection",
                         {.fault = Fault::cut_connection},
                         {"output_length", "usage", "cached_tokens", "status", "done"}},
                    Case{"StreamError",
                         {.fault = Fault::stream_error},
                         {"output_length", "usage", "cached_tokens", "status"}},
                    Case{"MalformedFrame", {.fault = Fault::malformed_frame}, {"status"}},
                    Case{"TokenMissing", {.fault = Fault::token_missing}, {"output_length"}},
                    Case{"TokenTooMany", {.fault = Fault::token_too_many}, {"output_length"}},
                    Case{"UsageMismatch", {.fault = Fault::usage_mismatch}, {"usage"}},
                    Case{"PromptMismatch", {.fault = Fault::prompt_mismatch}, {"usage"}},
                    Case{"UsageMissing", {.fault = Fault::usage_missing}, {"usage", "cached_tokens"}},
                    Case{"CachedTokens", {.cached_tokens = 4}, {"cached_tokens"}},
                    Case{"CachedTokensUnknown", {.cached_tokens = std::nullopt}, {"cached_tokens"}},
                    Case{"NoFirstToken",
                         {.fault = Fault::no_first_token},
                         {"output_length", "usage", "cached_tokens", "status", "done", "numbers"}},
                    Case{"HangInStream",
                         {.fault = Fault::hang_in_stream},
                         {"output_length", "usage", "cached_tokens", "status", "done"}}),
    [](const testing::TestParamInfo<Case>& test) { return std::string(test.param.name); });

TEST_F(FaultInARound, ARepeatedLevelCounts) {
  files_->freeze_candidate("again");
  files_->measure("again", "B1", test::scripted(CompletionScript{}));
  std::atomic<int> faults = 1;
  files_->measure("again", "B2", test::scripted([&](const Asked& request) {
                    const bool faulty = request.measured && request.slot == 3 && faults.fetch_sub(1) > 0;
                    return CompletionScript{.fault = faulty ? Fault::missing_done : Fault::none};
                  }),
                  2);
  const Judged judged = judge(*files_, "again");
  const LevelValidation* level = judged.judgement.runs.at(1).level(4);
  ASSERT_NE(level, nullptr);
  ASSERT_EQ(level->attempts.size(), 2U);
  EXPECT_THAT(failing(level->attempts[0].checks), ElementsAreArray({"done"}));
  ASSERT_EQ(level->counted(), &level->attempts[1]);
  EXPECT_DOUBLE_EQ(judged.judgement.result.levels.at(4).figures.b2.value(),
                   mean_tpot(files_->folder("again", "B2"), 4, 2));
  EXPECT_NE(judged.verdict.rule, 1) << judged.verdict.reason;
}

}  // namespace
}  // namespace profdb::serving
