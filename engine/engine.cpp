// The engine: connections, the release in force, and the query log around each lookup.
#include "profdb/engine.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <vector>

#include "engine/log/query_log.h"
#include "engine/lookup/lookup.h"
#include "engine/release/release_state.h"
#include "engine/result/memory.h"
#include "engine/store/releases.h"
#include "engine/warm.h"
#include "engine/worker.h"

namespace profdb {

class Engine::Impl {
 private:
  // Runs `work` on a worker of its own, on one state of the database.
  template <typename Work>
  auto with_worker(Work work) {
    try {
      Workers::Lease lease(workers_, [this](Worker& worker) { refresh(worker); });
      try {
        return work(*lease);
      } catch (const SQLite::Exception&) {
        lease.discard();
        throw;
      }
    } catch (const SQLite::Exception& e) {
      throw store::database_error(database_, e, "read");
    }
  }

 public:
  Impl(const std::string& database, EngineOptions options)
      : options_(std::move(options)),
        database_(database),
        caches_(options_.cache_bytes),
        workers_(database, cache::result_budget(options_.cache_bytes), options_.snapshot_ms) {
    check_options();
    // The release is chosen once: what is imported later does not change what the engine answers for.
    const auto id = release().release_id;
    options_.release = std::to_string(id);
    if (options_.log != LogMode::off) open_log();
  }

  ResultPtr lookup(const LeafOp& leaf) {
    return answer(leaf, options_.cache_results ? digest(leaf) : cache::Key{}, nullptr);
  }
  ResultPtr lookup(const PreparedLeaf& leaf) { return answer(leaf.leaf(), leaf.digest(), leaf.shared()); }

  ReleaseInfo release() {
    return with_worker([](Worker& worker) { return worker.state->info; });
  }

  WarmReport warm(const std::string& release, const std::vector<std::string>& ops) {
    return with_worker([&](Worker& worker) {
      if (!release.empty() &&
          select_release(worker.connection(), release).release_id != worker.state->info.release_id)
        throw Error(ErrorKind::usage, "this engine answers for release " + options_.release + " (" +
                                          release_name(worker.state->info) + "), not for '" + release +
                                          "'; open another engine for that");
      if (options_.cache_bytes == 0) return WarmReport{};
      CandidateSource candidates = source(worker);
      return profdb::warm(candidates, *worker.state, ops, caches_);
    });
  }

  EngineStats stats() {
    EngineStats stats;
    workers_.count(stats.results);
    caches_.count(stats);
    stats.cache_budget = options_.cache_bytes;
    stats.invalidations = invalidations_;
    stats.snapshots = workers_.snapshots();
    return stats;
  }

  QueryLog* log() { return log_.get(); }

 private:
  CandidateSource source(Worker& worker) {
    return {worker.connection(), worker.state->generation, options_.cache_bytes == 0 ? nullptr : &caches_,
            nullptr};
  }

  // `owner` shares `leaf` where it does; null: a caller's, who may change it once this returns.
  ResultPtr answer(const LeafOp& leaf, const cache::Key& key, std::shared_ptr<const LeafOp> owner) {
    using Clock = std::chrono::steady_clock;
    const auto begin = log_ ? Clock::now() : Clock::time_point();
    ResultPtr result = with_worker([&](Worker& worker) {
      if (options_.cache_results)
        if (ResultPtr kept = worker.results.find(key)) return kept;
      if (!owner) validate(leaf);
      CandidateSource candidates = source(worker);
      ResultPtr made = profdb::lookup(candidates, *worker.state, options_, leaf);
      if (options_.cache_results) worker.results.keep(key, made, memory_of(*made));
      return made;
    });
    if (log_ && (options_.log == LogMode::all || !result->hit())) {
      if (!owner) owner = std::make_shared<const LeafOp>(leaf);
      const auto elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin);
      log_->push({std::chrono::system_clock::now(), std::move(owner), result, elapsed.count()});
    }
    return result;
  }

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
    if (options_.snapshot_ms < 0 || options_.snapshot_ms > kLongestSnapshotMs)
      throw Error(ErrorKind::usage, "snapshot_ms is " + std::to_string(options_.snapshot_ms) +
                                        "; give milliseconds from 0 to " +
                                        std::to_string(kLongestSnapshotMs));
  }

  // Brings a worker whose snapshot has just been opened to the release as it is there.
  void refresh(Worker& worker) {
    const std::int64_t generation = read_generation(worker.connection());
    if (worker.state && worker.state->generation == generation) return;
    worker.results.clear();
    worker.state = state(worker.connection(), generation);
  }

  std::shared_ptr<const ReleaseState> state(store::Connection& connection, std::int64_t generation) {
    const std::scoped_lock lock(mutex_);
    if (state_ && state_->generation == generation) return state_;
    auto loaded = load_release(connection, options_.release);
    if (state_ && state_->generation > generation) return loaded;  // an older snapshot's
    if (state_) {
      caches_.clear();
      ++invalidations_;
    }
    state_ = loaded;
    return loaded;
  }

  static constexpr int kLongestSnapshotMs = 100;

  EngineOptions options_;
  std::string database_;
  cache::Caches caches_;
  std::mutex mutex_;
  std::shared_ptr<const ReleaseState> state_;  // the newest that any worker has seen
  std::atomic<std::uint64_t> invalidations_{0};
  Workers workers_;
  std::unique_ptr<QueryLog> log_;
};

Engine::Engine(const std::string& database, EngineOptions options)
    : impl_(std::make_unique<Impl>(database, std::move(options))) {}
Engine::~Engine() = default;

ResultPtr Engine::lookup(const LeafOp& leaf) const {
  return impl_->lookup(leaf);
}
ResultPtr Engine::lookup(const PreparedLeaf& leaf) const {
  return impl_->lookup(leaf);
}
WarmReport Engine::warm(const std::string& release, const std::vector<std::string>& ops) {
  return impl_->warm(release, ops);
}
EngineStats Engine::stats() const {
  return impl_->stats();
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
