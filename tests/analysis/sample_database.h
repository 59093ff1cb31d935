// The database of the SQL cookbook: the three synthetic sample releases, the sample lookups logged, one
// hold-out run.
#pragma once

#include <string>

namespace profdb::test {

// Made when first asked for, by the commands that schema/cookbook.md names; goes with the process. Tests read
// it. Throws where one of the commands fails.
std::string sample_database();

}  // namespace profdb::test
