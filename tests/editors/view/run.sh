#!/bin/sh
# Runs the tests of the 3D view. run.sh --bench: its figures beside their bars instead.
set -u
here=$(cd "$(dirname "$0")" && pwd)
missing() {
    echo "skipped: $1; scripts/setup editors installs it"
    [ "${NAVD_EDITORS:-}" = required ] && exit 1
    exit 77
}
command -v node >/dev/null || missing "there is no node"
[ -x /usr/bin/chromium ] || missing "there is no chromium"
[ -d "$NAVD_NPM_VIEW/node_modules/esbuild" ] || missing "there is no esbuild in $NAVD_NPM_VIEW"
[ -d "$NAVD_NPM_EDITORS/node_modules/playwright-core" ] || missing "there is no playwright-core in $NAVD_NPM_EDITORS"

[ "${1:-}" = --bench ] && exec timeout 300 node "$here/bench.mjs"
node "$NAVD_NPM_VIEW/node_modules/typescript/bin/tsc" -p "$NAVD_SOURCE/clients/view" || exit 1
exec timeout 600 node --test --test-timeout=120000 --test-concurrency=1 "$here"/*.test.mjs
