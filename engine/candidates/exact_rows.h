// The rows of one class of the base exact match (contract §2), held in memory.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/cache/key.h"
#include "engine/store/candidates.h"

namespace profdb {

// Immutable once made; threads may share it.
class ExactRows {
 public:
  explicit ExactRows(std::vector<store::StoredExactRow> rows);

  // As store::find_base_exact(); without `elements` as store::find_base_padded().
  void visit(std::int64_t padded_blocks, const std::string* elements, const store::VisitExact& visit) const;

  std::size_t bytes() const;

 private:
  using Members = std::vector<std::uint32_t>;  // indices into rows_

  std::vector<store::StoredExactRow> rows_;
  std::unordered_map<cache::Key, Members, cache::KeyHash> by_elements_;
  std::unordered_map<std::int64_t, Members> by_blocks_;
};

}  // namespace profdb
