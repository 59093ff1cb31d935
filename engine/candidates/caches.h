// The caches of one engine, within one budget.
#pragma once

#include "engine/cache/cache.h"
#include "engine/candidates/exact_rows.h"
#include "engine/candidates/points.h"
#include "engine/candidates/regimes.h"

namespace profdb::cache {

// Shared by all threads of an engine. Keys begin with the generation of the database, so that a lookup on an
// older state of it never meets what a newer one has put here.
class Caches {
 public:
  // `budget` in bytes: of it a 32nd is for regimes, a quarter for candidates, half for triangulations. (Whole
  // results, which each connection keeps for itself, have the rest.)
  explicit Caches(std::size_t budget)
      : regimes(budget / 32),
        exact_rows(budget / 16),
        classes(budget / 16),
        lines(budget / 8),
        meshes(budget / 2) {}

  Cache<ResolvedRegimes> regimes;
  Cache<ExactRows> exact_rows;  // of the base exact match
  Cache<ClassPoints> classes;   // whole source classes of regimes
  Cache<GroupPoints> lines;     // axis groups of one axis
  Cache<GroupPoints> meshes;    // of two and three

  void clear() {
    regimes.clear();
    exact_rows.clear();
    classes.clear();
    lines.clear();
    meshes.clear();
  }

  void count(EngineStats& stats) const {
    regimes.count(stats.regimes);
    exact_rows.count(stats.candidates);
    classes.count(stats.candidates);
    lines.count(stats.candidates);
    meshes.count(stats.triangulations);
  }
};

// Of `budget`, for whole results.
inline std::size_t result_budget(std::size_t budget) {
  return budget / 32 * 7;
}

}  // namespace profdb::cache
