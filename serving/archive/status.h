// Where a round stands: what is done, what is missing, and what to do next.
#pragma once

#include <string>
#include <vector>

#include "serving/archive/rounds.h"

namespace profdb::serving {

struct Step {
  std::string what;
  bool done = false;
  bool needed = true;   // false: it follows only from another verdict
  std::string detail;   // what is there, or what is missing
  std::string command;  // that does it
};

// In the order in which a round is done. Looks at what is there, not at whether it is valid.
std::vector<Step> status(store::Connection& connection, const StoredRound& round);

}  // namespace profdb::serving
