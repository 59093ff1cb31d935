// profdb diff: two releases side by side.
#include <fmt/format.h>

#include <memory>

#include "analysis/diff.h"
#include "cli/commands.h"
#include "cli/input/analysis_options.h"
#include "cli/input/options.h"
#include "cli/output/exit_code.h"
#include "cli/output/output.h"
#include "cli/output/records.h"
#include "engine/store/releases.h"

namespace profdb::cli {
namespace {

using nlohmann::ordered_json;

struct DiffOptions {
  std::string database;
  std::string a;
  std::string b;
  analysis::RegimeFilter filter;
  double threshold_percent = 5;
  bool json = false;
  CsvOptions csv;
};

std::vector<RecordField> comparison_fields(bool regimes) {
  return {{"kernel", "kernel"},
          {"path", "path"},
          {"regime", regimes ? "regime" : ""},
          {"source_class", ""},
          {"common", "common", Align::right},
          {"min_ratio", "", Align::right},
          {"p10_ratio", "p10", Align::right, Show::ratio},
          {"median_ratio", "median", Align::right, Show::ratio},
          {"p90_ratio", "p90", Align::right, Show::ratio},
          {"max_ratio", "max", Align::right, Show::ratio},
          {"regressions", "slower", Align::right},
          {"improvements", "faster", Align::right},
          {"only_a", regimes ? "" : "only A", Align::right},
          {"only_b", regimes ? "" : "only B", Align::right}};
}

Records changes_table(ordered_json rows) {
  return {{{"kernel", "kernel"},
           {"path", ""},
           {"regime", "regime"},
           {"source_class", ""},
           {"coordinate", "coordinate"},
           {"a_us", "A us", Align::right},
           {"b_us", "B us", Align::right},
           {"ratio", "B/A", Align::right, Show::ratio}},
          std::move(rows)};
}

std::vector<NamedRecords> tables(const ordered_json& report) {
  return {{"kernels", {comparison_fields(false), report.at("kernels")}},
          {"regimes", {comparison_fields(true), report.at("regimes")}},
          {"regressions", changes_table(report.at("regressions"))},
          {"improvements", changes_table(report.at("improvements"))},
          {"only",
           {{{"release", "in"},
             {"scope", "what"},
             {"op", "operator"},
             {"kernel", "kernel"},
             {"path", "path"},
             {"regime", "regime"},
             {"coordinates", "coordinates", Align::right}},
            report.at("only")}}};
}

std::string text(const analysis::DiffReport& report, bool one_kernel) {
  constexpr std::size_t kMost = 30;
  const auto all = tables(to_json(report));
  std::string text = fmt::format(
      "A: release {}, {}\nB: release {}, {}\nratios: B's latency / A's; slower and faster: by more than {:g} "
      "%\n\n",
      report.a.release_id, release_name(report.a), report.b.release_id, release_name(report.b),
      report.threshold * 100);
  text += all[0].records.text();
  const auto add = [&](const char* title, const Records& table) {
    if (!table.empty()) text += fmt::format("\n{}\n{}", title, table.text(kMost));
  };
  if (!one_kernel) text += "(--kernel K shows its regimes; --csv --table regimes has all)\n";
  if (one_kernel) add("regimes that both have", all[1].records);
  add("regressions", all[2].records);
  add("only in one", all[4].records);
  text += synthetic_notice(report.a);
  return report.a.synthetic == report.b.synthetic ? text : text + synthetic_notice(report.b);
}

int run(const DiffOptions& options) {
  store::Connection connection(options.database, store::Mode::read);
  try {
    const store::ReadTransaction transaction(connection);
    const ReleaseInfo a = select_release(connection, options.a);
    const ReleaseInfo b = select_release(connection, options.b);
    const auto report = analysis::diff(connection, a, b, {options.filter, options.threshold_percent / 100});
    if (report.kernels.empty())
      complain(fmt::format("nothing to compare: {}; {}", why_empty(connection, a, options.filter),
                           why_empty(connection, b, options.filter)));
    if (options.json)
      print_json(to_json(report));
    else if (options.csv.csv)
      print(choose(tables(to_json(report)), options.csv.table).csv());
    else if (!report.kernels.empty())
      print(text(report, !options.filter.kernel.empty()));
    return kDone;
  } catch (const SQLite::Exception& e) {
    throw store::database_error(options.database, e, "read");
  }
}

}  // namespace

void add_diff(Command app, Action& action) {
  const auto options = std::make_shared<DiffOptions>();
  const Command command = app.add_subcommand("diff", "Compare the measurements of two releases");
  command.add_option("A", options->a, "A release: ID or DEVICE/FRAMEWORK/VERSION")
      .required()
      .type_name("RELEASE");
  command.add_option("B", options->b, "Another").required().type_name("RELEASE");
  add_db_option(command, options->database);
  command.add_option("--kernel", options->filter.kernel, "Only this kernel").type_name("KERNEL");
  command.add_option("--path", options->filter.path, "Only this lookup path").type_name("PATH");
  command
      .add_option("--threshold", options->threshold_percent,
                  "A coordinate that is slower by more percent than this is a regression (default 5)")
      .real_range(0, 1e6)
      .type_name("PERCENT");
  add_table_format_options(command, options->json, options->csv,
                           {"kernels", "regimes", "regressions", "improvements", "only"});
  command.footer(
      "Example:\n"
      "  profdb diff 1 2 --db prof.db --threshold 10\n"
      "Compares coordinates of regimes that are equal in every field, by the median of their measurements.");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace profdb::cli
