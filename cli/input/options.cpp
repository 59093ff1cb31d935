// Their names and help.
#include "cli/input/options.h"

namespace profdb::cli {

void add_db_option(CLI::App& command, std::string& database) {
  command.add_option("--db", database, "The database file")->required()->type_name("FILE");
}

void add_release_option(CLI::App& command, std::string& release) {
  command
      .add_option("--release", release,
                  "ID or DEVICE/FRAMEWORK/VERSION; may be left out where the database holds one release")
      ->type_name("RELEASE");
}

void add_json_option(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "Print JSON instead of text");
}

}  // namespace profdb::cli
