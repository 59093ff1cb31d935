// Comparison of lookups with known answers.
#include "tests/conformance/cases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>

#include "tests/support/release.h"

namespace profdb::test {
namespace {

using nlohmann::json;

EngineOptions options_of(const json& line) {
  EngineOptions options;
  const json given = line.value("options", json::object());
  if (given.contains("ep_size") && !given["ep_size"].is_null())
    options.ep_size = given["ep_size"].get<std::int64_t>();
  options.interpolation = given.value("interpolation", true);
  const std::string padded = given.value("padded_match", "last");
  options.padded_match = padded == "before" ? PaddedMatch::before
                         : padded == "off"  ? PaddedMatch::off
                                            : PaddedMatch::last;
  return options;
}

void compare(const json& line, const Result& result) {
  const json& expected = line["expected"];
  SCOPED_TRACE(line.value("why", line["leaf"].dump()) + "\nexpected: " + expected.dump() +
               "\nactual: " + to_json(result).dump());
  EXPECT_EQ(to_json_text(result), to_json(result).dump());
  EXPECT_EQ(to_string(result.source), expected["source"].get<std::string>());
  if (expected.contains("reason")) {
    EXPECT_EQ(result.reason, expected["reason"].get<std::string>());
  }
  if (expected.contains("latency_us")) {
    const double latency = expected["latency_us"].get<double>();
    EXPECT_LE(std::abs(result.latency_us - latency), 1e-9 * std::abs(latency)) << result.latency_us;
  }
  if (expected.contains("method")) {
    EXPECT_EQ(result.method, expected["method"].get<std::string>());
  }
  if (expected.contains("dim")) {
    EXPECT_EQ(result.dim, expected["dim"].get<int>());
  }
  if (expected.contains("axes")) {
    EXPECT_EQ(result.axes, expected["axes"].get<std::vector<std::string>>());
  }
  if (expected.contains("match_rule")) {
    EXPECT_EQ(result.match_rule, expected["match_rule"].get<std::string>());
  }
  if (expected.contains("kernel")) {
    EXPECT_EQ(result.kernel, expected["kernel"].get<std::string>());
  }
}

}  // namespace

int run_cases_in(const std::filesystem::path& database, const std::filesystem::path& cases,
                 const std::function<bool(const json& line)>& wanted) {
  std::ifstream in(cases);
  EXPECT_TRUE(in) << cases;
  std::map<std::string, std::unique_ptr<Engine>> engines;  // by options
  int compared = 0;
  for (std::string text; std::getline(in, text);) {
    const json line = json::parse(text);
    if (wanted && !wanted(line)) continue;
    auto& engine = engines[line.value("options", json::object()).dump()];
    if (!engine) engine = std::make_unique<Engine>(database.string(), options_of(line));
    compare(line, *engine->lookup(leaf_op_from_json(line["leaf"])));
    ++compared;
  }
  return compared;
}

int run_cases(const std::filesystem::path& release, const std::filesystem::path& cases,
              const std::function<bool(const json& line)>& wanted) {
  const TempFolder folder;
  import_folder(release, folder / "cases.db");
  return run_cases_in(folder / "cases.db", cases, wanted);
}

}  // namespace profdb::test
