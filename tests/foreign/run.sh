#!/bin/sh
# Runs a client that knows nothing of navd against a navd of its own: run.sh NAVD PACKAGES pynvim|neovim
# PACKAGES: where scripts/setup has put what comes from npm. 77: the client is not installed.
set -u
navd=$1 packages=$2 client=$3
here=$(cd "$(dirname "$0")" && pwd)
python=/usr/bin/python3 # the one that Debian's packages are for

skip() {
    echo "skipped: $1 is not installed; scripts/setup test installs it"
    exit 77
}
case $client in
pynvim) "$python" -c 'import pynvim' 2>/dev/null || skip python3-pynvim ;;
neovim)
    command -v node >/dev/null || skip nodejs
    [ -f "$packages/node_modules/neovim/package.json" ] || skip "the npm package neovim"
    ;;
esac

folder=$(mktemp -d) || exit 1
mkfifo "$folder/log"
"$navd" --socket "$folder/navd.sock" --state "" 2>"$folder/log" &
pid=$!
trap 'kill $pid 2>/dev/null; wait $pid; rm -rf "$folder"' EXIT
exec 3<"$folder/log"
while read -r line <&3; do
    echo "$line"
    case $line in *listener.opened*) break ;; esac
done
cat <&3 &

case $client in
pynvim) "$python" "$here/pynvim_session.py" "$folder/navd.sock" ;;
neovim) NODE_PATH="$packages/node_modules" node "$here/neovim_session.js" "$folder/navd.sock" ;;
esac
