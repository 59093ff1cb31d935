// Projection of measurements, row by row.
#include "importer/write/projector.h"

#include <fmt/format.h>

#include <unordered_map>

#include "engine/lookup/base_exact.h"
#include "engine/lookup/signature.h"
#include "engine/paths/registry.h"
#include "engine/release/dispatch.h"
#include "engine/store/candidates.h"

namespace profdb::importer {

namespace {

// Bytes in which the candidates of one kernel are sorted; beyond that they go through a file.
constexpr std::size_t kSortMemory = std::size_t{64} * 1024 * 1024;

}  // namespace

Projected project(const ProjectionKey& key, const Row& row) {
  Projected projected;
  if (key.path == kBaseExactPath) {
    const Signature signature = row_signature(row, key);
    base_exact::Key exact = base_exact::row_key(signature);
    projected.group = {static_cast<std::int64_t>(signature.size()), joined_dtypes(signature)};
    projected.coordinate = {exact.padded_blocks};
    projected.elements = std::move(exact.elements);
    projected.input_shapes = std::move(exact.input_shapes);
    if (signature.empty()) projected.rejection = "no_tensor_input";
    return projected;
  }
  auto point = find_path(key.path)->project(row, key);
  if (const auto* unfit = std::get_if<Unfit>(&point)) {
    projected.rejection = unfit->reason;
  } else {
    projected.group = std::move(std::get<Candidate>(point).regime);
    projected.coordinate = std::move(std::get<Candidate>(point).coordinate);
  }
  return projected;
}

std::int64_t kernel_id(store::Connection& connection, const std::string& name) {
  auto& insert = connection.statement("INSERT OR IGNORE INTO kernel (name)\nVALUES (:name)");
  insert.bind(1, name);
  insert.exec();
  auto& find = connection.statement("SELECT kernel_id\nFROM kernel\nWHERE name = :name");
  find.bind(1, name);
  store::Rows rows(find);
  rows.next();
  return rows.integer(0);
}

void link_projections(store::Connection& connection, std::int64_t release_id, const Mapping& mapping) {
  auto& update = connection.statement(
      "UPDATE op_mapping_kernel\n"
      "SET projection_id = (SELECT p.projection_id FROM projection AS p JOIN kernel AS k USING (kernel_id) "
      "WHERE "
      "p.release_id = :release AND p.path = :path AND k.name = :kernel AND p.tc_input_count = "
      ":tc_input_count AND "
      "p.axis_policy = :axis_policy)\n"
      "WHERE op_mapping_id = (SELECT op_mapping_id FROM op_mapping WHERE release_id = :release AND op = "
      ":op)\n"
      "AND position = :position");
  for (const OpMapping& op : mapping.operators) {
    const auto selected = select_path(op);
    const Path* const* path = std::get_if<const Path*>(&selected);
    if (path == nullptr) continue;
    for (std::size_t i = 0; i < op.kernels.size(); ++i) {
      const ProjectionKey key = projection_key(mapping, op, **path, op.kernels[i]);
      update.tryReset();
      update.bind(":release", release_id);
      update.bind(":path", key.path);
      update.bind(":kernel", key.kernel);
      update.bind(":tc_input_count", key.tc_input_count);
      update.bind(":axis_policy", key.axis_policy);
      update.bind(":op", op.op);
      update.bind(":position", static_cast<std::int64_t>(i));
      update.exec();
    }
  }
}

Projector::Projector(store::Connection& connection, std::int64_t release_id,
                     const std::vector<ProjectionKey>& keys) {
  for (const ProjectionKey& key : keys) by_kernel_[key.kernel].keys.push_back(key);
  for (const ProjectionKey& key : keys) {
    Projections& projections = by_kernel_[key.kernel];
    projections.sinks.push_back(make_table_sink(connection, release_id, kernel_id(connection, key.kernel),
                                                key, kSortMemory / projections.keys.size()));
  }
}

const std::vector<ProjectionKey>& Projector::keys(const std::string& kernel) const {
  static const std::vector<ProjectionKey> none;
  const auto it = by_kernel_.find(kernel);
  return it == by_kernel_.end() ? none : it->second.keys;
}

void Projector::add(const std::string& kernel, const std::vector<Projected>& projected,
                    std::int64_t measurement_id, const Latency& latency) {
  const auto it = by_kernel_.find(kernel);
  if (it == by_kernel_.end()) return;
  for (std::size_t i = 0; i < projected.size(); ++i)
    it->second.sinks[i]->add(projected[i], measurement_id, latency);
}

void Projector::flush(const std::string& kernel) {
  const auto it = by_kernel_.find(kernel);
  if (it == by_kernel_.end()) return;
  for (const auto& sink : it->second.sinks) sink->flush();
}

void Projector::finish() {
  for (auto& [kernel, projections] : by_kernel_)
    for (const auto& sink : projections.sinks) sink->finish();
}

}  // namespace profdb::importer
