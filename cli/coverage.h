// profdb releases --coverage: what each operator of a release can be answered from.
#pragma once

#include <string>

namespace profdb::cli {

// Prints the view release_coverage of one release, as a table or as JSON. `release` as elsewhere; empty where
// the database holds one.
int print_coverage(const std::string& database, const std::string& release, bool json);

}  // namespace profdb::cli
