// Server-sent events: the cases of the WHATWG specification, and pieces of every size.
#include "serving/stream/sse_parser.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>
#include <vector>

namespace profdb::serving {
namespace {

using Frames = std::vector<std::tuple<std::string, std::string, std::uint64_t>>;  // event, data, end offset

void feed(SseParser& parser, std::string_view bytes, Frames& frames) {
  parser.feed(bytes,
              [&](const SseFrame& frame) { frames.emplace_back(frame.event, frame.data, frame.end_offset); });
}

bool finish(SseParser& parser, Frames& frames) {
  return parser.finish(
      [&](const SseFrame& frame) { frames.emplace_back(frame.event, frame.data, frame.end_offset); });
}

Frames parse(std::string_view stream) {
  SseParser parser;
  Frames frames;
  feed(parser, stream, frames);
  finish(parser, frames);
  return frames;
}

TEST(SseParser, AFrameEndsWithItsBlankLine) {
  SseParser parser;
  Frames frames;
  feed(parser, "data: one\n", frames);
  EXPECT_TRUE(frames.empty());
  feed(parser, "\n", frames);
  EXPECT_EQ(frames, (Frames{{"message", "one", 11}}));
  EXPECT_TRUE(finish(parser, frames));
}

TEST(SseParser, OnePieceMayHoldSeveralFrames) {
  EXPECT_EQ(parse("data: a\n\ndata: b\n\ndata: c"), (Frames{{"message", "a", 9}, {"message", "b", 18}}));
}

TEST(SseParser, AStreamMayEndInsideAFrame) {
  for (const char* stream :
       {"d", "data: a", "data: a\n", "data: a\r", "data: a\n\ndata: b\r\n", "event: x\n", ": c"}) {
    SseParser parser;
    Frames frames;
    feed(parser, stream, frames);
    EXPECT_FALSE(finish(parser, frames)) << stream;
  }
  for (const char* stream : {"", "\n", ": c\n", "data: a\n\n", "data: a\r\r", "data: a\r\n\r", "id: 1\n"}) {
    SseParser parser;
    Frames frames;
    feed(parser, stream, frames);
    EXPECT_TRUE(finish(parser, frames)) << stream;
  }
}

TEST(SseParser, LinesEndWithLfCrLfOrCr) {
  EXPECT_EQ(parse("data: a\n\n"), (Frames{{"message", "a", 9}}));
  EXPECT_EQ(parse("data: a\r\r"), (Frames{{"message", "a", 9}}));
  EXPECT_EQ(parse("data: a\r\n\r\ndata: b\r\n\r\n"), (Frames{{"message", "a", 11}, {"message", "b", 22}}));
  EXPECT_EQ(parse("data: a\r\n\ndata: b\n\r"), (Frames{{"message", "a", 10}, {"message", "b", 19}}));
  EXPECT_EQ(parse("data: a\r\rdata: b\r\r"), (Frames{{"message", "a", 9}, {"message", "b", 18}}));
}

TEST(SseParser, DataLinesAreJoined) {
  EXPECT_EQ(parse("data: YHOO\ndata: +2\ndata: 10\n\n"), (Frames{{"message", "YHOO\n+2\n10", 30}}));
  EXPECT_EQ(parse("data\ndata\n\n"), (Frames{{"message", "\n", 11}}));
}

TEST(SseParser, OneSpaceAfterTheColonIsNoData) {
  EXPECT_EQ(parse("data:x\n\n"), (Frames{{"message", "x", 8}}));
  EXPECT_EQ(parse("data:  x\n\n"), (Frames{{"message", " x", 10}}));
  EXPECT_EQ(parse("data: {\"a\": 1}\n\n"), (Frames{{"message", "{\"a\": 1}", 16}}));
}

TEST(SseParser, CommentsAndUnknownFieldsAreSkipped) {
  EXPECT_EQ(parse(": keep-alive\n\ndata: x\nid: 7\nretry: 10\n: y\nother\n\n"),
            (Frames{{"message", "x", 49}}));
}

TEST(SseParser, AFrameWithoutDataIsNone) {
  EXPECT_EQ(parse("event: ping\n\ndata: x\n\n"), (Frames{{"message", "x", 22}}));
  EXPECT_TRUE(parse("\n\n\r\n\r\r").empty());
}

TEST(SseParser, TheEventIsNamed) {
  EXPECT_EQ(parse("event: error\ndata: x\n\ndata: y\n\n"),
            (Frames{{"error", "x", 22}, {"message", "y", 31}}));
}

TEST(SseParser, AByteOrderMarkIsSkippedOnceAtTheStart) {
  EXPECT_EQ(parse("\xEF\xBB\xBF"
                  "data: x\n\n"),
            (Frames{{"message", "x", 12}}));
  EXPECT_TRUE(parse("\n\xEF\xBB\xBF"
                    "data: x\n\n")
                  .empty());
}

// Everything that a stream can hold, with all line ends.
std::string rich_stream() {
  return ": start\n\ndata: {\"a\":[1,2]}\r\n\r\ndata: b1\rdata: b2\r\r: c\r\nevent: error\ndata: \xC3\xA4\n\n"
         "data\n\nid: 1\r\n\r\ndata: last\n\r\ndata: [DONE]\r\n\r\n";
}

TEST(SseParser, TheFramesDoNotDependOnWhereOneCutIs) {
  const std::string stream = rich_stream();
  const Frames whole = parse(stream);
  ASSERT_EQ(whole.size(), 6U);
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    SseParser parser;
    Frames frames;
    feed(parser, stream.substr(0, cut), frames);
    for (const auto& frame : frames) EXPECT_LE(std::get<2>(frame), cut) << "a frame before its bytes";
    feed(parser, stream.substr(cut), frames);
    EXPECT_TRUE(finish(parser, frames));
    EXPECT_EQ(frames, whole) << "cut at byte " << cut;
  }
}

TEST(SseParser, TheFramesDoNotDependOnTheSizeOfPieces) {
  const std::string stream = rich_stream();
  const Frames whole = parse(stream);
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    const std::size_t most = round == 0 ? 1 : 1 + random() % 17;  // the first round: byte by byte
    SseParser parser;
    Frames frames;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t size = std::min(stream.size() - at, 1 + random() % most);
      feed(parser, std::string_view(stream).substr(at, size), frames);
      at += size;
    }
    EXPECT_TRUE(finish(parser, frames));
    EXPECT_EQ(frames, whole) << "round " << round;
  }
}

}  // namespace
}  // namespace profdb::serving
