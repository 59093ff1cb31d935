// Completions as server-sent events.
#include "tests/support/completion_script.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace profdb::test {
namespace {

using Json = nlohmann::ordered_json;

HttpResponse refusal(int status, const std::string& message) {
  HttpResponse response;
  response.status = status;
  response.content_type = "application/json";
  response.pieces.push_back({Json{{"error", {{"message", message}, {"code", status}}}}.dump(), {}});
  return response;
}

// Frames, in the script's manner.
class Stream {
 public:
  explicit Stream(const CompletionScript& script) : script_(script) {}

  void frame(const std::string& data) {
    std::string text = script_.comments ? ": synthetic" + script_.line_end + script_.line_end : "";
    text += "data: " + data + script_.line_end + script_.line_end;
    add(text, frames_++ == 0 ? script_.first_pause : script_.frame_pause);
  }

  // Bytes as they are.
  void add(const std::string& text, std::chrono::microseconds pause) {
    const std::size_t size = script_.split == 0 ? text.size() : script_.split;
    for (std::size_t at = 0; at < text.size(); at += size)
      pieces_.push_back({text.substr(at, size), at == 0 ? pause : std::chrono::microseconds{0}});
  }

  std::vector<Piece> pieces() { return std::move(pieces_); }

 private:
  const CompletionScript& script_;
  std::vector<Piece> pieces_;
  std::int64_t frames_ = 0;
};

// Ids that depend on the prompt alone: as a service at temperature 0 would give them.
std::vector<std::int64_t> generate(const Json& prompt, std::int64_t count) {
  std::int64_t seed = 0;
  for (const Json& id : prompt) seed = (seed * 31 + id.get<std::int64_t>()) % 50000;
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < count; ++i) ids.push_back((seed + 7 * i) % 50000);
  return ids;
}

std::string token_frame(const std::vector<std::int64_t>& ids, bool last) {
  return Json{{"id", "cmpl-synthetic"},
              {"object", "text_completion"},
              {"choices", Json::array({{{"index", 0},
                                        {"text", ""},
                                        {"logprobs", nullptr},
                                        {"finish_reason", last ? Json("length") : Json(nullptr)},
                                        {"token_ids", ids}}})},
              {"usage", nullptr}}
      .dump();
}

std::string usage_frame(std::int64_t prompt, std::int64_t completion, const CompletionScript& script) {
  Json usage = {{"prompt_tokens", prompt - (script.fault == Fault::prompt_mismatch ? 1 : 0)},
                {"completion_tokens", completion + (script.fault == Fault::usage_mismatch ? 1 : 0)},
                {"total_tokens", prompt + completion}};
  if (script.cached_tokens) usage["prompt_tokens_details"] = {{"cached_tokens", *script.cached_tokens}};
  return Json{{"id", "cmpl-synthetic"}, {"choices", Json::array()}, {"usage", usage}}.dump();
}

// Adds the token frames; false where the fault ends the stream among them.
bool add_tokens(Stream& stream, const std::vector<std::int64_t>& ids, const CompletionScript& script) {
  const std::int64_t count = static_cast<std::int64_t>(ids.size());
  bool faulty = false;
  for (std::int64_t at = 0; at < count; at += script.ids_per_frame) {
    const std::int64_t end = std::min(count, at + script.ids_per_frame);
    if (!faulty && 2 * end >= count) {
      faulty = true;
      if (script.fault == Fault::hang_in_stream) return false;
      if (script.fault == Fault::malformed_frame) stream.frame("{\"choices\": [");
      if (script.fault == Fault::cut_connection) {
        stream.add("data: {\"choices\"", script.frame_pause);
        return false;
      }
      if (script.fault == Fault::stream_error) {
        stream.frame(R"({"error": {"message": "synthetic failure", "code": 500}})");
        stream.frame("[DONE]");
        return false;
      }
    }
    stream.frame(token_frame({ids.begin() + at, ids.begin() + end}, end == count));
  }
  return true;
}

HttpResponse stream_completion(const Json& body, const CompletionScript& script) {
  HttpResponse response;
  if (script.fault == Fault::no_first_token || script.fault == Fault::hang_in_stream)
    response.end = HttpResponse::End::hang;
  if (script.fault == Fault::cut_connection) response.end = HttpResponse::End::cut;
  if (script.fault == Fault::no_first_token) return response;
  const std::int64_t asked = body["max_tokens"].get<std::int64_t>();
  const std::int64_t count = asked + (script.fault == Fault::token_too_many ? 1 : 0) -
                             (script.fault == Fault::token_missing ? 1 : 0);
  Stream stream(script);
  if (add_tokens(stream, generate(body["prompt"], count), script)) {
    if (script.fault != Fault::usage_missing)
      stream.frame(usage_frame(static_cast<std::int64_t>(body["prompt"].size()), count, script));
    if (script.fault != Fault::missing_done) stream.frame("[DONE]");
  }
  response.pieces = stream.pieces();
  return response;
}

HttpResponse whole_completion(const Json& body) {
  HttpResponse response;
  response.content_type = "application/json";
  const std::int64_t prompt =
      body["prompt"].is_array() ? static_cast<std::int64_t>(body["prompt"].size()) : 1;
  const Json answer = {
      {"choices", Json::array({{{"index", 0}, {"text", "synthetic"}, {"finish_reason", "stop"}}})},
      {"usage", {{"prompt_tokens", prompt}, {"completion_tokens", 1}}}};
  response.pieces.push_back({answer.dump(), {}});
  return response;
}

}  // namespace

HttpResponse complete(const HttpRequest& request, const CompletionScript& script) {
  if (request.method != "POST" || request.path != "/v1/completions")
    return refusal(404, "no such path: " + request.path);
  const Json body = Json::parse(request.body, nullptr, false);
  if (!body.is_object() || !body.contains("prompt")) return refusal(400, "the body has no prompt");
  if (!body.value("stream", false)) return whole_completion(body);
  if (!body["prompt"].is_array() || !body.contains("max_tokens"))
    return refusal(400, "the prompt is no list of token ids, or max_tokens is missing");
  if (script.fault == Fault::http_error) return refusal(500, "synthetic failure");
  return stream_completion(body, script);
}

}  // namespace profdb::test
