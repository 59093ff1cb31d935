// The prompts of a round, from a file.
#pragma once

#include <filesystem>

#include "client/request_plan.h"

namespace profdb::serving {

// Reads {"warmup": [[1, 2, …], …], "measured": [[…], …]}: lists of prompts, each a list of token ids. Other
// members are left alone. Throws Error(input), naming the file and the place, for anything else.
PromptPools read_prompt_file(const std::filesystem::path& path);

}  // namespace profdb::serving
