// Options that several subcommands have.
#pragma once

#include <string>

#include "cli/input/command.h"

namespace profdb::cli {

void add_db_option(Command command, std::string& database);
void add_release_option(Command command, std::string& release);
void add_json_option(Command command, bool& json);
// --csv; to be called after add_json_option, which it excludes.
void add_csv_option(Command command, bool& csv);

}  // namespace profdb::cli
