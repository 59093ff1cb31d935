// Runs cases with known answers against a release.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace profdb::test {

// Imports `release` (folder with op_mapping.yaml and CSVs) and looks every line of `cases` up, as
// conformance/README says: source, reason, latency to 1e-9 relative, and exactly method, dim, axes,
// match_rule and kernel wherever given. `wanted` chooses lines; empty: all. Returns how many lines were
// compared.
int run_cases(const std::filesystem::path& release, const std::filesystem::path& cases,
              const std::function<bool(const nlohmann::json& line)>& wanted = {});

// The same against an existing database.
int run_cases_in(const std::filesystem::path& database, const std::filesystem::path& cases,
                 const std::function<bool(const nlohmann::json& line)>& wanted = {});

}  // namespace profdb::test
