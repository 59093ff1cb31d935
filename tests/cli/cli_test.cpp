// The command line as a user meets it: what it prints, and what it exits with.
// Long: one section per command.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/store/database.h"
#include "tests/support/cli.h"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using profdb::test::CliProcess;
using profdb::test::CliResult;
using profdb::test::run_cli;
using Arguments = std::vector<std::string>;

constexpr const char* kHeader =
    "OP State,Accelerator Core,Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,"
    "Output Formats,Average Duration(us)\n";

constexpr const char* kMapping = R"(
version: "1.0"
device: TEST_NPU
framework: test_framework
cann_version: "8.5"
pytorch_version: "2.9.0"
operator_mappings:
  "aten.mm.default":
    kernel_type: MatMulV2
  "aten.view.default":
    zero_cost: true
    notes: "only metadata changes"
  "tensor_cast.block.default":
    composite: true
)";

// A MatMulV2 row: M x 64 times 64 x 32, weights stored (N,K).
std::string row(int m, const std::string& latency) {
  const std::string rows = std::to_string(m);
  return "dynamic,AI_CORE,\"" + rows + ",64;32,64\",DT_BF16;DT_BF16,ND;ND,\"" + rows + ",32\",DT_BF16,ND," +
         latency + "\n";
}

// The call that row(m) measures.
std::string leaf(int m, const std::string& dtype = "bfloat16") {
  const auto tensor = [&](int rows, int columns) {
    return json{{"shape", {rows, columns}}, {"dtype", dtype}};
  };
  return json{
      {"op", "aten.mm.default"}, {"inputs", {tensor(m, 64), tensor(64, 32)}}, {"outputs", {tensor(m, 32)}}}
      .dump();
}

json parsed(const std::string& text) {
  json value = json::parse(text, nullptr, false);
  EXPECT_FALSE(value.is_discarded()) << text;
  return value;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// A folder of its own per test, with a release in it.
class Cli : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "profdb_cli_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::create_directory(release());
    write(release() / "op_mapping.yaml", kMapping);
    // 10 us at M 100, 20 us at M 200; at 300 nothing usable; one row that is no measurement.
    write_kernel(row(100, "10") + row(200, "20") + row(300, "0"));
  }
  void TearDown() override { fs::remove_all(folder_); }

  static void write(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  void write_kernel(const std::string& rows) const { write(release() / "MatMulV2.csv", kHeader + rows); }

  fs::path release() const { return folder_ / "release"; }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string db() const { return file("prof.db"); }

  CliResult import(const Arguments& more = {}) const {
    Arguments arguments = {"import", release().string(), "--db", db()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_cli(arguments);
  }
  void import_or_fail() const {
    const CliResult result = import();
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  CliResult lookup(const Arguments& more, const std::string& input = "") const {
    Arguments arguments = {"lookup", "--db", db()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_cli(arguments, input);
  }

  fs::path folder_;
};

// --- import ---

TEST_F(Cli, ImportReportsEachFileAndTheTotals) {
  write_kernel(row(100, "10") + row(200, "20") + row(300, "0") +
               "dynamic,AI_CORE,x y,DT_BF16,ND,1,DT_BF16,ND,5\n");
  const CliResult result = import();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("TEST_NPU/test_framework/1.0 (torch 2.9.0, CANN 8.5)\nimported as release 1\n"),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("4 rows: 2 taken, 1 without a usable latency (latency_zero 1), 1 rejected ("),
            std::string::npos)
      << result.out;
  EXPECT_EQ(result.err, "");
}

TEST_F(Cli, ImportOfTheSameBytesDoesNothingAndSaysSo) {
  import_or_fail();
  const CliResult again = import();
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_NE(again.out.find("unchanged: the same bytes are there already (release 1); nothing was done"),
            std::string::npos)
      << again.out;
}

TEST_F(Cli, ImportRefusesChangedBytesUnlessAskedToReplace) {
  import_or_fail();
  write_kernel(row(100, "11"));
  const CliResult refused = import();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--replace"), std::string::npos) << refused.err;
  EXPECT_EQ(parsed(lookup({leaf(100), "--json"}).out).at("latency_us"), 10.0);

  const CliResult replaced = import({"--replace", "--json"});
  EXPECT_EQ(replaced.exit_code, 0) << replaced.err;
  EXPECT_EQ(parsed(replaced.out).at("outcome"), "replaced");
  EXPECT_EQ(parsed(lookup({leaf(100), "--json"}).out).at("latency_us"), 11.0);
}

TEST_F(Cli, ImportAsDryRunLeavesNothing) {
  const CliResult result = import({"--dry-run"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("dry run"), std::string::npos) << result.out;
  EXPECT_FALSE(fs::exists(db()));
}

TEST_F(Cli, ImportTakesKernelAliases) {
  fs::rename(release() / "MatMulV2.csv", release() / "Gemm.csv");
  const CliResult result = import({"--kernel-alias", "Gemm=MatMulV2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(lookup({leaf(100)}).exit_code, 0);
  const CliResult malformed = import({"--kernel-alias", "Gemm"});
  EXPECT_EQ(malformed.exit_code, 2);
  EXPECT_NE(malformed.err.find("FILE_STEM=KERNEL"), std::string::npos) << malformed.err;
}

TEST_F(Cli, ImportNamesTheFilesThatCannotBeRead) {
  write(release() / "RmsNorm.csv", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
  const CliResult refused = import();
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("RmsNorm.csv"), std::string::npos) << refused.err;
  EXPECT_FALSE(fs::exists(db()));
  const CliResult kept = import({"--keep-going", "--kernel-alias", "RmsNorm=MatMulV2"});
  EXPECT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_NE(kept.out.find("left out: "), std::string::npos) << kept.out;
}

// --- lookup, one leaf ---

TEST_F(Cli, LookupOfAMeasurementIsAHit) {
  import_or_fail();
  const CliResult result = lookup({leaf(100)});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(lines_of(result.out).front(), "MEASURED  10 us");
  EXPECT_NE(result.out.find("MatMulV2"), std::string::npos);
  EXPECT_NE(result.out.find("matrix_compute"), std::string::npos);
}

TEST_F(Cli, LookupBetweenMeasurementsInterpolates) {
  import_or_fail();
  const CliResult result = lookup({leaf(150)});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  // Half way between 10 us at 100 and 20 us at 200.
  EXPECT_EQ(lines_of(result.out).front(), "INTERPOLATED  15 us");
  EXPECT_NE(result.out.find("M 100..200"), std::string::npos) << result.out;
}

TEST_F(Cli, LookupBeyondTheMeasurementsIsAMissThatExplainsItself) {
  import_or_fail();
  const CliResult result = lookup({leaf(250)});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_EQ(lines_of(result.out).front(), "MISS  outside_boundary");
  EXPECT_NE(result.out.find("nothing is extrapolated"), std::string::npos);
  EXPECT_NE(result.out.find("M=250 K=64 N=32"), std::string::npos);
  EXPECT_NE(result.out.find("M 100..200"), std::string::npos) << result.out;
}

TEST_F(Cli, LookupInAnotherRegimeShowsWhatDiffers) {
  import_or_fail();
  const CliResult result = lookup({leaf(100, "int8")});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_EQ(lines_of(result.out).front(), "MISS  regime_mismatch");
  EXPECT_NE(result.out.find("closest regime: MatMulV2, 2 rows; it differs in"), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("INT8;INT8"), std::string::npos) << result.out;
}

TEST_F(Cli, LookupFitsAHundredColumns) {
  import_or_fail();
  for (const std::string& call : {leaf(150), leaf(250), leaf(100, "int8")})
    for (const std::string& line : lines_of(lookup({call}).out)) EXPECT_LE(line.size(), 100U) << line;
}

TEST_F(Cli, LookupReadsALeafFromAFile) {
  import_or_fail();
  write(file("leaf.json"), "\n" + leaf(200) + "\n");
  const CliResult result = lookup({file("leaf.json"), "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(parsed(result.out).at("latency_us"), 20.0);
}

TEST_F(Cli, LookupOfAMalformedLeafNamesTheField) {
  import_or_fail();
  const CliResult result =
      lookup({R"({"op": "aten.mm.default", "inputs": [{"shape": [-1, 64], "dtype": "bfloat16"}]})"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("inputs[0].shape[0]"), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(lookup({file("absent.json")}).exit_code, 3);
}

TEST_F(Cli, LookupWithoutInterpolationMisses) {
  import_or_fail();
  const CliResult result = lookup({leaf(150), "--no-interpolation", "--json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(parsed(result.out).at("reason"), "interpolation_off");
}

// --- lookup, a stream ---

TEST_F(Cli, JsonlAnswersEveryLineInItsPlace) {
  import_or_fail();
  write(file("leaves.jsonl"),
        leaf(100) + "\n" + "{\"op\": 1}\r\n" + "\n" + leaf(999) + "\n" + leaf(150) + "\n\n");
  const CliResult result = lookup({"--jsonl", file("leaves.jsonl"), "--json"});
  EXPECT_EQ(result.exit_code, 3);
  const auto lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 5U) << result.out;
  EXPECT_EQ(parsed(lines[0]).at("source"), "MEASURED");
  EXPECT_EQ(parsed(lines[1]).at("source"), "ERROR");
  EXPECT_EQ(parsed(lines[1]).at("line"), 2);
  EXPECT_NE(parsed(lines[1]).at("error").get<std::string>().find("op"), std::string::npos);
  EXPECT_EQ(parsed(lines[2]).at("source"), "ERROR");
  EXPECT_EQ(parsed(lines[2]).at("line"), 3);
  EXPECT_EQ(parsed(lines[3]).at("source"), "MISS");
  EXPECT_EQ(parsed(lines[4]).at("latency_us"), 15.0);
}

TEST_F(Cli, JsonlWithMissesOnlyIsDone) {
  import_or_fail();
  const CliResult result = lookup({"--jsonl", "-"}, leaf(999) + "\n" + leaf(998));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(lines_of(result.out).size(), 2U);
}

TEST_F(Cli, JsonlAnswersALineBeforeTheNextIsWritten) {
  import_or_fail();
  CliProcess process({"lookup", "--db", db(), "--jsonl", "-"});
  for (const int m : {100, 200, 150}) {
    process.write(leaf(m) + "\n");
    const auto line = process.read_line();
    ASSERT_TRUE(line.has_value());
    EXPECT_EQ(parsed(*line).at("latency_us"), m / 10.0);
  }
  EXPECT_EQ(process.finish().exit_code, 0);
}

TEST_F(Cli, JsonlRefusesALineThatIsTooLong) {
  import_or_fail();
  const std::string long_line(std::size_t{65} * 1024 * 1024, ' ');
  const CliResult result = lookup({"--jsonl", "-"}, long_line + "\n" + leaf(100) + "\n");
  EXPECT_EQ(result.exit_code, 3);
  const auto lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_NE(parsed(lines[0]).at("error").get<std::string>().find("64 MiB"), std::string::npos);
  EXPECT_EQ(parsed(lines[1]).at("source"), "MEASURED");
}

TEST_F(Cli, JsonlEndsQuietlyWhenItsReaderIsGone) {
  import_or_fail();
  CliProcess process({"lookup", "--db", db(), "--jsonl", "-"});
  process.close_output();
  const CliResult result = process.finish(leaf(100) + "\n");
  EXPECT_EQ(result.exit_code, 74);
  EXPECT_EQ(result.err, "");
}

TEST_F(Cli, JsonlFromAFileThatCannotBeReadIsBadInput) {
  import_or_fail();
  const CliResult absent = lookup({"--jsonl", file("absent.jsonl")});
  EXPECT_EQ(absent.exit_code, 3);
  EXPECT_NE(absent.err.find("absent.jsonl"), std::string::npos) << absent.err;
  EXPECT_EQ(lookup({"--jsonl", release().string()}).exit_code, 3);
}

// --- what cannot be asked ---

TEST_F(Cli, AnUnknownReleaseListsThoseThatExist) {
  import_or_fail();
  const CliResult result = lookup({leaf(100), "--release", "TEST_NPU/test_framework/2.0"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("TEST_NPU/test_framework/1.0"), std::string::npos) << result.err;
  EXPECT_EQ(lookup({leaf(100), "--release", "TEST_NPU/test_framework/1.0"}).exit_code, 0);
  EXPECT_EQ(lookup({leaf(100), "--release", "1"}).exit_code, 0);
}

TEST_F(Cli, WrongArgumentsAreUsageErrors) {
  import_or_fail();
  const std::vector<Arguments> wrong = {{},
                                        {"imports"},
                                        {"releases"},
                                        {"lookup", "--db", db()},
                                        {"lookup", "--db", db(), leaf(100), "--jsonl", "-"},
                                        {"lookup", "--db", db(), leaf(100), "--padded-match", "first"},
                                        {"lookup", "--db", db(), leaf(100), "--ep-size", "0"},
                                        {"lookup", "--db", db(), leaf(100), "--ep-size", "many"},
                                        {"log", "--db", db(), "--last", "-1"}};
  for (const Arguments& arguments : wrong) {
    const CliResult result = run_cli(arguments);
    EXPECT_EQ(result.exit_code, 2) << testing::PrintToString(arguments) << result.err;
    EXPECT_TRUE(result.err.starts_with("profdb: ")) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(Cli, AnUnknownCommandListsThoseThatExist) {
  const CliResult result = run_cli({"lokup", "--db", db()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("no command 'lokup'; choose from import, "), std::string::npos) << result.err;
  EXPECT_NE(run_cli({"mapping", "chek"}).err.find("no command 'chek'; choose from check, "),
            std::string::npos);
}

TEST_F(Cli, OutputThatCannotBeWrittenIsAnError) {
  import_or_fail();
  const std::string command =
      std::string("'") + PROFDB_CLI + "' releases --db '" + db() + "' > /dev/full 2> '" + file("err") + "'";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 74);
  std::ifstream err(file("err"));
  std::string message;
  std::getline(err, message);
  EXPECT_EQ(message, "profdb: cannot write the output: No space left on device");
}

// --- databases that cannot be used ---

TEST_F(Cli, AMissingDatabaseIsDatabaseTrouble) {
  const CliResult result = lookup({leaf(100)});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_NE(result.err.find("profdb import"), std::string::npos) << result.err;
  EXPECT_FALSE(fs::exists(db()));
}

TEST_F(Cli, AFileThatIsNoDatabaseIsRefusedByEveryCommand) {
  write(db(), std::string(4096, 'x'));
  const std::vector<Arguments> commands = {{"lookup", leaf(100)}, {"releases"},       {"log"}, {"verify"},
                                           {"migrate"},           {"mapping", "show"}};
  for (Arguments arguments : commands) {
    arguments.insert(arguments.end(), {"--db", db()});
    const CliResult result = run_cli(arguments);
    EXPECT_EQ(result.exit_code, 4) << testing::PrintToString(arguments) << result.err;
    EXPECT_NE(result.err.find("not an SQLite database"), std::string::npos) << result.err;
  }
  EXPECT_EQ(import().exit_code, 4);
}

TEST_F(Cli, ADatabaseOfAnotherApplicationIsLeftAlone) {
  SQLite::Database(db(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE notes (text)");
  EXPECT_EQ(import().exit_code, 4);
  const CliResult result = lookup({leaf(100)});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_NE(result.err.find("another application"), std::string::npos) << result.err;
}

TEST_F(Cli, ANewerSchemaAsksForANewerProfdb) {
  import_or_fail();
  SQLite::Database(db(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 1000");
  for (const auto& result : {lookup({leaf(100)}), run_cli({"migrate", "--db", db()})}) {
    EXPECT_EQ(result.exit_code, 4);
    EXPECT_NE(result.err.find("newer"), std::string::npos) << result.err;
  }
}

// --- the other commands ---

TEST_F(Cli, ReleasesListsWhatIsThere) {
  import_or_fail();
  const CliResult text = run_cli({"releases", "--db", db()});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_NE(text.out.find("TEST_NPU  test_framework  1.0"), std::string::npos) << text.out;
  const json list = parsed(run_cli({"releases", "--db", db(), "--json"}).out);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].at("row_count"), 3);
  EXPECT_EQ(list[0].at("taken_rows"), 2);
  EXPECT_EQ(list[0].at("operator_count"), 3);
}

TEST_F(Cli, SyntheticDataIsCalledSo) {
  write(release() / "MatMulV2.csv",
        std::string(kHeader).substr(0, std::string(kHeader).size() - 1) + ",Data Origin\n" +
            row(100, "10").substr(0, row(100, "10").size() - 1) + ",synthetic: made up\n");
  import_or_fail();
  EXPECT_NE(run_cli({"releases", "--db", db()}).out.find("SYNTHETIC"), std::string::npos);
  EXPECT_NE(lookup({leaf(100)}).out.find("SYNTHETIC"), std::string::npos);
}

TEST_F(Cli, LoggedLookupsAreShownNewestFirst) {
  import_or_fail();
  EXPECT_EQ(run_cli({"log", "--db", db()}).out, "no log entries\n");
  EXPECT_EQ(lookup({leaf(150), "--log", "all"}).exit_code, 0);
  EXPECT_EQ(lookup({leaf(250), "--log", "all"}).exit_code, 1);
  EXPECT_EQ(lookup({leaf(100), "--log", "misses"}).exit_code, 0);  // a hit: not logged

  const auto lines = lines_of(run_cli({"log", "--db", db()}).out);
  ASSERT_EQ(lines.size(), 4U);  // titles and a rule first
  EXPECT_NE(lines[2].find("outside_boundary"), std::string::npos) << lines[2];
  EXPECT_NE(lines[3].find("linear_1d M"), std::string::npos) << lines[3];

  const json misses = parsed(run_cli({"log", "--db", db(), "--source", "miss", "--json"}).out);
  ASSERT_EQ(misses.size(), 1U);
  EXPECT_EQ(misses[0].at("op"), "aten.mm.default");
  EXPECT_EQ(misses[0].at("details").at("reason"), "outside_boundary");
  EXPECT_EQ(parsed(run_cli({"log", "--db", db(), "--reason", "unmapped", "--json"}).out), json::array());
  EXPECT_EQ(parsed(run_cli({"log", "--db", db(), "--last", "1", "--json"}).out).size(), 1U);
}

TEST_F(Cli, LogSummaryCountsAnswersAndMisses) {
  import_or_fail();
  EXPECT_EQ(lookup({"--jsonl", "-", "--log", "all"}, leaf(250) + "\n" + leaf(250) + "\n" + leaf(100) + "\n")
                .exit_code,
            0);
  const json summary = parsed(run_cli({"log", "--db", db(), "--summary", "--json"}).out);
  ASSERT_EQ(summary.at("miss_reasons").size(), 1U);
  EXPECT_EQ(summary.at("miss_reasons")[0].at("lookups"), 2);
  EXPECT_EQ(summary.at("miss_reasons")[0].at("distinct_calls"), 1);
  EXPECT_EQ(summary.at("lookup_summary").size(), 2U);
  const CliResult text = run_cli({"log", "--db", db(), "--summary"});
  EXPECT_NE(text.out.find("outside_boundary"), std::string::npos) << text.out;
}

TEST_F(Cli, LogGoesIntoADatabaseOfItsOwn) {
  import_or_fail();
  EXPECT_EQ(lookup({leaf(250), "--log", "misses", "--log-db", file("log.db")}).exit_code, 1);
  EXPECT_EQ(parsed(run_cli({"log", "--db", file("log.db"), "--json"}).out).size(), 1U);
  EXPECT_EQ(parsed(run_cli({"log", "--db", db(), "--json"}).out).size(), 0U);
}

TEST_F(Cli, MappingCheckShowsPathsAndWarnings) {
  write(file("mapping.yaml"),
        std::string(kMapping) + "  \"aten.add.Tensor\":\n    kernel_type: Add\n    kernl: Sub\n");
  const CliResult text = run_cli({"mapping", "check", file("mapping.yaml")});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("matrix_compute"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("none: zero_cost"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("mapping.yaml:17: "), std::string::npos) << text.out;  // the line of kernl
  const json report = parsed(run_cli({"mapping", "check", file("mapping.yaml"), "--json"}).out);
  EXPECT_EQ(report.at("warnings").size(), 1U);
  EXPECT_EQ(report.at("operators")[0].at("path"), "matrix_compute");
  EXPECT_EQ(report.at("operators")[2].at("no_path"), "composite_requires_leaf_ops");

  write(file("mapping.yaml"), "operator_mappings: [1]\n");
  const CliResult wrong = run_cli({"mapping", "check", file("mapping.yaml")});
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_NE(wrong.err.find("mapping.yaml:1"), std::string::npos) << wrong.err;
}

TEST_F(Cli, MappingSetProjectsTheReleaseAfresh) {
  import_or_fail();
  ASSERT_EQ(lookup({leaf(150)}).exit_code, 0);
  write(file("mapping.yaml"),
        std::string(kMapping) +
            "interpolation_policy:\n  kernel_overrides:\n    MatMulV2: {max_interpolation_dim: 0}\n");
  const CliResult set = run_cli({"mapping", "set", file("mapping.yaml"), "--db", db(), "--release", "1"});
  EXPECT_EQ(set.exit_code, 0) << set.err;
  EXPECT_NE(set.out.find("3 rows of 1 file projected afresh"), std::string::npos) << set.out;
  const CliResult result = lookup({leaf(150), "--json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(parsed(result.out).at("reason"), "interpolation_dim_disabled");
  EXPECT_EQ(lookup({leaf(100)}).exit_code, 0);
  const json shown = parsed(run_cli({"mapping", "show", "--db", db(), "--json"}).out);
  EXPECT_EQ(shown.at("policies")[0].at("max_interpolation_dim"), 0);
  EXPECT_NE(run_cli({"mapping", "show", "--db", db()}).out.find("interpolation policies"), std::string::npos);
}

TEST_F(Cli, VerifyFindsWhatWasTamperedWith) {
  import_or_fail();
  const CliResult sound = run_cli({"verify", "--db", db()});
  EXPECT_EQ(sound.exit_code, 0) << sound.out << sound.err;
  EXPECT_TRUE(sound.out.starts_with("ok: ")) << sound.out;
  SQLite::Database(db(), SQLite::OPEN_READWRITE)
      .exec("UPDATE measurement SET latency_us = 7 WHERE measurement_id = 1");
  const CliResult tampered = run_cli({"verify", "--db", db()});
  EXPECT_EQ(tampered.exit_code, 4) << tampered.out << tampered.err;
  EXPECT_NE(tampered.out.find("digests"), std::string::npos) << tampered.out;
  const json report = parsed(run_cli({"verify", "--db", db(), "--json"}).out);
  EXPECT_EQ(report.at("ok"), false);
  EXPECT_FALSE(report.at("findings").empty());
}

TEST_F(Cli, MigrateOfACurrentDatabaseSaysSo) {
  import_or_fail();
  const CliResult result = run_cli({"migrate", "--db", db()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("already current"), std::string::npos) << result.out;
}

TEST(CliHelp, EverySubcommandShowsAnExample) {
  const std::vector<Arguments> commands = {
      {},          {"import"},           {"releases"},        {"lookup"},         {"log"},
      {"mapping"}, {"mapping", "check"}, {"mapping", "show"}, {"mapping", "set"}, {"verify"},
      {"migrate"}};
  for (Arguments arguments : commands) {
    std::string example = "Example:\n  profdb";
    for (const std::string& word : arguments) example += " " + word;
    arguments.emplace_back("--help");
    const CliResult result = run_cli(arguments);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_NE(result.out.find(example), std::string::npos) << result.out;
    for (const std::string& line : lines_of(result.out)) EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST(CliHelp, VersionIsPrinted) {
  const CliResult result = run_cli({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(result.out.starts_with("profdb 0.")) << result.out;
}

}  // namespace
