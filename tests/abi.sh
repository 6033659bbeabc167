#!/bin/sh
# abi.sh LIBRARY PROGRAM STORED PROTOTYPES: the binary interface equals the stored one: exported names, sizes, offsets and
# values (abi.c), and the parameters of every function (scripts/prototypes.py).
# With PYR_UPDATE=1 it stores the current interface. After the first release, a change that breaks programs (a removed or
# changed line) needs a new soversion in src/lib/meson.build; an added line does not.
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
