// Accuracy, function, configuration, and the conclusion.
#include "serving/rules/accuracy.h"

#include <fmt/format.h>

#include <map>

#include "base/utc.h"
#include "serving/documents/python_random.h"
#include "serving/rules/run_checks.h"

namespace profdb::serving {

namespace {

// The service that stands for B2.
const RunEvidence* second_run(const RoundEvidence& round) {
  for (const RunEvidence& run : round.runs)
    if (run.name == "B3" && run.service.replaces == "B2") return &run;
  return round.run("B2");
}

void check_service(const RoundEvidence& round, const AccuracyRun& run, CheckList& checks) {
  checks.open("accuracy_run_id");
  for (const RunEvidence& other : round.runs)
    if (run.run_id == other.name || run.run_id == other.id())
      checks.fail(fmt::format("'{}' is a performance run", run.run_id));
  checks.open("accuracy_service");
  const RunEvidence* bound = second_run(round);
  if (bound == nullptr) {
    checks.fail("there is no run B2 to be bound to");
    return;
  }
  const ServiceRun& service = bound->service;
  if (run.run != bound->name || run.service != service.service || run.host != service.host ||
      run.pid != service.pid || run.start_ticks != service.start_ticks)
    checks.fail(fmt::format("it is not on the service of run {} ({}, PID {})", bound->name, service.service,
                            service.pid));
  if (service.stopped_utc_ns && run.started_utc_ns > *service.stopped_utc_ns)
    checks.fail("it began after the service had stopped");
  checks.open("accuracy_identity");
  const auto other = differences(run.identity, round.spec.candidate);
  if (!other.empty()) checks.fail(fmt::format("another {} than the RunSpec's", fmt::join(other, ", ")));
}

void check_moment(const RoundEvidence& round, const AccuracyEvidence& evidence, CheckList& checks) {
  const std::int64_t start = evidence.run->started_utc_ns;
  checks.open("accuracy_after_seal");
  if (!evidence.sealed_utc_ns || start < *evidence.sealed_utc_ns)
    checks.fail("it began before performance was sealed");
  checks.open("accuracy_after_judgement");
  if (!evidence.judged_utc_ns || start < *evidence.judged_utc_ns)
    checks.fail("it began before performance was judged");
  checks.open("accuracy_drained");
  if (evidence.run->pending_requests != 0)
    checks.fail(fmt::format("{} requests were pending when it began", evidence.run->pending_requests));
  const RunEvidence* bound = second_run(round);
  if (bound == nullptr) return;
  for (const RequestFacts& facts : bound->requests) {
    const auto sent = parse_utc(facts.record.start_utc);
    if (sent && *sent + (facts.record.end_ns - facts.record.start_ns) > start) {
      checks.fail(fmt::format("{} had not ended when it began", facts.label()));
      return;
    }
  }
}

void check_settings(const RoundEvidence& round, const AccuracyRun& run, CheckList& checks) {
  const AccuracyProtocol& protocol = round.protocol.accuracy;
  checks.open("accuracy_settings");
  const auto number = [&checks](const char* what, std::int64_t actual, std::int64_t planned) {
    if (actual != planned) checks.fail(fmt::format("{} is {} instead of {}", what, actual, planned));
  };
  number("concurrency", run.concurrency, protocol.concurrency);
  number("warmup_requests", run.warmup_requests, protocol.warmup_requests);
  number("max_output_tokens", run.max_output_tokens, protocol.max_output_tokens);
  // Members stand in any order.
  if (nlohmann::json(run.settings) != nlohmann::json(protocol.settings))
    checks.fail("its settings are not the protocol's");
  const auto text = [&checks](const char* what, const std::string& actual, const std::string& planned) {
    if (actual != planned) checks.fail(fmt::format("{} is '{}' instead of '{}'", what, actual, planned));
  };
  checks.open("accuracy_dataset");
  text("dataset", run.dataset, protocol.dataset);
  text("dataset_revision", run.dataset_revision, protocol.dataset_revision);
  text("dataset_sha256", run.dataset_sha256, round.spec.dataset_sha256);
  checks.open("accuracy_scorer");
  text("scorer", run.scorer, protocol.scorer);
  text("scorer_revision", run.scorer_revision, protocol.scorer_revision);
  text("scorer_sha256", run.scorer_sha256, round.spec.scorer_sha256);
  checks.open("accuracy_prompt");
  text("prompt", run.prompt, protocol.prompt);
  text("prompts_sha256", run.prompts_sha256, round.spec.prompts_sha256);
}

void check_answers(const RoundEvidence& round, const AccuracyEvidence& evidence, CheckList& checks) {
  const AccuracyProtocol& protocol = round.protocol.accuracy;
  checks.open("accuracy_selection");
  if (evidence.selection_sha256 != protocol.selection_sha256)
    checks.fail("the questions that seed and sizes select do not have the protocol's digest");
  const auto selected = select_questions(static_cast<std::uint64_t>(protocol.seed),
                                         static_cast<std::uint32_t>(protocol.questions),
                                         static_cast<std::uint32_t>(protocol.sample));
  std::map<std::int64_t, int> answered;
  std::vector<std::int64_t> order;
  for (const AccuracyAnswer& answer : evidence.answers) {
    if (answered.count(answer.question) == 0) order.push_back(answer.question);
    answered[answer.question] += answer.answered ? 1 : 0;
  }
  checks.open("accuracy_questions");
  for (const std::uint32_t question : selected)
    if (answered.count(question) == 0) checks.fail(fmt::format("question {} is missing", question));
  if (answered.size() > selected.size())
    checks.fail(fmt::format("{} questions instead of {}", answered.size(), selected.size()));
  checks.open("accuracy_order");
  if (!std::equal(order.begin(), order.end(), selected.begin(), selected.end(),
                  [](std::int64_t a, std::uint32_t b) { return a == static_cast<std::int64_t>(b); }))
    checks.fail("the questions do not stand in the selection's order");
  checks.open("accuracy_answers");
  for (const auto& [question, count] : answered)
    if (count != 1)
      checks.fail(fmt::format("question {} has {} answered attempts instead of 1", question, count));
  checks.open("accuracy_failures");
  for (const AccuracyAnswer& answer : evidence.answers)
    if (!answer.answered)
      checks.fail(fmt::format("question {} attempt {} failed", answer.question, answer.attempt));
}

void count(const AccuracyEvidence& evidence, AccuracyResult& result) {
  for (const AccuracyAnswer& answer : evidence.answers) {
    result.failed += answer.answered ? 0 : 1;
    if (!answer.answered) continue;
    result.correct += answer.correct ? 1 : 0;
    result.truncated += answer.truncated ? 1 : 0;
    result.extraction_failed += answer.extraction_failed ? 1 : 0;
  }
}

}  // namespace

AccuracyRun parse_accuracy_run(const nlohmann::ordered_json& document) {
  Fields fields(document);
  AccuracyRun run;
  fields.one_of("format", {"profdb-serving-accuracy/1"});
  run.round = fields.text("round");
  run.run_id = fields.text("run_id");
  run.run = fields.text("run");
  run.service = fields.text("service");
  run.host = fields.text("host");
  run.pid = fields.integer("pid", 1);
  run.start_ticks = fields.integer("start_ticks");
  Fields identity = fields.object("identity");
  run.identity = read_identity(identity);
  identity.done();
  const std::string started = fields.text("started_utc");
  const auto time = parse_utc(started);
  if (!time) fields.fail("started_utc", "is no UTC time; write \"2026-11-07T12:14:20Z\"");
  run.started_utc_ns = *time;
  run.pending_requests = fields.integer("pending_requests");
  run.cache_state = fields.text("cache_state");
  run.concurrency = fields.integer("concurrency");
  run.warmup_requests = fields.integer("warmup_requests");
  run.max_output_tokens = fields.integer("max_output_tokens");
  run.dataset = fields.text("dataset");
  run.dataset_revision = fields.text("dataset_revision");
  run.dataset_sha256 = fields.sha256("dataset_sha256");
  run.scorer = fields.text("scorer");
  run.scorer_revision = fields.text("scorer_revision");
  run.scorer_sha256 = fields.sha256("scorer_sha256");
  run.prompt = fields.text("prompt");
  run.prompts_sha256 = fields.sha256("prompts_sha256");
  run.settings = fields.object("settings").all();
  fields.done();
  return run;
}

AccuracyAnswer parse_accuracy_answer(const nlohmann::ordered_json& json) {
  Fields fields(json);
  AccuracyAnswer answer;
  answer.question = fields.integer("question");
  answer.attempt = fields.integer("attempt", 1);
  answer.answered = fields.one_of("status", {"answered", "failed"}) == "answered";
  if (answer.answered) {
    answer.response_sha256 = fields.sha256("response_sha256");
    answer.correct = fields.boolean("correct");
    answer.truncated = fields.boolean("truncated");
    answer.extraction_failed = fields.boolean("extraction_failed");
    if (answer.correct && answer.extraction_failed)
      fields.fail("correct", "is true although no answer could be extracted; correct one of the two");
  } else {
    for (const char* key : {"response_sha256", "correct", "truncated", "extraction_failed", "error"})
      static_cast<void>(fields.any(key));
  }
  fields.done();
  return answer;
}

AccuracyResult judge_accuracy(const RoundEvidence& round, const AccuracyEvidence& evidence) {
  AccuracyResult result;
  if (evidence.performance != Verdict::pass && !evidence.requested) {
    result.reason = fmt::format("performance is {}; accuracy is judged after PASS, or where it is asked for",
                                to_string(evidence.performance));
    return result;
  }
  if (!evidence.run || evidence.answers.empty()) {
    result.verdict = Verdict::inconclusive;
    result.reason = !evidence.run ? "accuracy_evidence: the accuracy run's document is not imported"
                                  : "accuracy_evidence: no scorer results are imported";
    return result;
  }
  CheckList checks;
  checks.open("accuracy_archive");
  for (const std::string& problem : evidence.archive_problems) checks.fail(problem);
  check_service(round, *evidence.run, checks);
  check_moment(round, evidence, checks);
  check_settings(round, *evidence.run, checks);
  check_answers(round, evidence, checks);
  result.checks = checks.take();
  count(evidence, result);
  const std::int64_t needed = round.protocol.accuracy.correct_at_least;
  if (!all_ok(result.checks)) {
    result.verdict = Verdict::inconclusive;
    result.reason = failures(result.checks);
    return result;
  }
  result.verdict = result.correct >= needed ? Verdict::pass : Verdict::fail;
  result.reason = fmt::format("{} of {} are correct; {} are needed", result.correct,
                              round.protocol.accuracy.sample, needed);
  return result;
}

FunctionDocument parse_functions(const nlohmann::ordered_json& document) {
  Fields fields(document);
  FunctionDocument read;
  fields.one_of("format", {"profdb-serving-functions/1"});
  read.round = fields.text("round");
  Fields identity = fields.object("identity");
  read.identity = read_identity(identity);
  identity.done();
  for (Fields entry : fields.objects("checks")) {
    FunctionRecord record;
    record.name = entry.text("name");
    record.passed = entry.boolean("passed");
    record.detail = entry.optional_text("detail").value_or("");
    if (auto file = entry.optional_object("evidence")) {
      read.evidence.push_back({record.name, file->text("path"), file->sha256("sha256")});
      file->done();
    }
    entry.done();
    read.checks.push_back(record);
  }
  fields.done();
  return read;
}

PartResult judge_functions(const RunSpec& spec, const std::vector<FunctionDocument>& documents) {
  std::map<std::string, bool> recorded;
  std::string wrong;
  for (const FunctionDocument& document : documents) {
    if (const auto other = differences(document.identity, spec.candidate); !other.empty())
      wrong = fmt::format("recorded on another {} than the candidate's", fmt::join(other, ", "));
    for (const FunctionRecord& record : document.checks) {
      const auto [at, is_new] = recorded.emplace(record.name, record.passed);
      if (!is_new) at->second = at->second && record.passed;
    }
  }
  if (!wrong.empty()) return {Verdict::inconclusive, "function_identity: " + wrong};
  std::string missing;
  for (const std::string& name : spec.functions)
    if (recorded.count(name) == 0) missing += (missing.empty() ? "" : ", ") + name;
  for (const auto& [name, passed] : recorded)
    if (!passed) return {Verdict::fail, fmt::format("'{}' did not pass", name)};
  if (recorded.empty()) return {Verdict::not_run, "no functional check is recorded"};
  if (!missing.empty()) return {Verdict::inconclusive, fmt::format("not recorded: {}", missing)};
  return {Verdict::pass, fmt::format("{} checks passed", recorded.size())};
}

PartResult judge_configuration(const RoundEvidence& round, const std::vector<RunValidation>& validations) {
  const EffectiveRuns runs = effective_runs(round, validations);
  std::string problems;
  for (const RunValidation* run : {runs.b1, runs.b2}) {
    if (run == nullptr) return {Verdict::inconclusive, "a run is missing"};
    for (const Check& check : run->checks)
      if (!check.ok && (check.name.starts_with("identity_") || check.name == "execution_paths"))
        problems +=
            fmt::format("{}run {}: {}: {}", problems.empty() ? "" : "; ", run->run, check.name, check.detail);
  }
  if (!problems.empty()) return {Verdict::fail, problems};
  return {Verdict::pass, "both services ran the identities and execution paths of the RunSpec"};
}

PartResult conclude(const std::vector<std::pair<std::string, PartResult>>& parts) {
  PartResult result{Verdict::pass, ""};
  for (const auto& [name, part] : parts) {
    if (part.verdict == Verdict::pass) continue;
    if (part.verdict == Verdict::fail || result.verdict == Verdict::fail)
      result.verdict = Verdict::fail;
    else
      result.verdict = Verdict::inconclusive;
    result.reason += fmt::format("{}{} is {}: {}", result.reason.empty() ? "" : "; ", name,
                                 to_string(part.verdict), part.reason);
  }
  if (result.reason.empty()) result.reason = "every part passed";
  return result;
}

}  // namespace profdb::serving
