#!/bin/sh
# The check of includes finds what it is there for: in a small tree made for it.
set -eu
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/house/cellar" "$tree/house/attic"
order=$tree/order.txt
printf '# order\nhouse (garden): cellar \\\n    attic .\n' >"$order"
echo '#include "house/cellar/cellar.h"' >"$tree/house/attic/attic.c"
printf '#include "garden/tree.h"\n#include "beside.h"\n#include <stdio.h>\n' >"$tree/house/cellar/cellar.h"
echo '#include "house/attic/attic.h"' >"$tree/house/house.c"

# $1: the line that is wanted, "" for none and success.
expect() {
    if out=$(sh "$check" "$tree" "$order" house 2>&1); then code=0; else code=$?; fi
    if [ -z "$1" ]; then
        [ "$code" = 0 ] && [ -z "$out" ] && return 0
    else
        [ "$code" = 1 ] && printf '%s\n' "$out" | grep -qF -- "$1" && return 0
    fi
    printf 'wanted "%s", got exit code %s and: %s\n' "$1" "$code" "$out"
    exit 1
}

expect ""
printf 'int x;\n#include "house/attic/attic.h"\n' >"$tree/house/cellar/stairs.c"
expect "house/cellar/stairs.c:2: house/cellar includes house/attic/attic.h, but attic is above cellar"
echo '#include "house/house.h"' >"$tree/house/cellar/stairs.c"
expect "house/cellar/stairs.c:1: house/cellar includes house/house.h, but . is above cellar"
echo '  #  include "street/car.h"' >"$tree/house/cellar/stairs.c"
expect "house/cellar/stairs.c:1: house includes street/car.h, and house may not use street"
rm "$tree/house/cellar/stairs.c"
mkdir "$tree/house/shed"
echo 'int y;' >"$tree/house/shed/shed.c"
expect "house/shed/shed.c: the folder house/shed has no place in $order"
rm -r "$tree/house/shed" "$tree/house/attic"
expect "$order: house has no folder attic"
if sh "$check" "$tree" "$order" garden >/dev/null 2>&1; then echo "a folder that is not there passes"; exit 1; fi
