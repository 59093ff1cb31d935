// The sections of a release report, one file each. Each adds to the findings what the summary and "Not
// verified" shall say; those two are made last.
#pragma once

#include "report/sections/density_rows.h"
#include "report/sections/input.h"

namespace profdb::report {

Section summary_section(const Findings& findings);
// Software, releases, digests, options, what was rejected.
Section data_section(const Input& input, Findings& findings);
// Which operators can be answered, along which axes.
Section coverage_section(const Input& input, Findings& findings);
// Where the measurements stand: density per axis, and a map per regime.
Section density_section(const Input& input, const std::vector<DensityRow>& density, Findings& findings);
// Latency along one axis, measured and interpolated.
Section curve_section(const Input& input, const std::vector<DensityRow>& density);
// How well lookups predict what was measured.
Section holdout_section(const Input& input, Findings& findings);
// What a workload would hit; nothing where no replay was given.
std::optional<Section> replay_section(const Input& input, Findings& findings);
// What the query log says.
Section lookup_section(const Input& input, Findings& findings);
Section not_verified_section(const Input& input, Findings& findings);

}  // namespace profdb::report
