// The small protocol and its prompts.
#include "tests/serving/client/small_round.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace profdb::test {

serving::Protocol small_protocol() {
  serving::Protocol protocol;
  protocol.name = "small";
  protocol.version = "1";
  protocol.levels = {1, 2, 4};
  protocol.input_tokens = 8;
  protocol.warmup_output_tokens = 3;
  protocol.measured_output_tokens = 6;
  protocol.rank_header = "X-data-parallel-rank";
  protocol.rank_modulus = 2;
  protocol.path = "/v1/completions";
  protocol.body = {{"stream", true},
                   {"stream_options", {{"include_usage", true}}},
                   {"return_token_ids", true},
                   {"echo", false},
                   {"add_special_tokens", false},
                   {"ignore_eos", true},
                   {"temperature", 0},
                   {"top_p", 1},
                   {"seed", 0},
                   {"n", 1}};
  protocol.http_timeout_s = 60;
  protocol.barrier_timeout_s = 60;
  protocol.barrier_spread_ms = 10'000;
  return protocol;
}

namespace {

// Eight token ids from `first` on.
serving::TokenizedPrompt prompt_from(std::int64_t first) {
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < 8; ++i) ids.push_back(first + i);
  return {fmt::format("[{}]", fmt::join(ids, ",")), 8};
}

}  // namespace

serving::TokenizedPools small_pools() {
  serving::TokenizedPools pools;
  for (std::int64_t slot = 0; slot < 4; ++slot) {
    pools.warmup.push_back(prompt_from(100 * slot));
    pools.measured.push_back(prompt_from(1000 + 100 * slot));
  }
  return pools;
}

Asked asked(const HttpRequest& request) {
  const auto body = nlohmann::json::parse(request.body);
  return {body.at("max_tokens") == 6, body.at("prompt").at(0).get<std::int64_t>() % 1000 / 100};
}

StreamingServer::Handler scripted(std::function<CompletionScript(const Asked&)> script) {
  return [script = std::move(script)](const HttpRequest& request) {
    return complete(request, script(asked(request)));
  };
}

StreamingServer::Handler scripted(const CompletionScript& script) {
  return [script](const HttpRequest& request) { return complete(request, script); };
}

serving::RunOptions small_run(const std::string& endpoint) {
  serving::RunOptions options;
  options.endpoint = endpoint;
  options.protocol = small_protocol();
  options.identity = {"synthetic", "B1", "svc-1", "synthetic-model"};
  options.pools = small_pools();
  return options;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "profdb_client_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<serving::RequestRecord> read_records(const std::filesystem::path& file) {
  std::ifstream lines(file);
  std::vector<serving::RequestRecord> records;
  for (std::string line; std::getline(lines, line);) records.push_back(serving::parse_request_record(line));
  return records;
}

}  // namespace profdb::test
