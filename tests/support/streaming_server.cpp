// POSIX sockets, one thread per connection.
#include "tests/support/streaming_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <stdexcept>

namespace profdb::test {
namespace {

// A socket of the loopback interface, bound to a free port.
int bound_socket(std::uint16_t& port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw std::runtime_error("socket failed");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  void* raw = &address;
  if (bind(fd, static_cast<sockaddr*>(raw), size) != 0 ||
      getsockname(fd, static_cast<sockaddr*>(raw), &size) != 0) {
    close(fd);
    throw std::runtime_error("cannot bind a loopback port");
  }
  port = ntohs(address.sin_port);
  return fd;
}

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool receive_more(int socket, std::string& buffer) {
  std::array<char, 16384> chunk{};
  const ssize_t got = recv(socket, chunk.data(), chunk.size(), 0);
  if (got <= 0) return false;
  buffer.append(chunk.data(), static_cast<std::size_t>(got));
  return true;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

HttpRequest parse_head(std::string_view head) {
  HttpRequest request;
  const std::string_view first = head.substr(0, head.find("\r\n"));
  const std::size_t space = first.find(' ');
  request.method = first.substr(0, space);
  request.path = first.substr(space + 1, first.rfind(' ') - space - 1);
  for (std::size_t at = first.size() + 2; at < head.size();) {
    const std::size_t end = head.find("\r\n", at);
    const std::string_view line = head.substr(at, end - at);
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) throw std::runtime_error("a header line without a colon");
    request.headers.emplace_back(lower(std::string(line.substr(0, colon))), line.substr(colon + 2));
    at = end + 2;
  }
  return request;
}

// The next request of a connection; nothing where there is none.
std::optional<HttpRequest> receive_request(int socket, std::string& buffer) {
  std::size_t head = 0;
  while ((head = buffer.find("\r\n\r\n")) == std::string::npos)
    if (!receive_more(socket, buffer)) return std::nullopt;
  HttpRequest request = parse_head(std::string_view(buffer).substr(0, head + 2));
  const std::string length = request.header("content-length");
  const std::size_t end = head + 4 + (length.empty() ? 0 : std::stoul(length));
  while (buffer.size() < end)
    if (!receive_more(socket, buffer)) return std::nullopt;
  request.body = buffer.substr(head + 4, end - head - 4);
  buffer.erase(0, end);
  return request;
}

}  // namespace

std::string HttpRequest::header(std::string_view lower_case_name) const {
  for (const auto& [name, value] : headers)
    if (name == lower_case_name) return value;
  return "";
}

StreamingServer::StreamingServer(Handler handler) : handler_(std::move(handler)) {
  listener_ = bound_socket(port_);
  if (listen(listener_, 64) != 0) {
    close(listener_);
    throw std::runtime_error("listen failed");
  }
  acceptor_ = std::thread([this] { accept_all(); });
}

StreamingServer::~StreamingServer() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
    shutdown(listener_, SHUT_RDWR);
    for (const Connection& connection : connections_) shutdown(connection.socket, SHUT_RDWR);
  }
  ending_.notify_all();
  acceptor_.join();
  for (Connection& connection : connections_) {
    connection.thread.join();
    close(connection.socket);
  }
  close(listener_);
}

std::string StreamingServer::url() const {
  return fmt::format("http://127.0.0.1:{}", port_);
}

std::vector<HttpRequest> StreamingServer::requests() const {
  const std::scoped_lock lock(mutex_);
  return requests_;
}

void StreamingServer::accept_all() {
  for (std::uint64_t number = 1;; ++number) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const std::scoped_lock lock(mutex_);
    if (socket < 0) return;
    if (ends_) {
      close(socket);
      return;
    }
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    // The socket is closed when the server ends, so that its number is nobody else's before.
    connections_.push_back({socket, std::thread([this, socket, number] { serve(socket, number); })});
  }
}

void StreamingServer::serve(int socket, std::uint64_t number) {
  std::string buffer;
  while (std::optional<HttpRequest> request = receive_request(socket, buffer)) {
    request->connection = number;
    const HttpResponse response = handler_(*request);
    {
      const std::scoped_lock lock(mutex_);
      requests_.push_back(std::move(*request));
    }
    respond(socket, response);
    if (response.end != HttpResponse::End::complete) break;
  }
  shutdown(socket, SHUT_RDWR);
}

void StreamingServer::respond(int socket, const HttpResponse& response) {
  if (!send_all(socket,
                fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nTransfer-Encoding: chunked\r\n\r\n",
                            response.status, response.status == 200 ? "OK" : "Error", response.content_type)))
    return;
  for (const Piece& piece : response.pieces) {
    if (!pause(piece.pause)) return;
    if (!send_all(socket, fmt::format("{:x}\r\n{}\r\n", piece.bytes.size(), piece.bytes))) return;
  }
  if (response.end == HttpResponse::End::complete) send_all(socket, "0\r\n\r\n");
  if (response.end == HttpResponse::End::hang) wait_for_the_end(socket);
}

bool StreamingServer::pause(std::chrono::microseconds time) {
  std::unique_lock lock(mutex_);
  if (time.count() > 0) ending_.wait_for(lock, time, [this] { return ends_; });
  return !ends_;
}

// Until the client has gone, or the server ends.
void StreamingServer::wait_for_the_end(int socket) {
  std::string ignored;
  while (receive_more(socket, ignored)) ignored.clear();
}

std::uint16_t unused_port() {
  std::uint16_t port = 0;
  close(bound_socket(port));
  return port;
}

}  // namespace profdb::test
