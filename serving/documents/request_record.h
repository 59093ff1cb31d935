// The request record: what was sent to a service and what came back, one JSON object a line, one record per
// attempt (acceptance-protocol §1). The client writes it; every number of a round is computed from it.
// serving/schema/request_record.schema.json says the same for other programs.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profdb::serving {

enum class Phase { warmup, measured, probe };
const char* to_string(Phase phase);

// One SSE frame of the response that carries generated token ids, or none (usage, DONE, comments are not
// recorded).
struct Frame {
  std::int64_t t_ns = 0;      // when the frame's terminating blank line had arrived
  std::int64_t end_byte = 0;  // offset in the raw response bytes just behind that blank line
  std::vector<std::int64_t> token_ids;
  bool operator==(const Frame&) const = default;
};

struct Usage {
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  bool operator==(const Usage&) const = default;
};

// A file beside the record file; `path` is relative to the record file's folder.
struct FileRef {
  std::string path;
  std::string sha256;
  std::int64_t bytes = 0;
  bool operator==(const FileRef&) const = default;
};

// How an attempt ended. Only `ok` can be valid evidence.
enum class Status {
  ok,                // HTTP 200, the body came to its end
  http_error,        // another HTTP status
  connection_error,  // no connection, or none left before the end of the body
  timeout,           // the protocol's HTTP timeout passed
  malformed,         // a frame that is not what the API says
  stream_error,      // the service reported an error inside the stream
};
const char* to_string(Status status);

// All times are nanoseconds of the monotonic clock `clock_id` ("HOST/BOOT_ID" names one uniquely).
struct RequestRecord {
  std::string round;
  std::string run;      // the role in the round: "B1"
  std::string service;  // service id
  std::int64_t level = 0;
  Phase phase = Phase::measured;
  std::int64_t slot = 0;     // from 0
  std::int64_t attempt = 1;  // of the level as a whole, warm-ups included; from 1

  std::string rank_header;  // the value sent; empty where none was
  std::string cache_salt;
  std::string prompt_sha256;  // of the prompt's token ids as a compact JSON array: "[1,2,3]"
  std::int64_t prompt_tokens = 0;

  std::string path;                                          // "/v1/completions"
  std::vector<std::pair<std::string, std::string>> headers;  // as sent, in order
  nlohmann::ordered_json body;                               // as sent, without its last member "prompt"
  std::string body_sha256;  // of the bytes sent: `body` as compact JSON with "prompt" as its last member

  std::string clock_id;
  std::string start_utc;      // "2026-11-07T12:14:20.123456Z"
  std::int64_t start_ns = 0;  // before the connection opens
  std::vector<Frame> frames;
  std::int64_t end_ns = 0;  // the end of the HTTP body, or when the attempt was given up
  bool done = false;        // the stream's DONE had arrived
  std::optional<Usage> usage;
  std::optional<std::int64_t> cached_tokens;  // absent where the service did not say
  std::int64_t http_status = 0;               // 0 where there was no response
  Status status = Status::ok;
  std::string error;  // why it is not ok
  // The response body's bytes (chunked encoding undone). Absent where nothing arrived.
  std::optional<FileRef> raw;
  // When the raw bytes arrived: lines "T_NS TOTAL_BYTES\n", a line per read, both rising; ties each frame's
  // t_ns to its end_byte: t_ns is that of the first line whose total reaches end_byte.
  std::optional<FileRef> arrivals;

  bool operator==(const RequestRecord&) const = default;
  std::int64_t output_tokens() const;  // generated token ids, counted
};

// One line's object; dump(-1) of it is the line.
nlohmann::ordered_json to_json(const RequestRecord& record);

// Reads one line. Throws FieldError for a line that is no record: not JSON, a field that is missing, unknown
// or of another type. What the record says (negative times, wrong lengths) is for the validity checks to
// judge, not for the parser. Keeps buffers between lines: one reader per thread.
class RequestRecordParser {
 public:
  RequestRecordParser();
  ~RequestRecordParser();
  RequestRecordParser(const RequestRecordParser&) = delete;
  RequestRecordParser& operator=(const RequestRecordParser&) = delete;
  RequestRecord parse(std::string_view line);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

RequestRecord parse_request_record(std::string_view line);

}  // namespace profdb::serving
