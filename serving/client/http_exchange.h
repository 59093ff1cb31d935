// One HTTP/1.1 POST over a new connection, with the time of every read.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "serving/stream/completion_stream.h"

namespace profdb::serving {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct HttpPost {
  std::string url;
  Headers headers;
  std::string body;
  std::chrono::milliseconds timeout{0};  // for all of it, the connection included
};

struct HttpReply {
  enum class End {
    complete,          // the end of the body, as HTTP marks it
    connection_error,  // no connection, or none left before that end
    timeout,
    too_large,  // given up at kMostBytes
  };
  End end = End::connection_error;
  std::string error;              // why it is not complete
  std::int64_t start_utc_ns = 0;  // of start_ns, since 1970
  // On the monotonic clock, as the arrivals:
  std::int64_t start_ns = 0;  // before the connection opens
  std::int64_t end_ns = 0;    // after the end of the body, or when it was given up
  std::int64_t status = 0;    // 0 where there was no response
  Headers headers_sent;       // as they stood on the wire, in order
  std::string body;           // chunked encoding undone
  std::vector<Arrival> arrivals;

  static constexpr std::size_t kMostBytes = std::size_t{256} << 20;
};

// An exchange that is ready to start: everything that can be done before is. It opens its own connection,
// uses no proxy, follows no redirect and does not ask for compression. To be used by one thread at a time.
class HttpExchange {
 public:
  // Throws Error(usage) where libcurl cannot be set up.
  explicit HttpExchange(HttpPost post);
  ~HttpExchange();
  HttpExchange(HttpExchange&& other) noexcept;
  HttpExchange& operator=(HttpExchange&&) = delete;

  // Once. What goes wrong is in the reply.
  HttpReply perform();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace profdb::serving
