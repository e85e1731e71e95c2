# The Arcade Learning Environment: scripts/deps/ale.sh builds the static library and fetches the ROMs.
set(TARL_ALE_DIR ${TARL_DEPS}/ale)
find_package(ZLIB QUIET)
if(TARL_ALE STREQUAL OFF)
elseif(EXISTS ${TARL_ALE_DIR}/lib/libale.a AND ZLIB_FOUND)
  set(TARL_HAVE_ALE true)
else()
  tarl_part_missing(ALE "scripts/deps/ale.sh brings it; needs zlib1g-dev")
endif()

function(tarl_link_ALE)
  set(dir ${PROJECT_SOURCE_DIR}/src/tarl/envs/atari/ale)
  file(GLOB sources CONFIGURE_DEPENDS ${dir}/*.cpp)
  target_sources(tarl_envs PRIVATE ${sources})
  # Programs look for the ROMs in share/tarl next to themselves, in the build tree as well as when installed.
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/tarl)
  file(CREATE_LINK ${TARL_ALE_DIR}/roms ${PROJECT_BINARY_DIR}/share/tarl/roms SYMBOLIC)
  option(TARL_INSTALL_ROMS "Install Atari's ROMs beside the program; OFF for packages" ON)
  if(TARL_INSTALL_ROMS)
    install(DIRECTORY ${TARL_ALE_DIR}/roms DESTINATION ${CMAKE_INSTALL_DATADIR}/tarl)
  endif()
  target_include_directories(tarl_envs SYSTEM PRIVATE ${TARL_ALE_DIR}/include)
  set(installed libtarl_ale.a)
  target_link_libraries(tarl_envs PRIVATE $<BUILD_INTERFACE:${TARL_ALE_DIR}/lib/libale.a>
                        $<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/${installed}>
                        ZLIB::ZLIB)
  install(FILES ${TARL_ALE_DIR}/lib/libale.a DESTINATION ${CMAKE_INSTALL_LIBDIR}
          RENAME ${installed})
  add_executable(bench_atari_env EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/atari_env.cpp)
  target_link_libraries(bench_atari_env PRIVATE tarl_envs tarl_flags)
endfunction()
