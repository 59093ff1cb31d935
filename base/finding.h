// What a check of a database or an archive has found.
#pragma once

#include <string>

namespace profdb {

// One thing that is wrong.
struct Finding {
  std::string check;    // its name
  std::string problem;  // what, where
};

}  // namespace profdb
