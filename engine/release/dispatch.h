// Contract §1: which path an operator's mapping entry reaches.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/lookup/path.h"

namespace profdb {

// The path of a mapping entry, or why it reaches none: composite_requires_leaf_ops, zero_cost, accepted_miss,
// compute_subcategory_unknown, query_mode_unknown. Conditions of accepted_miss_when are not looked at.
std::variant<const Path*, Unfit> select_path(const OpMapping& op);

// How the rows of `kernel` are projected for the operator: its own axis policy, else the primary kernel's
// (contract §12).
ProjectionKey projection_key(const Mapping& mapping, const OpMapping& op, const Path& path,
                             const std::string& kernel);
// The base exact projection (contract §2) beside it; for paths whose spec says base_exact.
ProjectionKey base_exact_key(const OpMapping& op, const std::string& kernel);
inline constexpr std::string_view kBaseExactPath = "base_exact";

// Every projection that the operators of a mapping need, without repetition.
std::vector<ProjectionKey> projection_keys(const Mapping& mapping);

// The axis transform of `kernel` for the operator, chosen likewise (contract §13); empty: none.
std::string axis_transform(const Mapping& mapping, const OpMapping& op, const std::string& kernel);

// The highest dimension that may be interpolated on `kernel` for the operator: the kernel's own policy, else
// the primary kernel's, else no limit (contract §5).
std::int64_t max_interpolation_dim(const Mapping& mapping, const OpMapping& op, const std::string& kernel);

}  // namespace profdb
