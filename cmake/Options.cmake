# Warnings, sanitizers and coverage for our own targets: profdb_target(NAME). Warnings are errors in the presets
# (CMAKE_COMPILE_WARNING_AS_ERROR), not for whoever builds without them.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # The cache stays inside the build folder, so that a clone leaves nothing elsewhere; CCACHE_DIR names a shared one.
  set(_cache ${CMAKE_BINARY_DIR}/ccache)
  if(DEFINED ENV{CCACHE_DIR})
    set(_cache $ENV{CCACHE_DIR})
  endif()
  set(_launcher ${CMAKE_COMMAND} -E env CCACHE_DIR=${_cache}
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${_launcher})
endif()

# Backtraces with lines, but no variables: half of the time and space that full debug information takes.
string(REGEX REPLACE "-g( |$)" "-g1\\1" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")

add_library(profdb_options INTERFACE)
target_compile_options(profdb_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Wcast-align -Woverloaded-virtual $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond>
  # GCC 12 reports overlapping copies inside its own std::string operator+ (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # At -O3 it reports writes beyond the end there as well, of half the address space; whether it does depends on what is
  # inlined where. At -O2, with which the presets build, both warnings stay.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-stringop-overflow>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-array-bounds>
  # Half a gigabyte before GCC collects its garbage for the first time: 7 % less time.
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>
  # The same arithmetic on every machine: no fused multiply-add, which decides ties in geometry otherwise.
  -ffp-contract=off)
if(PROFDB_SANITIZE)
  target_compile_options(profdb_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(profdb_options INTERFACE -fsanitize=address,undefined)
  # With the sanitizers' extra branches GCC 12 reports uninitialized reads inside its own headers.
  target_compile_options(profdb_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
if(PROFDB_SANITIZE_THREAD)
  target_compile_options(profdb_options INTERFACE -fsanitize=thread $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  target_link_options(profdb_options INTERFACE -fsanitize=thread)
endif()
if(PROFDB_COVERAGE)
  target_compile_options(profdb_options INTERFACE --coverage)
  target_link_options(profdb_options INTERFACE --coverage)
endif()

# Gives a target of ours the project's flags; LIBS are its dependencies.
function(profdb_target name)
  target_link_libraries(${name} PRIVATE profdb_options)
endfunction()
