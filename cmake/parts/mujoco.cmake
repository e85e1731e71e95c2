# MuJoCo: scripts/deps/mujoco.sh installs the library, its headers and the model files here.
set(TARL_MUJOCO_DIR ${TARL_DEPS}/mujoco)
file(GLOB TARL_MUJOCO_LIBRARY ${TARL_MUJOCO_DIR}/lib/libmujoco.so.*)
if(TARL_MUJOCO STREQUAL OFF)
elseif(TARL_MUJOCO_LIBRARY AND EXISTS ${TARL_MUJOCO_DIR}/models/hopper.xml)
  set(TARL_HAVE_MUJOCO true)
  # The installed binary finds the library installed next to it.
  list(APPEND CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
else()
  tarl_part_missing(MUJOCO "scripts/deps/mujoco.sh brings it")
endif()

# Embeds the model files in one source, so that a binary needs no data files.
function(tarl_embed_mujoco_models output)
  set(models "")
  foreach(name ant half_cheetah hopper humanoid humanoidstandup inverted_double_pendulum
               inverted_pendulum pusher_v5 reacher swimmer walker2d walker2d_v5)
    set(file ${TARL_MUJOCO_DIR}/models/${name}.xml)
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} xml)
    string(APPEND models "    {\"${name}\", R\"xml(${xml})xml\"},\n")
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/src/tarl/envs/mujoco/models.cpp.in ${output} @ONLY)
endfunction()

function(tarl_link_MUJOCO)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/tarl/envs/mujoco/*.cpp)
  set(models ${PROJECT_BINARY_DIR}/generated/mujoco_models.cpp)
  tarl_embed_mujoco_models(${models})
  target_sources(tarl_envs PRIVATE ${sources} ${models})
  target_include_directories(tarl_envs SYSTEM PRIVATE ${TARL_MUJOCO_DIR}/include)
  get_filename_component(name ${TARL_MUJOCO_LIBRARY} NAME)
  target_link_libraries(tarl_envs PRIVATE $<BUILD_INTERFACE:${TARL_MUJOCO_LIBRARY}>
                        $<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/${name}>)
  install(FILES ${TARL_MUJOCO_LIBRARY} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()
