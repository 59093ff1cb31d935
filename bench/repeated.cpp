// Leaves that were asked before: the result cache, on one thread against P, and on two threads against one.
#include <thread>

#include "bench/floor_pair.h"

namespace profdb::bench {
namespace {

constexpr std::size_t kRepeatedLeaves = 5000;
constexpr int kThreadRepetitions = 31;
constexpr std::size_t kThreadBatches = 8;  // starting a thread must not count

std::vector<PreparedLeaf> prepare(const std::vector<LeafOp>& leaves) {
  std::vector<PreparedLeaf> prepared;
  prepared.reserve(leaves.size());
  for (const LeafOp& leaf : leaves) prepared.emplace_back(leaf);
  return prepared;
}

struct Repeated {
  explicit Repeated(const Settings& settings)
      : measured(random_measured(settings.small, std::min(settings.leaves, kRepeatedLeaves))),
        leaves(leaves_of(measured)),
        prepared(prepare(leaves)),
        engine(settings.small) {
    for (const LeafOp& leaf : leaves)
      require(engine.lookup(leaf)->source == Source::measured, "a measured leaf is not answered as MEASURED");
  }
  std::vector<MatMul> measured;
  std::vector<LeafOp> leaves;
  std::vector<PreparedLeaf> prepared;
  Engine engine;
};

void ask(const Engine& engine, const std::vector<PreparedLeaf>& leaves, std::size_t first,
         std::size_t count) {
  Cycle leaf(leaves, first);
  for (std::size_t i = 0; i < count; ++i) benchmark::DoNotOptimize(engine.lookup(leaf.next()));
}

// Per lookup: one thread that makes them all, beside two threads that share them.
void two_threads(benchmark::State& state, const Settings& settings) {
  const Repeated work(settings);
  Cycle leaf(work.prepared);
  const auto lookup = [&] { benchmark::DoNotOptimize(work.engine.lookup(leaf.next())); };
  const std::size_t count = kThreadBatches * batch_size(settings.calls, lookup);
  const auto one = [&] { ask(work.engine, work.prepared, 0, count); };
  const auto two = [&] {
    std::thread other([&] { ask(work.engine, work.prepared, work.prepared.size() / 2, count / 2); });
    ask(work.engine, work.prepared, 0, count / 2);
    other.join();
  };
  measure_pair(state, 1, one, two, static_cast<double>(count));
}

}  // namespace

void register_repeated(const Settings& settings) {
  register_pair("repeated/prepared", settings, [settings](benchmark::State& state) {
    const Repeated work(settings);
    measure_against_p(state, settings, settings.small, work.measured, work.engine, work.prepared);
  });
  register_pair("repeated/leaf", settings, [settings](benchmark::State& state) {
    const Repeated work(settings);
    measure_against_p(state, settings, settings.small, work.measured, work.engine, work.leaves);
  });
  Settings fewer = settings;
  fewer.repetitions = std::min(settings.repetitions, kThreadRepetitions);
  register_pair("repeated/two_threads", fewer,
                [settings](benchmark::State& state) { two_threads(state, settings); });
}

}  // namespace profdb::bench
