# Writes OUT: a C++ file that holds each of NAMES (files below ROOT) as text, found by its name.
set(body "// Generated from the report's assets.\n#include \"engine/report/assets.h\"\n\nnamespace profdb::report {\n\nstd::string_view asset(std::string_view name) {\n")
foreach(name IN LISTS NAMES)
  file(READ "${ROOT}/${name}" text)
  string(APPEND body "  if (name == \"${name}\") return R\"asset(${text})asset\";\n")
endforeach()
string(APPEND body "  return {};\n}\n\n}  // namespace profdb::report\n")
file(WRITE "${OUT}" "${body}")
