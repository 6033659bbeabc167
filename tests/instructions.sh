#!/bin/sh
# instructions.sh PYRAMIDS OUTSIDE EDITION...: how many instructions random games and the steps of an environment take at
# most.
# Counted, not timed: the difference of two game counts under callgrind, the same whatever else the machine is doing.
#
#   20,000 per four-player game, one at a time, on every edition named (mixed.edition has random cards and patterns, and took
#   20,261 once); 8,000 in batches (classic)
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
games 8000 'batches' --batch
counted() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$outside" batch "$1" 2>&1 | sum_of; }
each=$((($(counted 1280) - $(counted 640)) / 640))
echo "one game per call: $each instructions, at most 12000"
[ "$each" -le 12000 ]
steps 900 4
steps 820 2
