// From frames to token ids, usage and trouble.
#include "serving/stream/completion_stream.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "profdb/error.h"
#include "serving/stream/sse_parser.h"

namespace profdb::serving {
namespace {

using Json = nlohmann::json;

// What a frame holds is not a completion.
struct Malformed {
  std::string what;
};

const Json* member(const Json& object, const char* name) {
  const auto it = object.find(name);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

const Json* object_member(const Json& object, const char* name) {
  const Json* value = member(object, name);
  if (value != nullptr && !value->is_object()) throw Malformed{fmt::format("'{}' is not an object", name)};
  return value;
}

// A count or an id: an integer from 0 on that fits 63 bits.
std::int64_t natural(const Json& value, std::string_view name) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > INT64_MAX)
    throw Malformed{fmt::format("'{}' is not an integer from 0 on", name)};
  return value.get<std::int64_t>();
}

std::optional<std::int64_t> count(const Json& object, const char* name) {
  const Json* value = member(object, name);
  if (value == nullptr) return std::nullopt;
  return natural(*value, name);
}

CompletionUsage read_usage(const Json& usage) {
  CompletionUsage result;
  result.prompt_tokens = count(usage, "prompt_tokens");
  result.completion_tokens = count(usage, "completion_tokens");
  if (const Json* details = object_member(usage, "prompt_tokens_details"))
    result.cached_tokens = count(*details, "cached_tokens");
  return result;
}

std::string error_text(const Json& error) {
  if (error.is_string()) return error.get<std::string>();
  const Json* message = error.is_object() ? member(error, "message") : nullptr;
  return message != nullptr && message->is_string()
             ? message->get<std::string>()
             : error.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Reads the frames of one body, one after another.
class Reader {
 public:
  void take(const SseFrame& frame, std::int64_t t_ns) {
    ++number_;
    if (result_.done) {
      trouble(StreamTrouble::malformed, "data after [DONE]");
    } else if (frame.data == "[DONE]") {
      result_.done = true;
    } else {
      take_json(frame, t_ns);
    }
  }

  Completion finish(bool complete) {
    if (!complete) {
      ++number_;
      trouble(StreamTrouble::malformed, "the body ends inside of it");
    }
    if (!result_.done && result_.trouble == StreamTrouble::none) {
      result_.trouble = StreamTrouble::missing_done;
      result_.message = fmt::format("the body ends without [DONE] after {} frames", number_);
    }
    return std::move(result_);
  }

 private:
  void trouble(StreamTrouble kind, std::string_view what) {
    if (result_.trouble != StreamTrouble::none) return;
    result_.trouble = kind;
    result_.message = fmt::format("frame {}: {}", number_, what);
  }

  void take_json(const SseFrame& frame, std::int64_t t_ns) {
    const Json json = Json::parse(frame.data, nullptr, false);
    if (!json.is_object()) {
      trouble(frame.event == "error" ? StreamTrouble::server_error : StreamTrouble::malformed,
              frame.event == "error" ? frame.data : "its data is no JSON object");
      return;
    }
    try {
      take_choices(json, {t_ns, frame.end_offset, {}});
      if (const Json* usage = object_member(json, "usage")) result_.usage = read_usage(*usage);
      const Json* error = member(json, "error");
      if (error != nullptr || frame.event == "error")
        trouble(StreamTrouble::server_error, error_text(error != nullptr ? *error : json));
    } catch (const Malformed& e) {
      trouble(StreamTrouble::malformed, e.what);
    }
  }

  void take_choices(const Json& json, CompletionFrame frame) {
    const Json* choices = member(json, "choices");
    if (choices == nullptr) return;
    if (!choices->is_array()) throw Malformed{"'choices' is not a list"};
    for (const Json& choice : *choices) take_choice(choice, frame);
    if (!frame.token_ids.empty()) result_.frames.push_back(std::move(frame));
  }

  void take_choice(const Json& choice, CompletionFrame& frame) {
    if (!choice.is_object()) throw Malformed{"a choice is not an object"};
    if (const auto index = count(choice, "index"); index.value_or(0) != 0)
      throw Malformed{fmt::format("choice {}, where one was asked for", *index)};
    if (const Json* reason = member(choice, "finish_reason")) {
      if (!reason->is_string()) throw Malformed{"'finish_reason' is not text"};
      result_.finish_reason = reason->get<std::string>();
    }
    const Json* ids = member(choice, "token_ids");
    if (ids == nullptr) return;
    if (!ids->is_array()) throw Malformed{"'token_ids' is not a list"};
    for (const Json& id : *ids) frame.token_ids.push_back(natural(id, "token_ids"));
  }

  Completion result_;
  std::uint64_t number_ = 0;  // of the frame, from 1
};

void check_arrivals(std::string_view body, const std::vector<Arrival>& arrivals) {
  const Arrival* previous = nullptr;
  for (const Arrival& arrival : arrivals) {
    const bool in_order =
        previous == nullptr ? arrival.end > 0 : arrival.end > previous->end && arrival.t_ns >= previous->t_ns;
    if (!in_order)
      throw Error(
          ErrorKind::input,
          fmt::format("arrival times are out of order at byte {} of the body; use the times that were "
                      "stored with it",
                      arrival.end));
    previous = &arrival;
  }
  const std::uint64_t covered = arrivals.empty() ? 0 : arrivals.back().end;
  if (covered != body.size())
    throw Error(ErrorKind::input,
                fmt::format("arrival times cover {} bytes of a body of {}; use the times that "
                            "were stored with it",
                            covered, body.size()));
}

}  // namespace

std::int64_t Completion::output_tokens() const {
  std::int64_t tokens = 0;
  for (const CompletionFrame& frame : frames) tokens += static_cast<std::int64_t>(frame.token_ids.size());
  return tokens;
}

std::optional<std::int64_t> Completion::first_token_ns() const {
  if (!frames.empty()) return frames.front().t_ns;
  return std::nullopt;
}

Completion read_completion(std::string_view body, const std::vector<Arrival>& arrivals) {
  check_arrivals(body, arrivals);
  SseParser parser;
  Reader reader;
  auto arrival = arrivals.begin();
  const auto take = [&](const SseFrame& frame) {
    while (arrival->end < frame.end_offset) ++arrival;
    reader.take(frame, arrival->t_ns);
  };
  parser.feed(body, take);
  return reader.finish(parser.finish(take));
}

}  // namespace profdb::serving
