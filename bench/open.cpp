// Opening an engine: time, and what the process's memory grows by before the first lookup. Memory that an
// earlier benchmark has given back would hide growth: to be run in a process of its own.
#include <unistd.h>

#include <fstream>

#include "bench/floor_pair.h"

namespace profdb::bench {
namespace {

double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  double resident = 0;
  require(static_cast<bool>(statm >> total >> resident), "cannot read /proc/self/statm");
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

void open(benchmark::State& state, const std::string& database) {
  const double before = resident_mib();
  const Engine first(database);
  const double after = resident_mib();
  std::vector<Times> times;
  for ([[maybe_unused]] auto _ : state) {
    std::unique_ptr<Engine> engine;
    const auto work = [&] { engine = std::make_unique<Engine>(database); };
    times.push_back(time_calls(1, work));
    state.SetIterationTime(times.back().wall_us * 1e-6);
  }
  report(state, "subject", times);
  state.counters["growth_mib"] = after - before;
}

}  // namespace

void register_open(const Settings& settings) {
  const std::string& database = settings.large.empty() ? settings.small : settings.large;
  register_pair("open", settings, [database](benchmark::State& state) { open(state, database); });
}

}  // namespace profdb::bench
