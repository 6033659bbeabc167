#!/bin/sh
# tarball-tests.sh BUILD: builds the fast test programs in a build for another processor (scripts/make-tarball) and runs
# them; Meson puts qemu in front. Scripts are left out: they start the program themselves, which tests/tarball.sh covers.
set -eu
build=$1
names=$(meson introspect "$build" --tests | python3 -c 'import json, os, sys
tests = json.load(sys.stdin)
print(*sorted({test["name"] for test in tests if os.path.basename(test["cmd"][0]) == "test_" + test["name"]}))')
[ "$(echo "$names" | wc -w)" -ge 20 ] || { echo "tarball-tests.sh: too few test programs: $names" >&2; exit 1; }
programs=
for name in $names; do
    programs="$programs tests/test_$name"
done
# shellcheck disable=SC2086  # lists of words
{
    ninja -C "$build" $programs >"$build.log" 2>&1 || { tail -n 20 "$build.log" >&2; exit 1; }
    meson test -C "$build" --no-rebuild --print-errorlogs --timeout-multiplier 60 $names
}
