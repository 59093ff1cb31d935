// Writes projected rows into the regime and candidate tables. Candidates are sorted by their table's primary
// key first: in another order every insertion would touch another page.
#include <fmt/format.h>

#include <map>
#include <unordered_map>

#include "engine/paths/registry.h"
#include "engine/release/dispatch.h"
#include "engine/store/candidates.h"
#include "importer/write/batch_insert.h"
#include "importer/write/ordered_bytes.h"
#include "importer/write/projector.h"
#include "importer/write/sorted_runs.h"

namespace profdb::importer {
namespace {

// Regimes remembered at a time; beyond that they are looked up in the database again.
constexpr std::size_t kRemembered = 50'000;

void text_key(const std::vector<FieldValue>& values, std::string& key) {
  key.clear();
  for (const FieldValue& value : values) {
    if (const auto* number = std::get_if<std::int64_t>(&value))
      append_ordered(key, *number);
    else
      append_ordered(key, std::get<std::string>(value));
  }
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

// What the two kinds of tables have in common: rejections, counters and the sorting.
class TableSink : public ProjectionSink {
 public:
  // `columns`: of the candidate table, its primary key first and in order.
  TableSink(store::Connection& connection, std::int64_t projection_id, std::size_t memory,
            const std::string& table, const std::vector<std::string>& columns)
      : connection_(connection),
        projection_id_(projection_id),
        insert_(connection, table, columns),
        candidates_(memory) {}

  void add(const Projected& projected, std::int64_t measurement_id, const Latency& latency) final {
    if (!projected.rejection.empty()) return reject(projected.rejection, measurement_id);
    if (!latency.latency_us) {
      ++unusable_;
      ++rejections_[latency.unusable_reason];
      add_unusable(projected, measurement_id);
      return;
    }
    ++usable_;
    record_.clear();
    add_candidate(projected, measurement_id, latency, record_);
    candidates_.add(record_);
  }

  void flush() final {
    candidates_.drain([this](std::string_view record) {
      insert_candidate(record, insert_);
      insert_.end_row();
    });
    insert_.flush();
  }

  void finish() override {
    flush();
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
  // Appends the candidate to `record`: its primary key in order, then the rest.
  virtual void add_candidate(const Projected& projected, std::int64_t measurement_id, const Latency& latency,
                             std::string& record) = 0;
  // Gives what add_candidate has made to `insert`, column by column.
  virtual void insert_candidate(std::string_view record, BatchInsert& insert) const = 0;
  virtual void add_unusable(const Projected& projected, std::int64_t measurement_id) = 0;

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

  BatchInsert insert_;
  SortedRuns candidates_;
  std::string record_;  // kept for its capacity
  std::int64_t usable_ = 0;
  std::int64_t unusable_ = 0;
  std::map<std::string, std::int64_t> rejections_;
};

class PathSink final : public TableSink {
 public:
  PathSink(store::Connection& connection, std::int64_t projection_id, const PathSpec& spec,
           std::size_t memory)
      : PathSink(connection, projection_id, spec, memory, primary_key(connection, spec)) {}

  void finish() override {
    store_counts();
    TableSink::finish();
  }

 protected:
  void add_candidate(const Projected& projected, std::int64_t measurement_id, const Latency& latency,
                     std::string& record) override {
    Regime& regime = find_regime(projected.group, measurement_id);
    ++regime.usable;
    for (const KeyPart& part : key_) {
      switch (part.kind) {
        case KeyPart::Kind::regime:
          append_ordered(record, regime.id);
          break;
        case KeyPart::Kind::source_class:
          append_ordered(record, static_cast<std::int64_t>(latency.source_class));
          break;
        case KeyPart::Kind::axis:
          append_ordered(record, projected.coordinate[part.axis]);
          break;
        case KeyPart::Kind::measurement:
          append_ordered(record, measurement_id);
          break;
      }
    }
    append_real(record, *latency.latency_us);
  }

  void insert_candidate(std::string_view record, BatchInsert& insert) const override {
    for (std::size_t i = 0; i < key_.size(); ++i) insert.add(take_integer(record));
    insert.add(take_real(record));
  }

  void add_unusable(const Projected& projected, std::int64_t measurement_id) override {
    ++find_regime(projected.group, measurement_id).unusable;
  }

 private:
  struct Regime {
    std::int64_t id = 0;
    std::int64_t usable = 0;    // not yet in the table
    std::int64_t unusable = 0;  // likewise
  };

  // A column of the primary key.
  struct KeyPart {
    enum class Kind { regime, source_class, axis, measurement };
    Kind kind = Kind::axis;
    std::size_t axis = 0;
    std::string column;
  };

  PathSink(store::Connection& connection, std::int64_t projection_id, const PathSpec& spec,
           std::size_t memory, std::vector<KeyPart> key)
      : TableSink(connection, projection_id, memory, fmt::format("{}_candidate", spec.name), columns(key)),
        sql_(store::path_sql(spec)),
        key_(std::move(key)) {}

  static std::vector<std::string> columns(const std::vector<KeyPart>& key) {
    std::vector<std::string> names;
    names.reserve(key.size() + 1);
    for (const KeyPart& part : key) names.push_back(part.column);
    names.emplace_back("latency_us");
    return names;
  }

  static std::vector<KeyPart> primary_key(store::Connection& connection, const PathSpec& spec) {
    std::vector<KeyPart> key;
    auto& find =
        connection.statement("SELECT name\nFROM pragma_table_info(:table)\nWHERE pk > 0\nORDER BY pk");
    find.bind(1, fmt::format("{}_candidate", spec.name));
    store::Rows rows(find);
    while (rows.next()) {
      KeyPart part{KeyPart::Kind::axis, 0, rows.text(0)};
      if (part.column == "regime_id") part.kind = KeyPart::Kind::regime;
      if (part.column == "source_class") part.kind = KeyPart::Kind::source_class;
      if (part.column == "measurement_id") part.kind = KeyPart::Kind::measurement;
      while (part.kind == KeyPart::Kind::axis && store::column(spec.axes.at(part.axis)) != part.column)
        ++part.axis;
      key.push_back(std::move(part));
    }
    return key;
  }

  Regime& find_regime(const std::vector<FieldValue>& values, std::int64_t measurement_id) {
    text_key(values, regime_key_);
    if (const auto it = regimes_.find(regime_key_); it != regimes_.end()) return it->second;
    if (regimes_.size() >= kRemembered) store_counts();
    return regimes_.emplace(regime_key_, Regime{regime_id(values, measurement_id), 0, 0}).first->second;
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
  std::vector<KeyPart> key_;
  std::string regime_key_;  // kept for its capacity
  std::unordered_map<std::string, Regime> regimes_;
};

class BaseExactSink final : public TableSink {
 public:
  BaseExactSink(store::Connection& connection, std::int64_t projection_id, std::size_t memory)
      : TableSink(connection, projection_id, memory, "base_exact_candidate",
                  {"signature_id", "padded_blocks", "elements", "source_class", "measurement_id",
                   "latency_us", "input_shapes"}) {}

 protected:
  void add_candidate(const Projected& projected, std::int64_t measurement_id, const Latency& latency,
                     std::string& record) override {
    append_ordered(record, signature_id(projected.group));
    append_ordered(record, projected.coordinate[0]);
    append_ordered(record, projected.elements);
    append_ordered(record, static_cast<std::int64_t>(latency.source_class));
    append_ordered(record, measurement_id);
    append_real(record, *latency.latency_us);
    append_ordered(record, projected.input_shapes);
  }

  void insert_candidate(std::string_view record, BatchInsert& insert) const override {
    insert.add(take_integer(record));
    insert.add(take_integer(record));
    insert.add(take_text(record));
    insert.add(take_integer(record));
    insert.add(take_integer(record));
    insert.add(take_real(record));
    insert.add(take_text(record));
  }

  // Contract §2: rows without a usable latency count nowhere.
  void add_unusable(const Projected& /*projected*/, std::int64_t /*measurement_id*/) override {}

 private:
  std::int64_t signature_id(const std::vector<FieldValue>& group) {
    text_key(group, key_);
    if (const auto it = signatures_.find(key_); it != signatures_.end()) return it->second;
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
    return signatures_.emplace(key_, rows.integer(0)).first->second;
  }

  std::string key_;  // kept for its capacity
  std::unordered_map<std::string, std::int64_t> signatures_;
};

}  // namespace

std::unique_ptr<ProjectionSink> make_table_sink(store::Connection& connection, std::int64_t release_id,
                                                std::int64_t kernel, const ProjectionKey& key,
                                                std::size_t memory) {
  const std::int64_t id = create_projection(connection, release_id, kernel, key);
  if (key.path == kBaseExactPath) return std::make_unique<BaseExactSink>(connection, id, memory);
  return std::make_unique<PathSink>(connection, id, find_path(key.path)->spec(), memory);
}

}  // namespace profdb::importer
