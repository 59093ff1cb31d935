// Where measurements are dense and where sparse, from the views candidate_density, interpolable_regimes and
// regime_dimensions: plain SQL gives the same numbers.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/database.h"
#include "profdb/engine.h"

namespace profdb::analysis {

// Which regimes of a release an analysis looks at; what is empty does not restrict.
struct RegimeFilter {
  std::string kernel;
  std::string path;
  std::optional<std::int64_t> regime_id;  // of the path's regime table: only together with `path`
};

// Throws Error(usage) for a path that there is not (the message lists those there are), and for a regime
// without a path.
void check(const RegimeFilter& filter);

// "kernel MatMulV2, path matrix_compute"; empty for a filter that does not restrict.
std::string to_string(const RegimeFilter& filter);

// Why a release has no candidates under a filter: names what the release has instead. Within the caller's
// read transaction.
std::string why_empty(store::Connection& connection, const ReleaseInfo& release, const RegimeFilter& filter);

// One axis of one regime and source class.
struct AxisDensity {
  std::string kernel;
  std::string path;
  std::int64_t regime_id = 0;
  nlohmann::ordered_json regime;  // the regime's fields
  std::string source_class;       // "selected" or "fallback"
  std::string axis;
  std::int64_t points = 0;  // candidates, duplicates included
  std::int64_t distinct_values = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::optional<std::int64_t> largest_gap;  // between neighbouring values; none for a single value
  std::optional<double> largest_ratio;      // likewise; none where the lower value is 0
  std::int64_t lines = 0;         // sets of candidates that differ on this axis only, of two values or more
  std::int64_t longest_line = 0;  // distinct values on the longest of them
  // Of the regime and class: the dimensions in which interpolation is possible, "1", "1,2,3", …; 2 and 3
  // where as many axes vary and there are points enough, which a degenerate cloud can still deny.
  std::string possible_dims;
};

// In the order kernel, path, regime, source class, axis. Within the caller's read transaction.
std::vector<AxisDensity> density(store::Connection& connection, std::int64_t release_id,
                                 const RegimeFilter& filter);

nlohmann::ordered_json to_json(const AxisDensity& row);
nlohmann::ordered_json to_json(const std::vector<AxisDensity>& rows);

}  // namespace profdb::analysis
