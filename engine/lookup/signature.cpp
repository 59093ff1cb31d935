// Contract §2: which inputs take part, and the rewrites of a call before it is compared.
#include "engine/lookup/signature.h"

#include <algorithm>
#include <array>

#include "engine/lookup/names.h"

namespace profdb {
namespace {

constexpr std::array<std::string_view, 3> kRopeKernels = {"ApplyRotaryPosEmb", "_triton_rope",
                                                          "split_qkv_rmsnorm_rope_kernel"};
constexpr std::array<std::string_view, 4> kFloatIsBf16Kernels = {"MatMulV2", "PadV3", "PadV3AiCore",
                                                                 "MoeGatingTopK"};

bool takes_part(const Tensor& tensor) {
  return !tensor.shape.empty();
}

// One argument of the call with the format that the mapping assumes for it (formats §3: by its position in
// the call).
struct KernelArgument {
  const Argument* argument = nullptr;
  std::string_view assumed_format;
};

TensorSlot slot_of(const Tensor& tensor, const KernelArgument& from, const std::string& kernel) {
  TensorSlot slot;
  slot.format = tensor.format ? std::string_view(*tensor.format) : from.assumed_format;
  slot.shape = logical_shape(tensor.shape, slot.format);
  slot.dtype = kernel_dtype(kernel, profiler_dtype(tensor.dtype));
  return slot;
}

bool all_equal(const std::vector<Tensor>& list) {
  return std::all_of(list.begin(), list.end(), [&](const Tensor& t) {
    return t.shape == list.front().shape && t.dtype == list.front().dtype && t.format == list.front().format;
  });
}

// GroupedMatmul*: a list of equal weights is one stacked input.
bool stacks(const Argument& argument, const std::string& kernel) {
  return argument.kind == Argument::Kind::list && kernel.starts_with("GroupedMatmul") &&
         !argument.tensors.empty() && takes_part(argument.tensors.front()) && all_equal(argument.tensors);
}

void append(Signature& signature, const KernelArgument& from, const std::string& kernel) {
  const Argument& argument = *from.argument;
  if (stacks(argument, kernel)) {
    TensorSlot stacked = slot_of(argument.tensors.front(), from, kernel);
    stacked.shape.insert(stacked.shape.begin(), static_cast<std::int64_t>(argument.tensors.size()));
    signature.push_back(std::move(stacked));
    return;
  }
  for (const Tensor& tensor : argument.tensors)
    if (takes_part(tensor)) signature.push_back(slot_of(tensor, from, kernel));
}

// The argument that the kernel takes at `position`: aten.addmm(bias, a, b) has the bias last there.
KernelArgument kernel_argument(const Call& call, std::size_t position, bool bias_is_first) {
  const std::size_t count = call.leaf.inputs.size();
  const std::size_t input = bias_is_first ? (position + 1) % count : position;
  return {&call.leaf.inputs[input],
          call.assumes_formats ? expected_format(call.op, input) : std::string_view()};
}

// (B,H,S,D) -> (B,S,H,D), Q and K swapped; cos and sin gain a head dimension of 1.
void rewrite_rope(Signature& signature) {
  if (signature.size() < 2) return;
  std::swap(signature[0], signature[1]);
  for (std::size_t i = 0; i < 2; ++i)
    if (signature[i].shape.size() == 4) std::swap(signature[i].shape[1], signature[i].shape[2]);
  for (std::size_t i = 2; i < std::min<std::size_t>(signature.size(), 4); ++i) {
    Shape& shape = signature[i].shape;
    if (shape.size() == 2 || shape.size() == 3) shape.insert(shape.end() - 1, 1);
  }
}

// Two halves that the rows hold as one are joined on the last dimension.
void rewrite_swiglu(Signature& signature, const std::vector<std::int64_t>* row_input_counts) {
  if (row_input_counts == nullptr) return;
  const auto has = [&](std::int64_t n) {
    return std::find(row_input_counts->begin(), row_input_counts->end(), n) != row_input_counts->end();
  };
  if (signature.size() != 2 || has(2) || !has(1)) return;
  const Shape& a = signature[0].shape;
  const Shape& b = signature[1].shape;
  if (a.size() != b.size() || !std::equal(a.begin(), a.end() - 1, b.begin()) ||
      signature[0].dtype != signature[1].dtype)
    return;
  signature[0].shape.back() += b.back();
  signature.pop_back();
}

// (key, value, kv_cache, slots) -> (key[N,1,D], value[N,1,D], cache_k, cache_v, slots)
void rewrite_cache_write(Signature& signature) {
  if (signature.size() != 4 || signature[2].shape.size() < 2 || signature[2].shape.front() != 2) return;
  for (std::size_t i = 0; i < 2; ++i)
    if (signature[i].shape.size() == 2) signature[i].shape.insert(signature[i].shape.begin() + 1, 1);
  signature[2].shape.erase(signature[2].shape.begin());
  signature.insert(signature.begin() + 3, signature[2]);
}

void cut(Signature& signature, std::int64_t tc_input_count) {
  if (tc_input_count >= 0 && signature.size() > static_cast<std::size_t>(tc_input_count))
    signature.resize(static_cast<std::size_t>(tc_input_count));
}

std::string join(const Signature& signature, std::string TensorSlot::*member) {
  std::string joined;
  for (std::size_t i = 0; i < signature.size(); ++i) {
    if (i > 0) joined += ';';
    joined += signature[i].*member;
  }
  return joined;
}

}  // namespace

std::string kernel_dtype(const std::string& kernel, const std::string& dtype) {
  if (dtype == "FLOAT" && (one_of(kernel, kFloatIsBf16Kernels) || one_of(kernel, kRopeKernels)))
    return "DT_BF16";
  return dtype;
}

std::string_view expected_format(const OpMapping& op, std::size_t input) {
  return input < op.expected_input_formats.size() ? std::string_view(op.expected_input_formats[input])
                                                  : std::string_view();
}

Signature call_signature(const Call& call) {
  if (call.signature != nullptr) return *call.signature;
  Signature signature;
  const std::size_t count = call.leaf.inputs.size();
  signature.reserve(count);
  const bool bias_is_first = call.leaf.op == "aten.addmm" || call.leaf.op.starts_with("aten.addmm.");
  for (std::size_t i = 0; i < count; ++i)
    append(signature, kernel_argument(call, i, bias_is_first), call.kernel);
  cut(signature, call.op.tc_input_count.value_or(kAbsentInteger));
  if (one_of(call.kernel, kRopeKernels)) rewrite_rope(signature);
  if (call.kernel == "SwiGlu") rewrite_swiglu(signature, call.row_input_counts);
  if (call.kernel == "ReshapeAndCacheNdKernel" || call.kernel == "reshape_and_cache_200000000")
    rewrite_cache_write(signature);
  return signature;
}

Signature row_signature(const Row& row, const ProjectionKey& key) {
  Signature signature;
  for (const TensorSlot& slot : row.inputs) {
    if (!slot.present || slot.shape.empty()) continue;
    if (key.tc_input_count >= 0 && signature.size() == static_cast<std::size_t>(key.tc_input_count)) break;
    signature.push_back(
        {true, logical_shape(slot.shape, slot.format), kernel_dtype(key.kernel, slot.dtype), slot.format});
  }
  return signature;
}

std::string joined_dtypes(const Signature& signature) {
  return join(signature, &TensorSlot::dtype);
}
std::string joined_formats(const Signature& signature) {
  return join(signature, &TensorSlot::format);
}

}  // namespace profdb
