#!/bin/sh
# one-archive.sh OBJCOPY OUT WORK ARCHIVE... -- CC...: the archives as one object whose hidden names are local, in an
# archive. A program that links it statically can then use any name but ours.
set -eu
objcopy=$1 out=$2 work=$3
shift 3
archives=
while [ "$1" != -- ]; do
    archives="$archives $1"
    shift
done
shift
mkdir -p "$work"
# shellcheck disable=SC2086  # a list of files
"$@" -r -nostdlib -o "$work/pyramids.o" -Wl,--whole-archive $archives -Wl,--no-whole-archive
"$objcopy" --localize-hidden "$work/pyramids.o"
rm -f "$out"
ar rcs "$out" "$work/pyramids.o"
