// Reading service runs, and what their metrics say.
#include "serving/documents/service_run.h"

#include <fmt/format.h>

#include <set>

#include "base/utc.h"

namespace profdb::serving {

namespace {

std::int64_t read_time(Fields& fields, const char* key) {
  const std::string text = fields.text(key);
  const auto time = parse_utc(text);
  if (!time) fields.fail(key, fmt::format("is '{}'; write UTC in quotes, as \"2026-11-07T12:14:20Z\"", text));
  return *time;
}

MetricSnapshot read_snapshot(Fields fields) {
  MetricSnapshot snapshot;
  snapshot.at = fields.text("at");
  snapshot.rank = fields.integer("rank");
  Fields values = fields.object("values");
  for (const auto& [name, value] : values.all().items()) snapshot.values[name] = values.number(name);
  fields.done();
  return snapshot;
}

ExecutionPath read_path(Fields fields) {
  ExecutionPath path;
  path.path = fields.text("path");
  path.ranks = fields.integers("ranks");
  fields.done();
  return path;
}

}  // namespace

ServiceRun parse_service_run(const nlohmann::ordered_json& document) {
  Fields fields(document);
  ServiceRun run;
  fields.one_of("format", {"profdb-serving-service/1"});
  run.round = fields.text("round");
  run.run = fields.text("run");
  if (run.run.find('/') != std::string::npos) fields.fail("run", "holds a '/'; choose a name without it");
  run.service = fields.text("service");
  run.host = fields.text("host");
  run.pid = fields.integer("pid", 1);
  run.start_ticks = fields.integer("start_ticks");
  Fields identity = fields.object("identity");
  run.identity = read_identity(identity);
  identity.done();
  run.started_utc_ns = read_time(fields, "started_utc");
  if (fields.has("stopped_utc")) run.stopped_utc_ns = read_time(fields, "stopped_utc");
  static_cast<void>(fields.any("stopped_utc"));
  for (const Fields& entry : fields.objects("execution_paths"))
    run.execution_paths.push_back(read_path(entry));
  for (const Fields& entry : fields.objects("snapshots")) run.snapshots.push_back(read_snapshot(entry));
  if (auto replaces = fields.optional_object("replaces")) {
    run.replaces = replaces->text("run");
    run.replace_reason = replaces->text("reason");
    replaces->done();
  }
  fields.done();
  return run;
}

ServiceStop parse_service_stop(const nlohmann::ordered_json& document) {
  Fields fields(document);
  ServiceStop stop;
  fields.one_of("format", {"profdb-serving-stop/1"});
  stop.round = fields.text("round");
  stop.run = fields.text("run");
  stop.service = fields.text("service");
  stop.stopped_utc_ns = read_time(fields, "stopped_utc");
  fields.done();
  return stop;
}

std::vector<std::string> metric_notes(const ServiceRun& run) {
  std::vector<std::string> notes;
  // By rank and metric: the values in the order of the snapshots.
  std::map<std::pair<std::string, std::int64_t>, std::vector<std::pair<std::string, double>>> series;
  for (const MetricSnapshot& snapshot : run.snapshots)
    for (const auto& [name, value] : snapshot.values)
      series[{name, snapshot.rank}].emplace_back(snapshot.at, value);
  std::map<std::string, std::map<std::int64_t, double>> last;
  for (const auto& [key, values] : series) {
    last[key.first][key.second] = values.back().second;
    for (std::size_t i = 1; i < values.size(); ++i)
      if (const double moved = values[i].second - values[i - 1].second; moved != 0)
        notes.push_back(fmt::format("{} of rank {}: {:+} between {} and {}", key.first, key.second, moved,
                                    values[i - 1].first, values[i].first));
  }
  for (const auto& [name, by_rank] : last) {
    std::set<double> distinct;
    std::string shown;
    for (const auto& [rank, value] : by_rank) {
      distinct.insert(value);
      shown += fmt::format("{}{}: {}", shown.empty() ? "" : ", ", rank, value);
    }
    if (distinct.size() > 1) notes.push_back(fmt::format("{} differs between ranks ({})", name, shown));
  }
  return notes;
}

}  // namespace profdb::serving
