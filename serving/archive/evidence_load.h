// The evidence of a round out of the database, verified against its archive on the way: nothing that a rule
// sees has only a digest to speak for it.
#pragma once

#include <string>
#include <vector>

#include "base/finding.h"
#include "serving/archive/rounds.h"
#include "serving/rules/accuracy.h"
#include "serving/rules/comparison.h"
#include "serving/rules/ledger.h"

namespace profdb::serving {

// What does not agree with the archive, by the checks "artifact", "record", "row", "raw", "body", "seal",
// "freeze", "document" and "prompt_pool".
using profdb::Finding;

struct LoadedRound {
  StoredRound stored;
  RoundEvidence evidence;
  std::vector<Finding> findings;
};

// Reads every artifact of the round again: digests, record files line by line, token ids and times out of the
// raw bytes, and compares them with the rows. Updates the artifacts' accessibility where the connection may
// write.
LoadedRound load_round(store::Connection& connection, const std::string& name);

// The same with the parent's runs and the calibration that the RunSpec names. `findings` are those of all
// rounds that were read.
struct LoadedCandidate {
  LoadedRound own;
  CandidateEvidence evidence;
  std::vector<Finding> reference_findings;
};
LoadedCandidate load_candidate(store::Connection& connection, const std::string& name);

// The accuracy evidence of a round that load_round has read.
AccuracyEvidence load_accuracy(store::Connection& connection, const LoadedRound& round);
std::vector<FunctionDocument> load_functions(store::Connection& connection, std::int64_t round_id);
std::vector<LedgerEvent> load_events(store::Connection& connection, std::int64_t round_id);

// The digest that sealing stores: of the service file and the rows of all requests, in order.
class SealDigest {
 public:
  explicit SealDigest(const std::string& service_document);
  void add(const std::string& row_sha256) { text_ += row_sha256 + "\n"; }
  std::string finish() const;

 private:
  std::string text_;
};

// What differs between two records, a field each ("frames[3].t_ns is 5 instead of 4"); the first few.
std::string record_differences(const RequestRecord& stored, const RequestRecord& archived);

}  // namespace profdb::serving
