# Fails where a source file is not as .clang-format wants it.
file(GLOB_RECURSE files ${SOURCE_DIR}/engine/*.h ${SOURCE_DIR}/engine/*.cpp ${SOURCE_DIR}/importer/*.h
  ${SOURCE_DIR}/importer/*.cpp ${SOURCE_DIR}/client/*.h ${SOURCE_DIR}/client/*.cpp
  ${SOURCE_DIR}/cli/*.h ${SOURCE_DIR}/cli/*.cpp ${SOURCE_DIR}/tests/*.h
  ${SOURCE_DIR}/tests/*.cpp ${SOURCE_DIR}/tests/*.c ${SOURCE_DIR}/bench/*.h ${SOURCE_DIR}/bench/*.cpp
  ${SOURCE_DIR}/c/*.h ${SOURCE_DIR}/c/*.cpp ${SOURCE_DIR}/python/src/*.h
  ${SOURCE_DIR}/python/src/*.cpp ${SOURCE_DIR}/examples/*.cpp)
execute_process(COMMAND clang-format --dry-run -Werror ${files} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "run clang-format -i on the files named above")
endif()
