# cmake --install puts the libraries, headers, binary and presets where find_package(tarl) finds them.
include(CMakePackageConfigHelpers)
install(TARGETS tarl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
set(public_rooms ${TARL_ROOMS})
list(REMOVE_ITEM public_rooms tarl_cli)
install(TARGETS ${public_rooms} EXPORT tarlTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT tarlTargets NAMESPACE tarl:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tarl)
install(DIRECTORY src/tarl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/generated/tarl/core/build_config.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tarl/core)
install(DIRECTORY presets DESTINATION ${CMAKE_INSTALL_DATADIR}/tarl)
configure_file(${CMAKE_CURRENT_LIST_DIR}/tarlConfig.cmake.in ${PROJECT_BINARY_DIR}/tarlConfig.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tarlConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tarlConfig.cmake ${PROJECT_BINARY_DIR}/tarlConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tarl)
