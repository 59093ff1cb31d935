// The templates of `serving init`: serving/schema/templates/ and the default protocol, embedded by the build.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace profdb::serving {

// By path below serving/, e.g. "protocols/default.yaml". Empty for a name that is not there.
std::string_view asset(std::string_view name);

// What init writes: name of the file, and what is in it.
std::vector<std::pair<std::string_view, std::string_view>> templates();

}  // namespace profdb::serving
