// The tables release, device, op_mapping, op_mapping_kernel and kernel_policy, read.
#include "engine/store/releases.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace profdb {
namespace {

using nlohmann::ordered_json;

std::optional<std::string> optional_text(const SQLite::Column& column) {
  if (column.isNull()) return std::nullopt;
  return column.getString();
}

std::optional<std::int64_t> optional_integer(const SQLite::Column& column) {
  if (column.isNull()) return std::nullopt;
  return column.getInt64();
}

std::string listing(const std::vector<ReleaseInfo>& releases) {
  if (releases.empty()) return "the database holds none; import one with 'profdb import'";
  std::string text = "the database holds ";
  for (std::size_t i = 0; i < releases.size(); ++i)
    text += fmt::format("{}{} ({}, torch {}, CANN {})", i == 0 ? "" : ", ", releases[i].release_id,
                        release_name(releases[i]), releases[i].torch_version, releases[i].cann_version);
  return text;
}

bool is_named(const ReleaseInfo& info, const std::string& selector) {
  std::int64_t id = 0;
  const auto [end, ec] = std::from_chars(selector.data(), selector.data() + selector.size(), id);
  if (ec == std::errc() && end == selector.data() + selector.size()) return info.release_id == id;
  return release_name(info) == selector;
}

void load_kernels(store::Connection& connection, std::int64_t release_id, Mapping& mapping) {
  auto& statement = connection.statement(
      "SELECT o.op, k.name\nFROM op_mapping AS o\nJOIN op_mapping_kernel AS x USING (op_mapping_id)\nJOIN "
      "kernel AS k "
      "USING (kernel_id)\nWHERE o.release_id = :release\nORDER BY o.op_mapping_id, x.position");
  statement.bind(1, release_id);
  store::Rows rows(statement);
  auto op = mapping.operators.begin();
  while (rows.next()) {
    const std::string name = rows.text(0);
    while (op->op != name) ++op;
    op->kernels.push_back(rows.text(1));
  }
}

OpMapping read_op(const store::Rows& rows) {
  OpMapping op;
  op.op = rows.text(0);
  op.category = rows.text(1);
  op.query_mode = optional_text(rows[2]);
  op.compute_subcategory = optional_text(rows[3]);
  op.tc_input_count = optional_integer(rows[4]);
  op.zero_cost = rows.integer(5) != 0;
  op.accepted_miss = optional_text(rows[6]);
  if (const auto when = optional_text(rows[7])) op.accepted_miss_when = ordered_json::parse(*when);
  op.composite = rows.integer(8) != 0;
  op.api_path = optional_text(rows[9]);
  op.expected_input_formats = ordered_json::parse(rows.text(10)).get<std::vector<std::string>>();
  op.notes = optional_text(rows[11]);
  op.unknown_fields = ordered_json::parse(rows.text(12));
  return op;
}

void load_operators(store::Connection& connection, std::int64_t release_id, Mapping& mapping) {
  auto& statement = connection.statement(
      "SELECT op, category, query_mode, compute_subcategory, tc_input_count, zero_cost, accepted_miss, "
      "accepted_miss_when, composite, api_path, expected_input_formats, notes, unknown_fields\nFROM "
      "op_mapping\nWHERE "
      "release_id = :release\nORDER BY op_mapping_id");
  statement.bind(1, release_id);
  store::Rows rows(statement);
  while (rows.next()) mapping.operators.push_back(read_op(rows));
}

void load_policies(store::Connection& connection, std::int64_t release_id, Mapping& mapping) {
  auto& statement = connection.statement(
      "SELECT k.name, p.max_interpolation_dim, p.axis_transform, p.generic_compute_axis, "
      "p.unknown_fields\nFROM "
      "kernel_policy AS p\nJOIN kernel AS k USING (kernel_id)\nWHERE p.release_id = :release\nORDER BY "
      "p.position");
  statement.bind(1, release_id);
  store::Rows rows(statement);
  while (rows.next())
    mapping.policies.push_back({rows.text(0), optional_integer(rows[1]), optional_text(rows[2]),
                                optional_text(rows[3]), ordered_json::parse(rows.text(4))});
}

}  // namespace

std::int64_t read_generation(store::Connection& connection) {
  return connection.integer("SELECT number\nFROM generation\nWHERE one = 1");
}

std::string release_name(const ReleaseInfo& info) {
  return info.device + "/" + info.framework + "/" + info.framework_version;
}

std::vector<ReleaseInfo> list_releases(store::Connection& connection) {
  auto& statement = connection.statement(
      "SELECT r.release_id, d.name, r.framework, r.framework_version, r.torch_version, r.cann_version, "
      "r.imported_at, "
      "r.content_digest, r.synthetic,\n(SELECT count(*) FROM source_file AS f WHERE f.release_id = "
      "r.release_id),\n"
      "(SELECT coalesce(sum(row_count), 0) FROM source_file AS f WHERE f.release_id = r.release_id),\n"
      "(SELECT coalesce(sum(taken_rows), 0) FROM source_file AS f WHERE f.release_id = r.release_id),\n"
      "(SELECT coalesce(sum(unusable_rows), 0) FROM source_file AS f WHERE f.release_id = r.release_id),\n"
      "(SELECT coalesce(sum(rejected_rows), 0) FROM source_file AS f WHERE f.release_id = r.release_id),\n"
      "(SELECT count(*) FROM op_mapping AS o WHERE o.release_id = r.release_id)\n"
      "FROM release AS r\nJOIN device AS d USING (device_id)\nORDER BY r.release_id");
  std::vector<ReleaseInfo> releases;
  store::Rows rows(statement);
  while (rows.next())
    releases.push_back({rows.integer(0), rows.text(1), rows.text(2), rows.text(3), rows.text(4), rows.text(5),
                        rows.text(6), rows.text(7), rows.text(8), rows.integer(9), rows.integer(10),
                        rows.integer(11), rows.integer(12), rows.integer(13), rows.integer(14)});
  return releases;
}

ReleaseInfo select_release(store::Connection& connection, const std::string& selector) {
  const auto releases = list_releases(connection);
  if (selector.empty()) {
    if (releases.size() == 1) return releases.front();
    throw Error(
        ErrorKind::usage,
        fmt::format("name the release (--release ID or DEVICE/FRAMEWORK/VERSION): {}", listing(releases)));
  }
  std::vector<ReleaseInfo> named;
  std::copy_if(releases.begin(), releases.end(), std::back_inserter(named),
               [&](const ReleaseInfo& info) { return is_named(info, selector); });
  if (named.empty())
    throw Error(ErrorKind::usage, fmt::format("no release '{}': {}", selector, listing(releases)));
  if (named.size() > 1)
    throw Error(ErrorKind::usage, fmt::format("'{}' names several releases; choose one by its number: {}",
                                              selector, listing(named)));
  return named.front();
}

Mapping load_mapping(store::Connection& connection, std::int64_t release_id) {
  Mapping mapping;
  auto& statement = connection.statement(
      "SELECT d.name, r.framework, r.framework_version, r.torch_version, r.cann_version, "
      "r.mapping_fields\nFROM release "
      "AS r\nJOIN device AS d USING (device_id)\nWHERE r.release_id = :release");
  statement.bind(1, release_id);
  {
    store::Rows rows(statement);
    if (rows.next()) {
      mapping.device = rows.text(0);
      mapping.framework = rows.text(1);
      mapping.version = rows.text(2);
      mapping.pytorch_version = rows.text(3);
      mapping.cann_version = rows.text(4);
      mapping.unknown_fields = ordered_json::parse(rows.text(5));
      if (mapping.unknown_fields.contains("column_aliases")) {
        mapping.column_aliases = column_aliases_from_json(mapping.unknown_fields["column_aliases"]);
        mapping.unknown_fields.erase("column_aliases");
      }
      if (mapping.unknown_fields.contains("communication_data_ref")) {
        mapping.communication_data_ref = mapping.unknown_fields["communication_data_ref"].get<std::string>();
        mapping.unknown_fields.erase("communication_data_ref");
      }
    }
  }
  load_operators(connection, release_id, mapping);
  load_kernels(connection, release_id, mapping);
  load_policies(connection, release_id, mapping);
  return mapping;
}

}  // namespace profdb
