// profdb serving run, as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/serving/client/round_files.h"
#include "tests/support/cli.h"

namespace profdb::serving {
namespace {

using test::CliResult;
using test::CompletionScript;
using test::StreamingServer;
using testing::HasSubstr;
using testing::IsEmpty;

class ServingRunCommand : public testing::Test {
 protected:
  CliResult run(const std::string& endpoint, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"serving",
                                      "run",
                                      endpoint,
                                      "--round",
                                      "r1",
                                      "--run",
                                      "B1",
                                      "--service",
                                      "svc",
                                      "--protocol",
                                      files.protocol().string(),
                                      "--prompts",
                                      files.pool().string(),
                                      "--out",
                                      files.folder("r1", "B1").string()};
    words.insert(words.end(), more.begin(), more.end());
    return test::run_cli(words);
  }
  std::vector<RequestRecord> records() const {
    return test::read_records(files.folder("r1", "B1") / "requests.jsonl");
  }

  test::RoundFiles files{60};
};

TEST_F(ServingRunCommand, WritesTheRecordsOfAllLevels) {
  const StreamingServer server(test::scripted(CompletionScript{}));
  const CliResult result = run(server.url(), {"--model", "m"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty()) << "no progress where standard error is no terminal";
  EXPECT_THAT(result.out, HasSubstr((files.folder("r1", "B1") / "requests.jsonl").string()));
  ASSERT_EQ(records().size(), 14U);
  EXPECT_EQ(records().front().body.at("model"), "m");
}

TEST_F(ServingRunCommand, ReportsLevelsAsJson) {
  const StreamingServer server(test::scripted(CompletionScript{}));
  const CliResult result = run(server.url(), {"--json", "--level", "4", "--level", "1"});
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json.at("attempts").size(), 2U);
  EXPECT_EQ(json.at("attempts").at(0).at("level"), 1);
  EXPECT_EQ(json.at("attempts").at(1).at("records"), 8);
  EXPECT_THAT(json.at("attempts").at(1).at("complaints"), IsEmpty());
}

TEST_F(ServingRunCommand, ExitsWith5WhereALevelHasComplaints) {
  const StreamingServer server(test::scripted(CompletionScript{.fault = test::Fault::usage_mismatch}));
  const CliResult result = run(server.url(), {"--attempts", "2"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_THAT(result.out, HasSubstr("warmup slot 0: usage counts 8 + 4 tokens"));
  EXPECT_EQ(records().size(), 4U) << "level 1 twice, and no further";
}

TEST_F(ServingRunCommand, SaysWhatIsWrongWithItsInput) {
  const CliResult level = run("http://127.0.0.1:1", {"--level", "3"});
  EXPECT_EQ(level.exit_code, 2);
  EXPECT_THAT(level.err, HasSubstr("no level 3; choose from 1, 2, 4"));
  const CliResult endpoint = run("127.0.0.1:1");
  EXPECT_EQ(endpoint.exit_code, 2);
  EXPECT_THAT(endpoint.err, HasSubstr("http://HOST:PORT"));
  const CliResult prompts = run("http://127.0.0.1:1", {"--prompts", "nowhere.json"});
  EXPECT_NE(prompts.exit_code, 0);
  EXPECT_FALSE(prompts.err.empty());
}

}  // namespace
}  // namespace profdb::serving
