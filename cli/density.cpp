// profdb density: where measurements are dense, and what a standard of grids still asks for.
#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <set>

#include "analysis/density.h"
#include "analysis/standard.h"
#include "analysis/standard_yaml.h"
#include "cli/commands.h"
#include "cli/input/analysis_options.h"
#include "cli/input/options.h"
#include "cli/output/exit_code.h"
#include "cli/output/output.h"
#include "cli/output/records.h"
#include "engine/store/database.h"
#include "engine/store/releases.h"

namespace profdb::cli {
namespace {

using nlohmann::ordered_json;

struct DensityOptions {
  std::string database;
  std::string release;
  analysis::RegimeFilter filter;
  std::string standard;
  std::string missing;  // the file to write
  bool json = false;
  CsvOptions csv;
};

Records axes_table(const std::vector<analysis::AxisDensity>& rows) {
  return {{{"kernel", "kernel"},
           {"path", ""},
           {"regime_id", "regime", Align::right, Show::id},
           {"regime", ""},
           {"source_class", ""},
           {"axis", "axis"},
           {"points", "points", Align::right},
           {"distinct_values", "values", Align::right},
           {"min", "min", Align::right, Show::id},
           {"max", "max", Align::right, Show::id},
           {"largest_gap", "gap", Align::right, Show::id},
           {"largest_ratio", "ratio", Align::right, Show::brief},
           {"lines", "lines", Align::right},
           {"longest_line", "longest", Align::right},
           {"possible_dims", ""}},
          to_json(rows)};
}

// One row per regime and source class, for the text form.
Records regimes_table(const std::vector<analysis::AxisDensity>& rows) {
  auto json = ordered_json::array();
  std::set<std::tuple<std::string, std::int64_t, std::string>> seen;
  for (const analysis::AxisDensity& row : rows)
    if (seen.emplace(row.path, row.regime_id, row.source_class).second) json.push_back(to_json(row));
  return {{{"path", "path"},
           {"regime_id", "regime", Align::right, Show::id},
           {"source_class", "class"},
           {"possible_dims", "dims"},
           {"regime", "fields"}},
          std::move(json)};
}

Records violations_table(const analysis::StandardReport& report) {
  return {{{"kernel", "kernel"},
           {"path", ""},
           {"regime_id", "regime", Align::right, Show::id},
           {"others", "at"},
           {"axis", "axis"},
           {"kind", "violation"},
           {"message", "what"},
           {"line", "line", Align::right, Show::id},
           {"missing_values", ""}},
          to_json(report).at("violations")};
}

Records missing_table(const analysis::StandardReport& report) {
  return {{{"kernel", "kernel"},
           {"path", "path"},
           {"regime_id", "regime"},
           {"coordinate", "coordinate"},
           {"input_shapes", "input_shapes"},
           {"input_dtypes", "input_dtypes"},
           {"input_formats", "input_formats"},
           {"output_shapes", "output_shapes"},
           {"output_dtypes", "output_dtypes"},
           {"output_formats", "output_formats"},
           {"regime", "regime fields"}},
          to_json(report).at("missing")};
}

void write_missing(const std::string& path, const analysis::StandardReport& report) {
  const bool csv = path.ends_with(".csv");
  if (!csv && !path.ends_with(".json"))
    throw Error(
        ErrorKind::usage,
        fmt::format("--missing {}: the name must end in .csv or .json, which says what to write", path));
  const Records table = missing_table(report);
  std::ofstream out(path, std::ios::binary);
  out << (csv ? table.csv() : table.json().dump(2) + "\n");
  out.close();
  if (!out) throw Error(ErrorKind::input, fmt::format("{}: cannot be written", path));
}

void print_density(const DensityOptions& options, const ReleaseInfo& release,
                   const std::vector<analysis::AxisDensity>& rows) {
  const Records axes = axes_table(rows);
  if (options.json)
    print_json(
        {{"release_id", release.release_id}, {"release", release_name(release)}, {"density", axes.json()}});
  else if (options.csv.csv)
    print(axes.csv());
  else if (!axes.empty())
    print(axes.text() + "\nregimes (dims: in how many dimensions interpolation is possible)\n" +
          regimes_table(rows).text() + synthetic_notice(release));
}

int print_standard(const DensityOptions& options, const ReleaseInfo& release,
                   const analysis::StandardReport& report) {
  const Records violations = violations_table(report);
  if (options.json) {
    ordered_json json = to_json(report);
    json["release_id"] = release.release_id;
    json["release"] = release_name(release);
    print_json(json);
  } else if (options.csv.csv) {
    print(violations.csv());
  } else {
    print(fmt::format(
        "{}{}standard {}: {} grids, {} regimes checked, {} violations, {} coordinates to measure\n{}",
        violations.text(), violations.empty() ? "" : "\n", report.standard,
        count(static_cast<std::int64_t>(report.grids)), count(static_cast<std::int64_t>(report.regimes)),
        count(static_cast<std::int64_t>(report.violations.size())),
        count(static_cast<std::int64_t>(report.missing.size())), synthetic_notice(release)));
  }
  return report.violations.empty() ? kDone : kNo;
}

int run(const DensityOptions& options) {
  check(options.filter);
  std::optional<analysis::Standard> standard;
  if (!options.standard.empty()) standard = analysis::read_standard(options.standard);
  store::Connection connection(options.database, store::Mode::read);
  try {
    const store::ReadTransaction transaction(connection);
    const ReleaseInfo release = select_release(connection, options.release);
    const auto rows = density(connection, release.release_id, options.filter);
    if (rows.empty() && !standard) complain(why_empty(connection, release, options.filter));
    if (!standard) {
      print_density(options, release, rows);
      return kDone;
    }
    const auto report = check_standard(connection, release, *standard, options.filter);
    if (!options.missing.empty()) write_missing(options.missing, report);
    return print_standard(options, release, report);
  } catch (const SQLite::Exception& e) {
    throw store::database_error(options.database, e, "read");
  }
}

}  // namespace

void add_density(Command app, Action& action) {
  const auto options = std::make_shared<DensityOptions>();
  const Command command = app.add_subcommand("density", "Show where measurements are dense and where sparse");
  add_db_option(command, options->database);
  add_release_option(command, options->release);
  add_filter_options(command, options->filter);
  const Option standard =
      command
          .add_option("--standard", options->standard,
                      "Check the release against required grids instead, and list every violation")
          .type_name("FILE");
  command
      .add_option("--missing", options->missing,
                  "With --standard: write the shapes to measure next, as CSV or JSON by the name's ending")
      .type_name("FILE.csv|FILE.json")
      .needs(standard);
  add_table_format_options(command, options->json, options->csv, {});
  command.footer(
      "Example:\n"
      "  profdb density --db prof.db --kernel MatMulV2\n"
      "  profdb density --db prof.db --standard mappings/standards/ascend_910b.yaml --missing next.csv\n"
      "lines: sets of measurements that differ on this axis only; longest: the values on the longest.\n"
      "Exits with 1 where the standard is violated.");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace profdb::cli
