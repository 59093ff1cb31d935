# run(COMMAND...): runs it, and ends the test with what it printed where it fails. Its output is in run_OUTPUT.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nended with ${result}\n${output}\n${errors}")
  endif()
  set(run_OUTPUT "${output}" PARENT_SCOPE)
endfunction()

# expect(TEXT PATTERN...): each pattern matches the text.
function(expect text)
  foreach(pattern ${ARGN})
    if(NOT "${text}" MATCHES "${pattern}")
      message(FATAL_ERROR "no match for \"${pattern}\" in\n${text}")
    endif()
  endforeach()
endfunction()
