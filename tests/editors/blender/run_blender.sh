#!/bin/bash
# Runs a script in a Blender of its own: run_blender.sh [--window] SCRIPT.py [ARGUMENT...]
# Blender has factory settings, folders of its own, and finds the add-on's zip as NAVD_ADDON; the script's folder is in sys.path.
# --window: a real window under Xvfb, in which timers run and things are drawn; the script ends Blender with finish() of harness.py.
# Exit code 77: a program is missing (1 with NAVD_EDITORS=required).
set -u
window=0
[ "${1:-}" = --window ] && { window=1; shift; }
script=$1
shift
. "$NAVD_SOURCE/tests/editors/missing.sh"
need blender
[ $window = 1 ] && need Xvfb
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export BLENDER_USER_CONFIG=$folder/config BLENDER_USER_SCRIPTS=$folder/scripts BLENDER_USER_DATAFILES=$folder/data
mkdir -p "$folder/config" "$folder/scripts" "$folder/data" "$folder/tmp"
export TMPDIR=$folder/tmp NAVD_ADDON=$folder/navd_blender.zip
/usr/bin/python3 "$NAVD_SOURCE/clients/blender/build_zip.py" -o "$NAVD_ADDON" >/dev/null || exit 1
if [ $window = 1 ]; then
    # The server chooses a free display and says which when it is ready: several of these may start at once.
    mkfifo "$folder/display" || exit 1
    Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>"$folder/display" 2>"$folder/xvfb.log" &
    xvfb=$!
    trap 'kill $xvfb 2>/dev/null; wait $xvfb 2>/dev/null; rm -rf "$folder"' EXIT
    read -r display <"$folder/display" || { cat "$folder/xvfb.log" >&2; exit 1; }
    export DISPLAY=:$display
    timeout "${NAVD_TIMEOUT:-800}" blender --factory-startup --no-window-focus --python-exit-code 3 \
        --window-geometry 0 0 "${NAVD_WINDOW:-1280}" "${NAVD_WINDOW_HEIGHT:-800}" --python "$script" -- "$@"
else
    timeout "${NAVD_TIMEOUT:-800}" blender -b --factory-startup --python-exit-code 3 --python "$script" -- "$@"
fi
