// profdb releases: what a database holds.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "cli/commands.h"
#include "cli/input/options.h"
#include "cli/output/csv_output.h"
#include "cli/output/exit_code.h"
#include "cli/output/output.h"
#include "cli/output/table.h"
#include "cli/text/coverage.h"
#include "profdb/engine.h"

namespace profdb::cli {
namespace {

struct ReleasesOptions {
  std::string database;
  std::string release;
  bool coverage = false;
  bool json = false;
  bool csv = false;
};

nlohmann::ordered_json to_json(const ReleaseInfo& info) {
  return {{"release_id", info.release_id},        {"device", info.device},
          {"framework", info.framework},          {"framework_version", info.framework_version},
          {"torch_version", info.torch_version},  {"cann_version", info.cann_version},
          {"imported_at", info.imported_at},      {"content_digest", info.content_digest},
          {"synthetic", info.synthetic},          {"file_count", info.file_count},
          {"row_count", info.row_count},          {"taken_rows", info.taken_rows},
          {"unusable_rows", info.unusable_rows},  {"rejected_rows", info.rejected_rows},
          {"operator_count", info.operator_count}};
}

std::string text(const std::vector<ReleaseInfo>& releases) {
  if (releases.empty()) return "no releases; import one with 'profdb import'\n";
  Table table({{"id", Align::right},
               {"device"},
               {"framework"},
               {"version"},
               {"torch"},
               {"CANN"},
               {"files", Align::right},
               {"rows", Align::right},
               {"taken", Align::right},
               {"operators", Align::right},
               {"imported"}});
  std::map<std::string, std::string> synthetic;  // notice -> the releases that carry it
  for (const ReleaseInfo& info : releases) {
    table.add({std::to_string(info.release_id), info.device, info.framework, info.framework_version,
               info.torch_version, info.cann_version, count(info.file_count), count(info.row_count),
               count(info.taken_rows), count(info.operator_count), date_text(info.imported_at)});
    if (info.synthetic.empty()) continue;
    std::string& ids = synthetic[info.synthetic];
    ids += (ids.empty() ? "" : ", ") + std::to_string(info.release_id);
  }
  std::string notices;
  for (const auto& [notice, ids] : synthetic)
    notices += fmt::format("\nSYNTHETIC: the data of release {} is made up: {}\n", ids, printable(notice));
  return table.text() + notices;
}

int run(const ReleasesOptions& options) {
  if (options.coverage) return print_coverage(options.database, options.release, options.json, options.csv);
  const auto releases = list_releases(options.database);
  if (!options.json && !options.csv) {
    print(text(releases));
    return kDone;
  }
  auto all = nlohmann::ordered_json::array();
  for (const ReleaseInfo& info : releases) all.push_back(to_json(info));
  if (options.csv)
    print(csv_of(all));
  else
    print_json(all);
  return kDone;
}

}  // namespace

void add_releases(Command app, Action& action) {
  const auto options = std::make_shared<ReleasesOptions>();
  const Command command = app.add_subcommand("releases", "List the releases in a database");
  add_db_option(command, options->database);
  const Option coverage =
      command.add_flag("--coverage", options->coverage,
                       "Per operator of a release: path, dimension, data, what can be interpolated");
  add_release_option(command, options->release);
  command.option("--release").needs(coverage);
  add_json_option(command, options->json);
  add_csv_option(command, options->csv);
  command.footer(
      "Example:\n  profdb releases --db prof.db\n  profdb releases --db prof.db --coverage --release 1");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace profdb::cli
