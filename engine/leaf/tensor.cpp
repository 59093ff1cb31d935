// Arithmetic and names of recorded tensors.
#include "engine/leaf/tensor.h"

#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace profdb {

namespace {

constexpr std::int64_t kSaturated = std::numeric_limits<std::int64_t>::max();

// For factors >= 0; a zero undoes a product that is already saturated.
std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  return a != 0 && b > kSaturated / a ? kSaturated : a * b;
}

}  // namespace

std::int64_t element_count(const Shape& shape) {
  std::int64_t product = 1;
  for (const std::int64_t dimension : shape) product = saturating_product(product, dimension);
  return product;
}

Shape logical_shape(const Shape& shape, std::string_view format) {
  if (format != "FRACTAL_NZ" || shape.size() < 4) return shape;
  const auto tile = shape.end() - 4;  // H, W, h, w
  Shape logical(shape.begin(), tile);
  logical.push_back(saturating_product(tile[0], tile[3]));
  logical.push_back(saturating_product(tile[1], tile[2]));
  return logical;
}

Shape without_leading_one(const Shape& shape) {
  const bool strips = shape.size() >= 3 && shape.front() == 1;
  return {shape.begin() + (strips ? 1 : 0), shape.end()};
}

void append_number(std::string& text, std::int64_t number) {
  std::array<char, 24> digits{};
  const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

void append_shape(std::string& text, const Shape& shape) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ',';
    append_number(text, shape[i]);
  }
}

std::string to_string(const Shape& shape) {
  std::string text;
  append_shape(text, shape);
  return text;
}

std::string profiler_dtype(std::string_view framework_dtype, bool float16_is_bf16) {
  if (framework_dtype == "float16") return float16_is_bf16 ? "DT_BF16" : "DT_FLOAT16";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNames = {{{"bfloat16", "DT_BF16"},
                                                                                    {"int8", "INT8"},
                                                                                    {"int32", "INT32"},
                                                                                    {"int64", "INT64"},
                                                                                    {"float32", "FLOAT"},
                                                                                    {"bool", "BOOL"}}};
  for (const auto& [framework, profiler] : kNames) {
    if (framework == framework_dtype) return std::string(profiler);
  }
  std::string upper(framework_dtype);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

}  // namespace profdb
