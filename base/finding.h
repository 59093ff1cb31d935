// What a check of a database has found.
#pragma once

#include <string>

namespace profdb {

// One thing that is wrong.
struct Finding {
  std::string check;    // which check: integrity, foreign_keys, references, digests, counts, projection
  std::string problem;  // what, where
};

}  // namespace profdb
