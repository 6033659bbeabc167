#!/bin/sh
# old-cpu.sh TWIN PYRAMIDS [TWIN PYRAMIDS]: the games on a processor without AVX2 and BMI2 equal those on this one
# (tests/twin.c has the commands), also in batches and in an environment, whose masks decide which actions are drawn. With
# two more programs, built for arm64, the same is checked there (`make test-arm64`).
set -eu
emulator='qemu-x86_64 -cpu Nehalem' twin=$1 pyramids=$2
[ $# -lt 4 ] || { emulator=qemu-aarch64 twin=$3 pyramids=$4; }
command -v qemu-x86_64 >/dev/null || { echo "skipped: no qemu-x86_64"; exit 77; }
questions() {
    echo "read $PYR_SOURCE/tests/data/plain.edition"
    for players in 2 3 4; do
        echo "games 7 $players 100 0"
        echo "games 7 $players 100 1"
        echo "perft $players $players 30 3"
        echo "bots $players 20 greedy random"
    done
}
answers() {    # answers PYRAMIDS, or EMULATOR... PYRAMIDS
    for players in 2 3 4; do
        for mode in --batch --env; do
            "$@" bench $mode --players $players --games 200 --json --edition "$PYR_SOURCE/tests/data/plain.edition" |
                sed 's/, "seconds.*//'
        done
    done
}
here=$(questions | "$1" && answers "$2")
# shellcheck disable=SC2086  # a command and its options
there=$(questions | $emulator "$twin" && answers $emulator "$pyramids")
if [ "$here" != "$there" ]; then
    printf 'this processor:\n%s\nthe other:\n%s\n' "$here" "$there"
    exit 1
fi
echo "$here"
