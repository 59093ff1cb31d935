// profdb releases --coverage: the view release_coverage for people.
#include "cli/text/coverage.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/output/csv_output.h"
#include "cli/output/exit_code.h"
#include "cli/output/output.h"
#include "cli/output/table.h"
#include "engine/store/database.h"
#include "engine/store/releases.h"

namespace profdb::cli {
namespace {

struct Coverage {
  std::string op, path, kernel, coverage, max_dim, axes;
  std::int64_t candidates = 0;
  std::int64_t interpolable = 0;
};

std::vector<Coverage> load(store::Connection& connection, std::int64_t release_id) {
  auto& statement = connection.statement(
      "SELECT op, coalesce(path, ''), coalesce(kernel, ''), coverage, coalesce(max_dim, ''), candidates, "
      "interpolable_regimes, coalesce(interpolable_axes, '')\n"
      "FROM release_coverage\n"
      "WHERE release_id = :release\n"
      "ORDER BY op, position");
  statement.bind(1, release_id);
  std::vector<Coverage> all;
  store::Rows rows(statement);
  while (rows.next())
    all.push_back({rows.text(0), rows.text(1), rows.text(2), rows.text(3), rows.text(4), rows.text(7),
                   rows.integer(5), rows.integer(6)});
  return all;
}

nlohmann::ordered_json to_json(const Coverage& row) {
  nlohmann::ordered_json json{{"op", row.op}, {"coverage", row.coverage}};
  if (!row.path.empty()) json["path"] = row.path;
  if (!row.kernel.empty()) json["kernel"] = row.kernel;
  if (!row.max_dim.empty()) json["max_dim"] = std::stoll(row.max_dim);
  json["candidates"] = row.candidates;
  json["interpolable_regimes"] = row.interpolable;
  json["interpolable_axes"] = row.axes;
  return json;
}

std::string text(const std::vector<Coverage>& all) {
  Table table({{"operator"},
               {"path"},
               {"dim", Align::right},
               {"kernel"},
               {"coverage"},
               {"rows", Align::right},
               {"regimes", Align::right},
               {"along"}});
  std::map<std::string, std::int64_t> counts;
  std::string previous;
  for (const Coverage& row : all) {
    const bool first = row.op != previous;
    previous = row.op;
    ++counts[row.coverage];
    table.add({first ? row.op : "", first ? row.path : "", row.max_dim, row.kernel, row.coverage,
               row.candidates == 0 ? "" : count(row.candidates),
               row.interpolable == 0 ? "" : count(row.interpolable), row.axes});
  }
  std::string summary = "\n";
  for (const auto& [coverage, n] : counts)
    summary += fmt::format("{}{} {}", summary.size() > 1 ? ", " : "", count(n), coverage);
  return table.text() + summary + "\n";
}

}  // namespace

int print_coverage(const std::string& database, const std::string& release, bool json, bool csv) {
  store::Connection connection(database, store::Mode::read);
  const store::ReadTransaction transaction(connection);
  const ReleaseInfo info = select_release(connection, release);
  const auto all = load(connection, info.release_id);
  if (json || csv) {
    auto rows = nlohmann::ordered_json::array();
    for (const Coverage& row : all) rows.push_back(to_json(row));
    if (csv)
      print(csv_of(rows));
    else
      print_json(rows);
  } else {
    print(text(all));
  }
  return kDone;
}

}  // namespace profdb::cli
