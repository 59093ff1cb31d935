// A small release of one matmul kernel, whose latencies tests can compute by hand. Synthetic.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/release.h"
#include "tests/support/shorthand.h"

namespace profdb::test {

inline constexpr const char* kMatmulMapping =
    "operator_mappings:\n  aten.mm.default: {kernel_type: MatMulV2}\n";

// A row of (M,K) x (K,N).
inline std::string matmul_row(int m, int k, int n, const std::string& latency_us) {
  return measured(fmt::format("DT_BF16[{},{}] DT_BF16[{},{}]", m, k, k, n),
                  fmt::format("DT_BF16[{},{}]", m, n), {latency_us});
}

inline std::vector<std::pair<std::string, std::string>> matmul_files(const std::string& rows) {
  return {{"MatMulV2.csv", csv_header() + rows}};
}

}  // namespace profdb::test
