// What a streamed completion says, read from the bytes of its body and the times at which they arrived: the
// one way from raw bytes to the numbers of a request record, for the client as for whoever checks a record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profdb::serving {

// One read from the connection.
struct Arrival {
  std::int64_t t_ns = 0;  // when it returned, on the client's monotonic clock
  std::uint64_t end = 0;  // bytes of the body that had arrived by then, its own included

  bool operator==(const Arrival&) const = default;
};

// A frame that holds generated token ids.
struct CompletionFrame {
  std::int64_t t_ns = 0;                // of the read that brought the end of its blank line
  std::uint64_t end_byte = 0;           // bytes of the body up to that end
  std::vector<std::int64_t> token_ids;  // one or more; never those of the prompt

  bool operator==(const CompletionFrame&) const = default;
};

// What the server counted; nothing where it did not say.
struct CompletionUsage {
  std::optional<std::int64_t> prompt_tokens;
  std::optional<std::int64_t> completion_tokens;
  std::optional<std::int64_t> cached_tokens;  // of prompt_tokens_details

  bool operator==(const CompletionUsage&) const = default;
};

// What is wrong with a stream: the first trouble decides.
enum class StreamTrouble {
  none,
  malformed,     // a frame that is no JSON object, holds what a completion does not, or was cut off
  server_error,  // the server reports an error inside the stream
  missing_done,  // the body ends without [DONE]
};

struct Completion {
  std::vector<CompletionFrame> frames;
  CompletionUsage usage;      // the last that was reported
  std::string finish_reason;  // the last that was given; empty where none was
  bool done = false;          // [DONE] has arrived
  StreamTrouble trouble = StreamTrouble::none;
  std::string message;  // what the trouble is, and in which frame

  std::int64_t output_tokens() const;
  // When the first frame had arrived.
  std::optional<std::int64_t> first_token_ns() const;

  bool operator==(const Completion&) const = default;
};

// Reads a whole body (acceptance-protocol §1, §2). `arrivals` are in order and cover it: Error(input) where
// they do not. Everything that the body itself does wrong is in the result; what is right in it is kept.
Completion read_completion(std::string_view body, const std::vector<Arrival>& arrivals);

}  // namespace profdb::serving
