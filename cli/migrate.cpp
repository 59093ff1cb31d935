// profdb migrate: brings a database from an older profdb up to the current schema.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/input/options.h"
#include "cli/output/exit_code.h"
#include "cli/output/output.h"
#include "engine/store/database.h"

namespace profdb::cli {
namespace {

struct MigrateOptions {
  std::string database;
  bool json = false;
};

int run(const MigrateOptions& options) {
  const auto report = store::migrate(options.database);
  const bool migrated = report.from != report.to;
  if (options.json)
    print_json(
        {{"from", report.from},
         {"to", report.to},
         {"backup", migrated ? nlohmann::ordered_json(report.backup.string()) : nlohmann::ordered_json()}});
  else if (migrated)
    print(fmt::format("{}: schema {} -> {}; the file as it was is {}\n", options.database, report.from,
                      report.to, report.backup.string()));
  else
    print(fmt::format("{}: already current (schema {})\n", options.database, report.to));
  return kDone;
}

}  // namespace

void add_migrate(Command app, Action& action) {
  const auto options = std::make_shared<MigrateOptions>();
  const Command command =
      app.add_subcommand("migrate", "Bring a database up to this profdb's schema, after a backup");
  add_db_option(command, options->database);
  add_json_option(command, options->json);
  command.footer("Example:\n  profdb migrate --db prof.db");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace profdb::cli
