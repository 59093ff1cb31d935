# Generates the synthetic sample releases and imports them into one database.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${SAMPLE})
file(MAKE_DIRECTORY ${SAMPLE})
run(${PYTHON} ${SOURCE_DIR}/examples/generate_release.py ${SAMPLE}/releases)
foreach(version 0.15.0 0.18.0)
  run(${PROFDB} import ${SAMPLE}/releases/${version} --db ${SAMPLE}/sample.db)
endforeach()
