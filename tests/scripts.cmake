# Tests of the command line: each script takes the binary and says SKIP aloud where it must.
function(tarl_script_test name)
  cmake_parse_arguments(ARG "SERIAL" "LABEL;TIMEOUT" "" ${ARGN})
  add_test(NAME cli_${name} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/cli/${name}.sh $<TARGET_FILE:tarl>)
  math(EXPR timeout "${ARG_TIMEOUT} * ${TARL_PATIENCE}")
  set_tests_properties(cli_${name} PROPERTIES LABELS "cli;${ARG_LABEL}" SKIP_RETURN_CODE 77
                                              TIMEOUT ${timeout} RUN_SERIAL ${ARG_SERIAL}
                                              COST ${ARG_TIMEOUT})  # the long ones first
endfunction()

tarl_script_test(same_bits TIMEOUT 600)
tarl_script_test(threads TIMEOUT 600)
tarl_script_test(kill_resume TIMEOUT 600)
tarl_script_test(atari TIMEOUT 600)
tarl_script_test(signals TIMEOUT 300 SERIAL)
tarl_script_test(bad_input TIMEOUT 300)
tarl_script_test(nonfinite TIMEOUT 300)
tarl_script_test(readers TIMEOUT 300)
tarl_script_test(install TIMEOUT 600)
tarl_script_test(study_kill TIMEOUT 900 SERIAL)
tarl_script_test(study_serve TIMEOUT 600)
tarl_script_test(study_slurm TIMEOUT 1200)
tarl_script_test(report_browser TIMEOUT 600)
tarl_script_test(control_bits TIMEOUT 600)
tarl_script_test(control_kill TIMEOUT 900)
