// A small HTTP/1.1 server on the loopback interface: answers each request with a script of pieces and pauses.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace profdb::test {

struct HttpRequest {
  std::string method;
  std::string path;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case, in order
  std::string body;
  std::uint64_t connection = 0;  // counts connections, from 1

  std::string header(std::string_view lower_case_name) const;  // empty where it was not sent
};

// A part of a response's body, written at once.
struct Piece {
  std::string bytes;
  std::chrono::microseconds pause{0};  // before it
};

struct HttpResponse {
  enum class End {
    complete,  // as HTTP wants it
    cut,       // the connection is closed before the body is complete
    hang,      // nothing more comes, and the connection stays open
  };
  int status = 200;
  std::string content_type = "text/event-stream";
  std::vector<Piece> pieces;  // each one a chunk
  End end = End::complete;
};

// Serves until it is destroyed; every connection has a thread. The handler is called from these threads, also
// at the same time. All members may be called from any thread.
class StreamingServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  // Listens on a free port. Throws std::runtime_error where it cannot.
  explicit StreamingServer(Handler handler);
  ~StreamingServer();
  StreamingServer(const StreamingServer&) = delete;
  StreamingServer& operator=(const StreamingServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url() const;  // without a path: "http://127.0.0.1:PORT"
  // In the order in which they were complete.
  std::vector<HttpRequest> requests() const;

 private:
  struct Connection {
    int socket = -1;
    std::thread thread;
  };

  void accept_all();
  void serve(int socket, std::uint64_t number);
  void respond(int socket, const HttpResponse& response);
  bool pause(std::chrono::microseconds time);  // false: the server ends
  void wait_for_the_end(int socket);

  Handler handler_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::thread acceptor_;
  mutable std::mutex mutex_;
  std::condition_variable ending_;
  bool ends_ = false;
  std::list<Connection> connections_;
  std::vector<HttpRequest> requests_;
};

// A port of the loopback interface that nobody listens on.
std::uint16_t unused_port();

}  // namespace profdb::test
