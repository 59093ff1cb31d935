// A result, and parts of one, as JSON text (formats §5).
#pragma once

#include <string>
#include <vector>

#include "profdb/result.h"

namespace profdb {

// Appends the text of to_json(result): dump() with bytes that are not UTF-8 replaced.
void append_json(std::string& out, const Result& result);
// Parts of a result: the fields of a regime as an object, and the axes as an array.
void append_json(std::string& out, const NamedValues& fields);
void append_json(std::string& out, const std::vector<std::string>& axes);

}  // namespace profdb
