// The report on what a database's releases can answer, and how far that has been checked.
#pragma once

#include "report/document/document.h"
#include "report/sections/options.h"

namespace profdb::report {

// Reads the database in one read transaction; writes nothing. Throws Error(database) where it cannot be read,
// Error(usage) for a release, a hold-out run that is not there, or a database without releases, Error(input)
// for a replay file that is none.
Document release_report(const ReleaseReportOptions& options);

}  // namespace profdb::report
