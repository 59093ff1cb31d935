// The subcommands: each adds itself to the app and says what is to be done when it is chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace profdb::cli {

// Runs the chosen subcommand and returns an exit code. Set while the arguments are parsed, run afterwards.
using Action = std::function<int()>;

void add_import(CLI::App& app, Action& action);
void add_releases(CLI::App& app, Action& action);
void add_lookup(CLI::App& app, Action& action);
void add_density(CLI::App& app, Action& action);
void add_holdout(CLI::App& app, Action& action);
void add_replay(CLI::App& app, Action& action);
void add_diff(CLI::App& app, Action& action);
void add_log(CLI::App& app, Action& action);
void add_mapping(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_migrate(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_serving(CLI::App& app, Action& action);

}  // namespace profdb::cli
