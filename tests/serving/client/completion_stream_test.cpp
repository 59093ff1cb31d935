// From the bytes of a body and their arrival times to token ids, usage and trouble (acceptance-protocol §1,
// §2).
#include "serving/stream/completion_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profdb/error.h"

namespace profdb::serving {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The body in pieces that arrive at 100, 200, 300 … ns.
Completion read(const std::vector<std::string>& pieces) {
  std::string body;
  std::vector<Arrival> arrivals;
  for (const std::string& piece : pieces) {
    body += piece;
    arrivals.push_back({100 * static_cast<std::int64_t>(arrivals.size() + 1), body.size()});
  }
  return read_completion(body, arrivals);
}

std::string tokens(const std::string& ids) {
  return R"(data: {"choices":[{"index":0,"text":"","token_ids":)" + ids + "}]}\n\n";
}

const std::string kUsage =
    R"(data: {"choices":[],"usage":{"prompt_tokens":8,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":0}}})"
    "\n\n";
const std::string kDone = "data: [DONE]\n\n";

TEST(CompletionStream, ReadsIdsUsageAndDone) {
  const Completion read_back = read({tokens("[5]"), tokens("[6,7]"), kUsage, kDone});
  EXPECT_THAT(read_back.frames,
              ElementsAre(CompletionFrame{100, tokens("[5]").size(), {5}},
                          CompletionFrame{200, (tokens("[5]") + tokens("[6,7]")).size(), {6, 7}}));
  EXPECT_EQ(read_back.usage, (CompletionUsage{8, 3, 0}));
  EXPECT_TRUE(read_back.done);
  EXPECT_EQ(read_back.trouble, StreamTrouble::none) << read_back.message;
  EXPECT_EQ(read_back.output_tokens(), 3);
}

TEST(CompletionStream, AFrameHasTheTimeOfTheReadThatEndsItsBlankLine) {
  const std::string frame = tokens("[5]");
  const std::string cut = frame.substr(0, frame.size() - 1);
  // 100: all but the last line end; 200: that, and all of the next frame but its last byte; 300: the rest.
  const Completion read_back = read({cut, "\n" + cut, "\n" + kUsage + kDone});
  EXPECT_THAT(read_back.frames, ElementsAre(CompletionFrame{200, frame.size(), {5}},
                                            CompletionFrame{300, 2 * frame.size(), {5}}));
}

TEST(CompletionStream, ABlankLineThatEndsWithCrLfIsOverWithTheLf) {
  const std::string data = R"(data: {"choices":[{"token_ids":[5]}]})";
  const Completion read_back = read({data + "\r\n\r", "\n", "data: [DONE]\r\n\r\n"});
  EXPECT_THAT(read_back.frames, ElementsAre(CompletionFrame{200, data.size() + 4, {5}}));
  EXPECT_EQ(read_back.trouble, StreamTrouble::none) << read_back.message;
}

TEST(CompletionStream, TheFirstTokenIsTheFirstFrameThatHoldsAGeneratedId) {
  const std::string prompt = R"(data: {"choices":[{"index":0,"prompt_token_ids":[1,2],"token_ids":null}]})"
                             "\n\n";
  const Completion read_back = read({prompt, tokens("[]"), ": ping\n\n", tokens("[9]"), kDone});
  EXPECT_EQ(read_back.first_token_ns(), 400);
  EXPECT_EQ(read_back.output_tokens(), 1);
  EXPECT_EQ(read({prompt, kDone}).first_token_ns(), std::nullopt);
}

TEST(CompletionStream, WhatTheServerDoesNotReportIsUnknown) {
  EXPECT_EQ(read({tokens("[5]"), kDone}).usage, CompletionUsage{});
  const Completion no_details =
      read({R"(data: {"choices":[],"usage":{"prompt_tokens":8,"completion_tokens":1}})"
            "\n\n",
            kDone});
  EXPECT_EQ(no_details.usage, (CompletionUsage{8, 1, std::nullopt}));
  const Completion null_details = read(
      {R"(data: {"choices":[],"usage":{"prompt_tokens":8,"completion_tokens":1,"prompt_tokens_details":null}})"
       "\n\n",
       kDone});
  EXPECT_EQ(null_details.usage.cached_tokens, std::nullopt);
}

TEST(CompletionStream, UsageOfEveryFrameIsOverwrittenByTheLast) {
  const std::string running =
      R"(data: {"choices":[{"index":0,"token_ids":[5],"finish_reason":"length"}],"usage":{"prompt_tokens":8,"completion_tokens":1}})"
      "\n\n";
  const Completion read_back = read({running, kUsage,
                                     R"(data: {"choices":[],"usage":null})"
                                     "\n\n",
                                     kDone});
  EXPECT_EQ(read_back.usage, (CompletionUsage{8, 3, 0}));
  EXPECT_EQ(read_back.finish_reason, "length");
}

TEST(CompletionStream, ABodyWithoutDoneSaysSo) {
  const Completion read_back = read({tokens("[5]"), kUsage});
  EXPECT_EQ(read_back.trouble, StreamTrouble::missing_done);
  EXPECT_THAT(read_back.message, HasSubstr("2 frames"));
  EXPECT_EQ(read_back.output_tokens(), 1) << "what arrived is kept";
  EXPECT_EQ(read({}).trouble, StreamTrouble::missing_done);
}

TEST(CompletionStream, AFrameThatIsCutOffIsMalformed) {
  const Completion read_back = read({tokens("[5]"), R"(data: {"choices":[{"ind)"});
  EXPECT_EQ(read_back.trouble, StreamTrouble::malformed);
  EXPECT_EQ(read_back.message, "frame 2: the body ends inside of it");
  // Its one line has ended, but not the frame.
  EXPECT_EQ(read({"data: [DONE]\n"}).trouble, StreamTrouble::malformed);
  EXPECT_FALSE(read({"data: [DONE]\n"}).done);
}

TEST(CompletionStream, AnErrorInsideTheStreamIsTheServers) {
  for (const char* frame :
       {"data: {\"error\":{\"message\":\"out of blocks\",\"code\":500}}\n\n",
        "data: {\"error\":\"out of blocks\"}\n\n", "event: error\ndata: {\"message\":\"out of blocks\"}\n\n",
        "event: error\ndata: out of blocks\n\n"}) {
    const Completion read_back = read({tokens("[5]"), frame, kDone});
    EXPECT_EQ(read_back.trouble, StreamTrouble::server_error) << frame;
    EXPECT_THAT(read_back.message, HasSubstr("frame 2: ")) << frame;
    EXPECT_THAT(read_back.message, HasSubstr("out of blocks")) << frame;
    EXPECT_TRUE(read_back.done) << frame;
    EXPECT_EQ(read_back.output_tokens(), 1) << frame;
  }
}

TEST(CompletionStream, WhatIsNoCompletionIsMalformed) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"data: {\"choices\":[\n\n", "no JSON object"},
      {"data: [1]\n\n", "no JSON object"},
      {"data: \xFF\n\n", "no JSON object"},
      {"data: {\"choices\":{}}\n\n", "'choices' is not a list"},
      {"data: {\"choices\":[3]}\n\n", "a choice is not an object"},
      {"data: {\"choices\":[{\"index\":1,\"token_ids\":[4]}]}\n\n", "choice 1"},
      {"data: {\"choices\":[{\"finish_reason\":3}]}\n\n", "'finish_reason'"},
      {"data: {\"choices\":[{\"token_ids\":7}]}\n\n", "'token_ids' is not a list"},
      {"data: {\"choices\":[{\"token_ids\":[-1]}]}\n\n", "'token_ids' is not an integer"},
      {"data: {\"choices\":[{\"token_ids\":[1.5]}]}\n\n", "'token_ids' is not an integer"},
      {"data: {\"choices\":[{\"token_ids\":[18446744073709551615]}]}\n\n", "'token_ids' is not an integer"},
      {"data: {\"usage\":3}\n\n", "'usage' is not an object"},
      {"data: {\"usage\":{\"completion_tokens\":\"3\"}}\n\n", "'completion_tokens'"},
      {"data: {\"usage\":{\"prompt_tokens_details\":[]}}\n\n", "'prompt_tokens_details'"},
      {"data: {\"usage\":{\"prompt_tokens_details\":{\"cached_tokens\":-1}}}\n\n", "'cached_tokens'"},
      {kDone + "data: {}\n\n", "data after [DONE]"},
      {kDone, "data after [DONE]"},
  };
  for (const auto& [frames, message] : cases) {
    const Completion read_back = read({frames, kDone});
    EXPECT_EQ(read_back.trouble, StreamTrouble::malformed) << frames;
    EXPECT_THAT(read_back.message, HasSubstr(message)) << frames;
  }
}

TEST(CompletionStream, TheFirstTroubleDecides) {
  const Completion read_back = read({"data: x\n\n", "data: {\"error\":\"late\"}\n\n", tokens("[5]")});
  EXPECT_EQ(read_back.trouble, StreamTrouble::malformed);
  EXPECT_THAT(read_back.message, HasSubstr("frame 1"));
  EXPECT_EQ(read_back.output_tokens(), 1);
}

TEST(CompletionStream, OnlyTimesChangeWithTheCuts) {
  const std::string body = ": hi\r\n\r\n" + tokens("[5]") + tokens("[6,7]") + kUsage + kDone;
  Completion whole = read({body});
  for (std::size_t cut = 1; cut < body.size(); ++cut) {
    Completion read_back = read({body.substr(0, cut), body.substr(cut)});
    for (CompletionFrame& frame : read_back.frames) frame.t_ns = 100;
    EXPECT_EQ(read_back, whole) << "cut at byte " << cut;
  }
}

TEST(CompletionStream, ArrivalTimesThatDoNotFitTheBodyAreRefused) {
  const std::string body = kDone;
  const std::uint64_t size = body.size();
  const std::vector<std::vector<Arrival>> bad = {{},
                                                 {{1, size - 1}},
                                                 {{1, size + 1}},
                                                 {{1, 0}, {2, size}},
                                                 {{1, 3}, {2, 3}, {3, size}},
                                                 {{1, 5}, {2, 4}, {3, size}},
                                                 {{2, 5}, {1, size}}};
  for (const auto& arrivals : bad) {
    EXPECT_THROW(
        {
          try {
            read_completion(body, arrivals);
          } catch (const Error& e) {
            EXPECT_EQ(e.kind(), ErrorKind::input);
            EXPECT_THAT(e.what(), HasSubstr("arrival times"));
            throw;
          }
        },
        Error);
  }
  EXPECT_TRUE(read_completion(body, {{1, 3}, {1, size}}).done) << "two reads may have one time";
}

}  // namespace
}  // namespace profdb::serving
