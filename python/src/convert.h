// Between Python objects and the engine's values.
#pragma once

#include <pybind11/pybind11.h>

#include <nlohmann/json.hpp>

#include "profdb/leaf_op.h"

namespace profdb::python {

// A Python value made of dicts, lists, tuples, strings, numbers, booleans and None as JSON. Throws
// Error(input) for anything else, for keys that are no strings and for integers over 64 bits.
nlohmann::json to_json_value(pybind11::handle value);

// JSON as dicts, lists, strings, numbers, booleans and None.
pybind11::object from_json_value(const nlohmann::ordered_json& value);

// A call from JSON text or from a dict of the same form. Throws Error(input) naming the field.
LeafOp leaf_from_python(pybind11::handle leaf);

}  // namespace profdb::python
