#!/bin/sh
# deb-twice.sh [FOLDER]: builds the packages again, in another place, with another umask, time zone, language, home, host
# name and number of jobs, and without network, and compares them with those of FOLDER (build-deb), byte by byte. Run by
# `make test-deb`.
set -eu
cd "$(dirname "$0")/.."
first=$(cd "${1:-build-deb}" && pwd)
second=$(mktemp -d)
trap 'rm -rf "$second"' EXIT
mkdir -p "$second/another/deeper" "$second/home"
elsewhere() {    # elsewhere COMMAND...: without network, on a host of another name, with memory at other places
    if unshare -rnu true 2>/dev/null; then
        unshare -rnu setarch -R sh -c 'hostname elsewhere && exec "$@"' sh "$@"
    else
        "$@"
    fi
}
umask 027
elsewhere env PYR_CHECK=no TZ=Pacific/Kiritimati LANG=tr_TR.UTF-8 LC_ALL=C.UTF-8 LANGUAGE=de HOME="$second/home" \
    USER=someone CCACHE_DISABLE=1 DEB_BUILD_OPTIONS=parallel=3 scripts/make-deb "$second/another/deeper" >/dev/null
different=
for file in "$first"/*.deb; do
    cmp "$file" "$second/another/deeper/${file##*/}" || different="$different ${file##*/}"
done
[ -z "$different" ] || { echo "not built the same twice:$different" >&2; exit 1; }
echo "built twice, the same: $(find "$first" -maxdepth 1 -name '*.deb' | wc -l) packages"
