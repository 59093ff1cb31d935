// Indexes of exact rows by what the rules of contract §2 keep.
#include "engine/candidates/exact_rows.h"

namespace profdb {
namespace {

cache::Key key_of(std::int64_t padded_blocks, const std::string& elements) {
  return cache::KeyBytes::scratch().number(padded_blocks).text(elements).key();
}

}  // namespace

ExactRows::ExactRows(std::vector<store::StoredExactRow> rows) : rows_(std::move(rows)) {
  by_elements_.reserve(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto member = static_cast<std::uint32_t>(i);
    by_elements_[key_of(rows_[i].padded_blocks, rows_[i].elements)].push_back(member);
    by_blocks_[rows_[i].padded_blocks].push_back(member);
  }
}

void ExactRows::visit(std::int64_t padded_blocks, const std::string* elements,
                      const store::VisitExact& visit) const {
  const auto show = [&](const auto& index, const auto& key) {
    const auto it = index.find(key);
    if (it == index.end()) return;
    for (const std::uint32_t member : it->second) {
      const store::StoredExactRow& row = rows_[member];
      visit({row.source_class, row.measurement_id, row.latency_us, row.input_shapes});
    }
  };
  if (elements != nullptr)
    show(by_elements_, key_of(padded_blocks, *elements));
  else
    show(by_blocks_, padded_blocks);
}

std::size_t ExactRows::bytes() const {
  constexpr std::size_t kIndexEntries = 192;  // of both hash maps, per row
  std::size_t total = sizeof *this + rows_.size() * (sizeof(store::StoredExactRow) + kIndexEntries);
  for (const store::StoredExactRow& row : rows_)
    total += row.elements.capacity() + row.input_shapes.capacity();
  return total;
}

}  // namespace profdb
