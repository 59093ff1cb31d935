// profdb mapping: check a mapping file, show the one in force, put another in its place.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/input/options.h"
#include "cli/output/exit_code.h"
#include "cli/output/output.h"
#include "cli/text/import_report.h"
#include "cli/text/mapping_text.h"
#include "engine/store/database.h"
#include "engine/store/releases.h"
#include "importer/import.h"
#include "importer/mapping/mapping_yaml.h"

namespace profdb::cli {
namespace {

struct MappingOptions {
  std::string file;
  std::string database;
  std::string release;
  bool json = false;
};

std::string plural(std::size_t number, const char* noun) {
  return fmt::format("{} {}{}", count(static_cast<std::int64_t>(number)), noun, number == 1 ? "" : "s");
}

void print_mapping(const Mapping& mapping) {
  print(operators_text(mapping));
  const std::string policies = policies_text(mapping);
  if (!policies.empty()) print("\n" + policies);
}

int check(const MappingOptions& options) {
  const auto parsed = importer::read_mapping(options.file);
  if (options.json) {
    auto report = mapping_json(parsed.mapping);
    report["warnings"] = parsed.warnings;
    print_json(report);
    return kDone;
  }
  for (const std::string& warning : parsed.warnings) print(fmt::format("warning: {}\n", printable(warning)));
  if (!parsed.warnings.empty()) print("\n");
  print_mapping(parsed.mapping);
  print(fmt::format("\nok: {}, {}\n", plural(parsed.mapping.operators.size(), "operator"),
                    plural(parsed.warnings.size(), "warning")));
  return kDone;
}

int show(const MappingOptions& options) {
  store::Connection connection(options.database, store::Mode::read);
  try {
    const store::ReadTransaction transaction(connection);
    const ReleaseInfo info = select_release(connection, options.release);
    const Mapping mapping = load_mapping(connection, info.release_id);
    if (options.json) {
      auto report = mapping_json(mapping);
      report["release_id"] = info.release_id;
      print_json(report);
      return kDone;
    }
    print(fmt::format("release {}: {}, {}\n\n", info.release_id, printable(release_name(info)),
                      plural(mapping.operators.size(), "operator")));
    print_mapping(mapping);
    return kDone;
  } catch (const SQLite::Exception& e) {
    throw store::database_error(options.database, e, "read the mapping in");
  }
}

int set(const MappingOptions& options) {
  const auto report = importer::set_mapping(options.database, options.release, options.file);
  if (options.json) {
    print_json(to_json(report));
    return kDone;
  }
  for (const std::string& warning : report.warnings) warn(warning);
  std::int64_t rows = 0;
  for (const auto& file : report.files) rows += file.row_count;
  print(fmt::format("release {}: {}\nmapping replaced; {} rows of {} projected afresh\n", report.release_id,
                    printable(identity_text(report.identity)), count(rows),
                    plural(report.files.size(), "file")));
  return kDone;
}

// A subcommand of mapping with the options that all have.
Command add_part(Command mapping, const char* name, const char* what,
                 const std::shared_ptr<MappingOptions>& options, Action& action,
                 int (*run)(const MappingOptions&)) {
  const Command command = mapping.add_subcommand(name, what);
  add_json_option(command, options->json);
  command.callback([options, &action, run] { action = [options, run] { return run(*options); }; });
  return command;
}

void add_file_argument(Command command, MappingOptions& options) {
  command.add_option("file", options.file, "The operator mapping, YAML").required().type_name("FILE");
}

}  // namespace

void add_mapping(Command app, Action& action) {
  const auto options = std::make_shared<MappingOptions>();
  const Command mapping = app.add_subcommand("mapping", "Check, show or set an operator mapping");
  mapping.require_subcommand();
  mapping.footer("Example:\n  profdb mapping check op_mapping.yaml");

  const Command checking =
      add_part(mapping, "check", "Read a mapping strictly; list each operator's path and kernels", options,
               action, check);
  add_file_argument(checking, *options);
  checking.footer(
      "Example:\n  profdb mapping check op_mapping.yaml\nExits with 3 where the file is no mapping.");

  const Command showing =
      add_part(mapping, "show", "Show the mapping in force for a release", options, action, show);
  add_db_option(showing, options->database);
  add_release_option(showing, options->release);
  showing.footer("Example:\n  profdb mapping show --db prof.db --release ASCEND_910B/vllm_ascend/0.18.0");

  const Command setting =
      add_part(mapping, "set", "Put another mapping in force for a release", options, action, set);
  add_file_argument(setting, *options);
  add_db_option(setting, options->database);
  add_release_option(setting, options->release);
  setting.footer(
      "Example:\n"
      "  profdb mapping set op_mapping.yaml --db prof.db --release 1\n"
      "Projects the release's rows afresh, in one transaction; measurements are not touched.");
}

}  // namespace profdb::cli
