#!/bin/sh
# instructions.sh PYRAMIDS OUTSIDE EDITION...: limits for the number of instructions of random games and of steps of an
# environment.
# Counted, not timed: the difference of two game counts under callgrind, which does not depend on the machine's load.
#
#   20,000 per four-player game, one at a time, on every edition named (mixed.edition has random cards and patterns, and took
#   20,261 once), on the last one with three cards of the pattern with eight turns, and on boxes where every space has a gem
#   or a skull; 8,000 in batches (classic)
#   more on boxes that the reader accepts but nobody would print: they have ten times as many steps, or end a card with
#   almost every mark. These limits keep the worst boxes found by a search from getting worse.
#   12,000 per four-player game for a program outside the library that calls pyr_playouts_run for each (outside_games.c)
#   900 per step of an environment with observation and mask for four players, 820 for two (classic)
set -eu
command -v valgrind >/dev/null || { echo 'valgrind is needed'; exit 77; }
grep -qw avx2 /proc/cpuinfo 2>/dev/null || { echo 'the count is for processors with AVX2'; exit 77; }
pyramids=$1 outside=$2
shift 2
collected() {    # collected VALGRIND-OPTION... -- WORD...: instructions, after what the command prints
    options=
    while [ "$1" != -- ]; do options="$options $1"; shift; done
    shift
    # shellcheck disable=SC2086  # a list of options
    valgrind --tool=callgrind --callgrind-out-file=/dev/null $options "$pyramids" bench "$@" 2>&1
}
sum_of() { sed -n 's/.*Collected : //p'; }
games() {    # games LIMIT NAME WORD...
    limit=$1 name=$2
    shift 2
    few=$(collected -- --players 4 --games 640 "$@" | sum_of) many=$(collected -- --players 4 --games 1600 "$@" | sum_of)
    each=$(((many - few) / 960))
    echo "$name: $each instructions per game, at most $limit"
    [ "$each" -gt 1000 ]    # games were played
    [ "$each" -le "$limit" ]
}
steps() {    # steps LIMIT PLAYERS
    out=$(collected --toggle-collect=pyr_env_step -- --env --players "$2" --games 300 --json)
    made=$(echo "$out" | sed -n 's/.*"steps": \([0-9]*\),.*/\1/p')
    each=$(($(echo "$out" | sum_of) / made))
    echo "environment, $2 players: $each instructions per step, at most $1"
    [ "$each" -gt 100 ]    # something was counted
    [ "$each" -le "$1" ]
}
for edition; do
    games 20000 "$edition" --edition "$edition"
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sed 's/^pattern L4 1/pattern L4 3/; s/^\(pattern [IV]3\) 2/\1 1/' "$edition" >"$folder/turns"
grep -q '^pattern L4 3' "$folder/turns"
games 20000 'three cards with eight turns' --edition "$folder/turns"
box() {    # box LIMIT NAME ROW...: all cards have these rows, and the patterns have as many turns as they can
    limit=$1 name=$2
    shift 2
    {
        printf '%s\n' 'pyramids-edition 1' 'name extreme' 'title Extreme' 'skulls 1 2 3 4 6 8 10 12 15 18' '' \
            'pattern L4 3' X. X. XX '' 'pattern S4 1' XX. .XX '' 'pattern T4 1' XXX .X. '' 'pattern V3 1' X. XX '' \
            'pattern I4 1' XXXX '' 'pattern I3 1' XXX ''
        number=0
        while [ $number -lt 48 ]; do
            for colour in green orange purple; do
                number=$((number + 1))
                printf '%s\n' "card $number $colour" "$@" ''
            done
        done
    } >"$folder/box"
    games "$limit" "$name" --edition "$folder/box"
}
box 20000 'empty' ..v.. ..... ..... ..... ..T..
box 20000 'rubies everywhere' rrvrr rrrrr rrrrr rrrrr rrTrr
box 20000 'skulls everywhere' ssvss sssss sssss sssss ssTss
box 21500 'potions everywhere' ppvpp ppppp ppppp ppppp ppTpp
box 22000 'torches everywhere' ffvff fffff fffff fffff ffTff
box 23000 'potions on a column' '##v##' '##p##' '##p##' '##p##' '##T##'
box 32000 'crosses on a column' '##v##' '##x##' '##x##' '##x##' '##T##'
box 57000 'crosses everywhere' xxvxx xxxxx xxxxx xxxxx xxTxx
games 8000 'batches' --batch
counted() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$outside" batch "$1" 2>&1 | sum_of; }
each=$((($(counted 1280) - $(counted 640)) / 640))
echo "one game per call: $each instructions, at most 12000"
[ "$each" -le 12000 ]
steps 900 4
steps 820 2
