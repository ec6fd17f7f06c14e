#!/bin/sh
# docs/examples/straight_paths.cpp over the tiles of a scene: two lengths, and the shortest is not the longer one.
#   straight_paths.sh NAVCTL PROGRAM SCENE
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" build "$3" -o "$folder/level.bin" >/dev/null
"$2" "$folder/level.bin" 14,0.3,13 14,0.3,22 >"$folder/out"
cat "$folder/out"
awk '/^Detour/ { theirs = $3 } /^the shortest/ { ours = $3 } /^  / { points++ }
     END { exit !(theirs > 0 && ours > 0 && ours <= theirs + 0.001 && points >= 2) }' "$folder/out"
