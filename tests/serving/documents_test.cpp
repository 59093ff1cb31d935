// acceptance-protocol §1, the documents of a round: what they must say, and how errors name what they do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "serving/archive/templates.h"
#include "serving/documents/request_record.h"
#include "serving/read/document.h"
#include "serving/read/frames_codec.h"
#include "serving/rules/accuracy.h"
#include "tests/serving/round_fixture.h"

namespace profdb::serving {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

RequestRecord a_record() {
  test::TestCandidate candidate = test::make_candidate();
  RequestRecord record = candidate.round.runs[0].records.back();
  record.raw = FileRef{"raw/1", test::sha('1'), 5};
  record.error = "none \"really\"";
  return record;
}

TEST(RequestRecordText, SurvivesWritingAndReading) {
  RequestRecord record = a_record();
  EXPECT_EQ(parse_request_record(to_json(record).dump()), record);
  record.usage.reset();
  record.cached_tokens.reset();
  record.raw.reset();
  record.rank_header.clear();
  record.status = Status::stream_error;
  record.phase = Phase::probe;
  EXPECT_EQ(parse_request_record(to_json(record).dump()), record);
}

TEST(RequestRecordText, ErrorsNameTheField) {
  const auto changed = [](const std::function<void(nlohmann::ordered_json&)>& change) {
    nlohmann::ordered_json json = to_json(a_record());
    change(json);
    const std::string line = json.dump();
    return message_of([&line] { parse_request_record(line); });
  };
  EXPECT_THAT(changed([](auto& j) { j.erase("end_ns"); }), HasSubstr("end_ns is missing"));
  EXPECT_THAT(changed([](auto& j) { j["end_ns"] = 1.5; }), HasSubstr("end_ns is no whole number"));
  EXPECT_THAT(changed([](auto& j) { j["end_ns"] = "5"; }), HasSubstr("end_ns is no whole number"));
  EXPECT_THAT(changed([](auto& j) { j["phase"] = "rest"; }), HasSubstr("phase is 'rest'"));
  EXPECT_THAT(changed([](auto& j) { j["tpot"] = 3; }), HasSubstr("tpot is no field"));
  EXPECT_THAT(changed([](auto& j) { j["frames"][0]["x"] = 3; }), HasSubstr("frames.x is no field"));
  EXPECT_THAT(changed([](auto& j) { j["raw"]["sha256"] = "abc"; }), HasSubstr("raw.sha256 is no SHA-256"));
  EXPECT_THAT(changed([](auto& j) { j["headers"][0] = "x"; }), HasSubstr("headers holds"));
  EXPECT_THAT(message_of([] { parse_request_record("{\"format\": NaN}"); }), HasSubstr("not valid JSON"));
  EXPECT_THAT(message_of([] { parse_request_record("[]"); }), HasSubstr("no JSON object"));
}

TEST(FramesCodec, KeepsEveryValue) {
  const std::vector<Frame> frames = {
      {5, 1, {0, 1, 127, 128, INT64_MAX, -1}}, {4, INT64_MAX, {}}, {INT64_MIN, 0, {7}}};
  for (const std::int64_t start : {std::int64_t{0}, INT64_MAX, INT64_MIN}) {
    const std::string blob = encode_frames(frames, start);
    EXPECT_EQ(decode_frames(blob, start), frames);
  }
  EXPECT_TRUE(decode_frames("", 3).empty());
  EXPECT_THROW(decode_frames("\x80", 3), Error);
  EXPECT_THROW(decode_frames(std::string("\x02\x02\x04", 3), 3),
               Error);  // two ids, none there
}

// The default protocol is the source's.
TEST(DefaultProtocol, SaysWhatTheSourceSays) {
  const Protocol protocol = load_protocol(std::string(PROFDB_SOURCE_DIR) + "/serving/protocols/default.yaml");
  EXPECT_THAT(protocol.levels, ElementsAre(1, 4, 16));
  EXPECT_EQ(protocol.input_tokens, 8192);
  EXPECT_EQ(protocol.warmup_output_tokens, 32);
  EXPECT_EQ(protocol.measured_output_tokens, 1024);
  EXPECT_EQ(protocol.limit_ms_per_token, 25);
  EXPECT_EQ(protocol.threshold_floor, 0.01);
  EXPECT_EQ(protocol.rank_modulus, 4);
  EXPECT_EQ(protocol.http_timeout_s, 1800);
  EXPECT_EQ(protocol.barrier_timeout_s, 60);
  EXPECT_EQ(protocol.accuracy.correct_at_least, 292);
  EXPECT_EQ(protocol.accuracy.concurrency, 32);
  EXPECT_EQ(protocol.body.at("temperature"), 0);
  EXPECT_EQ(protocol.body.at("stream_options").at("include_usage"), true);
}

TEST(Protocol, ErrorsNameFileLineAndField) {
  const auto broken = [](const std::string& from, const std::string& to) {
    std::string text(asset("protocols/default.yaml"));
    text.replace(text.find(from), from.size(), to);
    return message_of([&text] { parse_with(parse_document(text, "p.yaml"), parse_protocol); });
  };
  EXPECT_THAT(broken("levels: [1, 4, 16]", "levels: [4, 1]"),
              testing::MatchesRegex("p.yaml:[0-9]+: levels is not strictly rising.*"));
  EXPECT_THAT(broken("limit_ms_per_token: 25", "limit_ms_per_token: .nan"),
              HasSubstr("limit_ms_per_token is \".nan\""));
  EXPECT_THAT(broken("limit_ms_per_token: 25", "limit_ms_per_token: -1"),
              HasSubstr("limit_ms_per_token is -1"));
  EXPECT_THAT(broken("modulus: 4", "modulus: 0"), HasSubstr("rank.modulus is 0"));
  EXPECT_THAT(broken("sample: 300", "sample: 2000"), HasSubstr("accuracy.sample is more than 'questions'"));
  EXPECT_THAT(broken("input_tokens: 8192", "input_token: 8192"), HasSubstr("input_tokens is missing"));
}

// A RunSpec that keeps every rule; each case breaks one.
struct FreezeCase {
  const char* check;
  std::function<void(RunSpec&)> disturb;
};

TEST(FreezeRules, EachAloneFailsAndIsNamed) {
  const RunSpec good = test::make_candidate().round.spec;
  const Protocol protocol = test::small_protocol();
  ASSERT_THAT(test::failing(check_runspec(good, protocol)), ElementsAre());
  const std::vector<FreezeCase> cases = {
      {"targets", [](RunSpec& s) { s.targets.clear(); }},
      {"targets", [](RunSpec& s) { s.targets = {32}; }},
      {"targets",
       [](RunSpec& s) {
         s.targets = {1, 1};
       }},
      {"parent", [](RunSpec& s) { s.parent.reset(); }},
      {"parent", [](RunSpec& s) { s.direct_parent.clear(); }},
      {"parent", [](RunSpec& s) { s.parent->commit = s.candidate.commit; }},
      {"protocol", [](RunSpec& s) { s.protocol.sha256.clear(); }},
      {"inputs", [](RunSpec& s) { s.inputs[0].sha256 = "abc"; }},
      {"inputs", [](RunSpec& s) { s.inputs[0].name = "other"; }},
      {"tools", [](RunSpec& s) { s.tools.clear(); }},
      {"tools", [](RunSpec& s) { s.tools[0].sha256.clear(); }},
      {"validator", [](RunSpec& s) { s.validator.reset(); }},
      {"validator", [](RunSpec& s) { s.validator->sha256.clear(); }},
      {"knowledge", [](RunSpec& s) { s.knowledge.reset(); }},
      {"knowledge", [](RunSpec& s) { s.knowledge->sha256.clear(); }},
      {"knowledge", [](RunSpec& s) { s.knowledge_outcome = "not_queried"; }},
      {"knowledge", [](RunSpec& s) { s.knowledge_outcome = "failed"; }},
      {"thresholds", [](RunSpec& s) { s.calibration.clear(); }},
      {"thresholds",
       [](RunSpec& s) {
         s.thresholds = {{1, 0.02}, {2, 0.02}};
       }},
      {"thresholds",
       [](RunSpec& s) {
         s.calibration.clear(), s.thresholds = {{1, 0.02}};
       }},
      {"thresholds",
       [](RunSpec& s) {
         s.calibration.clear(), s.thresholds = {{1, 0.02}, {2, 0.009}};
       }},
      {"thresholds",
       [](RunSpec& s) {
         s.calibration.clear(), s.thresholds = {{1, 1.09}, {2, 0.02}};
       }},
      {"references", [](RunSpec& s) { s.references.clear(); }},
      {"references", [](RunSpec& s) { s.references.push_back(s.references[0]); }},
      {"pairs",
       [](RunSpec& s) {
         s.pairs = {{"P1", "C1", true}};
       }},
  };
  std::set<std::string> covered;
  for (const FreezeCase& one : cases) {
    RunSpec spec = good;
    one.disturb(spec);
    const auto checks = check_runspec(spec, protocol);
    EXPECT_THAT(test::failing(checks), ElementsAre(one.check)) << failures(checks);
    covered.insert(one.check);
  }
  std::set<std::string> names;
  for (const Check& check : check_runspec(good, protocol)) names.insert(check.name);
  EXPECT_EQ(covered, names) << "a rule has no case";
}

TEST(FreezeRules, HitsAndNoHitsMayBeFrozen) {
  for (const char* outcome : {"hits", "no_hits"}) {
    RunSpec spec = test::make_candidate().round.spec;
    spec.knowledge_outcome = outcome;
    EXPECT_TRUE(all_ok(check_runspec(spec, test::small_protocol()))) << outcome;
  }
}

// Every template is read as what it is, as far as it is filled in.
TEST(Templates, AreReadOnceTheirDigestsAreFilledIn) {
  const auto filled = [](const char* name) {
    std::string text(asset(std::string("schema/templates/") + name));
    for (const auto& [from, to] :
         {std::pair(std::string("commit: \"\""), std::string("commit: c1")),
          std::pair(std::string("direct_parent: \"\""), std::string("direct_parent: c0")),
          std::pair(std::string("host: \"\""), std::string("host: h1")),
          std::pair(std::string("\"\""), "\"" + test::sha('a') + "\"")})
      for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return parse_document(text, name);
  };
  EXPECT_NO_THROW(parse_with(filled("runspec.yaml"), parse_runspec));
  EXPECT_NO_THROW(parse_with(filled("calibration.yaml"), parse_runspec));
  EXPECT_NO_THROW(parse_with(filled("service.yaml"), parse_service_run));
  EXPECT_NO_THROW(parse_with(filled("stop.yaml"), parse_service_stop));
  EXPECT_NO_THROW(parse_with(filled("accuracy.yaml"), parse_accuracy_run));
  EXPECT_NO_THROW(parse_with(filled("functions.yaml"), parse_functions));
}

}  // namespace
}  // namespace profdb::serving
