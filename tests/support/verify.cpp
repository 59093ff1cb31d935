// The rooms' checks, one after the other.
#include "tests/support/verify.h"

#include "engine/store/check.h"
#include "engine/store/database.h"
#include "importer/check.h"

namespace profdb::test {

std::vector<Finding> verify(const std::filesystem::path& database) {
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

}  // namespace profdb::test
