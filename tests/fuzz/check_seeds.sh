#!/bin/sh
# check_seeds.sh SEED_FRAMES CORPUS: is there a seed for each method and notification that the protocol has examples of?
set -eu
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
"$1" "$fresh"
missing=0
for f in "$fresh"/*; do
    message=$(basename "$f" | sed -E 's/\.(request|response).*//')
    set -- "$1" "$2" "$2/$message"*
    [ ! -e "$3" ] || continue
    echo "no seed for $message: run seed_frames tests/fuzz/corpus/fuzz_frames" >&2
    missing=1
done
exit $missing
