// Interning, writing and reading measurements.
#include "importer/write/measurement_store.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <nlohmann/json.hpp>

#include <xxhash.h>

namespace profdb::importer {
namespace {

using nlohmann::json;

// Places of an InternTable: 6 MiB.
constexpr std::size_t kPlaces = std::size_t{1} << 18;
// Beyond this many remembered type lists the table starts anew.
constexpr std::size_t kRememberedTypes = 10'000;

std::vector<TensorSlot> slots_of(const std::string& shapes, const std::string& dtypes,
                                 const std::string& formats) {
  const json shape_list = json::parse(shapes);
  const json dtype_list = json::parse(dtypes);
  const json format_list = json::parse(formats);
  std::vector<TensorSlot> slots;
  for (std::size_t i = 0; i < shape_list.size(); ++i) {
    TensorSlot slot;
    slot.present = !shape_list[i].is_null();
    if (slot.present) slot.shape = shape_list[i].get<Shape>();
    slot.dtype = dtype_list[i].get<std::string>();
    slot.format = format_list[i].get<std::string>();
    slots.push_back(std::move(slot));
  }
  return slots;
}

std::int64_t next_id(store::Connection& connection, const char* table) {
  return connection.integer(fmt::format("SELECT coalesce(max({0}_id), 0) + 1 FROM {0}", table));
}

}  // namespace

struct ContentHash::State {
  XXH3_state_t* xxh = XXH3_createState();
  State() = default;
  ~State() { XXH3_freeState(xxh); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

ContentHash::ContentHash() : state_(new State()) {
  XXH3_128bits_reset(state_->xxh);
}
ContentHash::~ContentHash() {
  delete state_;
}

void ContentHash::add(const Item& item) {
  const std::array<std::uint64_t, 7> words = {static_cast<std::uint64_t>(item.row_number),
                                              item.inputs,
                                              item.outputs,
                                              item.fields,
                                              std::bit_cast<std::uint64_t>(item.latency_us),
                                              static_cast<std::uint64_t>(item.latency_column),
                                              item.unusable_reason};
  XXH3_128bits_update(state_->xxh, words.data(), sizeof(words));
}

std::string ContentHash::finish() const {
  const XXH128_hash_t digest = XXH3_128bits_digest(state_->xxh);
  return fmt::format("{:016x}{:016x}", digest.high64, digest.low64);
}

std::int64_t& InternTable::find(const InternedText& text) {
  if (entries_.empty()) entries_.resize(kPlaces);
  Entry& entry = entries_[text.low % kPlaces];
  if (entry.low != text.low || entry.high != text.high) entry = {text.low, text.high, 0};
  return entry.id;
}

MeasurementWriter::MeasurementWriter(store::Connection& connection)
    : connection_(connection),
      measurement_rows_(connection, "measurement",
                        {"measurement_id", "source_file_id", "row_number", "input_list_id", "output_list_id",
                         "field_set_id", "latency_us", "latency_column", "unusable_reason"}),
      tensor_list_rows_(connection, "tensor_list", {"tensor_list_id", "tensor_type_list_id", "shapes"}),
      field_set_rows_(connection, "field_set", {"field_set_id", "field_values"}),
      next_measurement_(
          std::max(next_id(connection, "measurement"),
                   connection.integer("SELECT last_measurement_id + 1\nFROM generation\nWHERE one = 1"))),
      next_tensor_list_(next_id(connection, "tensor_list")),
      next_field_set_(next_id(connection, "field_set")) {}

std::int64_t MeasurementWriter::type_list(const TensorListText& list) {
  if (const auto it = type_lists_.find(list.types()); it != type_lists_.end()) return it->second;
  auto& insert = connection_.statement(
      "INSERT OR IGNORE INTO tensor_type_list (dtypes, formats)\nVALUES (:dtypes, :formats)");
  auto& find = connection_.statement(
      "SELECT tensor_type_list_id\nFROM tensor_type_list\nWHERE dtypes = :dtypes\nAND formats = :formats");
  for (SQLite::Statement* statement : {&insert, &find}) {
    statement->bind(1, std::string(list.dtypes()));
    statement->bind(2, std::string(list.formats()));
  }
  insert.exec();
  store::Rows rows(find);
  rows.next();
  if (type_lists_.size() >= kRememberedTypes) type_lists_.clear();
  return type_lists_.emplace(list.types(), rows.integer(0)).first->second;
}

std::int64_t MeasurementWriter::tensor_list(const TensorListText& list) {
  std::int64_t& id = tensor_lists_.find(list);
  if (id != 0) return id;
  tensor_list_rows_.add(next_tensor_list_);
  tensor_list_rows_.add(type_list(list));
  tensor_list_rows_.add(list.shapes());
  tensor_list_rows_.end_row();
  return id = next_tensor_list_++;
}

std::int64_t MeasurementWriter::field_set(const FieldSetText& fields) {
  std::int64_t& id = field_sets_.find(fields);
  if (id != 0) return id;
  field_set_rows_.add(next_field_set_);
  field_set_rows_.add(std::string_view(fields.text));
  field_set_rows_.end_row();
  return id = next_field_set_++;
}

std::int64_t MeasurementWriter::add(std::int64_t source_file_id, const PreparedRow& row, ContentHash& hash) {
  measurement_rows_.add(next_measurement_);
  measurement_rows_.add(source_file_id);
  measurement_rows_.add(row.row_number);
  measurement_rows_.add(tensor_list(row.inputs));
  measurement_rows_.add(tensor_list(row.outputs));
  measurement_rows_.add(field_set(row.fields));
  ContentHash::Item item{row.row_number, row.inputs.hash, row.outputs.hash, row.fields.hash, 0, -1, 0};
  if (row.latency.latency_us) {
    item.latency_us = *row.latency.latency_us;
    item.latency_column = row.latency_column;
    measurement_rows_.add(item.latency_us);
    measurement_rows_.add(item.latency_column);
    measurement_rows_.add_null();
  } else {
    item.unusable_reason = text_hash(row.latency.unusable_reason);
    measurement_rows_.add_null();
    measurement_rows_.add_null();
    measurement_rows_.add(std::string_view(row.latency.unusable_reason));
  }
  measurement_rows_.end_row();
  hash.add(item);
  return next_measurement_++;
}

void MeasurementWriter::flush() {
  tensor_list_rows_.flush();
  field_set_rows_.flush();
  measurement_rows_.flush();
}

void for_each_measurement(store::Connection& connection, std::int64_t source_file_id,
                          const std::function<void(const StoredRow&)>& use) {
  std::vector<std::string> columns;
  {
    auto& statement = connection.statement(
        "SELECT c.names\nFROM source_file AS f\nJOIN column_list AS c USING (column_list_id)\nWHERE "
        "f.source_file_id = :file");
    statement.bind(1, source_file_id);
    store::Rows rows(statement);
    if (rows.next()) columns = json::parse(rows.text(0)).get<std::vector<std::string>>();
  }
  auto& statement = connection.statement(
      "SELECT m.measurement_id, m.row_number, i.shapes, it.dtypes, it.formats, o.shapes, ot.dtypes, "
      "ot.formats, "
      "s.field_values, m.latency_us, m.latency_column, m.unusable_reason\nFROM measurement AS m\nJOIN "
      "tensor_list AS i ON "
      "i.tensor_list_id = m.input_list_id\nJOIN tensor_type_list AS it ON it.tensor_type_list_id = "
      "i.tensor_type_list_id\n"
      "JOIN tensor_list AS o ON o.tensor_list_id = m.output_list_id\nJOIN tensor_type_list AS ot ON "
      "ot.tensor_type_list_id = "
      "o.tensor_type_list_id\nJOIN field_set AS s ON s.field_set_id = m.field_set_id\nWHERE m.source_file_id "
      "= :file\nORDER BY "
      "m.measurement_id");
  statement.bind(1, source_file_id);
  store::Rows rows(statement);
  std::vector<std::string> cells;
  while (rows.next()) {
    StoredRow stored;
    stored.row.measurement_id = rows.integer(0);
    stored.row.inputs = slots_of(rows.text(2), rows.text(3), rows.text(4));
    stored.row.outputs = slots_of(rows.text(5), rows.text(6), rows.text(7));
    cells.clear();
    for (const json& cell : json::parse(rows.text(8)))
      cells.push_back(cell.is_null() ? "" : cell.get<std::string>());
    stored.row.columns = &columns;
    stored.row.cells = &cells;
    stored.item = {rows.integer(1),
                   text_hash(rows.text(2) + rows.text(3) + rows.text(4)),
                   text_hash(rows.text(5) + rows.text(6) + rows.text(7)),
                   text_hash(rows.text(8)),
                   0,
                   -1,
                   0};
    if (rows[9].isNull()) {
      stored.unusable_reason = rows.text(11);
      stored.item.unusable_reason = text_hash(stored.unusable_reason);
    } else {
      stored.row.latency_us = stored.item.latency_us = rows.real(9);
      stored.item.latency_column = rows.integer(10);
      stored.row.source_class =
          stored.item.latency_column == 0 ? SourceClass::selected : SourceClass::fallback;
    }
    use(stored);
  }
}

}  // namespace profdb::importer
