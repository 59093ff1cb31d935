// What the reasons of misses mean, in an analyst's words.
#pragma once

#include <string>
#include <string_view>

namespace profdb::cli {

// One sentence or two for any reason of the contract.
std::string explain(std::string_view reason);

}  // namespace profdb::cli
