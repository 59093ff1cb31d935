// Checks the database file itself, whatever it holds.
#pragma once

#include <vector>

#include "base/finding.h"
#include "engine/store/database.h"

namespace profdb::store {

// Appends what is wrong: SQLite's integrity check and, where that holds, foreign keys and the references that
// are none (schema: tensor_list). False where the file is damaged, so that nothing else can be trusted.
// Within the caller's read transaction; writes nothing. Throws SQLite::Exception where the file cannot be
// read.
bool check_file(Connection& connection, std::vector<Finding>& findings);

}  // namespace profdb::store
