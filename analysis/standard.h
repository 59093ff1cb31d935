// Required grids of measurements: what a release must hold per axis, what it lacks, and what to measure next.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/density.h"

namespace profdb::analysis {

// A stretch of an axis on which neighbouring measurements may be at most so far apart. Every step between two
// neighbours that overlaps [from, to] counts, with its whole length.
struct Segment {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::optional<std::int64_t> max_gap;  // exactly one of the two
  std::optional<double> max_ratio;      // > 1
  int line = 0;                         // in the file, for messages
};

// What one axis must hold in every regime that the grid speaks of.
struct Grid {
  std::string path;
  std::string kernel;  // empty: every kernel of the path that has no grid of its own for the axis
  std::string axis;
  bool each_line = false;  // whether every line (all other axes fixed) must hold it, or the regime as a whole
  std::optional<std::int64_t> range_min;
  std::optional<std::int64_t> range_max;
  std::vector<Segment> segments;
  std::vector<std::int64_t> required_values;
  int line = 0;
};

struct Standard {
  std::string name;
  std::string device;  // empty: any
  std::vector<Grid> grids;
};

struct Violation {
  std::string kernel;
  std::string path;
  std::optional<std::int64_t> regime_id;  // none where there is no regime at all
  std::string others;  // of a grid for each line: the other axes, as in candidate_coordinate
  std::string axis;
  std::string kind;     // no_data, range_min, range_max, required_value, max_gap, max_ratio
  std::string message;  // what is there and what is asked for
  std::vector<std::int64_t> missing_values;  // that would heal it
  int line = 0;                              // of the standard
};

// A coordinate to measure next. Shapes, dtypes and formats are those of a measured row of the regime with the
// axis changed; empty where no row of it gives the coordinate that way (an axis that no shape shows).
struct MissingShape {
  std::string kernel;
  std::string path;
  std::int64_t regime_id = 0;
  nlohmann::ordered_json regime;
  std::string coordinate;  // as in the view candidate
  std::string input_shapes, input_dtypes, input_formats;
  std::string output_shapes, output_dtypes, output_formats;  // in the notation of the profiling CSVs
};

struct StandardReport {
  std::string standard;
  std::size_t grids = 0;
  std::size_t regimes = 0;  // regimes that a grid spoke of
  std::vector<Violation> violations;
  std::vector<MissingShape> missing;  // without repetition, by kernel, regime and coordinate
};

// Checks the regimes under the filter; values of `selected` rows, of `fallback` rows where a regime has no
// others. Throws Error(usage) where the standard is for another device. Within the caller's read transaction.
StandardReport check_standard(store::Connection& connection, const ReleaseInfo& release,
                              const Standard& standard, const RegimeFilter& filter);

// What the ascending `values` violate of a grid: kind, message, missing_values and line are set. The geometry
// of check_standard, without a database.
std::vector<Violation> violations_of(const Grid& grid, const std::vector<std::int64_t>& values);

nlohmann::ordered_json to_json(const StandardReport& report);

}  // namespace profdb::analysis
