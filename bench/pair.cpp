// Clocks and medians of paired measurements.
#include "bench/pair.h"

#include <algorithm>
#include <ctime>
#include <string>

namespace profdb::bench {
namespace {

double read_us(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

}  // namespace

Times now() {
  return {read_us(CLOCK_MONOTONIC), read_us(CLOCK_THREAD_CPUTIME_ID), read_us(CLOCK_PROCESS_CPUTIME_ID)};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void report(benchmark::State& state, const char* name, const std::vector<Times>& times, double operations) {
  std::vector<double> wall;
  std::vector<double> cpu;
  std::vector<double> process_cpu;
  for (const Times& time : times) {
    wall.push_back(time.wall_us);
    cpu.push_back(time.cpu_us);
    process_cpu.push_back(time.process_cpu_us);
  }
  state.counters[std::string(name) + "_us"] = median(std::move(wall)) / operations;
  state.counters[std::string(name) + "_cpu_us"] = median(std::move(cpu)) / operations;
  state.counters[std::string(name) + "_process_cpu_us"] = median(std::move(process_cpu)) / operations;
}

}  // namespace profdb::bench
