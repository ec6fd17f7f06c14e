#!/bin/sh
# The alert rules and the dashboard name metrics and labels that navd exports, and each alarm of docs/operations.md has
# a rule. The Dockerfile copies and starts what there is.
set -u
root=$(dirname "$0")/../..
metrics=$root/daemon/base/metrics.h
document=$root/docs/operations.md
alerts=$root/docs/monitoring/alerts.yml
dashboard=$root/docs/monitoring/dashboard.json
faults=0
fail() {
    echo "FAILED: $*" >&2
    faults=1
}

names() { # metrics named in a file
    grep -oE '\b(navd|process)_[a-z_]+' "$1" | sed -E 's/_(bucket|sum|count)$//' | sort -u
}

for file in "$alerts" "$dashboard"; do
    [ "$(names "$file" | wc -l)" -gt 10 ] || fail "$file names hardly any metric"
    for metric in $(names "$file"); do
        grep -q "\"$metric\"" "$metrics" || fail "$file: there is no metric $metric"
    done
done
# NAME{...label="value"...}: that metric has that value of the label
tr -d '\\' <"$dashboard" | grep -oE 'navd_[a-z_]+\{[^}]*\}' | sort -u | while read -r selector; do
    metric=${selector%%\{*}
    for pair in $(echo "$selector" | grep -oE '[a-z_]+="[a-z_]+"'); do
        name=${pair%%=*} value=${pair#*=\"}
        grep -q "\"$metric\", \"$name=\\\\\"${value%\"}\\\\\"\"" "$metrics" || echo "$metric has no $pair"
    done
done >"${TMPDIR:-/tmp}/navd_labels.$$"
while read -r line; do fail "$dashboard: $line"; done <"${TMPDIR:-/tmp}/navd_labels.$$"
rm -f "${TMPDIR:-/tmp}/navd_labels.$$"

alarms=$(sed -n '/^| alarm |/,/^$/p' "$document" | grep -oE '\b(navd|process)_[a-z_]+' | sort -u)
[ -n "$alarms" ] || fail "no alarms in $document"
for metric in $alarms; do
    grep -q "$metric" "$alerts" || fail "no rule in $alerts for $metric"
done

if command -v python3 >/dev/null; then
    python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); assert d["title"] and len(d["panels"]) > 5' "$dashboard" ||
        fail "$dashboard is no dashboard"
    python3 -c 'import yaml' 2>/dev/null && {
        python3 -c '
import sys, yaml
for group in yaml.safe_load(open(sys.argv[1]))["groups"]:
    for rule in group["rules"]:
        assert rule["alert"] and rule["expr"] and rule["labels"]["severity"] and rule["annotations"]["summary"], rule
' "$alerts" || fail "$alerts holds no rules"
    }
fi

docker=$root/Dockerfile
for path in $(sed -n 's/^COPY \([^-].*\) [^ ]*$/\1/p' "$docker"); do
    [ -e "$root/$path" ] || fail "Dockerfile: COPY $path: there is no such file"
done
grep -q '^package:' "$root/Makefile" || fail "Dockerfile: make package is no target"
grep -q 'navd_package(daemon navd)' "$root/cmake/packages.cmake" || fail "Dockerfile: there is no package navd"
grep -q 'navd_package(tools navctl)' "$root/cmake/packages.cmake" || fail "Dockerfile: there is no package navctl"
grep -q '^u navd ' "$root/systemd/navd.sysusers" || fail "Dockerfile: nothing creates the user navd"
for word in /usr/bin/navd /etc/navd/navd.conf /var/lib/navd /run/navd; do
    grep -q "$word" "$docker" || fail "Dockerfile: no $word"
done
exit $faults
