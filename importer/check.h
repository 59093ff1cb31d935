// Checks what imports have made: are the stored rows those that were read, and their projections what a fresh
// import would make of them?
#pragma once

#include <vector>

#include "base/finding.h"
#include "engine/store/database.h"

namespace profdb::importer {

// Appends what is wrong with the releases: the digest of every file's stored measurements, row counts, and
// whether every projection equals one made afresh. Within the caller's read transaction; writes nothing.
// Throws SQLite::Exception where the file cannot be read.
void check_releases(store::Connection& connection, std::vector<Finding>& findings);

}  // namespace profdb::importer
