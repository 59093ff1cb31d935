// Another mapping for a release: its rows are projected afresh, its measurements stay as they are.
#include <fmt/format.h>

#include "engine/release/dispatch.h"
#include "engine/store/database.h"
#include "engine/store/releases.h"
#include "importer/file_import.h"
#include "importer/import.h"
#include "importer/mapping/column_aliases.h"
#include "importer/release_source.h"
#include "importer/write/mapping_store.h"
#include "importer/write/measurement_store.h"
#include "importer/write/projector.h"

namespace profdb::importer {
namespace fs = std::filesystem;
namespace {

using store::Connection;

void project_again(Connection& connection, const ReleaseInfo& info, const ParsedMapping& parsed,
                   ImportReport& report) {
  report.release_id = info.release_id;
  report.identity = {info.device, info.framework, info.framework_version, info.torch_version,
                     info.cann_version};
  report.outcome = ImportReport::Outcome::replaced;
  clear_mapping(connection, info.release_id);
  store_mapping(connection, info.release_id, parsed.mapping);
  Projector projector(connection, info.release_id, projection_keys(parsed.mapping));
  struct File {
    std::int64_t id;
    std::string path, kernel;
  };
  std::vector<File> files;
  {
    auto& find = connection.statement(
        "SELECT f.source_file_id, f.path, k.name\nFROM source_file AS f\nJOIN kernel AS k USING (kernel_id)\n"
        "WHERE f.release_id = :release\nORDER BY f.source_file_id");
    find.bind(1, info.release_id);
    store::Rows rows(find);
    while (rows.next()) files.push_back({rows.integer(0), rows.text(1), rows.text(2)});
  }
  for (const File& file : files) {
    FileReport& file_report = report.files.emplace_back();
    file_report.path = file.path;
    file_report.kernel = file.kernel;
    const std::vector<ProjectionKey>& keys = projector.keys(file.kernel);
    std::vector<Projected> projected(keys.size());
    std::optional<ColumnAliaser> aliaser;
    for_each_measurement(connection, file.id, [&](const StoredRow& stored) {
      if (!aliaser) aliaser.emplace(parsed.mapping, file.path, *stored.row.columns);
      const Row& row = aliaser->widen(stored.row);
      for (std::size_t i = 0; i < keys.size(); ++i) projected[i] = project(keys[i], row);
      projector.add(file.kernel, projected, row.measurement_id,
                    {row.latency_us, row.source_class, stored.unusable_reason});
      ++file_report.row_count;
      ++(stored.row.latency_us ? file_report.taken_rows : file_report.unusable_rows);
      if (!stored.row.latency_us) ++file_report.reasons[stored.unusable_reason];
    });
    projector.flush(file.kernel);
  }
  projector.finish();
  link_projections(connection, info.release_id, parsed.mapping);
  auto& update = connection.statement(
      "UPDATE release\nSET mapping_digest = :mapping_digest, content_digest = :content_digest, "
      "mapping_fields = "
      ":mapping_fields\nWHERE release_id = :release");
  const std::string mapping_digest = sha256_of_text(canonical_json(parsed.mapping));
  update.bind(1, mapping_digest);
  update.bind(2, stored_content_digest(connection, info.release_id, mapping_digest));
  update.bind(3, mapping_fields(parsed.mapping));
  update.bind(4, info.release_id);
  update.exec();
  bump_generation(connection);
}

// A mapping of another framework version is a mistake; the rest of the identity may have come from flags.
void check_identity(const Mapping& mapping, const ReleaseInfo& info, const fs::path& path,
                    ImportReport& report) {
  if (mapping.version && *mapping.version != info.framework_version)
    throw Error(ErrorKind::usage, fmt::format("{}: version is '{}', but release {} has '{}'", path.string(),
                                              *mapping.version, info.release_id, info.framework_version));
  const auto check = [&](const char* field, const std::optional<std::string>& stated,
                         const std::string& actual) {
    if (stated && *stated != actual)
      report.warnings.push_back(fmt::format("{}: {} is '{}'; release {} keeps '{}'", path.string(), field,
                                            *stated, info.release_id, actual));
  };
  check("device", mapping.device, info.device);
  check("framework", mapping.framework, info.framework);
  check("pytorch_version", mapping.pytorch_version, info.torch_version);
  check("cann_version", mapping.cann_version, info.cann_version);
}

}  // namespace

ImportReport set_mapping(const fs::path& database, const std::string& release, const fs::path& mapping) {
  const ParsedMapping parsed = read_mapping(mapping);
  Connection connection(database, store::Mode::write);
  try {
    bound_page_cache(connection);
    SQLite::Transaction transaction(connection.db(), SQLite::TransactionBehavior::IMMEDIATE);
    const ReleaseInfo info = select_release(connection, release);
    ImportReport report;
    report.warnings = parsed.warnings;
    check_identity(parsed.mapping, info, mapping, report);
    project_again(connection, info, parsed, report);
    transaction.commit();
    return report;
  } catch (const SQLite::Exception& e) {
    throw store::database_error(database, e, "change the mapping in");
  }
}

}  // namespace profdb::importer
