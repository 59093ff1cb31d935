// Exact lookups of many distinct leaves, without the result cache, against P.
#include "bench/floor_pair.h"

namespace profdb::bench {
namespace {

void exact(benchmark::State& state, const Settings& settings, const std::string& database) {
  const auto measured = random_measured(database, settings.leaves);
  const auto leaves = leaves_of(measured);
  EngineOptions options;
  options.cache_results = false;
  const Engine engine(database, options);
  for (const LeafOp& leaf : leaves)
    require(engine.lookup(leaf)->source == Source::measured, "a measured leaf is not answered as MEASURED");
  measure_against_p(state, settings, database, measured, engine, leaves);
}

}  // namespace

void register_exact(const Settings& settings) {
  for (const auto& [name, database] : {std::pair{"exact/real", settings.real},
                                       {"exact/small", settings.small},
                                       {"exact/large", settings.large}})
    if (!database.empty())
      register_pair(name, settings,
                    [settings, file = database](benchmark::State& state) { exact(state, settings, file); });
}

}  // namespace profdb::bench
