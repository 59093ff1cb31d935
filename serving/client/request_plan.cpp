// Bodies, headers, salts.
#include "serving/client/request_plan.h"

#include <fmt/format.h>

#include <map>
#include <random>

#include "base/input/sha256.h"
#include "profdb/error.h"

namespace profdb::serving {
namespace {

using nlohmann::ordered_json;

std::string sha256(std::string_view bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.finish();
}

// 128 bits from the system, so that no other attempt, of this process or another, has the same.
std::string random_hex() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

void check_protocol_body(const Protocol& protocol) {
  for (const char* member : {"model", "prompt", "max_tokens", "min_tokens", "cache_salt"})
    if (protocol.body.contains(member))
      throw Error(
          ErrorKind::input,
          fmt::format("protocol {}: request.body sets '{}', which every request sets itself; remove it",
                      protocol.name, member));
}

// The members of a body before the prompt.
ordered_json body_head(const Protocol& protocol, const RunIdentity& identity, const RequestPlace& place,
                       const std::string& salt) {
  check_protocol_body(protocol);
  ordered_json body = ordered_json::object();
  if (!identity.model.empty()) body["model"] = identity.model;
  body.update(protocol.body);
  const std::int64_t tokens = protocol.output_tokens(place.phase == Phase::measured);
  body["max_tokens"] = tokens;
  body["min_tokens"] = tokens;
  body["cache_salt"] = salt;
  return body;
}

// The compact JSON of `head` with the prompt as its last member.
std::string with_prompt(const ordered_json& head, const std::string& prompt) {
  std::string body = head.dump();
  body.back() = ',';
  return body + "\"prompt\":" + prompt + "}";
}

void check_pool(const std::vector<TokenizedPrompt>& pool, const char* name, const Protocol& protocol,
                std::map<std::string, std::string>& seen) {
  const auto needed = static_cast<std::size_t>(protocol.levels.back());
  if (pool.size() < needed)
    throw Error(ErrorKind::input,
                fmt::format("the {} pool has {} prompts; level {} of protocol {} needs {}: add more", name,
                            pool.size(), needed, protocol.name, needed));
  for (std::size_t i = 0; i < needed; ++i) {
    if (pool[i].tokens != protocol.input_tokens)
      throw Error(ErrorKind::input, fmt::format("{} prompt {} has {} token ids; protocol {} wants {}", name,
                                                i, pool[i].tokens, protocol.name, protocol.input_tokens));
    const auto [it, fresh] = seen.emplace(pool[i].token_ids, fmt::format("{} prompt {}", name, i));
    if (!fresh)
      throw Error(ErrorKind::input, fmt::format("{} prompt {} is the same as {}; make every prompt another",
                                                name, i, it->second));
  }
}

}  // namespace

void check_pools(const TokenizedPools& pools, const Protocol& protocol) {
  std::map<std::string, std::string> seen;
  check_pool(pools.warmup, "warm-up", protocol, seen);
  check_pool(pools.measured, "measured", protocol, seen);
}

PlannedRequest plan_request(const Protocol& protocol, const RunIdentity& identity, const RequestPlace& place,
                            const TokenizedPrompt& prompt) {
  PlannedRequest planned;
  RequestRecord& record = planned.record;
  record.round = identity.round;
  record.run = identity.run;
  record.service = identity.service;
  record.level = place.level;
  record.phase = place.phase;
  record.slot = place.slot;
  record.attempt = place.attempt;
  record.rank_header = fmt::format("{}", place.slot % protocol.rank_modulus);
  record.cache_salt =
      fmt::format("{}/{}/{}/C{}/{}/slot{}/attempt{}/{}", identity.round, identity.run, identity.service,
                  place.level, to_string(place.phase), place.slot, place.attempt, random_hex());
  record.prompt_sha256 = sha256(prompt.token_ids);
  record.prompt_tokens = prompt.tokens;
  record.path = protocol.path;
  record.headers = {{"Content-Type", "application/json"},
                    {"Accept", "text/event-stream"},
                    {protocol.rank_header, record.rank_header}};
  record.body = body_head(protocol, identity, place, record.cache_salt);
  planned.body = with_prompt(record.body, prompt.token_ids);
  record.body_sha256 = sha256(planned.body);
  return planned;
}

}  // namespace profdb::serving
