// One exchange, and the barrier before it.
#include "serving/client/http_exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "profdb/error.h"
#include "serving/client/start_barrier.h"
#include "tests/support/streaming_server.h"

namespace profdb::serving {
namespace {

using test::HttpResponse;
using test::StreamingServer;
using testing::HasSubstr;

HttpReply post(const std::string& url, const std::string& body = "{}") {
  return HttpExchange({url, {{"Content-Type", "application/json"}}, body, std::chrono::seconds(60)})
      .perform();
}

TEST(HttpExchange, BytesAndTheirArrivalsAgree) {
  const StreamingServer server([](const test::HttpRequest& request) {
    return HttpResponse{
        .pieces = {{"one,", {}}, {request.body, std::chrono::milliseconds(5)}, {",three", {}}}};
  });
  const HttpReply reply = post(server.url() + "/x", "two");
  EXPECT_EQ(reply.end, HttpReply::End::complete) << reply.error;
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "one,two,three");
  ASSERT_FALSE(reply.arrivals.empty());
  EXPECT_EQ(reply.arrivals.back().end, reply.body.size());
  EXPECT_LE(reply.start_ns, reply.arrivals.front().t_ns);
  EXPECT_LE(reply.arrivals.back().t_ns, reply.end_ns);
  EXPECT_GT(reply.start_utc_ns, 0);
}

TEST(HttpExchange, ALargeBodyIsSentAtOnce) {
  const std::string body(3 << 20, 'x');
  const StreamingServer server([](const test::HttpRequest& request) {
    return HttpResponse{.pieces = {{std::to_string(request.body.size()) + request.header("expect"), {}}}};
  });
  EXPECT_EQ(post(server.url() + "/x", body).body, std::to_string(body.size()));
}

TEST(HttpExchange, ARedirectIsNotFollowed) {
  const StreamingServer server(
      [](const test::HttpRequest&) { return HttpResponse{.status = 302, .pieces = {}}; });
  EXPECT_EQ(post(server.url() + "/x").status, 302);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(HttpExchange, AProxyOfTheEnvironmentIsNotUsed) {
  const std::string proxy = "http://127.0.0.1:" + std::to_string(test::unused_port());
  ASSERT_EQ(setenv("http_proxy", proxy.c_str(), 1), 0);
  {
    const StreamingServer server([](const test::HttpRequest&) { return HttpResponse{}; });
    EXPECT_EQ(post(server.url() + "/x").end, HttpReply::End::complete);
  }
  unsetenv("http_proxy");
}

TEST(HttpExchange, OtherProtocolsAreRefused) {
  const HttpReply reply = post("file:///etc/hostname");
  EXPECT_EQ(reply.end, HttpReply::End::connection_error);
  EXPECT_TRUE(reply.body.empty());
  EXPECT_FALSE(reply.error.empty());
}

TEST(StartBarrier, OpensWhenTheLastHasCome) {
  StartBarrier barrier(3, std::chrono::seconds(60));
  std::atomic<int> come = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      ++come;
      EXPECT_TRUE(barrier.arrive_and_wait());
      EXPECT_EQ(come, 3);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(StartBarrier, GivesAllUpWhereOneDoesNotComeInTime) {
  StartBarrier barrier(3, std::chrono::milliseconds(1));
  std::thread other([&] { EXPECT_FALSE(barrier.arrive_and_wait()); });
  EXPECT_FALSE(barrier.arrive_and_wait());
  other.join();
  EXPECT_FALSE(barrier.arrive_and_wait()) << "too late";
}

TEST(StartBarrier, GivesAllUpWhereItIsBroken) {
  StartBarrier barrier(2, std::chrono::seconds(60));
  std::thread waiting([&] { EXPECT_FALSE(barrier.arrive_and_wait()); });
  barrier.break_it();
  waiting.join();
  EXPECT_FALSE(barrier.arrive_and_wait());
}

}  // namespace
}  // namespace profdb::serving
