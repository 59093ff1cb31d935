// What a workload would hit: its calls asked one by one and counted by source, path, dimension and miss
// reason.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profdb/engine.h"

namespace profdb::analysis {

// One line of a workload: {"workload_id": "decode", "critical": true, "count": 61, "leaf": {…}}.
struct ReplayCall {
  std::string workload_id;
  bool critical = false;   // whether the workload's time hangs on it; optional, false
  std::int64_t count = 1;  // how often it is made; optional, >= 1
  LeafOp leaf;
};

// Throws Error(input) that names the field: what is no JSON object, unknown keys, wrong types, and what
// parse_leaf_op refuses.
ReplayCall parse_replay_call(std::string_view json_text);

// A part of a workload's calls.
struct ReplayShare {
  std::string by;     // source, path, dim (of interpolations), reason (of misses)
  std::string value;  // "MEASURED", "matrix_compute", "2", "regime_mismatch", …
  std::int64_t calls = 0;
  std::int64_t distinct_calls = 0;
  double share = 0;  // calls / the workload's calls
};

struct WorkloadTally {
  std::string workload_id;  // empty: all workloads together
  std::int64_t calls = 0;   // lines weighed by their count
  std::int64_t distinct_calls = 0;
  std::int64_t critical_calls = 0;
  std::int64_t critical_not_measured = 0;
  std::vector<ReplayShare> shares;  // by `by` in the order above, then by falling calls
};

// A critical call whose answer is not MEASURED.
struct CriticalCall {
  std::string workload_id;
  std::int64_t line = 0;   // of the first such line
  std::int64_t calls = 0;  // of all lines of the workload with the same leaf
  std::string op;
  std::string source;
  std::string how;  // method of a hit, reason of a miss
  std::vector<std::string> axes;
  nlohmann::ordered_json leaf;
};

struct ReplayReport {
  WorkloadTally total;
  std::vector<WorkloadTally> workloads;             // in the order of their first lines
  std::vector<CriticalCall> critical_not_measured;  // in line order
};

// Called for each line with its number, the call and its result, in line order.
using ReplayObserver = std::function<void(std::int64_t, const ReplayCall&, const Result&)>;

// Asks the engine for every line; blank lines count nothing. `name` is what errors call the input. Throws
// Error(input) "name:line: …" for a malformed line. Latencies are not added up: calls overlap, and how is the
// simulator's knowledge.
ReplayReport replay(const Engine& engine, std::istream& workload, const std::string& name,
                    const ReplayObserver& observe = {});

nlohmann::ordered_json to_json(const WorkloadTally& tally);
nlohmann::ordered_json to_json(const CriticalCall& call);
nlohmann::ordered_json to_json(const ReplayReport& report);

}  // namespace profdb::analysis
