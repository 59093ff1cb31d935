// Cases with known answers, and how a release answers them.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "profdb/result.h"

namespace profdb::test {

// One line of a file of cases.
struct Case {
  int line = 0;         // from 1
  std::string why;      // what the case is there for; else its leaf
  nlohmann::json leaf;  // as it stands in the file: the engine may refuse it
  nlohmann::json options;
  nlohmann::json expected;
};

// Every line of `file`. Throws std::runtime_error, naming the line, for a file that cannot be read and for a
// line that is no case or gives something that no comparison looks at.
std::vector<Case> read_cases(const std::filesystem::path& file);

// Where `result` is not as `expected` says, one entry a field: source, reason, latency_us to 1e-9 relative,
// and exactly method, dim, axes, match_rule and kernel, wherever given.
std::vector<std::string> differences(const nlohmann::json& expected, const Result& result);

// What became of a case.
struct Outcome {
  int line = 0;
  std::string why;
  std::string failure;  // empty: answered as known. Else the differences, what was expected and the answer
};

// Looks every case up in an existing database. An exception is the failure of its case.
std::vector<Outcome> run_cases_in(const std::filesystem::path& database, const std::vector<Case>& cases);

// The same in `release` (folder with op_mapping.yaml and CSVs), imported for it. An import that fails is the
// failure of every case.
std::vector<Outcome> run_cases(const std::filesystem::path& release, const std::vector<Case>& cases);

}  // namespace profdb::test
