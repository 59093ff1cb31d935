// The report on what a database's releases can answer, and how far that has been checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/report/document.h"

namespace profdb::report {

struct ReleaseReportOptions {
  std::string database;
  std::vector<std::string> releases;       // as EngineOptions::release; empty: every release of the database
  std::vector<std::int64_t> holdout_runs;  // of holdout_run; empty: the newest run of each release and kernel
  std::string replay;                      // a file written by `profdb replay --json`; empty: none
  std::string written_at;                  // when, for the reader; UTC
};

// Reads the database in one read transaction; writes nothing. Throws Error(database) where it cannot be read,
// Error(usage) for a release, a hold-out run that is not there, or a database without releases, Error(input)
// for a replay file that is none.
Document release_report(const ReleaseReportOptions& options);

}  // namespace profdb::report
