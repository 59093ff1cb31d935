// The client against the streaming server: the plan of a run, and the record of every fault
// (acceptance-protocol §1, §2, §8).
#include "serving/client/service_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

#include "profdb/error.h"
#include "serving/stream/record_evidence.h"
#include "tests/serving/client/small_round.h"

namespace profdb::serving {
namespace {

using test::Asked;
using test::CompletionScript;
using test::Fault;
using test::HttpRequest;
using test::StreamingServer;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using ServiceRun = test::ClientTest;

TEST_F(ServiceRun, AWholeRunHasTheProtocolsRequestsInItsOrder) {
  const StreamingServer server(test::scripted(CompletionScript{}));
  run(test::small_run(server.url()));
  // 1 + 1, 2 + 2, 4 + 4 requests, level by level, phase by phase.
  ASSERT_EQ(records.size(), 14U);
  std::vector<std::pair<std::int64_t, Phase>> order;
  for (const RequestRecord& record : records)
    if (order.empty() || order.back() != std::pair(record.level, record.phase))
      order.emplace_back(record.level, record.phase);
  EXPECT_THAT(order, ElementsAre(std::pair(1, Phase::warmup), std::pair(1, Phase::measured),
                                 std::pair(2, Phase::warmup), std::pair(2, Phase::measured),
                                 std::pair(4, Phase::warmup), std::pair(4, Phase::measured)));
  ASSERT_EQ(attempts.size(), 3U);
  for (const LevelAttempt& attempt : attempts) {
    EXPECT_THAT(attempt.complaints, IsEmpty());
    EXPECT_EQ(attempt.attempt, 1);
    EXPECT_EQ(attempt.records, 2 * attempt.level);
  }
}

TEST_F(ServiceRun, WarmUpsHaveEndedBeforeAMeasuredRequestStarts) {
  const StreamingServer server(test::scripted(CompletionScript{}));
  run(test::small_run(server.url()));
  std::int64_t ended = 0;  // of the phase before
  std::int64_t end = 0;
  std::pair<std::int64_t, Phase> phase{0, Phase::probe};
  for (const RequestRecord& record : records) {
    if (phase != std::pair(record.level, record.phase)) ended = end;
    phase = {record.level, record.phase};
    EXPECT_GE(record.start_ns, ended);
    end = std::max(end, record.end_ns);
  }
}

TEST_F(ServiceRun, ARecordSaysWhatWasSentAndReceived) {
  const StreamingServer server(test::scripted(CompletionScript{}));
  run(test::small_run(server.url()));
  const std::vector<HttpRequest> requests = server.requests();
  ASSERT_EQ(requests.size(), records.size());
  const Protocol protocol = test::small_protocol();
  const TokenizedPools pools = test::small_pools();
  std::map<std::string, const HttpRequest*> by_salt;
  for (const HttpRequest& request : requests)
    by_salt[nlohmann::json::parse(request.body).at("cache_salt")] = &request;
  ASSERT_EQ(by_salt.size(), records.size()) << "salts are unique";
  std::set<std::uint64_t> connections;
  for (const RequestRecord& record : records) {
    ASSERT_TRUE(by_salt.contains(record.cache_salt));
    const HttpRequest& request = *by_salt[record.cache_salt];
    connections.insert(request.connection);
    const bool measured = record.phase == Phase::measured;
    EXPECT_EQ(record.round + record.run + record.service, "syntheticB1svc-1");
    EXPECT_EQ(request.path, "/v1/completions");
    EXPECT_EQ(request.header("x-data-parallel-rank"), std::to_string(record.slot % 2));
    EXPECT_EQ(record.rank_header, std::to_string(record.slot % 2));
    EXPECT_EQ(test::asked(request).slot, record.slot);
    EXPECT_EQ(test::asked(request).measured, measured);
    // The headers as they were on the wire, names and order.
    std::vector<std::pair<std::string, std::string>> lower = record.headers;
    for (auto& [name, value] : lower)
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    EXPECT_EQ(lower, request.headers);
    // The body as it was on the wire: the record's members, then the prompt.
    const std::string head = record.body.dump();
    EXPECT_EQ(request.body.substr(0, head.size() - 1), head.substr(0, head.size() - 1));
    const auto body = nlohmann::json::parse(request.body);
    const auto& pool = measured ? pools.measured : pools.warmup;
    EXPECT_EQ(body.at("prompt").dump(), pool[static_cast<std::size_t>(record.slot)].token_ids);
    EXPECT_EQ(body.at("max_tokens"), measured ? 6 : 3);
    EXPECT_EQ(body.at("min_tokens"), body.at("max_tokens"));
    for (const auto& [name, value] : protocol.body.items()) EXPECT_EQ(body.at(name), value) << name;
    EXPECT_EQ(record.status, Status::ok) << record.error;
    EXPECT_EQ(record.http_status, 200);
    EXPECT_TRUE(record.done);
    EXPECT_EQ(record.output_tokens(), measured ? 6 : 3);
    EXPECT_EQ(record.usage, (Usage{8, measured ? 6 : 3}));
    EXPECT_EQ(record.cached_tokens, 0);
    EXPECT_EQ(record.prompt_tokens, 8);
  }
  EXPECT_EQ(connections.size(), records.size()) << "each request has a connection of its own";
}

// The digest of "[0,1,2,3,4,5,6,7]", from: printf '[0,1,2,3,4,5,6,7]' | sha256sum
constexpr const char* kFirstWarmupSha256 = "29101ebf1ead685029508789eee51c4d4fff65524064d8e32a48efded7036982";

TEST_F(ServiceRun, ThePromptsDigestIsThatOfItsCompactJson) {
  const StreamingServer server(test::scripted(CompletionScript{}));
  run(test::small_run(server.url()));
  EXPECT_EQ(records.at(0).prompt_sha256, kFirstWarmupSha256);
}

TEST_F(ServiceRun, TimesAreMonotoneAndTiedToTheRawBytes) {
  const StreamingServer server(test::scripted(CompletionScript{}));
  run(test::small_run(server.url()));
  for (const RequestRecord& record : records) {
    EXPECT_FALSE(record.clock_id.empty());
    std::int64_t previous = record.start_ns;
    for (const Frame& frame : record.frames) {
      EXPECT_GE(frame.t_ns, previous);
      previous = frame.t_ns;
    }
    EXPECT_GE(record.end_ns, previous);
    EXPECT_THAT(check_evidence(record, folder.path()), IsEmpty());
  }
}

TEST_F(ServiceRun, TheSpreadOfTheStartIsThatOfTheRecords) {
  const StreamingServer server(test::scripted(CompletionScript{}));
  run(test::small_run(server.url()));
  for (const LevelAttempt& attempt : attempts) {
    std::vector<std::int64_t> starts;
    for (const RequestRecord& record : records)
      if (record.level == attempt.level && record.phase == Phase::measured) starts.push_back(record.start_ns);
    const auto [first, last] = std::minmax_element(starts.begin(), starts.end());
    EXPECT_EQ(attempt.measured_spread_ns, *last - *first);
  }
}

// The requests of a level are under way together: none is answered before all have arrived.
TEST_F(ServiceRun, TheRequestsOfALevelRunAtTheSameTime) {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::int64_t, int> arrived;  // measured requests by their number of prompts: 1, 2, 4
  int waiting = 0;
  std::int64_t level = 4;
  const StreamingServer server([&](const HttpRequest& request) {
    std::unique_lock lock(mutex);
    ++waiting;
    changed.notify_all();
    const bool together =
        changed.wait_for(lock, std::chrono::seconds(30), [&] { return waiting % level == 0; });
    return test::complete(request, {.fault = together ? Fault::none : Fault::http_error});
  });
  RunOptions options = test::small_run(server.url());
  options.levels = {level};
  run(options);
  for (const RequestRecord& record : records) EXPECT_EQ(record.status, Status::ok) << record.error;
}

TEST_F(ServiceRun, FramesNotTokensAreFrames) {
  const StreamingServer server(test::scripted(CompletionScript{.ids_per_frame = 4}));
  RunOptions options = test::small_run(server.url());
  options.levels = {1};
  run(options);
  ASSERT_EQ(records.size(), 2U);
  ASSERT_EQ(records[1].frames.size(), 2U);
  EXPECT_EQ(records[1].frames[0].token_ids.size(), 4U);
  EXPECT_EQ(records[1].frames[1].token_ids.size(), 2U);
}

TEST_F(ServiceRun, AServiceThatIsNotThereIsARecordOfEachRequest) {
  RunOptions options = test::small_run("http://127.0.0.1:" + std::to_string(test::unused_port()));
  options.levels = {2};
  run(options);
  ASSERT_EQ(records.size(), 4U);
  for (const RequestRecord& record : records) {
    EXPECT_EQ(record.status, Status::connection_error);
    EXPECT_THAT(record.error, HasSubstr("127.0.0.1"));
    EXPECT_EQ(record.http_status, 0);
    EXPECT_FALSE(record.raw.has_value());
    EXPECT_FALSE(record.arrivals.has_value());
    EXPECT_GE(record.end_ns, record.start_ns);
    EXPECT_THAT(check_evidence(record, folder.path()), IsEmpty());
  }
}

TEST_F(ServiceRun, ALevelWithComplaintsIsRunAgainWhole) {
  std::atomic<int> faults = 1;
  const StreamingServer server(test::scripted([&](const Asked& request) {
    const bool faulty = request.measured && request.slot == 1 && faults.fetch_sub(1) > 0;
    return CompletionScript{.fault = faulty ? Fault::http_error : Fault::none};
  }));
  RunOptions options = test::small_run(server.url());
  options.levels = {4, 2};
  options.most_attempts = 3;
  run(options);
  std::vector<std::tuple<std::int64_t, std::int64_t, std::size_t>> ran;
  for (const LevelAttempt& attempt : attempts)
    ran.emplace_back(attempt.level, attempt.attempt, attempt.complaints.size());
  EXPECT_EQ(ran, (std::vector<std::tuple<std::int64_t, std::int64_t, std::size_t>>{
                     {2, 1, 1}, {2, 2, 0}, {4, 1, 0}}));
  EXPECT_EQ(records.size(), 4U + 4U + 8U) << "failed records stay, and warm-ups are repeated";
  std::set<std::string> salts;
  for (const RequestRecord& record : records) salts.insert(record.cache_salt);
  EXPECT_EQ(salts.size(), records.size());
}

TEST_F(ServiceRun, ARunStopsAtALevelWithComplaintsUnlessToldToGoOn) {
  const StreamingServer server(test::scripted(CompletionScript{.fault = Fault::missing_done}));
  RunOptions options = test::small_run(server.url());
  run(options);
  EXPECT_EQ(attempts.size(), 1U);
  options.keep_going = true;
  run(options);
  ASSERT_EQ(attempts.size(), 3U);
  EXPECT_EQ(attempts[0].attempt, 2) << "a later run's level 1 is another attempt";
  EXPECT_EQ(attempts[1].attempt, 1);
}

TEST_F(ServiceRun, ProgressIsTold) {
  const StreamingServer server(test::scripted(CompletionScript{}));
  RunOptions options = test::small_run(server.url());
  options.levels = {2};
  std::vector<std::pair<Phase, std::int64_t>> told;
  options.progress = [&](const RunProgress& progress) {
    EXPECT_EQ(progress.requests, 2);
    told.emplace_back(progress.phase, progress.ended);
  };
  run(options);
  EXPECT_THAT(told, ElementsAre(std::pair(Phase::warmup, 0), std::pair(Phase::warmup, 1),
                                std::pair(Phase::warmup, 2), std::pair(Phase::measured, 0),
                                std::pair(Phase::measured, 1), std::pair(Phase::measured, 2)));
}

// What cannot be run is refused before anything is sent.
void expect_refusal(const RunOptions& options, ErrorKind kind, const char* message) {
  const TemporaryFolder folder;
  RecordFolder records(folder.path(), options.identity);
  try {
    run_service(options, records);
    ADD_FAILURE() << "not refused: " << message;
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), kind);
    EXPECT_THAT(e.what(), HasSubstr(message));
  }
  EXPECT_EQ(std::filesystem::file_size(records.record_file()), 0U);
}

TEST(ServiceRunRefuses, WhatCannotBeRun) {
  const RunOptions good = test::small_run("http://127.0.0.1:1");
  RunOptions options = good;
  options.levels = {1, 3};
  expect_refusal(options, ErrorKind::usage, "no level 3; choose from 1, 2, 4");
  for (const char* endpoint : {"", "127.0.0.1:1", "http://", "http://127.0.0.1:1/v1", "ftp://host"}) {
    options = good;
    options.endpoint = endpoint;
    expect_refusal(options, ErrorKind::usage, "is not http://HOST:PORT");
  }
  options = good;
  options.pools.warmup.pop_back();
  expect_refusal(options, ErrorKind::input, "the warm-up pool has 3 prompts; level 4");
  options = good;
  options.pools.measured[2].tokens = 7;
  expect_refusal(options, ErrorKind::input, "measured prompt 2 has 7 token ids; protocol small wants 8");
  options = good;
  options.pools.measured[3] = options.pools.warmup[1];
  expect_refusal(options, ErrorKind::input, "measured prompt 3 is the same as warm-up prompt 1");
  options = good;
  options.protocol.body["max_tokens"] = 5;
  expect_refusal(options, ErrorKind::input, "request.body sets 'max_tokens'");
}

}  // namespace
}  // namespace profdb::serving
