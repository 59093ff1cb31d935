// The prompt pool of a round, from its file.
#pragma once

#include <string>
#include <vector>

#include "serving/rules/evidence.h"

namespace profdb::serving {

// The pool and each prompt's token ids as compact JSON.
struct PoolFile {
  PromptPool pool;
  std::vector<std::string> warmup_ids, measured_ids;
};

// Reads {"warmup": [[1, 2, ...], ...], "measured": [[...], ...]}. Throws Error(input).
PoolFile parse_pool(const std::string& text, const std::string& name);

}  // namespace profdb::serving
