# Runs clang-tidy over engine, importer, c and python (not yet over acceptance, report, client and cli). It cannot read GCC's precompiled headers, so it gets a build folder of
# its own, configured without them and never built.
execute_process(
  COMMAND ${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR} -B ${WORK_DIR} -DCMAKE_BUILD_TYPE=RelWithDebInfo
          -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DPROFDB_BUILD_TESTS=OFF
  OUTPUT_QUIET RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "cannot configure ${WORK_DIR}")
endif()
execute_process(
  COMMAND ${RUN_CLANG_TIDY} -quiet -j 2 -p ${WORK_DIR} -extra-arg=-Wno-unknown-warning-option
          "^${SOURCE_DIR}/((engine|importer|c|python/src)/[^/]*|engine/(analysis|cache|interpolation|paths|store)/[^/]*)\\.cpp$"
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${output}\n${errors}")
endif()
