# The manual pages against the programs: every option and command has its place, and the formatter has nothing to say.
# Arguments: folder of the pages, navd, navctl.
set -euo pipefail
pages=$1 navd=$2 navctl=$3
wrong=0
fail() { echo "$*" >&2; wrong=1; }

# has PAGE WORD -- as the head of an item
has() { sed 's/\\-/-/g' "$pages/$1" | grep -A1 '^\.TP' | grep -E -- "^\.B (.*, )?$2( |\$)" >/dev/null; }

for page in navd.8 navd.conf.5 navctl.1; do
    [[ -s $pages/$page ]] || fail "$page is missing or empty"
    ! grep -n '^@' "$pages/$page" || fail "$page: a word was not replaced"
    gzip -dc "$pages/$page.gz" | cmp -s - "$pages/$page" || fail "$page.gz is another page"
    command -v groff >/dev/null || continue
    said=$(groff -man -Tutf8 -ww -rLL=100n -z "$pages/$page" 2>&1) || fail "$page: groff failed"
    [[ -z $said ]] || fail "$page: $said"
    if command -v lexgrog >/dev/null; then
        lexgrog "$pages/$page" | grep "$(sed -n 's/^\(.*\) \\- .*/\1/p' "$pages/$page" | head -1) - " >/dev/null || fail "$page: no name section that whatis understands"
    fi
done

options=$("$navd" --help | grep -oE '^  --[a-z-]+' | tr -d ' ')
[[ $(wc -w <<<"$options") -gt 20 ]] || fail "navd --help shows no options"
for option in $options; do
    name=${option#--}
    has navd.8 "$option" || has navd.conf.5 "${name//-/_}" || fail "navd's $option is in no manual page"
done

"$navctl" --help | awk '/^  [a-z]/ { n = match(substr($0, 3), /  +/); print substr($0, 3, n - 1) }' >"$pages/commands"
[[ $(wc -l <"$pages/commands") -gt 10 ]] || fail "navctl --help shows no commands"
while read -r command; do
    sed 's/\\-/-/g' "$pages/navctl.1" | grep -E "^\.SS $command( |\$)" >/dev/null || fail "navctl $command is not in navctl.1"
    # shellcheck disable=SC2086
    for option in $("$navctl" --complete $command | grep -oE '^--[a-z-]+' | grep -v '^--help$'); do
        has navctl.1 "$option" || fail "navctl $command's $option is not in navctl.1"
    done
done <"$pages/commands"
exit $wrong
