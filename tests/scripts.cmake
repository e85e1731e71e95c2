# Tests of the command line: each script takes the binary and says SKIP aloud where it must. COST is
# about its seconds on a quiet machine, for the long ones to come first; the timeout is for one that
# hangs.
math(EXPR TARL_SCRIPT_TIMEOUT "1200 * ${TARL_PATIENCE}")
function(tarl_script_test name cost)
  add_test(NAME cli_${name} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/cli/${name}.sh $<TARGET_FILE:tarl>)
  set_tests_properties(cli_${name} PROPERTIES LABELS cli SKIP_RETURN_CODE 77 COST ${cost}
                                              TIMEOUT ${TARL_SCRIPT_TIMEOUT})
endfunction()

tarl_script_test(same_bits 10)
tarl_script_test(threads 6)
tarl_script_test(kill_resume 5)
tarl_script_test(atari 25)
tarl_script_test(signals 2)
tarl_script_test(bad_input 1)
tarl_script_test(bad_settings 2)
tarl_script_test(nonfinite 1)
tarl_script_test(readers 3)
tarl_script_test(install 5)
tarl_script_test(study_kill 8)
tarl_script_test(study_serve 8)
tarl_script_test(study_slurm 60)
tarl_script_test(report_browser 40)
tarl_script_test(control_bits 5)
tarl_script_test(control_kill 2)
tarl_script_test(report_axes 5)
tarl_script_test(hostile_folder 3)
tarl_script_test(hangup 3)
