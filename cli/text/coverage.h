// profdb releases --coverage: what each operator of a release can be answered from.
#pragma once

#include <string>

namespace profdb::cli {

// Prints the view release_coverage of one release, as a table, JSON or CSV. `release` as elsewhere; empty
// where the database holds one.
int print_coverage(const std::string& database, const std::string& release, bool json, bool csv);

}  // namespace profdb::cli
