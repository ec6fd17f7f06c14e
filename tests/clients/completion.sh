# Asks the completion of navctl as bash does. Arguments: navctl's folder, the completion file.
set -euo pipefail
PATH=$1:$PATH
source "$2"

# expect WORDS... -- what must be offered for the last word
expect()
{
    COMP_WORDS=()
    while [[ $1 != -- ]]; do
        COMP_WORDS+=("$1")
        shift
    done
    shift
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _navctl
    local offered=" ${COMPREPLY[*]} " wanted
    for wanted in "$@"; do
        if [[ $offered != *" $wanted "* ]]; then
            echo "after '${COMP_WORDS[*]}': no $wanted in:$offered" >&2
            exit 1
        fi
    done
}

cd "$(dirname "$2")"
expect navctl "" -- build graph path info tile render push watch edit world stats
expect navctl "" -- jobs cancel failed why top sessions
expect navctl why court 1 2 --pro -- --profile
expect navctl world "" -- list export import delete
expect navctl world ex -- export
expect navctl tile "" -- dump
expect navctl path "" -- nearest raycast wall random reach
expect navctl path random --rea -- --reachable
expect navctl tile dump court 1 1 --pro -- --profile
expect navctl build --only -- --only-tile
expect navctl world list --js -- --json
expect navctl bu -- build
expect navctl build --par -- --partition
expect navctl build --she -- --sheets
expect navctl build --view "" -- top perspective
expect navctl tile --sheet x -- x+ x-
expect navctl build --partition "" -- watershed monotone convex
expect navctl graph --format "" -- json graphml
expect navctl graph --nodes "" -- cells edges
expect navctl build --partition mo -- monotone
expect navctl build navctl.b -- navctl.bash
expect navctl build -o navctl.b -- navctl.bash
expect navctl edit --rem -- --remove --remove-volume --remove-link
[[ " ${COMPREPLY[*]} " != *" --move "* ]]
