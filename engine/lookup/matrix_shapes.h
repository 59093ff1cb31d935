// M, K and N of a matrix multiplication (contract §3), shared by the paths that have them.
#pragma once

#include <optional>
#include <string>

#include "engine/lookup/signature.h"

namespace profdb {

// Kernels whose mapping entry goes through contract §3.
bool is_matrix_kernel(const std::string& kernel);

struct MatrixShapes {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  Shape lead_a;  // leading dimensions of input 0
  Shape lead_b;  // of input 1
};

// From inputs 0 and 1: M = a[-2], K = a[-1]; N = b[-1] if b[-2] == K, else b[-2] if b[-1] == K, else nothing.
// A leading 1 is removed from rank >= 3 except for the batched kernels.
std::optional<MatrixShapes> matrix_shapes(const Signature& signature, const std::string& kernel);

// The same from shapes whose leading ones have been dealt with.
std::optional<MatrixShapes> matrix_shapes(const Shape& a, const Shape& b);

}  // namespace profdb
