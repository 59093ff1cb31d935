// The three parallel lists of a kernel CSV row, read slot by slot without copies.
#include "importer/read/tensor_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace profdb::importer {

namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 53;

// Real cells carry extra quotes around the list or its items (formats §2): they go like blanks.
std::string_view stripped(std::string_view text) {
  constexpr std::string_view kBlanksAndQuotes = " \t\r\n\"";
  const auto first = text.find_first_not_of(kBlanksAndQuotes);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanksAndQuotes) - first + 1);
}

// A list cell: its items are separated by semicolons.
class ItemList {
 public:
  // `absent` is the item, besides nothing, that says that a slot is empty.
  ItemList(std::string_view cell, std::string_view absent) : rest_(stripped(cell)), absent_(absent) {
    recorded_ = !rest_.empty() && rest_ != "N/A";
    if (recorded_) {
      count_ = static_cast<std::size_t>(std::count(rest_.begin(), rest_.end(), ';')) + 1;
    } else {
      rest_ = {};
    }
  }

  // False where the cell as a whole is empty or N/A.
  bool recorded() const { return recorded_; }
  std::size_t count() const { return count_; }
  bool is_absent(std::string_view item) const { return item.empty() || item == absent_; }

  // Drops empty slots at the end while there are more than `count`.
  void drop_trailing(std::size_t count) {
    while (count_ > count) {
      const auto last = rest_.rfind(';');
      const std::size_t begin = last == std::string_view::npos ? 0 : last + 1;
      if (!is_absent(stripped(rest_.substr(begin)))) return;
      rest_ = rest_.substr(0, begin == 0 ? 0 : last);
      --count_;
    }
  }

  // The next item; nothing once they are used up.
  std::string_view next() {
    const auto end = std::min(rest_.find(';'), rest_.size());
    const std::string_view item = stripped(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return item;
  }

 private:
  std::string_view rest_;
  std::string_view absent_;
  bool recorded_ = false;
  std::size_t count_ = 0;
};

std::optional<std::int64_t> parse_dimension(std::string_view text) {
  text = stripped(text);
  if (text.starts_with('-')) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > kLargest) return std::nullopt;
  return value;
}

// Fills `shape` from "136,5120" or "()"; false where the text is no shape.
bool parse_shape(std::string_view text, Shape& shape) {
  if (text == "()") return true;
  shape.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), ',')) + 1);
  for (;;) {
    const auto comma = text.find(',');
    const auto dimension = parse_dimension(text.substr(0, comma));
    if (!dimension) return false;
    shape.push_back(*dimension);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return element_count(shape) <= kLargest;
}

ListProblem count_mismatch(std::string_view direction, const char* reason, std::string_view list,
                           std::size_t has, std::string_view other, std::size_t needs) {
  return {reason,
          fmt::format("{0} {1}: {2} entries, but {0} {3} has {4}", direction, list, has, other, needs)};
}

// Makes the three lists equally long, or says which of them falls short.
std::optional<ListProblem> reconcile(std::string_view direction, ItemList& shapes, ItemList& dtypes,
                                     ItemList& formats) {
  shapes.drop_trailing(dtypes.count());
  if (shapes.count() > dtypes.count()) {
    return count_mismatch(direction, "dtype_count_mismatch", "Data Types", dtypes.count(), "Shapes",
                          shapes.count());
  }
  // An empty cell with one dtype is one empty slot, not an empty list.
  const std::size_t slots = !shapes.recorded() && dtypes.count() == 1 ? 1 : shapes.count();
  if (slots < dtypes.count()) {
    return count_mismatch(direction, "shape_count_mismatch", "Shapes", slots, "Data Types", dtypes.count());
  }
  if (!formats.recorded()) return std::nullopt;
  formats.drop_trailing(slots);
  if (formats.count() == slots) return std::nullopt;
  return count_mismatch(direction, "format_count_mismatch", "Formats", formats.count(), "Shapes", slots);
}

// Whether a dtype says that its slot holds no tensor.
bool is_undefined(std::string_view dtype) {
  return dtype.empty() || dtype == "DT_UNDEFINED" || dtype == "NULL" || dtype == "N/A";
}

}  // namespace

std::variant<std::vector<TensorSlot>, ListProblem> parse_tensor_list(std::string_view direction,
                                                                     std::string_view shapes,
                                                                     std::string_view dtypes,
                                                                     std::string_view formats) {
  ItemList shape_list(shapes, "");
  ItemList dtype_list(dtypes, "");
  ItemList format_list(formats, "NULL");
  if (stripped(shapes) == "N/A" && (dtype_list.recorded() || format_list.recorded())) {
    return ListProblem{"shape_not_recorded", fmt::format("{} Shapes: N/A", direction)};
  }
  if (auto problem = reconcile(direction, shape_list, dtype_list, format_list)) return std::move(*problem);

  std::vector<TensorSlot> slots(dtype_list.count());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    TensorSlot& slot = slots[i];
    const std::string_view shape = shape_list.next();
    slot.dtype = dtype_list.next();
    slot.format = format_list.next();
    if (shape.empty() || (shape == "N/A" && is_undefined(slot.dtype))) {
      slot.present = false;
    } else if (shape == "N/A") {
      return ListProblem{"shape_not_recorded", fmt::format("{} Shapes: slot {}: N/A", direction, i + 1)};
    } else if (!parse_shape(shape, slot.shape)) {
      return ListProblem{"shape_invalid", fmt::format("{} Shapes: slot {}: '{}' is not a shape", direction,
                                                      i + 1, shape.substr(0, 80))};
    }
  }
  return slots;
}

}  // namespace profdb::importer
