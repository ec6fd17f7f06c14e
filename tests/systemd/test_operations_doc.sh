#!/bin/sh
# docs/operations.md knows every event that is logged as a warning or an error, and names no metric that there is not.
set -u
root=$(dirname "$0")/../..
document=$root/docs/operations.md
faults=0
events=$(grep -rhE 'nd_log\(.*(WARN|ERROR)' "$root/daemon" --include='*.c' | grep -oE '"[a-z_]+\.[a-z_]+"' | tr -d '"' | sort -u)
[ "$(echo "$events" | wc -l)" -gt 10 ] || { echo "FAILED: no events found" >&2; exit 1; }
for event in $events; do
    [ "$event" = config.changed ] && continue # a warning only where it needs a restart, under that name
    grep -q "^| \`$event\` |" "$document" || { echo "FAILED: $event is not explained" >&2; faults=1; }
done
for metric in $(grep -oE 'navd_[a-z_]+|process_[a-z_]+' "$document" | sed -E 's/_(bucket|sum|count)$//' | sort -u); do
    grep -q "\"$metric\"" "$root/daemon/base/metrics.h" || { echo "FAILED: there is no metric $metric" >&2; faults=1; }
done
exit $faults
