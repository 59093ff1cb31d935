// Operator mappings as tables and as JSON.
#include "cli/text/mapping_text.h"

#include <fmt/format.h>

#include <optional>

#include "cli/output/output.h"
#include "cli/output/table.h"
#include "engine/release/dispatch.h"

namespace profdb::cli {
namespace {

using nlohmann::ordered_json;

template <typename T>
ordered_json value_or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

template <typename T>
void add_if(ordered_json& object, const char* name, const std::optional<T>& value) {
  if (value) object[name] = *value;
}

// The fields of one operator that the mapping states, after the path that it reaches or why it reaches none.
ordered_json operator_json(const OpMapping& op) {
  ordered_json object = {{"op", op.op}};
  const auto selected = select_path(op);
  if (const auto* unfit = std::get_if<Unfit>(&selected))
    object["no_path"] = unfit->reason;
  else
    object["path"] = std::get<const Path*>(selected)->spec().name;
  object["kernels"] = op.kernels;
  object["category"] = op.category;
  add_if(object, "query_mode", op.query_mode);
  add_if(object, "compute_subcategory", op.compute_subcategory);
  add_if(object, "tc_input_count", op.tc_input_count);
  if (op.zero_cost) object["zero_cost"] = true;
  add_if(object, "accepted_miss", op.accepted_miss);
  if (!op.accepted_miss_when.empty()) object["accepted_miss_when"] = op.accepted_miss_when;
  if (op.composite) object["composite"] = true;
  add_if(object, "api_path", op.api_path);
  if (!op.expected_input_formats.empty()) object["expected_input_formats"] = op.expected_input_formats;
  add_if(object, "notes", op.notes);
  if (!op.unknown_fields.empty()) object["unknown_fields"] = op.unknown_fields;
  return object;
}

ordered_json policy_json(const KernelPolicy& policy) {
  ordered_json object = {{"kernel", policy.kernel}};
  add_if(object, "max_interpolation_dim", policy.max_interpolation_dim);
  add_if(object, "axis_transform", policy.axis_transform);
  add_if(object, "generic_compute_axis", policy.generic_compute_axis);
  if (!policy.unknown_fields.empty()) object["unknown_fields"] = policy.unknown_fields;
  return object;
}

std::string path_text(const OpMapping& op) {
  const auto selected = select_path(op);
  if (const auto* unfit = std::get_if<Unfit>(&selected))
    return unfit->detail.empty() ? fmt::format("none: {}", unfit->reason)
                                 : fmt::format("none: {} ({})", unfit->reason, unfit->detail);
  return std::string(std::get<const Path*>(selected)->spec().name);
}

}  // namespace

std::string operators_text(const Mapping& mapping) {
  if (mapping.operators.empty()) return "no operators\n";
  Table table({{"operator"}, {"path"}, {"kernels"}});
  for (const OpMapping& op : mapping.operators)
    table.add({op.op, path_text(op), fmt::format("{}", fmt::join(op.kernels, ", "))});
  return table.text();
}

std::string policies_text(const Mapping& mapping) {
  if (mapping.policies.empty()) return "";
  Table table({{"kernel"}, {"max dim", Align::right}, {"axis transform"}, {"generic axis"}});
  for (const KernelPolicy& policy : mapping.policies)
    table.add({policy.kernel,
               policy.max_interpolation_dim ? std::to_string(*policy.max_interpolation_dim) : "",
               policy.axis_transform.value_or(""), policy.generic_compute_axis.value_or("")});
  return "interpolation policies\n" + table.text();
}

ordered_json mapping_json(const Mapping& mapping) {
  auto operators = ordered_json::array();
  for (const OpMapping& op : mapping.operators) operators.push_back(operator_json(op));
  auto policies = ordered_json::array();
  for (const KernelPolicy& policy : mapping.policies) policies.push_back(policy_json(policy));
  return {{"version", value_or_null(mapping.version)},
          {"device", value_or_null(mapping.device)},
          {"framework", value_or_null(mapping.framework)},
          {"cann_version", value_or_null(mapping.cann_version)},
          {"pytorch_version", value_or_null(mapping.pytorch_version)},
          {"communication_data_ref", value_or_null(mapping.communication_data_ref)},
          {"operators", std::move(operators)},
          {"policies", std::move(policies)},
          {"unknown_fields", mapping.unknown_fields}};
}

}  // namespace profdb::cli
