// The view candidate_density, read once for all sections that rest on it, and the points behind a row of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/candidates/interpolate.h"
#include "engine/lookup/path.h"
#include "report/sections/input.h"

namespace profdb::report {

// One axis of one regime in one source class.
struct DensityRow {
  const Release* release = nullptr;
  std::string path, kernel;
  std::int64_t regime_id = 0;
  std::string regime;  // its fields as text
  std::string source_class;
  std::string axis;
  std::int64_t points = 0;
  std::int64_t distinct_values = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  Json largest_gap, largest_ratio;  // null where there is one value, or a ratio to zero
};

// All releases, by release, regime and axis.
std::vector<DensityRow> density_rows(const Input& input);

// A regime in one source class: consecutive density rows.
struct RegimeRows {
  const DensityRow* first = nullptr;
  std::vector<std::string> varying;  // axes with two values or more, in the order of the view
};

// The regimes in `density`, those with the most points first.
std::vector<RegimeRows> regimes_by_points(const std::vector<DensityRow>& density);

// A regime's coordinates, each with the median of its measurements.
std::vector<MeasuredPoint> measured_points(const Input& input, const DensityRow& regime);

// The regime's head for a chart: title "KERNEL WHAT", its fields as the note, tags and badge.
ChartHead regime_head(const DensityRow& regime, const std::string& what);

// "message_bytes" is in bytes; every other axis counts something.
std::string axis_unit(std::string_view axis);

}  // namespace profdb::report
