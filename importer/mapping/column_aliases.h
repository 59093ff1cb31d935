// Gives rows the contract columns that the mapping finds under other names (mapping: column_aliases).
#pragma once

#include <string>
#include <vector>

#include "engine/store/mapping.h"
#include "engine/store/row.h"

namespace profdb::importer {

// The aliases of one file. Measurements stay as they are: only what paths see is widened.
class ColumnAliaser {
 public:
  // `columns`: the file's own; what it has itself is left alone, and an alias whose column it lacks as well.
  ColumnAliaser(const Mapping& mapping, const std::string& file_path,
                const std::vector<std::string>& columns);

  // The row with the further columns; itself where there are none. Valid until the next call, no longer than
  // `row`.
  const Row& widen(const Row& row);

 private:
  struct Source {
    ColumnAlias alias;
    std::size_t column = 0;
  };
  std::vector<Source> sources_;
  std::vector<std::string> columns_;
  std::vector<std::string> cells_;
  Row row_;
};

}  // namespace profdb::importer
