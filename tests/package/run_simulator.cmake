# Runs WORK_DIR/simulator. Of the 46 sample calls the first 36 are hits (examples/README.md); each is asked 100 times by
# each of four threads. Two of the misses have the reason regime_mismatch.
run(${WORK_DIR}/simulator ${SAMPLE}/sample.db ${SOURCE_DIR}/examples/leaf_ops.jsonl SYNTHETIC_NPU/synthetic/0.18.0 16 4 4600)
expect("${run_OUTPUT}" "4 threads, 18400 lookups of 46 calls" "SYNTHETIC data")
set(hits 0)
string(REGEX MATCHALL "(MEASURED|INTERPOLATED|COMPATIBLE) +[0-9]+" answers "${run_OUTPUT}")
foreach(answer ${answers})
  string(REGEX REPLACE "[A-Z]+ +" "" number "${answer}")
  math(EXPR hits "${hits} + ${number}")
endforeach()
if(NOT hits EQUAL 14400)
  message(FATAL_ERROR "36 of 46 calls are hits, so 14400 of 18400; found ${hits}:\n${run_OUTPUT}")
endif()
