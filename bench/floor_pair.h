// Pairs of an engine's lookups with P from the same file.
#pragma once

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "bench/floor.h"
#include "bench/pair.h"
#include "bench/settings.h"

namespace profdb::bench {

// Registers one benchmark whose iterations are the repetitions of a pair.
template <typename Body>
void register_pair(const std::string& name, const Settings& settings, Body body) {
  benchmark::RegisterBenchmark(name.c_str(), body)
      ->Iterations(settings.repetitions)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

// P over `measured`, beside lookups of `asked` (LeafOp or PreparedLeaf). Both were called for every item
// before.
template <typename Leaf>
void measure_against_p(benchmark::State& state, const Settings& settings, const std::string& database,
                       const std::vector<MatMul>& measured, const Engine& engine,
                       const std::vector<Leaf>& asked) {
  const auto keys = ExactFloor::keys_of(measured);
  ExactFloor bare(database);
  for (const auto& key : keys) require(bare.fetch(key) > 0, "the floor misses a measured row");
  Cycle key(keys);
  Cycle leaf(asked, asked.size() / 2);
  measure_pair(
      state, settings.calls, [&] { benchmark::DoNotOptimize(bare.fetch(key.next())); },
      [&] { benchmark::DoNotOptimize(engine.lookup(leaf.next())); });
}

}  // namespace profdb::bench
