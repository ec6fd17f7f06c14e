#!/bin/sh
# Builds the package navd-client and runs Node's tests with it. run.sh [PATTERN]: only the files whose name has it.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../missing.sh"
need node
[ -d "$NAVD_NPM_VIEW/node_modules/esbuild" ] || missing "$NAVD_NPM_VIEW/node_modules/esbuild"
[ -d "$NAVD_NPM_EDITORS/node_modules/recast-navigation" ] || missing "$NAVD_NPM_EDITORS/node_modules/recast-navigation"

export NAVD_JS=$NAVD_BUILD/clients/js
node "$NAVD_SOURCE/clients/js/build.mjs" --out "$NAVD_JS" --modules "$NAVD_NPM_VIEW/node_modules" || exit 1
exec timeout 850 node --test --test-concurrency=2 "$here"/*"${1:-}"*.test.mjs
