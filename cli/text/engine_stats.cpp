// Hits, misses and sizes of caches.
#include "cli/text/engine_stats.h"

#include <fmt/format.h>

#include "cli/output/output.h"
#include "cli/output/table.h"

namespace profdb::cli {
namespace {

std::string whole(std::uint64_t number) {
  return count(static_cast<std::int64_t>(number));
}

}  // namespace

std::string engine_stats_text(const EngineStats& stats) {
  Table table({{"cache"},
               {"hits", Align::right},
               {"misses", Align::right},
               {"evictions", Align::right},
               {"entries", Align::right},
               {"bytes", Align::right}});
  const auto add = [&](const std::string& name, const CacheStats& cache) {
    table.add({name, whole(cache.hits), whole(cache.misses), whole(cache.evictions), whole(cache.entries),
               whole(cache.bytes)});
  };
  add("results", stats.results);
  add("regimes", stats.regimes);
  add("candidates", stats.candidates);
  add("triangulations", stats.triangulations);
  return table.text() + fmt::format("budget {} bytes, {} snapshots, {} invalidations\n",
                                    whole(stats.cache_budget), whole(stats.snapshots),
                                    whole(stats.invalidations));
}

}  // namespace profdb::cli
