// What a service answers to a completion request, by the book or with one fault: the scripts of the streaming
// server. All tokens are synthetic.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "tests/support/streaming_server.h"

namespace profdb::test {

enum class Fault {
  none,
  http_error,       // status 500 and a JSON error
  missing_done,     // the body is complete, but without [DONE]
  cut_connection,   // in the middle of the body
  stream_error,     // an error in the middle of the stream, then [DONE]
  malformed_frame,  // a frame in the middle that is no JSON
  token_missing,    // one generated id fewer than asked for
  token_too_many,   // one more
  usage_mismatch,   // usage counts one token more than were sent
  prompt_mismatch,  // usage counts one prompt token fewer than were asked
  usage_missing,    // no usage at all
  no_first_token,   // nothing comes
  hang_in_stream,   // nothing comes after half of the tokens
};

struct CompletionScript {
  Fault fault = Fault::none;
  std::int64_t ids_per_frame = 1;
  std::string line_end = "\n";
  bool comments = false;                          // between the frames
  std::size_t split = 0;                          // bytes of a piece; 0: one frame each
  std::optional<std::int64_t> cached_tokens = 0;  // as reported; nothing: not reported
  std::chrono::microseconds first_pause{0};       // before the first frame
  std::chrono::microseconds frame_pause{0};       // before each other one
};

// The answer to a request to /v1/completions, streamed or (where it asks so) whole. Other paths get a 404,
// bodies that are not what acceptance-protocol §8 wants a 400.
HttpResponse complete(const HttpRequest& request, const CompletionScript& script);

}  // namespace profdb::test
