# The .cu files as C++, beside headers of the same names as CUDA's.
file(GLOB kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/tarl/fleet/cuda/*.cu)
set_source_files_properties(${kernel_sources} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS
  "-include;cuda_runtime.h;-Wno-unknown-pragmas;-Wno-unused-function;-Wno-conversion;-Wno-shadow")
file(GLOB emulated_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
add_executable(test_fleet_emulated ${kernel_sources} ${emulated_sources} fleet/gpu/one_update.cpp)
target_include_directories(test_fleet_emulated BEFORE PRIVATE ${CMAKE_CURRENT_LIST_DIR}
                           ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_options(test_fleet_emulated PRIVATE -mavx2 -mfma -mf16c -fno-strict-aliasing)
target_link_libraries(test_fleet_emulated PRIVATE tarl_fleet tarl_flags GTest::gtest_main)
gtest_discover_tests(test_fleet_emulated DISCOVERY_MODE PRE_TEST PROPERTIES LABELS unit TIMEOUT 600)
