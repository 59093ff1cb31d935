// Membership in a fixed list of names: kernels that a rule of the contract names.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace profdb {

template <std::size_t N>
bool one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace profdb
