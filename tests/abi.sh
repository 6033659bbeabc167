#!/bin/sh
# abi.sh LIBRARY PROGRAM STORED PROTOTYPES: the binary interface is the stored one: names that the library shows, sizes,
# places and values (abi.c), and the parameters of every function (scripts/prototypes.py).
# With PYR_UPDATE=1 it stores what is there now. A change that breaks programs (a line that goes or differs) takes a new
# soversion in src/lib/meson.build once there is a release; a line more does not.
set -eu
now=$(mktemp)
trap 'rm -f "$now"' EXIT
{
    nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $NF); print "symbol", $NF }'
    "$2"
    "$4"
} | LC_ALL=C sort >"$now"
if [ "${PYR_UPDATE:-}" ]; then
    cp "$now" "$3"
    exit 0
fi
diff -u "$3" "$now" || {
    echo "The binary interface has changed. If that is meant: PYR_UPDATE=1 meson test -C build abi"
    exit 1
}
