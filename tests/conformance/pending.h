// The list of cases that today's code does not answer as known: tests/conformance/pending.txt.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/conformance/cases.h"

namespace profdb::test {

struct Pending {
  std::map<std::string, std::set<int>> lines;  // folder -> lines of its cases.jsonl
  std::vector<std::string> problems;           // what is wrong with the list itself
};

// Reads the list: `folder:line` a line, sorted by folder and then by line, each once; lines that begin with #
// are comments, and nothing else is allowed. `cases`: how many cases each folder has. Everything that is
// wrong is among the problems, with its line.
Pending read_pending(const std::string& text, const std::map<std::string, int>& cases);

// What is wrong with the outcomes of a folder: a case that fails and is not pending, or one that is pending
// and answers as known.
std::vector<std::string> unexpected(const std::string& folder, const std::vector<Outcome>& outcomes,
                                    const std::set<int>& pending);

}  // namespace profdb::test
