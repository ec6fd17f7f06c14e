# Installs into a folder of its own and builds a program against the result, by pkg-config and by the CMake package.
# Variables: BUILD, WORK, SOURCE, LIBDIR, COMPILER.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " words)
    message(FATAL_ERROR "${words}: ${code}\n${out}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/root)
foreach(path bin/navctl include/navd.h include/navd/core/build.h share/bash-completion/completions/navctl)
  if(NOT EXISTS ${WORK}/root/${path})
    message(FATAL_ERROR "not installed: ${path}")
  endif()
endforeach()

file(WRITE ${WORK}/client.c "#include <navd.h>
#include <stdio.h>
int main(void)
{
    navd_client *c;
    char why[256];
    return navd_connect(\"/no/such/socket\", NULL, 100, &c, why, sizeof why) == NAVD_ERR_IO ? 0 : 1;
}
")
file(WRITE ${WORK}/core.c "#include \"core/build.h\"
int main(void)
{
    nav_settings s;
    nav_settings_default(&s);
    return nav_settings_check(&s, NULL, 0) == NAV_OK ? 0 : 1;
}
")
foreach(pair client:navdclient core:navcore)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 program)
  list(GET pair 1 package)
  run(sh -c "export PKG_CONFIG_PATH=${WORK}/root/${LIBDIR}/pkgconfig && ${COMPILER} -Werror ${WORK}/${program}.c -o ${WORK}/${program} $(pkg-config --cflags --libs ${package})")
  run(${WORK}/${program})
endforeach()

file(WRITE ${WORK}/use/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(use C)
find_package(navd 0.1 REQUIRED)
add_executable(client ../client.c)
target_link_libraries(client navd::navdclient)
add_executable(core ../core.c)
target_link_libraries(core navd::navcore)
")
run(${CMAKE_COMMAND} -S ${WORK}/use -B ${WORK}/use/build -DCMAKE_PREFIX_PATH=${WORK}/root -DCMAKE_C_COMPILER=${COMPILER})
run(${CMAKE_COMMAND} --build ${WORK}/use/build)
run(${WORK}/use/build/client)
run(${WORK}/use/build/core)
