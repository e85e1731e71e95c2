# Compiles the .cu files as C++, with headers that stand in for CUDA's.
file(GLOB_RECURSE kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/tarl/fleet/*.cu)
file(GLOB emulated_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
set(machine_sources ${emulated_sources})
list(FILTER machine_sources INCLUDE REGEX "/(copies|fibers|machine|products|races|threads)\\.cpp$")
set(emulated_tests ${emulated_sources})
list(REMOVE_ITEM emulated_tests ${machine_sources})
add_library(fleet_emulated OBJECT ${kernel_sources} ${machine_sources})
target_link_libraries(fleet_emulated PRIVATE tarl_fleet tarl_flags)
add_executable(test_fleet_emulated ${emulated_tests} fleet/gpu/one_update.cpp ${fleet_references})
target_link_libraries(test_fleet_emulated PRIVATE fleet_emulated tarl_fleet tarl_flags GTest::gtest_main)
# tarl itself, as on a machine with such a GPU.
add_executable(tarl_emulated ${PROJECT_SOURCE_DIR}/src/tarl/cli/main/main.cpp)
target_link_libraries(tarl_emulated PRIVATE fleet_emulated tarl_cli tarl_flags)
foreach(target fleet_emulated test_fleet_emulated)
  target_include_directories(${target} BEFORE PRIVATE ${CMAKE_CURRENT_LIST_DIR}
                             ${CMAKE_CURRENT_SOURCE_DIR})
endforeach()
tarl_share_headers(test_fleet_emulated)
set(vectors "-O2;-mavx2;-mfma;-mf16c;-fno-strict-aliasing")
set_source_files_properties(${kernel_sources} ${CMAKE_CURRENT_LIST_DIR}/operations.cpp PROPERTIES
  LANGUAGE CXX SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS
  "${vectors};-include;cuda_runtime.h;-Wno-unknown-pragmas;-Wno-unused-function;-Wno-conversion;-Wno-shadow")
set_source_files_properties(
  ${CMAKE_CURRENT_LIST_DIR}/products.cpp ${CMAKE_CURRENT_LIST_DIR}/faults.cpp PROPERTIES
  SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "${vectors}")
gtest_discover_tests(test_fleet_emulated DISCOVERY_MODE PRE_TEST PROPERTIES LABELS unit TIMEOUT 600)

# The same with a race detector: a minute to build and one to run, for `make verify`.
option(TARL_RACES "Build the race detector of the fleet's kernels" OFF)
if(NOT TARL_RACES)
  return()
endif()
list(FILTER emulated_sources EXCLUDE REGEX "/(device_training|parity|scores|schedules|margins|moves|nonfinite|faults|operations)\\.cpp$")
add_library(fleet_watched OBJECT ${kernel_sources} fleet/emulated/watched/no_races.cpp)
add_executable(test_fleet_races ${emulated_sources})
foreach(target fleet_watched test_fleet_races)
  target_include_directories(${target} BEFORE PRIVATE ${CMAKE_CURRENT_LIST_DIR}
                             ${CMAKE_CURRENT_SOURCE_DIR})
endforeach()
target_compile_options(fleet_watched PRIVATE -O1 -g1 -fsanitize=thread)
target_link_libraries(fleet_watched PRIVATE tarl_fleet tarl_flags GTest::gtest)
target_link_libraries(test_fleet_races PRIVATE fleet_watched tarl_fleet tarl_flags GTest::gtest_main)
gtest_discover_tests(test_fleet_races DISCOVERY_MODE PRE_TEST PROPERTIES LABELS races TIMEOUT 1800)
