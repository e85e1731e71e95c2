# Optional parts: simulators and CUDA. Each is used if it is found; a message states which are missing.
foreach(part MUJOCO BOX2D ALE CUDA)
  set(TARL_HAVE_${part} false)
endforeach()

function(tarl_part_missing part hint)
  if(TARL_${part} STREQUAL ON)
    message(FATAL_ERROR "TARL_${part}=ON but it was not found: ${hint}")
  elseif(NOT TARL_${part} STREQUAL OFF)
    message(STATUS "tarl: without ${part} (${hint})")
  endif()
endfunction()

file(GLOB part_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/parts/*.cmake)
foreach(part_file ${part_files})
  include(${part_file})
endforeach()

execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} rev-parse --short=12 HEAD
                OUTPUT_VARIABLE TARL_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT TARL_COMMIT)
  set(TARL_COMMIT unknown)
endif()
string(TOUPPER ${CMAKE_BUILD_TYPE} build_type_upper)
set(TARL_BUILD_FLAGS "${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type_upper}} ${TARL_SANITIZE}")
string(STRIP "${TARL_BUILD_FLAGS}" TARL_BUILD_FLAGS)
configure_file(${CMAKE_CURRENT_LIST_DIR}/build_config.h.in
               ${PROJECT_BINARY_DIR}/generated/tarl/core/build_config.h)

# Adds the sources and libraries of every part that was found to its room.
function(tarl_link_parts)
  foreach(part MUJOCO BOX2D ALE CUDA)
    if(TARL_HAVE_${part})
      cmake_language(CALL tarl_link_${part})
    endif()
  endforeach()
endfunction()
