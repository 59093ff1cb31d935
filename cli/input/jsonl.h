// A stream of leaf operators, one per line, answered with a stream of results, one per line, in order.
#pragma once

#include <string>

#include "profdb/engine.h"

namespace profdb::cli {

// Reads `path` ("-": standard input) and prints. A line that is no leaf gives {"source":"ERROR",...} in its
// place; returns whether every line was one. A miss is an answer like any other. Throws Error(input) where
// the file cannot be read, Error(database) from the engine, OutputError.
bool answer_lines(const Engine& engine, const std::string& path);

}  // namespace profdb::cli
