#!/bin/sh
# The check of symbols finds what it is there for: in a small library made for it.
#     test_check_symbols.sh CHECK NM CC AR
set -eu
check=$1 nm=$2 cc=$3 ar=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo 'int nav_one; static int hidden; int nav_two(void); int nav_two(void) { return hidden + puts_it_here(); }' >good.c
sed -i 's/^/int puts_it_here(void); /' good.c
echo 'int stray; int nav_three(void); int nav_three(void) { return stray; } void away(void); void away(void) {}' >bad.c
$cc -c good.c bad.c
$ar rc good.a good.o
$ar rc bad.a good.o bad.o
sh "$check" "$nm" nav_ good.a
if said=$(sh "$check" "$nm" nav_ bad.a); then echo "stray symbols pass"; exit 1; fi
for name in stray away; do echo "$said" | grep -qF "bad.a: $name lacks the prefix nav_" || { echo "$name is not named: $said"; exit 1; }; done
echo "$said" | grep -qx "2 of 5 symbols lack it" || { echo "$said"; exit 1; }
if sh "$check" "$nm" nav_ nothing.a; then echo "a library that is not there passes"; exit 1; fi
