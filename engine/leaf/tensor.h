// Shapes, dtypes and formats of tensors as the profiler records them (formats §2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profdb {

using Shape = std::vector<std::int64_t>;  // every dimension is >= 0; empty for a scalar

// One slot of a tensor list. Slots are positional: an absent optional input still occupies its own.
struct TensorSlot {
  bool present = true;  // false: an empty slot (dtype DT_UNDEFINED, format NULL, or nothing at all)
  Shape shape;          // physical, as recorded
  std::string dtype;    // profiler name, e.g. DT_BF16
  std::string format;   // e.g. ND, FRACTAL_NZ; empty where none is stated

  bool operator==(const TensorSlot&) const = default;
};

// Product of the dimensions; 1 for a scalar. Saturates at the largest int64.
std::int64_t element_count(const Shape& shape);

// The logical shape of a physical one: FRACTAL_NZ of rank >= 4, [..., H, W, h, w], becomes
// [..., H*w, W*h]; everything else is already logical (formats §2, contract §2).
Shape logical_shape(const Shape& shape, std::string_view format);

// `shape` less a leading 1 where its rank is at least 3 (contract §3, §7, §12).
Shape without_leading_one(const Shape& shape);

// Appends the number in decimal; the shape as to_string() writes it.
void append_number(std::string& text, std::int64_t number);
void append_shape(std::string& text, const Shape& shape);

// "136,5120"; "" for a scalar.
std::string to_string(const Shape& shape);

// Profiler name of a framework dtype ("bfloat16" -> "DT_BF16", formats §2); other names upper-cased.
// `float16_is_bf16` is false on the compute_scale path, where FP16 keeps its own data.
std::string profiler_dtype(std::string_view framework_dtype, bool float16_is_bf16 = true);

}  // namespace profdb
