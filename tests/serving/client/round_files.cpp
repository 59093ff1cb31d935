// Writing the files of a round. Everything in them is synthetic.
#include "tests/serving/client/round_files.h"

#include <fmt/format.h>

#include <fstream>

#include "base/utc.h"
#include "serving/archive/actions.h"
#include "serving/archive/evidence_import.h"
#include "serving/archive/freeze.h"
#include "serving/read/document.h"

namespace profdb::test {

using nlohmann::ordered_json;

namespace {

std::string sha(char digit) {
  return std::string(64, digit);
}

ordered_json identity(const std::string& commit) {
  return {{"commit", commit},
          {"deployed_files", sha('a')},
          {"weights", sha('b')},
          {"operator_library", sha('c')},
          {"configuration", sha('d')}};
}

ordered_json accuracy_document() {
  return {{"dataset", "synthetic"},
          {"dataset_revision", "1"},
          {"scorer", "synthetic"},
          {"scorer_revision", "1"},
          {"prompt", "synthetic"},
          {"questions", 10},
          {"sample", 3},
          {"seed", 0},
          {"selection_sha256", sha('e')},
          {"correct_at_least", 2},
          {"concurrency", 2},
          {"warmup_requests", 0},
          {"max_output_tokens", 64},
          {"settings", {{"temperature", 0}}}};
}

ordered_json document_of(const serving::Protocol& protocol) {
  return {{"format", "profdb-serving-protocol/1"},
          {"name", protocol.name},
          {"version", protocol.version},
          {"levels", protocol.levels},
          {"input_tokens", protocol.input_tokens},
          {"warmup_output_tokens", protocol.warmup_output_tokens},
          {"measured_output_tokens", protocol.measured_output_tokens},
          {"limit_ms_per_token", 100000},
          {"threshold_floor", 0.01},
          {"rank", {{"header", protocol.rank_header}, {"modulus", protocol.rank_modulus}}},
          {"request", {{"path", protocol.path}, {"body", protocol.body}}},
          {"http_timeout_s", protocol.http_timeout_s},
          {"barrier_timeout_s", protocol.barrier_timeout_s},
          {"barrier_spread_ms", protocol.barrier_spread_ms},
          {"accuracy", accuracy_document()}};
}

std::string pool_document(const serving::TokenizedPools& pools) {
  const auto list = [](const std::vector<serving::TokenizedPrompt>& prompts) {
    std::string text;
    for (const serving::TokenizedPrompt& prompt : prompts)
      text += (text.empty() ? "" : ", ") + prompt.token_ids;
    return text;
  };
  return fmt::format(R"({{"warmup": [{}], "measured": [{}]}})", list(pools.warmup), list(pools.measured));
}

}  // namespace

RoundFiles::RoundFiles(double http_timeout_s) : options_(small_run("")) {
  options_.protocol.http_timeout_s = http_timeout_s;
  write("protocol.yaml", document_of(options_.protocol).dump(1));
  write("pool.json", pool_document(options_.pools));
  for (const char* name : {"client", "validator", "knowledge.md"}) write(name, "synthetic\n");
}

std::filesystem::path RoundFiles::write(const std::string& name, const std::string& text) const {
  const std::filesystem::path path = folder_.path() / name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

ordered_json RoundFiles::runspec(const std::string& round, const std::string& kind,
                                 const std::string& commit) const {
  const auto bound = [&](const std::string& path) {
    return ordered_json{{"path", path}, {"sha256", serving::sha256_of_file(folder_.path() / path)}};
  };
  const auto named = [&](const std::string& name, const std::string& path) {
    ordered_json file = {{"name", name}};
    file.update(bound(path));
    return ordered_json::array({file});
  };
  ordered_json knowledge = bound("knowledge.md");
  knowledge["outcome"] = "no_hits";
  return {{"format", "profdb-serving-runspec/1"},
          {"round", round},
          {"kind", kind},
          {"hypothesis", "synthetic"},
          {"protocol", bound("protocol.yaml")},
          {"candidate", identity(commit)},
          {"inputs", named("prompt_pool", "pool.json")},
          {"tools", named("client", "client")},
          {"validator", bound("validator")},
          {"knowledge", knowledge},
          {"synthetic", "made by a test"}};
}

void RoundFiles::freeze(const ordered_json& spec) const {
  serving::freeze(database(), write(spec.at("round").get<std::string>() + ".yaml", spec.dump(1)));
}

void RoundFiles::freeze_base() {
  ordered_json spec = runspec("base", "calibration", "parent-commit");
  spec["targets"] = ordered_json::array();
  spec["pairs"] = ordered_json::array({{{"parent", "P1"}, {"candidate", "C1"}, {"first", "parent"}}});
  freeze(spec);
}

void RoundFiles::freeze_candidate(const std::string& round) {
  ordered_json spec = runspec(round, "candidate", "candidate-commit");
  spec["targets"] = {1, 4};
  spec["parent"] = identity("parent-commit");
  spec["candidate"]["direct_parent"] = "parent-commit";
  spec["thresholds"] = {{"1", 0.01}, {"2", 0.01}, {"4", 0.01}};
  spec["references"] = ordered_json::array();
  for (const char* run : {"P1", "C1"}) {
    const std::string path = fmt::format("base-{}/requests.jsonl", run);
    spec["references"].push_back({{"run", fmt::format("base/{}", run)},
                                  {"path", path},
                                  {"sha256", serving::sha256_of_file(folder_.path() / path)}});
  }
  freeze(spec);
}

void RoundFiles::measure(const std::string& round, const std::string& run, StreamingServer::Handler service,
                         std::int64_t most_attempts) {
  const std::string id = fmt::format("synthetic-{}-{}", round, run);
  options_.identity = {round, run, id, "synthetic-model"};
  options_.most_attempts = most_attempts;
  options_.keep_going = true;
  ordered_json file = {{"format", "profdb-serving-service/1"},
                       {"round", round},
                       {"run", run},
                       {"service", id},
                       {"host", "synthetic"},
                       {"pid", 1},
                       {"start_ticks", ++services_},
                       {"identity", identity(round == "base" ? "parent-commit" : "candidate-commit")},
                       {"started_utc", format_utc(utc_now_ns())}};
  {
    const StreamingServer server(std::move(service));
    options_.endpoint = server.url();
    serving::RecordFolder records(folder(round, run), options_.identity);
    run_service(options_, records);
  }
  file["stopped_utc"] = format_utc(utc_now_ns());
  serving::EvidenceFiles files;
  files.round = round;
  files.services = {write(id + ".yaml", file.dump(1))};
  files.records = {folder(round, run) / "requests.jsonl"};
  import_evidence(database(), files);
  serving::seal(database(), round, run);
}

}  // namespace profdb::test
