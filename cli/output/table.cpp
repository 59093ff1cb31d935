// Laying out plain text tables.
#include "cli/output/table.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "cli/output/output.h"

namespace profdb::cli {
namespace {

constexpr std::size_t kGap = 2;  // between columns
constexpr std::size_t kNarrowest = 10;

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

// Characters, where every character is one column wide.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

// The bytes that the first `width` characters take.
std::size_t bytes_of(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  while (at < text.size() && (width > 0 || !begins_character(text[at]))) {
    if (begins_character(text[at])) --width;
    ++at;
  }
  return at;
}

std::string line(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                 const std::vector<std::string>& cells) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t used = width_of(cells[i]);
    const std::string padding(widths[i] > used ? widths[i] - used : 0, ' ');
    text += columns[i].align == Align::right ? padding + cells[i] : cells[i] + padding;
    text.append(kGap, ' ');
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string lines(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                  const std::vector<std::string>& cells) {
  std::vector<std::vector<std::string>> wrapped;
  std::size_t height = 1;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    wrapped.push_back(wrap(cells[i], widths[i]));
    height = std::max(height, wrapped.back().size());
  }
  std::string text;
  for (std::size_t y = 0; y < height; ++y) {
    std::vector<std::string> parts;
    parts.reserve(wrapped.size());
    for (const auto& cell : wrapped) parts.push_back(y < cell.size() ? cell[y] : "");
    text += line(columns, widths, parts);
  }
  return text;
}

}  // namespace

std::vector<std::string> wrap(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::string_view rest = text;
  while (width_of(rest) > width) {
    std::size_t end = bytes_of(rest, std::max<std::size_t>(width, 1));
    const std::size_t space = rest.substr(0, end + 1).rfind(' ');
    const std::size_t separator = rest.substr(0, end).find_last_of(",;/_.+");
    if (space != std::string_view::npos && space > end / 2)
      end = space;
    else if (separator != std::string_view::npos && separator > end / 2)
      end = separator + 1;
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  }
  if (!rest.empty() || lines.empty()) lines.emplace_back(rest);
  return lines;
}

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  std::transform(cells.begin(), cells.end(), cells.begin(),
                 [](const std::string& cell) { return printable(cell); });
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(width_of(columns_[i].title));
    for (const auto& row : rows_) widths.back() = std::max(widths.back(), width_of(row[i]));
  }
  std::size_t total = std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  while (total > kLineWidth) {
    std::size_t widest = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i].align == Align::left && columns_[i].wraps &&
          (widest == columns_.size() || widths[i] > widths[widest]))
        widest = i;
    if (widest == columns_.size() || widths[widest] <= kNarrowest) break;
    --widths[widest];
    --total;
  }
  return widths;
}

Table Table::without_empty_columns() const {
  Table kept({});
  kept.rows_.resize(rows_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (std::all_of(rows_.begin(), rows_.end(), [&](const auto& row) { return row[i].empty(); })) continue;
    kept.columns_.push_back(columns_[i]);
    for (std::size_t y = 0; y < rows_.size(); ++y) kept.rows_[y].push_back(rows_[y][i]);
  }
  return kept;
}

std::string Table::text() const {
  return without_empty_columns().layout();
}

std::string Table::layout() const {
  if (columns_.empty()) return "";
  const auto width = widths();
  std::vector<std::string> titles;
  std::vector<std::string> rules;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    titles.push_back(columns_[i].title);
    rules.emplace_back(width[i], '-');
  }
  std::string text;
  if (std::any_of(titles.begin(), titles.end(), [](const auto& title) { return !title.empty(); }))
    text = lines(columns_, width, titles) + line(columns_, width, rules);
  for (const auto& row : rows_) text += lines(columns_, width, row);
  return text;
}

}  // namespace profdb::cli
