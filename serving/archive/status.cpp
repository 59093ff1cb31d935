// The steps of a round.
#include "serving/archive/status.h"

#include <fmt/format.h>

#include <map>

namespace profdb::serving {

using store::Connection;
using store::Rows;

namespace {

class StatusBuilder {
 public:
  StatusBuilder(Connection& connection, const StoredRound& round)
      : connection_(connection), round_(round), runs_(runs_of(connection, round)) {}

  std::vector<Step> build() {
    add("freeze the RunSpec", true, "frozen " + round_.frozen_utc, "");
    const auto planned = round_.spec.planned_runs();
    for (std::size_t i = 0; i < planned.size(); ++i) add_run(planned[i], i + 1 == planned.size());
    for (const StoredRun& run : runs_)
      if (std::find(planned.begin(), planned.end(), run.name) == planned.end()) add_run(run.name, true);
    if (round_.spec.kind == RoundKind::calibration)
      add_calibration();
    else
      add_verdicts();
    const auto events = count("serving_event");
    add("import the time ledger", events > 0,
        events > 0 ? fmt::format("{} events", events) : "no event is recorded",
        "import --ledger time-ledger.jsonl");
    return std::move(steps_);
  }

 private:
  void add(std::string what, bool done, std::string detail, const std::string& command, bool needed = true) {
    const std::string whole = command.empty() ? ""
                                              : fmt::format("profdb serving {} --db {} --round {}", command,
                                                            connection_.path().string(), round_.name);
    steps_.push_back({std::move(what), done, needed, std::move(detail), done ? "" : whole});
  }

  std::int64_t count(const char* table) {
    return connection_.integer(fmt::format("SELECT count(*) FROM {} WHERE round_id = {}", table, round_.id));
  }

  const StoredRun* find(const std::string& name) const {
    for (const StoredRun& run : runs_)
      if (run.name == name) return &run;
    return nullptr;
  }

  // Which levels have the planned number of records in some attempt.
  std::string missing_levels(std::int64_t run_id) {
    auto& select = connection_.statement(
        "SELECT level, max(requests)\nFROM (SELECT level, count(*) AS requests\n      FROM serving_request\n"
        "      WHERE run_id = :run AND phase <> 'probe'\n      GROUP BY level, attempt)\nGROUP BY level");
    select.bind(":run", run_id);
    std::map<std::int64_t, std::int64_t> recorded;
    for (Rows rows(select); rows.next();) recorded[rows.integer(0)] = rows.integer(1);
    std::string missing;
    for (const std::int64_t level : round_.protocol.levels)
      if (recorded[level] < 2 * level)
        missing += fmt::format("{}level {}: {} of {} requests", missing.empty() ? "" : "; ", level,
                               recorded[level], 2 * level);
    return missing;
  }

  void add_run(const std::string& name, bool last) {
    const StoredRun* run = find(name);
    const std::string folder = name + "/requests.jsonl";
    add(fmt::format("start the service of {} and import its file", name), run != nullptr,
        run != nullptr
            ? fmt::format("{}, PID {} on {}", run->service.service, run->service.pid, run->service.host)
            : "no service file",
        fmt::format("import --service service-{}.yaml", name));
    const std::string missing = run != nullptr ? missing_levels(run->id) : "no records";
    add(fmt::format("measure {} and import its records", name), run != nullptr && missing.empty(),
        missing.empty() ? "every level has its requests" : missing, "import --records " + folder);
    const bool sealed = run != nullptr && !run->sealed_utc.empty();
    add(fmt::format("seal {}", name), sealed, sealed ? "sealed " + run->sealed_utc : "not sealed",
        "seal --run " + name);
    const bool stopped = run != nullptr && run->service.stopped_utc_ns.has_value();
    // The last service lives on for the accuracy run.
    add(fmt::format("stop the service of {}", name), stopped,
        stopped ? "its stop is recorded"
        : last  ? "it may live on for the accuracy run"
                : "its stop is not recorded",
        fmt::format("import --stop stop-{}.yaml", name), !last);
  }

  void add_calibration() {
    auto& select = connection_.statement(
        "SELECT usable, reason, calibrated_utc\nFROM serving_calibration\nWHERE round_id = :round\n"
        "ORDER BY calibration_id DESC\nLIMIT 1");
    select.bind(":round", round_.id);
    Rows rows(select);
    const bool there = rows.next();
    const bool usable = there && rows.integer(0) != 0;
    add("calibrate", usable,
        usable  ? "usable, " + rows.text(2)
        : there ? "not usable: " + rows.text(1)
                : "not calibrated",
        "calibrate");
  }

  void add_verdict_step(const char* what, const char* part, const std::string& command, bool needed) {
    const auto verdict = last_verdict(connection_, round_.id, part);
    add(what, verdict.has_value(),
        verdict
            ? fmt::format("{} ({}): {}", to_string(verdict->verdict), verdict->judged_utc, verdict->reason)
        : needed ? "not judged"
                 : "follows a PASS of performance",
        command, needed);
  }

  void add_verdicts() {
    add_verdict_step("judge performance", "performance", "judge", true);
    const auto performance = last_verdict(connection_, round_.id, "performance");
    const bool passed = performance && performance->verdict == Verdict::pass;
    const auto answers = count("serving_answer");
    add("measure accuracy on the service of B2 and import it", answers > 0,
        answers > 0 ? fmt::format("{} results", answers)
        : passed    ? "no results"
                    : "follows a PASS of performance",
        "import --accuracy accuracy.yaml --answers answers.jsonl", passed);
    add_verdict_step("judge accuracy", "accuracy", "accuracy", passed);
    const auto functions = count("serving_function");
    add("import the functional checks", functions > 0,
        functions > 0 ? fmt::format("{} documents", functions) : "none is recorded",
        "import --functions functions.yaml", passed);
    add_verdict_step("accept", "acceptance", "accept", passed);
  }

  Connection& connection_;
  const StoredRound& round_;
  std::vector<StoredRun> runs_;
  std::vector<Step> steps_;
};

}  // namespace

std::vector<Step> status(Connection& connection, const StoredRound& round) {
  return StatusBuilder(connection, round).build();
}

}  // namespace profdb::serving
