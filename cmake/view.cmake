# The 3D view (clients/view) in the binary: bundled by esbuild, compressed, and included by the assembler. NAVD_VIEW is AUTO
# (where scripts/setup view has fetched the packages), ON (an error where it has not) or OFF. Sets NAVD_VIEW_SOURCES.
set(NAVD_VIEW AUTO CACHE STRING "Build the 3D view into navd: AUTO, ON or OFF (Node.js, and scripts/setup view)")
set_property(CACHE NAVD_VIEW PROPERTY STRINGS AUTO ON OFF)

set(NAVD_VIEW_SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/service/site_absent.c)
set(missing "")
find_program(NODE_PROGRAM NAMES node nodejs)
if(NOT NODE_PROGRAM)
  set(missing "Node.js is not installed (apt-get install nodejs npm)")
elseif(NOT EXISTS ${PROJECT_SOURCE_DIR}/.cache/view/node_modules/esbuild)
  set(missing "its packages are not here (scripts/setup view)")
endif()

if(NAVD_VIEW STREQUAL "OFF")
  message(STATUS "The 3D view is not built: NAVD_VIEW is OFF")
elseif(missing)
  if(NOT NAVD_VIEW STREQUAL "AUTO")
    message(FATAL_ERROR "NAVD_VIEW is ON, but ${missing}")
  endif()
  message(STATUS "The 3D view is not built: ${missing}")
else()
  message(STATUS "The 3D view is built into navd")
  file(GLOB_RECURSE view_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/clients/view/*.ts
       ${PROJECT_SOURCE_DIR}/clients/view/*.html ${PROJECT_SOURCE_DIR}/clients/view/*.css
       ${PROJECT_SOURCE_DIR}/clients/js/*.ts ${PROJECT_SOURCE_DIR}/clients/js/*.js)
  set(view_folder ${CMAKE_CURRENT_BINARY_DIR}/view)
  set(view_source ${CMAKE_CURRENT_BINARY_DIR}/view_files.c)
  add_custom_command(
    OUTPUT ${view_source}
    COMMAND ${NODE_PROGRAM} ${PROJECT_SOURCE_DIR}/clients/view/build.mjs --out ${view_folder}
    COMMAND ${NODE_PROGRAM} ${PROJECT_SOURCE_DIR}/cmake/embed_view.mjs ${view_folder} ${view_source}
    DEPENDS ${view_sources} ${PROJECT_SOURCE_DIR}/clients/view/build.mjs ${PROJECT_SOURCE_DIR}/cmake/embed_view.mjs
            ${PROJECT_SOURCE_DIR}/.cache/view/package-lock.json
    COMMENT "Bundling the 3D view"
    VERBATIM)
  set(NAVD_VIEW_SOURCES ${view_source})
endif()
