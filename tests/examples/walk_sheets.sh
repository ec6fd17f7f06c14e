#!/bin/sh
# docs/examples/walk_sheets.cpp in a closed box: from the middle of the floor to that of the ceiling leads over a wall,
# and along the floor over no seam.
#   walk_sheets.sh NAVCTL PROGRAM
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/box.obj" <<'END'
v -6 0 -6
v 6 0 -6
v 6 0 6
v -6 0 6
v -6 8 -6
v 6 8 -6
v 6 8 6
v -6 8 6
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
END
"$1" build "$folder/box.obj" --sheets all -o "$folder/box.bin" >/dev/null
for sheet in up down x+ x- z+ z-; do test -s "$folder/box.$sheet.bin"; done
"$2" "$folder/box.seams.json" 0,0,0 1,8,0 | tee "$folder/out"
# To a wall, up it and back: 6 m, less the radius, to the wall's foot, a strip, and so on: from 17 to 21 m.
awk '/ on / { sheets[$5] = 1; last = $5 } / m, over / { length_m = $1; seams = $4 }
     END { for (s in sheets) n++
           exit !(seams == 2 && n == 3 && sheets["up,"] && last == "down," && length_m > 17 && length_m < 21) }' "$folder/out"
"$2" "$folder/box.seams.json" -4,0,0 4,0,1 | tee "$folder/out"
awk '/ m, over / { exit !($4 == 0 && $1 > 8.05 && $1 < 8.1) }' "$folder/out"
if "$2" "$folder/box.seams.json" 0,4,0 0,0,0 2>"$folder/err"; then exit 1; fi
grep -q "farther than 1 m" "$folder/err"
