// The counters of an engine, for people.
#pragma once

#include <string>

#include "profdb/engine.h"

namespace profdb::cli {

// A table of the caches and a line on the rest.
std::string engine_stats_text(const EngineStats& stats);

}  // namespace profdb::cli
