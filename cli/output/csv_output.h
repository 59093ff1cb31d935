// CSV of rows that a subcommand has as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace profdb::cli {

// The CSV of an array of objects: their keys are the columns, in the order in which they first occur.
std::string csv_of(const nlohmann::ordered_json& rows);

}  // namespace profdb::cli
