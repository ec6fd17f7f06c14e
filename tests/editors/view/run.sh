#!/bin/sh
# Runs the tests of the 3D view. run.sh --bench: its figures beside their bars instead.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../missing.sh"
need node
need /usr/bin/chromium
[ -d "$NAVD_NPM_VIEW/node_modules/esbuild" ] || missing "$NAVD_NPM_VIEW/node_modules/esbuild"
[ -d "$NAVD_NPM_EDITORS/node_modules/playwright-core" ] || missing "$NAVD_NPM_EDITORS/node_modules/playwright-core"

[ "${1:-}" = --bench ] && exec timeout 300 node "$here/bench.mjs"
node "$NAVD_NPM_VIEW/node_modules/typescript/bin/tsc" -p "$NAVD_SOURCE/clients/view" || exit 1
exec timeout 850 node --test --test-concurrency=1 "$here"/*.test.mjs
