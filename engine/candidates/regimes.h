// Which measured regimes a target may use: open fields, formats, and groups of formats (contract, "Open
// fields", contract §3).
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/store/candidates.h"
#include "engine/store/path_spec.h"
#include "profdb/result.h"

namespace profdb {

// Regimes to try in turn; never pooled. All have rows with a usable latency.
using RegimeGroups = std::vector<store::RegimeRow>;

// Those, or why there are none.
using ResolvedRegimes = std::variant<RegimeGroups, Unfit>;

// Chooses among regimes that already agree with the target in every exact field. The reason where none is
// left: regime_mismatch, latency_invalid, or an open field's unspecified_reason.
ResolvedRegimes resolve_regimes(const PathSpec& spec, const std::vector<FieldValue>& target,
                                std::vector<store::RegimeRow> regimes);

// How a path chooses: by default as resolve_regimes() does.
class RegimeResolver {
 public:
  virtual ~RegimeResolver() = default;
  virtual ResolvedRegimes resolve(const PathSpec& spec, const std::vector<FieldValue>& target,
                                  std::vector<store::RegimeRow> regimes) const {
    return resolve_regimes(spec, target, std::move(regimes));
  }
};

// The regime nearest to the target: fewest differing fields, then most rows.
ClosestRegime closest_regime(const PathSpec& spec, const std::vector<FieldValue>& target,
                             const std::string& kernel, const std::vector<store::RegimeRow>& regimes);

// Fields with names, for results. With `target`, open fields that are silent are left out.
NamedValues named_fields(const PathSpec& spec, const std::vector<FieldValue>& values, bool target);

}  // namespace profdb
