// The evidence of a round as the rules see it: read from the database and its archive by serving/archive.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "serving/documents/check.h"
#include "serving/documents/protocol.h"
#include "serving/documents/request_record.h"
#include "serving/documents/runspec.h"
#include "serving/documents/service_run.h"
#include "serving/rules/numbers.h"

namespace profdb::serving {

// A request record without the bulk of its frames, and what recomputation from its raw bytes says.
struct RequestFacts {
  RequestRecord record;   // frames are empty
  std::int64_t line = 0;  // in its record file, from 1
  std::int64_t output_tokens = 0;
  bool monotone = false;
  std::optional<RequestNumbers> numbers;
  std::string raw_problem;   // what differs between the raw bytes and the record; empty where all agrees
  std::string body_problem;  // the same for the digest of the body's bytes

  // "level 4 measured slot 2 attempt 1 (line 17)"
  std::string label() const;
};

RequestFacts facts_of(RequestRecord record, std::int64_t line);

// The prompts of the round, by position: SHA-256 of each one's token ids, and its length.
struct Prompt {
  std::string sha256;
  std::int64_t tokens = 0;
};
struct PromptPool {
  std::string sha256;  // of the pool's file
  std::vector<Prompt> warmup;
  std::vector<Prompt> measured;
};

// Everything about one run.
struct RunEvidence {
  std::string round;
  std::string name;  // the role: B1
  ServiceRun service;
  bool sealed = false;
  std::vector<std::string> archive_problems;  // changed or missing artifacts, differing rows
  std::vector<std::string> record_files;      // SHA-256 of each
  std::vector<RequestFacts> requests;
  std::string id() const { return round + "/" + name; }
};

// Everything about one round.
struct RoundEvidence {
  RunSpec spec;
  Protocol protocol;
  std::string protocol_sha256;
  PromptPool pool;
  std::int64_t frozen_utc_ns = 0;
  std::int64_t frozen_monotonic_ns = 0;
  std::string frozen_clock_id;
  std::vector<std::string> archive_problems;  // of the round's own artifacts: RunSpec, inputs, tools
  std::vector<RunEvidence> runs;              // in the order of their start

  const RunEvidence* run(const std::string& name) const;
};

// One attempt at a level of a run.
struct AttemptValidation {
  std::int64_t attempt = 1;
  std::vector<Check> checks;
  std::vector<double> tpot_ms;  // of the measured requests, by slot
  std::optional<double> mean_tpot_ms;
  bool valid() const { return all_ok(checks) && mean_tpot_ms.has_value(); }
};

struct LevelValidation {
  std::int64_t level = 0;
  std::vector<AttemptValidation> attempts;  // rising; none where nothing was recorded
  // The first valid attempt: the one that counts.
  const AttemptValidation* counted() const;
};

struct RunValidation {
  std::string run;
  std::vector<Check> checks;  // of the service as a whole
  std::vector<LevelValidation> levels;
  std::vector<std::string> notes;  // differences of metrics, and the like

  const LevelValidation* level(std::int64_t level) const;
  // Whether the run as a whole can be evidence: all its checks are kept and every level has a valid attempt.
  bool valid() const;
  // B_r(C) of a run whose checks are kept.
  std::optional<double> mean_tpot(std::int64_t level) const;
  // What fails, by name; empty for a valid run.
  std::string problems() const;
};

}  // namespace profdb::serving
