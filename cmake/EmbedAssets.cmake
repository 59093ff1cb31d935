# Writes OUT: a C++ file that holds each of NAMES (files below ROOT) as text, found by its name. HEADER declares the
# function asset() in NAMESPACE.
set(body "// Generated from files of text.\n#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\nstd::string_view asset(std::string_view name) {\n")
foreach(name IN LISTS NAMES)
  file(READ "${ROOT}/${name}" text)
  string(APPEND body "  if (name == \"${name}\") return R\"asset(${text})asset\";\n")
endforeach()
string(APPEND body "  return {};\n}\n\n}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUT}" "${body}")
