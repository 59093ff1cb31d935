// Options that several subcommands have.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace profdb::cli {

void add_db_option(CLI::App& command, std::string& database);
void add_release_option(CLI::App& command, std::string& release);
void add_json_option(CLI::App& command, bool& json);

}  // namespace profdb::cli
