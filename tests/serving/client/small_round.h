// A protocol small enough for a test, synthetic prompts for it, and a service that answers by script.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "serving/client/service_run.h"
#include "tests/support/completion_script.h"
#include "tests/support/streaming_server.h"

namespace profdb::test {

// Levels 1, 2, 4; 8 tokens in, 3 (warm-up) or 6 (measured) out; rank = slot mod 2.
serving::Protocol small_protocol();
// Four prompts each, all different.
serving::TokenizedPools small_pools();

// Where a request of small_pools() stands: its phase by its max_tokens, its slot by its prompt.
struct Asked {
  bool measured = false;
  std::int64_t slot = 0;
};
Asked asked(const HttpRequest& request);

// A server whose script may differ from request to request.
StreamingServer::Handler scripted(std::function<CompletionScript(const Asked&)> script);
StreamingServer::Handler scripted(const CompletionScript& script);

// Options for a run of service "svc-1" as B1 of round "synthetic".
serving::RunOptions small_run(const std::string& endpoint);

// A new empty folder of its own for each test, taken away at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// All lines of a record file.
std::vector<serving::RequestRecord> read_records(const std::filesystem::path& file);

// A test that runs the client, and reads back what it wrote.
class ClientTest : public testing::Test {
 protected:
  void run(const serving::RunOptions& options) {
    {
      serving::RecordFolder evidence(folder.path(), options.identity);
      attempts = run_service(options, evidence);
    }
    records = read_records(folder.path() / "requests.jsonl");
  }

  TemporaryFolder folder;
  std::vector<serving::LevelAttempt> attempts;
  std::vector<serving::RequestRecord> records;
};

}  // namespace profdb::test
