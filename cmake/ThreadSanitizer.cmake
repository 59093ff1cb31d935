# Builds the tests of threads with ThreadSanitizer, in a build folder of their own, and runs them.
execute_process(
  COMMAND ${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR} -B ${WORK_DIR} -DCMAKE_BUILD_TYPE=Debug
          -DCMAKE_CXX_FLAGS_DEBUG=-g1 -DPROFDB_SANITIZE_THREAD=ON -DCMAKE_UNITY_BUILD=ON -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
  OUTPUT_QUIET RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "cannot configure ${WORK_DIR}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR} --target profdb_threads_tests -- --quiet
  RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "cannot build the tests of threads")
endif()
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env "TSAN_OPTIONS=halt_on_error=1 second_deadlock_stack=1" ${WORK_DIR}/tests/profdb_threads_tests
  RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the tests of threads fail under ThreadSanitizer")
endif()
