#!/bin/sh
# Every symbol that a library defines for others has its layer's prefix, so that none collides in a host program.
#
#     check_symbols.sh NM PREFIX LIBRARY      LIBRARY: an archive or a shared library
#
# Prints each symbol without the prefix. Exit code 1 if there is one, 2 if it cannot tell, 77 where it does not apply.
set -u
nm=$1 prefix=$2 library=$3
case $library in
*.a) dynamic= ;;
*) dynamic=-D ;;
esac
if "$nm" -P "$library" 2>/dev/null | grep -q '^__asan_'; then
    echo "skipped: AddressSanitizer adds symbols of its own"
    exit 77
fi
# shellcheck disable=SC2086
symbols=$("$nm" -P -g --defined-only $dynamic "$library" 2>/dev/null | awk 'NF > 1 && length($2) == 1 { print $1 }' | sort -u)
[ -n "$symbols" ] || { echo "$nm finds no symbols in $library"; exit 2; }
echo "$symbols" | awk -v prefix="$prefix" -v library="${library##*/}" '
index($0, prefix) != 1 { print library ": " $0 " lacks the prefix " prefix; bad++ }
END { if (bad) print bad " of " NR " symbols lack it"; exit bad > 0 }'
