#!/bin/sh
# A struct that only one file knows: its members are defined there and nowhere else, and nobody includes that file.
#
#     check_private.sh ROOT STRUCT FILE
#
# Prints each place that breaks it. Exit code 1 if there is one.
set -u
root=$1 struct=$2 file=$3
cd "$root" || exit 2
bad=0
found=$(grep -rnE --include='*.[ch]' --include='*.inc' "struct $struct *\{" core protocol daemon clients tests)
case $found in
*"$file":*) ;;
*) echo "$file does not define struct $struct"; bad=1 ;;
esac
others=$(printf '%s\n' "$found" | grep -v "^$file:")
[ -z "$others" ] || { printf 'defined a second time:\n%s\n' "$others"; bad=1; }
includers=$(grep -rnE --include='*.[ch]' --include='*.inc' "#[ ]*include \"([^\"]*/)?${file##*/}\"" core protocol daemon clients tests)
[ -z "$includers" ] || { printf 'included:\n%s\n' "$includers"; bad=1; }
exit $bad
