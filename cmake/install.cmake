# Libraries, public headers, pkg-config files and the CMake package "navd" (targets navd::navdclient, navd::navcore).
# All find each other by their places, so that the installation may be moved.
set(NAVD_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/navd)
set(NAVD_INSTALLED navcore)
file(RELATIVE_PATH NAVD_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)

function(navd_install_library name headers)
  target_include_directories(${name} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${headers}>
                                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(DIRECTORY ${headers}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

if(NOT WIN32) # where it is no more than what the client library needs
  navd_install_library(navcore core/include)
endif()
if(TARGET navdclient)
  # What its users need beside it, for pkg-config and for CMake.
  set(NAVD_CLIENT_PACKAGES "")
  foreach(pair MSGPACK:msgpack ZSTD:libzstd OPENSSL:openssl)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 name)
    if(${name}_FOUND)
      list(GET pair 1 module)
      string(APPEND NAVD_CLIENT_PACKAGES " ${name}:${module}")
      string(APPEND NAVD_CLIENT_REQUIRES " ${module}")
    endif()
  endforeach()
  set(NAVD_CLIENT_REQUIRES "navcore${NAVD_CLIENT_REQUIRES}")
  set(NAVD_CLIENT_LIBS "-lnavdclient -lnavproto -pthread")
  if(WIN32)
    set(NAVD_CLIENT_REQUIRES "")
    set(NAVD_CLIENT_LIBS "-lnavdclient -lnavproto -lnavcore -lws2_32")
  endif()
  list(APPEND NAVD_INSTALLED navproto navdclient)
  set(NAVD_HAS_CLIENT ON)
  navd_install_library(navdclient clients/c/include)
endif()

install(TARGETS ${NAVD_INSTALLED} EXPORT navdTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT navdTargets NAMESPACE navd:: DESTINATION ${NAVD_PACKAGE_DIR})
configure_package_config_file(cmake/navdConfig.cmake.in navdConfig.cmake INSTALL_DESTINATION ${NAVD_PACKAGE_DIR})
write_basic_package_version_file(navdConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/navdConfig.cmake ${PROJECT_BINARY_DIR}/navdConfigVersion.cmake
        DESTINATION ${NAVD_PACKAGE_DIR})

# What the packages explain: to those who build with the libraries, and to those who run the daemon.
set(doc ${CMAKE_INSTALL_DATADIR}/doc)
install(FILES docs/embedding.md docs/clients.md docs/formats.md DESTINATION ${doc}/libnavd-dev)
install(DIRECTORY docs/examples DESTINATION ${doc}/libnavd-dev)
if(TARGET navd)
  install(FILES docs/operations.md docs/scale.md docs/upgrading.md docs/protocol.md docs/formats.md DESTINATION ${doc}/navd
          COMPONENT daemon)
  install(DIRECTORY docs/protocol docs/monitoring DESTINATION ${doc}/navd COMPONENT daemon)
endif()
if(TARGET navctl)
  install(FILES docs/clients.md docs/formats.md docs/wrong-tile.md docs/glossary.md DESTINATION ${doc}/navctl COMPONENT tools)
endif()
