# Writes OUT: a C++ file that holds each of FILES as text, in the order given.
set(body "// Generated from migrations/*.sql.\n#include \"engine/store/migrations.h\"\n\nnamespace profdb::store {\n\nconst std::vector<Migration>& migrations() {\n  static const std::vector<Migration> all = {\n")
foreach(file IN LISTS FILES)
  file(READ "${file}" text)
  get_filename_component(name "${file}" NAME)
  # One raw string literal holds at most 64 KiB in some compilers: stay well below it.
  string(APPEND body "      {\"${name}\", R\"migration(${text})migration\"},\n")
endforeach()
string(APPEND body "  };\n  return all;\n}\n\n}  // namespace profdb::store\n")
file(WRITE "${OUT}" "${body}")
