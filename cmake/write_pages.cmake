# Generates the man page and the shell completions: cmake -DTARL=... -DMAN=... -DBASH=... -DZSH=... -P
function(write_page file)
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=TARL_PLUGINS ${TARL} ${ARGN}
                  OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
write_page(${MAN} help --man)
write_page(${BASH} completion bash)
write_page(${ZSH} completion zsh)
