# Flags of all our targets. No contraction: a*b+c is fused only where the code says so, which keeps results equal on
# every instruction set.
add_library(tarl_flags INTERFACE)
target_compile_features(tarl_flags INTERFACE cxx_std_20)
target_compile_options(
  tarl_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       -Wno-sign-conversion -Wno-missing-field-initializers -ffp-contract=off
                       # false alarms of g++ 12 about std::string and std::vector
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-stringop-overflow -Wno-array-bounds>>)
if(TARL_WERROR)
  target_compile_options(tarl_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(TARL_SANITIZE)
  add_compile_options(-fsanitize=${TARL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TARL_SANITIZE})
endif()
find_package(Threads REQUIRED)

set(TARL_ROOMS "")

# tarl_room(name DEPENDS rooms...) builds tarl_<name> from src/tarl/<name>; tarl_link_parts adds the optional parts in
# the sub-folders named in TARL_OPTIONAL_DIRS if they were found.
set(TARL_OPTIONAL_DIRS "/envs/(mujoco|box2d|atari/ale)/|/fleet/without_cuda/|/cli/main/")
function(tarl_room name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/tarl/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "${TARL_OPTIONAL_DIRS}")
  set(depends ${ARG_DEPENDS})
  list(TRANSFORM depends PREPEND tarl_)
  if(sources)
    add_library(tarl_${name} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(tarl_${name} PRIVATE $<BUILD_INTERFACE:tarl_flags>)
  else()
    add_library(tarl_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(
    tarl_${name} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                 $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
                 $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # Sanitized builds compile twice as fast without optimisation; only the rooms that compute need it.
  set(first_with_headers core)
  if(TARL_SANITIZE AND name MATCHES "^(core|nn|envs|replay|agents|statistics|store|train)$")
    target_compile_options(tarl_${name} PRIVATE -O1)
  elseif(TARL_SANITIZE)
    set(first_with_headers deploy)
  endif()
  # Headers that every file includes are precompiled once for all rooms with the same flags; kernels have their own
  # flags.
  if(sources AND name STREQUAL first_with_headers)
    target_precompile_headers(
      tarl_${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/cmake/common_headers.h>)
  elseif(sources AND NOT name STREQUAL nn)
    target_precompile_headers(tarl_${name} REUSE_FROM tarl_${first_with_headers})
  endif()
  # Files that read and write formats instantiate the same templates: compiling a few of them at a time takes half the
  # time. Names in unnamed namespaces are unique in these rooms.
  if(TARL_UNITY AND name MATCHES "^(core|store|train|study|report)$")
    set_target_properties(tarl_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
  set_target_properties(tarl_${name} PROPERTIES EXPORT_NAME ${name})
  add_library(tarl::${name} ALIAS tarl_${name})
  target_compile_features(tarl_${name} ${scope} cxx_std_20)
  target_link_libraries(tarl_${name} ${scope} ${depends} Threads::Threads)
  set(TARL_ROOMS ${TARL_ROOMS} tarl_${name} PARENT_SCOPE)
endfunction()

# One room for every line "name: rooms it may include" of a file.
function(tarl_rooms table)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} lines REGEX "^[a-z]")
  foreach(line ${lines})
    string(REGEX MATCHALL "[a-z]+" words ${line})
    list(POP_FRONT words name)
    tarl_room(${name} DEPENDS ${words})
  endforeach()
  set(TARL_ROOMS ${TARL_ROOMS} PARENT_SCOPE)
endfunction()

# The vector kernels are compiled once per instruction set and chosen at run time.
function(tarl_kernel_flags)
  set(dir ${PROJECT_SOURCE_DIR}/src/tarl/nn/kernels)
  set_source_files_properties(${dir}/avx512_high.cpp ${dir}/avx512_low.cpp PROPERTIES COMPILE_OPTIONS
    "-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mfma;-mprefer-vector-width=512")
  set_source_files_properties(${dir}/avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma")
endfunction()

# What a plugin is built with: headers only. Its symbols come from the program that loads it, which therefore exports
# every room completely.
add_library(tarl_plugin INTERFACE)
add_library(tarl::plugin ALIAS tarl_plugin)
set_target_properties(tarl_plugin PROPERTIES EXPORT_NAME plugin)
target_compile_features(tarl_plugin INTERFACE cxx_std_20)
target_include_directories(
  tarl_plugin INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                        $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
                        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

function(tarl_takes_plugins program)
  set(rooms "")
  foreach(room ${TARL_ROOMS})
    get_target_property(type ${room} TYPE)
    if(type STREQUAL STATIC_LIBRARY)
      list(APPEND rooms ${room})
    endif()
  endforeach()
  list(JOIN rooms "," rooms)
  set_target_properties(${program} PROPERTIES ENABLE_EXPORTS ON
                                              LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,${rooms}")
endfunction()

# All rooms as one shared library, for a wheel, whose program and extension module would otherwise each contain them. It
# is found next to the module, as MuJoCo is.
function(tarl_shared_rooms name)
  set(nothing ${PROJECT_BINARY_DIR}/generated/${name}.cpp)
  file(CONFIGURE OUTPUT ${nothing} CONTENT "")
  add_library(${name} SHARED ${nothing})
  target_link_libraries(${name} PRIVATE tarl_cli INTERFACE tarl_plugin)
  target_link_options(${name} PRIVATE -Wl,-Bsymbolic-functions)
  tarl_takes_plugins(${name})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME tarl INSTALL_RPATH "$ORIGIN")
endfunction()
