// Writes measurements with their interned tensor lists and field sets, and reads them back as rows.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/store/database.h"
#include "engine/store/row.h"
#include "importer/write/batch_insert.h"
#include "importer/write/prepared_row.h"

namespace profdb::importer {

// XXH3-128 over a file's stored measurements in row order: what was imported can be told from what is there.
class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(const ContentHash&) = delete;
  ContentHash& operator=(const ContentHash&) = delete;

  struct Item {
    std::int64_t row_number = 0;
    std::uint64_t inputs = 0;  // text_hash of the stored texts
    std::uint64_t outputs = 0;
    std::uint64_t fields = 0;
    double latency_us = 0;  // 0 where there is none
    std::int64_t latency_column = -1;
    std::uint64_t unusable_reason = 0;
  };
  void add(const Item& item);
  std::string finish() const;  // 32 lower-case hex digits

 private:
  struct State;
  State* state_;
};

// Remembers which entries stand for what was interned last. Of two texts that fall on the same place the
// older one is forgotten: memory stays bounded, sharing gets weaker.
class InternTable {
 public:
  // The id of the entry for `text`; 0 where none is remembered, to be set by the caller.
  std::int64_t& find(const InternedText& text);

 private:
  struct Entry {
    std::uint64_t low = 0;  // of the text's digest
    std::uint64_t high = 0;
    std::int64_t id = 0;
  };
  std::vector<Entry> entries_;
};

// Writes the measurements of one import. Equal tensor lists and field sets share an entry as far as a bounded
// table remembers them.
class MeasurementWriter {
 public:
  explicit MeasurementWriter(store::Connection& connection);

  // Stores a row that is a measurement, and adds it to `hash`. Returns its measurement_id.
  std::int64_t add(std::int64_t source_file_id, const PreparedRow& row, ContentHash& hash);
  // Everything that was added is in the tables afterwards.
  void flush();

 private:
  std::int64_t tensor_list(const TensorListText& list);
  std::int64_t field_set(const FieldSetText& fields);
  std::int64_t type_list(const TensorListText& list);

  store::Connection& connection_;
  BatchInsert measurement_rows_;
  BatchInsert tensor_list_rows_;
  BatchInsert field_set_rows_;
  std::int64_t next_measurement_;
  std::int64_t next_tensor_list_;
  std::int64_t next_field_set_;
  InternTable tensor_lists_;
  InternTable field_sets_;
  std::map<std::string, std::int64_t, std::less<>> type_lists_;  // by dtypes and formats
};

// A stored row with what ContentHash wants of it.
struct StoredRow {
  Row row;
  ContentHash::Item item;
  std::string unusable_reason;
};

// Calls `use` for each measurement of a file, in row order. The row is valid during the call.
void for_each_measurement(store::Connection& connection, std::int64_t source_file_id,
                          const std::function<void(const StoredRow&)>& use);

}  // namespace profdb::importer
