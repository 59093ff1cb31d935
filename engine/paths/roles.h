// Finding a call's arguments by role, or by the operator's signature order where no role is given (formats
// §4).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/lookup/path.h"

namespace profdb {

// The argument that carries `role`; else the one at `position`, unless that carries another role. nullptr
// where there is none, or where it is an absent optional argument.
const Argument* argument_of(const LeafOp& leaf, std::string_view role, std::size_t position);

// The same, for an argument that is one tensor.
const Tensor* tensor_of(const LeafOp& leaf, std::string_view role, std::size_t position);

// A tensor of a call as a slot: logical shape, profiler dtype, `format_if_omitted` where it states none.
TensorSlot call_slot(const Tensor& tensor, std::string_view format_if_omitted = "ND",
                     bool float16_is_bf16 = true);

// Slot `index` of a row's tensors as a slot with a logical shape; nothing where the row lacks it.
std::optional<TensorSlot> row_slot(const std::vector<TensorSlot>& slots, std::size_t index);

// The finite number that a cell holds; nothing for anything else.
std::optional<double> cell_number(std::string_view cell);
// The whole number from 0 to 2^53 that a cell holds (12, 12.0, 1e3); nothing for anything else.
std::optional<std::int64_t> cell_whole(std::string_view cell);

// An attribute as text: strings as they are, numbers as written in JSON; empty where the call lacks it.
std::string attr_text(const LeafOp& leaf, std::string_view name);

// "a,b,c" from a comma or semicolon list, with or without brackets, or from a JSON list: lists compare as
// given.
std::string list_text(std::string_view cell);
std::string attr_list_text(const LeafOp& leaf, std::string_view name);

}  // namespace profdb
