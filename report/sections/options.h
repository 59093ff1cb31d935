// What a release report is to show.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace profdb::report {

struct ReleaseReportOptions {
  std::string database;
  std::vector<std::string> releases;       // as EngineOptions::release; empty: every release of the database
  std::vector<std::int64_t> holdout_runs;  // of holdout_run; empty: the newest run of each release and kernel
  std::string replay;                      // a file written by `profdb replay --json`; empty: none
  std::string written_at;                  // when, for the reader; UTC
};

}  // namespace profdb::report
