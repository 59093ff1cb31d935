// Rows of the query log: digests, timestamps, columns, and the transaction that writes a batch of them.
#include "engine/log_table.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <chrono>
#include <random>
#include <string_view>

namespace profdb {
namespace {

using nlohmann::ordered_json;

constexpr int kBusyTimeoutMs = 100;  // the caller decides how long to go on trying

constexpr const char* kInsert = R"(
INSERT INTO query_log (logged_at, session, release_id, op, leaf_digest, source, latency_us, kernel, path, regime,
                       method, dim, axes, reason, details, elapsed_ns)
VALUES (:logged_at, :session, :release_id, :op, :leaf_digest, :source, :latency_us, :kernel, :path, :regime,
        :method, :dim, :axes, :reason, :details, :elapsed_ns))";

std::string hex_digest(const void* data, std::size_t size) {
  const XXH128_hash_t hash = XXH3_128bits(data, size);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

// Text that is no UTF-8 must not fail a log entry.
std::string text_of(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

const char* to_string(PaddedMatch padded_match) {
  switch (padded_match) {
    case PaddedMatch::last:
      return "last";
    case PaddedMatch::before:
      return "before";
    case PaddedMatch::off:
      break;
  }
  return "off";
}

// The options that change answers.
ordered_json answering_options(const EngineOptions& options) {
  ordered_json object = ordered_json::object();
  object["release"] = options.release;
  if (options.ep_size) object["ep_size"] = *options.ep_size;
  if (options.tp_size) object["tp_size"] = *options.tp_size;
  object["interpolation"] = options.interpolation;
  object["padded_match"] = to_string(options.padded_match);
  return object;
}

// An id that no other writer has, on this machine or another.
std::string new_session() {
  std::random_device random;
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const std::array<std::uint64_t, 4> seed = {
      (std::uint64_t{random()} << 32U) | random(), (std::uint64_t{random()} << 32U) | random(),
      static_cast<std::uint64_t>(now), static_cast<std::uint64_t>(getpid())};
  return hex_digest(seed.data(), sizeof seed);
}

// UTC, ISO 8601, microseconds.
std::string timestamp(std::chrono::system_clock::time_point at) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
  const auto micros = std::chrono::floor<std::chrono::microseconds>(at - seconds).count();
  const auto utc = fmt::gmtime(std::chrono::system_clock::to_time_t(seconds));
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", utc, micros);
}

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}
std::optional<std::string> unless_empty(const ordered_json& value) {
  return value.empty() ? std::nullopt : std::optional(text_of(value));
}

// Of a hit the regime that answered, of a miss the one that was asked for.
ordered_json regime_of(const ordered_json& details) {
  for (const char* name : {"regime", "target_regime"})
    if (const auto it = details.find(name); it != details.end()) return *it;
  return nullptr;
}

template <typename T>
void bind(SQLite::Statement& statement, const char* name, const std::optional<T>& value) {
  if (value)
    statement.bind(name, *value);
  else
    statement.bind(name);
}

}  // namespace

std::string leaf_digest(const LeafOp& leaf, const EngineOptions& options) {
  const std::string text = text_of(to_json(leaf)) + "\n" + text_of(answering_options(options));
  return hex_digest(text.data(), text.size());
}

LogRow log_row(const LogEntry& entry, const EngineOptions& options) {
  const Result& result = *entry.result;
  const ordered_json json = to_json(result);
  LogRow row;
  row.logged_at = timestamp(entry.at);
  row.release_id = result.release;
  row.op = entry.leaf->op;
  row.leaf_digest = leaf_digest(*entry.leaf, options);
  row.source = to_string(result.source);
  if (result.hit()) row.latency_us = result.latency_us;
  row.kernel = unless_empty(result.kernel);
  row.path = unless_empty(result.path);
  row.regime = unless_empty(regime_of(json.at("details")));
  row.method = unless_empty(result.method);
  if (result.dim > 0) row.dim = result.dim;
  row.axes = unless_empty(ordered_json(result.axes));
  row.reason = unless_empty(result.reason);
  row.details = text_of(json);
  row.elapsed_ns = entry.elapsed_ns;
  return row;
}

LogTable::LogTable(const std::filesystem::path& database)
    : connection_(database, store::Mode::create), session_(new_session()) {
  // SQLite opens a file that may not be written read-only, and would say so at the first write.
  if (sqlite3_db_readonly(connection_.db().getHandle(), "main") == 1)
    throw Error(
        ErrorKind::database,
        fmt::format("cannot log into '{}': the file is read-only; name another one for the log (--log-db)",
                    database.string()));
  try {
    connection_.db().setBusyTimeout(kBusyTimeoutMs);
    insert_.emplace(connection_.db(), kInsert);
  } catch (const SQLite::Exception& e) {
    throw error(e);
  }
}

Error LogTable::error(const SQLite::Exception& cause) const {
  return store::database_error(connection_.path(), cause, "write the query log into");
}

LogTable::Outcome LogTable::write(const std::vector<LogRow>& rows, std::string& why) {
  try {
    SQLite::Transaction transaction(connection_.db(), SQLite::TransactionBehavior::IMMEDIATE);
    for (const LogRow& row : rows) insert(row);
    transaction.commit();
    return Outcome::written;
  } catch (const SQLite::Exception& e) {
    why = error(e).what();
    const int code = e.getErrorCode() & 0xff;
    return code == SQLITE_BUSY || code == SQLITE_LOCKED ? Outcome::busy : Outcome::failed;
  } catch (const std::exception& e) {
    why = fmt::format("cannot write the query log: {}", e.what());
    return Outcome::failed;
  }
}

void LogTable::insert(const LogRow& row) {
  insert_->tryReset();
  insert_->bind(":logged_at", row.logged_at);
  insert_->bind(":session", session_);
  insert_->bind(":release_id", row.release_id);
  insert_->bind(":op", row.op);
  insert_->bind(":leaf_digest", row.leaf_digest);
  insert_->bind(":source", row.source);
  bind(*insert_, ":latency_us", row.latency_us);
  bind(*insert_, ":kernel", row.kernel);
  bind(*insert_, ":path", row.path);
  bind(*insert_, ":regime", row.regime);
  bind(*insert_, ":method", row.method);
  bind(*insert_, ":dim", row.dim);
  bind(*insert_, ":axes", row.axes);
  bind(*insert_, ":reason", row.reason);
  insert_->bind(":details", row.details);
  insert_->bind(":elapsed_ns", row.elapsed_ns);
  insert_->exec();
}

}  // namespace profdb
