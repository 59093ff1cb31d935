// The one exception type of the library: misuse, bad input and database trouble.
#pragma once

#include <stdexcept>
#include <string>

namespace profdb {

// What kind of trouble an Error reports; the CLI's exit code follows from it.
enum class ErrorKind {
  usage,     // the caller asked for something that cannot be asked (exit 2)
  input,     // a file, row, column or field that was handed in is bad (exit 3)
  database,  // the database file is missing, foreign, damaged, locked, full or newer (exit 4)
};

// Thrown for everything that is not an answer. A lookup that finds nothing is not an error: it is a
// Result with a reason. The message says what is wrong, where (file, row, column or field), and what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace profdb
