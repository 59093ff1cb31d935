// Reading stored rows of a kernel.
#include "importer/write/stored_rows.h"

#include <optional>
#include <utility>
#include <vector>

#include "importer/mapping/column_aliases.h"
#include "importer/write/measurement_store.h"

namespace profdb::importer {

void for_each_kernel_row(store::Connection& connection, const ReleaseState& release,
                         const std::string& kernel, const std::function<void(const Row&)>& use) {
  std::vector<std::pair<std::int64_t, std::string>> files;
  {
    auto& find = connection.statement(
        "SELECT f.source_file_id, f.path\n"
        "FROM source_file AS f\n"
        "JOIN kernel AS k USING (kernel_id)\n"
        "WHERE f.release_id = :release\n"
        "AND k.name = :kernel\n"
        "ORDER BY f.source_file_id");
    find.bind(1, release.info.release_id);
    find.bind(2, kernel);
    store::Rows rows(find);
    while (rows.next()) files.emplace_back(rows.integer(0), rows.text(1));
  }
  for (const auto& [id, path] : files) {
    std::optional<ColumnAliaser> aliaser;
    for_each_measurement(connection, id, [&, &file = path](const StoredRow& stored) {
      if (!aliaser) aliaser.emplace(release.mapping, file, *stored.row.columns);
      use(aliaser->widen(stored.row));
    });
  }
}

}  // namespace profdb::importer
