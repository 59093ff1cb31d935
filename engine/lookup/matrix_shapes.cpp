// M, K and N of a matrix multiplication (contract §3).
#include "engine/lookup/matrix_shapes.h"

#include <algorithm>
#include <array>

#include "engine/lookup/names.h"

namespace profdb {
namespace {

constexpr std::array<std::string_view, 10> kMatrixKernels = {"MatMul",
                                                             "MatMulV2",
                                                             "MatMulV3",
                                                             "MatMulCommon",
                                                             "BatchMatMulV2",
                                                             "BatchMatMulNd",
                                                             "TransposeBatchMatMul",
                                                             "QuantBatchMatmulV3",
                                                             "GroupedMatmul",
                                                             "GroupedMatmulSwigluQuant"};
constexpr std::array<std::string_view, 4> kBatchedKernels = {"BatchMatMulV2", "BatchMatMulNd",
                                                             "TransposeBatchMatMul", "QuantBatchMatmulV3"};

}  // namespace

bool is_matrix_kernel(const std::string& kernel) {
  return one_of(kernel, kMatrixKernels);
}

std::optional<MatrixShapes> matrix_shapes(const Shape& a, const Shape& b) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  MatrixShapes shapes;
  shapes.m = a[a.size() - 2];
  shapes.k = a.back();
  if (b[b.size() - 2] == shapes.k)
    shapes.n = b.back();
  else if (b.back() == shapes.k)
    shapes.n = b[b.size() - 2];
  else
    return std::nullopt;
  shapes.lead_a.assign(a.begin(), a.end() - 2);
  shapes.lead_b.assign(b.begin(), b.end() - 2);
  return shapes;
}

std::optional<MatrixShapes> matrix_shapes(const Signature& signature, const std::string& kernel) {
  if (signature.size() < 2) return std::nullopt;
  if (one_of(kernel, kBatchedKernels)) return matrix_shapes(signature[0].shape, signature[1].shape);
  return matrix_shapes(without_leading_one(signature[0].shape), without_leading_one(signature[1].shape));
}

}  // namespace profdb
