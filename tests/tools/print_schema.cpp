// Prints the schema that the migrations make, comments included: schema/schema.sql is this output.
#include <cstdio>
#include <string>

#include "engine/store/database.h"
#include "engine/store/migrations.h"

int main() {
  try {
    SQLite::Database db(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    for (const auto& migration : profdb::store::migrations()) db.exec(migration.sql);
    std::printf("-- The current schema: generated from migrations/, do not edit. Version %d.\n",
                profdb::store::schema_version());
    SQLite::Statement statement(
        db,
        "SELECT sql\nFROM sqlite_master\nWHERE sql IS NOT NULL\nAND name NOT LIKE 'sqlite_%'\nORDER BY "
        "CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END, rootpage, rowid");
    while (statement.executeStep()) std::printf("\n%s;\n", statement.getColumn(0).getText());
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "print_schema: %s\n", e.what());
    return 1;
  }
}
