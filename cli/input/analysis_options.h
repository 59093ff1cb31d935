// Options that the analysing subcommands share, and how they print their tables.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "analysis/density.h"
#include "cli/input/command.h"
#include "cli/output/records.h"

namespace profdb::cli {

struct CsvOptions {
  bool csv = false;
  std::string table;  // of several; empty: the first
};

// --kernel, --path, --regime.
void add_filter_options(Command command, analysis::RegimeFilter& filter);

// --json and --csv, and --table where there are several tables to choose from.
void add_table_format_options(Command command, bool& json, CsvOptions& csv,
                              std::initializer_list<std::string> tables);

// "\nSYNTHETIC: …\n" for a release whose data is made up, else nothing.
std::string synthetic_notice(const ReleaseInfo& release);

}  // namespace profdb::cli
