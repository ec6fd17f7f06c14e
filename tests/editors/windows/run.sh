#!/bin/bash
# Builds the client library and its test with mingw-w64 in NAVD_BUILD/mingw, and runs the test under Wine. Wine's folder (700 MB,
# made in NAVD_BUILD/wine by the first run) has nothing to do with the user's own.
set -u
. "$NAVD_SOURCE/tests/editors/missing.sh"
need x86_64-w64-mingw32-gcc
need wine

build=$NAVD_BUILD/mingw
cmake -S "$NAVD_SOURCE" -B "$build" -DCMAKE_TOOLCHAIN_FILE="$NAVD_SOURCE/cmake/mingw.cmake" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DNAVD_BUILD_DAEMON=OFF >"$NAVD_BUILD/mingw.log" 2>&1 &&
    cmake --build "$build" -j 2 >>"$NAVD_BUILD/mingw.log" 2>&1 || { cat "$NAVD_BUILD/mingw.log"; exit 1; }

# No windows, no .NET, no browser: none is needed, and each would be asked for.
export WINEDEBUG=-all WINEPREFIX=$NAVD_BUILD/wine WINEDLLOVERRIDES="mscoree,mshtml=" DISPLAY=
[ -f "$WINEPREFIX/made" ] || { timeout 400 wine wineboot -i >/dev/null 2>&1 && touch "$WINEPREFIX/made"; } || missing "a working wine"
timeout 400 "$NAVD_SOURCE/tests/clients/portable/run.sh" "$NAVD" "$NAVCTL" wine "$build/tests/clients/portable/test_portable.exe"
code=$?
timeout 30 wineserver -k 2>/dev/null
exit $code
