#!/bin/sh
# Runs Godot 3.2 without a display, with navd's plugin in a project of its own, beside the navd at NAVD_TCP:
#   run.sh scene [--bench] [--seed N] [--bursts N]     a scene that changes at random, in a running game
#   run.sh terrain                                     a height map, and strokes of a brush
#   run.sh editor                                      two scenes in the editor
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../missing.sh"
need godot3-server
project=$(mktemp -d) || exit 1
trap 'rm -rf "$project"' EXIT
cp -r "$here/project.godot" "$here"/*.gd "$here/addons" "$project" && cp -r "$here/../../../clients/godot/addons/navd" "$project/addons/" || exit 1
export HOME="$project/home" LANG=en_US.UTF-8
mkdir -p "$HOME/.local/share" "$HOME/.config" "$HOME/.cache"

kind=$1
shift
case $kind in
scene) set -- -s scene_test.gd "$@" ;;
terrain) set -- -s terrain_test.gd ;;
editor) set -- -e ;;
*) echo "run.sh: '$kind' is not scene, terrain or editor" >&2 && exit 2 ;;
esac
cd "$project" || exit 1
timeout "${NAVD_TIMEOUT:-800}" godot3-server "$@" >"$project/output" 2>&1
code=$?
# Godot without a display complains about meshes that nobody draws: "ERROR: ... rasterizer_dummy.h". An error of a script is one.
grep -v -e '^ERROR: ' -e '^   At: ' -e '^WARNING: cleanup' "$project/output"
if grep -q 'SCRIPT ERROR' "$project/output"; then
    echo "FAILED: a script of the plugin or of the test has an error"
    exit 1
fi
grep -q '^godot' "$project/output" || { echo "FAILED: the test printed nothing (exit code $code)" && exit 1; }
exit "$code"
