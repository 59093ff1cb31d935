// Writes measurements with their interned tensor lists and field sets, and reads them back as rows.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/row.h"
#include "engine/store/database.h"
#include "importer/kernel_rows.h"

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
  static std::uint64_t text_hash(const std::string& text);

 private:
  struct State;
  State* state_;
};

// Remembers what was interned last, by the text it stands for. Of two texts that fall on the same place the
// older one is forgotten, so memory stays bounded and sharing gets weaker. Texts are compared by XXH3-128.
class InternTable {
 public:
  struct Entry {
    std::uint64_t low = 0;  // of the text's digest
    std::uint64_t high = 0;
    std::int64_t id = 0;  // 0: nothing is remembered here
    std::uint64_t text_hash = 0;
  };
  // The entry of `text`, or the place for it: `id` is then 0, and the caller sets id and text_hash.
  Entry& find(const std::string& text);

 private:
  std::vector<Entry> entries_;
};

// Writes the measurements of one import. Equal tensor lists and field sets share an entry as far as a bounded
// table remembers them.
class MeasurementWriter {
 public:
  explicit MeasurementWriter(store::Connection& connection);

  // Gives the row its measurement_id and adds it to `hash`.
  std::int64_t add(std::int64_t source_file_id, std::int64_t row_number, const ReadRow& row,
                   ContentHash& hash);

 private:
  InternTable::Entry tensor_list(const std::vector<TensorSlot>& slots);
  InternTable::Entry field_set(const ReadRow& row);
  std::int64_t type_list(const std::string& dtypes, const std::string& formats);

  store::Connection& connection_;
  SQLite::Statement& insert_measurement_;
  SQLite::Statement& insert_tensor_list_;
  SQLite::Statement& insert_field_set_;
  std::int64_t next_measurement_;
  std::int64_t next_tensor_list_;
  std::int64_t next_field_set_;
  InternTable tensor_lists_;
  InternTable field_sets_;
  std::unordered_map<std::string, std::int64_t> type_lists_;
  std::string shapes_, dtypes_, formats_, key_;  // kept for their capacity
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
