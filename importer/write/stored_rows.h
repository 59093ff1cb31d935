// The measurements of a release as paths see them: read back from the database, with the mapping's column
// aliases.
#pragma once

#include <functional>
#include <string>

#include "engine/lookup/plan.h"
#include "engine/store/database.h"
#include "engine/store/row.h"

namespace profdb::importer {

// Calls `use` for each measurement of the kernel, file by file in row order. The row holds during the call.
void for_each_kernel_row(store::Connection& connection, const ReleaseState& release,
                         const std::string& kernel, const std::function<void(const Row&)>& use);

}  // namespace profdb::importer
