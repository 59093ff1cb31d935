// Running hold-out: which coordinates there are, and asking for each on all cores.
#include "analysis/holdout.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <set>
#include <thread>

#include "engine/candidates/caches.h"
#include "engine/candidates/candidate_source.h"
#include "engine/candidates/points.h"
#include "engine/lookup/lookup.h"
#include "engine/release/release_state.h"
#include "engine/store/releases.h"

namespace profdb::analysis {
namespace {

using nlohmann::ordered_json;

// A row that owns what it points to.
struct OwnedRow {
  Row row;
  std::vector<std::string> columns;
  std::vector<std::string> cells;
};

// One lookup to be made.
struct Task {
  const OperatorPlan* plan = nullptr;
  const KernelPlan* kernel = nullptr;
  const OwnedRow* row = nullptr;
  Excluded excluded;
};

// Everything measured at one coordinate of a regime.
struct Coordinate {
  std::vector<store::CandidateRow> selected;
  std::vector<store::CandidateRow> fallback;
};

std::string coordinate_of(const PathSpec& spec, const std::vector<std::int64_t>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : ",", spec.axes[i], values[i]);
  return text;
}

ordered_json fields_of(const PathSpec& spec, const store::RegimeRow& regime) {
  auto fields = ordered_json::object();
  for (std::size_t i = 0; i < spec.fields.size(); ++i)
    std::visit([&](const auto& value) { fields[std::string(spec.fields[i].name)] = value; },
               regime.values[i]);
  return fields;
}

// What is asked, sample by sample; `samples` and `tasks` run side by side.
class Plan {
 public:
  Plan(store::Connection& connection, const ReleaseState& release, const HoldoutOptions& options)
      : connection_(connection), release_(release), options_(options) {}

  void enumerate(const RowSource& rows) {
    for (const OpMapping& op : release_.mapping.operators) {
      if (!options_.op.empty() && op.op != options_.op) continue;
      const OperatorPlan& plan = release_.operators.at(op.op);
      if (!std::holds_alternative<const Path*>(plan.selected)) continue;
      for (const KernelPlan& kernel : plan.kernels) add_kernel(plan, kernel);
    }
    load_rows(rows);
  }

  std::vector<HoldoutSample> samples;
  std::vector<Task> tasks;

 private:
  void add_kernel(const OperatorPlan& plan, const KernelPlan& kernel) {
    const Path& path = *std::get<const Path*>(plan.selected);
    const RegimeFilter& filter = options_.filter;
    if (kernel.projection == nullptr || !seen_.insert(kernel.projection->projection_id).second) return;
    if (!filter.kernel.empty() && filter.kernel != kernel.kernel) return;
    if (!filter.path.empty() && filter.path != path.spec().name) return;
    for (const auto& regime : store::list_regimes(connection_, path.spec(), kernel.projection->projection_id))
      if (!filter.regime_id || *filter.regime_id == regime.regime_id)
        add_regime(plan, kernel, path.spec(), regime);
  }

  void add_regime(const OperatorPlan& plan, const KernelPlan& kernel, const PathSpec& spec,
                  const store::RegimeRow& regime) {
    std::map<std::vector<std::int64_t>, Coordinate> coordinates;
    for (auto& row : store::find_class(connection_, spec, regime.regime_id, SourceClass::selected))
      coordinates[row.coordinate].selected.push_back(row);
    for (auto& row : store::find_class(connection_, spec, regime.regime_id, SourceClass::fallback))
      coordinates[row.coordinate].fallback.push_back(row);
    const ordered_json fields = fields_of(spec, regime);
    for (const auto& [values, measured] : coordinates) {
      const bool selected = !measured.selected.empty();
      const MeasuredPoint truth = merge_points(selected ? measured.selected : measured.fallback).front();
      HoldoutSample& sample = samples.emplace_back();
      sample.op = plan.op->op;
      sample.kernel = kernel.kernel;
      sample.path = spec.name;
      sample.regime_id = regime.regime_id;
      sample.regime = fields;
      sample.source_class = profdb::to_string(selected ? SourceClass::selected : SourceClass::fallback);
      sample.coordinate = coordinate_of(spec, values);
      sample.measurement_id = truth.measurement_ids.front();
      sample.row_count = static_cast<std::int64_t>(truth.measurement_ids.size());
      sample.measured_us = truth.latency_us;
      sample.spread = truth.spread;
      Task& task = tasks.emplace_back();
      task.plan = &plan;
      task.kernel = &kernel;
      for (const auto& row : measured.selected) task.excluded.insert(row.measurement_id);
      for (const auto& row : measured.fallback) task.excluded.insert(row.measurement_id);
    }
  }

  void load_rows(const RowSource& source) {
    std::set<std::string> kernels;
    for (const HoldoutSample& sample : samples) {
      kernels.insert(sample.kernel);
      rows_.try_emplace(sample.measurement_id);
    }
    for (const std::string& kernel : kernels)
      source(connection_, release_, kernel, [&](const Row& row) {
        const auto it = rows_.find(row.measurement_id);
        if (it == rows_.end() || it->second.row.measurement_id != 0) return;
        OwnedRow& owned = it->second;
        owned.row = row;
        if (row.columns != nullptr) owned.columns = *row.columns;
        if (row.cells != nullptr) owned.cells = *row.cells;
        owned.row.columns = &owned.columns;
        owned.row.cells = &owned.cells;
      });
    for (std::size_t i = 0; i < samples.size(); ++i) tasks[i].row = &rows_.at(samples[i].measurement_id);
  }

  store::Connection& connection_;
  const ReleaseState& release_;
  const HoldoutOptions& options_;
  std::set<std::int64_t> seen_;            // projections
  std::map<std::int64_t, OwnedRow> rows_;  // nodes keep their place
};

ordered_json neighbours_of(const Result& result) {
  constexpr std::size_t kMost = 16;
  auto all = ordered_json::array();
  for (const MatchedRow& row : result.details.matched_rows) {
    if (all.size() == kMost) break;
    ordered_json coordinate = ordered_json::object();
    for (const auto& [axis, value] : row.coordinate) coordinate[axis] = value;
    ordered_json neighbour{{"coordinate", coordinate},
                           {"latency_us", row.latency_us},
                           {"row_count", row.row_count},
                           {"measurement_id", row.measurement_ids.front()}};
    if (row.weight) neighbour["weight"] = *row.weight;
    all.push_back(std::move(neighbour));
  }
  return all;
}

void fill_in(HoldoutSample& sample, const Result& result) {
  sample.source = result.source;
  sample.reason = result.reason;
  if (!result.hit()) return;
  sample.predicted_us = result.latency_us;
  sample.relative_error = (result.latency_us - sample.measured_us) / sample.measured_us;
  sample.method = result.method;
  sample.match_rule = result.match_rule;
  if (result.source == Source::interpolated) sample.dim = result.dim;
  sample.axes = fmt::format("{}", fmt::join(result.axes, "+"));
  sample.neighbours = neighbours_of(result);
}

// Answers the tasks on several threads; which thread answers which makes no difference.
class Runner {
 public:
  Runner(const std::string& database, const ReleaseState& release, const HoldoutOptions& options, Plan& plan)
      : database_(database),
        release_(release),
        options_(options),
        plan_(plan),
        caches_(options.engine.cache_bytes) {}

  void run(const HoldoutProgress& progress) {
    unsigned threads =
        options_.threads > 0 ? options_.threads : std::max(1U, std::thread::hardware_concurrency());
    threads =
        static_cast<unsigned>(std::min<std::size_t>(threads, std::max<std::size_t>(1, plan_.tasks.size())));
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back([this] { guarded({}); });
    guarded(progress);
    others.clear();  // joins
    if (failure_) std::rethrow_exception(failure_);
    if (progress) progress(done_, plan_.tasks.size());
  }

 private:
  void guarded(const HoldoutProgress& progress) {
    try {
      work(progress);
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_ = plan_.tasks.size();  // the others stop
    }
  }

  void work(const HoldoutProgress& progress) {
    store::Connection connection(database_, store::Mode::read);
    const store::ReadTransaction transaction(connection);
    if (read_generation(connection) != release_.generation)
      throw Error(ErrorKind::database, "the database was changed while hold-out began; repeat it");
    for (std::size_t i = next_++; i < plan_.tasks.size(); i = next_++) {
      const Task& task = plan_.tasks[i];
      CandidateSource candidates(connection, release_.generation, &caches_, &task.excluded);
      fill_in(plan_.samples[i], *lookup_measured(candidates, release_, options_.engine, *task.plan,
                                                 *task.kernel, task.row->row));
      ++done_;
      if (progress) progress(done_, plan_.tasks.size());
    }
  }

  const std::string& database_;
  const ReleaseState& release_;
  const HoldoutOptions& options_;
  Plan& plan_;
  cache::Caches caches_;
  std::atomic<std::size_t> next_{0};  // task to be taken
  std::atomic<std::size_t> done_{0};  // tasks answered
  std::mutex mutex_;
  std::exception_ptr failure_;
};

const char* to_string(PaddedMatch padded_match) {
  if (padded_match == PaddedMatch::off) return "off";
  return padded_match == PaddedMatch::before ? "before" : "last";
}

// Everything that changes the samples.
ordered_json options_json(const HoldoutOptions& options) {
  ordered_json json{{"interpolation", options.engine.interpolation},
                    {"padded_match", to_string(options.engine.padded_match)}};
  if (options.engine.ep_size) json["ep_size"] = *options.engine.ep_size;
  if (options.engine.tp_size) json["tp_size"] = *options.engine.tp_size;
  if (!options.op.empty()) json["op"] = options.op;
  if (!options.filter.kernel.empty()) json["kernel"] = options.filter.kernel;
  if (!options.filter.path.empty()) json["path"] = options.filter.path;
  if (options.filter.regime_id) json["regime_id"] = *options.filter.regime_id;
  return json;
}

std::string mapping_digest(store::Connection& connection, std::int64_t release_id) {
  SQLite::Statement& statement =
      connection.statement("SELECT mapping_digest\nFROM release\nWHERE release_id = :release");
  statement.bind(1, release_id);
  store::Rows rows(statement);
  rows.next();
  return rows.text(0);
}

HoldoutRun new_run(store::Connection& connection, const ReleaseState& release,
                   const HoldoutOptions& options) {
  HoldoutRun run;
  run.run_at =
      fmt::format("{:%Y-%m-%dT%H:%M:%S}Z",
                  fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
  run.engine_version = version();
  run.release_id = release.info.release_id;
  run.release = release_name(release.info);
  run.content_digest = release.info.content_digest;
  run.mapping_digest = mapping_digest(connection, release.info.release_id);
  run.synthetic = release.info.synthetic;
  run.options = options_json(options);
  return run;
}

}  // namespace

HoldoutRun holdout(const std::string& database, const HoldoutOptions& options, const RowSource& rows,
                   const HoldoutProgress& progress) {
  check(options.filter);
  store::Connection connection(database, store::Mode::read);
  try {
    const store::ReadTransaction transaction(connection);
    const auto release = load_release(connection, options.engine.release);
    if (!options.op.empty() && !release->operators.contains(options.op))
      throw Error(ErrorKind::usage, fmt::format("the mapping of release {} has no operator '{}'; see 'profdb "
                                                "mapping show'",
                                                release->info.release_id, options.op));
    HoldoutRun run = new_run(connection, *release, options);
    Plan plan(connection, *release, options);
    plan.enumerate(rows);
    Runner(database, *release, options, plan).run(progress);
    run.samples = std::move(plan.samples);
    return run;
  } catch (const SQLite::Exception& e) {
    throw store::database_error(database, e, "read");
  }
}

}  // namespace profdb::analysis
