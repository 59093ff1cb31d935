// SQL of the regime and candidate tables, made from path descriptions.
#include "engine/store/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>

namespace profdb::store {
namespace {

bool contains(const AxisGroup& group, std::size_t axis) {
  return std::find(group.begin(), group.end(), axis) != group.end();
}

std::string coordinate_columns(const PathSpec& spec) {
  std::string columns;
  for (const auto axis : spec.axes) columns += column(axis) + ", ";
  return columns;
}

std::string regime_columns(const PathSpec& spec) {
  std::string columns;
  for (const RegimeField& field : spec.fields) columns += fmt::format("{}, ", field.name);
  return columns;
}

// SELECT of candidates with :regime, :source_class and equality on the axes that `fixed` chooses.
template <typename Fixed>
std::string select_candidates(const PathSpec& spec, Fixed fixed) {
  std::string sql = fmt::format(
      "SELECT {}measurement_id, latency_us\nFROM {}_candidate\nWHERE regime_id = :regime\nAND source_class = "
      ":source_class",
      coordinate_columns(spec), spec.name);
  for (std::size_t i = 0; i < spec.axes.size(); ++i)
    if (fixed(i)) sql += fmt::format("\nAND {0} = :{0}", column(spec.axes[i]));
  return sql;
}

std::string select_regimes(const PathSpec& spec) {
  return fmt::format(
      "SELECT regime_id, {}usable_rows, unusable_rows, first_measurement_id\nFROM {}_regime\nWHERE "
      "projection_id = "
      ":projection",
      regime_columns(spec), spec.name);
}

PathSql make_sql(const PathSpec& spec) {
  PathSql sql;
  sql.list_regimes = sql.find_regimes = select_regimes(spec);
  sql.find_regime_id =
      fmt::format("SELECT regime_id\nFROM {}_regime\nWHERE projection_id = :projection", spec.name);
  std::string field_parameters;
  for (const RegimeField& field : spec.fields) {
    const std::string equal = fmt::format("\nAND {0} = :{0}", field.name);
    if (field.match == Match::exact) sql.find_regimes += equal;
    sql.find_regime_id += equal;
    field_parameters += fmt::format(":{}, ", field.name);
  }
  sql.whole_class = select_candidates(spec, [](std::size_t) { return false; });
  sql.exact = select_candidates(spec, [](std::size_t) { return true; });
  for (const AxisGroup& group : spec.groups)
    sql.per_group.push_back(
        select_candidates(spec, [&](std::size_t axis) { return !contains(group, axis); }));
  sql.insert_regime = fmt::format(
      "INSERT INTO {}_regime (projection_id, {}first_measurement_id)\nVALUES (:projection, {}:measurement)",
      spec.name, regime_columns(spec), field_parameters);
  sql.count_regime = fmt::format(
      "UPDATE {}_regime\nSET usable_rows = usable_rows + :usable, unusable_rows = unusable_rows + "
      ":unusable\nWHERE "
      "regime_id = :regime",
      spec.name);
  return sql;
}

RegimeRow read_regime(const Rows& rows, const PathSpec& spec) {
  RegimeRow regime;
  int column = 0;
  regime.regime_id = rows.integer(column++);
  for (const RegimeField& field : spec.fields) {
    if (field.is_text)
      regime.values.emplace_back(rows.text(column++));
    else
      regime.values.emplace_back(rows.integer(column++));
  }
  regime.usable_rows = rows.integer(column++);
  regime.unusable_rows = rows.integer(column++);
  regime.first_measurement_id = rows.integer(column);
  return regime;
}

std::vector<RegimeRow> read_regimes(SQLite::Statement& statement, const PathSpec& spec) {
  std::vector<RegimeRow> regimes;
  Rows rows(statement);
  while (rows.next()) regimes.push_back(read_regime(rows, spec));
  std::sort(regimes.begin(), regimes.end(),
            [](const auto& a, const auto& b) { return a.first_measurement_id < b.first_measurement_id; });
  return regimes;
}

// Candidates come in index order; what depends on order (merging, Delaunay ties) wants row order.
std::vector<CandidateRow> read_candidates(SQLite::Statement& statement, const PathSpec& spec) {
  std::vector<CandidateRow> candidates;
  Rows rows(statement);
  const int axes = static_cast<int>(spec.axes.size());
  while (rows.next()) {
    CandidateRow row;
    row.coordinate.reserve(spec.axes.size());
    for (int i = 0; i < axes; ++i) row.coordinate.push_back(rows.integer(i));
    row.measurement_id = rows.integer(axes);
    row.latency_us = rows.real(axes + 1);
    candidates.push_back(std::move(row));
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const auto& a, const auto& b) { return a.measurement_id < b.measurement_id; });
  return candidates;
}

void visit_exact(SQLite::Statement& statement, const VisitExact& visit) {
  Rows rows(statement);
  while (rows.next()) {
    const SQLite::Column shapes = rows[3];
    const char* const text = shapes.getText();
    visit({rows.integer(0) == 0 ? SourceClass::selected : SourceClass::fallback,
           rows.integer(1),
           rows.real(2),
           {text, static_cast<std::size_t>(shapes.getBytes())}});
  }
}

}  // namespace

const std::string BaseExactSql::exact =
    "SELECT source_class, measurement_id, latency_us, input_shapes\n"
    "FROM base_exact_candidate\n"
    "WHERE signature_id = :signature\n"
    "AND padded_blocks = :padded_blocks\n"
    "AND elements = :elements";
const std::string BaseExactSql::padded =
    "SELECT source_class, measurement_id, latency_us, input_shapes\n"
    "FROM base_exact_candidate\n"
    "WHERE signature_id = :signature\n"
    "AND padded_blocks = :padded_blocks";

const std::string BaseExactSql::all =
    "SELECT padded_blocks, elements, source_class, measurement_id, latency_us, input_shapes\n"
    "FROM base_exact_candidate\n"
    "WHERE signature_id = :signature\n"
    "LIMIT :limit";

std::string column(std::string_view axis) {
  std::string name(axis);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

PathSqlSlot::~PathSqlSlot() {
  delete made_.load();
}

const PathSql& path_sql(const PathSpec& spec) {
  std::atomic<const PathSql*>& slot = spec.sql.made_;
  if (const PathSql* made = slot.load(std::memory_order_acquire)) return *made;
  auto mine = std::make_unique<const PathSql>(make_sql(spec));
  const PathSql* first = nullptr;  // what another thread has put there meanwhile
  return slot.compare_exchange_strong(first, mine.get()) ? *mine.release() : *first;
}

void bind(SQLite::Statement& statement, int index, const FieldValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value))
    statement.bind(index, *number);
  else
    statement.bind(index, std::get<std::string>(value));
}

std::vector<RegimeRow> find_regimes(Connection& connection, const PathSpec& spec, std::int64_t projection_id,
                                    const std::vector<FieldValue>& target) {
  SQLite::Statement& statement = connection.kept(path_sql(spec).find_regimes);
  int index = 1;
  statement.bind(index++, projection_id);
  for (std::size_t i = 0; i < spec.fields.size(); ++i)
    if (spec.fields[i].match == Match::exact) bind(statement, index++, target[i]);
  return read_regimes(statement, spec);
}

std::vector<RegimeRow> list_regimes(Connection& connection, const PathSpec& spec,
                                    std::int64_t projection_id) {
  SQLite::Statement& statement = connection.kept(path_sql(spec).list_regimes);
  statement.bind(1, projection_id);
  return read_regimes(statement, spec);
}

std::vector<CandidateRow> find_exact(Connection& connection, const PathSpec& spec, std::int64_t regime_id,
                                     SourceClass source_class, const std::vector<std::int64_t>& coordinate) {
  SQLite::Statement& statement = connection.kept(path_sql(spec).exact);
  int index = 1;
  statement.bind(index++, regime_id);
  statement.bind(index++, static_cast<int>(source_class));
  for (const std::int64_t value : coordinate) statement.bind(index++, value);
  return read_candidates(statement, spec);
}

std::vector<CandidateRow> find_group(Connection& connection, const PathSpec& spec, std::int64_t regime_id,
                                     SourceClass source_class, std::size_t group,
                                     const std::vector<std::int64_t>& coordinate) {
  SQLite::Statement& statement = connection.kept(path_sql(spec).per_group[group]);
  int index = 1;
  statement.bind(index++, regime_id);
  statement.bind(index++, static_cast<int>(source_class));
  for (std::size_t axis = 0; axis < coordinate.size(); ++axis)
    if (!contains(spec.groups[group], axis)) statement.bind(index++, coordinate[axis]);
  return read_candidates(statement, spec);
}

std::vector<CandidateRow> find_class(Connection& connection, const PathSpec& spec, std::int64_t regime_id,
                                     SourceClass source_class) {
  SQLite::Statement& statement = connection.kept(path_sql(spec).whole_class);
  statement.bind(1, regime_id);
  statement.bind(2, static_cast<int>(source_class));
  return read_candidates(statement, spec);
}

void find_base_exact(Connection& connection, std::int64_t signature_id, std::int64_t padded_blocks,
                     const std::string& elements, const VisitExact& visit) {
  SQLite::Statement& statement = connection.kept(BaseExactSql::exact);
  statement.bind(1, signature_id);
  statement.bind(2, padded_blocks);
  statement.bindNoCopy(3, elements);
  visit_exact(statement, visit);
}

void find_base_padded(Connection& connection, std::int64_t signature_id, std::int64_t padded_blocks,
                      const VisitExact& visit) {
  SQLite::Statement& statement = connection.kept(BaseExactSql::padded);
  statement.bind(1, signature_id);
  statement.bind(2, padded_blocks);
  visit_exact(statement, visit);
}

std::vector<StoredExactRow> list_base_exact(Connection& connection, std::int64_t signature_id,
                                            std::int64_t limit) {
  SQLite::Statement& statement = connection.kept(BaseExactSql::all);
  statement.bind(1, signature_id);
  statement.bind(2, limit);
  std::vector<StoredExactRow> all;
  Rows rows(statement);
  while (rows.next())
    all.push_back({rows.integer(0), rows.text(1),
                   rows.integer(2) == 0 ? SourceClass::selected : SourceClass::fallback, rows.integer(3),
                   rows.real(4), rows.text(5)});
  return all;
}

std::string latency_column(Connection& connection, std::int64_t measurement_id) {
  static const std::string sql =
      "SELECT json_extract(f.latency_columns, '$[' || m.latency_column || ']')\n"
      "FROM measurement AS m\n"
      "JOIN source_file AS f USING (source_file_id)\n"
      "WHERE m.measurement_id = :measurement";
  SQLite::Statement& statement = connection.kept(sql);
  statement.bind(1, measurement_id);
  Rows rows(statement);
  return rows.next() ? rows.text(0) : std::string();
}

}  // namespace profdb::store
