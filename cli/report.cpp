// profdb report: what a database can answer and how far that has been checked, as one file to read or to
// keep.
#include "report/release_report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "cli/commands.h"
#include "cli/input/options.h"
#include "cli/output/exit_code.h"
#include "cli/output/output.h"
#include "cli/output/write_file.h"
#include "profdb/error.h"
#include "report/render/render.h"

namespace profdb::cli {
namespace {

struct ReportFlags {
  report::ReleaseReportOptions report;
  std::vector<std::string> out;
  bool json = false;
};

std::string now() {
  const auto time = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

int run(ReportFlags& options) {
  for (const auto& file : options.out)
    static_cast<void>(report::form_of(file));  // before the work, not after it
  options.report.written_at = now();
  const report::Json document = report::to_json(report::release_report(options.report));
  auto written = nlohmann::ordered_json::array();
  for (const auto& file : options.out) {
    const std::string text = report::render(document, report::form_of(file));
    write_file(file, text);
    written.push_back({{"file", file}, {"bytes", text.size()}});
    if (!options.json)
      print(fmt::format("wrote {} ({} KiB)\n", file,
                        count(static_cast<std::int64_t>((text.size() + 1023) / 1024))));
  }
  if (options.json) print_json(written);
  return kDone;
}

}  // namespace

void add_report(Command app, Action& action) {
  const auto options = std::make_shared<ReportFlags>();
  const Command command =
      app.add_subcommand("report", "Write a report: data, density, errors, lookups, what is not verified");
  add_db_option(command, options->report.database);
  command
      .add_option(
          "--release", options->report.releases,
          "ID or DEVICE/FRAMEWORK/VERSION, as often as needed; left out: every release of the database")
      .type_name("RELEASE")
      .one_value();
  command
      .add_option(
          "--holdout", options->report.holdout_runs,
          "A run of 'profdb holdout', as often as needed; left out: the newest of each release and kernel")
      .type_name("RUN_ID")
      .one_value();
  command.add_option("--replay", options->report.replay, "What 'profdb replay --json' printed, in a file")
      .type_name("FILE");
  command
      .add_option(
          "--out", options->out,
          "The file to write, as often as needed: .html (one file that needs no network), .md or .json")
      .required()
      .type_name("FILE")
      .one_value();
  add_json_option(command, options->json);
  command.footer(
      "Example:\n"
      "  profdb report --db prof.db --out report.html\n"
      "  profdb report --db prof.db --release 1 --out report.html --out report.json\n"
      "The HTML form opens in any browser and has everything inside. All forms hold the same data.");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace profdb::cli
