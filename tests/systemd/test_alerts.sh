#!/bin/sh
# The alert rules and the dashboard's expressions as Prometheus itself reads them, and what the rules make of figures.
# promtool comes with Debian's package prometheus.
set -u
here=$(cd "$(dirname "$0")" && pwd)
monitoring=$here/../../docs/monitoring
if ! command -v promtool >/dev/null; then
    echo "skipped: there is no promtool (Debian's package prometheus)"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
faults=0
fail() {
    echo "FAILED: $*" >&2
    faults=1
}

promtool check rules "$monitoring/alerts.yml" || fail "alerts.yml"
promtool test rules "$here/alerts.test.yml" || fail "alerts.test.yml"
rules=$(grep -c 'alert: ' "$monitoring/alerts.yml")
grep -q "value: $rules}" "$here/alerts.test.yml" || fail "alerts.test.yml does not let all $rules rules speak"

# As recording rules, since promtool checks no others.
python3 - "$monitoring/dashboard.json" >"$folder/dashboard.yml" <<'END' || fail "dashboard.json cannot be read"
import json, re, sys

def expressions(node):
    if isinstance(node, dict):
        if isinstance(node.get("expr"), str):
            yield node["expr"]
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            yield from expressions(child)

found = list(expressions(json.load(open(sys.argv[1]))))
assert len(found) > 10, "hardly any expression"
texts = [re.sub(r"\$\{?\w+\}?", lambda m: "5m" if "interval" in m[0] else "a", e) for e in found]
rules = [{"record": "panel:%d" % i, "expr": e} for i, e in enumerate(texts)]
print(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
END
promtool check rules "$folder/dashboard.yml" || fail "an expression of dashboard.json"
exit $faults
