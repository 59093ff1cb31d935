// A whole synthetic round from files to verdicts (examples/generate_round.py), and what verify finds in it
// after a change of any kind: acceptance-protocol §7.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>

#include "report/render/render.h"
#include "serving/archive/actions.h"
#include "serving/archive/evidence_import.h"
#include "serving/archive/freeze.h"
#include "serving/archive/status.h"
#include "serving/report/round_report.h"
#include "tests/support/release.h"

namespace profdb::serving {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;
using testing::HasSubstr;

void generate(const std::string& step, const fs::path& folder) {
  const std::string command = fmt::format(PROFDB_PYTHON " {}/examples/generate_round.py {} '{}' > /dev/null",
                                          PROFDB_SOURCE_DIR, step, folder.string());
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

void import_runs(const fs::path& database, const fs::path& folder, const std::vector<std::string>& runs) {
  EvidenceFiles files;
  files.round = folder.filename();
  for (const std::string& run : runs) {
    files.services.push_back(folder / ("service-" + run + ".yaml"));
    files.records.push_back(folder / run / "requests.jsonl");
    if (fs::exists(folder / ("stop-" + run + ".yaml")))
      files.stops.push_back(folder / ("stop-" + run + ".yaml"));
  }
  import_evidence(database, files);
  for (const std::string& run : runs) seal(database, files.round, run);
}

// The round, done once; tests work on copies.
class ArchiveTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    master() = std::make_unique<TempFolder>();
    const fs::path root = master()->path();
    const fs::path database = root / "serving.db";
    generate("base", root);
    freeze(database, root / "base/runspec.yaml");
    generate("measure", root / "base");
    import_runs(database, root / "base", {"P1", "C1", "C2", "P2", "P3", "C3"});
    ASSERT_TRUE(calibrate(database, "base").result.usable());
    generate("candidate", root);
    freeze(database, root / "r1/runspec.yaml");
    generate("measure", root / "r1");
    import_runs(database, root / "r1", {"B1", "B2"});
    store::Connection connection(database, store::Mode::write);
    const auto judged = judge_performance(connection, "r1", "judge");
    ASSERT_EQ(judged.verdict.verdict, Verdict::pass) << judged.verdict.reason;
    generate("accuracy", root / "r1");
    EvidenceFiles files;
    files.round = "r1";
    files.accuracy = {root / "r1/accuracy.yaml"};
    files.answers = {root / "r1/answers.jsonl"};
    files.functions = {root / "r1/functions.yaml"};
    files.stops = {root / "r1/stop-B2.yaml"};
    files.ledgers = {root / "r1/time-ledger.jsonl"};
    import_evidence(database, files);
    ASSERT_EQ(judge_accuracy(connection, "r1", false, "accuracy").verdict.verdict, Verdict::pass);
    ASSERT_EQ(accept(connection, "r1", "accept").verdict.verdict, Verdict::pass);
  }
  static void TearDownTestSuite() { master().reset(); }

  void SetUp() override {
    ASSERT_TRUE(master() && fs::exists(master()->path() / "serving.db"));
    // The folder of a round stands in the database: the copy takes the place that it names.
    fs::copy(master()->path(), folder_.path(), fs::copy_options::recursive);
    SQLite::Database db(database().string(), SQLite::OPEN_READWRITE);
    SQLite::Statement move(db, "UPDATE serving_round SET folder = ? || '/' || name");
    move.bind(1, folder_.path().string());
    move.exec();
  }

  fs::path database() const { return folder_ / "serving.db"; }
  Verification verify_round() const {
    store::Connection connection(database(), store::Mode::write);
    return verify(connection, "r1");
  }
  Verdict standing(const std::string& part) const {
    store::Connection connection(database(), store::Mode::read);
    return last_verdict(connection, find_round(connection, "r1").id, part)->verdict;
  }
  void execute(const std::string& sql) const {
    SQLite::Database db(database().string(), SQLite::OPEN_READWRITE);
    ASSERT_GT(db.exec(sql), 0) << sql;
  }
  // Replaces the first match in a file of the round.
  void edit(const std::string& file, const std::string& pattern, const std::string& replacement) const {
    const std::string text = test::read_file(folder_ / file);
    const std::string changed =
        std::regex_replace(text, std::regex(pattern), replacement, std::regex_constants::format_first_only);
    ASSERT_NE(changed, text) << pattern;
    test::write_file(folder_ / file, changed);
  }
  // That the change is found and named, and that the PASS no longer stands.
  void expect_found(const std::string& check, const std::string& problem) const {
    ASSERT_EQ(standing("performance"), Verdict::pass);
    const auto verification = verify_round();
    std::string all;
    bool found = false;
    for (const Finding& finding : verification.findings) {
      all += finding.check + ": " + finding.problem + "\n";
      found = found || (finding.check == check && finding.problem.find(problem) != std::string::npos);
    }
    EXPECT_TRUE(found) << "looked for " << check << ": " << problem << " in\n" << all;
    EXPECT_EQ(standing("performance"), Verdict::inconclusive);
    EXPECT_EQ(standing("acceptance"), Verdict::inconclusive);
    // Nothing was overwritten: the PASS is still there.
    store::Connection connection(database(), store::Mode::read);
    EXPECT_EQ(connection.integer(
                  "SELECT count(*) FROM serving_verdict WHERE part = 'performance' AND verdict = 'PASS'"),
              1);
  }

  TempFolder folder_;

 private:
  static std::unique_ptr<TempFolder>& master() {
    static std::unique_ptr<TempFolder> folder;
    return folder;
  }
};

TEST_F(ArchiveTest, NothingIsFoundInAnUnchangedRound) {
  const auto verification = verify_round();
  for (const Finding& finding : verification.findings)
    ADD_FAILURE() << finding.check << ": " << finding.problem;
  EXPECT_TRUE(verification.new_verdicts.empty());
  EXPECT_EQ(standing("acceptance"), Verdict::pass);
}

TEST_F(ArchiveTest, AByteOfARawResponse) {
  edit("r1/B1/raw/4-measured-2.sse", "token_ids\":\\[", "token_ids\":[9,");
  expect_found("raw", "run B1, level 4 measured slot 2 attempt 1");
}

TEST_F(ArchiveTest, AByteOfTheArrivalTimes) {
  edit("r1/B2/raw/1-measured-0.times", "^([0-9]+) ", "1$1 ");
  expect_found("raw", "run B2, level 1 measured slot 0 attempt 1");
}

TEST_F(ArchiveTest, ATimestampInTheRecordFile) {
  edit("r1/B1/requests.jsonl", "\"t_ns\":([0-9]+)", "\"t_ns\":5");
  expect_found("record", "B1/requests.jsonl line 1: frames[0].t_ns is");
}

TEST_F(ArchiveTest, ATokenIdInTheRecordFile) {
  edit("r1/B1/requests.jsonl", "\"token_ids\":\\[", "\"token_ids\":[7,");
  expect_found("record", "B1/requests.jsonl line 1: frames[0].token_ids is");
}

TEST_F(ArchiveTest, AHeaderInTheRecordFile) {
  edit("r1/B2/requests.jsonl", "application/json", "text/plain");
  expect_found("record", "B2/requests.jsonl line 1: headers is");
}

TEST_F(ArchiveTest, ARecordFileThatIsGone) {
  fs::remove(folder_ / "r1/B1/requests.jsonl");
  expect_found("artifact", "records B1/requests.jsonl cannot be read: it is missing");
}

TEST_F(ArchiveTest, ATimestampInTheDatabase) {
  execute(
      "UPDATE serving_request SET end_ns = end_ns - 1000 WHERE request_id = (SELECT max(request_id) FROM "
      "serving_request)");
  expect_found("row", "the columns end_ns do not follow from its record");
}

TEST_F(ArchiveTest, ANumberInTheDatabase) {
  execute(
      "UPDATE serving_request SET tpot_ms = tpot_ms * 0.9 WHERE request_id = (SELECT max(request_id) FROM "
      "serving_request)");
  expect_found("row", "the columns tpot_ms do not follow from its record");
}

TEST_F(ArchiveTest, FramesInTheDatabase) {
  execute(
      "UPDATE serving_request SET frames = (SELECT frames FROM serving_request WHERE request_id = 1) "
      "WHERE request_id = (SELECT max(request_id) FROM serving_request)");
  expect_found("row", "its record or frames do not have their digest");
}

TEST_F(ArchiveTest, ARowWithItsDigestInTheDatabase) {
  // A forger who makes the digest fit as well meets the seal.
  execute(
      "UPDATE serving_request SET (record, frames, row_sha256) = "
      "(SELECT record, frames, row_sha256 FROM serving_request AS o WHERE o.request_id = "
      "serving_request.request_id - 1) "
      "WHERE request_id = (SELECT max(request_id) FROM serving_request)");
  expect_found("seal", "the rows of run B2 are not those that were sealed");
}

TEST_F(ArchiveTest, ARowThatIsGone) {
  execute("DELETE FROM serving_request WHERE request_id = (SELECT max(request_id) FROM serving_request)");
  expect_found("seal", "the rows of run B2 are not those that were sealed");
}

TEST_F(ArchiveTest, TheRunSpecsFile) {
  edit("r1/runspec.yaml", "fused kernel", "fused Kernel");
  expect_found("artifact", "runspec runspec.yaml has changed");
}

TEST_F(ArchiveTest, TheRunSpecInTheDatabase) {
  execute(
      "UPDATE serving_round SET runspec = replace(runspec, 'shortens', 'shortens') || ' ' WHERE name = 'r1'");
  expect_found("freeze", "the stored RunSpec does not have the digest that was frozen");
}

TEST_F(ArchiveTest, TheTimeAnchor) {
  execute("UPDATE serving_round SET frozen_utc = '2020-01-01T00:00:00Z' WHERE name = 'r1'");
  expect_found("freeze", "the time anchor is not the one that was frozen");
}

TEST_F(ArchiveTest, AnInputATheToolAndTheKnowledgeRecord) {
  edit("r1/prompts.json", "1", "2");
  edit("r1/client.json", "synthetic", "Synthetic");
  edit("r1/knowledge-hits.md", "Nothing", "nothing");
  const auto findings = verify_round().findings;
  std::string all;
  for (const Finding& finding : findings) all += finding.problem + "\n";
  EXPECT_THAT(all, HasSubstr("input prompts.json has changed"));
  EXPECT_THAT(all, HasSubstr("tool client.json has changed"));
  EXPECT_THAT(all, HasSubstr("knowledge knowledge-hits.md has changed"));
  EXPECT_EQ(standing("performance"), Verdict::inconclusive);
}

TEST_F(ArchiveTest, TheServiceFile) {
  edit("r1/service-B1.yaml", "synthetic-host", "synthetic-h0st");
  expect_found("artifact", "service service-B1.yaml has changed");
}

TEST_F(ArchiveTest, TheIdentityInTheDatabase) {
  execute("UPDATE serving_run SET commit_id = 'other' WHERE name = 'B1'");
  expect_found("document", "the columns of run B1 are not those of its service file");
}

TEST_F(ArchiveTest, TheStopInTheDatabase) {
  execute("UPDATE serving_run SET stopped_utc = '2026-01-01T00:00:00Z' WHERE name = 'B1'");
  expect_found("document", "the stop of run B1 is not the one that is documented");
}

TEST_F(ArchiveTest, TheParentsRecords) {
  edit("base/P2/requests.jsonl", "\"end_ns\":([0-9]+)", "\"end_ns\":1$1");
  expect_found("record", "round base: P2/requests.jsonl line 1: end_ns is");
}

TEST_F(ArchiveTest, AScorerResult) {
  edit("r1/answers.jsonl", "\"correct\":false", "\"correct\":true");
  expect_found("artifact", "answers answers.jsonl has changed");
  EXPECT_EQ(standing("accuracy"), Verdict::inconclusive);
}

TEST_F(ArchiveTest, AScorerResultInTheDatabase) {
  execute("UPDATE serving_answer SET correct = 1 WHERE correct = 0");
  expect_found("row", "the stored scorer result is not the file's");
}

TEST_F(ArchiveTest, ALedgerMayGrowButNotChange) {
  std::ofstream(folder_ / "r1/time-ledger.jsonl", std::ios::app)
      << R"({"event":"e10","round":"r1","category":"archive_submit","utc_start":"2026-11-07T10:00:00Z"})"
      << "\n";
  EXPECT_TRUE(verify_round().findings.empty());
  edit("r1/time-ledger.jsonl", "\"event\":\"e1\"", "\"event\":\"E1\"");
  expect_found("artifact", "ledger time-ledger.jsonl has changed");
}

TEST_F(ArchiveTest, AVerdictIsNeverChangedOrRemoved) {
  SQLite::Database db(database().string(), SQLite::OPEN_READWRITE);
  EXPECT_THROW(db.exec("UPDATE serving_verdict SET verdict = 'PASS'"), SQLite::Exception);
  EXPECT_THROW(db.exec("DELETE FROM serving_verdict"), SQLite::Exception);
}

TEST_F(ArchiveTest, JudgingAgainAddsAVerdictWithTheSameFigures) {
  store::Connection connection(database(), store::Mode::write);
  const auto before = last_verdict(connection, find_round(connection, "r1").id, "performance");
  const auto again = judge_performance(connection, "r1", "judge");
  EXPECT_GT(again.verdict.id, before->id);
  EXPECT_EQ(again.verdict.details, before->details);
  EXPECT_EQ(again.verdict.protocol, "synthetic-small 1");
}

TEST_F(ArchiveTest, NothingIsAddedToASealedRun) {
  std::ofstream(folder_ / "r1/B1/requests.jsonl", std::ios::app)
      << test::read_file(folder_ / "r1/B1/requests.jsonl")
             .substr(0, test::read_file(folder_ / "r1/B1/requests.jsonl").find('\n') + 1);
  EvidenceFiles files;
  files.round = "r1";
  files.records = {folder_ / "r1/B1/requests.jsonl"};
  try {
    import_evidence(database(), files);
    FAIL() << "it was added";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("requests.jsonl:43: run B1 was sealed at"));
  }
}

TEST_F(ArchiveTest, TheSameFilesAgainChangeNothing) {
  EvidenceFiles files;
  files.round = "r1";
  files.services = {folder_ / "r1/service-B1.yaml"};
  files.records = {folder_ / "r1/B1/requests.jsonl"};
  for (const ImportedFile& file : import_evidence(database(), files)) {
    EXPECT_TRUE(file.unchanged) << file.path;
    EXPECT_EQ(file.added, 0) << file.path;
  }
  EXPECT_TRUE(freeze(database(), folder_ / "r1/runspec.yaml").already);
}

TEST_F(ArchiveTest, AChangedRunSpecIsANewOne) {
  edit("r1/runspec.yaml", "fused kernel", "fused Kernel");
  try {
    freeze(database(), folder_ / "r1/runspec.yaml");
    FAIL() << "it was frozen";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("give it a new round id"));
  }
}

TEST_F(ArchiveTest, ARunSpecWhoseFilesHaveChangedCannotBeFrozen) {
  edit("r1/runspec.yaml", "\"round\": \"r1\"", "\"round\": \"r2\"");
  for (const auto& [file, check] :
       {std::pair("r1/client.json", "files: tool client.json has the SHA-256"),
        std::pair("base/P1/requests.jsonl",
                  "reference_files: reference ../base/P1/requests.jsonl has the SHA-256")}) {
    const std::string before = test::read_file(folder_ / file);
    edit(file, "synthetic", "Synthetic");
    try {
      freeze(database(), folder_ / "r1/runspec.yaml");
      ADD_FAILURE() << "it was frozen";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(check));
    }
    test::write_file(folder_ / file, before);
  }
  edit("r1/runspec.yaml", "\"calibration\": \"base\"", "\"calibration\": \"r1\"");
  try {
    freeze(database(), folder_ / "r1/runspec.yaml");
    ADD_FAILURE() << "it was frozen";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("calibration: r1 is not calibrated"));
  }
}

TEST_F(ArchiveTest, TheReportSaysWhatWasDecidedAndThatItIsSynthetic) {
  store::Connection connection(database(), store::Mode::read);
  const auto document = round_report(connection, {"r1", false});
  const std::string text = report::render(document, report::Form::markdown);
  EXPECT_THAT(text, HasSubstr("synthetic"));
  EXPECT_THAT(text, HasSubstr("A fused kernel shortens every decoding step."));
  EXPECT_THAT(text, HasSubstr("performance: PASS by rule 4 under protocol synthetic-small 1"));
  EXPECT_THAT(text, HasSubstr("B1/requests.jsonl"));
  EXPECT_FALSE(report::render(document, report::Form::html).empty());
  const std::string redacted = report::render(round_report(connection, {"r1", true}), report::Form::json);
  EXPECT_THAT(redacted, testing::Not(HasSubstr("requests.jsonl")));
  EXPECT_THAT(redacted, testing::Not(HasSubstr("synthetic-host")));
  EXPECT_THAT(redacted, testing::Not(HasSubstr(folder_.path().string())));
}

TEST_F(ArchiveTest, StatusEndsWithNothingToDo) {
  store::Connection connection(database(), store::Mode::read);
  for (const Step& step : status(connection, find_round(connection, "r1")))
    EXPECT_TRUE(step.done) << step.what;
}

}  // namespace
}  // namespace profdb::serving
