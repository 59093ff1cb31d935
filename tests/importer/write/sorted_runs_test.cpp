// Sorting records in bounded memory (importer/write/sorted_runs.h).
#include "importer/write/sorted_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

namespace profdb::importer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Records = std::vector<std::string>;

Records drained(SortedRuns& runs) {
  Records records;
  runs.drain([&](std::string_view record) { records.emplace_back(record); });
  return records;
}

// Of very different sizes, empty ones and repeated ones among them, with a long common prefix in some.
Records random_records(std::size_t count) {
  std::mt19937 random(7);
  Records records;
  for (std::size_t i = 0; i < count; ++i) {
    std::string record(random() % 3 == 0 ? 12 : 0, 'p');
    const std::size_t size = random() % 40;
    for (std::size_t j = 0; j < size; ++j) record += static_cast<char>(random() % 256);
    records.push_back(record);
    if (i % 10 == 0) records.push_back(record);
  }
  return records;
}

TEST(SortedRuns, NothingComesOutOfNothing) {
  SortedRuns runs(1024);
  EXPECT_THAT(drained(runs), IsEmpty());
}

TEST(SortedRuns, RecordsComeAsUnsignedBytes) {
  SortedRuns runs(1024);
  for (const char* record : {"b", "\xFF", "ab", "", "a"}) runs.add(record);
  EXPECT_THAT(drained(runs), ElementsAre("", "a", "ab", "b", "\xFF"));
}

TEST(SortedRuns, ManyRunsComeAsOneOrder) {
  const Records records = random_records(20'000);
  Records expected = records;
  // std::string compares as memcmp does.
  std::sort(expected.begin(), expected.end());
  for (const std::size_t memory : {std::size_t{1000}, std::size_t{20'000}, std::size_t{64} * 1024 * 1024}) {
    SortedRuns runs(memory);
    for (const std::string& record : records) runs.add(record);
    EXPECT_EQ(drained(runs), expected) << memory;
  }
}

TEST(SortedRuns, ARecordMayBeLargerThanTheMemory) {
  SortedRuns runs(1000);
  const std::string large(300'000, 'm');
  for (const std::string& record : {std::string("z"), large, std::string("a"), large}) runs.add(record);
  EXPECT_THAT(drained(runs), ElementsAre("a", large, large, "z"));
}

TEST(SortedRuns, AreEmptyAfterwardsAndCanBeFilledAgain) {
  SortedRuns runs(100);
  for (int round = 0; round < 2; ++round) {
    for (int i = 9; i >= 0; --i) runs.add("record " + std::to_string(i) + " of a round");
    const Records records = drained(runs);
    ASSERT_EQ(records.size(), 10U);
    EXPECT_TRUE(std::is_sorted(records.begin(), records.end()));
  }
  EXPECT_THAT(drained(runs), IsEmpty());
}

TEST(SortedRuns, WhatTheUserThrowsPasses) {
  SortedRuns runs(100);
  for (int i = 0; i < 100; ++i) runs.add("record " + std::to_string(i));
  EXPECT_THROW(runs.drain([](std::string_view) { throw std::runtime_error("enough"); }), std::runtime_error);
}

}  // namespace
}  // namespace profdb::importer
