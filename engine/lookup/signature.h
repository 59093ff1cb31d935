// The tensor inputs of a call and of a row, brought to the form in which they are compared (contract §2).
#pragma once

#include <string>
#include <vector>

#include "engine/lookup/path.h"

namespace profdb {

// One input that takes part: its shape is logical; a format that nobody states is empty.
using Signature = std::vector<TensorSlot>;

// The call's inputs on call.kernel: scalars and absent ones dropped, addmm's bias last, the grouped matmul's
// equal weights stacked, other lists flattened, cut to tc_input_count, then the kernel's own rewrites (RoPE,
// SwiGlu, cache write).
Signature call_signature(const Call& call);

// What the mapping's expected_input_formats says of an input of the call, by its position there (an absent
// argument holds its own); empty where it says nothing.
std::string_view expected_format(const OpMapping& op, std::size_t input);

// The row's inputs: scalars and absent ones dropped, cut to tc_input_count, dtypes as the kernel tells them
// apart.
Signature row_signature(const Row& row, const ProjectionKey& key);

// "DT_BF16;INT8" and "ND;FRACTAL_NZ", slot by slot.
std::string joined_dtypes(const Signature& signature);
std::string joined_formats(const Signature& signature);

// The profiler dtype as `kernel` tells dtypes apart: FLOAT is BF16 for the kernels of contract §2 that make
// no difference.
std::string kernel_dtype(const std::string& kernel, const std::string& dtype);

}  // namespace profdb
