// Another mapping for a release: its rows are projected afresh, its measurements stay as they are.
#include <fmt/format.h>

#include "engine/dispatch.h"
#include "engine/release_state.h"
#include "engine/store/database.h"
#include "importer/column_aliases.h"
#include "importer/file_import.h"
#include "importer/import.h"
#include "importer/mapping_store.h"
#include "importer/measurement_store.h"
#include "importer/projector.h"
#include "importer/release_source.h"

namespace profdb::importer {
namespace fs = std::filesystem;
namespace {

using store::Connection;

// Page cache of the connection: bounds its memory, whatever the size of the release.
constexpr int kCacheKiB = 64 * 1024;

// A file's line in the content digest, as an import writes it: a raw export is one file, whatever its
// kernels.
std::string digest_line(const std::string& path, const std::string& kernel, const std::string& sha256,
                        const std::string& so_far) {
  const auto part = path.find('#');
  if (part == std::string::npos) return fmt::format("{}\t{}\t{}\n", path, kernel, sha256);
  std::string line = fmt::format("{}\t\t{}\n", path.substr(0, part), sha256);
  return so_far.find(line) == std::string::npos ? line : "";
}

ImportReport project_again(Connection& connection, const ReleaseInfo& info, const ParsedMapping& parsed) {
  ImportReport report;
  report.release_id = info.release_id;
  report.identity = {info.device, info.framework, info.framework_version, info.torch_version,
                     info.cann_version};
  report.outcome = ImportReport::Outcome::replaced;
  report.warnings = parsed.warnings;
  clear_mapping(connection, info.release_id);
  store_mapping(connection, info.release_id, parsed.mapping);
  Projector projector(connection, info.release_id, projection_keys(parsed.mapping));
  struct File {
    std::int64_t id;
    std::string path, kernel;
  };
  std::vector<File> files;
  std::string content = sha256_of_text(canonical_json(parsed.mapping)) + "\n";
  {
    auto& find = connection.statement(
        "SELECT f.source_file_id, f.path, k.name, f.sha256\nFROM source_file AS f\nJOIN kernel AS k USING "
        "(kernel_id)\nWHERE "
        "f.release_id = :release\nORDER BY f.source_file_id");
    find.bind(1, info.release_id);
    store::Rows rows(find);
    while (rows.next()) {
      files.push_back({rows.integer(0), rows.text(1), rows.text(2)});
      content += digest_line(rows.text(1), rows.text(2), rows.text(3), content);
    }
  }
  for (const File& file : files) {
    FileReport& file_report = report.files.emplace_back();
    file_report.path = file.path;
    file_report.kernel = file.kernel;
    std::optional<ColumnAliaser> aliaser;
    for_each_measurement(connection, file.id, [&](const StoredRow& stored) {
      if (!aliaser) aliaser.emplace(parsed.mapping, file.path, *stored.row.columns);
      projector.add(file.kernel, aliaser->widen(stored.row), stored.unusable_reason);
      ++file_report.row_count;
      ++(stored.row.latency_us ? file_report.taken_rows : file_report.unusable_rows);
      if (!stored.row.latency_us) ++file_report.reasons[stored.unusable_reason];
    });
  }
  projector.finish();
  link_projections(connection, info.release_id, parsed.mapping);
  auto& update = connection.statement(
      "UPDATE release\nSET mapping_digest = :mapping_digest, content_digest = :content_digest, "
      "mapping_fields = "
      ":mapping_fields\nWHERE release_id = :release");
  update.bind(1, sha256_of_text(canonical_json(parsed.mapping)));
  update.bind(2, sha256_of_text(content));
  update.bind(3, mapping_fields(parsed.mapping));
  update.bind(4, info.release_id);
  update.exec();
  bump_generation(connection);
  return report;
}

// A mapping that names another release is a mistake.
void require_same_identity(const Mapping& mapping, const ReleaseInfo& info, const fs::path& path) {
  const auto check = [&](const char* field, const std::optional<std::string>& stated,
                         const std::string& actual) {
    if (stated && *stated != actual)
      throw Error(ErrorKind::usage, fmt::format("{}: {} is '{}', but release {} has '{}'", path.string(),
                                                field, *stated, info.release_id, actual));
  };
  check("device", mapping.device, info.device);
  check("framework", mapping.framework, info.framework);
  check("version", mapping.version, info.framework_version);
  check("pytorch_version", mapping.pytorch_version, info.torch_version);
  check("cann_version", mapping.cann_version, info.cann_version);
}

}  // namespace

ImportReport set_mapping(const fs::path& database, const std::string& release, const fs::path& mapping) {
  const ParsedMapping parsed = read_mapping(mapping);
  Connection connection(database, store::Mode::write);
  try {
    connection.db().exec(fmt::format("PRAGMA cache_size = -{}", kCacheKiB));
    SQLite::Transaction transaction(connection.db(), SQLite::TransactionBehavior::IMMEDIATE);
    const ReleaseInfo info = select_release(connection, release);
    require_same_identity(parsed.mapping, info, mapping);
    ImportReport report = project_again(connection, info, parsed);
    transaction.commit();
    return report;
  } catch (const SQLite::Exception& e) {
    throw store::database_error(database, e, "change the mapping in");
  }
}

}  // namespace profdb::importer
