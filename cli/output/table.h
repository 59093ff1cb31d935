// Plain text tables that fit 100 columns.
#pragma once

#include <string>
#include <vector>

namespace profdb::cli {

inline constexpr std::size_t kLineWidth = 100;

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  bool wraps = true;  // where it stands left
};

// Rows under titles. Columns without any content are left out. Where a table is wider than a line, the cells
// of its widest columns go over several lines; numbers, which stand right, never do.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell per column.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  std::size_t size() const { return rows_.size(); }
  // Titles, a rule, rows; without titles only the rows. Every line ends.
  std::string text() const;

 private:
  Table without_empty_columns() const;
  std::string layout() const;
  std::vector<std::size_t> widths() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Names and what they are, in two columns without titles. Empty values are left out.
class Facts {
 public:
  Facts() : table_({{""}, {""}}) {}
  void add(const std::string& name, const std::string& value) {
    if (!value.empty()) table_.add({name, value});
  }
  std::string text() const { return table_.text(); }

 private:
  Table table_;
};

// `text` in lines of at most `width` characters, broken after spaces and separators where there are any.
std::vector<std::string> wrap(const std::string& text, std::size_t width);

}  // namespace profdb::cli
