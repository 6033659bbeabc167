#!/bin/sh
# tarball.sh FOLDER [RUNNER]: an unpacked tarball (scripts/make-tarball) works: the version, a whole game of bots that is
# checked line by line, the rules, and a server whose page and health answer. RUNNER is a command to put in front of the
# program: qemu-aarch64 for another processor's, tests/old-calls.py for an old kernel's system calls. Needs only a
# shell and what is in FOLDER, so it can also be run inside an old system.
set -eu
export LC_ALL=C.UTF-8            # what is looked for below is English
folder=$1 runner=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

become() {    # in place of this shell
    [ -n "$runner" ] || exec "$folder/pyramids" "$@"
    exec "$runner" "$folder/pyramids" "$@"
}

pyramids() {
    (become "$@")
}

fail() {
    echo "tarball.sh: $*" >&2
    exit 1
}

pyramids --version | grep -q '^pyramids [0-9]' || fail "no version"
pyramids sim --players 4 --bots club,greedy --games 1 --seed 7 --records "$work/games" >/dev/null || fail "bots cannot play"
record=$(find "$work" -name '*.pyr')
[ -n "$record" ] || fail "no record of the game"
pyramids replay "$record" | grep -q finished || fail "the record of the game is wrong"
pyramids rules R10 | grep -q R10 || fail "no rules"

become serve --port 0 --database "$work/server.db" --no-browser --ready-file "$work/ready" >"$work/log" 2>&1 &
server=$!
tries=0
until [ -s "$work/ready" ]; do
    tries=$((tries + 1))
    kill -0 "$server" 2>/dev/null || { cat "$work/log" >&2; fail "the server ended"; }
    [ "$tries" -lt 1200 ] || fail "the server does not get ready"
    sleep 0.1
done
kill "$server"
wait "$server" || fail "the server does not stop"
echo "$folder: a whole game, its record, the rules and the server work"
