// One thread and one connection per request.
#include "serving/client/service_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

#include "base/utc.h"
#include "profdb/error.h"
#include "serving/client/http_exchange.h"
#include "serving/client/start_barrier.h"
#include "serving/stream/record_evidence.h"

namespace profdb::serving {
namespace {

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

Status status_of(const HttpReply& reply) {
  switch (reply.end) {
    case HttpReply::End::connection_error:
      return Status::connection_error;
    case HttpReply::End::timeout:
      return Status::timeout;
    case HttpReply::End::too_large:
      return Status::malformed;
    case HttpReply::End::complete:
      break;
  }
  return reply.status == 200 ? Status::ok : Status::http_error;
}

// "HTTP 500: {"error": …", not too long.
std::string http_error_text(const HttpReply& reply) {
  constexpr std::size_t kMost = 200;
  return fmt::format("HTTP {}: {}{}", reply.status, reply.body.substr(0, kMost),
                     reply.body.size() > kMost ? " …" : "");
}

void take_reply(RequestRecord& record, const HttpReply& reply) {
  record.start_utc = format_utc(reply.start_utc_ns);
  record.start_ns = reply.start_ns;
  record.end_ns = reply.end_ns;
  record.headers = reply.headers_sent;
  record.http_status = reply.status;
  record.status = status_of(reply);
  record.error = record.status == Status::http_error ? http_error_text(reply) : reply.error;
  take_response(record, reply.body, reply.arrivals);
}

// A request that was never sent.
void give_up(RequestRecord& record, Status status, const std::string& error) {
  record.start_utc = format_utc(utc_now_ns());
  record.start_ns = monotonic_now_ns();
  record.end_ns = record.start_ns;
  record.status = status;
  record.error = error;
}

// The requests of one phase of a level, from their plan to their records.
class Wave {
 public:
  Wave(const RunOptions& options, RecordFolder& folder, std::string clock, RequestPlace place)
      : options_(options),
        folder_(folder),
        clock_(std::move(clock)),
        place_(place),
        barrier_(static_cast<std::size_t>(place.level), milliseconds(options.protocol.barrier_timeout_s)) {}

  // Adds what it has seen to the attempt.
  void run(LevelAttempt& attempt);

 private:
  struct Slot {
    PlannedRequest planned;
    std::thread thread;
  };

  void plan();
  void start(Slot& slot);
  void send(Slot& slot, HttpExchange& exchange);
  void ended(RequestRecord& record, const HttpReply& reply);

  const RunOptions& options_;
  RecordFolder& folder_;
  std::string clock_;
  RequestPlace place_;
  StartBarrier barrier_;
  std::vector<Slot> slots_;
  std::mutex mutex_;
  std::int64_t ended_ = 0;
  std::exception_ptr failure_;  // the first record that could not be written
};

void Wave::plan() {
  const auto& pool = place_.phase == Phase::measured ? options_.pools.measured : options_.pools.warmup;
  slots_ = std::vector<Slot>(static_cast<std::size_t>(place_.level));
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    place_.slot = static_cast<std::int64_t>(i);
    slots_[i].planned = plan_request(options_.protocol, options_.identity, place_, pool[i]);
    slots_[i].planned.record.clock_id = clock_;
  }
}

void Wave::start(Slot& slot) {
  PlannedRequest& planned = slot.planned;
  try {
    HttpExchange exchange({options_.endpoint + planned.record.path, planned.record.headers,
                           std::move(planned.body), milliseconds(options_.protocol.http_timeout_s)});
    slot.thread =
        std::thread([this, &slot, exchange = std::move(exchange)]() mutable { send(slot, exchange); });
  } catch (const std::exception& e) {
    barrier_.break_it();
    give_up(planned.record, Status::connection_error, fmt::format("not sent: {}", e.what()));
    ended(planned.record, {});
  }
}

void Wave::send(Slot& slot, HttpExchange& exchange) {
  RequestRecord& record = slot.planned.record;
  HttpReply reply;
  if (barrier_.arrive_and_wait()) {
    reply = exchange.perform();
  } else {
    give_up(record, Status::timeout, "not sent: the requests of the level were not all ready in time");
  }
  ended(record, reply);
}

// Never throws: the other requests go on, and the wave reports the failure when they have ended.
void Wave::ended(RequestRecord& record, const HttpReply& reply) {
  try {
    if (reply.start_ns != 0) take_reply(record, reply);
    folder_.add(record, reply.body, reply.arrivals);
    const std::scoped_lock lock(mutex_);
    ++ended_;
    if (options_.progress)
      options_.progress({place_.level, place_.attempt, place_.phase, ended_, place_.level});
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void Wave::run(LevelAttempt& attempt) {
  plan();
  if (options_.progress) options_.progress({place_.level, place_.attempt, place_.phase, 0, place_.level});
  for (Slot& slot : slots_) start(slot);
  for (Slot& slot : slots_)
    if (slot.thread.joinable()) slot.thread.join();
  if (failure_) std::rethrow_exception(failure_);
  std::int64_t first = slots_.front().planned.record.start_ns;
  std::int64_t last = first;
  for (const Slot& slot : slots_) {
    const RequestRecord& record = slot.planned.record;
    first = std::min(first, record.start_ns);
    last = std::max(last, record.start_ns);
    for (const std::string& complaint :
         complaints(record, options_.protocol.output_tokens(place_.phase == Phase::measured)))
      attempt.complaints.push_back(
          fmt::format("{} slot {}: {}", to_string(place_.phase), record.slot, complaint));
  }
  attempt.records += ended_;
  (place_.phase == Phase::measured ? attempt.measured_spread_ns : attempt.warmup_spread_ns) = last - first;
}

std::vector<std::int64_t> rising_levels(const RunOptions& options) {
  std::vector<std::int64_t> levels = options.levels.empty() ? options.protocol.levels : options.levels;
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  for (const std::int64_t level : levels)
    if (!options.protocol.has_level(level))
      throw Error(ErrorKind::usage,
                  fmt::format("protocol {} has no level {}; choose from {}", options.protocol.name, level,
                              fmt::join(options.protocol.levels, ", ")));
  return levels;
}

void check_endpoint(const std::string& endpoint) {
  const std::size_t scheme = endpoint.starts_with("https://") ? 8 : endpoint.starts_with("http://") ? 7 : 0;
  if (scheme == 0 || endpoint.size() == scheme || endpoint.find('/', scheme) != std::string::npos)
    throw Error(
        ErrorKind::usage,
        fmt::format("endpoint '{}' is not http://HOST:PORT; leave the path to the protocol", endpoint));
}

LevelAttempt run_level(const RunOptions& options, RecordFolder& folder, std::int64_t level) {
  LevelAttempt attempt;
  attempt.level = level;
  attempt.attempt = folder.next_attempt(level);
  for (const Phase phase : {Phase::warmup, Phase::measured})
    Wave(options, folder, monotonic_clock_id(), {level, phase, 0, attempt.attempt}).run(attempt);
  return attempt;
}

}  // namespace

std::vector<LevelAttempt> run_service(const RunOptions& options, RecordFolder& folder) {
  check_endpoint(options.endpoint);
  const std::vector<std::int64_t> levels = rising_levels(options);
  check_pools(options.pools, options.protocol);
  std::vector<LevelAttempt> attempts;
  for (const std::int64_t level : levels) {
    for (std::int64_t run = 0; run < std::max<std::int64_t>(1, options.most_attempts); ++run) {
      attempts.push_back(run_level(options, folder, level));
      if (attempts.back().complaints.empty()) break;
    }
    if (!attempts.back().complaints.empty() && !options.keep_going) break;
  }
  return attempts;
}

}  // namespace profdb::serving
