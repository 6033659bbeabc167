# fish completion for pyramids. Options come from the program's own help, so they are always those of the installed version.
function __pyramids_commands
    LANGUAGE=en pyramids --help 2>/dev/null | string match -rg '^  ([a-z]+) +(.*)' | paste - - 2>/dev/null
end

function __pyramids_options
    set -l words (commandline -opc)
    LANGUAGE=en pyramids $words[2] --help 2>/dev/null | string match -rg '^  (?:-\w, )?(--[a-z-]+)'
end

function __pyramids_is_first
    test (count (commandline -opc)) -eq 1
end

function __pyramids_is_second
    set -l words (commandline -opc)
    test (count $words) -eq 2; and test "$words[2]" = $argv[1]
end

function __pyramids_values
    set -l words (commandline -opc)
    switch "$words[2]:$words[-1]"
        case '*:--lang'
            printf '%s\n' de en es fr it pt
        case puzzle:--theme puzzle:-t
            printf '%s\n' card race cross skull tomb last
        case print:--paper print:-p
            printf '%s\n' a4 letter
        case print:--only
            printf '%s\n' cards expedition score
        case serve:--role
            printf '%s\n' serve think
        case serve:--push
            printf '%s\n' on off
    end
end

complete -c pyramids -f -n __pyramids_is_first -a '(__pyramids_commands)'
complete -c pyramids -n 'not __pyramids_is_first; and string match -q -- "-*" (commandline -ct)' -f -a '(__pyramids_options)'
complete -c pyramids -f -n 'string length -q (__pyramids_values)' -a '(__pyramids_values)'
complete -c pyramids -f -n '__pyramids_is_second admin' \
    -a 'status tables visitors close ban unban bans rename announce backup check sweep'
complete -c pyramids -f -n '__pyramids_is_second edition' -a 'check show generate'
