// profdb import: brings a release folder, or single CSV files, into a database.
#include "importer/import.h"

#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/input/options.h"
#include "cli/output/exit_code.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/text/import_report.h"

namespace profdb::cli {
namespace {

namespace fs = std::filesystem;

struct ImportFlags {
  importer::ImportOptions import;
  std::string database;
  std::vector<std::string> sources;
  std::string mapping;
  std::vector<std::string> aliases;
  bool json = false;
};

void add_alias(ImportFlags& options, const std::string& text) {
  const auto equals = text.rfind('=');
  const std::string stem = text.substr(0, equals);
  const std::string kernel = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (stem.empty() || kernel.empty())
    throw Error(ErrorKind::usage,
                fmt::format("--kernel-alias '{}' is not FILE_STEM=KERNEL; write for example "
                            "FusedInferAttentionScore_Decode=FusedInferAttentionScore",
                            text));
  const auto [it, added] = options.import.kernel_alias.emplace(stem, kernel);
  if (!added && it->second != kernel)
    throw Error(ErrorKind::usage, fmt::format("--kernel-alias calls '{}' both {} and {}; give it one kernel",
                                              stem, it->second, kernel));
}

// --kernel-alias takes one value; further ones behind it arrive among the sources.
bool is_alias(const std::string& source) {
  std::error_code ignored;
  return source.find('=') != std::string::npos && !fs::exists(source, ignored);
}

int run(ImportFlags& options) {
  options.import.database = options.database;
  if (!options.mapping.empty()) options.import.mapping = options.mapping;
  for (const std::string& alias : options.aliases) add_alias(options, alias);
  for (const std::string& source : options.sources) {
    if (is_alias(source) && !options.aliases.empty())
      add_alias(options, source);
    else
      options.import.sources.emplace_back(source);
  }
  importer::ImportReport report;
  {
    Progress progress("importing");
    options.import.progress = [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
    report = importer::import_release(options.import);
  }
  if (options.json) {
    print_json(to_json(report));
  } else {
    print(import_text(report));
    for (const std::string& warning : report.warnings) warn(warning);
  }
  return kDone;
}

void add_identity_options(Command command, importer::Identity& identity) {
  const auto add = [&](const char* flag, std::string& value, const char* what) {
    command.add_option(flag, value, what).type_name("NAME");
  };
  add("--device", identity.device, "Device, e.g. ASCEND_910B");
  add("--framework", identity.framework, "Framework, e.g. vllm_ascend");
  add("--framework-version", identity.framework_version, "Its version, e.g. 0.18.0");
  add("--torch-version", identity.torch_version, "Torch version, e.g. 2.9.0");
  add("--cann-version", identity.cann_version, "CANN version, e.g. 8.5");
}

}  // namespace

void add_import(Command app, Action& action) {
  const auto options = std::make_shared<ImportFlags>();
  const Command command =
      app.add_subcommand("import", "Bring a release folder, or CSV files, into a database");
  command.add_option("sources", options->sources, "A release folder, or CSV files")
      .required()
      .type_name("DIR|FILE");
  add_db_option(command, options->database);
  command
      .add_option("--mapping", options->mapping, "The operator mapping; else op_mapping.yaml in the folder")
      .type_name("FILE");
  add_identity_options(command, options->import.identity);
  command
      .add_option("--kernel-alias", options->aliases,
                  "The kernel of a file whose name is not one (may be repeated)")
      .type_name("FILE_STEM=KERNEL")
      .one_value();
  command.add_flag("--replace", options->import.replace,
                   "Let changed bytes take the place of a release of the same identity");
  command.add_flag("--dry-run", options->import.dry_run, "Do everything, then undo it: report only");
  command.add_flag("--keep-going", options->import.keep_going,
                   "Leave out, and record, files that cannot be read");
  add_json_option(command, options->json);
  command.footer(
      "Example:\n"
      "  profdb import vllm0.18.0_torch2.9.0_cann8.5 --db prof.db --device ASCEND_910B \\\n"
      "      --framework vllm_ascend --mapping mappings/ASCEND_910B/vllm_ascend-0.18.0.yaml \\\n"
      "      --kernel-alias FusedInferAttentionScore_Decode=FusedInferAttentionScore\n"
      "What the flags say of the release wins over the mapping, the mapping over the folder's name.\n"
      "An import lands whole, or leaves the database as it was. The same bytes again do nothing.");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace profdb::cli
