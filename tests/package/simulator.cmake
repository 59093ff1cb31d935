# Builds examples/simulator against the installed package and lets four threads ask the sample calls.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR}/examples/simulator -B ${WORK_DIR} -DCMAKE_PREFIX_PATH=${PREFIX}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Release -DSIMULATOR_SHARED=${SHARED})
run(${CMAKE_COMMAND} --build ${WORK_DIR})
include(${CMAKE_CURRENT_LIST_DIR}/run_simulator.cmake)
