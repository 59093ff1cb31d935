// Every statement of a lookup is an index search: EXPLAIN QUERY PLAN shows no scan of any table.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "engine/paths/registry.h"
#include "engine/store/candidates.h"
#include "tests/support/fault_release.h"
#include "tests/support/release.h"

namespace {

using namespace profdb;
using namespace profdb::test;

std::vector<std::string> plan_of(SQLite::Database& db, const std::string& sql) {
  SQLite::Statement explain(db, "EXPLAIN QUERY PLAN " + sql);
  std::vector<std::string> details;
  while (explain.executeStep()) details.push_back(explain.getColumn(3).getString());
  return details;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Columns that the plan's searches fix by equality.
std::size_t equalities(const std::vector<std::string>& plan) {
  std::size_t count = 0;
  for (const std::string& line : plan)
    for (auto at = line.find("=?"); at != std::string::npos; at = line.find("=?", at + 1)) ++count;
  return count;
}

bool is_search(const std::string& step) {
  return step.starts_with("SEARCH ") && step.find(" USING ") != std::string::npos &&
         step.find("AUTOMATIC") == std::string::npos;
}

// What stands beside the access to tables. DISTINCT works on the rows that a search has found.
bool is_other_step(const std::string& step) {
  return step == "USE TEMP B-TREE FOR DISTINCT";
}

void expect_searches(SQLite::Database& db, const std::string& sql) {
  const auto plan = plan_of(db, sql);
  bool searched = false;
  for (const std::string& step : plan) {
    searched = searched || is_search(step);
    EXPECT_TRUE(is_search(step) || is_other_step(step)) << step << "\nin the plan of\n" << sql;
  }
  EXPECT_TRUE(searched) << sql;
}

class QueryPlan : public testing::Test {
 protected:
  QueryPlan() : connection_(folder_ / "empty.db", store::Mode::create) {}
  SQLite::Database& db() { return connection_.db(); }
  std::vector<std::string> plan(const std::string& sql) { return plan_of(db(), sql); }

  TempFolder folder_;
  store::Connection connection_;
};

TEST_F(QueryPlan, EveryStatementOfEveryPathIsASearch) {
  ASSERT_FALSE(all_paths().empty());
  for (const Path* path : all_paths()) {
    const store::PathSql& sql = store::path_sql(path->spec());
    expect_searches(db(), sql.find_regimes);
    expect_searches(db(), sql.list_regimes);
    expect_searches(db(), sql.exact);
    expect_searches(db(), sql.whole_class);
    expect_searches(db(), sql.find_regime_id);
    EXPECT_EQ(sql.per_group.size(), path->spec().groups.size());
    for (const std::string& group : sql.per_group) expect_searches(db(), group);
  }
}

TEST_F(QueryPlan, ExactCoordinateIsOneProbePerRegimeAndSourceClass) {
  for (const Path* path : all_paths()) {
    const auto steps = plan(store::path_sql(path->spec()).exact);
    // regime_id and source_class, then every axis
    EXPECT_EQ(equalities(steps), 2 + path->spec().axes.size()) << path->spec().name << "\n" << joined(steps);
  }
}

TEST_F(QueryPlan, FirstAxisGroupOfMatricesIsOneTightRange) {
  for (const char* name : {"matrix_compute", "quantized_matmul"}) {
    const Path* path = find_path(name);
    ASSERT_NE(path, nullptr) << name;
    // M at fixed K and N: regime_id and source_class, then n and k
    const auto steps = plan(store::path_sql(path->spec()).per_group.front());
    EXPECT_EQ(equalities(steps), 4U) << name << "\n" << joined(steps);
  }
}

TEST_F(QueryPlan, EveryAxisGroupStaysWithinItsRegimeAndSourceClass) {
  for (const Path* path : all_paths())
    for (const std::string& group : store::path_sql(path->spec()).per_group) {
      const auto steps = plan(group);
      EXPECT_NE(joined(steps).find("(regime_id=? AND source_class=?"), std::string::npos) << joined(steps);
    }
}

TEST_F(QueryPlan, RegimeIsFoundByOneProbe) {
  for (const Path* path : all_paths()) {
    const auto steps = plan(store::path_sql(path->spec()).find_regime_id);
    EXPECT_EQ(equalities(steps), 1 + path->spec().fields.size()) << path->spec().name << "\n"
                                                                 << joined(steps);
  }
}

TEST_F(QueryPlan, BaseExactMatchIsASearch) {
  expect_searches(db(), store::BaseExactSql::exact);
  expect_searches(db(), store::BaseExactSql::padded);
  expect_searches(db(), store::BaseExactSql::input_counts);
  // projection_id, input_count and input_dtypes; signature_id, padded_blocks, and elements where exact
  EXPECT_EQ(equalities(plan(store::BaseExactSql::exact)), 6U);
  EXPECT_EQ(equalities(plan(store::BaseExactSql::padded)), 5U);
}

// Every statement that any connection of this process runs while it lives.
class StatementTrace {
 public:
  StatementTrace() { sqlite3_auto_extension(entry()); }
  ~StatementTrace() {
    sqlite3_cancel_auto_extension(entry());
    keep(false);
  }
  StatementTrace(const StatementTrace&) = delete;
  StatementTrace& operator=(const StatementTrace&) = delete;

  // Statements count from here on. The connections must be opened after the trace has begun.
  static void keep(bool on) {
    const std::scoped_lock lock(mutex());
    keeping() = on;
    if (on) statements().clear();
  }
  static std::set<std::string> kept() {
    const std::scoped_lock lock(mutex());
    return statements();
  }

 private:
  static std::mutex& mutex() {
    static std::mutex mutex;
    return mutex;
  }
  static bool& keeping() {
    static bool keeping = false;
    return keeping;
  }
  static std::set<std::string>& statements() {
    static std::set<std::string> statements;
    return statements;
  }
  static int on_statement(unsigned /*type*/, void* /*context*/, void* statement, void* /*text*/) {
    const std::scoped_lock lock(mutex());
    if (keeping()) statements().emplace(sqlite3_sql(static_cast<sqlite3_stmt*>(statement)));
    return 0;
  }
  static int on_open(sqlite3* db, char** /*error*/, const void* /*api*/) {
    return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, on_statement, nullptr);
  }
  static void (*entry())() { return reinterpret_cast<void (*)()>(on_open); }
};

// The statements that lookups of a release run once the engine is there, whatever file of the engine they are
// in.
std::set<std::string> statements_of_lookups(const std::string& database,
                                            const std::vector<std::string>& leaves,
                                            std::set<std::string>& outcomes) {
  const StatementTrace trace;
  const Engine engine(database);
  StatementTrace::keep(true);
  for (const std::string& leaf : leaves) {
    const Result result = *engine.lookup(parse_leaf_op(leaf));
    outcomes.insert(result.hit() ? to_string(result.source) : result.reason);
  }
  return StatementTrace::kept();
}

TEST_F(QueryPlan, EveryStatementThatALookupRunsIsASearch) {
  write_versioned_release(folder_ / "release", 1, 20);
  const std::string database = folder_ / "prof.db";
  import_version(folder_ / "release", database, false);
  std::set<std::string> outcomes;
  // 112 is 100 rounded up to a multiple of 16: a padded match.
  std::string other_regime = matmul_leaf(100);
  for (auto at = other_regime.find("bfloat16"); at != std::string::npos; at = other_regime.find("bfloat16"))
    other_regime.replace(at, 8, "int8");
  const auto statements = statements_of_lookups(
      database,
      {matmul_leaf(100), matmul_leaf(150), matmul_leaf(99'999), add_leaf(100), add_leaf(112), other_regime},
      outcomes);
  EXPECT_EQ(outcomes, (std::set<std::string>{"MEASURED", "COMPATIBLE", "INTERPOLATED", "outside_boundary",
                                             "regime_mismatch"}));
  std::size_t selects = 0;
  for (const std::string& sql : statements) {
    if (!sql.starts_with("SELECT")) continue;  // BEGIN and COMMIT
    ++selects;
    expect_searches(db(), sql);
  }
  // At least: generation, base exact and padded, regimes found and listed, candidates, latency column.
  EXPECT_GE(selects, 6U) << joined({statements.begin(), statements.end()});
}

TEST_F(QueryPlan, ScanIsRecognised) {
  EXPECT_FALSE(is_search(plan("SELECT * FROM measurement WHERE latency_us = 1").front()));
  EXPECT_FALSE(is_search(plan("SELECT * FROM generation").front()));
  EXPECT_TRUE(is_search(plan("SELECT * FROM measurement WHERE measurement_id = 1").front()));
}

}  // namespace
