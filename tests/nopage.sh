#!/bin/sh
# A machine without clang: the build is set up without the page and reports that; once clang is installed, the same
# directory gets the page. Nothing is compiled here.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CC

fail() {
    echo "$*"
    cat "$work/out" "$work/err"
    exit 1
}

# All commands but clang and wasm-ld. ccache looks for the real compiler in the path and would find its own link there.
mkdir "$work/bin"
old_ifs=$IFS
IFS=:
for folder in $PATH; do
    case $folder in */ccache) continue ;; esac
    for file in "$folder"/*; do
        case ${file##*/} in clang* | wasm-ld* | lld*) continue ;; esac
        [ -x "$file" ] && [ ! -e "$work/bin/${file##*/}" ] && ln -s "$file" "$work/bin/${file##*/}"
    done
done
IFS=$old_ifs
without=$work/bin

configure() {    # configure PATH DIRECTORY OPTION...
    path=$1
    shift
    PATH=$path "$PYR_SOURCE/scripts/configure" "$@" >"$work/out" 2>"$work/err" || fail "it cannot be set up: $*"
}

configure "$without" "$work/build" -Dtests=false
grep -q 'pyramids\.wasm' "$work/build/build.ninja" && fail "the page is built without clang"
grep -q 'without the browser page' "$work/err" || fail "nobody says that the page is missing"
grep -q 'install clang and lld' "$work/err" || fail "nobody says how to get the page"
grep -q 'WARNING.*clang' "$work/out" || fail "Meson does not say that the page is missing"

# Still without: it is reported again, and nothing is set up again.
before=$(cksum "$work/build/build.ninja")
configure "$without" "$work/build" -Dtests=false
grep -q 'without the browser page' "$work/err" || fail "it is said only once"
[ "$before" = "$(cksum "$work/build/build.ninja")" ] || fail "it is set up again for nothing"

configure "$PATH" "$work/build" -Dtests=false
grep -q 'pyramids\.wasm' "$work/build/build.ninja" || fail "clang has come, and the page has not"
grep -q 'without the browser page' "$work/err" && fail "the page is there, and is said to be missing"

# Another run changes nothing; with -Dwasm=disabled the page stays out, and nothing is reported.
before=$(cksum "$work/build/build.ninja")
configure "$PATH" "$work/build" -Dtests=false
[ "$before" = "$(cksum "$work/build/build.ninja")" ] || fail "it is set up again for nothing"
configure "$PATH" "$work/other" -Dtests=false -Dwasm=disabled
configure "$PATH" "$work/other" -Dtests=false -Dwasm=disabled
grep -q 'pyramids\.wasm' "$work/other/build.ninja" && fail "a page that is not wanted is built"
grep -q 'without the browser page' "$work/err" && fail "what is not wanted is missed"
exit 0
