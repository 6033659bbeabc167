# bash completion for pyramids. Options come from the program's own help, so they are always those of the installed version.
_pyramids()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} program=${COMP_WORDS[0]} help
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        help=$(LANGUAGE=en "$program" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$help --help --version" -- "$word")
        return
    fi
    case $word in
    -*)
        help=$(LANGUAGE=en "$program" "${COMP_WORDS[1]}" --help 2>/dev/null |
            sed -n 's/^  \(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\).*/\2/p')
        mapfile -t COMPREPLY < <(compgen -W "$help" -- "$word")
        return ;;
    esac
    case ${COMP_WORDS[1]}:$before in
    *:--lang) help="de en es fr it pt" ;;
    puzzle:--theme | puzzle:-t) help="card race cross skull tomb last" ;;
    print:--paper | print:-p) help="a4 letter" ;;
    print:--only) help="cards expedition score" ;;
    serve:--role) help="serve think" ;;
    serve:--push) help="on off" ;;
    *) help= ;;
    esac
    if [ -n "$help" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$help" -- "$word")
        return
    fi
    case ${COMP_WORDS[1]}:$COMP_CWORD in
    admin:2)
        help="status tables visitors close ban unban bans rename announce backup check sweep"
        mapfile -t COMPREPLY < <(compgen -W "$help" -- "$word") ;;
    edition:2)
        mapfile -t COMPREPLY < <(compgen -W "check show generate" -- "$word") ;;
    *)
        mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    esac
}
complete -o filenames -F _pyramids pyramids
