// Reading a protocol.
#include "serving/documents/protocol.h"

#include <algorithm>

#include "base/fields.h"

namespace profdb::serving {

namespace {

AccuracyProtocol parse_accuracy(Fields fields) {
  AccuracyProtocol accuracy;
  accuracy.dataset = fields.text("dataset");
  accuracy.dataset_revision = fields.text("dataset_revision");
  accuracy.scorer = fields.text("scorer");
  accuracy.scorer_revision = fields.text("scorer_revision");
  accuracy.prompt = fields.text("prompt");
  accuracy.questions = fields.integer("questions", 1);
  accuracy.sample = fields.integer("sample", 1);
  accuracy.seed = fields.integer("seed", 0);
  accuracy.selection_sha256 = fields.sha256("selection_sha256");
  accuracy.correct_at_least = fields.integer("correct_at_least", 0);
  accuracy.concurrency = fields.integer("concurrency", 1);
  accuracy.warmup_requests = fields.integer("warmup_requests", 0);
  accuracy.max_output_tokens = fields.integer("max_output_tokens", 1);
  accuracy.settings = fields.object("settings").all();
  if (accuracy.sample > accuracy.questions) fields.fail("sample", "is more than 'questions'; lower it");
  if (accuracy.correct_at_least > accuracy.sample)
    fields.fail("correct_at_least", "is more than 'sample'; lower it");
  fields.done();
  return accuracy;
}

void parse_levels(Fields& fields, Protocol& protocol) {
  protocol.levels = fields.integers("levels", 1);
  const auto& levels = protocol.levels;
  if (levels.empty()) fields.fail("levels", "names no level; list the concurrencies, rising");
  if (std::adjacent_find(levels.begin(), levels.end(), std::greater_equal<>()) != levels.end())
    fields.fail("levels", "is not strictly rising; list each concurrency once, rising");
}

void parse_request(Fields request, Protocol& protocol) {
  protocol.path = request.text("path");
  protocol.body = request.object("body").all();
  request.done();
}

}  // namespace

bool Protocol::has_level(std::int64_t level) const {
  return std::find(levels.begin(), levels.end(), level) != levels.end();
}

Protocol parse_protocol(const nlohmann::ordered_json& document) {
  Fields fields(document);
  Protocol protocol;
  fields.one_of("format", {"profdb-serving-protocol/1"});
  protocol.name = fields.text("name");
  protocol.version = fields.text("version");
  parse_levels(fields, protocol);
  protocol.input_tokens = fields.integer("input_tokens", 1);
  protocol.warmup_output_tokens = fields.integer("warmup_output_tokens", 1);
  protocol.measured_output_tokens = fields.integer("measured_output_tokens", 2);  // TPOT divides by one less
  protocol.limit_ms_per_token = fields.number("limit_ms_per_token");
  protocol.threshold_floor = fields.number("threshold_floor");
  Fields rank = fields.object("rank");
  protocol.rank_header = rank.text("header");
  protocol.rank_modulus = rank.integer("modulus", 1);
  rank.done();
  parse_request(fields.object("request"), protocol);
  protocol.http_timeout_s = fields.number("http_timeout_s");
  protocol.barrier_timeout_s = fields.number("barrier_timeout_s");
  protocol.barrier_spread_ms = fields.number("barrier_spread_ms");
  protocol.accuracy = parse_accuracy(fields.object("accuracy"));
  fields.done();
  return protocol;
}

}  // namespace profdb::serving
