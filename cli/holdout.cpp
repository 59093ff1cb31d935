// profdb holdout: how well the lookup predicts measurements that it does not see.
#include <fmt/format.h>

#include <memory>

#include "analysis/holdout.h"
#include "cli/commands.h"
#include "cli/input/analysis_options.h"
#include "cli/input/engine_options.h"
#include "cli/input/options.h"
#include "cli/output/exit_code.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/output/records.h"
#include "engine/store/releases.h"
#include "importer/write/stored_rows.h"

namespace profdb::cli {
namespace {

using nlohmann::ordered_json;

struct HoldoutOptions {
  EngineFlags engine;
  std::string database;
  analysis::RegimeFilter filter;
  std::string op;
  unsigned threads = 0;
  std::size_t worst = 10;
  bool no_save = false;
  bool runs = false;
  std::int64_t run = 0;  // a stored run to show instead
  bool json = false;
  CsvOptions csv;
};

// What the group's answers have in common: "INTERPOLATED 1D M".
std::string how_text(const ordered_json& group) {
  std::string how = group.at("source").get<std::string>();
  if (how.empty()) return "(all)";
  const int dim = group.at("dim").get<int>();
  if (dim > 0) how += fmt::format(" {}D", dim);
  const std::string axes = group.at("axes").get<std::string>();
  return axes.empty() ? how : how + " " + axes;
}

Records groups_table(ordered_json groups) {
  for (auto& group : groups) group["how"] = how_text(group);
  return {{{"kernel", "kernel"},
           {"path", "path"},
           {"how", "answers"},
           {"source", ""},
           {"dim", ""},
           {"axes", ""},
           {"samples", "n", Align::right},
           {"answered", "answered", Align::right},
           {"median_error", "median", Align::right, Show::percent},
           {"p90_error", "p90", Align::right, Show::percent},
           {"p95_error", "p95", Align::right, Show::percent},
           {"max_error", "max", Align::right, Show::percent},
           {"signed_median_error", "signed", Align::right, Show::percent}},
          std::move(groups)};
}

Records misses_table(const ordered_json& misses) {
  return {{{"kernel", "kernel"},
           {"path", "path"},
           {"reason", "miss reason"},
           {"samples", "n", Align::right},
           {"share", "%", Align::right, Show::percent}},
          misses};
}

std::vector<RecordField> sample_fields() {
  return {{"op", ""},
          {"kernel", "kernel"},
          {"path", ""},
          {"regime_id", "regime", Align::right, Show::id},
          {"regime", ""},
          {"source_class", ""},
          {"coordinate", "coordinate"},
          {"measurement_id", ""},
          {"row_count", ""},
          {"measured_us", "measured us", Align::right},
          {"spread", ""},
          {"source", ""},
          {"predicted_us", "predicted", Align::right},
          {"relative_error", "error %", Align::right, Show::percent},
          {"method", ""},
          {"match_rule", ""},
          {"dim", ""},
          {"axes", "axes"},
          {"reason", ""},
          {"from", "from"},
          {"neighbours", ""}};
}

// "M=64,K=4096: 11.89", or for a row without coordinates (a base exact match) "measurement 414: 11.89".
std::string neighbour_text(const ordered_json& neighbour) {
  std::string place;
  for (const auto& [axis, value] : neighbour.at("coordinate").items())
    place += fmt::format("{}{}={}", place.empty() ? "" : ",", axis, value.get<std::int64_t>());
  if (place.empty())
    place = fmt::format("measurement {}", neighbour.at("measurement_id").get<std::int64_t>());
  return fmt::format("{}: {}", place, number(neighbour.at("latency_us").get<double>()));
}

// Adds "from": the neighbours in words, with the rule by which a compatible row matched.
Records samples_table(ordered_json samples) {
  for (auto& sample : samples) {
    if (!sample.contains("neighbours")) continue;
    std::string text = sample.contains("match_rule") ? sample.at("match_rule").get<std::string>() : "";
    for (const auto& neighbour : sample.at("neighbours"))
      text += (text.empty() ? "" : "; ") + neighbour_text(neighbour);
    sample["from"] = text;
  }
  return {sample_fields(), std::move(samples)};
}

ordered_json all_samples(const analysis::HoldoutRun& run) {
  auto rows = ordered_json::array();
  for (const auto& sample : run.samples) rows.push_back(to_json(sample));
  return rows;
}

std::string text(const analysis::HoldoutRun& run, const ordered_json& json) {
  const auto& facts = json.at("run");
  std::string text = groups_table(json.at("groups")).text();
  if (!json.at("misses").empty()) text += "\n" + misses_table(json.at("misses")).text();
  if (!json.at("worst").empty())
    text += "\nworst cases, and the measurements that they were predicted from\n" +
            samples_table(json.at("worst")).text();
  text += fmt::format("\nrelative errors in %; signed: median of (predicted - measured) / measured\n");
  text += fmt::format("release {}: {}, {} coordinates, {} answered", run.release_id, run.release,
                      count(facts.at("sample_count").get<std::int64_t>()),
                      count(facts.at("answered_count").get<std::int64_t>()));
  text += run.holdout_run_id > 0 ? fmt::format("; stored as run {}\n", run.holdout_run_id) : "; not stored\n";
  if (!run.synthetic.empty())
    text += fmt::format("\nSYNTHETIC: the data of this release is made up: {}\n", printable(run.synthetic));
  return text;
}

int show_runs(const HoldoutOptions& options) {
  store::Connection connection(options.database, store::Mode::read);
  const store::ReadTransaction transaction(connection);
  const Records runs({{"holdout_run_id", "run", Align::right, Show::id},
                      {"run_at", "at (UTC)"},
                      {"release_id", "", Align::right},
                      {"release", "release"},
                      {"engine_version", "engine"},
                      {"options", "options"},
                      {"sample_count", "n", Align::right},
                      {"answered_count", "answered", Align::right},
                      {"content_digest", ""},
                      {"mapping_digest", ""},
                      {"synthetic", ""}},
                     analysis::list_holdouts(connection));
  if (options.json)
    print_json(runs.json());
  else if (options.csv.csv)
    print(runs.csv());
  else
    print(runs.empty() ? "no hold-out runs; make one with 'profdb holdout'\n" : runs.text());
  return kDone;
}

analysis::HoldoutRun stored_run(const HoldoutOptions& options) {
  store::Connection connection(options.database, store::Mode::read);
  const store::ReadTransaction transaction(connection);
  return analysis::load_holdout(connection, options.run);
}

void say_why_empty(const HoldoutOptions& options) {
  store::Connection connection(options.database, store::Mode::read);
  const store::ReadTransaction transaction(connection);
  const ReleaseInfo release = select_release(connection, options.engine.options.release);
  complain(why_empty(connection, release, options.filter));
}

analysis::HoldoutRun new_run(const HoldoutOptions& options) {
  // That the result cannot be stored is to be known before the work.
  std::optional<store::Connection> writer;
  if (!options.no_save) writer.emplace(options.database, store::Mode::write);
  analysis::HoldoutRun run;
  {
    Progress progress("hold-out");
    run = analysis::holdout(options.database,
                            {options.engine.engine_options(), options.filter, options.op, options.threads},
                            importer::for_each_kernel_row,
                            [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); });
  }
  if (run.samples.empty())
    say_why_empty(options);
  else if (writer)
    store_holdout(*writer, run);
  return run;
}

void print_run(const HoldoutOptions& options, const analysis::HoldoutRun& run) {
  const ordered_json json = to_json(run, options.worst);
  if (options.json)
    print_json(json);
  else if (options.csv.csv)
    print(choose({{"groups", groups_table(json.at("groups"))},
                  {"misses", misses_table(json.at("misses"))},
                  {"worst", samples_table(json.at("worst"))},
                  {"samples", samples_table(all_samples(run))}},
                 options.csv.table)
              .csv());
  else if (!run.samples.empty())
    print(text(run, json));
}

int run(const HoldoutOptions& options) {
  try {
    if (options.runs) return show_runs(options);
    print_run(options, options.run > 0 ? stored_run(options) : new_run(options));
    return kDone;
  } catch (const SQLite::Exception& e) {
    throw store::database_error(options.database, e, "store the hold-out in");
  }
}

}  // namespace

void add_holdout(Command app, Action& action) {
  const auto options = std::make_shared<HoldoutOptions>();
  const Command command = app.add_subcommand(
      "holdout", "Leave out each measured coordinate in turn and predict it from the rest");
  add_db_option(command, options->database);
  add_engine_options(command, options->engine);
  add_filter_options(command, options->filter);
  command.add_option("--op", options->op, "Only as this operator of the mapping asks").type_name("OP");
  command.add_option("--threads", options->threads, "How many (default: one per core)")
      .range(1, 1024)
      .type_name("N");
  command.add_option("--worst", options->worst, "How many of the worst cases to show (default 10)")
      .type_name("N");
  command.add_flag("--no-save", options->no_save, "Do not store the run in the database");
  const Option show =
      command.add_option("--run", options->run, "Show a stored run again instead").positive().type_name("ID");
  command.add_flag("--runs", options->runs, "List the stored runs instead").excludes(show);
  add_table_format_options(command, options->json, options->csv, {"groups", "misses", "worst", "samples"});
  command.footer(
      "Example:\n"
      "  profdb holdout --db prof.db --kernel MatMulV2\n"
      "  profdb holdout --db prof.db --run 1 --csv --table samples\n"
      "Runs are stored in the tables holdout_run and holdout_sample; the view holdout_summary sums them up.");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace profdb::cli
