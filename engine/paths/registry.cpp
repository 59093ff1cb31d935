// Every path of this build.
#include "engine/paths/registry.h"

#include <algorithm>

namespace profdb {

const std::vector<const Path*>& all_paths() {
  static const std::vector<const Path*> paths = {
      &matrix_compute_path(),
      &communication_path(),
      &moe_fused_path(),
      &elementwise_path(),
      &attention_lightning_indexer_path(),
      &attention_sparse_sharedkv_path(),
      &compute_scale_path(),
      &quantized_matmul_path(),
      &scatter_nd_update_mla_path(),
      &generic_compute_path(),
      &attention_special_path(),
  };
  return paths;
}

const Path* find_path(std::string_view name) {
  const auto it = std::find_if(all_paths().begin(), all_paths().end(),
                               [&](const Path* p) { return p->spec().name == name; });
  return it == all_paths().end() ? nullptr : *it;
}

}  // namespace profdb
