// Writing request records, and reading them fast: a round has megabytes of frames.
#include "serving/documents/request_record.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>

#include "base/fields.h"

namespace profdb::serving {

using nlohmann::ordered_json;
namespace dom = simdjson::dom;

namespace {

constexpr std::array<Phase, 3> kPhases = {Phase::warmup, Phase::measured, Phase::probe};
constexpr std::array<Status, 6> kStatuses = {Status::ok,      Status::http_error, Status::connection_error,
                                             Status::timeout, Status::malformed,  Status::stream_error};

std::string place(const std::string& pointer, std::string_view key) {
  return fmt::format("{}/{}", pointer, key);
}

// The members of one JSON object. Required members throw FieldError where they are absent.
class Members {
 public:
  Members(const dom::element& element, std::string pointer) : pointer_(std::move(pointer)) {
    if (element.get(object_) != simdjson::SUCCESS) throw FieldError(pointer_, "is no JSON object; write one");
  }

  bool find(std::string_view key, dom::element& value) {
    if (object_.at_key(key).get(value) != simdjson::SUCCESS) return false;
    ++read_;
    return !value.is_null();
  }
  dom::element require(std::string_view key) {
    dom::element value;
    if (!find(key, value)) throw FieldError(place(pointer_, key), "is missing; add it");
    return value;
  }
  std::string text(std::string_view key, bool may_be_absent = false) {
    dom::element value;
    if (!find(key, value)) {
      if (may_be_absent) return "";
      throw FieldError(place(pointer_, key), "is missing; add it");
    }
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) throw FieldError(place(pointer_, key), "is no text; write one");
    return std::string(text);
  }
  std::int64_t integer(std::string_view key) { return to_integer(require(key), key); }
  std::optional<std::int64_t> optional_integer(std::string_view key) {
    dom::element value;
    if (!find(key, value)) return std::nullopt;
    return to_integer(value, key);
  }
  bool boolean(std::string_view key) {
    bool value = false;
    if (require(key).get(value) != simdjson::SUCCESS)
      throw FieldError(place(pointer_, key), "is neither true nor false; write one of them");
    return value;
  }
  dom::array array(std::string_view key) {
    dom::array value;
    if (require(key).get(value) != simdjson::SUCCESS)
      throw FieldError(place(pointer_, key), "is no list; write one");
    return value;
  }
  std::int64_t to_integer(const dom::element& value, std::string_view key) const {
    std::int64_t number = 0;
    if (value.get(number) != simdjson::SUCCESS)
      throw FieldError(place(pointer_, key), "is no whole number of 64 bits; write one");
    return number;
  }
  // Throws where a member was not asked for, or stands twice.
  void done(std::initializer_list<std::string_view> known) const {
    if (read_ == object_.size()) return;
    for (const auto& member : object_) {
      if (std::find(known.begin(), known.end(), member.key) == known.end())
        throw FieldError(place(pointer_, member.key),
                         "is no field of a request record; correct its name or remove it");
    }
    throw FieldError(pointer_, "has a field that stands twice; keep one of them");
  }
  const std::string& pointer() const { return pointer_; }

 private:
  dom::object object_;
  std::string pointer_;
  std::size_t read_ = 0;
};

template <class Enum, std::size_t N>
Enum named(const std::array<Enum, N>& all, const std::string& name, const char* key) {
  for (const Enum value : all)
    if (name == to_string(value)) return value;
  throw FieldError(fmt::format("/{}", key), fmt::format("is '{}', which is none; see the schema", name));
}

std::optional<FileRef> read_file_ref(Members& record, std::string_view key) {
  dom::element value;
  if (!record.find(key, value)) return std::nullopt;
  Members members(value, place(record.pointer(), key));
  FileRef file;
  file.path = members.text("path");
  file.sha256 = members.text("sha256");
  file.bytes = members.integer("bytes");
  members.done({"path", "sha256", "bytes"});
  if (!is_sha256(file.sha256))
    throw FieldError(place(members.pointer(), "sha256"), "is no SHA-256; write 64 lower-case hex digits");
  return file;
}

std::vector<Frame> read_frames(const dom::array& list) {
  std::vector<Frame> frames;
  frames.reserve(list.size());
  for (const dom::element& element : list) {
    Members members(element, "/frames");
    Frame& frame = frames.emplace_back();
    frame.t_ns = members.integer("t_ns");
    frame.end_byte = members.integer("end_byte");
    const dom::array ids = members.array("token_ids");
    frame.token_ids.reserve(ids.size());
    for (const dom::element& id : ids) frame.token_ids.push_back(members.to_integer(id, "token_ids"));
    members.done({"t_ns", "end_byte", "token_ids"});
  }
  return frames;
}

std::vector<std::pair<std::string, std::string>> read_headers(const dom::array& list) {
  std::vector<std::pair<std::string, std::string>> headers;
  for (const dom::element& element : list) {
    dom::array pair;
    std::string_view name;
    std::string_view value;
    if (element.get(pair) != simdjson::SUCCESS || pair.size() != 2 ||
        pair.at(0).get(name) != simdjson::SUCCESS || pair.at(1).get(value) != simdjson::SUCCESS)
      throw FieldError("/headers", "holds something else than [name, value]; write pairs of texts");
    headers.emplace_back(name, value);
  }
  return headers;
}

std::optional<Usage> read_usage(Members& record) {
  dom::element value;
  if (!record.find("usage", value)) return std::nullopt;
  Members members(value, "/usage");
  Usage usage;
  usage.prompt_tokens = members.integer("prompt_tokens");
  usage.completion_tokens = members.integer("completion_tokens");
  members.done({"prompt_tokens", "completion_tokens"});
  return usage;
}

ordered_json to_json(const FileRef& file) {
  return {{"path", file.path}, {"sha256", file.sha256}, {"bytes", file.bytes}};
}

ordered_json to_json(const std::vector<Frame>& frames) {
  auto list = ordered_json::array();
  for (const Frame& frame : frames)
    list.push_back({{"t_ns", frame.t_ns}, {"end_byte", frame.end_byte}, {"token_ids", frame.token_ids}});
  return list;
}

RequestRecord read_record(const dom::element& root) {
  Members members(root, "");
  RequestRecord record;
  if (members.text("format") != "profdb-request-record/1")
    throw FieldError("/format", "is not 'profdb-request-record/1'; this profdb reads no other");
  record.round = members.text("round");
  record.run = members.text("run");
  record.service = members.text("service");
  record.level = members.integer("level");
  record.phase = named(kPhases, members.text("phase"), "phase");
  record.slot = members.integer("slot");
  record.attempt = members.integer("attempt");
  record.rank_header = members.text("rank_header", true);
  record.cache_salt = members.text("cache_salt", true);
  record.prompt_sha256 = members.text("prompt_sha256");
  record.prompt_tokens = members.integer("prompt_tokens");
  record.path = members.text("path");
  record.headers = read_headers(members.array("headers"));
  record.body = ordered_json::parse(simdjson::minify(members.require("body")));
  record.body_sha256 = members.text("body_sha256");
  record.clock_id = members.text("clock_id");
  record.start_utc = members.text("start_utc");
  record.start_ns = members.integer("start_ns");
  record.frames = read_frames(members.array("frames"));
  record.end_ns = members.integer("end_ns");
  record.done = members.boolean("done");
  record.usage = read_usage(members);
  record.cached_tokens = members.optional_integer("cached_tokens");
  record.http_status = members.integer("http_status");
  record.status = named(kStatuses, members.text("status"), "status");
  record.error = members.text("error", true);
  record.raw = read_file_ref(members, "raw");
  record.arrivals = read_file_ref(members, "arrivals");
  members.done({"format",      "round",   "run",         "service",     "level",         "phase",
                "slot",        "attempt", "rank_header", "cache_salt",  "prompt_sha256", "prompt_tokens",
                "path",        "headers", "body",        "body_sha256", "clock_id",      "start_utc",
                "start_ns",    "frames",  "end_ns",      "done",        "usage",         "cached_tokens",
                "http_status", "status",  "error",       "raw",         "arrivals"});
  return record;
}

}  // namespace

const char* to_string(Phase phase) {
  switch (phase) {
    case Phase::warmup:
      return "warmup";
    case Phase::measured:
      return "measured";
    case Phase::probe:
      return "probe";
  }
  return "";
}

const char* to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::http_error:
      return "http_error";
    case Status::connection_error:
      return "connection_error";
    case Status::timeout:
      return "timeout";
    case Status::malformed:
      return "malformed";
    case Status::stream_error:
      return "stream_error";
  }
  return "";
}

std::int64_t RequestRecord::output_tokens() const {
  std::size_t count = 0;
  for (const Frame& frame : frames) count += frame.token_ids.size();
  return static_cast<std::int64_t>(count);
}

ordered_json to_json(const RequestRecord& record) {
  ordered_json json = {{"format", "profdb-request-record/1"},
                       {"round", record.round},
                       {"run", record.run},
                       {"service", record.service},
                       {"level", record.level},
                       {"phase", to_string(record.phase)},
                       {"slot", record.slot},
                       {"attempt", record.attempt}};
  if (!record.rank_header.empty()) json["rank_header"] = record.rank_header;
  if (!record.cache_salt.empty()) json["cache_salt"] = record.cache_salt;
  json["prompt_sha256"] = record.prompt_sha256;
  json["prompt_tokens"] = record.prompt_tokens;
  json["path"] = record.path;
  auto& headers = json["headers"] = ordered_json::array();
  for (const auto& [name, value] : record.headers) headers.push_back(ordered_json::array({name, value}));
  json["body"] = record.body;
  json["body_sha256"] = record.body_sha256;
  json["clock_id"] = record.clock_id;
  json["start_utc"] = record.start_utc;
  json["start_ns"] = record.start_ns;
  json["frames"] = to_json(record.frames);
  json["end_ns"] = record.end_ns;
  json["done"] = record.done;
  if (record.usage)
    json["usage"] = {{"prompt_tokens", record.usage->prompt_tokens},
                     {"completion_tokens", record.usage->completion_tokens}};
  if (record.cached_tokens) json["cached_tokens"] = *record.cached_tokens;
  json["http_status"] = record.http_status;
  json["status"] = to_string(record.status);
  if (!record.error.empty()) json["error"] = record.error;
  if (record.raw) json["raw"] = to_json(*record.raw);
  if (record.arrivals) json["arrivals"] = to_json(*record.arrivals);
  return json;
}

struct RequestRecordParser::Impl {
  dom::parser parser;
};

RequestRecordParser::RequestRecordParser() : impl_(std::make_unique<Impl>()) {}
RequestRecordParser::~RequestRecordParser() = default;

RequestRecord RequestRecordParser::parse(std::string_view line) {
  dom::element root;
  const auto error = impl_->parser.parse(line.data(), line.size()).get(root);
  if (error != simdjson::SUCCESS)
    throw FieldError("", fmt::format("is not valid JSON ({}); correct or remove the line",
                                     simdjson::error_message(error)));
  return read_record(root);
}

RequestRecord parse_request_record(std::string_view line) {
  return RequestRecordParser().parse(line);
}

}  // namespace profdb::serving
