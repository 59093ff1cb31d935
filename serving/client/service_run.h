// Measures one service: levels in rising order, at each C warm-ups, then C measured requests together
// (acceptance-protocol §1).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "serving/client/record_folder.h"
#include "serving/client/request_plan.h"
#include "serving/documents/protocol.h"

namespace profdb::serving {

// How far a phase of a level is.
struct RunProgress {
  std::int64_t level = 0;
  std::int64_t attempt = 1;
  Phase phase = Phase::warmup;
  std::int64_t ended = 0;
  std::int64_t requests = 0;
};

struct RunOptions {
  std::string endpoint;  // "http://127.0.0.1:8000", without the protocol's path
  Protocol protocol;
  RunIdentity identity;
  TokenizedPools pools;
  std::vector<std::int64_t> levels;  // of the protocol's, in any order; empty: all of them
  std::int64_t most_attempts = 1;    // of a level, in this run, until one is without complaints
  bool keep_going = false;           // go on to the next level where a level has complaints
  // Called at the start of a phase and at the end of each request, by one thread at a time. May be empty.
  std::function<void(const RunProgress&)> progress;
};

// One attempt of a level.
struct LevelAttempt {
  std::int64_t level = 0;
  std::int64_t attempt = 1;
  std::int64_t records = 0;           // written
  std::int64_t warmup_spread_ns = 0;  // from the first start_ns to the last
  std::int64_t measured_spread_ns = 0;
  std::vector<std::string> complaints;  // "measured slot 3: …"; none: the attempt looks valid
};

// Runs the levels against the service and adds every request's record to the folder as it ends. A level with
// complaints (its records stay) is run again whole, warm-ups included, as a new attempt. Whatever a request
// meets is in its record. Measured requests are sent whatever the warm-ups met. Throws Error: usage for a
// level that the protocol does not have or an endpoint that is none, input for pools that do not suffice
// (nothing is sent then) and where records cannot be written (after the requests under way).
std::vector<LevelAttempt> run_service(const RunOptions& options, RecordFolder& folder);

}  // namespace profdb::serving
