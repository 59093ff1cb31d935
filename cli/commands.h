// The subcommands: each adds itself to the app and says what is to be done when it is chosen.
#pragma once

#include <functional>
#include <string>

#include "cli/input/command.h"

namespace profdb::cli {

// Runs the chosen subcommand and returns an exit code. Set while the arguments are parsed, run afterwards.
using Action = std::function<int()>;

void add_import(Command app, Action& action);
void add_releases(Command app, Action& action);
void add_lookup(Command app, Action& action);
void add_density(Command app, Action& action);
void add_holdout(Command app, Action& action);
void add_replay(Command app, Action& action);
void add_diff(Command app, Action& action);
void add_log(Command app, Action& action);
void add_mapping(Command app, Action& action);
void add_verify(Command app, Action& action);
void add_migrate(Command app, Action& action);
void add_report(Command app, Action& action);
void add_serving(Command app, Action& action);

}  // namespace profdb::cli
