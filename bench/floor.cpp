// SQLite's C API, without anything around it.
#include "bench/floor.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "engine/lookup/base_exact.h"

namespace profdb::bench {
namespace {

constexpr const char* kSignature =
    "SELECT signature_id\n"
    "FROM base_exact_signature\n"
    "JOIN projection USING (projection_id)\n"
    "JOIN kernel USING (kernel_id)\n"
    "WHERE name = 'MatMulV2' AND base_exact_signature.input_count = 2";

constexpr const char* kRow =
    "SELECT source_class, measurement_id, latency_us, input_shapes\n"
    "FROM base_exact_candidate\n"
    "WHERE signature_id = ?1 AND padded_blocks = ?2 AND elements = ?3";

}  // namespace

DatabaseHandle open_bare(const std::string& database) {
  sqlite3* db = nullptr;
  const int code = sqlite3_open_v2(database.c_str(), &db, SQLITE_OPEN_READONLY, nullptr);
  DatabaseHandle handle(db);
  require(code == SQLITE_OK, fmt::format("cannot open '{}': {}", database, sqlite3_errstr(code)));
  return handle;
}

StatementHandle prepare_bare(sqlite3* db, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  StatementHandle handle(statement);
  require(code == SQLITE_OK, fmt::format("{}: {}", sqlite3_errmsg(db), sql));
  return handle;
}

ExactFloor::ExactFloor(const std::string& database) : db_(open_bare(database)) {
  const StatementHandle signature = prepare_bare(db_.get(), kSignature);
  require(sqlite3_step(signature.get()) == SQLITE_ROW, database + " has no MatMulV2 rows of two inputs");
  statement_ = prepare_bare(db_.get(), kRow);
  sqlite3_bind_int64(statement_.get(), 1, sqlite3_column_int64(signature.get(), 0));
}

ExactFloor::Key ExactFloor::key_of(const MatMul& product) {
  const Signature row = {{true, {product.m, product.k}, "DT_BF16", "ND"},
                         {true, {product.n, product.k}, "DT_BF16", "ND"}};
  base_exact::Key key = base_exact::row_key(row);
  return {key.padded_blocks, std::move(key.elements)};
}

std::vector<ExactFloor::Key> ExactFloor::keys_of(const std::vector<MatMul>& products) {
  std::vector<Key> keys;
  keys.reserve(products.size());
  for (const MatMul& product : products) keys.push_back(key_of(product));
  return keys;
}

int ExactFloor::fetch(const Key& key) {
  sqlite3_stmt* statement = statement_.get();
  sqlite3_bind_int64(statement, 2, key.padded_blocks);
  sqlite3_bind_text(statement, 3, key.elements.data(), static_cast<int>(key.elements.size()), SQLITE_STATIC);
  int rows = 0;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    ++rows;
    benchmark::DoNotOptimize(sqlite3_column_int64(statement, 0));
    benchmark::DoNotOptimize(sqlite3_column_int64(statement, 1));
    benchmark::DoNotOptimize(sqlite3_column_double(statement, 2));
    benchmark::DoNotOptimize(sqlite3_column_text(statement, 3));
  }
  sqlite3_reset(statement);
  return rows;
}

}  // namespace profdb::bench
