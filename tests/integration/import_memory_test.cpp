// The memory of an import does not grow with the file: a million rows stay under 256 MiB.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/fault_release.h"
#include "tests/support/release.h"

namespace {

namespace fs = std::filesystem;
using namespace profdb;
using namespace profdb::test;

constexpr int kRows = 1'000'000;

// All shapes differ, so that nothing is shared: 100 values each of M, K and N.
void write_a_million_rows(const fs::path& path) {
  std::ofstream out(path, std::ios::binary);
  out << csv_header("Average Duration(us),Quant Type");
  for (int i = 0; i < kRows; ++i) {
    const int m = 1 + i % 100;
    const int k = 16 * (1 + i / 100 % 100);
    const int n = 16 * (1 + i / 10'000);
    fmt::memory_buffer row;
    fmt::format_to(
        std::back_inserter(row),
        "dynamic,AI_CORE,\"{0},{1};{2},{1}\",DT_BF16;DT_BF16,ND;ND,\"{0},{2}\",DT_BF16,ND,{3}.25,bf16\n", m,
        k, n, 1 + i % 997);
    out.write(row.data(), static_cast<std::streamsize>(row.size()));
  }
}

struct Usage {
  int exit_code = -1;
  long peak_kib = 0;
};

// Runs the command line and measures it. The child is this process until it runs the command: its memory at
// that moment counts, so the test keeps itself small.
Usage measure(std::vector<std::string> words) {
  words.insert(words.begin(), PROFDB_CLI);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  wait4(pid, &status, 0, &usage);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, usage.ru_maxrss};
}

TEST(ImportMemory, MillionRowsStayUnder256MiB) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer's own memory would be measured";
#endif
  const TempFolder folder;
  write_file(folder / "release" / "op_mapping.yaml",
             "operator_mappings:\n  aten.mm.default: {kernel_type: MatMulV2}\n");
  write_a_million_rows(folder / "release" / "MatMulV2.csv");
  const std::string database = folder / "prof.db";
  const Usage usage =
      measure({"import", folder / "release", "--db", database, "--device", "TEST_NPU", "--framework",
               "synthetic", "--framework-version", "1.0", "--torch-version", "2.0", "--cann-version", "8.0"});
  ASSERT_EQ(usage.exit_code, 0);
  EXPECT_LT(usage.peak_kib, 256 * 1024);
  EXPECT_EQ(list_releases(database).front().taken_rows, kRows);
  EXPECT_EQ(SQLite::Database(database).execAndGet("SELECT count(*) FROM matrix_compute_candidate").getInt(),
            kRows);
}

}  // namespace
