// The files of synthetic rounds that the client measures: RunSpecs, service files, and the one database.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "serving/client/service_run.h"
#include "tests/serving/client/small_round.h"

namespace profdb::test {

// Small_round.h's protocol and prompts as files in a folder of their own, and a database. Rounds are frozen
// into it; each run is a service of its own that answers by a script, is measured by the client, and stops.
class RoundFiles {
 public:
  explicit RoundFiles(double http_timeout_s);

  // A round of the parent alone, whose runs P1 and C1 are the references of the candidates' rounds.
  void freeze_base();
  // A candidate's round with targets 1 and 4; the thresholds are 1 % at each level.
  void freeze_candidate(const std::string& round);

  // Starts a service, measures it, stops it, and imports and seals the run.
  void measure(const std::string& round, const std::string& run, StreamingServer::Handler service,
               std::int64_t most_attempts = 1);

  std::filesystem::path database() const { return folder_.path() / "rounds.db"; }
  std::filesystem::path protocol() const { return folder_.path() / "protocol.yaml"; }
  std::filesystem::path pool() const { return folder_.path() / "pool.json"; }
  // Of a run's evidence.
  std::filesystem::path folder(const std::string& round, const std::string& run) const {
    return folder_.path() / (round + "-" + run);
  }

 private:
  std::filesystem::path write(const std::string& name, const std::string& text) const;
  nlohmann::ordered_json runspec(const std::string& round, const std::string& kind,
                                 const std::string& commit) const;
  void freeze(const nlohmann::ordered_json& spec) const;

  TemporaryFolder folder_;
  serving::RunOptions options_;
  std::int64_t services_ = 0;
};

}  // namespace profdb::test
