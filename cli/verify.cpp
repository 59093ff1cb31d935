// profdb verify: is the database what the import made of it?
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/input/options.h"
#include "cli/output/exit_code.h"
#include "cli/output/output.h"
#include "cli/output/table.h"
#include "engine/store/check.h"
#include "engine/store/database.h"
#include "importer/check.h"

namespace profdb::cli {
namespace {

struct VerifyOptions {
  std::string database;
  bool json = false;
};

void print_findings(const std::string& database, const std::vector<Finding>& findings) {
  if (findings.empty()) {
    print(fmt::format("ok: {} is sound\n", database));
    return;
  }
  Table table({{"check"}, {"problem"}});
  for (const auto& finding : findings) table.add({finding.check, finding.problem});
  print(table.text());
  print(fmt::format("\n{} {} in {}; restore a backup, or import the releases into a new file\n",
                    count(static_cast<std::int64_t>(findings.size())),
                    findings.size() == 1 ? "finding" : "findings", database));
}

// Every room's checks, on one state of the database.
std::vector<Finding> verify(const std::string& database) {
  store::Connection connection(database, store::Mode::read);
  std::vector<Finding> findings;
  try {
    const store::ReadTransaction transaction(connection);
    if (store::check_file(connection, findings)) importer::check_releases(connection, findings);
  } catch (const SQLite::Exception& e) {
    throw store::database_error(database, e, "verify");
  }
  return findings;
}

int run(const VerifyOptions& options) {
  const auto findings = verify(options.database);
  if (options.json) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& finding : findings)
      list.push_back({{"check", finding.check}, {"problem", finding.problem}});
    print_json({{"ok", findings.empty()}, {"findings", std::move(list)}});
  } else {
    print_findings(options.database, findings);
  }
  return findings.empty() ? kDone : kDatabase;
}

}  // namespace

void add_verify(Command app, Action& action) {
  const auto options = std::make_shared<VerifyOptions>();
  const Command command =
      app.add_subcommand("verify", "Check a database: structure, references, digests, counts, projections");
  add_db_option(command, options->database);
  add_json_option(command, options->json);
  command.footer(
      "Example:\n  profdb verify --db prof.db\nExits with 4 where something is wrong. Writes nothing.");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace profdb::cli
