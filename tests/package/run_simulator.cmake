# Runs WORK_DIR/simulator. Of the 46 sample calls the first 36 are hits (examples/README.md); each is asked
# 10,000 times by each of four threads.
run(${WORK_DIR}/simulator ${SAMPLE}/sample.db ${SOURCE_DIR}/examples/leaf_ops.jsonl SYNTHETIC_NPU/synthetic/0.18.0 16 4 460000)
expect("${run_OUTPUT}" "4 threads, 1840000 lookups of 46 calls" "SYNTHETIC data")
set(hits 0)
string(REGEX MATCHALL "(MEASURED|INTERPOLATED|COMPATIBLE) +[0-9]+" answers "${run_OUTPUT}")
foreach(answer ${answers})
  string(REGEX REPLACE "[A-Z]+ +" "" number "${answer}")
  math(EXPR hits "${hits} + ${number}")
endforeach()
if(NOT hits EQUAL 1440000)
  message(FATAL_ERROR "36 of 46 calls are hits, so 1440000 of 1840000; found ${hits}:\n${run_OUTPUT}")
endif()
