#!/bin/bash
# Runs test_portable against a navd of its own: run.sh NAVD NAVCTL COMMAND...
# A line "#restart" of the test ends the daemon and starts it again at the same port, which is below those that the system gives
# to connections: nobody takes it by chance meanwhile. At the end the tiles that the test has
# written to tiles.WORLD.ENCODING are compared with those that navctl gets of the same worlds.
set -u
navd=$1 navctl=$2
shift 2
folder=$(mktemp -d) || exit 1
cd "$folder" || exit 1
pid="" port=""

# Until it listens. False: the port is in use.
start_navd() {
    local line
    rm -f log
    mkfifo log
    "$navd" --socket "" --listen "127.0.0.1:$port" --state "$folder/state" --hello-s 300 --message-s 300 --stall-s 0 \
        --tile-ms 3600000 --stuck-ms 3600000 --max-path-ms 3600000 2>log & # limits that a slow machine does not run into
    pid=$!
    exec 3<log
    while read -r line <&3; do
        echo "$line" >>navd.log
        case $line in
        *listener.opened*port=*)
            cat <&3 >>navd.log &
            exec 3<&-
            return 0
            ;;
        esac
    done
    exec 3<&-
    grep -q 'in use' navd.log && return 1
    cat navd.log >&2
    exit 1
}

stop_navd() {
    [ -z "$pid" ] || { kill "$pid"; wait "$pid"; } 2>/dev/null
    pid=""
}
trap 'stop_navd; rm -rf "$folder"' EXIT

port=$((20000 + RANDOM % 12000))
until start_navd; do
    rm -f navd.log
    port=$((20000 + RANDOM % 12000))
done
export NAVD_TCP=127.0.0.1:$port CK_FORK=no
mkfifo says
"$@" >says </dev/null &
test=$!
while read -r line; do
    line=${line%$'\r'}
    if [ "$line" = "#restart" ]; then
        stop_navd
        start_navd || { cat navd.log >&2; exit 1; }
    else
        echo "$line"
    fi
done <says
wait "$test" || exit 1

compared=0
for theirs in tiles.*; do
    world=${theirs#tiles.}
    encoding=${world#*.}
    world=${world%%.*}
    mkdir "navctl.$world"
    "$navctl" watch --once -w "$world" -c "127.0.0.1:$port" --encoding "$encoding" -o "navctl.$world" >watch.txt || exit 1
    diff -r "$theirs" "navctl.$world" || exit 1
    compared=$((compared + $(ls "$theirs" | wc -l)))
done
[ "$compared" -gt 24 ] || { echo "only $compared tiles were compared" >&2; exit 1; }
echo "$compared tiles are those that navctl gets"
