// The engine: connections, the release in force, and the query log around each lookup.
#include "profdb/engine.h"

#include <chrono>
#include <mutex>
#include <vector>

#include "engine/lookup.h"
#include "engine/query_log.h"
#include "engine/release_state.h"
#include "engine/store/database.h"

namespace profdb {
namespace {

using store::Connection;

// Connections that no lookup uses at the moment. A lookup takes one for its own, so that no two threads share
// one.
class ConnectionPool {
 public:
  explicit ConnectionPool(std::string database) : database_(std::move(database)) {}

  std::unique_ptr<Connection> take() {
    {
      const std::scoped_lock lock(mutex_);
      if (!idle_.empty()) {
        auto connection = std::move(idle_.back());
        idle_.pop_back();
        return connection;
      }
    }
    return std::make_unique<Connection>(database_, store::Mode::read);
  }

  void give_back(std::unique_ptr<Connection> connection) {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(connection));
  }

 private:
  std::string database_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;
};

// A connection for the length of a scope. One that failed is not given back.
class Lease {
 public:
  explicit Lease(ConnectionPool& pool) : pool_(pool), connection_(pool.take()) {}
  ~Lease() {
    if (connection_ && healthy_) pool_.give_back(std::move(connection_));
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  Connection& operator*() { return *connection_; }
  void discard() { healthy_ = false; }

 private:
  ConnectionPool& pool_;
  std::unique_ptr<Connection> connection_;
  bool healthy_ = true;
};

}  // namespace

class Engine::Impl {
 private:
  // Runs `work` on a connection of its own, in one read transaction.
  template <typename Work>
  auto in_transaction(Work work) {
    Lease lease(pool_);
    try {
      const store::ReadTransaction transaction(*lease);
      return work(*lease);
    } catch (const SQLite::Exception& e) {
      lease.discard();
      throw store::database_error(database_, e, "read");
    }
  }

 public:
  Impl(const std::string& database, EngineOptions options)
      : options_(std::move(options)), database_(database), pool_(database) {
    check_options();
    // The release is chosen once: what is imported later does not change what the engine answers for.
    const auto id =
        in_transaction([&](Connection& connection) { return state(connection)->info.release_id; });
    options_.release = std::to_string(id);
    if (options_.log != LogMode::off) open_log();
  }

  ResultPtr lookup(const LeafOp& leaf) {
    validate(leaf);
    return answer(leaf);
  }

  ResultPtr answer(const LeafOp& leaf) {
    const auto begin = std::chrono::steady_clock::now();
    Result result = in_transaction([&](Connection& connection) {
      return profdb::lookup(connection, *state(connection), options_, leaf);
    });
    if (log_ && (options_.log == LogMode::all || !result.hit())) {
      const auto elapsed = std::chrono::steady_clock::now() - begin;
      log_->push({std::chrono::system_clock::now(), leaf, result,
                  std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count()});
    }
    return std::make_shared<const Result>(std::move(result));
  }

  ReleaseInfo release() {
    return in_transaction([&](Connection& connection) { return state(connection)->info; });
  }

  QueryLog* log() { return log_.get(); }

 private:
  void open_log() {
    try {
      log_ = std::make_unique<QueryLog>(options_.log_db.empty() ? database_ : options_.log_db, options_);
    } catch (const Error& e) {
      if (!options_.log_db.empty()) throw;
      throw Error(e.kind(), std::string(e.what()) + " (a log in a file of its own: --log-db FILE)");
    }
  }

  void check_options() const {
    for (const auto& [name, value] :
         {std::pair{"ep_size", options_.ep_size}, std::pair{"tp_size", options_.tp_size}})
      if (value && *value < 1)
        throw Error(ErrorKind::usage, std::string(name) + " is " + std::to_string(*value) +
                                          "; give a number of devices, 1 or more");
  }

  // The release as of the transaction's state of the database; loaded anew when the generation has moved on.
  std::shared_ptr<const ReleaseState> state(Connection& connection) {
    const std::int64_t generation = read_generation(connection);
    {
      const std::scoped_lock lock(mutex_);
      if (state_ && state_->generation == generation) return state_;
    }
    auto loaded = load_release(connection, options_.release);
    const std::scoped_lock lock(mutex_);
    if (!state_ || state_->generation < generation) state_ = loaded;
    return loaded;
  }

  EngineOptions options_;
  std::string database_;
  ConnectionPool pool_;
  std::mutex mutex_;
  std::shared_ptr<const ReleaseState> state_;
  std::unique_ptr<QueryLog> log_;
};

Engine::Engine(const std::string& database, EngineOptions options)
    : impl_(std::make_unique<Impl>(database, std::move(options))) {}
Engine::~Engine() = default;

ResultPtr Engine::lookup(const LeafOp& leaf) const {
  return impl_->lookup(leaf);
}
ResultPtr Engine::lookup(const PreparedLeaf& leaf) const {
  return impl_->answer(leaf.leaf());
}
ReleaseInfo Engine::release() const {
  return impl_->release();
}

void Engine::flush_log() {
  if (impl_->log() != nullptr) impl_->log()->flush();
}

LogStats Engine::log_stats() const {
  return impl_->log() == nullptr ? LogStats{} : impl_->log()->stats();
}

std::vector<ReleaseInfo> list_releases(const std::string& database) {
  store::Connection connection(database, store::Mode::read);
  try {
    const store::ReadTransaction transaction(connection);
    return list_releases(connection);
  } catch (const SQLite::Exception& e) {
    throw store::database_error(database, e, "read");
  }
}

const char* version() {
  return PROFDB_VERSION;
}

}  // namespace profdb
