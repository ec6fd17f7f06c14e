# Libraries that are used by their headers alone, where no package of the target system has them: a folder of links to
# the headers of this machine, so that nothing else of its include folder is seen.
function(navd_link_headers folder)
  file(MAKE_DIRECTORY ${folder})
  foreach(name ${ARGN})
    find_path(place NAMES ${name} PATHS /usr/include /usr/local/include NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH NO_CACHE)
    if(NOT place)
      message(FATAL_ERROR "the header ${name} is missing: install libmsgpack-dev and libxxhash-dev")
    endif()
    file(CREATE_LINK ${place}/${name} ${folder}/${name} SYMBOLIC)
    unset(place)
  endforeach()
endfunction()
