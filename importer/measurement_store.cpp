// Interning, writing and reading measurements.
#include "importer/measurement_store.h"

#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>

#include <xxhash.h>

namespace profdb::importer {
namespace {

using nlohmann::json;

// Places of an InternTable: 8 MiB.
constexpr std::size_t kPlaces = std::size_t{1} << 18;
// Beyond this many remembered type lists the table starts anew.
constexpr std::size_t kRememberedTypes = 10'000;

void append_json_text(std::string& out, const std::string& text) {
  const bool plain = std::none_of(text.begin(), text.end(), [](unsigned char c) {
    return c < 0x20 || c == '"' || c == '\\' || c >= 0x80;
  });
  if (plain)
    out.append("\"").append(text).append("\"");
  else
    out += json(text).dump();
}

void append_shape(std::string& out, const Shape& shape) {
  out += '[';
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) out += ',';
    const fmt::format_int digits(shape[i]);
    out.append(digits.data(), digits.size());
  }
  out += ']';
}

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

std::uint64_t ContentHash::text_hash(const std::string& text) {
  return XXH3_64bits(text.data(), text.size());
}

InternTable::Entry& InternTable::find(const std::string& text) {
  if (entries_.empty()) entries_.resize(kPlaces);
  const XXH128_hash_t digest = XXH3_128bits(text.data(), text.size());
  Entry& entry = entries_[digest.low64 % kPlaces];
  if (entry.low != digest.low64 || entry.high != digest.high64) entry = {digest.low64, digest.high64, 0, 0};
  return entry;
}

MeasurementWriter::MeasurementWriter(store::Connection& connection)
    : connection_(connection),
      insert_measurement_(connection.statement(
          "INSERT INTO measurement (measurement_id, source_file_id, row_number, input_list_id, "
          "output_list_id, field_set_id, latency_us, latency_column, unusable_reason)\n"
          "VALUES (:id, :file, :row, :inputs, :outputs, :fields, :latency, :column, :reason)")),
      insert_tensor_list_(
          connection.statement("INSERT INTO tensor_list (tensor_list_id, tensor_type_list_id, shapes)\n"
                               "VALUES (:id, :types, :shapes)")),
      insert_field_set_(
          connection.statement("INSERT INTO field_set (field_set_id, field_values)\nVALUES (:id, :values)")),
      next_measurement_(
          std::max(next_id(connection, "measurement"),
                   connection.integer("SELECT last_measurement_id + 1\nFROM generation\nWHERE one = 1"))),
      next_tensor_list_(next_id(connection, "tensor_list")),
      next_field_set_(next_id(connection, "field_set")) {}

std::int64_t MeasurementWriter::type_list(const std::string& dtypes, const std::string& formats) {
  const std::string key = dtypes + formats;
  if (const auto it = type_lists_.find(key); it != type_lists_.end()) return it->second;
  auto& insert = connection_.statement(
      "INSERT OR IGNORE INTO tensor_type_list (dtypes, formats)\nVALUES (:dtypes, :formats)");
  insert.bind(1, dtypes);
  insert.bind(2, formats);
  insert.exec();
  auto& find = connection_.statement(
      "SELECT tensor_type_list_id\nFROM tensor_type_list\nWHERE dtypes = :dtypes\nAND formats = :formats");
  find.bind(1, dtypes);
  find.bind(2, formats);
  store::Rows rows(find);
  rows.next();
  if (type_lists_.size() >= kRememberedTypes) type_lists_.clear();
  return type_lists_.emplace(key, rows.integer(0)).first->second;
}

InternTable::Entry MeasurementWriter::tensor_list(const std::vector<TensorSlot>& slots) {
  shapes_ = dtypes_ = formats_ = "[";
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (i > 0) {
      shapes_ += ',';
      dtypes_ += ',';
      formats_ += ',';
    }
    if (slots[i].present)
      append_shape(shapes_, slots[i].shape);
    else
      shapes_ += "null";
    append_json_text(dtypes_, slots[i].dtype);
    append_json_text(formats_, slots[i].format);
  }
  shapes_ += ']';
  dtypes_ += ']';
  formats_ += ']';
  key_.assign(shapes_).append(dtypes_).append(formats_);
  InternTable::Entry& entry = tensor_lists_.find(key_);
  if (entry.id != 0) return entry;
  insert_tensor_list_.tryReset();
  insert_tensor_list_.bind(1, next_tensor_list_);
  insert_tensor_list_.bind(2, type_list(dtypes_, formats_));
  insert_tensor_list_.bindNoCopy(3, shapes_);
  insert_tensor_list_.exec();
  entry.id = next_tensor_list_++;
  entry.text_hash = ContentHash::text_hash(key_);
  return entry;
}

InternTable::Entry MeasurementWriter::field_set(const ReadRow& row) {
  key_ = "[";
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (i > 0) key_ += ',';
    if (row.stored[i])
      append_json_text(key_, row.cells[i]);
    else
      key_ += "null";
  }
  key_ += ']';
  InternTable::Entry& entry = field_sets_.find(key_);
  if (entry.id != 0) return entry;
  insert_field_set_.tryReset();
  insert_field_set_.bind(1, next_field_set_);
  insert_field_set_.bindNoCopy(2, key_);
  insert_field_set_.exec();
  entry.id = next_field_set_++;
  entry.text_hash = ContentHash::text_hash(key_);
  return entry;
}

std::int64_t MeasurementWriter::add(std::int64_t source_file_id, std::int64_t row_number, const ReadRow& row,
                                    ContentHash& hash) {
  const InternTable::Entry inputs = tensor_list(row.row.inputs);
  const InternTable::Entry outputs = tensor_list(row.row.outputs);
  const InternTable::Entry fields = field_set(row);
  SQLite::Statement& insert = insert_measurement_;
  insert.tryReset();
  insert.bind(1, next_measurement_);
  insert.bind(2, source_file_id);
  insert.bind(3, row_number);
  insert.bind(4, inputs.id);
  insert.bind(5, outputs.id);
  insert.bind(6, fields.id);
  ContentHash::Item item{row_number, inputs.text_hash, outputs.text_hash, fields.text_hash, 0, -1, 0};
  if (row.row.latency_us) {
    insert.bind(7, *row.row.latency_us);
    insert.bind(8, *row.latency_column);
    insert.bind(9);
    item.latency_us = *row.row.latency_us;
    item.latency_column = *row.latency_column;
  } else {
    insert.bind(7);
    insert.bind(8);
    insert.bind(9, row.unusable_reason);
    item.unusable_reason = ContentHash::text_hash(row.unusable_reason);
  }
  insert.exec();
  hash.add(item);
  return next_measurement_++;
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
                   ContentHash::text_hash(rows.text(2) + rows.text(3) + rows.text(4)),
                   ContentHash::text_hash(rows.text(5) + rows.text(6) + rows.text(7)),
                   ContentHash::text_hash(rows.text(8)),
                   0,
                   -1,
                   0};
    if (rows[9].isNull()) {
      stored.unusable_reason = rows.text(11);
      stored.item.unusable_reason = ContentHash::text_hash(stored.unusable_reason);
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
