// profdb serving init, freeze, import, status, seal: from an empty folder to sealed evidence.
#include <fmt/format.h>

#include <filesystem>

#include "cli/input/options.h"
#include "cli/output/exit_code.h"
#include "cli/output/output.h"
#include "cli/output/table.h"
#include "cli/output/write_file.h"
#include "cli/serving/serving.h"
#include "profdb/error.h"
#include "serving/archive/evidence_import.h"
#include "serving/archive/freeze.h"
#include "serving/archive/status.h"
#include "serving/archive/templates.h"

namespace profdb::cli {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

int init(const std::string& folder) {
  fs::create_directories(folder);
  std::string existing;
  for (const auto& [name, text] : serving::templates())
    if (fs::exists(fs::path(folder) / name))
      existing += fmt::format("{}{}", existing.empty() ? "" : ", ", name);
  if (!existing.empty())
    throw Error(ErrorKind::input,
                fmt::format("{} has {} already; nothing was written: name another folder", folder, existing));
  for (const auto& [name, text] : serving::templates()) {
    const std::string file = (fs::path(folder) / name).string();
    write_file(file, std::string(text));
    print(fmt::format("wrote {}\n", file));
  }
  print("Fill in calibration.yaml or runspec.yaml, then: profdb serving freeze FILE --db FILE\n");
  return kDone;
}

int freeze(const ServingOptions& options, const std::string& runspec) {
  const auto report = serving::freeze(options.database, runspec);
  if (options.json) {
    print_json({{"round", report.round},
                {"protocol", report.protocol},
                {"runspec_sha256", report.runspec_sha256},
                {"frozen_utc", report.frozen_utc},
                {"freeze_sha256", report.freeze_sha256},
                {"already", report.already}});
    return kDone;
  }
  print(fmt::format("round {} {} {} under protocol {}\n", printable(report.round),
                    report.already ? "was frozen" : "is frozen,", report.frozen_utc,
                    printable(report.protocol)));
  Facts facts;
  facts.add("RunSpec", report.runspec_sha256);
  facts.add("with its time anchor", report.freeze_sha256);
  print(facts.text());
  return kDone;
}

int import(const ServingOptions& options, serving::EvidenceFiles files) {
  files.round = options.round;
  const auto imported = serving::import_evidence(options.database, files);
  if (imported.empty())
    throw Error(ErrorKind::usage, "nothing to import; name files with --service, --records and so on");
  auto list = ordered_json::array();
  Table table({{"kind", Align::left, false},
               {"file"},
               {"added", Align::right},
               {"in all", Align::right},
               {"note", Align::left, false}});
  for (const auto& file : imported) {
    list.push_back({{"kind", file.kind},
                    {"path", file.path},
                    {"sha256", file.sha256},
                    {"added", file.added},
                    {"total", file.total},
                    {"unchanged", file.unchanged}});
    table.add({file.kind, printable(file.path), count(file.added), count(file.total),
               file.unchanged ? "same bytes as before" : ""});
  }
  if (options.json)
    print_json(list);
  else
    print(table.text());
  return kDone;
}

int status(const ServingOptions& options) {
  store::Connection connection(options.database, store::Mode::read);
  const auto round = serving::find_round(connection, options.round);
  const auto steps = serving::status(connection, round);
  const serving::Step* next = nullptr;
  auto list = ordered_json::array();
  Table table({{"", Align::left, false}, {"step"}, {"state"}});
  for (const auto& step : steps) {
    if (!step.done && step.needed && next == nullptr) next = &step;
    table.add({step.done       ? "done"
               : &step == next ? "next"
               : step.needed   ? "open"
                               : "-",
               printable(step.what), printable(step.detail)});
    list.push_back({{"step", step.what},
                    {"done", step.done},
                    {"needed", step.needed},
                    {"detail", step.detail},
                    {"command", step.command}});
  }
  if (options.json) {
    ordered_json json = {{"round", round.name},
                         {"kind", to_string(round.spec.kind)},
                         {"frozen_utc", round.frozen_utc},
                         {"frozen_monotonic_ns", round.frozen_monotonic_ns},
                         {"frozen_clock_id", round.frozen_clock_id},
                         {"steps", std::move(list)}};
    json["next"] = next != nullptr ? ordered_json(next->command) : ordered_json();
    print_json(json);
    return kDone;
  }
  print(table.text());
  print(next != nullptr ? fmt::format("\nnext: {}\n", printable(next->command))
                        : "\nnothing is left to do\n");
  print(synthetic_text(round));
  return kDone;
}

int seal(const ServingOptions& options, const std::string& run) {
  const std::string digest = serving::seal(options.database, options.round, run);
  if (options.json)
    print_json({{"round", options.round}, {"run", run}, {"seal_sha256", digest}});
  else
    print(
        fmt::format("run {} of round {} is sealed: {}\n", printable(run), printable(options.round), digest));
  return kDone;
}

void add_files(Command command, const char* name, const char* what, std::vector<fs::path>& files) {
  command.add_option(name, files, what).type_name("FILE").one_value();
}

}  // namespace

void add_serving_init(Command serving, Action& action) {
  const auto folder = std::make_shared<std::string>();
  const Command command =
      serving.add_subcommand("init", "Write commented templates of every input file of a round");
  command.add_option("folder", *folder, "Where to write them").required().type_name("DIR");
  command.footer("Example:\n  profdb serving init round-7\nNever overwrites a file.");
  command.callback([folder, &action] { action = [folder] { return init(*folder); }; });
}

void add_serving_freeze(Command serving, Action& action) {
  const auto options = std::make_shared<ServingOptions>();
  const auto runspec = std::make_shared<std::string>();
  const Command command =
      serving.add_subcommand("freeze", "Freeze a RunSpec, before the first request of its round");
  command.add_option("runspec", *runspec, "The RunSpec, YAML").required().type_name("FILE");
  add_db_option(command, options->database);
  add_json_option(command, options->json);
  command.footer(
      "Example:\n  profdb serving freeze round-7/runspec.yaml --db prof.db\n"
      "Stores its digest with the time; evidence that is older is not this round's. Creates the database "
      "where\n"
      "there is none. Exits with 3, naming each rule, where it cannot be frozen.");
  command.callback(
      [options, runspec, &action] { action = [options, runspec] { return freeze(*options, *runspec); }; });
}

void add_serving_import(Command serving, Action& action) {
  const auto options = std::make_shared<ServingOptions>();
  const auto files = std::make_shared<serving::EvidenceFiles>();
  const Command command =
      add_serving_command(serving, "import", "Import evidence of a round: services, records, ...", *options);
  add_files(command, "--service", "A service file (YAML), before the records of its run", files->services);
  add_files(command, "--records", "The request records of one run (JSONL)", files->records);
  add_files(command, "--stop", "When a service stopped (YAML)", files->stops);
  add_files(command, "--accuracy", "The accuracy run (YAML)", files->accuracy);
  add_files(command, "--answers", "The scorer's results, a line per attempt (JSONL)", files->answers);
  add_files(command, "--functions", "Functional checks (YAML)", files->functions);
  add_files(command, "--ledger", "The time ledger (JSONL)", files->ledgers);
  add_files(command, "--artifact", "Any other file that shall be part of the archive", files->artifacts);
  command.footer(
      "Example:\n"
      "  profdb serving import --db prof.db --round r7 --service service-B1.yaml --records "
      "B1/requests.jsonl\n"
      "Everything or nothing. Records are only added; a file that has grown may be imported again.");
  command.callback(
      [options, files, &action] { action = [options, files] { return import(*options, *files); }; });
}

void add_serving_status(Command serving, Action& action) {
  const auto options = std::make_shared<ServingOptions>();
  const Command command = add_serving_command(
      serving, "status", "Show what of a round is done, what is missing, what is next", *options);
  command.footer("Example:\n  profdb serving status --db prof.db --round r7");
  command.callback([options, &action] { action = [options] { return status(*options); }; });
}

void add_serving_seal(Command serving, Action& action) {
  const auto options = std::make_shared<ServingOptions>();
  const auto run = std::make_shared<std::string>();
  const Command command = add_serving_command(
      serving, "seal", "Seal a run's evidence: nothing is added to it any more", *options);
  command.add_option("--run", *run, "The run: B1, B2, or as a calibration names it")
      .required()
      .type_name("RUN");
  command.footer("Example:\n  profdb serving seal --db prof.db --round r7 --run B1");
  command.callback([options, run, &action] { action = [options, run] { return seal(*options, *run); }; });
}

}  // namespace profdb::cli
