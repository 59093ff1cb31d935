// One measured CSV row as paths see it, whether it comes from a file or back out of the database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/leaf/tensor.h"

namespace profdb {

// 0 and 1 in the database.
enum class SourceClass : std::uint8_t { selected = 0, fallback = 1 };

inline const char* to_string(SourceClass c) {
  return c == SourceClass::selected ? "selected" : "fallback";
}

struct Row {
  std::int64_t measurement_id = 0;
  std::vector<TensorSlot> inputs;  // physical, as recorded, absent slots included
  std::vector<TensorSlot> outputs;
  // Names and cells of the file's columns, side by side; owned by whoever made the row. A cell that is stored
  // elsewhere (tensor lists, the row's latency) is empty.
  const std::vector<std::string>* columns = nullptr;
  const std::vector<std::string>* cells = nullptr;
  std::optional<double> latency_us;  // none: the row is evidence, no candidate
  SourceClass source_class = SourceClass::selected;

  // Whether the file has the column at all.
  bool has_column(std::string_view name) const { return index_of(name) >= 0; }
  // The row's cell; empty where the file lacks the column.
  std::string_view field(std::string_view name) const {
    const auto i = index_of(name);
    return i < 0 ? std::string_view{} : std::string_view{(*cells)[static_cast<std::size_t>(i)]};
  }

 private:
  std::ptrdiff_t index_of(std::string_view name) const {
    if (columns == nullptr) return -1;
    for (std::size_t i = 0; i < columns->size(); ++i)
      if ((*columns)[i] == name) return static_cast<std::ptrdiff_t>(i);
    return -1;
  }
};

}  // namespace profdb
