# The pipeline once more for each level of x86-64 (levels.h): the objects of a level are joined into one, in which only
# its nav_build_...() is seen from outside. Elsewhere navcore has its one pipeline alone.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$" AND CMAKE_OBJCOPY AND CMAKE_LINKER)
  set(NAV_X86_64_LEVELS ON)
endif()

function(nav_level name)
  add_library(navcore_${name}_objects OBJECT ${pipeline})
  set_target_properties(navcore_${name}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
  target_compile_definitions(navcore_${name}_objects PRIVATE NAV_BUILD=nav_build_${name})
  target_compile_options(navcore_${name}_objects PRIVATE ${ARGN})
  set(object ${CMAKE_CURRENT_BINARY_DIR}/navcore_${name}.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_LINKER} -r -o ${object} $<TARGET_OBJECTS:navcore_${name}_objects>
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=nav_build_${name} ${object}
    DEPENDS navcore_${name}_objects $<TARGET_OBJECTS:navcore_${name}_objects>
    COMMENT "Joining the pipeline for x86-64-${name}"
    COMMAND_EXPAND_LISTS VERBATIM)
  target_sources(navcore PRIVATE ${object})
endfunction()

if(NAV_X86_64_LEVELS)
  set(v3 -march=x86-64-v2 -mavx2 -mbmi -mbmi2 -mpopcnt)
  set(NAV_LEVEL_FLAGS_v3 ${v3} CACHE INTERNAL "how a level is compiled, for tests that do it another way")
  set(NAV_LEVEL_FLAGS_v4 ${v3} -mavx512f -mavx512bw -mavx512cd -mavx512dq -mavx512vl CACHE INTERNAL "")
  target_compile_options(navcore PRIVATE -march=x86-64-v2)
  nav_level(v3 ${NAV_LEVEL_FLAGS_v3})
  nav_level(v4 ${NAV_LEVEL_FLAGS_v4})
  target_compile_definitions(navcore PRIVATE NAV_X86_64_LEVELS)
endif()
