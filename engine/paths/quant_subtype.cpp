// Quantization subtypes.
#include "engine/paths/quant_subtype.h"

namespace profdb {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

std::string_view subtype_of_dtype(std::string_view dtype) {
  if (dtype == "INT8") return "int8";
  if (contains(dtype, "INT4")) return "int4";
  if (contains(dtype, "FLOAT8") || contains(dtype, "FP8")) return "fp8";
  if (contains(dtype, "FLOAT4") || contains(dtype, "FP4")) return "mxfp4";
  return {};
}

std::string_view base_name(std::string_view op) {
  const auto dot = op.find('.');
  if (dot == std::string_view::npos) return op;
  op.remove_prefix(dot + 1);
  return op.substr(0, op.find('.'));
}

}  // namespace profdb
