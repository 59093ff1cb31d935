// Making the sample database.
#include "tests/analysis/sample_database.h"

#include <cstdlib>
#include <stdexcept>

#include "tests/support/cli.h"
#include "tests/support/release.h"

namespace profdb::test {
namespace {

class SampleDatabase {
 public:
  SampleDatabase() {
    const std::string source = PROFDB_SOURCE_DIR;
    const std::string releases = folder_ / "releases";
    const std::string command =
        PROFDB_PYTHON " " + source + "/examples/generate_release.py " + releases + " > /dev/null";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
    for (const char* version : {"0.13.0", "0.15.0", "0.18.0"}) run({"import", releases + "/" + version});
    run({"lookup", "--release", "3", "--ep-size", "16", "--log", "all", "--jsonl",
         source + "/examples/leaf_ops.jsonl"});
    run({"holdout", "--release", "3", "--ep-size", "16"});
  }
  std::string path() const { return folder_ / "sample.db"; }

 private:
  void run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--db", path()});
    const CliResult result = run_cli(arguments);
    if (result.exit_code != 0) throw std::runtime_error(arguments.front() + " failed: " + result.err);
  }
  TempFolder folder_;
};

}  // namespace

std::string sample_database() {
  static const SampleDatabase database;
  return database.path();
}

}  // namespace profdb::test
