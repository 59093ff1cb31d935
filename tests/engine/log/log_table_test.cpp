// What of a lookup becomes a row of the query log: digests of leaves, times.
#include "engine/log/log_table.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace profdb {
namespace {

LeafOp leaf_of(const std::string& op) {
  LeafOp leaf;
  leaf.op = op;
  leaf.inputs = {{Argument::Kind::tensor, "", {{{4, 5}, "bfloat16", std::nullopt}}}};
  return leaf;
}

TEST(LeafDigest, IsTheHashOfTheCanonicalLeafAndTheOptions) {
  // xxhsum -H2 of: {"op":"o"}\n{"release":"","interpolation":true,"padded_match":"last"}
  LeafOp leaf;
  leaf.op = "o";
  EXPECT_EQ(leaf_digest(leaf, {}), "88d88ea950f2c8ba69d7795fda37b835");
}

TEST(LeafDigest, IsKnownAgainForALeafThatIsShared) {
  const EngineOptions options;
  LeafDigests digests(options);
  std::vector<std::shared_ptr<const LeafOp>> leaves;
  leaves.reserve(5000);
  for (int i = 0; i < 5000; ++i) leaves.push_back(std::make_shared<const LeafOp>(leaf_of(std::to_string(i))));
  for (int round = 0; round < 2; ++round) {
    for (const auto& leaf : leaves) {
      auto shared = leaf;
      ASSERT_EQ(digests.of(shared), leaf_digest(*leaf, options));
      ASSERT_EQ(digests.of(shared), leaf_digest(*leaf, options));
    }
  }
}

TEST(LeafDigest, IsNotThatOfAnEarlierLeafAtTheSameAddress) {
  const EngineOptions options;
  LeafDigests digests(options);
  for (int i = 0; i < 5000; ++i) {
    const LeafOp leaf = leaf_of(std::to_string(i));
    const std::vector shared(2, std::make_shared<const LeafOp>(leaf));
    ASSERT_EQ(digests.of(shared[0]), leaf_digest(leaf, options));
  }
}

// Expected times by: date -u -d @SECONDS
TEST(LogTimestamp, IsUtcToTheMicrosecond) {
  Timestamp timestamp;
  const auto text = [&](std::int64_t micros) {
    return timestamp.text(std::chrono::system_clock::time_point(std::chrono::microseconds(micros)));
  };
  EXPECT_EQ(text(1'700'000'000'000'042), "2023-11-14T22:13:20.000042Z");
  EXPECT_EQ(text(1'700'000'000'999'999), "2023-11-14T22:13:20.999999Z");
  EXPECT_EQ(text(1'700'000'001'000'000), "2023-11-14T22:13:21.000000Z");
  EXPECT_EQ(text(951'782'400'100'000), "2000-02-29T00:00:00.100000Z");
  EXPECT_EQ(text(0), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(text(-1), "1969-12-31T23:59:59.999999Z");
}

TEST(LeafDigest, IsTheSameForEqualCallsHoweverWritten) {
  const char* repeated = R"({"inputs":[{"repeat":2,"of":{"dtype":"int8","shape":[4]}}],"op":"o","attrs":{}})";
  const char* listed =
      R"({"op":"o","inputs":[{"list":[{"shape":[4],"dtype":"int8"},{"shape":[4],"dtype":"int8"}]}]})";
  EXPECT_EQ(leaf_digest(parse_leaf_op(repeated), {}), leaf_digest(parse_leaf_op(listed), {}));
}

TEST(LeafDigest, DiffersWithTheLeaf) {
  const std::string digest = leaf_digest(leaf_of("a"), {});
  EXPECT_NE(leaf_digest(leaf_of("b"), {}), digest);
  LeafOp formatted = leaf_of("a");
  formatted.inputs[0].tensors[0].format = "ND";
  EXPECT_NE(leaf_digest(formatted, {}), digest);
}

TEST(LeafDigest, DiffersWithTheOptionsThatChangeAnswersOnly) {
  const LeafOp leaf = leaf_of("o");
  const std::string digest = leaf_digest(leaf, {});
  const auto with = [&](auto set) {
    EngineOptions options;
    set(options);
    return leaf_digest(leaf, options);
  };
  EXPECT_NE(with([](EngineOptions& o) { o.release = "3"; }), digest);
  EXPECT_NE(with([](EngineOptions& o) { o.ep_size = 16; }), digest);
  EXPECT_NE(with([](EngineOptions& o) { o.tp_size = 16; }), with([](EngineOptions& o) { o.ep_size = 16; }));
  EXPECT_NE(with([](EngineOptions& o) { o.interpolation = false; }), digest);
  EXPECT_NE(with([](EngineOptions& o) { o.padded_match = PaddedMatch::before; }), digest);
  EXPECT_NE(with([](EngineOptions& o) { o.padded_match = PaddedMatch::off; }), digest);
  EXPECT_EQ(with([](EngineOptions& o) { o.log = LogMode::all; }), digest);
  EXPECT_EQ(with([](EngineOptions& o) { o.log_db = "log.db"; }), digest);
}

}  // namespace
}  // namespace profdb
