# complete.zsh FOLDER LINE: what zsh offers for LINE with the completions in FOLDER, one word per line. zsh completes only in
# a terminal, so this one drives another zsh in a terminal of its own, whose compadd prints instead of offering. Nothing is
# typed there: the line is put in place when zsh begins to edit its next one.
zmodload zsh/zpty
typeset -x COMPLETE_FOLDER=$1 COMPLETE_LINE=$2
script=$(mktemp)
trap 'rm -f $script' EXIT
cat >$script <<'END'
PROMPT=
fpath=($COMPLETE_FOLDER $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
    local -a found
    builtin compadd -O found "$@"
    print -rl -- "<<<" $found ">>>"
}
complete_it() { _main_complete }
begin() {
    LBUFFER=$COMPLETE_LINE
    zle complete_it
    print -r -- "END""MARK"
    exit
}
zle -C complete_it complete-word complete_it
zle -N zle-line-init begin
END
zpty child zsh -f -i
zpty -w child "source $script"
zpty -r child seen '*ENDMARK*' || exit 1
print -r -- $seen | tr -d '\r' | sed -n '/<<</,/>>>/p' | grep -v '<<<\|>>>' | sort -u
