// Options of the analysing subcommands.
#include "cli/input/analysis_options.h"

#include <fmt/format.h>

#include "cli/input/options.h"
#include "cli/output/output.h"

namespace profdb::cli {

void add_filter_options(Command command, analysis::RegimeFilter& filter) {
  command.add_option("--kernel", filter.kernel, "Only this kernel").type_name("KERNEL");
  const Option path = command.add_option("--path", filter.path, "Only this lookup path").type_name("PATH");
  command.add_option("--regime", filter.regime_id, "Only this regime of the path, by its number")
      .type_name("ID")
      .needs(path);
}

void add_table_format_options(Command command, bool& json, CsvOptions& csv,
                              std::initializer_list<std::string> tables) {
  add_json_option(command, json);
  add_csv_option(command, csv.csv);
  if (tables.size() == 0) return;
  std::string names;
  for (const std::string& table : tables) names += (names.empty() ? "" : "|") + table;
  command.add_option("--table", csv.table, "Which table --csv prints; the first where it is left out")
      .one_of(std::vector<std::string>(tables))
      .type_name(names)
      .needs("--csv");
}

std::string synthetic_notice(const ReleaseInfo& release) {
  if (release.synthetic.empty()) return "";
  return fmt::format("\nSYNTHETIC: the data of this release is made up: {}\n", printable(release.synthetic));
}

}  // namespace profdb::cli
