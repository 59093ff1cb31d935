// The table of contents of the contract: every path of this build, one file each in this folder.
#pragma once

#include "engine/path.h"

namespace profdb {

const Path& matrix_compute_path();               // §3
const Path& communication_path();                // §4
const Path& moe_fused_path();                    // §6
const Path& elementwise_path();                  // §7
const Path& attention_lightning_indexer_path();  // §8
const Path& attention_sparse_sharedkv_path();    // §9
const Path& compute_scale_path();                // §10
const Path& quantized_matmul_path();             // §10
const Path& scatter_nd_update_mla_path();        // §11
const Path& generic_compute_path();              // §12
const Path& attention_special_path();            // §13

}  // namespace profdb
