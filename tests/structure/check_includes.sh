#!/bin/sh
# Reads the #include lines of one top folder and holds them against the order of its folders.
#
#     check_includes.sh ROOT ORDER TOP      ROOT: of the source tree; ORDER: order.txt; TOP: daemon, core, ...
#
# Prints each include that points up, and each folder that the order does not name or that does not exist. Exit code 1
# if there is one, 2 if it cannot tell.
set -u
root=$1 order=$2 top=$3
cd "$root" || exit 2
files=$(find "$top" -type f \( -name '*.c' -o -name '*.h' -o -name '*.inc' \) | LC_ALL=C sort)
[ -n "$files" ] || { echo "$root/$top has no sources"; exit 2; }

awk -v top="$top" -v order="$order" '
function fault(text) { print text; bad = 1 }
function folder_of(path) { return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : "." }
# Of a path below TOP: the folder as the order names it.
function inner(path) { return folder_of(substr(path, length(top) + 2)) }
function read_order(   line, more, at, words, n, i) {
    while ((getline line < order) > 0) {
        if (line ~ /^#/) continue
        while (line ~ /\\$/ && (getline more < order) > 0) line = substr(line, 1, length(line) - 1) more
        at = index(line, "):")
        if (!at || line !~ "^" top " \\(") continue
        n = split(substr(line, length(top) + 3, at - length(top) - 3), words, " ")
        for (i = 1; i <= n; i++) below[words[i]] = 1
        floors = split(substr(line, at + 2), name, " ")
        for (i = 1; i <= floors; i++) floor[name[i]] = i
        return floors
    }
    return 0
}
BEGIN {
    if (!read_order()) { print order " has no line for " top; failed = 1; exit 2 }
}
FNR == 1 {
    here = inner(FILENAME)
    seen[here] = 1
    if (!(here in floor)) fault(FILENAME ": the folder " top "/" here " has no place in " order)
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    target = $0
    sub(/^[^"]*"/, "", target)
    sub(/".*/, "", target)
    if (target !~ /\//) next # beside the file that includes it
    other = target
    sub(/\/.*/, "", other)
    if (other != top) {
        if (!(other in below)) fault(FILENAME ":" FNR ": " top " includes " target ", and " top " may not use " other)
        next
    }
    there = inner(target)
    if (!(there in floor)) fault(FILENAME ":" FNR ": the folder of " target " has no place in " order)
    else if (here in floor && floor[there] > floor[here])
        fault(FILENAME ":" FNR ": " top "/" here " includes " target ", but " there " is above " here)
}
END {
    if (failed) exit 2
    for (i = 1; i <= floors; i++) if (!(name[i] in seen)) fault(order ": " top " has no folder " name[i])
    exit bad
}' $files
