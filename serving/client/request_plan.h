// What a request of a level is: headers, body and salt by the protocol (acceptance-protocol §1, §8).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "serving/documents/protocol.h"
#include "serving/documents/request_record.h"

namespace profdb::serving {

// Whose evidence a record is.
struct RunIdentity {
  std::string round;
  std::string run;      // the role in the round: "B1"
  std::string service;  // service id
  std::string model;    // the body's "model"; empty: not sent
};

struct TokenizedPrompt {
  std::string token_ids;  // compact JSON: "[1,2,3]"
  std::int64_t tokens = 0;
};

// Slot i of a phase sends prompt i of the phase's pool.
struct TokenizedPools {
  std::vector<TokenizedPrompt> warmup;
  std::vector<TokenizedPrompt> measured;
};

// Throws Error(input) where a pool has fewer prompts than `protocol` needs for its highest level, a needed
// prompt is not of the protocol's length, or one prompt stands in both pools (or twice in one).
void check_pools(const TokenizedPools& pools, const Protocol& protocol);

struct PlannedRequest {
  RequestRecord record;  // all that is known before it is sent
  std::string body;      // the bytes to send
};

// The place of a request in the plan of a service run.
struct RequestPlace {
  std::int64_t level = 0;
  Phase phase = Phase::measured;
  std::int64_t slot = 0;
  std::int64_t attempt = 1;
};

// The body: model, the protocol's members, max_tokens = min_tokens = the phase's output length, cache_salt,
// and last the prompt. Every call makes another salt. Throws Error(input) where the protocol sets a member
// itself that is set per request.
PlannedRequest plan_request(const Protocol& protocol, const RunIdentity& identity, const RequestPlace& place,
                            const TokenizedPrompt& prompt);

}  // namespace profdb::serving
