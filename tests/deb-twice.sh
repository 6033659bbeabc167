#!/bin/sh
# deb-twice.sh [FOLDER]: builds the packages again, in another place, with another umask, time zone, language, home and
# number of jobs, and without network, and compares them with those of FOLDER (build-deb), byte by byte. Run by `make
# test-deb`.
set -eu
cd "$(dirname "$0")/.."
first=$(cd "${1:-build-deb}" && pwd)
second=$(mktemp -d)
trap 'rm -rf "$second"' EXIT
mkdir -p "$second/another/deeper" "$second/home"
alone=
unshare -rn true 2>/dev/null && alone='unshare -rn'
umask 027
# shellcheck disable=SC2086  # a command, or none
env PYR_CHECK=no TZ=Pacific/Kiritimati LANG=tr_TR.UTF-8 LC_ALL=C.UTF-8 LANGUAGE=de HOME="$second/home" USER=someone \
    CCACHE_DISABLE=1 DEB_BUILD_OPTIONS=parallel=3 $alone scripts/make-deb "$second/another/deeper" >/dev/null
different=
for file in "$first"/*.deb; do
    cmp "$file" "$second/another/deeper/${file##*/}" || different="$different ${file##*/}"
done
[ -z "$different" ] || { echo "not built the same twice:$different" >&2; exit 1; }
echo "built twice, the same: $(find "$first" -maxdepth 1 -name '*.deb' | wc -l) packages"
