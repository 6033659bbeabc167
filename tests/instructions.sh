#!/bin/sh
# instructions.sh PYRAMIDS EDITION...: a uniformly random four-player game takes at most 20,000 instructions, on every
# edition named. Counted, not timed: the difference of two game counts under callgrind, the same whatever else the machine is
# doing.
set -eu
command -v valgrind >/dev/null || { echo 'valgrind is needed'; exit 77; }
grep -qw avx2 /proc/cpuinfo 2>/dev/null || { echo 'the count is for processors with AVX2'; exit 77; }
pyramids=$1
shift
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$pyramids" bench --players 4 --games "$2" --edition "$1" 2>&1 |
        sed -n 's/.*Collected : //p'
}
for edition; do
    few=$(count "$edition" 500) many=$(count "$edition" 2500)
    each=$(((many - few) / 2000))
    echo "$edition: $each instructions a game"
    [ "$each" -le 20000 ]
done
