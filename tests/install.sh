#!/bin/sh
# Installs into a temporary directory, builds a program against it with pkg-config, shared and static, and checks which
# names the libraries export.
set -eu
command -v pkg-config >/dev/null || { echo "skipped: no pkg-config"; exit 77; }
dest=$(mktemp -d)
trap 'rm -rf "$dest"' EXIT
meson install -C "$PYR_BUILD" --no-rebuild --quiet --destdir "$dest" >/dev/null

fail() {
    echo "$*"
    exit 1
}

pc=$(find "$dest" -name pyramids.pc)
[ -n "$pc" ] || fail "no pyramids.pc"
export PKG_CONFIG_LIBDIR="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$dest"
libdir=$(dirname "$(dirname "$pc")")
[ -n "$(find "$dest" -name pyramids.1)" ] || fail "no manual page"
unit=$(find "$dest" -name pyramids.service)
[ -n "$unit" ] || fail "no pyramids.service"
[ -x "$dest$(sed -n 's/^ExecStart=\([^ ]*\) .*/\1/p' "$unit")" ] || fail "the unit starts a program that is not there"
for path in systemd/system/pyramids.socket sysusers.d/pyramids.conf tmpfiles.d/pyramids.conf; do
    [ -f "$dest/$(echo "$unit" | sed "s,^$dest/\(.*\)/systemd/system/.*,\1,")/$path" ] || fail "no $path"
done
[ -f "$libdir/libpyramids.so.0" ] || fail "no libpyramids.so.0"

cat >"$dest/program.c" <<'END'
#include <stdio.h>
#include <pyramids/bots.h>
#include <pyramids/edition.h>
#include <pyramids/version.h>

#if PYR_VERSION_NUMBER < PYR_VERSION_ENCODE(0, 1, 0)
#error "which version is this?"
#endif

int main(void)
{
    struct pyr_edition edition;
    struct pyr_fault fault;
    enum pyr_err err = pyr_edition_read(&edition, "pyramids-edition 2\n", 19, &fault);
    printf("%d %u %s %s %d\n", err == PYR_ERR_TEXT_VERSION, (unsigned)fault.line, pyr_bot_at(0)->name, pyr_version(),
        pyr_version_number() == PYR_VERSION_NUMBER);
    return 0;
}
END
cd "$dest"
flags=$(pkg-config --cflags pyramids)
# shellcheck disable=SC2046,SC2086  # lists of flags
{
    $CC -std=c11 -Wall -Werror $flags program.c -o shared $(pkg-config --libs pyramids)
    $CC -std=c11 -Wall -Werror $flags program.c -o static "$libdir/libpyramids.a" -lsodium -pthread
    g++ -x c++ -std=c++11 -Wall -Werror $flags program.c -o cplusplus $(pkg-config --libs pyramids)
}
answer="1 1 random $(pkg-config --modversion pyramids) 1"
[ "$(LD_LIBRARY_PATH=$libdir ./shared)" = "$answer" ] || fail "the shared library answers otherwise"
[ "$(./static)" = "$answer" ] || fail "the static library answers otherwise"
[ "$(LD_LIBRARY_PATH=$libdir ./cplusplus)" = "$answer" ] || fail "the shared library answers C++ otherwise"
LD_LIBRARY_PATH=$libdir ldd ./shared | grep -q 'libpyramids\.so\.0 => ' || fail "./shared does not use libpyramids.so.0"

# The example of README.md compiles unchanged, with the command printed there, and plays a whole game: 28 turns, so that
# the four scores equal those of the command's own random game with this seed.
sed -n '/^```c$/,/^```$/p' "$PYR_SOURCE/README.md" | sed '/^```/d' >game.c
command=$(sed -n 's/^    cc game\.c/game.c/p' "$PYR_SOURCE/README.md")
[ -n "$command" ] || fail "README.md does not say how to compile its example"
eval "$CC -std=c11 -Wall -Wextra -Wconversion -Werror $command"
LD_LIBRARY_PATH=$libdir ./game >scores
[ "$(grep -cE '^player [1-4]: -?[0-9]+ points$' scores)" = 4 ] || fail "the example of README.md prints" "$(cat scores)"
wanted=$("$PYR_BUILD/src/cli/pyramids" bench --games 1 --seed 1 --json | sed 's/.*"mean_score": \(-*[0-9]*\)\.0000.*/\1/')
grep -qx "player 1: $wanted points" scores ||
    fail "the example of README.md played another game: $wanted is not in" "$(cat scores)"

others=$(nm -D --defined-only "$libdir/libpyramids.so" | awk '$2 != "A" { print $NF }' | grep -v '^pyr_' || true)
[ -z "$others" ] || fail "the shared library also shows" "$others"
others=$(nm -g --defined-only "$libdir/libpyramids.a" | awk 'NF == 3 { print $NF }' | grep -v '^pyr_' || true)
[ -z "$others" ] || fail "the static library also shows" "$others"

# Everything that the headers declare exists.
promised=$(cat "$(dirname "$(find "$dest" -path '*/pyramids/base.h')")"/*.h | tr '\n' ' ' |
    grep -o 'PYR_API [^;]*;' | grep -o '\bpyr_[a-z0-9_]*(' | tr -d '(' | sort -u)
shown=$(nm -D --defined-only "$libdir/libpyramids.so" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u)
for name in $promised; do
    echo "$shown" | grep -Fqx "$name" || fail "$name is declared, but not in the library"
done
