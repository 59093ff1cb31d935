// Interpolations at coordinates that were not asked before, with warm caches but without whole results,
// against P.
#include "bench/floor_pair.h"

namespace profdb::bench {
namespace {

constexpr std::size_t k3dTargets = 2000;

void interpolated(benchmark::State& state, const Settings& settings, int dim) {
  const auto measured = all_measured(settings.real);
  const auto targets = dim == 1 ? between_m(measured, settings.leaves)
                                : between_all(measured, std::min(settings.leaves, k3dTargets));
  EngineOptions options;
  options.cache_results = false;
  const Engine engine(settings.real, options);
  std::vector<LeafOp> leaves;
  for (LeafOp& leaf : leaves_of(targets))
    if (engine.lookup(leaf)->dim == dim) leaves.push_back(std::move(leaf));
  require(!leaves.empty(), "no target is interpolated in " + std::to_string(dim) + "D");
  measure_against_p(state, settings, settings.real, measured, engine, leaves);
}

}  // namespace

void register_interpolated(const Settings& settings) {
  if (settings.real.empty()) return;
  for (const int dim : {1, 3})
    register_pair("interpolated/" + std::to_string(dim) + "d", settings,
                  [settings, dim](benchmark::State& state) { interpolated(state, settings, dim); });
}

}  // namespace profdb::bench
