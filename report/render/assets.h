// The files of report/assets/ that the build embeds.
#pragma once

#include <string_view>

namespace profdb::report {

// By path below assets/, e.g. "report.css". Empty for a name that is not there: a mistake of the build.
std::string_view asset(std::string_view name);

}  // namespace profdb::report
