// The record of every fault of a service, and of every manner of the same stream (acceptance-protocol §1,
// §2).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <ostream>

#include "serving/stream/record_evidence.h"
#include "tests/serving/client/small_round.h"

namespace profdb::serving {
namespace {

using test::Asked;
using test::CompletionScript;
using test::Fault;
using test::StreamingServer;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

// What a record of one fault is expected to say.
struct Expected {
  const char* name;
  CompletionScript script;
  Status status = Status::ok;
  const char* error = "";      // contained in the record's
  const char* complaint = "";  // contained in the first of the client's
  bool done = true;
  std::int64_t tokens = 6;
  std::optional<Usage> usage = Usage{8, 6};
  std::optional<std::int64_t> cached = 0;
  std::int64_t http_status = 200;
};

void PrintTo(const Expected& expected, std::ostream* out) {
  *out << expected.name;
}

class FaultyService : public test::ClientTest, public testing::WithParamInterface<Expected> {};

TEST_P(FaultyService, GivesItsRecordAndLeavesTheOthersAlone) {
  const Expected& expected = GetParam();
  const StreamingServer server(test::scripted([&](const Asked& request) {
    return request.measured && request.slot == 1 ? expected.script : CompletionScript{};
  }));
  RunOptions options = test::small_run(server.url());
  options.levels = {4};
  if (expected.status == Status::timeout) options.protocol.http_timeout_s = 4;
  run(options);
  ASSERT_EQ(records.size(), 8U);
  for (const RequestRecord& record : records) {
    EXPECT_THAT(check_evidence(record, folder.path()), IsEmpty());
    if (record.phase == Phase::measured && record.slot == 1) {
      EXPECT_EQ(record.status, expected.status) << to_string(record.status) << " " << record.error;
      EXPECT_THAT(record.error, HasSubstr(expected.error));
      EXPECT_EQ(record.error.empty(), expected.status == Status::ok);
      EXPECT_EQ(record.done, expected.done);
      EXPECT_EQ(record.output_tokens(), expected.tokens);
      EXPECT_EQ(record.usage, expected.usage);
      EXPECT_EQ(record.cached_tokens, expected.cached);
      EXPECT_EQ(record.http_status, expected.http_status);
    } else {
      EXPECT_EQ(record.status, Status::ok) << record.error;
      EXPECT_THAT(complaints(record, record.phase == Phase::measured ? 6 : 3), IsEmpty());
    }
  }
  ASSERT_EQ(attempts.size(), 1U);
  ASSERT_EQ(attempts[0].complaints.empty(), std::string_view(expected.complaint).empty());
  if (!attempts[0].complaints.empty()) {
    EXPECT_THAT(attempts[0].complaints.front(),
                AllOf(HasSubstr("measured slot 1: "), HasSubstr(expected.complaint)));
  }
}

const std::optional<Usage> kNoUsage;
const std::optional<std::int64_t> kUnknown;

INSTANTIATE_TEST_SUITE_P(
    Faults, FaultyService,
    testing::Values(Expected{.name = "HttpError",
                             .script = {.fault = Fault::http_error},
                             .status = Status::http_error,
                             .error = "HTTP 500: {\"error\":{\"message\":\"synthetic failure\"",
                             .complaint = "http_error",
                             .done = false,
                             .tokens = 0,
                             .usage = kNoUsage,
                             .cached = kUnknown,
                             .http_status = 500},
                    Expected{.name = "MissingDone",
                             .script = {.fault = Fault::missing_done},
                             .complaint = "[DONE]",
                             .done = false},
                    Expected{.name = "CutConnection",
                             .script = {.fault = Fault::cut_connection},
                             .status = Status::connection_error,
                             .complaint = "connection_error",
                             .done = false,
                             .tokens = 2,
                             .usage = kNoUsage,
                             .cached = kUnknown},
                    Expected{.name = "StreamError",
                             .script = {.fault = Fault::stream_error},
                             .status = Status::stream_error,
                             .error = "frame 3: synthetic failure",
                             .complaint = "stream_error",
                             .tokens = 2,
                             .usage = kNoUsage,
                             .cached = kUnknown},
                    Expected{.name = "MalformedFrame",
                             .script = {.fault = Fault::malformed_frame},
                             .status = Status::malformed,
                             .error = "frame 3: its data is no JSON object",
                             .complaint = "malformed"},
                    Expected{.name = "TokenMissing",
                             .script = {.fault = Fault::token_missing},
                             .complaint = "5 generated token ids, 6 were asked for",
                             .tokens = 5,
                             .usage = Usage{8, 5}},
                    Expected{.name = "TokenTooMany",
                             .script = {.fault = Fault::token_too_many},
                             .complaint = "7 generated token ids, 6 were asked for",
                             .tokens = 7,
                             .usage = Usage{8, 7}},
                    Expected{.name = "UsageMismatch",
                             .script = {.fault = Fault::usage_mismatch},
                             .complaint = "usage counts 8 + 7 tokens",
                             .usage = Usage{8, 7}},
                    Expected{.name = "PromptMismatch",
                             .script = {.fault = Fault::prompt_mismatch},
                             .complaint = "usage counts 7 + 6 tokens",
                             .usage = Usage{7, 6}},
                    Expected{.name = "UsageMissing",
                             .script = {.fault = Fault::usage_missing},
                             .complaint = "no usage",
                             .usage = kNoUsage,
                             .cached = kUnknown},
                    Expected{.name = "CachedTokens",
                             .script = {.cached_tokens = 4},
                             .complaint = "4 prompt tokens",
                             .cached = 4},
                    Expected{.name = "CachedTokensUnknown",
                             .script = {.cached_tokens = std::nullopt},
                             .complaint = "did not report cached_tokens",
                             .cached = kUnknown},
                    Expected{.name = "NoFirstToken",
                             .script = {.fault = Fault::no_first_token},
                             .status = Status::timeout,
                             .complaint = "timeout",
                             .done = false,
                             .tokens = 0,
                             .usage = kNoUsage,
                             .cached = kUnknown},
                    Expected{.name = "HangInStream",
                             .script = {.fault = Fault::hang_in_stream},
                             .status = Status::timeout,
                             .complaint = "timeout",
                             .done = false,
                             .tokens = 2,
                             .usage = kNoUsage,
                             .cached = kUnknown},
                    // Not faults: another manner of the same stream.
                    Expected{.name = "FramesSplitAtEveryByte", .script = {.split = 1}},
                    Expected{.name = "FramesSplitAtOddBytes", .script = {.comments = true, .split = 7}},
                    Expected{.name = "CrLf", .script = {.line_end = "\r\n"}},
                    Expected{.name = "Cr", .script = {.line_end = "\r", .split = 5}},
                    Expected{.name = "Comments", .script = {.line_end = "\r\n", .comments = true}},
                    Expected{.name = "SeveralIdsPerFrame", .script = {.ids_per_frame = 4}},
                    Expected{.name = "AllIdsInOneFrame", .script = {.ids_per_frame = 6}},
                    Expected{.name = "Pauses",
                             .script = {.first_pause = std::chrono::milliseconds(20),
                                        .frame_pause = std::chrono::milliseconds(2)}}),
    [](const testing::TestParamInfo<Expected>& test) { return test.param.name; });

}  // namespace
}  // namespace profdb::serving
