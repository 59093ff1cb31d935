// Conversions between Python objects and JSON values.
#include "python/src/convert.h"

#include <cstdint>
#include <string>

#include "profdb/error.h"

namespace py = pybind11;

namespace profdb::python {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorKind::input, "leaf: " + what);
}

std::string type_name(py::handle value) {
  return py::str(py::type::of(value).attr("__name__"));
}

json integer(py::handle value) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow == 0) return number;
  if (overflow > 0) {
    const unsigned long long large = PyLong_AsUnsignedLongLong(value.ptr());
    if (PyErr_Occurred() == nullptr) return large;
    PyErr_Clear();
  }
  fail("an integer does not fit into 64 bits");
}

json object(const py::dict& members, int level);

// Deeper than any leaf may be: the leaf's own check then names the place.
constexpr int kMaxLevel = 100;

json value_of(py::handle value, int level) {
  if (level > kMaxLevel) fail("nested too deep");
  if (value.is_none()) return nullptr;
  if (PyBool_Check(value.ptr())) return value.ptr() == Py_True;
  if (PyLong_Check(value.ptr())) return integer(value);
  if (PyFloat_Check(value.ptr())) return PyFloat_AS_DOUBLE(value.ptr());
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (py::isinstance<py::dict>(value)) return object(py::reinterpret_borrow<py::dict>(value), level);
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
    json list = json::array();
    for (const py::handle item : value) list.push_back(value_of(item, level + 1));
    return list;
  }
  if (PyIndex_Check(value.ptr()) != 0) {  // an integer of another library
    const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    if (number) return integer(number);
    PyErr_Clear();
  }
  fail("a value of type " + type_name(value) + "; give dicts, lists, strings, numbers, booleans or None");
}

json object(const py::dict& members, int level) {
  json result = json::object();
  for (const auto& [key, member] : members) {
    if (!py::isinstance<py::str>(key)) fail("a key of type " + type_name(key) + "; keys are strings");
    result[key.cast<std::string>()] = value_of(member, level + 1);
  }
  return result;
}

py::object list_of(const ordered_json& value) {
  py::list list(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) list[i] = from_json_value(value[i]);
  return list;
}

py::object dict_of(const ordered_json& value) {
  py::dict dict;
  for (const auto& [key, member] : value.items()) dict[py::str(key)] = from_json_value(member);
  return dict;
}

}  // namespace

json to_json_value(py::handle value) {
  return value_of(value, 0);
}

py::object from_json_value(const ordered_json& value) {
  switch (value.type()) {
    case ordered_json::value_t::object:
      return dict_of(value);
    case ordered_json::value_t::array:
      return list_of(value);
    case ordered_json::value_t::string:
      return py::str(value.get_ref<const std::string&>());
    case ordered_json::value_t::boolean:
      return py::bool_(value.get<bool>());
    case ordered_json::value_t::number_integer:
      return py::int_(value.get<std::int64_t>());
    case ordered_json::value_t::number_unsigned:
      return py::int_(value.get<std::uint64_t>());
    case ordered_json::value_t::number_float:
      return py::float_(value.get<double>());
    case ordered_json::value_t::null:
    case ordered_json::value_t::binary:
    case ordered_json::value_t::discarded:
      break;
  }
  return py::none();
}

LeafOp leaf_from_python(py::handle leaf) {
  if (py::isinstance<py::str>(leaf)) return parse_leaf_op(leaf.cast<std::string>());
  if (!py::isinstance<py::dict>(leaf))
    fail("a leaf is a dict, JSON text or a PreparedLeaf, not " + type_name(leaf));
  return leaf_op_from_json(to_json_value(leaf));
}

}  // namespace profdb::python
