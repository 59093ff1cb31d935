// Inserts rows many at a time: one statement for a batch costs half of one for each row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/store/database.h"

namespace profdb::importer {

// Rows for one table. They are in the table once their batch is full or flush() was called; a failure is an
// SQLite::Exception then. Nothing is written on destruction.
class BatchInsert {
 public:
  BatchInsert(store::Connection& connection, const std::string& table,
              const std::vector<std::string>& columns);

  // The values of a row, column by column.
  void add(std::int64_t value) { next() = value; }
  void add(double value) { next() = value; }
  void add(std::string_view value);
  void add_null() { next() = std::monostate(); }
  // After the last value of a row.
  void end_row();
  void flush();

 private:
  using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

  Value& next() { return values_[used_++]; }
  void insert(SQLite::Statement& statement, std::size_t begin, std::size_t end);

  std::size_t columns_;
  SQLite::Statement& one_row_;
  SQLite::Statement& full_batch_;
  std::vector<Value> values_;  // of a full batch; texts keep their capacity
  std::size_t used_ = 0;
};

}  // namespace profdb::importer
