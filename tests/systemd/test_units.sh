#!/bin/sh
# The units: systemd understands them, the service is sandboxed, the user and the folder can be made. Skipped (77) where
# systemd's tools are not installed; it need not run.
#   test_units.sh FOLDER NAVD    the folder of the built units, the program
set -u
units=$1
navd=$2
source=$(dirname "$0")/../../systemd
command -v systemd-analyze >/dev/null 2>&1 || { echo "skipped: there is no systemd-analyze"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
faults=0

fail() {
    echo "FAILED: $*" >&2
    faults=$((faults + 1))
}

# As installed, but with this program; manual pages are not installed yet.
for unit in navd.service navd.socket navd-worker.service; do
    sed -e "s|^ExecStart=[^ ]*|ExecStart=$navd|" -e '/^Documentation=/d' "$units/$unit" >"$work/$unit"
done
said=$(cd "$work" && systemd-analyze verify "$work"/navd*.service "$work/navd.socket" 2>&1) || fail "verify: $said"
case $said in *navd*) fail "verify says: $said" ;; esac

for unit in navd.service navd-worker.service; do
    exposure=$(systemd-analyze security --offline=true --no-pager "$work/$unit" 2>/dev/null |
        sed -n "s/.*Overall exposure level for $unit: \([0-9.]*\) .*/\1/p")
    [ -n "$exposure" ] || fail "systemd-analyze security says nothing of $unit"
    awk "BEGIN { exit !(${exposure:-10} <= 2.0) }" || fail "$unit: exposure $exposure is above 2.0"
    systemd-analyze security --offline=true --threshold=20 "$work/$unit" >/dev/null 2>&1 || fail "$unit: threshold 20"
done

# A worker may do nothing that the daemon may not.
hardening() { sed -n '/^AmbientCapabilities/,/^UMask/p' "$units/$1"; }
[ -n "$(hardening navd.service)" ] && [ "$(hardening navd.service)" = "$(hardening navd-worker.service)" ] ||
    fail "navd-worker.service is not confined as navd.service is"
grep -q "^ExecStart=.*/navd --worker --config .*/navd/worker.conf$" "$units/navd-worker.service" || fail "navd-worker.service starts no worker"

if command -v systemd-sysusers >/dev/null 2>&1; then
    systemd-sysusers --root="$work" --dry-run "$source/navd.sysusers" >/dev/null 2>&1 || fail "sysusers"
fi
if command -v systemd-tmpfiles >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    mkdir -p "$work/root/etc"
    echo "navd:x:990:990::/:/bin/false" >"$work/root/etc/passwd"
    echo "navd:x:990:" >"$work/root/etc/group"
    cp "$source/navd.tmpfiles" "$work/navd.conf"
    systemd-tmpfiles --root="$work/root" --create "$work/navd.conf" >/dev/null 2>&1
    [ "$(stat -c %a:%u "$work/root/run/navd" 2>/dev/null)" = 755:990 ] || fail "tmpfiles made no /run/navd"
fi

# The user's unit starts the same program, and tells systemd when it is ready.
grep -q "^ExecStart=.*/navd " "$units/navd-user.service" || fail "navd-user.service starts no navd"
grep -q "^Type=notify" "$units/navd-user.service" || fail "navd-user.service does not notify"

# The example is what the program takes.
"$navd" --check-config --config "$units/navd.conf" >/dev/null || fail "navd.conf is refused"

[ $faults = 0 ] && echo "ok, exposure $exposure"
exit $((faults > 0))
