#!/usr/bin/env python3
"""cluster.py BUILD [--json] [--rounds N] [--tables N] [--without-peer]: one server on SQLite, and one, two and four on
PostgreSQL, with and without affinity, beside boardgame.io with its PostgreSQL store (docs/benchmarks.md). The same
work for all: four players per table who all choose at once, whole games, as fast as acknowledged; then at a slow pace
to measure the time from a choice until everyone is notified. Most share the same tables among more servers; two have
as many tables per server as one, as when servers are added for more players. They run in turn, so that a busy machine
does not favour one of them; each number is the median of its rounds. PostgreSQL runs as a separate server that syncs to
the same disk."""
import argparse
import json
import os
import signal
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import postgres  # noqa: E402  pylint: disable=wrong-import-position

PEER = os.path.join(ROOT, "bench/peers/boardgame.io/driver.mjs")
# The settings of a server with enough room; as Debian starts it, except for the memory.
SETTINGS = {"shared_buffers": "128MB", "max_wal_size": "1GB", "min_wal_size": "80MB", "max_connections": "100"}
CALM = ("--rate", "100", "--seconds", "8")

# title, servers (0: SQLite), options of load, times the tables
WAYS = [
    ("SQLite, 1 server", 0, (), 1),
    ("PostgreSQL, 1 server", 1, (), 1),
    ("PostgreSQL, 2 servers, affinity", 2, ("--nodes", "2"), 1),
    ("PostgreSQL, 4 servers, affinity", 4, ("--nodes", "4"), 1),
    ("PostgreSQL, 4 servers, affinity, 4 times the tables", 4, ("--nodes", "4"), 4),
    ("PostgreSQL, 2 servers, spread", 2, ("--nodes", "2", "--spread"), 1),
    ("PostgreSQL, 4 servers, spread", 4, ("--nodes", "4", "--spread"), 1),
    ("PostgreSQL, 4 servers, spread, 4 times the tables", 4, ("--nodes", "4", "--spread"), 4),
]
BESIDE = "boardgame.io on PostgreSQL"


def run(words, env=None):
    """Runs a program that prints JSON; Ctrl-C ends it, too, and it cleans up."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=env, text=True) as child:
        try:
            out, _ = child.communicate()
        except BaseException:
            child.send_signal(signal.SIGINT)
            child.wait(30)
            raise
    if child.returncode:
        sys.exit(f"bench-cluster: {words[0]} failed")
    return json.loads(out)


def measure(build, servers, options):
    words = [f"{build}/bench/load", f"{build}/src/cli/pyramids", *options, "--json"]
    if not servers:
        return run(words)
    with postgres.Postgres(sync=True, **SETTINGS) as base:
        env = {**os.environ, "PYR_POSTGRES": base.where(), "PYR_POSTGRES_PID": str(base.process.pid)}
        return run(words, env)


def measure_peer(options):
    with postgres.Postgres(sync=True, **SETTINGS) as base:
        return run(["node", PEER, *options, "--postgres", base.folder, "--postgres-pid", str(base.process.pid), "--json"])


def median(results, get):
    return statistics.median(get(result) for result in results)


def summary(title, fast, calm):
    moves = median(fast, lambda r: r["moves"])
    cpu, database = median(fast, lambda r: r["cpuSeconds"]), median(fast, lambda r: r["postgresCpuSeconds"])
    return {"title": title, "movesPerSecond": median(fast, lambda r: r["movesPerSecond"]),
            "movesPerCpuSecond": moves / cpu, "cpuMsPerMove": 1000 * cpu / moves,
            "postgresCpuMsPerMove": 1000 * database / moves,
            "told": {part: median(calm, lambda r, part=part: r["told"][part]) for part in ("p50", "p99")},
            "toldSaturated": {part: median(fast, lambda r, part=part: r["told"][part]) for part in ("p50", "p99")}}


def table(rows):
    print(f"\n{'':51} {'moves/s of':>10} {'server CPU':>11} {'PostgreSQL':>11} {'moves/s':>8} {'told, 100 a second':>19} "
          f"{'told, saturated':>17}")
    print(f"{'':51} {'server CPU':>10} {'ms/move':>11} {'ms/move':>11} {'':>8} {'p50 / p99 ms':>19} {'p50 / p99 ms':>17}")
    for row in rows:
        told, full = row["told"], row["toldSaturated"]
        print(f"{row['title']:51} {row['movesPerCpuSecond']:10,.0f} {row['cpuMsPerMove']:11.3f} "
              f"{row['postgresCpuMsPerMove']:11.3f} {row['movesPerSecond']:8,.0f} "
              f"{told['p50']:10.1f} / {told['p99']:6.1f} {full['p50']:9.1f} / {full['p99']:5.0f}")


def main():
    parser = argparse.ArgumentParser(prog="bench-cluster", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("build")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--without-peer", action="store_true")
    args = parser.parse_args()
    ways = [(title, args.tables * times, lambda *more, s=servers, o=options: measure(args.build, s, (*o, *more)))
            for title, servers, options, times in WAYS]
    if not args.without_peer:
        ways.append((BESIDE, args.tables, lambda *more: measure_peer(more)))
    fast, calm = {title: [] for title, *_ in ways}, {title: [] for title, *_ in ways}
    for number in range(args.rounds):
        for title, tables, way in ways:
            if not args.json:
                print(f"round {number + 1} of {args.rounds}: {title}", file=sys.stderr, flush=True)
            fast[title].append(way("--tables", str(tables)))
            calm[title].append(way("--tables", str(tables), *CALM))
    rows = [summary(title, fast[title], calm[title]) for title, *_ in ways]
    if args.json:
        print(json.dumps({"rounds": args.rounds, "tables": args.tables, "rows": rows}, indent=2))
    else:
        table(rows)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))      # PostgreSQL and its folder are removed with it
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
