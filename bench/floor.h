// P: a bare prepared statement through SQLite's C API, in autocommit, that fetches the row of an exact lookup
// by the key that the engine has for it, from the same file.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/workload.h"

namespace profdb::bench {

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};
struct FinishStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using DatabaseHandle = std::unique_ptr<sqlite3, CloseDatabase>;
using StatementHandle = std::unique_ptr<sqlite3_stmt, FinishStatement>;

// Both throw std::runtime_error with SQLite's words.
DatabaseHandle open_bare(const std::string& database);
StatementHandle prepare_bare(sqlite3* db, const char* sql);

// What fetches one row of the base exact match (schema: base_exact_candidate).
class ExactFloor {
 public:
  struct Key {
    std::int64_t padded_blocks = 0;
    std::string elements;
  };

  explicit ExactFloor(const std::string& database);
  static Key key_of(const MatMul& product);
  static std::vector<Key> keys_of(const std::vector<MatMul>& products);

  // Rows under the key; reads every column of each.
  int fetch(const Key& key);

 private:
  DatabaseHandle db_;
  StatementHandle statement_;
};

}  // namespace profdb::bench
