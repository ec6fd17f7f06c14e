# bash completion for navctl. The words come from navctl itself, so that they never differ from what it takes.
_navctl()
{
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=()
    COMPREPLY=()
    ((COMP_CWORD > 1)) && command=("${COMP_WORDS[@]:1:COMP_CWORD - 1}")

    local name kind choices words=() only_words=
    while read -r name kind choices; do
        if [[ ${#command[@]} -gt 0 && $name == "$before" && $kind != flag && $kind != command ]]; then
            case $kind in
                file) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
                choice) mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$current") ;;
            esac
            return
        fi
        [[ $kind == command ]] && only_words=yes
        [[ $name == -* || $kind == command ]] && words+=("$name")
    done < <(navctl --complete "${command[@]}" 2>/dev/null)

    if [[ -n $only_words || $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}
complete -o filenames -F _navctl navctl
