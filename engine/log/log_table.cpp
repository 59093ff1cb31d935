// Rows of the query log: digests, timestamps, columns, and the transaction that writes a batch of them.
#include "engine/log/log_table.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <bit>
#include <random>
#include <string_view>

#include "engine/leaf/leaf_json.h"
#include "engine/result/result_json.h"

namespace profdb {
namespace {

using nlohmann::ordered_json;

constexpr int kBusyTimeoutMs = 100;  // the caller decides how long to go on trying

// Parameters are bound by their number, in this order.
constexpr const char* kInsert = R"(
INSERT INTO query_log (logged_at, session, release_id, op, leaf_digest, source, latency_us, kernel, path, regime,
                       method, dim, axes, reason, details, elapsed_ns)
VALUES (:logged_at, :session, :release_id, :op, :leaf_digest, :source, :latency_us, :kernel, :path, :regime,
        :method, :dim, :axes, :reason, :details, :elapsed_ns))";

// Lower-case, the high half first.
std::string hex_digest(const void* data, std::size_t size) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const XXH128_hash_t hash = XXH3_128bits(data, size);
  std::string hex(32, '0');
  for (unsigned i = 0; i < 16; ++i) {
    hex[15 - i] = kDigits[(hash.high64 >> (4 * i)) & 0xfU];
    hex[31 - i] = kDigits[(hash.low64 >> (4 * i)) & 0xfU];
  }
  return hex;
}

const char* padded_match_name(PaddedMatch padded_match) {
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

// The options that change answers, as JSON.
std::string answering_options(const EngineOptions& options) {
  ordered_json object = ordered_json::object();
  object["release"] = options.release;
  if (options.ep_size) object["ep_size"] = *options.ep_size;
  if (options.tp_size) object["tp_size"] = *options.tp_size;
  object["interpolation"] = options.interpolation;
  object["padded_match"] = padded_match_name(options.padded_match);
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
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

// Binds a row's columns one after the other. Text is not copied: it stays as it is until the row is written.
class Columns {
 public:
  explicit Columns(SQLite::Statement& statement) : statement_(statement) {}

  Columns& text(const std::string& value) {
    statement_.bindNoCopy(++column_, value);
    return *this;
  }
  Columns& text(const char* value) {
    statement_.bindNoCopy(++column_, value);
    return *this;
  }
  Columns& text_unless_empty(const std::string& value) { return value.empty() ? null() : text(value); }
  Columns& integer(std::int64_t value) {
    statement_.bind(++column_, value);
    return *this;
  }
  Columns& real(double value) {
    statement_.bind(++column_, value);
    return *this;
  }
  Columns& null() {
    statement_.bind(++column_);
    return *this;
  }

 private:
  SQLite::Statement& statement_;
  int column_ = 0;
};

// The JSON of `value` in `kept`; empty where the value is.
template <typename Value>
const std::string& json_unless_empty(std::string& kept, const Value& value) {
  kept.clear();
  if (!value.empty()) append_json(kept, value);
  return kept;
}

}  // namespace

const std::string& Timestamp::text(std::chrono::system_clock::time_point at) {
  using std::chrono::floor;
  const auto second = floor<std::chrono::seconds>(at);
  if (second_ != second) {
    const auto utc = fmt::gmtime(std::chrono::system_clock::to_time_t(second));
    text_ = fmt::format("{:%Y-%m-%dT%H:%M:%S}.000000Z", utc);
    second_ = second;
  }
  auto micros = floor<std::chrono::microseconds>(at - second).count();
  for (std::size_t i = kFraction + 6; i-- > kFraction; micros /= 10)
    text_[i] = static_cast<char>('0' + micros % 10);
  return text_;
}

LeafDigests::LeafDigests(const EngineOptions& options)
    : options_(fmt::format("\n{}", answering_options(options))), slots_(kSlots) {}

std::string LeafDigests::computed(const LeafOp& leaf) {
  text_.clear();
  append_json(text_, leaf);
  text_ += options_;
  return hex_digest(text_.data(), text_.size());
}

const std::string& LeafDigests::of(const std::shared_ptr<const LeafOp>& leaf) {
  if (leaf.use_count() == 1) {  // nobody can come again with it
    return digest_ = computed(*leaf);
  }
  const auto address = std::bit_cast<std::uintptr_t>(leaf.get());
  Slot& slot = slots_[((address >> 4U) ^ (address >> 15U)) % kSlots];
  // Neither before the other: they share one leaf. A later leaf at the same address does not.
  if (slot.leaf.owner_before(leaf) || leaf.owner_before(slot.leaf)) {
    slot.digest = computed(*leaf);
    slot.leaf = leaf;
  }
  return slot.digest;
}

std::string leaf_digest(const LeafOp& leaf, const EngineOptions& options) {
  std::string text;
  append_json(text, leaf);
  text += '\n';
  text += answering_options(options);
  return hex_digest(text.data(), text.size());
}

LogTable::LogTable(const std::filesystem::path& database, const EngineOptions& options)
    : connection_(database, store::Mode::create), session_(new_session()), digests_(options) {
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

LogTable::Outcome LogTable::write(std::span<const QueuedEntry> entries, std::string& why) {
  try {
    SQLite::Transaction transaction(connection_.db(), SQLite::TransactionBehavior::IMMEDIATE);
    for (const QueuedEntry& queued : entries) {
      insert(queued.entry);
      rows_made_.fetch_add(1, std::memory_order_relaxed);
    }
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

void LogTable::insert(const LogEntry& entry) {
  const Result& result = *entry.result;
  const Details& about = result.details;
  details_.clear();
  append_json(details_, result);
  insert_->tryReset();
  Columns row(*insert_);
  row.text(timestamp_.text(entry.at)).text(session_).integer(result.release);
  row.text(entry.leaf->op).text(digests_.of(entry.leaf)).text(to_string(result.source));
  result.hit() ? row.real(result.latency_us) : row.null();
  row.text_unless_empty(result.kernel).text_unless_empty(result.path);
  // Of a hit the regime that answered, of a miss the one that was asked for.
  row.text_unless_empty(
      json_unless_empty(regime_, about.regime.empty() ? about.target_regime : about.regime));
  row.text_unless_empty(result.method);
  result.dim > 0 ? row.integer(result.dim) : row.null();
  row.text_unless_empty(json_unless_empty(axes_, result.axes));
  row.text_unless_empty(result.reason).text(details_).integer(entry.elapsed_ns);
  insert_->exec();
}

}  // namespace profdb
