// Shape, dtype and format lists of a kernel CSV row (formats §2) as tensor slots.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/leaf/tensor.h"

namespace profdb::importer {

// Why a list cannot be read: a reason in the words of the rejection table, and the offending text.
struct ListProblem {
  // shape_invalid, shape_not_recorded, or the list that falls short: shape_count_mismatch,
  // dtype_count_mismatch; format_count_mismatch where the formats are fewer or more
  std::string reason;
  std::string detail;  // e.g. "Input Shapes: slot 2: '1,x' is not a shape"
};

// Reads the three cells of one direction. `direction` ("Input" or "Output") is used in details only.
// - Extra quotes inside a cell are removed; blanks around items are ignored.
// - "()" is a scalar, an empty slot is an absent tensor (dtype DT_UNDEFINED, format NULL, or nothing; another
//   dtype is kept as it stands, the slot is absent all the same).
// - "N/A" in all three (or an empty shape cell with empty dtypes) is an empty list; "N/A" as the shapes of a
//   row with dtypes, or of a slot with a dtype, is reason "shape_not_recorded".
// - Trailing empty slots that the dtype list lacks are dropped; other lengths that differ are a mismatch.
//   A format list that is empty or N/A as a whole leaves the formats unstated.
// - A dimension is a decimal integer from 0 to 2^53; anything else ("1,,2", "1,x", "-3", a larger number) is
//   shape_invalid, as is a shape whose product passes 2^53.
std::variant<std::vector<TensorSlot>, ListProblem> parse_tensor_list(std::string_view direction,
                                                                     std::string_view shapes,
                                                                     std::string_view dtypes,
                                                                     std::string_view formats);

}  // namespace profdb::importer
