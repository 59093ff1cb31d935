// The exit codes of the program.
#pragma once

namespace profdb::cli {

// What the program exits with.
enum ExitCode : int {
  kDone = 0,
  kNo = 1,            // the answer is "no": a miss in a single lookup
  kUsage = 2,         // asked for something that cannot be asked
  kInput = 3,         // bad input data
  kDatabase = 4,      // database trouble, or memory ran out
  kInconclusive = 5,  // serving: neither yes nor no; evidence or a verdict is missing
  kInternal = 70,
  kOutput = 74,  // standard output cannot be written
};

}  // namespace profdb::cli
