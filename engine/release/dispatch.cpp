// Contract §1: from a mapping entry to a path and its projections.
#include "engine/release/dispatch.h"

#include <limits>
#include <set>
#include <string>

#include "engine/lookup/matrix_shapes.h"
#include "engine/paths/registry.h"

namespace profdb {
namespace {

// A policy value of the kernel, else of the operator's primary kernel.
template <typename T>
std::optional<T> policy_value(const Mapping& mapping, const OpMapping& op, const std::string& kernel,
                              std::optional<T> KernelPolicy::*member) {
  if (const KernelPolicy* own = mapping.policy(kernel); own != nullptr && own->*member) return own->*member;
  if (op.kernels.empty()) return std::nullopt;
  const KernelPolicy* primary = mapping.policy(op.kernels.front());
  return primary == nullptr ? std::nullopt : primary->*member;
}

std::variant<const Path*, Unfit> selected(const std::string& name, Selector selector,
                                          std::string_view unknown) {
  const Path* path = find_path(name);
  if (path == nullptr || path->spec().selector != selector) return Unfit{unknown, name};
  return path;
}

}  // namespace

std::variant<const Path*, Unfit> select_path(const OpMapping& op) {
  if (op.composite) return Unfit{"composite_requires_leaf_ops"};
  if (op.zero_cost) return Unfit{"zero_cost"};
  if (op.accepted_miss && op.kernels.empty()) return Unfit{"accepted_miss"};
  if (op.category == "communication")
    return selected("communication", Selector::category, "query_mode_unknown");
  if (op.query_mode) return selected(*op.query_mode, Selector::query_mode, "query_mode_unknown");
  if (op.compute_subcategory)
    return selected(*op.compute_subcategory, Selector::compute_subcategory, "compute_subcategory_unknown");
  return is_matrix_kernel(op.kernels.front()) ? &matrix_compute_path() : &generic_compute_path();
}

ProjectionKey projection_key(const Mapping& mapping, const OpMapping& op, const Path& path,
                             const std::string& kernel) {
  ProjectionKey key;
  key.path = path.spec().name;
  key.kernel = kernel;
  if (path.spec().tc_input_count) key.tc_input_count = op.tc_input_count.value_or(kAbsentInteger);
  if (&path == &generic_compute_path())
    key.axis_policy =
        policy_value(mapping, op, kernel, &KernelPolicy::generic_compute_axis).value_or("axis_0");
  return key;
}

ProjectionKey base_exact_key(const OpMapping& op, const std::string& kernel) {
  return {std::string(kBaseExactPath), kernel, op.tc_input_count.value_or(kAbsentInteger), ""};
}

std::vector<ProjectionKey> projection_keys(const Mapping& mapping) {
  std::vector<ProjectionKey> keys;
  std::set<ProjectionKey> seen;
  const auto add = [&](const ProjectionKey& key) {
    if (seen.insert(key).second) keys.push_back(key);
  };
  for (const OpMapping& op : mapping.operators) {
    const auto selected = select_path(op);
    const Path* const* path = std::get_if<const Path*>(&selected);
    if (path == nullptr) continue;
    for (const std::string& kernel : op.kernels) {
      if ((*path)->spec().base_exact != BaseExact::never) add(base_exact_key(op, kernel));
      add(projection_key(mapping, op, **path, kernel));
    }
  }
  return keys;
}

std::string axis_transform(const Mapping& mapping, const OpMapping& op, const std::string& kernel) {
  return policy_value(mapping, op, kernel, &KernelPolicy::axis_transform).value_or("");
}

std::int64_t max_interpolation_dim(const Mapping& mapping, const OpMapping& op, const std::string& kernel) {
  return policy_value(mapping, op, kernel, &KernelPolicy::max_interpolation_dim)
      .value_or(std::numeric_limits<std::int64_t>::max());
}

}  // namespace profdb
