// The schema and the code agree about paths, and every view can be read.
#include <gtest/gtest.h>

#include "engine/paths/registry.h"
#include "engine/store/candidates.h"
#include "engine/store/database.h"
#include "tests/support/release.h"

namespace profdb {
namespace {

class Schema : public testing::Test {
 protected:
  test::TempFolder folder_;
  store::Connection connection_{folder_ / "schema.db", store::Mode::create};
};

TEST_F(Schema, PathTableHoldsEveryPathWithTheDimensionOfItsLargestGroup) {
  std::map<std::string, std::int64_t> stored;
  store::Rows rows(connection_.statement("SELECT name, max_dim FROM path"));
  while (rows.next()) stored[rows.text(0)] = rows.integer(1);
  std::map<std::string, std::int64_t> expected;
  for (const Path* path : all_paths()) {
    std::size_t largest = 0;
    for (const AxisGroup& group : path->spec().groups) largest = std::max(largest, group.size());
    expected[std::string(path->spec().name)] = static_cast<std::int64_t>(largest);
  }
  EXPECT_EQ(stored, expected);
}

// Preparing the statements of a path fails where a table or a column of its description is missing.
TEST_F(Schema, EveryPathHasItsTwoTables) {
  for (const Path* path : all_paths()) {
    const store::PathSql& sql = store::path_sql(path->spec());
    for (const std::string* text : {&sql.find_regimes, &sql.find_regime_id, &sql.exact, &sql.whole_class,
                                    &sql.insert_regime, &sql.count_regime})
      EXPECT_NO_THROW(connection_.statement(*text)) << *text;
  }
}

TEST_F(Schema, EveryViewCanBeReadAndSaysWhatItAnswers) {
  std::vector<std::pair<std::string, std::string>> views;
  {
    store::Rows rows(connection_.statement("SELECT name, sql FROM sqlite_master WHERE type = 'view'"));
    while (rows.next()) views.emplace_back(rows.text(0), rows.text(1));
  }
  EXPECT_GE(views.size(), 12U);
  for (const auto& [name, sql] : views) {
    EXPECT_NE(sql.find("\n-- "), std::string::npos) << name << " has no comment";
    store::Rows rows(connection_.statement("SELECT * FROM " + name));
    EXPECT_FALSE(rows.next()) << name << " has rows in an empty database";
  }
}

TEST_F(Schema, ANewDatabaseIsMarkedAsOurs) {
  EXPECT_EQ(connection_.integer("PRAGMA application_id"), store::kApplicationId);
  EXPECT_EQ(connection_.integer("PRAGMA user_version"), store::schema_version());
}

}  // namespace
}  // namespace profdb
