# Debian's Recast and Detour (librecast-dev), the judge of what the Detour writer makes. Gives Recast::Detour and
# Recast::Recast.
find_path(Recast_INCLUDE_DIR DetourNavMesh.h PATH_SUFFIXES recastnavigation)
find_library(Recast_DETOUR_LIBRARY Detour)
find_library(Recast_RECAST_LIBRARY Recast)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Recast REQUIRED_VARS Recast_DETOUR_LIBRARY Recast_RECAST_LIBRARY Recast_INCLUDE_DIR)

if(Recast_FOUND AND NOT TARGET Recast::Detour)
  foreach(part Detour Recast)
    string(TOUPPER ${part} upper)
    add_library(Recast::${part} UNKNOWN IMPORTED)
    set_target_properties(Recast::${part} PROPERTIES IMPORTED_LOCATION ${Recast_${upper}_LIBRARY}
                                                     INTERFACE_INCLUDE_DIRECTORIES ${Recast_INCLUDE_DIR})
  endforeach()
endif()
