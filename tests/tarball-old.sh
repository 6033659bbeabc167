#!/bin/sh
# tarball-old.sh [FOLDER]: runs tests/tarball.sh on the unpacked tarball for x86-64 (build-tarball) in the oldest systems
# that mirrors still have: Debian 11 (2021, glibc 2.31) and Ubuntu 16.04 (April 2016, glibc 2.23), unpacked by mmdebstrap.
# Needs root and both mirrors (PYR_MIRROR, PYR_MIRROR_UBUNTU): `make test-tarball` runs it. The kernel stays this machine's.
set -eu
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "tarball-old.sh: please run this as root: it enters systems of its own" >&2; exit 1; }
folder=${1:-$(echo build-tarball/pyramids-*-linux-x86_64)}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

try() {    # try NAME SUITE LINE
    echo "# $1"
    [ -f "build-tarball/$2.tar" ] || mmdebstrap --quiet --variant=extract \
        --include=bash,coreutils,dash,findutils,grep,sed,libc6 "$2" "build-tarball/$2.tar" "$3"
    mkdir "$root/$2"
    tar -C "$root/$2" -xf "build-tarball/$2.tar" --exclude='./dev/*'
    mkdir -p "$root/$2/tmp" "$root/$2/etc" "$root/$2/dev"
    mknod -m 666 "$root/$2/dev/null" c 1 3
    mknod -m 666 "$root/$2/dev/urandom" c 1 9
    [ -e "$root/$2/bin/sh" ] || ln -s dash "$root/$2/bin/sh"
    cp -R "$folder" "$root/$2/pyramids"
    cp tests/tarball.sh "$root/$2/"
    chroot "$root/$2" env -i PATH=/usr/bin:/bin HOME=/tmp sh /tarball.sh /pyramids
}

try 'Debian 11' bullseye "${PYR_MIRROR:-http://deb.debian.org/debian}"
# Debian has no keys of Ubuntu, so they are not checked; nothing of Ubuntu is kept or installed.
try 'Ubuntu 16.04' xenial "deb [trusted=yes] ${PYR_MIRROR_UBUNTU:-http://archive.ubuntu.com/ubuntu} xenial main"
