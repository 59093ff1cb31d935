// CSV of rows that a subcommand has as JSON.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace profdb::cli {

// Adds --csv; to be called after add_json_option, which it excludes.
void add_csv_option(CLI::App& command, bool& csv);

// The CSV of an array of objects: their keys are the columns, in the order in which they first occur.
std::string csv_of(const nlohmann::ordered_json& rows);

}  // namespace profdb::cli
