// JSON written as text at once: byte for byte what dump() of the value gives, for every member, for strings
// that need escapes or are no UTF-8, and for doubles of every size.
#include "engine/json/json_text.h"
#include "engine/leaf/leaf_json.h"
#include "engine/result/result_json.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace profdb {
namespace {

using nlohmann::ordered_json;

std::string dumped(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}
std::string text_of(const LeafOp& leaf) {
  std::string text;
  append_json(text, leaf);
  return text;
}
void expect_same_text(const Result& result) {
  EXPECT_EQ(to_json_text(result), dumped(to_json(result)));
}

// Strings to be escaped, replaced, or left as they are.
const std::vector<std::string>& odd_strings() {
  static const std::vector<std::string> strings = {
      "",
      "plain",
      R"(a "quoted" \ path/)",
      "\b\t\n\f\r",
      std::string("\0nul", 4),
      "\x01\x1f\x7f",
      "grüße \xe2\x82\xac \xf0\x9f\x99\x82",
      "\xff",
      "a\xc3",                    // cut short
      "\xc0\x80",                 // overlong
      "\xed\xa0\x80",             // a surrogate
      "x\xe2\x82y\xf0\x9f\x80z",  // broken in the middle and near the end
      std::string(5000, 'l'),
      std::string(5000, '"'),
  };
  return strings;
}

const std::vector<double>& odd_doubles() {
  using Limits = std::numeric_limits<double>;
  static const std::vector<double> doubles = {0.0,
                                              -0.0,
                                              1.0,
                                              -1.0,
                                              0.1 + 0.2,
                                              1.0 / 3.0,
                                              515.9875,
                                              1e-4,
                                              1e-5,
                                              1e14,
                                              1e15,
                                              1e16,
                                              1e17,
                                              1e22,
                                              1e23,
                                              5e-324,
                                              Limits::min(),
                                              Limits::max(),
                                              1e100,
                                              1e-99,
                                              2.5e21,
                                              9.5e-10,
                                              123456789.12345678,
                                              9007199254740992.0,
                                              9007199254740994.0,
                                              Limits::infinity(),
                                              -Limits::infinity(),
                                              Limits::quiet_NaN()};
  return doubles;
}

// A hit that has every member there is; `text` stands in each string, and in each key that is not the
// format's.
Result full_hit(const std::string& text) {
  Result result;
  result.source = Source::interpolated;
  result.latency_us = 12.5;
  result.confidence = 0.7;
  result.kernel = result.path = result.method = result.match_rule = text;
  result.dim = 2;
  result.axes = {"M", text};
  result.release = -3;
  Details& details = result.details;
  details.query_mode = details.compute_subcategory = details.note = text;
  details.target_axes = {{"M", 16}, {text, std::numeric_limits<std::int64_t>::min()}};
  details.target_regime = {{"a", text}, {text, std::int64_t{7}}};
  details.regime = {{text, "INT8"}, {"topk", std::int64_t{8}}};
  details.boundary = {{"M", 1, 2.5}, {text, 128, 256}};
  details.candidate_count = 12;
  details.matched_rows = {{{11}, 1, 0, {{"M", 256}, {text, 3}}, 300.0, 0.25},
                          {{12, 15}, 2, 0.04, {}, 500.5, std::nullopt},
                          {{}, 0, 0, {}, 1, 0.0}};
  details.latency_column = details.source_class = details.fallback_from = text;
  details.kernels_attempted = {{text, "outside_boundary"}, {"MatMulV3", text}};
  details.rejected_rows = {{text, 3}, {"ep_size_missing", 2}};
  details.closest_regime = {text, {{"topk", std::int64_t{8}, text}, {text, text, std::int64_t{1}}}, 41};
  details.attempts = {
      {text, "answered", {"M", text}, text, text, 12, 9, {{"M", 1, 4096}, {text, 0.5, 128}}, text},
      {"k", "kernel_not_in_release", {}, "", "", 0, 0, {}, ""},
      {"k", {}, {}, "", "", 0, 0, {}, ""}};
  details.path_fields = {{"ep_size", std::int64_t{16}}, {text, text}};
  details.prior_latency_us = 3;
  return result;
}

LeafOp full_leaf(const std::string& text) {
  LeafOp leaf;
  leaf.op = text;
  const Tensor plain{{4, 5}, "bfloat16", std::nullopt};
  const Tensor odd{{}, text, text};
  leaf.inputs = {{Argument::Kind::absent, "", {}},
                 {Argument::Kind::tensor, "", {}},
                 {Argument::Kind::tensor, text, {odd}},
                 {Argument::Kind::list, text, {plain, plain, plain}},
                 {Argument::Kind::list, "", {plain, odd}},
                 {Argument::Kind::list, "", {plain}},
                 {Argument::Kind::list, "", {}}};
  leaf.outputs = {plain, odd};
  leaf.attrs = {{"text", text}, {"list", {1, 2.5, nullptr, true}}, {"object", {{text, -1}}}};
  leaf.prior_latency_us = 1.5;
  return leaf;
}

TEST(JsonText, OfAResultIsThatOfTheValueWhateverItsStrings) {
  for (const std::string& text : odd_strings()) expect_same_text(full_hit(text));
}

TEST(JsonText, OfAMissIsThatOfTheValueWhateverItsStrings) {
  for (const std::string& text : odd_strings()) {
    Result miss = full_hit(text);
    miss.source = Source::miss;
    miss.reason = text;
    expect_same_text(miss);
  }
}

TEST(JsonText, OfAnEmptyResultIsThatOfTheValue) {
  expect_same_text({});
  Result hit;
  hit.source = Source::measured;
  expect_same_text(hit);
}

TEST(JsonText, WritesDoublesAsTheValueDoes) {
  for (const double number : odd_doubles()) {
    Result result = full_hit("x");
    result.latency_us = result.confidence = number;
    result.details.boundary = {{"M", number, -number}};
    result.details.matched_rows[0].weight = number;
    result.details.matched_rows[1].spread = number;
    result.details.prior_latency_us = number;
    expect_same_text(result);
  }
}

TEST(JsonText, WritesAnyDoubleAsTheValueDoes) {
  std::mt19937_64 random(20240607);
  for (int i = 0; i < 20'000; ++i) {
    const auto number = std::bit_cast<double>(random());
    std::string text;
    JsonText json(text);
    json.value(number);
    json.finish();
    ASSERT_EQ(text, dumped(number)) << std::hexfloat << number;
  }
}

TEST(JsonText, WritesTheLargestIntegers) {
  using Signed = std::numeric_limits<std::int64_t>;
  std::string text;
  JsonText json(text);
  json.begin_array();
  json.value(Signed::min());
  json.value(Signed::max());
  json.value(std::numeric_limits<std::uint64_t>::max());
  json.end_array();
  json.finish();
  EXPECT_EQ(text, "[-9223372036854775808,9223372036854775807,18446744073709551615]");
}

// As by assignment to a member: the first place, the last value.
TEST(JsonText, WritesANameThatStandsTwiceOnce) {
  Result result;
  result.reason = "r";
  result.details.target_axes = {{"M", 1}, {"K", 2}, {"M", 3}, {"N", 4}, {"M", 5}};
  EXPECT_EQ(to_json_text(result),
            R"({"source":"MISS","reason":"r","release":0,"details":{"target_axes":{"M":5,"K":2,"N":4}}})");
  expect_same_text(result);
}

TEST(JsonText, DoesNotLetAPathFieldHideAnotherMember) {
  Result result;
  result.reason = "r";
  result.details.note = "the mapping's";
  result.details.path_fields = {{"note", "a path's"}, {"kept", "first"}, {"kept", "second"}};
  EXPECT_EQ(
      to_json_text(result),
      R"({"source":"MISS","reason":"r","release":0,"details":{"note":"the mapping's","kept":"first"}})");
  expect_same_text(result);
}

TEST(JsonText, OfALeafIsThatOfTheValueWhateverItsStrings) {
  for (const std::string& text : odd_strings()) {
    const LeafOp leaf = full_leaf(text);
    EXPECT_EQ(text_of(leaf), dumped(to_json(leaf)));
  }
}

TEST(JsonText, OfALeafLeavesDefaultsOut) {
  LeafOp leaf;
  leaf.op = "o";
  EXPECT_EQ(text_of(leaf), R"({"op":"o"})");
  leaf.attrs = nullptr;
  leaf.prior_latency_us = -0.0;
  EXPECT_EQ(text_of(leaf), R"({"op":"o","prior":{"latency_us":0.0}})");
}

TEST(JsonText, OfALeafWithManyTensorsIsThatOfTheValue) {
  LeafOp leaf = full_leaf("x");
  leaf.inputs.assign(64, leaf.inputs[4]);
  for (std::int64_t i = 0; i < 500; ++i) leaf.inputs[0].tensors.push_back({{i, i * i}, "int8", std::nullopt});
  EXPECT_EQ(text_of(leaf), dumped(to_json(leaf)));
}

TEST(JsonText, IsAppendedToWhatIsThere) {
  std::string text = "before ";
  append_json(text, NamedValues{{"a", std::int64_t{1}}, {"b", "c"}});
  append_json(text, std::vector<std::string>{"M", "K"});
  append_json(text, NamedValues{});
  EXPECT_EQ(text, R"(before {"a":1,"b":"c"}["M","K"]{})");
}

}  // namespace
}  // namespace profdb
