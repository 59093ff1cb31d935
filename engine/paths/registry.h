// The table of contents of the contract: every path of this build, one file each in this folder.
#pragma once

#include "engine/path.h"

namespace profdb {

const Path& matrix_compute_path();   // §3
const Path& generic_compute_path();  // §12

}  // namespace profdb
