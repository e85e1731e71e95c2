# Box2D 2.3: scripts/deps/box2d.sh builds the static library and its headers here.
set(TARL_BOX2D_DIR ${TARL_DEPS}/box2d)
if(TARL_BOX2D STREQUAL OFF)
elseif(EXISTS ${TARL_BOX2D_DIR}/lib/libbox2d.a)
  set(TARL_HAVE_BOX2D true)
else()
  tarl_part_missing(BOX2D "scripts/deps/box2d.sh brings it")
endif()

function(tarl_link_BOX2D)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/tarl/envs/box2d/*.cpp)
  target_sources(tarl_envs PRIVATE ${sources})
  target_include_directories(tarl_envs SYSTEM PRIVATE ${TARL_BOX2D_DIR}/include)
  # Installed under a separate name, since the system's libbox2d may be another version.
  set(installed libtarl_box2d.a)
  target_link_libraries(tarl_envs PRIVATE $<BUILD_INTERFACE:${TARL_BOX2D_DIR}/lib/libbox2d.a>
                        $<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/${installed}>)
  install(FILES ${TARL_BOX2D_DIR}/lib/libbox2d.a DESTINATION ${CMAKE_INSTALL_LIBDIR}
          RENAME ${installed})
endfunction()
