# Debian's GEOS (libgeos-dev), which reads WKT and cuts floor plans for navctl, and is the judge of the free area in the
# bench. Gives GEOS::C.
find_path(GEOS_INCLUDE_DIR geos_c.h)
find_library(GEOS_LIBRARY geos_c)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(GEOS REQUIRED_VARS GEOS_LIBRARY GEOS_INCLUDE_DIR)

if(GEOS_FOUND AND NOT TARGET GEOS::C)
  add_library(GEOS::C UNKNOWN IMPORTED)
  set_target_properties(GEOS::C PROPERTIES IMPORTED_LOCATION ${GEOS_LIBRARY}
                                           INTERFACE_INCLUDE_DIRECTORIES ${GEOS_INCLUDE_DIR})
endif()
