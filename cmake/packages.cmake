# Debian packages, one for each component: navd (the daemon and its units), navctl, and libnavd-dev (the libraries, for
# those who build with them). `make package`, or `cpack -G DEB` in the build's folder.
set(NAVD_MAINTAINER "The navd authors <navd@navd.dev>" CACHE STRING "Maintainer of the Debian packages")
set(DEBIAN ${CMAKE_CURRENT_LIST_DIR}/debian)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME navd)
set(CPACK_PACKAGE_CONTACT "${NAVD_MAINTAINER}")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_SET_DESTDIR ON) # /etc and /lib are outside of the prefix
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${NAVD_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_COMPONENTS_ALL development)

# copyright and changelog, as Debian wants them
find_program(GZIP_PROGRAM gzip REQUIRED)
configure_file(${DEBIAN}/changelog.in ${PROJECT_BINARY_DIR}/debian/changelog @ONLY)
execute_process(COMMAND ${GZIP_PROGRAM} -9nkf ${PROJECT_BINARY_DIR}/debian/changelog COMMAND_ERROR_IS_FATAL ANY)
function(navd_package component name)
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name} PARENT_SCOPE)
  install(FILES ${DEBIAN}/copyright ${PROJECT_BINARY_DIR}/debian/changelog.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
  if(EXISTS ${DEBIAN}/${name}.lintian-overrides)
    install(FILES ${DEBIAN}/${name}.lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides
            RENAME ${name} COMPONENT ${component})
  endif()
endfunction()

navd_package(development libnavd-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libmsgpack-dev, libzstd-dev, libssl-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "librecast-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "navigation meshes: client library and generator, for development
The C client library of navd, the navigation-mesh service for level
editors, and its generator as a library: static libraries, headers,
pkg-config files and a CMake package.")

if(TARGET navd)
  list(APPEND CPACK_COMPONENTS_ALL daemon)
  navd_package(daemon navd)
  set(CPACK_DEBIAN_DAEMON_PACKAGE_SECTION net)
  set(CPACK_DEBIAN_DAEMON_PACKAGE_SHLIBDEPS ON)
  # libwebsockets loads its libuv part when it is asked for it.
  set(CPACK_DEBIAN_DAEMON_PACKAGE_DEPENDS
      "init-system-helpers (>= 1.52), libwebsockets-evlib-uv, systemd | systemd-standalone-sysusers | systemd-sysusers")
  set(CPACK_DEBIAN_DAEMON_PACKAGE_RECOMMENDS "navctl")
  # Of the farm. Not recommended: it would be installed, and listen, beside each daemon.
  set(CPACK_DEBIAN_DAEMON_PACKAGE_SUGGESTS "nats-server")
  set(CPACK_DEBIAN_DAEMON_PACKAGE_CONTROL_EXTRA
      "${DEBIAN}/conffiles;${DEBIAN}/postinst;${DEBIAN}/prerm;${DEBIAN}/postrm")
  set(CPACK_DEBIAN_DAEMON_DESCRIPTION "navigation-mesh service for level editors
navd keeps the geometry of game worlds and rebuilds the navigation mesh
after every edit. When an editor moves a crate, every editor connected
to the world has the new tiles a few milliseconds later, ready for
Detour.")
endif()
if(TARGET navctl)
  list(APPEND CPACK_COMPONENTS_ALL tools)
  navd_package(tools navctl)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION net)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "navd")
  set(CPACK_DEBIAN_TOOLS_DESCRIPTION "navigation meshes from scene files, and the client for navd
navctl generates navigation meshes from OBJ, glTF, FBX, PLY and STL
scenes and draws them. With a running navd it sends scenes and edits,
watches, exports and imports worlds, and shows what the daemon is doing.")
endif()
include(CPack)
