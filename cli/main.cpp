// profdb on the command line: picks the subcommand, and turns what goes wrong into a message and an exit
// code.
#include <SQLiteCpp/Exception.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>

#include "cli/commands.h"
#include "cli/output/exit_code.h"
#include "cli/output/help.h"
#include "cli/output/output.h"
#include "profdb/engine.h"
#include "profdb/error.h"

namespace profdb::cli {

namespace {

// The subcommand that the arguments name, as far as they were understood: whose help may be of use.
std::string chosen_command(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* inner : app.get_subcommands()) name += " " + chosen_command(*inner);
  return name;
}

// CLI11 says only that a subcommand is missing, also where there is one that it does not know.
std::string usage_message(const CLI::App& app, const CLI::ParseError& e) {
  const auto unknown = app.remaining(true);
  if (dynamic_cast<const CLI::RequiredError*>(&e) == nullptr || unknown.empty() ||
      unknown.front().starts_with('-'))
    return e.what();
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  std::string known;
  for (const CLI::App* inner : command->get_subcommands({}))
    known += (known.empty() ? "" : ", ") + inner->get_name();
  return known.empty() ? e.what()
                       : fmt::format("there is no command '{}'; choose from {}", unknown.front(), known);
}

int usage_error(const CLI::App& app, const CLI::ParseError& e) {
  complain(fmt::format("{}\nSee '{} --help'.", usage_message(app, e), chosen_command(app)));
  return kUsage;
}

int exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return kUsage;
    case ErrorKind::input:
      return kInput;
    case ErrorKind::database:
      return kDatabase;
  }
  return kInternal;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Profiling database for accelerator operators: how long does this call take, and how do we know?",
      "profdb");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", fmt::format("profdb {}", version()), "Print the version and exit");
  app.require_subcommand(1);
  app.footer(
      "Example:\n"
      "  profdb import release_folder --db prof.db\n"
      "  profdb lookup --db prof.db leaf.json\n"
      "Exit codes: 0 done, 1 the answer is no, 2 usage, 3 bad input data, 4 database trouble.");
  Action action;
  const Command command(&app);
  add_import(command, action);
  add_releases(command, action);
  add_lookup(command, action);
  add_density(command, action);
  add_holdout(command, action);
  add_replay(command, action);
  add_diff(command, action);
  add_log(command, action);
  add_mapping(command, action);
  add_report(command, action);
  add_serving(command, action);
  add_verify(command, action);
  add_migrate(command, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& e) {
    return usage_error(app, e);
  }
  const int code = action();
  flush_output();
  return code;
}

int run_guarded(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const OutputError& e) {
    // A reader that has gone away (a pager, head) knows that it has.
    if (!e.reader_gone()) complain(e.what());
    return kOutput;
  } catch (const Error& e) {
    complain(e.what());
    return exit_code_of(e.kind());
  } catch (const SQLite::Exception& e) {
    complain(fmt::format("the database reports: {}", e.what()));
    return kDatabase;
  } catch (const std::filesystem::filesystem_error& e) {
    complain(e.what());
    return kInput;
  } catch (const std::bad_alloc&) {
    complain("out of memory");
    return kDatabase;
  } catch (const std::exception& e) {
    complain(fmt::format("internal error: {}", e.what()));
    return kInternal;
  }
}

}  // namespace
}  // namespace profdb::cli

int main(int argc, char** argv) {
  // A closed pipe shall be an error that unwinds, so that the query log is still written.
  if (std::signal(SIGPIPE, SIG_IGN) == SIG_ERR) std::perror("profdb");
  return profdb::cli::run_guarded(argc, argv);
}
