#!/bin/bash
# Runs a command beside a navd of its own, without a state folder: with_daemon.sh [NAVD_OPTION...] -- COMMAND...
# The command finds NAVD_ADDRESS (its Unix socket), NAVD_TCP (host:port of its TCP socket, no token needed), NAVD_LOG (its log)
# and NAVD_PID in its environment. The daemon ends with the command, whose exit code is the result.
set -u
# Limits that a slow machine does not run into; a test that wants others gives its own.
patient=(--hello-s 300 --message-s 300 --stall-s 0 --tile-ms 3600000 --stuck-ms 3600000 --max-path-ms 3600000)
options=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    options+=("$1")
    shift
done
shift || { echo "usage: with_daemon.sh [NAVD_OPTION...] -- COMMAND..." >&2; exit 2; }

folder=$(mktemp -d) || exit 1
: >"$folder/navd.log"
# Not through a fifo: opening one waits for the other side, for ever where that has ended before.
exec 3< <(exec "$NAVD" --socket "$folder/navd.sock" --listen 127.0.0.1:0 --state "" "${patient[@]}" "${options[@]}" 2>&1 >/dev/null)
pid=$!
trap 'kill $pid 2>/dev/null; wait $pid 2>/dev/null; rm -rf "$folder"' EXIT
port=""
while read -r line <&3; do
    echo "$line" >>"$folder/navd.log"
    case $line in
    *listener.opened*port=*)
        port=${line##*port=}
        port=${port%% *}
        break
        ;;
    esac
done
[ -n "$port" ] || { cat "$folder/navd.log" >&2; exit 1; }
cat <&3 >>"$folder/navd.log" &
exec 3<&-
export NAVD_ADDRESS=$folder/navd.sock NAVD_TCP=127.0.0.1:$port NAVD_LOG=$folder/navd.log NAVD_PID=$pid
"$@"
