// Measures a subject beside its floor: small batches of both in turn, so that the noise of the machine hits
// both.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace profdb::bench {

// Three clocks: wall time counts what others do to the machine and what a call waits for; the thread's own
// CPU time counts neither, nor the work of other threads; the process's counts that work. In microseconds.
struct Times {
  double wall_us = 0;
  double cpu_us = 0;
  double process_cpu_us = 0;
};
Times now();

// Per call of `work`, over `calls` calls.
template <typename Work>
Times time_calls(std::size_t calls, Work& work) {
  const Times begin = now();
  for (std::size_t i = 0; i < calls; ++i) work();
  const Times end = now();
  const auto n = static_cast<double>(calls);
  return {(end.wall_us - begin.wall_us) / n, (end.cpu_us - begin.cpu_us) / n,
          (end.process_cpu_us - begin.process_cpu_us) / n};
}

// How many calls of `work` make a batch of some milliseconds: long enough that what happens once per batch
// (cold caches, an aged snapshot) does not count, short enough that most batches run undisturbed. At most
// `most`.
template <typename Work>
std::size_t batch_size(std::size_t most, Work& work) {
  constexpr double kBatchUs = 4000;
  constexpr double kEnoughUs = kBatchUs / 4;
  std::size_t calls = 1;
  double one_us = time_calls(calls, work).cpu_us;
  while (one_us * static_cast<double>(calls) < kEnoughUs && calls < most)
    one_us = time_calls(calls *= 2, work).cpu_us;
  const double fit = kBatchUs / std::max(one_us, 1e-3);
  return std::clamp(static_cast<std::size_t>(fit), std::size_t{1}, most);
}

// Of at least one value.
double median(std::vector<double> values);

// Medians per call, as counters NAME_us, NAME_cpu_us and NAME_process_cpu_us of the benchmark; a call may
// stand for `operations` of what is counted.
void report(benchmark::State& state, const char* name, const std::vector<Times>& times,
            double operations = 1);

// One iteration of the benchmark is one repetition: a batch of at most `calls` calls of each, which of them
// goes first changing every time. The counters are those of `floor` and `subject`.
// The benchmark must use manual time; it counts the subject's.
template <typename Floor, typename Subject>
void measure_pair(benchmark::State& state, std::size_t calls, Floor floor, Subject subject,
                  double operations = 1) {
  std::vector<Times> floors;
  std::vector<Times> subjects;
  const std::size_t floor_calls = batch_size(calls, floor);
  const std::size_t subject_calls = batch_size(calls, subject);
  for ([[maybe_unused]] auto _ : state) {
    const bool floor_first = floors.size() % 2 == 0;
    if (floor_first) floors.push_back(time_calls(floor_calls, floor));
    subjects.push_back(time_calls(subject_calls, subject));
    if (!floor_first) floors.push_back(time_calls(floor_calls, floor));
    state.SetIterationTime(subjects.back().wall_us * 1e-6);
  }
  report(state, "floor", floors, operations);
  report(state, "subject", subjects, operations);
}

}  // namespace profdb::bench
