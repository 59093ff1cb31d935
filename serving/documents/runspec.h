// The RunSpec: what a round intends, frozen before its first request (acceptance-protocol §1).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "serving/documents/check.h"
#include "serving/documents/identity.h"
#include "serving/documents/protocol.h"

namespace profdb::serving {

// A file that the RunSpec binds; `path` is relative to the RunSpec's folder.
struct BoundFile {
  std::string name;
  std::string path;
  std::string sha256;
};

// A complete run of the parent that P is made of.
struct Reference {
  std::string run;     // "ROUND/RUN"
  std::string path;    // of its record file
  std::string sha256;  // of its record file
};

// Two runs of one version, by role.
struct PlannedPair {
  std::string parent;
  std::string candidate;
  bool parent_first = true;  // which of the two services starts first
};

enum class RoundKind {
  candidate,    // a candidate against its direct parent: B1, B2
  calibration,  // same-version pairs, which also serve as the version's reference runs
  acceptance,   // final acceptance of one commit: B1, B2 against the limit
};
const char* to_string(RoundKind kind);

struct RunSpec {
  std::string round;
  RoundKind kind = RoundKind::candidate;
  std::string hypothesis;
  BoundFile protocol;
  std::vector<std::int64_t> targets;
  std::optional<Identity> parent;  // of a candidate's round
  Identity candidate;              // the version under test
  std::string direct_parent;       // the commit that the candidate is built on, as version control says
  std::vector<BoundFile> inputs;   // "prompt_pool" among them
  std::vector<BoundFile> tools;
  std::optional<BoundFile> validator;
  std::optional<BoundFile> knowledge;
  std::string knowledge_outcome;              // hits, no_hits, not_queried, failed
  std::map<std::int64_t, double> thresholds;  // by level, fractions; or
  std::string calibration;                    // the calibration round that they come from
  std::vector<Reference> references;
  std::vector<PlannedPair> pairs;           // of a calibration
  std::vector<std::string> required_paths;  // execution paths that every run must show
  std::vector<std::string> functions;       // functional checks that must be recorded as passed
  std::string dataset_sha256, scorer_sha256,
      prompts_sha256;     // of the accuracy run; empty where none is planned
  std::string synthetic;  // a notice where the evidence is made up

  const BoundFile* input(const std::string& name) const;
  // The roles of the services of the round that are planned: B1, B2, or those of the pairs.
  std::vector<std::string> planned_runs() const;
};

// Reads the document. What a RunSpec may lack and still be read, but not frozen, check_runspec names.
RunSpec parse_runspec(const nlohmann::ordered_json& document);

// The freeze rules that need no file, each by its name: a RunSpec that fails one cannot be frozen.
std::vector<Check> check_runspec(const RunSpec& spec, const Protocol& protocol);

}  // namespace profdb::serving
