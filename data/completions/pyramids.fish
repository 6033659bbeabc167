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

complete -c pyramids -f -n __pyramids_is_first -a '(__pyramids_commands)'
complete -c pyramids -n 'not __pyramids_is_first; and string match -q -- "-*" (commandline -ct)' -f -a '(__pyramids_options)'
complete -c pyramids -f -n '__pyramids_is_second admin' \
    -a 'status tables visitors close ban unban bans rename announce backup check sweep'
complete -c pyramids -f -n '__pyramids_is_second edition' -a 'check show generate'
