# Runs clang-tidy over every room. It cannot read GCC's precompiled headers, so it gets a build folder of its own,
# configured without them and never built.
execute_process(
  COMMAND ${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR} -B ${WORK_DIR} -DCMAKE_BUILD_TYPE=RelWithDebInfo
          -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=30
          -DPROFDB_BUILD_TESTS=OFF
  OUTPUT_QUIET RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "cannot configure ${WORK_DIR}")
endif()
execute_process(
  COMMAND ${PYTHON} -B ${SOURCE_DIR}/cmake/run_clang_tidy.py ${SOURCE_DIR} ${WORK_DIR} ${CLANG_TIDY}
  RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "clang-tidy found something")
endif()
