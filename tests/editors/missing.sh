# Sourced by the tests' scripts. need PROGRAM, missing WHAT: where it is not there, the test is skipped (exit code 77), and with
# NAVD_EDITORS=required it fails.
missing() {
    echo "skipped: $1 is missing; scripts/setup editors installs it"
    [ "${NAVD_EDITORS:-}" = required ] && exit 1
    exit 77
}

need() {
    command -v "$1" >/dev/null 2>&1 || missing "$1"
}
