// What logging every lookup adds to a warm 1D interpolation: in bursts that the log's queue can hold, and
// without end, when the writer sets the pace. Afterwards every lookup must stand in the log, but for those
// that the engine counted as dropped.
#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>

#include "bench/floor_pair.h"

namespace profdb::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBurstCalls = 2'000;       // a fraction of what the queue holds
constexpr std::size_t kSustainedCalls = 20'000;  // more than the queue holds
constexpr int kSustainedRepetitions = 15;

// A database of its own to log into; gone with the object.
class ScratchDatabase {
 public:
  ScratchDatabase(const std::string& origin, const fs::path& folder) : path_(folder / "logging.db") {
    remove();
    SQLite::Database db(origin);
    SQLite::Statement copy(db, "VACUUM INTO ?");
    copy.bind(1, path_.string());
    copy.exec();
  }
  ~ScratchDatabase() { remove(); }
  ScratchDatabase(const ScratchDatabase&) = delete;
  ScratchDatabase& operator=(const ScratchDatabase&) = delete;

  std::string path() const { return path_.string(); }
  std::uint64_t log_rows() const {
    SQLite::Database db(path());
    return static_cast<std::uint64_t>(db.execAndGet("SELECT count(*) FROM query_log").getInt64());
  }

 private:
  void remove() const {
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path() + suffix, ignored);
  }

  fs::path path_;
};

// Lookups of new 1D coordinates in turn, counted.
class Asker {
 public:
  Asker(const std::string& database, LogMode log, const std::vector<LeafOp>& leaves) : leaf_(leaves) {
    EngineOptions options;
    options.cache_results = false;
    options.log = log;
    engine_ = std::make_unique<Engine>(database, options);
    for (const LeafOp& leaf : leaves) {
      require(engine_->lookup(leaf)->dim == 1, "a target is not interpolated in 1D");
      if (++lookups_ % kBurstCalls == 0) engine_->flush_log();
    }
    engine_->flush_log();
  }

  void operator()() {
    benchmark::DoNotOptimize(engine_->lookup(leaf_.next()));
    ++lookups_;
  }
  void flush() { engine_->flush_log(); }
  std::uint64_t dropped() const { return engine_->log_stats().dropped; }
  // Closes the engine, as a normal exit does.
  std::uint64_t close() {
    engine_.reset();
    return lookups_;
  }

 private:
  std::unique_ptr<Engine> engine_;
  Cycle<LeafOp> leaf_;
  std::uint64_t lookups_ = 0;
};

// `calls` lookups a repetition. In a burst what the queue holds is written afterwards, and not counted;
// sustained, the flush counts.
void logging(benchmark::State& state, const Settings& settings, std::size_t calls, bool sustained) {
  const auto leaves = leaves_of(between_m(all_measured(settings.real), settings.leaves));
  const ScratchDatabase scratch(settings.real, settings.work);
  Asker off(scratch.path(), LogMode::off, leaves);
  Asker all(scratch.path(), LogMode::all, leaves);
  const auto batch = [&](Asker& asker) {
    return [&asker, calls, sustained] {
      for (std::size_t i = 0; i < calls; ++i) asker();
      if (sustained) asker.flush();
    };
  };
  auto bare = batch(off);
  auto logged = batch(all);
  std::vector<Times> floors;
  std::vector<Times> subjects;
  for ([[maybe_unused]] auto _ : state) {
    floors.push_back(time_calls(1, bare));
    subjects.push_back(time_calls(1, logged));
    all.flush();
    state.SetIterationTime(subjects.back().wall_us * 1e-6);
  }
  report(state, "floor", floors, static_cast<double>(calls));
  report(state, "subject", subjects, static_cast<double>(calls));
  const std::uint64_t dropped = all.dropped();
  const std::uint64_t lookups = all.close();
  state.counters["dropped"] = static_cast<double>(dropped);
  state.counters["lost"] = static_cast<double>(lookups - dropped - scratch.log_rows());
}

}  // namespace

void register_logging(const Settings& settings) {
  if (settings.real.empty()) return;
  register_pair("logging/burst", settings, [settings](benchmark::State& state) {
    logging(state, settings, std::min(kBurstCalls, settings.calls), false);
  });
  Settings sustained = settings;
  sustained.repetitions = std::min(settings.repetitions, kSustainedRepetitions);
  register_pair("logging/sustained", sustained, [sustained](benchmark::State& state) {
    logging(state, sustained, std::min(kSustainedCalls, sustained.calls * 10), true);
  });
}

}  // namespace profdb::bench
