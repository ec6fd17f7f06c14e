#!/bin/sh
# Runs the tests of the Python package: run.sh PYTHON [PYTEST_OPTION...]. Exit code 77: a package they need is missing.
set -u
python=$1
shift
cd "$(dirname "$0")" || exit 1
. ../missing.sh
for package in msgpack pytest; do
    "$python" -c "import $package" 2>/dev/null || missing "$python's $package"
done
exec "$python" -B -m pytest -q -p no:cacheprovider "$@" .
