// Their names and help.
#include "cli/input/options.h"

namespace profdb::cli {

void add_db_option(Command command, std::string& database) {
  command.add_option("--db", database, "The database file").required().type_name("FILE");
}

void add_release_option(Command command, std::string& release) {
  command
      .add_option("--release", release,
                  "ID or DEVICE/FRAMEWORK/VERSION; may be left out where the database holds one release")
      .type_name("RELEASE");
}

void add_json_option(Command command, bool& json) {
  command.add_flag("--json", json, "Print JSON instead of text");
}

void add_csv_option(Command command, bool& csv) {
  command.add_flag("--csv", csv, "Print CSV instead of text").excludes("--json");
}

}  // namespace profdb::cli
