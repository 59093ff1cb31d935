// The schema's history, embedded in the library: migrations/*.sql in order.
#pragma once

#include <string>
#include <vector>

namespace profdb::store {

struct Migration {
  const char* name;
  const char* sql;
};

// The schema version of this build is the number of its migrations.
const std::vector<Migration>& migrations();

}  // namespace profdb::store
