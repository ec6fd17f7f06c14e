#!/bin/sh
# Every document's links lead somewhere: to a file that exists, and in a document to a heading that it has. Names of
# sources in `backticks` exist, too.
#   links.sh ROOT
set -eu
export LC_ALL=C
cd "$1"
pages=$(find . -name '*.md' -not -path './build/*' -not -path './.*/*' | sed 's|^\./||' | sort)
[ "$(echo "$pages" | wc -l)" -gt 20 ] || { echo "FAILED: no documents found" >&2; exit 1; }

# shellcheck disable=SC2086
awk '
# The anchor that GitHub gives a heading.
function anchor(text) {
    text = tolower(text)
    gsub(/\[|\]\([^)]*\)/, "", text)
    gsub(/[^a-z0-9 _\200-\377-]/, "", text)
    gsub(/ /, "-", text)
    return text
}
# The file that a link in page leads to, from the root.
function resolve(page, to,    parts, n, i, out) {
    sub(/[^\/]*$/, "", page)
    n = split(page to, parts, "/")
    for (i = 1; i <= n; i++) {
        if (parts[i] == "." || parts[i] == "") continue
        if (parts[i] == "..") { if (!sub(/\/?[^\/]+$/, "", out)) return "outside"; continue }
        out = out (out == "" ? "" : "/") parts[i]
    }
    return out
}
function exists(path) {
    if (!(path in there)) there[path] = system("test -e \"" path "\"") == 0
    return there[path]
}
FNR == 1 { code = 0 }
/^```/ { code = !code; next }
code { next }
/^#+ / {
    a = $0; sub(/^#+ /, "", a); a = anchor(a)
    n = seen[FILENAME, a]++
    anchors[FILENAME, n ? a "-" n : a] = 1
}
{
    line = $0
    while (match(line, /\]\([^) ]+\)/)) {
        link = substr(line, RSTART + 2, RLENGTH - 3)
        line = substr(line, RSTART + RLENGTH)
        if (link !~ /^(https?|mailto):/) { links[++count] = link; from[count] = FILENAME; at[count] = FNR }
    }
    line = $0
    while (match(line, /`(core|daemon|protocol|clients|include|tests|scripts|docs|cmake|systemd)\/[a-zA-Z0-9_.\/-]+`/)) {
        link = substr(line, RSTART + 1, RLENGTH - 2)
        line = substr(line, RSTART + RLENGTH)
        if (!exists(link)) { printf "FAILED: %s:%d: there is no %s\n", FILENAME, FNR, link; faults++ }
    }
}
END {
    for (i = 1; i <= count; i++) {
        n = index(links[i], "#")
        file = n == 1 ? from[i] : resolve(from[i], n ? substr(links[i], 1, n - 1) : links[i])
        if (!exists(file)) {
            printf "FAILED: %s:%d: %s leads to no file\n", from[i], at[i], links[i]; faults++
        } else if (n && file ~ /\.md$/ && !((file, substr(links[i], n + 1)) in anchors)) {
            printf "FAILED: %s:%d: %s leads to no heading\n", from[i], at[i], links[i]; faults++
        }
    }
    if (count < 50) { print "FAILED: hardly a link was found"; faults++ }
    exit faults > 0
}' $pages >&2
