// Look-ups by name in a mapping.
#include "engine/mapping.h"

#include <algorithm>

namespace profdb {

const OpMapping* Mapping::find(const std::string& op) const {
  const auto it = std::find_if(operators.begin(), operators.end(), [&](const auto& m) { return m.op == op; });
  return it == operators.end() ? nullptr : &*it;
}

const KernelPolicy* Mapping::policy(const std::string& kernel) const {
  const auto it =
      std::find_if(policies.begin(), policies.end(), [&](const auto& p) { return p.kernel == kernel; });
  return it == policies.end() ? nullptr : &*it;
}

}  // namespace profdb
