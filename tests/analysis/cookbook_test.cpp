// schema/cookbook.md: every query in it, run on the sample database, prints what stands below it.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/analysis/sample_database.h"
#include "tests/support/release.h"

namespace {

using namespace profdb::test;

struct Recipe {
  std::string question;
  std::string query;
  std::string output;
};

// A recipe: a heading "## …", a block of sql, a block of text.
std::vector<Recipe> recipes() {
  const std::filesystem::path source(PROFDB_SOURCE_DIR);
  std::istringstream text(read_file(source / "schema" / "cookbook.md"));
  std::vector<Recipe> all;
  std::string* block = nullptr;
  for (std::string line; std::getline(text, line);) {
    if (line == "```")
      block = nullptr;
    else if (block != nullptr)
      *block += line + "\n";
    else if (line.rfind("## ", 0) == 0)
      all.push_back({line.substr(3), "", ""});
    else if (line == "```sql" && !all.empty())
      block = &all.back().query;
    else if (line == "```text" && !all.empty())
      block = &all.back().output;
  }
  return all;
}

// As `sqlite3 -header -column` prints, without blanks at line ends.
std::string columns_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  const auto add = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i)
      line += (i == 0 ? "" : "  ") + cells[i] + std::string(widths[i] - cells[i].size(), ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add(rows.front());
  std::vector<std::string> rules;
  rules.reserve(widths.size());
  for (const std::size_t width : widths) rules.emplace_back(width, '-');
  add(rules);
  for (std::size_t i = 1; i < rows.size(); ++i) add(rows[i]);
  return text;
}

std::string answer(SQLite::Database& db, const std::string& query) {
  SQLite::Statement select(db, query);
  std::vector<std::vector<std::string>> rows(1);
  for (int i = 0; i < select.getColumnCount(); ++i) rows[0].emplace_back(select.getColumnName(i));
  while (select.executeStep()) {
    rows.emplace_back();
    for (int i = 0; i < select.getColumnCount(); ++i) rows.back().push_back(select.getColumn(i).getString());
  }
  return columns_text(rows);
}

TEST(Cookbook, EveryQueryGivesTheOutputShown) {
  SQLite::Database db(sample_database());
  const auto all = recipes();
  EXPECT_EQ(all.size(), 10U);
  for (const Recipe& recipe : all) {
    ASSERT_FALSE(recipe.query.empty()) << recipe.question;
    ASSERT_FALSE(recipe.output.empty()) << recipe.question;
    EXPECT_EQ(answer(db, recipe.query), recipe.output) << recipe.question;
  }
}

}  // namespace
