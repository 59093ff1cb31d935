// profdb serving run, as a part of profdb serving.
#pragma once

#include "cli/commands.h"

namespace profdb::cli {

void add_serving_run(CLI::App& serving, Action& action);

}  // namespace profdb::cli
