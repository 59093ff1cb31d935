// Quantization subtypes by dtype and by operator name (contract §6, §10).
#pragma once

#include <string>
#include <string_view>

namespace profdb {

// int8, int4, fp8 or mxfp4 by a weight's profiler dtype; empty where the dtype names none.
std::string_view subtype_of_dtype(std::string_view dtype);

// An operator's name without namespace and overload: "tensor_cast.fp8_linear.default" -> "fp8_linear".
std::string_view base_name(std::string_view op);

}  // namespace profdb
