// Projection of measurements, row by row.
#include "importer/projector.h"

#include <fmt/format.h>

#include <unordered_map>

#include "engine/dispatch.h"
#include "engine/paths/base_exact.h"
#include "engine/signature.h"
#include "engine/store/candidates.h"

namespace profdb::importer {
namespace {

// Regimes remembered at a time; beyond that they are looked up in the database again.
constexpr std::size_t kRemembered = 50'000;

std::string text_key(const std::vector<FieldValue>& values) {
  std::string key;
  for (const FieldValue& value : values) {
    if (const auto* number = std::get_if<std::int64_t>(&value))
      key += std::to_string(*number);
    else
      key += std::get<std::string>(value);
    key += '\x1f';
  }
  return key;
}

std::int64_t create_projection(store::Connection& connection, std::int64_t release_id, std::int64_t kernel,
                               const ProjectionKey& key) {
  auto& insert = connection.statement(
      "INSERT INTO projection (release_id, kernel_id, path, tc_input_count, axis_policy)\nVALUES (:release, "
      ":kernel, :path, "
      ":tc_input_count, :axis_policy)");
  insert.bind(1, release_id);
  insert.bind(2, kernel);
  insert.bind(3, key.path);
  insert.bind(4, key.tc_input_count);
  insert.bind(5, key.axis_policy);
  insert.exec();
  return connection.db().getLastInsertRowid();
}

// What the two kinds of tables have in common: rejections and counters.
class TableSink : public ProjectionSink {
 public:
  TableSink(store::Connection& connection, std::int64_t projection_id)
      : connection_(connection), projection_id_(projection_id) {}

  void add(const Projected& projected, const Row& row, const std::string& unusable_reason) final {
    if (!projected.rejection.empty()) return reject(projected.rejection, row.measurement_id);
    if (!row.latency_us) {
      ++unusable_;
      ++rejections_[unusable_reason];
    } else {
      ++usable_;
    }
    insert(projected, row);
  }

  void finish() override {
    auto& update = connection_.statement(
        "UPDATE projection\nSET candidate_count = :usable, unusable_count = :unusable\nWHERE projection_id = "
        ":projection");
    update.bind(1, usable_);
    update.bind(2, unusable_);
    update.bind(3, projection_id_);
    update.exec();
    for (const auto& [reason, count] : rejections_) {
      auto& insert_count = connection_.statement(
          "INSERT INTO projection_rejection_count (projection_id, reason, row_count)\nVALUES (:projection, "
          ":reason, :count)");
      insert_count.bind(1, projection_id_);
      insert_count.bind(2, reason);
      insert_count.bind(3, count);
      insert_count.exec();
    }
  }

 protected:
  virtual void insert(const Projected& projected, const Row& row) = 0;

  store::Connection& connection_;
  std::int64_t projection_id_;

 private:
  void reject(std::string_view reason, std::int64_t measurement_id) {
    ++rejections_[std::string(reason)];
    auto& statement = connection_.statement(
        "INSERT INTO projection_rejection (projection_id, reason, measurement_id)\nVALUES (:projection, "
        ":reason, :measurement)");
    statement.bind(1, projection_id_);
    statement.bind(2, std::string(reason));
    statement.bind(3, measurement_id);
    statement.exec();
  }

  std::int64_t usable_ = 0;
  std::int64_t unusable_ = 0;
  std::map<std::string, std::int64_t> rejections_;
};

class PathSink final : public TableSink {
 public:
  PathSink(store::Connection& connection, std::int64_t projection_id, const PathSpec& spec)
      : TableSink(connection, projection_id), sql_(store::path_sql(spec)) {}

  void finish() override {
    store_counts();
    TableSink::finish();
  }

 protected:
  void insert(const Projected& projected, const Row& row) override {
    Regime& regime = find_regime(projected.group, row.measurement_id);
    if (!row.latency_us) {
      ++regime.unusable;
      return;
    }
    ++regime.usable;
    auto& statement = connection_.statement(sql_.insert_candidate);
    int index = 1;
    statement.bind(index++, regime.id);
    statement.bind(index++, static_cast<int>(row.source_class));
    for (const std::int64_t value : projected.coordinate) statement.bind(index++, value);
    statement.bind(index++, row.measurement_id);
    statement.bind(index, *row.latency_us);
    statement.exec();
  }

 private:
  struct Regime {
    std::int64_t id = 0;
    std::int64_t usable = 0;    // not yet in the table
    std::int64_t unusable = 0;  // likewise
  };

  Regime& find_regime(const std::vector<FieldValue>& values, std::int64_t measurement_id) {
    const std::string key = text_key(values);
    if (const auto it = regimes_.find(key); it != regimes_.end()) return it->second;
    if (regimes_.size() >= kRemembered) store_counts();
    return regimes_.emplace(key, Regime{regime_id(values, measurement_id), 0, 0}).first->second;
  }

  void bind_regime(SQLite::Statement& statement, const std::vector<FieldValue>& values) const {
    int index = 1;
    statement.bind(index++, projection_id_);
    for (const FieldValue& value : values) store::bind(statement, index++, value);
  }

  std::int64_t regime_id(const std::vector<FieldValue>& values, std::int64_t measurement_id) {
    auto& find = connection_.statement(sql_.find_regime_id);
    bind_regime(find, values);
    {
      store::Rows rows(find);
      if (rows.next()) return rows.integer(0);
    }
    auto& insert_regime = connection_.statement(sql_.insert_regime);
    bind_regime(insert_regime, values);
    insert_regime.bind(static_cast<int>(values.size()) + 2, measurement_id);
    insert_regime.exec();
    return connection_.db().getLastInsertRowid();
  }

  void store_counts() {
    for (const auto& [key, regime] : regimes_) {
      auto& statement = connection_.statement(sql_.count_regime);
      statement.bind(1, regime.usable);
      statement.bind(2, regime.unusable);
      statement.bind(3, regime.id);
      statement.exec();
    }
    regimes_.clear();
  }

  const store::PathSql& sql_;
  std::unordered_map<std::string, Regime> regimes_;
};

class BaseExactSink final : public TableSink {
 public:
  using TableSink::TableSink;

 protected:
  void insert(const Projected& projected, const Row& row) override {
    if (!row.latency_us) return;  // contract §2: rows without a usable latency count nowhere
    auto& statement = connection_.statement(
        "INSERT INTO base_exact_candidate (signature_id, padded_blocks, elements, source_class, "
        "measurement_id, "
        "latency_us, input_shapes)\nVALUES (:signature, :padded_blocks, :elements, :source_class, "
        ":measurement, :latency, "
        ":input_shapes)");
    statement.bind(1, signature_id(projected.group));
    statement.bind(2, projected.coordinate[0]);
    statement.bindNoCopy(3, projected.elements);
    statement.bind(4, static_cast<int>(row.source_class));
    statement.bind(5, row.measurement_id);
    statement.bind(6, *row.latency_us);
    statement.bindNoCopy(7, projected.input_shapes);
    statement.exec();
  }

 private:
  std::int64_t signature_id(const std::vector<FieldValue>& group) {
    const std::string key = text_key(group);
    if (const auto it = signatures_.find(key); it != signatures_.end()) return it->second;
    if (signatures_.size() >= kRemembered) signatures_.clear();
    auto& insert_signature = connection_.statement(
        "INSERT OR IGNORE INTO base_exact_signature (projection_id, input_count, input_dtypes)\nVALUES "
        "(:projection, "
        ":input_count, :input_dtypes)");
    auto& find = connection_.statement(
        "SELECT signature_id\nFROM base_exact_signature\nWHERE projection_id = :projection\nAND input_count "
        "= "
        ":input_count\nAND input_dtypes = :input_dtypes");
    for (SQLite::Statement* statement : {&insert_signature, &find}) {
      statement->bind(1, projection_id_);
      store::bind(*statement, 2, group[0]);
      store::bind(*statement, 3, group[1]);
    }
    insert_signature.exec();
    store::Rows rows(find);
    rows.next();
    return signatures_.emplace(key, rows.integer(0)).first->second;
  }

  std::unordered_map<std::string, std::int64_t> signatures_;
};

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

std::unique_ptr<ProjectionSink> make_table_sink(store::Connection& connection, std::int64_t release_id,
                                                std::int64_t kernel, const ProjectionKey& key) {
  const std::int64_t id = create_projection(connection, release_id, kernel, key);
  if (key.path == kBaseExactPath) return std::make_unique<BaseExactSink>(connection, id);
  return std::make_unique<PathSink>(connection, id, find_path(key.path)->spec());
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
  for (const ProjectionKey& key : keys)
    by_kernel_[key.kernel].push_back(
        {key, make_table_sink(connection, release_id, kernel_id(connection, key.kernel), key)});
}

void Projector::add(const std::string& kernel, const Row& row, const std::string& unusable_reason) {
  const auto it = by_kernel_.find(kernel);
  if (it == by_kernel_.end()) return;
  for (Entry& entry : it->second) entry.sink->add(project(entry.key, row), row, unusable_reason);
}

void Projector::finish() {
  for (auto& [kernel, entries] : by_kernel_)
    for (Entry& entry : entries) entry.sink->finish();
}

}  // namespace profdb::importer
