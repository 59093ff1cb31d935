// libcurl's easy interface.
#include "serving/client/http_exchange.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <array>
#include <new>
#include <string_view>

#include "base/utc.h"
#include "profdb/error.h"

namespace profdb::serving {
namespace {

void initialize_library() {
  static const CURLcode result = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (result != CURLE_OK)
    throw Error(ErrorKind::usage, fmt::format("libcurl cannot start: {}", curl_easy_strerror(result)));
}

// The header lines of a request that was sent.
void parse_headers(std::string_view head, Headers& headers) {
  headers.clear();
  for (std::size_t line = head.find("\r\n"); line != std::string_view::npos;) {
    const std::size_t start = line + 2;
    line = head.find("\r\n", start);
    const std::string_view text = head.substr(start, line - start);
    const std::size_t colon = text.find(':');
    if (line == std::string_view::npos || colon == std::string_view::npos) continue;
    const std::size_t value = text.find_first_not_of(' ', colon + 1);
    headers.emplace_back(text.substr(0, colon), value == std::string_view::npos ? "" : text.substr(value));
  }
}

}  // namespace

struct HttpExchange::State {
  struct FreeHandle {
    void operator()(CURL* held) const { curl_easy_cleanup(held); }
  };
  struct FreeList {
    void operator()(curl_slist* held) const { curl_slist_free_all(held); }
  };

  HttpPost post;
  HttpReply reply;
  std::unique_ptr<CURL, FreeHandle> handle;
  std::unique_ptr<curl_slist, FreeList> header_list;
  std::array<char, CURL_ERROR_SIZE> error{};
  bool too_large = false;

  template <class Value>
  void set(CURLoption option, Value value) {
    if (const CURLcode result = curl_easy_setopt(handle.get(), option, value); result != CURLE_OK)
      throw Error(ErrorKind::usage,
                  fmt::format("{}: libcurl does not take it: {}", post.url, curl_easy_strerror(result)));
  }

  void set_headers();
  void set_up();
  void finish(CURLcode result);

  static std::size_t take_body(char* bytes, std::size_t, std::size_t size, void* state);
  static int take_debug(CURL*, curl_infotype type, char* bytes, std::size_t size, void* state);
};

void HttpExchange::State::set_headers() {
  const auto add = [&](const std::string& line) {
    curl_slist* longer = curl_slist_append(header_list.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    static_cast<void>(header_list.release());
    header_list.reset(longer);
  };
  for (const auto& [name, value] : post.headers) add(fmt::format("{}: {}", name, value));
  add("Expect:");  // the body is sent at once
  set(CURLOPT_HTTPHEADER, header_list.get());
}

void HttpExchange::State::set_up() {
  set(CURLOPT_URL, post.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
  set(CURLOPT_PROXY, "");
  set(CURLOPT_FRESH_CONNECT, 1L);
  set(CURLOPT_FORBID_REUSE, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(post.timeout.count()));
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(post.timeout.count()));
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(post.body.size()));
  set(CURLOPT_POSTFIELDS, post.body.data());
  set(CURLOPT_ERRORBUFFER, error.data());
  set(CURLOPT_WRITEFUNCTION, &take_body);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_DEBUGFUNCTION, &take_debug);
  set(CURLOPT_DEBUGDATA, this);
  set(CURLOPT_VERBOSE, 1L);
  set_headers();
}

// The clock is read before anything else is done with the bytes, and nothing is parsed until all have
// arrived.
std::size_t HttpExchange::State::take_body(char* bytes, std::size_t, std::size_t size, void* state) {
  const std::int64_t now = monotonic_now_ns();
  auto& self = *static_cast<State*>(state);
  if (self.reply.body.size() + size > HttpReply::kMostBytes) {
    self.too_large = true;
    return 0;
  }
  try {
    self.reply.body.append(bytes, size);
    self.reply.arrivals.push_back({now, self.reply.body.size()});
  } catch (const std::bad_alloc&) {
    self.reply.body.resize(self.reply.arrivals.empty() ? 0 : self.reply.arrivals.back().end);
    self.too_large = true;
    return 0;
  }
  return size;
}

int HttpExchange::State::take_debug(CURL*, curl_infotype type, char* bytes, std::size_t size, void* state) {
  if (type != CURLINFO_HEADER_OUT) return 0;
  auto& self = *static_cast<State*>(state);
  try {
    parse_headers({bytes, size}, self.reply.headers_sent);
  } catch (const std::bad_alloc&) {
    self.reply.headers_sent = {};
  }
  return 0;
}

void HttpExchange::State::finish(CURLcode result) {
  long status = 0;
  curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
  reply.status = status;
  if (result == CURLE_OK) {
    reply.end = HttpReply::End::complete;
    return;
  }
  reply.error = error[0] != '\0' ? error.data() : curl_easy_strerror(result);
  if (result == CURLE_OPERATION_TIMEDOUT) {
    reply.end = HttpReply::End::timeout;
  } else if (too_large) {
    reply.end = HttpReply::End::too_large;
    reply.error =
        fmt::format("the response is larger than {} MiB, or than memory allows", HttpReply::kMostBytes >> 20);
  }
}

HttpExchange::HttpExchange(HttpPost post) : state_(std::make_unique<State>()) {
  initialize_library();
  state_->post = std::move(post);
  state_->handle.reset(curl_easy_init());
  if (!state_->handle) throw std::bad_alloc();
  state_->set_up();
  state_->reply.headers_sent = state_->post.headers;
  state_->reply.body.reserve(std::size_t{1} << 20);
  state_->reply.arrivals.reserve(4096);
}

HttpExchange::~HttpExchange() = default;
HttpExchange::HttpExchange(HttpExchange&& other) noexcept = default;

HttpReply HttpExchange::perform() {
  HttpReply& reply = state_->reply;
  reply.start_utc_ns = utc_now_ns();
  reply.start_ns = monotonic_now_ns();
  const CURLcode result = curl_easy_perform(state_->handle.get());
  reply.end_ns = monotonic_now_ns();
  state_->finish(result);
  return std::move(reply);
}

}  // namespace profdb::serving
