// Rounds, runs and artifacts as the database has them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/database.h"
#include "serving/documents/protocol.h"
#include "serving/documents/runspec.h"
#include "serving/documents/service_run.h"
#include "serving/read/document.h"
#include "serving/rules/verdict.h"

namespace profdb::serving {

struct StoredRound {
  std::int64_t id = 0;
  std::string name;
  RunSpec spec;
  std::string runspec;  // the file's bytes
  std::string runspec_sha256;
  std::int64_t protocol_id = 0;
  Protocol protocol;
  std::string protocol_document;
  std::string protocol_sha256;
  std::filesystem::path folder;
  std::string frozen_utc;
  std::int64_t frozen_monotonic_ns = 0;
  std::string frozen_clock_id;
  std::string freeze_sha256;
};

// Throws Error(input) where there is none, naming those that there are.
StoredRound find_round(store::Connection& connection, const std::string& name);
std::vector<std::string> round_names(store::Connection& connection);

// The digest that freezing stores: of the RunSpec's digest and the time anchor.
std::string freeze_digest(const std::string& runspec_sha256, const std::string& utc,
                          std::int64_t monotonic_ns, const std::string& clock_id);

struct StoredRun {
  std::int64_t id = 0;
  std::string name;
  std::string document;                              // of the service, the file's bytes
  ServiceRun service;                                // with the stop, where that was recorded apart
  std::string stopped_utc, sealed_utc, seal_sha256;  // empty where it has none
};

// In the order of their start.
std::vector<StoredRun> runs_of(store::Connection& connection, const StoredRound& round);

struct Artifact {
  std::int64_t id = 0;
  std::optional<std::int64_t> run_id;
  std::string kind, name, path, sha256, accessibility;
  std::optional<std::int64_t> bytes;  // of a file that may grow: those that the digest is of
};

std::vector<Artifact> artifacts_of(store::Connection& connection, std::int64_t round_id);
std::optional<Artifact> find_artifact(store::Connection& connection, std::int64_t round_id,
                                      const std::string& kind, const std::string& path);
// Inserts it, or renews digest and accessibility of the one with its kind and path. Returns its id.
std::int64_t put_artifact(store::Connection& connection, std::int64_t round_id, const Artifact& artifact);
void set_accessibility(store::Connection& connection, std::int64_t artifact_id,
                       const std::string& accessibility);

// A path of an artifact on disk, and as it is stored: relative to the round's folder where it is inside.
std::filesystem::path on_disk(const StoredRound& round, const std::string& path);
std::string stored_path(const StoredRound& round, const std::filesystem::path& path);

struct StoredVerdict {
  std::int64_t id = 0;
  std::string part;
  Verdict verdict = Verdict::not_run;
  std::optional<int> rule;
  std::string reason, protocol, judged_utc, caused_by, details;
};

std::optional<StoredVerdict> last_verdict(store::Connection& connection, std::int64_t round_id,
                                          const std::string& part);
// Adds a verdict; the time, protocol and version are filled in. Returns it as stored.
StoredVerdict add_verdict(store::Connection& connection, const StoredRound& round, StoredVerdict verdict);

// "NAME VERSION"
std::string protocol_name(const Protocol& protocol);
std::string utc_now();

}  // namespace profdb::serving
