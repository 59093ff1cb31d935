# Builds tests/c as C11 against the installed package and runs it on the sample database.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR}/tests/c -B ${WORK_DIR} -DCMAKE_PREFIX_PATH=${PREFIX}
    -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Debug -DC_SHARED=${SHARED})
run(${CMAKE_COMMAND} --build ${WORK_DIR})
run(${WORK_DIR}/c_test ${SAMPLE}/sample.db ${WORK_DIR}/log.db)
expect("${run_OUTPUT}" "[1-9][0-9]* checks passed")
