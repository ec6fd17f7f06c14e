#!/bin/sh
# Runs the tests of the Python package: run.sh PYTHON [PYTEST_OPTION...]. Exit code 77: a package they need is missing.
set -u
python=$1
shift
cd "$(dirname "$0")" || exit 1
if ! "$python" -c "import msgpack, pytest" 2>/dev/null; then
    echo "python: needs python3-msgpack and python3-pytest (scripts/setup editors installs them)" >&2
    [ "${NAVD_EDITORS:-}" = required ] && exit 1
    exit 77
fi
exec "$python" -B -m pytest -q -p no:cacheprovider "$@" .
