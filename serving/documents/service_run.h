// One start of a service: what it was, when it lived, and what it says about itself (acceptance-protocol §1).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "serving/documents/identity.h"

namespace profdb::serving {

// An execution path that runtime evidence shows, and the ranks on which it ran.
struct ExecutionPath {
  std::string path;
  std::vector<std::int64_t> ranks;
};

// Counters and capacities of one rank at one moment ("start", "after_performance", ...).
struct MetricSnapshot {
  std::string at;
  std::int64_t rank = 0;
  std::map<std::string, double> values;  // "preemptions", "draft_accepted", "kv_capacity_tokens"
};

struct ServiceRun {
  std::string round;
  std::string run;      // role: B1, B2, B3, or as the pairs of a calibration name it
  std::string service;  // id
  std::string host;
  std::int64_t pid = 0;
  std::int64_t start_ticks = 0;  // of the process, /proc/PID/stat: a PID alone is used again
  Identity identity;
  std::int64_t started_utc_ns = 0;
  std::optional<std::int64_t> stopped_utc_ns;  // here or in a stop document
  std::vector<ExecutionPath> execution_paths;
  std::vector<MetricSnapshot> snapshots;
  std::string replaces;        // the run whose place it takes: only B3 has one
  std::string replace_reason;  // why that one is invalid
};

ServiceRun parse_service_run(const nlohmann::ordered_json& document);

// When a service stopped; a document of its own, since B2 lives on for the accuracy run.
struct ServiceStop {
  std::string round, run, service;
  std::int64_t stopped_utc_ns = 0;
};
ServiceStop parse_service_stop(const nlohmann::ordered_json& document);

// What a reader of the report should know of the metrics, a sentence each: counters that moved between
// snapshots, capacities that differ between ranks.
std::vector<std::string> metric_notes(const ServiceRun& run);

}  // namespace profdb::serving
