// Mapping tables.
#include "importer/write/mapping_store.h"

#include "engine/release/dispatch.h"
#include "importer/write/projector.h"

namespace profdb::importer {
namespace {

template <typename T>
void bind_optional(SQLite::Statement& statement, int index, const std::optional<T>& value) {
  if (value)
    statement.bind(index, *value);
  else
    statement.bind(index);
}

std::int64_t store_operator(store::Connection& connection, std::int64_t release_id, const OpMapping& op) {
  auto& insert = connection.statement(
      "INSERT INTO op_mapping (release_id, op, category, query_mode, compute_subcategory, tc_input_count, "
      "zero_cost, "
      "accepted_miss, accepted_miss_when, composite, api_path, expected_input_formats, notes, "
      "unknown_fields, path)\n"
      "VALUES (:release, :op, :category, :query_mode, :compute_subcategory, :tc_input_count, :zero_cost, "
      ":accepted_miss, "
      ":accepted_miss_when, :composite, :api_path, :expected_input_formats, :notes, :unknown_fields, :path)");
  insert.bind(1, release_id);
  insert.bind(2, op.op);
  insert.bind(3, op.category);
  bind_optional(insert, 4, op.query_mode);
  bind_optional(insert, 5, op.compute_subcategory);
  bind_optional(insert, 6, op.tc_input_count);
  insert.bind(7, op.zero_cost ? 1 : 0);
  bind_optional(insert, 8, op.accepted_miss);
  if (!op.accepted_miss_when.empty()) insert.bind(9, op.accepted_miss_when.dump());
  insert.bind(10, op.composite ? 1 : 0);
  bind_optional(insert, 11, op.api_path);
  insert.bind(12, nlohmann::json(op.expected_input_formats).dump());
  bind_optional(insert, 13, op.notes);
  insert.bind(14, op.unknown_fields.dump());
  const auto path = select_path(op);
  if (const auto* selected = std::get_if<const Path*>(&path))
    insert.bind(15, std::string((*selected)->spec().name));
  insert.exec();
  return connection.db().getLastInsertRowid();
}

void store_kernels(store::Connection& connection, std::int64_t op_mapping_id, const OpMapping& op) {
  for (std::size_t i = 0; i < op.kernels.size(); ++i) {
    const std::int64_t kernel = kernel_id(connection, op.kernels[i]);
    auto& insert = connection.statement(
        "INSERT INTO op_mapping_kernel (op_mapping_id, position, kernel_id)\nVALUES (:op_mapping, :position, "
        ":kernel)");
    insert.bind(1, op_mapping_id);
    insert.bind(2, static_cast<std::int64_t>(i));
    insert.bind(3, kernel);
    insert.exec();
  }
}

void store_policy(store::Connection& connection, std::int64_t release_id, std::int64_t position,
                  const KernelPolicy& policy) {
  const std::int64_t kernel = kernel_id(connection, policy.kernel);
  auto& insert = connection.statement(
      "INSERT INTO kernel_policy (release_id, position, kernel_id, max_interpolation_dim, axis_transform, "
      "generic_compute_axis, unknown_fields)\nVALUES (:release, :position, :kernel, :max_interpolation_dim, "
      ":axis_transform, "
      ":generic_compute_axis, :unknown_fields)");
  insert.bind(1, release_id);
  insert.bind(2, position);
  insert.bind(3, kernel);
  bind_optional(insert, 4, policy.max_interpolation_dim);
  bind_optional(insert, 5, policy.axis_transform);
  bind_optional(insert, 6, policy.generic_compute_axis);
  insert.bind(7, policy.unknown_fields.dump());
  insert.exec();
}

}  // namespace

void store_mapping(store::Connection& connection, std::int64_t release_id, const Mapping& mapping) {
  for (const OpMapping& op : mapping.operators)
    store_kernels(connection, store_operator(connection, release_id, op), op);
  for (std::size_t i = 0; i < mapping.policies.size(); ++i)
    store_policy(connection, release_id, static_cast<std::int64_t>(i), mapping.policies[i]);
}

void clear_mapping(store::Connection& connection, std::int64_t release_id) {
  for (const char* sql : {"DELETE FROM op_mapping\nWHERE release_id = :release",
                          "DELETE FROM kernel_policy\nWHERE release_id = :release",
                          "DELETE FROM projection\nWHERE release_id = :release"}) {
    auto& statement = connection.statement(sql);
    statement.bind(1, release_id);
    statement.exec();
  }
}

std::string mapping_fields(const Mapping& mapping) {
  nlohmann::ordered_json fields = mapping.unknown_fields;
  if (mapping.communication_data_ref) fields["communication_data_ref"] = *mapping.communication_data_ref;
  if (!mapping.column_aliases.empty()) fields["column_aliases"] = column_aliases_to_json(mapping);
  return fields.dump();
}

}  // namespace profdb::importer
