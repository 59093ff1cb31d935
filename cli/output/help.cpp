// Breaking the descriptions of options and subcommands into lines.
#include "cli/output/help.h"

#include "cli/output/table.h"

namespace profdb::cli {

std::string HelpFormatter::entry(const std::string& name, const std::string& description) const {
  const std::size_t column = get_column_width();
  std::string text = "  " + name;
  if (text.size() + 2 > column)
    text += "\n" + std::string(column, ' ');
  else
    text.resize(column, ' ');
  std::string separator;
  for (const std::string& line : wrap(description, kLineWidth - column)) {
    text += separator + line;
    separator = "\n" + std::string(column, ' ');
  }
  return text + "\n";
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  return entry(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

}  // namespace profdb::cli
