// Flags as engine options.
#include "cli/input/engine_options.h"
#include "cli/input/options.h"

namespace profdb::cli {

EngineOptions EngineFlags::engine_options() const {
  EngineOptions engine = options;
  engine.interpolation = !no_interpolation;
  engine.padded_match = padded_match == "last"     ? PaddedMatch::last
                        : padded_match == "before" ? PaddedMatch::before
                                                   : PaddedMatch::off;
  return engine;
}

void add_engine_options(Command command, EngineFlags& flags) {
  add_release_option(command, flags.options.release);
  command.add_option("--ep-size", flags.options.ep_size, "Expert parallelism of the deployment")
      .type_name("N");
  command.add_option("--tp-size", flags.options.tp_size, "Tensor parallelism of the deployment")
      .type_name("N");
  command.add_flag("--no-interpolation", flags.no_interpolation, "Exact and compatible answers only");
  command
      .add_option("--padded-match", flags.padded_match,
                  "Measurements of the call padded to a block: after interpolation, before it, or not at all")
      .one_of({"last", "before", "off"})
      .type_name("last|before|off");
}

}  // namespace profdb::cli
