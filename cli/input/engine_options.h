// Options of every subcommand that asks the engine.
#pragma once

#include <string>

#include "cli/input/command.h"
#include "profdb/engine.h"

namespace profdb::cli {

// What the flags hold until they become EngineOptions.
struct EngineFlags {
  EngineOptions options;
  std::string padded_match = "last";
  bool no_interpolation = false;

  EngineOptions engine_options() const;
};

// --release, --ep-size, --tp-size, --no-interpolation, --padded-match.
void add_engine_options(Command command, EngineFlags& flags);

}  // namespace profdb::cli
