// Records against their raw bytes: any change on either side is found and named (acceptance-protocol §7).
#include "serving/stream/record_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "profdb/error.h"
#include "tests/serving/client/small_round.h"

namespace profdb::serving {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Three tokens in two frames, usage and DONE, in three reads.
struct Sample {
  std::string body =
      "data: {\"choices\":[{\"index\":0,\"token_ids\":[11,12]}]}\n\n"
      "data: {\"choices\":[{\"index\":0,\"token_ids\":[13]}]}\n\n"
      "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":8,\"completion_tokens\":3,"
      "\"prompt_tokens_details\":{\"cached_tokens\":0}}}\n\ndata: [DONE]\n\n";
  std::vector<Arrival> arrivals = {{200, 60}, {300, 110}, {400, body.size()}};
  RequestRecord record;

  Sample() {
    record.start_ns = 100;
    record.end_ns = 500;
    record.http_status = 200;
    take_response(record, body, arrivals);
  }
  std::vector<std::string> check() const { return differences(record, body, arrivals); }
};

TEST(RecordEvidence, ARecordIsFilledFromItsBody) {
  const Sample sample;
  ASSERT_EQ(sample.record.frames.size(), 2U);
  // The first frame has 53 bytes, the second 50: byte 53 came with the first read, byte 103 with the second.
  EXPECT_EQ(sample.record.frames[0], (Frame{200, 53, {11, 12}}));
  EXPECT_EQ(sample.record.frames[1], (Frame{300, 103, {13}}));
  EXPECT_EQ(sample.record.usage, (Usage{8, 3}));
  EXPECT_EQ(sample.record.cached_tokens, 0);
  EXPECT_TRUE(sample.record.done);
  EXPECT_THAT(sample.check(), IsEmpty());
}

TEST(RecordEvidence, EachFieldThatDiffersIsNamed) {
  const auto found = [](const auto& change) {
    Sample sample;
    change(sample.record);
    return sample.check();
  };
  EXPECT_THAT(found([](RequestRecord& r) { r.frames[1].t_ns = 299; }),
              ElementsAre("frames[1].t_ns is recorded as 299; the raw bytes give 300"));
  EXPECT_THAT(found([](RequestRecord& r) { r.frames[0].end_byte = 52; }),
              ElementsAre(HasSubstr("frames[0].end_byte")));
  EXPECT_THAT(found([](RequestRecord& r) { r.frames[0].token_ids[1] = 13; }),
              ElementsAre("frames[0].token_ids is recorded as [11,13]; the raw bytes give [11,12]"));
  EXPECT_THAT(found([](RequestRecord& r) { r.frames.pop_back(); }),
              ElementsAre(HasSubstr("number of frames")));
  EXPECT_THAT(found([](RequestRecord& r) { r.done = false; }),
              ElementsAre(HasSubstr("done is recorded as false")));
  EXPECT_THAT(found([](RequestRecord& r) { r.usage.reset(); }),
              ElementsAre(HasSubstr("usage is recorded as absent")));
  EXPECT_THAT(found([](RequestRecord& r) { r.usage->prompt_tokens = 7; }), ElementsAre(HasSubstr("usage")));
  EXPECT_THAT(found([](RequestRecord& r) { r.cached_tokens.reset(); }),
              ElementsAre(HasSubstr("cached_tokens")));
  EXPECT_THAT(found([](RequestRecord& r) { r.cached_tokens = 1; }), ElementsAre(HasSubstr("cached_tokens")));
  EXPECT_THAT(found([](RequestRecord& r) { r.status = Status::malformed; }),
              ElementsAre(HasSubstr("status")));
  EXPECT_THAT(found([](RequestRecord& r) { r.start_ns = 201; }),
              ElementsAre(HasSubstr("start_ns 201 is later")));
  EXPECT_THAT(found([](RequestRecord& r) { r.end_ns = 399; }),
              ElementsAre(HasSubstr("end_ns 399 is earlier")));
}

TEST(RecordEvidence, AFaultInTheBodyCannotBeRecordedAsOk) {
  Sample sample;
  sample.body.replace(sample.body.find("[DONE]"), 6, "[HUCH]");
  EXPECT_THAT(sample.check(),
              ElementsAre(HasSubstr("done"), "status is recorded as ok; the raw bytes give malformed"));
}

TEST(RecordEvidence, AStatusThatTheConnectionDecidedStays) {
  Sample sample;
  sample.record.status = Status::timeout;
  EXPECT_THAT(sample.check(), IsEmpty());
}

TEST(RecordEvidence, AnErrorPageHoldsNoCompletion) {
  Sample sample;
  sample.record.http_status = 500;
  sample.record.status = Status::http_error;
  take_response(sample.record, sample.body, sample.arrivals);
  EXPECT_THAT(sample.record.frames, IsEmpty());
  EXPECT_FALSE(sample.record.done);
  EXPECT_EQ(sample.record.usage, std::nullopt);
  EXPECT_EQ(sample.record.status, Status::http_error);
  EXPECT_THAT(sample.check(), IsEmpty());
}

TEST(RecordEvidence, ArrivalTimesAreReadAsTheyAreWritten) {
  const std::vector<Arrival> arrivals = {{-5, 1}, {7, 20}, {INT64_MAX, UINT64_MAX}};
  EXPECT_EQ(format_arrivals(arrivals), "-5 1\n7 20\n9223372036854775807 18446744073709551615\n");
  EXPECT_EQ(parse_arrivals(format_arrivals(arrivals)), arrivals);
  EXPECT_THAT(parse_arrivals(""), IsEmpty());
}

TEST(RecordEvidence, OtherArrivalTimesAreRefusedWithTheirLine) {
  for (const char* text : {"1", "1 2", "1 2\n3", "1 2\n3 4", "1 2\n\n", "1 2\nx 4\n", "1 2\n3  4\n",
                           "1 2\n3 4 \n", "1 2\n3 -4\n", "1 2\n99999999999999999999 4\n", "1 2\n3 4\r\n"}) {
    try {
      parse_arrivals(text);
      ADD_FAILURE() << text;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::input);
      EXPECT_THAT(e.what(), HasSubstr(std::string_view(text).starts_with("1 2\n") ? "line 2" : "line 1"))
          << text;
    }
  }
}

class StoredEvidence : public test::ClientTest {
 protected:
  void SetUp() override {
    const test::StreamingServer server(test::scripted(test::CompletionScript{.ids_per_frame = 2}));
    RunOptions options = test::small_run(server.url());
    options.levels = {1};
    run(options);
    ASSERT_EQ(records.size(), 2U);
    ASSERT_THAT(check_evidence(records[1], folder.path()), IsEmpty());
  }
};

std::string read_whole(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_whole(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST_F(StoredEvidence, AnyChangedByteIsFound) {
  for (const FileRef& file : {*records[1].raw, *records[1].arrivals}) {
    const std::string bytes = read_whole(folder.path() / file.path);
    EXPECT_EQ(static_cast<std::int64_t>(bytes.size()), file.bytes);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 1);
      write_whole(folder.path() / file.path, changed);
      const std::vector<std::string> found = check_evidence(records[1], folder.path());
      ASSERT_THAT(found, testing::Not(IsEmpty())) << file.path << " byte " << at;
      EXPECT_THAT(found.front(), HasSubstr(file.path));
    }
    write_whole(folder.path() / file.path, bytes);
  }
  EXPECT_THAT(check_evidence(records[1], folder.path()), IsEmpty());
}

TEST_F(StoredEvidence, AFileThatIsGoneIsFound) {
  std::filesystem::remove(folder.path() / records[1].raw->path);
  EXPECT_THAT(check_evidence(records[1], folder.path()), ElementsAre(HasSubstr("cannot be read")));
}

TEST_F(StoredEvidence, ARecordThatNamesNoFilesHasNoFrames) {
  RequestRecord record = records[1];
  record.raw.reset();
  record.arrivals.reset();
  EXPECT_THAT(check_evidence(record, folder.path()), testing::Contains(HasSubstr("the number of frames")));
}

}  // namespace
}  // namespace profdb::serving
