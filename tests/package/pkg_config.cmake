# Builds the same simulator with one compiler command and pkg-config.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
file(GLOB_RECURSE pc ${PREFIX}/*/profdb.pc)
get_filename_component(pc_dir "${pc}" DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${pc_dir})
run(pkg-config --cflags --libs profdb)
separate_arguments(flags UNIX_COMMAND "${run_OUTPUT}")
run(pkg-config --variable=libdir profdb)
string(STRIP "${run_OUTPUT}" libdir)
run(${CXX} -std=c++20 -O2 ${SOURCE_DIR}/examples/simulator/simulator.cpp -o ${WORK_DIR}/simulator ${flags} -pthread
    -Wl,-rpath,${libdir})
include(${CMAKE_CURRENT_LIST_DIR}/run_simulator.cmake)

# The C example, as its comment says to build it. MatMulV2.csv, K 4096, N 1024: 11.89 us at M 64, 12.53 at M 128; at
# M 100 linear between them: 12.25.
run(${CC} -std=c11 -pedantic -Wall -Wextra -Werror ${SOURCE_DIR}/examples/c/lookup_example.c ${flags}
    -o ${WORK_DIR}/lookup_example -Wl,-rpath,${libdir})
run(${WORK_DIR}/lookup_example ${SAMPLE}/sample.db)
expect("${run_OUTPUT}" "INTERPOLATED 12\\.250 us by linear_1d along M")
