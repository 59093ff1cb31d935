// Records are imported one at a time: memory does not grow with their number (256 MiB for 10,000
// requests of 1,024 tokens).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <fstream>

#include "serving/archive/evidence_import.h"
#include "serving/archive/freeze.h"
#include "serving/read/document.h"
#include "tests/serving/round_fixture.h"
#include "tests/support/fault_child.h"
#include "tests/support/release.h"

namespace profdb::serving {
namespace {

namespace fs = std::filesystem;

// Writes `count` records of 1,024 tokens, a frame each, for run P1 of the generated round.
void write_records(const fs::path& path, int count) {
  RequestRecord record;
  record.round = "base";
  record.run = "P1";
  record.service = "base-P1";
  record.level = 1;
  record.path = "/v1/completions";
  record.prompt_sha256 = record.body_sha256 = test::sha('a');
  record.body = {{"stream", true}};
  record.clock_id = "h/1";
  record.start_utc = "2026-11-07T10:00:00Z";
  for (int i = 0; i < 1024; ++i)
    record.frames.push_back({1'000'000'000LL + i * 25'000'000LL, 180 * (i + 1), {i * 7 % 129280}});
  record.end_ns = record.frames.back().t_ns + 1;
  const std::string line = to_json(record).dump() + "\n";
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  for (int i = 0; i < count; ++i) file << line;
}

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(ImportMemory, StaysBelowItsLimit) {
  constexpr int kRecords = 3000;  // some 150 MB of JSON: reading it whole would pass the limit
  profdb::test::TempFolder folder;
  const std::string command =
      fmt::format(PROFDB_PYTHON " {}/examples/generate_round.py base '{}' > /dev/null", PROFDB_SOURCE_DIR,
                  folder.path().string());
  ASSERT_EQ(std::system(command.c_str()), 0);
  const fs::path base = folder / "base";
  freeze(folder / "m.db", base / "runspec.yaml");
  const std::string digest = test::sha('a');
  profdb::test::write_file(
      base / "service-P1.yaml",
      fmt::format("format: profdb-serving-service/1\nround: base\nrun: P1\nservice: base-P1\nhost: h\n"
                  "pid: 1\nstart_ticks: 1\nidentity: {{commit: c, deployed_files: {0}, weights: {0}, "
                  "operator_library: {0}, configuration: {0}}}\nstarted_utc: \"2026-11-07T10:00:00Z\"\n",
                  digest));
  write_records(base / "P1/requests.jsonl", kRecords);
  const auto end = profdb::test::run_in_child([&] {
    EvidenceFiles files;
    files.round = "base";
    files.services = {base / "service-P1.yaml"};
    files.records = {base / "P1/requests.jsonl"};
    const auto imported = import_evidence(folder / "m.db", files);
    constexpr long kLimitKib = 256L * 1024;
    if (imported.at(1).added != kRecords) return std::string("not all were imported");
    return peak_kib() <= kLimitKib ? std::string() : fmt::format("used {} KiB", peak_kib());
  });
  EXPECT_EQ(end.exit_code, 0) << end.message;
  EXPECT_EQ(end.message, "");
}

}  // namespace
}  // namespace profdb::serving
