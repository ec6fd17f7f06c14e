# Libraries, headers, pkg-config files and the CMake package "navd" (targets navd::navdclient, navd::navcore).
set(NAVD_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/navd)
set(NAVD_INSTALLED navcore navproto)
file(RELATIVE_PATH NAVD_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
if(TARGET navdclient)
  list(APPEND NAVD_INSTALLED navdclient)
  set(NAVD_HAS_CLIENT ON)
  target_include_directories(navdclient INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/clients/c>
                                                  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(FILES clients/c/navd.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  configure_file(cmake/navdclient.pc.in navdclient.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/navdclient.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# Core's headers name each other from the root of the sources: "core/build.h".
target_include_directories(navcore INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/navd>)
install(DIRECTORY core DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/navd FILES_MATCHING PATTERN "*.h")
configure_file(cmake/navcore.pc.in navcore.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/navcore.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(TARGETS ${NAVD_INSTALLED} EXPORT navdTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT navdTargets NAMESPACE navd:: DESTINATION ${NAVD_PACKAGE_DIR})
configure_package_config_file(cmake/navdConfig.cmake.in navdConfig.cmake INSTALL_DESTINATION ${NAVD_PACKAGE_DIR})
write_basic_package_version_file(navdConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/navdConfig.cmake ${PROJECT_BINARY_DIR}/navdConfigVersion.cmake
        DESTINATION ${NAVD_PACKAGE_DIR})
