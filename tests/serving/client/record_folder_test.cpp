// The evidence folder of a run: appended to, never overwritten, never mixed with another run's.
#include "serving/client/record_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "profdb/error.h"
#include "tests/serving/client/small_round.h"

namespace profdb::serving {
namespace {

using testing::HasSubstr;

const RunIdentity kIdentity = {"r1", "B1", "svc", ""};

RequestRecord sample(std::int64_t level, std::int64_t attempt) {
  return plan_request(test::small_protocol(), kIdentity, {level, Phase::measured, 0, attempt},
                      test::small_pools().measured[0])
      .record;
}

void expect_refusal(const std::filesystem::path& folder, const RunIdentity& identity, const char* message) {
  try {
    const RecordFolder refused(folder, identity);
    ADD_FAILURE() << "not refused: " << message;
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_THAT(e.what(), HasSubstr(message));
    EXPECT_THAT(e.what(), HasSubstr(folder.string()));
  }
}

TEST(RecordFolder, KeepsWhatIsThereAndCountsAttempts) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "new" / "B1";
  {
    RecordFolder records(path, kIdentity);
    EXPECT_EQ(records.next_attempt(2), 1);
    RequestRecord record = sample(2, 1);
    records.add(record, "", {});
    EXPECT_EQ(records.next_attempt(2), 2);
    EXPECT_EQ(records.next_attempt(4), 1);
  }
  {
    RecordFolder records(path, kIdentity);
    EXPECT_EQ(records.next_attempt(2), 2);
    RequestRecord record = sample(2, 2);
    records.add(record, "", {});
  }
  const auto read_back = test::read_records(path / "requests.jsonl");
  ASSERT_EQ(read_back.size(), 2U);
  EXPECT_EQ(read_back[0].attempt, 1);
  EXPECT_EQ(read_back[1].attempt, 2);
}

TEST(RecordFolder, ARecordIsReadAsItWasWritten) {
  const test::TemporaryFolder folder;
  RequestRecord record = sample(2, 1);
  record.error = "not UTF-8: \xFF";
  record.frames = {{5, 10, {1, 2}}};
  {
    RecordFolder records(folder.path(), kIdentity);
    records.add(record, "data: x\n\n", {{5, 9}});
  }
  record.error = "not UTF-8: \xEF\xBF\xBD";
  EXPECT_EQ(test::read_records(folder.path() / "requests.jsonl").at(0), record);
  EXPECT_EQ(record.raw->bytes, 9);
  // From: printf 'data: x\n\n' | sha256sum; printf '5 9\n' | sha256sum
  EXPECT_EQ(record.raw->sha256, "57b071f438354f7b53b090d47e76e64aac99023033174972b06c0f650e367561");
  EXPECT_EQ(record.arrivals->sha256, "66cad223eb4b52b45ee49a6f14a923756f9c308fb0a2f62f02808d1d2491969e");
}

TEST(RecordFolder, AnotherRunsFolderIsRefused) {
  const test::TemporaryFolder folder;
  {
    RecordFolder records(folder.path(), kIdentity);
    RequestRecord record = sample(2, 1);
    records.add(record, "", {});
  }
  expect_refusal(folder.path(), {"r2", "B1", "svc", ""}, "is of round 'r1', run 'B1', service 'svc'");
  expect_refusal(folder.path(), {"r1", "B2", "svc", ""}, "is of round 'r1', run 'B1', service 'svc'");
  expect_refusal(folder.path(), {"r1", "B1", "svc2", ""}, "is of round 'r1', run 'B1', service 'svc'");
}

TEST(RecordFolder, OneRunAtATimeHasIt) {
  const test::TemporaryFolder folder;
  const RecordFolder first(folder.path(), kIdentity);
  expect_refusal(folder.path(), kIdentity, "is in use by another run");
}

TEST(RecordFolder, LinesThatAreNoRecordsAreNamed) {
  const test::TemporaryFolder folder;
  {
    RecordFolder records(folder.path(), kIdentity);
    RequestRecord record = sample(2, 1);
    records.add(record, "", {});
  }
  std::ofstream(folder.path() / "requests.jsonl", std::ios::app) << "{\"format\": \"profdb-requ";
  expect_refusal(folder.path(), kIdentity, "requests.jsonl, line 2");
}

TEST(RecordFolder, APlaceThatCannotBeAFolderIsRefused) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "file";
  std::ofstream(file) << "x";
  expect_refusal(file, kIdentity, "cannot be made");
}

TEST(RecordFolder, RawBytesAreNeverOverwritten) {
  const test::TemporaryFolder folder;
  RecordFolder records(folder.path(), kIdentity);
  RequestRecord record = sample(2, 1);
  records.add(record, "one", {{1, 3}});
  EXPECT_THROW(records.add(record, "two", {{1, 3}}), Error);
  std::ifstream file(folder.path() / record.raw->path);
  std::string bytes;
  std::getline(file, bytes);
  EXPECT_EQ(bytes, "one");
}

}  // namespace
}  // namespace profdb::serving
