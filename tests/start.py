#!/usr/bin/env python3
"""A server starts at once and small, however much its database has: visitors and tables are read when they are wanted. Fills
databases with SQL and compares. usage: start.py PYRAMIDS SOURCE_ROOT [CASE]; PYR_MANY: visitors and finished games
(20000)"""
import os
import subprocess
import time

import wire
from wire import Server, Visitor

FEW, MANY = 200, int(os.environ.get('PYR_MANY', 20000))
ROOM = 2 << 20                   # bytes by which the two may differ

# A finished game takes about as much room as a real one; nobody reads these.
FILL = """
INSERT INTO visitor (id, name, created, seen) SELECT 1000 + n, 'Visitor ' || n, {now}, {now} FROM {numbers};
INSERT INTO token (hash, visitor, renewed) SELECT {hash}, 1000 + n, {now} FROM {numbers};
INSERT INTO game (id, code, state, created, changed, config, host, public)
  SELECT 1000 + n, 'OVER' || (10000000 + n), 2, {now}, {now}, {config}, 1000 + n, 0 FROM {numbers};
INSERT INTO revision (game, number) SELECT 1000 + n, 60 FROM {numbers};
INSERT INTO line (game, seq, count, text, made) SELECT 1000 + n, 0, 100, {text}, {now} FROM {numbers};
INSERT INTO seat (game, seat, visitor, people, bots, level, points, share) SELECT 1000 + n, 0, 1000 + n, 0, 1, 'club', 50, 1
FROM {numbers};
"""


def fill(base, count):
    """Rows for so many visitors, each with a finished game."""
    now = int(time.time())
    config = '\'{"edition":"classic","seats":[]}\''
    if wire.POSTGRES:
        words = dict(numbers=f'generate_series(1, {count}) AS s(n)', hash="sha256(('token ' || n)::bytea)",
                     text="repeat('mark 1 17:a1a2a3' || chr(10), 100)")
        base.run('psql', '-d', base.where, '-c', FILL.format(now=now, config=config, **words))
        return
    words = dict(numbers='numbers', hash="CAST(substr(hex(zeroblob(16)), 1, 24) || printf('%08d', n) AS BLOB)",
                 text="replace(hex(zeroblob(50)), '00', 'mark 1 17:a1a2a3' || char(10) || 'mark 2 17:a1a2a3' || char(10))")
    script = f'CREATE TEMP TABLE numbers AS WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ' \
        f'{count}) SELECT n FROM s;' \
             + 'BEGIN;' + FILL.format(now=now, config=config, **words) + 'COMMIT;'
    import sqlite3  # pylint: disable=import-outside-toplevel
    with sqlite3.connect(base.where, isolation_level=None) as connection:
        connection.executescript(script)
    connection.close()


def case_memory_after_start(folder):
    """Twenty thousand visitors and games take no more memory than two hundred; those who come are known all the same."""
    taken = {}
    for count in (FEW, MANY):
        with Server(folder, database=f'{count}.db') as server:
            ana = server.visitor()
            code = ana.make('open', 'open')
            server.stop()
            fill(server.base, count)
            begun = time.monotonic()
            server.start()
            seconds = time.monotonic() - begun
            assert ana.want(200, 'GET', '/api/visitor').json == {'visitor': {'name': 'Ana'}}
            assert [table['code'] for table in ana.want(200, 'GET', '/api/my/tables').json['tables']] == [code]
            assert Visitor(server, ana.cookie).link(code).table['state'] == 'waiting'
            taken[count] = server.memory()
            size = '' if wire.POSTGRES else f', file {os.path.getsize(server.base.where) >> 20} MB'
            print(f'# {count} visitors and games: ready after {seconds:.2f} s, {taken[count] / 1e6:.1f} MB of memory{size}')
    assert taken[MANY] - taken[FEW] < ROOM, taken


def case_large_and_damaged(folder):
    """A large file is checked while the server works already, and the damage is told; a command checks it first."""
    if wire.POSTGRES:
        return                               # a file is SQLite's
    with Server(folder) as server:
        ana = server.visitor()
        server.stop()
        fill(server.base, 32000)
        assert os.path.getsize(server.base.where) > 64 << 20
        server.start()
        assert ana.want(200, 'GET', '/api/visitor').json == {'visitor': {'name': 'Ana'}}
        server.stop()
        assert 'is damaged' not in server.text()
        with open(server.base.where, 'r+b') as file:
            for page in range(4000, 8000, 100):
                file.seek(4096 * page)
                file.write(b'\xff' * 64)
        server.start()
        wire.until_so(lambda: 'is damaged' in server.text() and 'restore it from a backup' in server.text())
        assert ana.want(200, 'GET', '/api/visitor').json == {'visitor': {'name': 'Ana'}}
        server.stop()
        record = os.path.join(wire.ROOT, 'tests/data/plain.edition')
        done = subprocess.run([wire.COMMAND, 'import', '--database', server.base.where, record], capture_output=True,
            text=True,
                              check=False, timeout=wire.PATIENCE)
        assert done.returncode and 'is damaged' in done.stderr, done.stderr


if __name__ == '__main__':
    wire.main(globals())
