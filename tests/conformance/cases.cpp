// Comparison of lookups with known answers.
#include "tests/conformance/cases.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>

#include "profdb/engine.h"
#include "tests/support/release.h"

namespace profdb::test {
namespace {

using nlohmann::json;

void require_keys(const json& object, const std::set<std::string>& known, const std::string& what) {
  if (!object.is_object()) throw std::runtime_error(what + " is no object");
  for (const auto& item : object.items())
    if (known.count(item.key()) == 0) throw std::runtime_error(what + " has unknown \"" + item.key() + "\"");
}

PaddedMatch padded_match_of(const std::string& word) {
  if (word == "last") return PaddedMatch::last;
  if (word == "before") return PaddedMatch::before;
  if (word == "off") return PaddedMatch::off;
  throw std::runtime_error("unknown padded_match \"" + word + "\"");
}

EngineOptions options_of(const json& given) {
  require_keys(given, {"ep_size", "interpolation", "padded_match"}, "options");
  EngineOptions options;
  if (given.contains("ep_size") && !given["ep_size"].is_null())
    options.ep_size = given["ep_size"].get<std::int64_t>();
  options.interpolation = given.value("interpolation", true);
  options.padded_match = padded_match_of(given.value("padded_match", "last"));
  return options;
}

// A miss says why, a hit how long: a case without it would accept too much.
void check_expected(const json& expected) {
  require_keys(expected, {"source", "reason", "latency_us", "method", "dim", "axes", "match_rule", "kernel"},
               "expected");
  const std::string needed = expected.at("source") == "MISS" ? "reason" : "latency_us";
  if (!expected.contains(needed)) throw std::runtime_error("expected has no " + needed);
}

Case case_of(const std::string& text) {
  const json line = json::parse(text);
  require_keys(line, {"why", "leaf", "options", "expected"}, "the case");
  Case read;
  read.leaf = line.at("leaf");
  read.why = line.contains("why") ? line["why"].get<std::string>() : read.leaf.dump();
  read.options = line.value("options", json::object());
  read.expected = line.at("expected");
  options_of(read.options);
  check_expected(read.expected);
  return read;
}

Outcome outcome_of(const Case& asked, const std::string& failure) {
  return {asked.line, asked.why, failure};
}

Outcome compare(const Case& asked, const Result& result) {
  const std::string actual = to_json(result).dump();
  EXPECT_EQ(to_json_text(result), actual);
  const auto found = differences(asked.expected, result);
  if (found.empty()) return outcome_of(asked, "");
  return outcome_of(asked, fmt::format("{}\nexpected: {}\nactual: {}", fmt::join(found, "\n"),
                                       asked.expected.dump(), actual));
}

std::string failure_of(const std::exception& error, const json& expected) {
  return fmt::format("error: {}\nexpected: {}", error.what(), expected.dump());
}

}  // namespace

std::vector<Case> read_cases(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  std::vector<Case> cases;
  for (std::string text; std::getline(in, text);) {
    const int number = static_cast<int>(cases.size()) + 1;
    try {
      cases.push_back(case_of(text));
    } catch (const std::exception& error) {
      throw std::runtime_error(fmt::format("{}:{}: {}", file.string(), number, error.what()));
    }
    cases.back().line = number;
  }
  return cases;
}

std::vector<std::string> differences(const json& expected, const Result& result) {
  std::vector<std::string> found;
  const auto compare_field = [&](const char* field, const json& actual) {
    if (expected.contains(field) && expected[field] != actual)
      found.push_back(fmt::format("{} is {}, not {}", field, actual.dump(), expected[field].dump()));
  };
  compare_field("source", to_string(result.source));
  compare_field("reason", result.reason);
  if (expected.contains("latency_us")) {
    const double latency = expected["latency_us"].get<double>();
    if (!(std::abs(result.latency_us - latency) <= 1e-9 * std::abs(latency)))
      found.push_back(fmt::format("latency_us is {}, not {}", result.latency_us, latency));
  }
  compare_field("method", result.method);
  compare_field("dim", result.dim);
  compare_field("axes", result.axes);
  compare_field("match_rule", result.match_rule);
  compare_field("kernel", result.kernel);
  return found;
}

std::vector<Outcome> run_cases_in(const std::filesystem::path& database, const std::vector<Case>& cases) {
  std::map<std::string, std::unique_ptr<Engine>> engines;  // by options
  std::vector<Outcome> outcomes;
  for (const Case& asked : cases) {
    SCOPED_TRACE(asked.why);
    try {
      auto& engine = engines[asked.options.dump()];
      if (!engine) engine = std::make_unique<Engine>(database.string(), options_of(asked.options));
      outcomes.push_back(compare(asked, *engine->lookup(leaf_op_from_json(asked.leaf))));
    } catch (const std::exception& error) {
      outcomes.push_back(outcome_of(asked, failure_of(error, asked.expected)));
    }
  }
  return outcomes;
}

std::vector<Outcome> run_cases(const std::filesystem::path& release, const std::vector<Case>& cases) {
  const TempFolder folder;
  try {
    import_folder(release, folder / "cases.db");
  } catch (const std::exception& error) {
    ADD_FAILURE() << release << " is not imported: " << error.what();  // whether its cases are pending or not
    std::vector<Outcome> outcomes;
    for (const Case& asked : cases) outcomes.push_back(outcome_of(asked, failure_of(error, asked.expected)));
    return outcomes;
  }
  return run_cases_in(folder / "cases.db", cases);
}

}  // namespace profdb::test
