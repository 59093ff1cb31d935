// The table of contents of the contract: every path of this build, one file each in this folder.
#pragma once

#include <string_view>
#include <vector>

#include "engine/lookup/path.h"

namespace profdb {

const Path& matrix_compute_path();               // contract §3
const Path& communication_path();                // contract §4
const Path& moe_fused_path();                    // contract §6
const Path& elementwise_path();                  // contract §7
const Path& attention_lightning_indexer_path();  // contract §8
const Path& attention_sparse_sharedkv_path();    // contract §9
const Path& compute_scale_path();                // contract §10
const Path& quantized_matmul_path();             // contract §10
const Path& scatter_nd_update_mla_path();        // contract §11
const Path& generic_compute_path();              // contract §12
const Path& attention_special_path();            // contract §13

// All of them, and one by name (nullptr where there is none).
const std::vector<const Path*>& all_paths();
const Path* find_path(std::string_view name);

}  // namespace profdb
