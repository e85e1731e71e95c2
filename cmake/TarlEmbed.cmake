# Compiles the files under a folder into the program, so that the binary needs no data files.
function(tarl_embed folder header array)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*)
  list(SORT files)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(rows "")
  foreach(path ${files})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/${folder} ${path})
    string(REGEX REPLACE "\\.toml$" "" name "${name}")
    file(READ ${path} content)
    string(APPEND rows "    {\"${name}\", R\"file(${content})file\"},\n")
  endforeach()
  list(LENGTH files count)
  file(WRITE ${PROJECT_BINARY_DIR}/generated/${header}.new
"// Written by CMake from ${folder}/.
#pragma once

#include <array>

#include \"tarl/core/embedded_file.h\"

namespace tarl {

inline constexpr std::array<EmbeddedFile, ${count}> ${array} = {{
${rows}}};

}  // namespace tarl
")
  execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different
                  ${PROJECT_BINARY_DIR}/generated/${header}.new ${PROJECT_BINARY_DIR}/generated/${header})
endfunction()

tarl_embed(presets tarl/train/preset_files.h kPresetFiles)
tarl_embed(studies tarl/study/study_files.h kStudyFiles)
tarl_embed(src/tarl/report/page/assets tarl/report/page/assets.h kPageAssets)
tarl_embed(src/tarl/serve/assets tarl/serve/assets.h kLiveAssets)
