// JSON texts of tensor lists and field sets.
#include "importer/read/interned_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "importer/read/kernel_rows.h"

#include <xxhash.h>

namespace profdb::importer {

namespace {

void append_json_text(std::string& out, const std::string& text) {
  const bool plain = std::none_of(text.begin(), text.end(), [](unsigned char c) {
    return c < 0x20 || c == '"' || c == '\\' || c >= 0x80;
  });
  if (plain)
    out.append("\"").append(text).append("\"");
  else
    out += nlohmann::json(text).dump();
}

void append_shape(std::string& out, const Shape& shape) {
  out += '[';
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) out += ',';
    const fmt::format_int digits(shape[i]);
    out.append(digits.data(), digits.size());
  }
  out += ']';
}

// Appends a JSON array with what `append` makes of each item.
template <typename Items, typename Append>
void append_array(std::string& out, const Items& items, Append append) {
  out += '[';
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ',';
    append(i);
  }
  out += ']';
}

}  // namespace

std::uint64_t text_hash(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}

void InternedText::digest() {
  const XXH128_hash_t digest = XXH3_128bits(text.data(), text.size());
  low = digest.low64;
  high = digest.high64;
  hash = text_hash(text);
}

void TensorListText::assign(const std::vector<TensorSlot>& slots) {
  text.clear();
  append_array(text, slots, [&](std::size_t i) {
    if (slots[i].present)
      append_shape(text, slots[i].shape);
    else
      text += "null";
  });
  shapes_size = text.size();
  append_array(text, slots, [&](std::size_t i) { append_json_text(text, slots[i].dtype); });
  dtypes_size = text.size() - shapes_size;
  append_array(text, slots, [&](std::size_t i) { append_json_text(text, slots[i].format); });
  digest();
}

void FieldSetText::assign(const ReadRow& row) {
  text.clear();
  append_array(text, row.cells, [&](std::size_t i) {
    if (row.stored[i])
      append_json_text(text, row.cells[i]);
    else
      text += "null";
  });
  digest();
}

}  // namespace profdb::importer
