# Fails where a source file is not as .clang-format wants it.
foreach(room base engine importer analysis report serving cli c python bench examples tests)
  file(GLOB_RECURSE found ${SOURCE_DIR}/${room}/*.h ${SOURCE_DIR}/${room}/*.cpp ${SOURCE_DIR}/${room}/*.c)
  list(APPEND files ${found})
endforeach()
execute_process(COMMAND clang-format --dry-run -Werror ${files} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "run clang-format -i on the files named above")
endif()
