// INSERT with several rows of VALUES.
#include "importer/write/batch_insert.h"

#include <fmt/format.h>

namespace profdb::importer {

namespace {

constexpr std::size_t kRows = 32;  // of a batch

std::string insert_sql(const std::string& table, const std::vector<std::string>& columns, std::size_t rows) {
  std::string row = "(?";
  for (std::size_t i = 1; i < columns.size(); ++i) row += ", ?";
  row += ')';
  std::string sql = fmt::format("INSERT INTO {} ({})\nVALUES {}", table, fmt::join(columns, ", "), row);
  for (std::size_t i = 1; i < rows; ++i) sql += ", " + row;
  return sql;
}

}  // namespace

BatchInsert::BatchInsert(store::Connection& connection, const std::string& table,
                         const std::vector<std::string>& columns)
    : columns_(columns.size()),
      one_row_(connection.statement(insert_sql(table, columns, 1))),
      full_batch_(connection.statement(insert_sql(table, columns, kRows))),
      values_(columns.size() * kRows) {}

void BatchInsert::add(std::string_view value) {
  Value& slot = next();
  if (auto* text = std::get_if<std::string>(&slot))
    text->assign(value);
  else
    slot.emplace<std::string>(value);
}

void BatchInsert::end_row() {
  if (used_ < values_.size()) return;
  used_ = 0;
  insert(full_batch_, 0, values_.size());
}

void BatchInsert::flush() {
  const std::size_t end = used_;
  used_ = 0;
  for (std::size_t at = 0; at < end; at += columns_) insert(one_row_, at, at + columns_);
}

void BatchInsert::insert(SQLite::Statement& statement, std::size_t begin, std::size_t end) {
  statement.tryReset();
  for (std::size_t i = begin; i < end; ++i) {
    const int parameter = static_cast<int>(i - begin) + 1;
    const Value& value = values_[i];
    if (const auto* integer = std::get_if<std::int64_t>(&value))
      statement.bind(parameter, *integer);
    else if (const auto* real = std::get_if<double>(&value))
      statement.bind(parameter, *real);
    else if (const auto* text = std::get_if<std::string>(&value))
      statement.bindNoCopy(parameter, *text);
    else
      statement.bind(parameter);
  }
  statement.exec();
  statement.tryReset();
}

}  // namespace profdb::importer
