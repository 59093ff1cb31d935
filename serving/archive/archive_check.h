// Comparing what the database has with the files that it came from.
#pragma once

#include <string>
#include <vector>

#include "serving/archive/evidence_load.h"
#include "serving/read/prompt_pool.h"

namespace profdb::serving {

// How an artifact's file is now: "accessible", "missing" or "changed".
std::string look_at(const StoredRound& round, const Artifact& artifact);

// Findings about the round's own artifacts, its RunSpec, protocol and time anchor.
std::vector<Finding> check_round_archive(const StoredRound& round, const std::vector<Artifact>& artifacts);

// Findings about the stored accuracy run, scorer results, functional checks and ledger events, against their
// files.
std::vector<Finding> check_documents(store::Connection& connection, const StoredRound& round,
                                     const std::vector<Artifact>& artifacts);

// Findings about the stored prompts, against the pool's file.
std::vector<Finding> check_prompts(store::Connection& connection, const StoredRound& round,
                                   const PoolFile& pool);

// Findings about a record file whose bytes have changed: which records, and what in them.
std::vector<Finding> compare_record_file(store::Connection& connection, const StoredRound& round,
                                         const StoredRun& run, const Artifact& artifact);

// Findings about the columns of a run, against its service file.
std::vector<Finding> check_run_columns(store::Connection& connection, const StoredRun& run);

}  // namespace profdb::serving
