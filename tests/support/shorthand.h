// Leaf operators and CSV rows written in one line: tensors as "bfloat16[16,256] int8[256,512]:FRACTAL_NZ".
#pragma once

#include <string>
#include <vector>

namespace profdb::test {

// A leaf operator as JSON. `inputs` and `outputs` are tensors between blanks: dtype[shape] or
// dtype[shape]:format;
// "8*int8[2]" is a list of eight, "-" an absent argument, a word that starts with "{" JSON as it stands.
// `rest` is JSON members to add, e.g. R"("attrs": {"phase": "decode"})".
std::string leaf(const std::string& op, const std::string& inputs, const std::string& outputs = "",
                 const std::string& rest = "");

// A row under csv_header(): tensors as in leaf(), with profiler dtypes; a format that is left out is ND, "-"
// is an empty slot, "DT[]" a scalar. `rest` are the cells of the latency and further columns.
std::string measured(const std::string& inputs, const std::string& outputs,
                     const std::vector<std::string>& rest);

}  // namespace profdb::test
