// What is done to a round once its evidence is there: seal, calibrate, judge, accept, verify.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "serving/archive/evidence_load.h"

namespace profdb::serving {

// Seals a run: from then on nothing is added to it. Returns the seal's digest. Sealing again gives the same;
// throws Error(input) where there is no such run, or it has no records.
std::string seal(const std::filesystem::path& database, const std::string& round, const std::string& run);

struct Calibration {
  CalibrationResult result;
  std::vector<RunValidation> runs;
};
// Computes and stores the thresholds of a calibration round; a new row each time.
Calibration calibrate(const std::filesystem::path& database, const std::string& round);

// Judges a round's performance from its evidence as it is now, and adds the verdict.
struct Judged {
  StoredVerdict verdict;
  PerformanceJudgement judgement;
};
Judged judge_performance(store::Connection& connection, const std::string& round,
                         const std::string& caused_by);

struct JudgedAccuracy {
  StoredVerdict verdict;
  AccuracyResult result;
};
JudgedAccuracy judge_accuracy(store::Connection& connection, const std::string& round, bool requested,
                              const std::string& caused_by);

// Whether a candidate is retained, or a commit finally accepted: performance, accuracy, function and
// configuration. Adds the verdicts on function, configuration and the whole; performance and accuracy are
// those that stand.
struct Accepted {
  StoredVerdict verdict;
  std::vector<StoredVerdict> parts;  // performance, accuracy, function, configuration
};
Accepted accept(store::Connection& connection, const std::string& round, const std::string& caused_by);

// What verify found, and what became of the verdicts.
struct Verification {
  std::string round;
  std::vector<Finding> findings;
  std::vector<StoredVerdict> new_verdicts;  // judged anew, where a verdict stood that the findings concern
};
// Recomputes every digest and every derived number of a round, and of the rounds that its verdict rests on.
Verification verify(store::Connection& connection, const std::string& round);

// The figures and checks of a judgement as JSON: the details of its verdict.
nlohmann::ordered_json to_json(const PerformanceJudgement& judgement);
nlohmann::ordered_json to_json(const std::vector<Check>& checks);
nlohmann::ordered_json to_json(const RunValidation& validation);
nlohmann::ordered_json to_json(const StoredVerdict& verdict);

}  // namespace profdb::serving
