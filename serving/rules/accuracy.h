// The accuracy of a version, its functional checks, and what follows from everything together
// (acceptance-protocol §5).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "serving/rules/evidence.h"
#include "serving/rules/verdict.h"

namespace profdb::serving {

// The accuracy run's own document.
struct AccuracyRun {
  std::string round;
  std::string run_id;  // its own, no performance run's
  std::string run;     // the performance run whose service it uses: B2
  std::string service;
  std::string host;
  std::int64_t pid = 0;
  std::int64_t start_ticks = 0;
  Identity identity;
  std::int64_t started_utc_ns = 0;
  std::int64_t pending_requests = 0;  // on the service when it began: 0 where performance had drained
  std::string cache_state;            // what it inherited, in words
  std::int64_t concurrency = 0;
  std::int64_t warmup_requests = 0;
  std::int64_t max_output_tokens = 0;
  std::string dataset, dataset_revision, dataset_sha256;
  std::string scorer, scorer_revision, scorer_sha256;
  std::string prompt, prompts_sha256;
  nlohmann::ordered_json settings;
};

AccuracyRun parse_accuracy_run(const nlohmann::ordered_json& document);

// One line of the scorer's results.
struct AccuracyAnswer {
  std::int64_t question = 0;  // index in the data set
  std::int64_t attempt = 1;
  bool answered = false;  // the request succeeded
  std::string response_sha256;
  bool correct = false;
  bool truncated = false;
  bool extraction_failed = false;
};

AccuracyAnswer parse_accuracy_answer(const nlohmann::ordered_json& json);

struct AccuracyEvidence {
  std::optional<AccuracyRun> run;
  std::vector<AccuracyAnswer> answers;  // in file order
  std::vector<std::string> archive_problems;
  std::string selection_sha256;               // of the questions that the protocol selects
  std::optional<std::int64_t> sealed_utc_ns;  // when the run it is bound to was sealed
  std::optional<std::int64_t> judged_utc_ns;  // of the performance verdict
  Verdict performance = Verdict::not_run;
  bool requested = false;  // explicitly asked for, whatever the performance verdict
};

struct AccuracyResult {
  Verdict verdict = Verdict::not_run;
  std::string reason;
  std::vector<Check> checks;
  std::int64_t correct = 0, truncated = 0, extraction_failed = 0, failed = 0;
};

AccuracyResult judge_accuracy(const RoundEvidence& round, const AccuracyEvidence& evidence);

// A functional check that was recorded.
struct FunctionRecord {
  std::string name;
  bool passed = false;
  std::string detail;
};
struct FunctionDocument {
  std::string round;
  Identity identity;
  std::vector<FunctionRecord> checks;
  std::vector<BoundFile> evidence;
};
FunctionDocument parse_functions(const nlohmann::ordered_json& document);

struct PartResult {
  Verdict verdict = Verdict::not_run;
  std::string reason;
};

// PASS where every check that the RunSpec requires, and every other that was recorded, passed on the
// candidate.
PartResult judge_functions(const RunSpec& spec, const std::vector<FunctionDocument>& documents);

// Whether the candidate's services ran the configuration, weights and paths that the RunSpec names.
PartResult judge_configuration(const RoundEvidence& round, const std::vector<RunValidation>& validations);

// PASS with all parts passed, FAIL with one failed, else INCONCLUSIVE; names each part that is missing.
PartResult conclude(const std::vector<std::pair<std::string, PartResult>>& parts);

}  // namespace profdb::serving
