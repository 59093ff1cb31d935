// Reads and writes the regime and candidate tables of any path, and those of the base exact match. The SQL is
// made from the path's description: the columns of a table are its fields and axes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/database.h"
#include "engine/store/path_spec.h"
#include "engine/store/row.h"
#include "profdb/result.h"

namespace profdb::store {

struct RegimeRow {
  std::int64_t regime_id = 0;
  std::vector<FieldValue> values;  // along PathSpec::fields
  std::int64_t usable_rows = 0;
  std::int64_t unusable_rows = 0;
  std::int64_t first_measurement_id = 0;
};

struct CandidateRow {
  std::vector<std::int64_t> coordinate;  // along PathSpec::axes
  std::int64_t measurement_id = 0;
  double latency_us = 0;
};

struct ExactRow {
  SourceClass source_class = SourceClass::selected;
  std::int64_t measurement_id = 0;
  double latency_us = 0;
  std::string_view input_shapes;  // the statement's: while the row is visited
};
// The same with its keys, on its own.
struct StoredExactRow {
  std::int64_t padded_blocks = 0;
  std::string elements;
  SourceClass source_class = SourceClass::selected;
  std::int64_t measurement_id = 0;
  double latency_us = 0;
  std::string input_shapes;
};
using VisitExact = std::function<void(const ExactRow&)>;

// The statements of one path, as text. Made once per path and kept as long as its description.
struct PathSql {
  std::string find_regimes;            // :projection and every exact field
  std::string list_regimes;            // :projection
  std::string exact;                   // :regime, :source_class, every axis
  std::vector<std::string> per_group;  // by axis group: :regime, :source_class, every axis outside the group
  std::string whole_class;             // :regime, :source_class
  std::string insert_regime;
  std::string find_regime_id;  // :projection and every field
  std::string count_regime;    // adds to the counters of a regime
};
// Always the same object for the same description.
const PathSql& path_sql(const PathSpec& spec);

// The statements of the base exact match.
struct BaseExactSql {
  static const std::string exact;   // :signature, :padded_blocks, :elements
  static const std::string padded;  // :signature, :padded_blocks
  static const std::string all;     // :signature, :limit
};

// Name of an axis's column, and of a path's tables.
std::string column(std::string_view axis);

// Regimes of the projection that agree with the target in every exact field, by first_measurement_id.
std::vector<RegimeRow> find_regimes(Connection& connection, const PathSpec& spec, std::int64_t projection_id,
                                    const std::vector<FieldValue>& target);
// Every regime of the projection.
std::vector<RegimeRow> list_regimes(Connection& connection, const PathSpec& spec, std::int64_t projection_id);

// Candidates at exactly `coordinate`, in row order.
std::vector<CandidateRow> find_exact(Connection& connection, const PathSpec& spec, std::int64_t regime_id,
                                     SourceClass source_class, const std::vector<std::int64_t>& coordinate);
// Candidates equal to `coordinate` on every axis outside `spec.groups[group]`, in row order.
std::vector<CandidateRow> find_group(Connection& connection, const PathSpec& spec, std::int64_t regime_id,
                                     SourceClass source_class, std::size_t group,
                                     const std::vector<std::int64_t>& coordinate);
// Every candidate of the regime's class, in row order.
std::vector<CandidateRow> find_class(Connection& connection, const PathSpec& spec, std::int64_t regime_id,
                                     SourceClass source_class);

// Visits the rows of the base exact match that share the keys.
void find_base_exact(Connection& connection, std::int64_t signature_id, std::int64_t padded_blocks,
                     const std::string& elements, const VisitExact& visit);
void find_base_padded(Connection& connection, std::int64_t signature_id, std::int64_t padded_blocks,
                      const VisitExact& visit);

// Every row of the class, but no more than `limit`.
std::vector<StoredExactRow> list_base_exact(Connection& connection, std::int64_t signature_id,
                                            std::int64_t limit);

// The name of the column that a measurement's latency comes from; empty where it has none.
std::string latency_column(Connection& connection, std::int64_t measurement_id);

// Binds a field value; reads one.
void bind(SQLite::Statement& statement, int index, const FieldValue& value);

}  // namespace profdb::store
