// The Python module profdb._native: the engine as Python classes. The package profdb re-exports it.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profdb/engine.h"
#include "python/src/convert.h"
#include "python/src/open_engine.h"

namespace py = pybind11;

namespace profdb::python {
namespace {

// pybind11 holds objects that may be changed; what it is given here has no member that changes one.
using SharedResult = std::shared_ptr<Result>;
SharedResult shared(const ResultPtr& result) {
  return std::const_pointer_cast<Result>(result);
}

const char* kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::input:
      return "input";
    case ErrorKind::database:
      break;
  }
  return "database";
}

// The class lives as long as the interpreter.
PyObject* error_class = nullptr;

void bind_error(py::module_& module) {
  py::dict members;
  members["kind"] = "usage";
  error_class = PyErr_NewExceptionWithDoc(
      "profdb.Error",
      "What is wrong, where, and what to do. `kind`: \"usage\" (cannot be asked), \"input\" (a bad leaf; "
      "the\n"
      "message names the field), \"database\" (missing, foreign, damaged, locked or newer).",
      nullptr, members.ptr());
  if (error_class == nullptr) throw py::error_already_set();
  module.add_object("Error", py::reinterpret_borrow<py::object>(error_class));
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(std::move(thrown));
    } catch (const Error& e) {
      const py::object error = py::reinterpret_borrow<py::object>(error_class)(e.what());
      error.attr("kind") = kind_name(e.kind());
      PyErr_SetObject(error_class, error.ptr());
    }
  });
}

// One choice of an option by its name.
template <typename Choice>
Choice choice(const std::string& option, const std::string& value,
              const std::vector<std::pair<const char*, Choice>>& choices) {
  std::string names;
  for (const auto& [name, meaning] : choices) {
    if (value == name) return meaning;
    names += names.empty() ? name : std::string(", ") + name;
  }
  throw Error(ErrorKind::usage, option + " is \"" + value + "\"; give one of " + names);
}

std::unique_ptr<OpenEngine> open(const std::filesystem::path& database, const py::object& release,
                                 std::optional<std::int64_t> ep_size, std::optional<std::int64_t> tp_size,
                                 bool interpolation, const std::string& padded_match, const std::string& log,
                                 const std::optional<std::filesystem::path>& log_db, std::size_t cache_bytes,
                                 int snapshot_ms, bool cache_results) {
  EngineOptions options;
  if (!release.is_none()) options.release = py::str(release);
  options.ep_size = ep_size;
  options.tp_size = tp_size;
  options.interpolation = interpolation;
  options.padded_match = choice<PaddedMatch>(
      "padded_match", padded_match,
      {{"last", PaddedMatch::last}, {"before", PaddedMatch::before}, {"off", PaddedMatch::off}});
  options.log = choice<LogMode>("log", log,
                                {{"off", LogMode::off}, {"misses", LogMode::misses}, {"all", LogMode::all}});
  if (log_db) options.log_db = log_db->string();
  options.cache_bytes = cache_bytes;
  options.snapshot_ms = snapshot_ms;
  options.cache_results = cache_results;
  const py::gil_scoped_release unlocked;
  return std::make_unique<OpenEngine>(database.string(), std::move(options));
}

SharedResult lookup_prepared(const OpenEngine& engine, const PreparedLeaf& leaf) {
  const py::gil_scoped_release unlocked;
  return shared(engine.lookup(leaf));
}

SharedResult lookup(const OpenEngine& engine, const py::object& leaf) {
  const LeafOp call = leaf_from_python(leaf);
  const py::gil_scoped_release unlocked;
  return shared(engine.lookup(call));
}

// All leaves prepared, so that a bad one is found before any lookup.
std::vector<PreparedLeaf> prepare_all(const py::iterable& leaves) {
  std::vector<PreparedLeaf> prepared;
  for (const py::handle leaf : leaves) {
    try {
      if (py::isinstance<PreparedLeaf>(leaf))
        prepared.push_back(leaf.cast<const PreparedLeaf&>());
      else
        prepared.emplace_back(leaf_from_python(leaf));
    } catch (const Error& e) {
      throw Error(e.kind(), "leaf " + std::to_string(prepared.size()) + ": " + e.what());
    }
  }
  return prepared;
}

std::vector<SharedResult> lookup_many(const OpenEngine& engine, const py::iterable& leaves) {
  const std::vector<PreparedLeaf> prepared = prepare_all(leaves);
  const py::gil_scoped_release unlocked;
  std::vector<SharedResult> results;
  results.reserve(prepared.size());
  for (const PreparedLeaf& leaf : prepared) results.push_back(shared(engine.lookup(leaf)));
  return results;
}

std::string representation(const Result& result) {
  const py::object latency = result.hit() ? py::object(py::float_(result.latency_us)) : py::none();
  return py::str("<profdb.Result {} {}>")
      .format(to_string(result.source),
              result.hit() ? py::str("{} us").format(latency) : py::str(result.reason));
}

void bind_result(py::module_& module) {
  py::class_<Result, SharedResult>(module, "Result",
                                   "An answer: a latency with its evidence, or a miss with its reason.")
      .def_property_readonly("source", [](const Result& r) { return to_string(r.source); })
      .def_property_readonly("hit", &Result::hit)
      .def_property_readonly("reason", [](const Result& r) { return r.reason; })
      .def_property_readonly(
          "latency_us", [](const Result& r) { return r.hit() ? std::optional(r.latency_us) : std::nullopt; })
      .def_property_readonly(
          "confidence", [](const Result& r) { return r.hit() ? std::optional(r.confidence) : std::nullopt; })
      .def_property_readonly("kernel", [](const Result& r) { return r.kernel; })
      .def_property_readonly("path", [](const Result& r) { return r.path; })
      .def_property_readonly("method", [](const Result& r) { return r.method; })
      .def_property_readonly("dim", [](const Result& r) { return r.dim; })
      .def_property_readonly("axes", [](const Result& r) { return r.axes; })
      .def_property_readonly("match_rule", [](const Result& r) { return r.match_rule; })
      .def_property_readonly("release", [](const Result& r) { return r.release; })
      .def_property_readonly("details",
                             [](const Result& r) { return from_json_value(to_json(r).at("details")); })
      .def("to_dict", [](const Result& r) { return from_json_value(to_json(r)); })
      .def("__repr__", &representation);
}

void bind_leaf(py::module_& module) {
  py::class_<PreparedLeaf>(
      module, "PreparedLeaf",
      "An operator call that is checked and digested once, and asked many times. Immutable.")
      .def(py::init([](const py::object& leaf) { return PreparedLeaf(leaf_from_python(leaf)); }),
           py::arg("leaf"))
      .def_property_readonly("op", [](const PreparedLeaf& p) { return p.leaf().op; })
      .def("to_dict", [](const PreparedLeaf& p) { return from_json_value(to_json(p.leaf())); })
      .def(
          "__eq__", [](const PreparedLeaf& a, const PreparedLeaf& b) { return a.digest() == b.digest(); },
          py::is_operator())
      .def("__hash__", [](const PreparedLeaf& p) { return static_cast<Py_ssize_t>(p.digest().low >> 1U); })
      .def("__repr__", [](const PreparedLeaf& p) { return "<profdb.PreparedLeaf " + p.leaf().op + ">"; });
}

void bind_counters(py::module_& module) {
  py::class_<CacheStats>(module, "CacheStats", "Counters of one cache since the engine was opened.")
      .def_readonly("hits", &CacheStats::hits)
      .def_readonly("misses", &CacheStats::misses)
      .def_readonly("evictions", &CacheStats::evictions)
      .def_readonly("entries", &CacheStats::entries)
      .def_readonly("bytes", &CacheStats::bytes);
  py::class_<EngineStats>(module, "EngineStats", "Counters of an engine.")
      .def_readonly("results", &EngineStats::results)
      .def_readonly("regimes", &EngineStats::regimes)
      .def_readonly("candidates", &EngineStats::candidates)
      .def_readonly("triangulations", &EngineStats::triangulations)
      .def_readonly("cache_budget", &EngineStats::cache_budget)
      .def_readonly("invalidations", &EngineStats::invalidations)
      .def_readonly("snapshots", &EngineStats::snapshots);
  py::class_<LogStats>(module, "LogStats", "Counters of the query log of one engine.")
      .def_readonly("logged", &LogStats::logged)
      .def_readonly("dropped", &LogStats::dropped)
      .def_readonly("last_error", &LogStats::last_error);
  py::class_<WarmReport>(module, "WarmReport", "What warm() brought into the caches.")
      .def_readonly("operators", &WarmReport::operators)
      .def_readonly("regimes", &WarmReport::regimes)
      .def_readonly("candidates", &WarmReport::candidates)
      .def_readonly("triangulations", &WarmReport::triangulations);
}

void bind_release(py::module_& module) {
  py::class_<ReleaseInfo>(module, "ReleaseInfo", "One release in a database.")
      .def_readonly("release_id", &ReleaseInfo::release_id)
      .def_readonly("device", &ReleaseInfo::device)
      .def_readonly("framework", &ReleaseInfo::framework)
      .def_readonly("framework_version", &ReleaseInfo::framework_version)
      .def_readonly("torch_version", &ReleaseInfo::torch_version)
      .def_readonly("cann_version", &ReleaseInfo::cann_version)
      .def_readonly("imported_at", &ReleaseInfo::imported_at)
      .def_readonly("content_digest", &ReleaseInfo::content_digest)
      .def_readonly("synthetic", &ReleaseInfo::synthetic)
      .def_readonly("file_count", &ReleaseInfo::file_count)
      .def_readonly("row_count", &ReleaseInfo::row_count)
      .def_readonly("taken_rows", &ReleaseInfo::taken_rows)
      .def_readonly("unusable_rows", &ReleaseInfo::unusable_rows)
      .def_readonly("rejected_rows", &ReleaseInfo::rejected_rows)
      .def_readonly("operator_count", &ReleaseInfo::operator_count);
  module.def(
      "list_releases",
      [](const std::filesystem::path& database) {
        const py::gil_scoped_release unlocked;
        return list_releases(database.string());
      },
      py::arg("database"), "All releases in a database, by release_id.");
}

void bind_engine(py::module_& module) {
  using Unlocked = py::call_guard<py::gil_scoped_release>;
  const EngineOptions defaults;
  py::class_<OpenEngine>(
      module, "Engine",
      "Opens a database and answers for one release. One engine, many threads: every method may\n"
      "be called from any thread at the same time, and lookups run without the interpreter lock.")
      .def(py::init(&open), py::arg("database"), py::kw_only(), py::arg("release") = py::none(),
           py::arg("ep_size") = py::none(), py::arg("tp_size") = py::none(),
           py::arg("interpolation") = defaults.interpolation, py::arg("padded_match") = "last",
           py::arg("log") = "off", py::arg("log_db") = py::none(),
           py::arg("cache_bytes") = defaults.cache_bytes, py::arg("snapshot_ms") = defaults.snapshot_ms,
           py::arg("cache_results") = defaults.cache_results)
      .def("lookup", &lookup_prepared, py::arg("leaf"))
      .def("lookup", &lookup, py::arg("leaf"), "Answers one call: a PreparedLeaf, a dict or JSON text.")
      .def("lookup_many", &lookup_many, py::arg("leaves"),
           "Answers calls in order; a bad one fails them all.")
      .def(
          "warm",
          [](OpenEngine& engine, const std::vector<std::string>& ops) { return engine.warm({}, ops); },
          py::arg("ops") = std::vector<std::string>(), Unlocked(),
          "Loads what lookups of these operators will need; none named: of all.")
      .def("stats", [](const OpenEngine& engine) { return engine.stats(); })
      .def("log_stats", [](const OpenEngine& engine) { return engine.log_stats(); })
      .def(
          "flush_log", [](OpenEngine& engine) { engine.flush_log(); }, Unlocked(),
          "Waits until the log entries so far are in the file.")
      .def_property_readonly(
          "release", [](const OpenEngine& engine) { return engine.release(); },
          "The release that the engine answers for, as it is now.");
}

}  // namespace
}  // namespace profdb::python

PYBIND11_MODULE(_native, module) {
  using namespace profdb::python;
  bind_error(module);
  bind_result(module);
  bind_leaf(module);
  bind_counters(module);
  bind_release(module);
  bind_engine(module);
  module.def(
      "version", [] { return profdb::version(); }, "The library's version.");
  py::module_::import("atexit").attr("register")(py::cpp_function([] {
    const py::gil_scoped_release unlocked;
    OpenEngine::flush_all();
  }));
}
