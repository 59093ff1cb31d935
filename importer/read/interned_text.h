// What measurements share: the texts of tensor lists and field sets, with the digests that tell them apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/leaf/tensor.h"

namespace profdb::importer {

struct ReadRow;

// A text and its digests.
struct InternedText {
  std::string text;
  std::uint64_t low = 0;  // XXH3-128: equal texts are found by it
  std::uint64_t high = 0;
  std::uint64_t hash = 0;  // XXH3-64: what ContentHash takes of it

  void digest();  // of `text`
};

// JSON arrays of shapes (null for an absent slot), dtypes and formats, one behind the other.
struct TensorListText : InternedText {
  std::size_t shapes_size = 0;
  std::size_t dtypes_size = 0;

  void assign(const std::vector<TensorSlot>& slots);
  std::string_view shapes() const { return std::string_view(text).substr(0, shapes_size); }
  std::string_view dtypes() const { return std::string_view(text).substr(shapes_size, dtypes_size); }
  std::string_view formats() const { return std::string_view(text).substr(shapes_size + dtypes_size); }
  std::string_view types() const { return std::string_view(text).substr(shapes_size); }
};

// A JSON array along the file's columns, null where the cell is stored elsewhere.
struct FieldSetText : InternedText {
  void assign(const ReadRow& row);
};

// The XXH3-64 of `text`.
std::uint64_t text_hash(std::string_view text);

}  // namespace profdb::importer
