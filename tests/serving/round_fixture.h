// A small round in memory, valid in every respect, that tests disturb in one place.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "serving/rules/comparison.h"

namespace profdb::serving::test {

// A SHA-256 that is recognized in failures: the letter repeated.
std::string sha(char digit);

// Levels 1 and 2; 8 prompt tokens; 2 and 4 generated ones; rank slot mod 2; limit 25 ms per token.
Protocol small_protocol();

struct TestRun {
  ServiceRun service;
  bool sealed = true;
  std::vector<std::string> archive_problems;
  std::string records_sha256;
  std::vector<RequestRecord> records;
  std::string raw_problem;   // of the last record
  std::string body_problem;  // of the last record
};

struct TestRound {
  RunSpec spec;
  Protocol protocol = small_protocol();
  std::string protocol_sha256 = sha('9');
  PromptPool pool;
  std::int64_t frozen_utc_ns = 0;
  std::int64_t frozen_monotonic_ns = 0;
  std::string frozen_clock_id = "freezer/1";
  std::vector<std::string> archive_problems;
  std::vector<TestRun> runs;

  RoundEvidence evidence() const;
  TestRun& run(const std::string& name);
};

// The record of a run that is found by level, phase and slot (first attempt).
RequestRecord& record_of(TestRun& run, std::int64_t level, Phase phase, std::int64_t slot);

// A run whose measured requests all have the given TPOT at each level. It starts `minute` minutes after the
// freeze.
TestRun make_run(const TestRound& round, const std::string& name, int minute,
                 const std::vector<double>& tpot_ms);

// Appends a whole attempt at a level to the run, after everything else.
void add_attempt(const TestRound& round, TestRun& run, std::int64_t level, std::int64_t attempt,
                 double tpot_ms);

// A round of `kind` without runs. Its version is `commit`.
TestRound make_round(const std::string& name, RoundKind kind, const std::string& commit);

// A candidate's round with B1 and B2 at 31 ms, and a parent's calibration round with two pairs at 32 ms:
// PASS.
struct TestCandidate {
  TestRound parent;
  TestRound round;
  CandidateEvidence evidence() const;
};
TestCandidate make_candidate();

// The names of the checks that fail.
std::vector<std::string> failing(const std::vector<Check>& checks);

}  // namespace profdb::serving::test
