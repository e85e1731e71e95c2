# cmake --install puts everything in its standard place: the program and its man pages, the libraries and headers
# (find_package(tarl)), presets and studies. The uninstall target removes what the last installation put there.
include(CMakePackageConfigHelpers)
set(share ${PROJECT_BINARY_DIR}/share)
set(man_page ${share}/man/man1/tarl.1)
set(bash_completion ${share}/bash-completion/completions/tarl)
set(zsh_completion ${share}/zsh/site-functions/_tarl)
add_custom_command(
  TARGET tarl POST_BUILD
  COMMAND ${CMAKE_COMMAND} -DTARL=$<TARGET_FILE:tarl> -DMAN=${man_page} -DBASH=${bash_completion}
          -DZSH=${zsh_completion} -P ${CMAKE_CURRENT_LIST_DIR}/write_pages.cmake
  VERBATIM)

install(TARGETS tarl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${bash_completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${zsh_completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES LICENSE NOTICE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY presets studies DESTINATION ${CMAKE_INSTALL_DATADIR}/tarl)

install(TARGETS ${TARL_ROOMS} tarl_plugin EXPORT tarlTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT tarlTargets NAMESPACE tarl:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tarl)
install(DIRECTORY src/tarl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/generated/tarl/core/build_config.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tarl/core)
configure_file(${CMAKE_CURRENT_LIST_DIR}/tarlConfig.cmake.in ${PROJECT_BINARY_DIR}/tarlConfig.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tarlConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tarlConfig.cmake ${PROJECT_BINARY_DIR}/tarlConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tarl)

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
                                    -P ${CMAKE_CURRENT_LIST_DIR}/uninstall.cmake VERBATIM)
