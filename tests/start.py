#!/usr/bin/env python3
"""A server starts quickly and with little memory, however large its database is: visitors and tables are read when
needed, and no query reads whole tables. Fills databases with SQL and compares. usage: start.py PYRAMIDS SOURCE_ROOT
[CASE]; PYR_MANY: visitors and finished games (20000)"""
import json
import os
import re
import sqlite3
import subprocess
import time

import wire
from wire import Server, Visitor

FEW, MANY = 200, int(os.environ.get('PYR_MANY', 20000))
ROOM = 2 << 20                   # bytes by which the two may differ

# A finished game takes about as much room as a real one; these are never read.
FILL = """
INSERT INTO visitor (id, name, created, seen) SELECT 1000 + n, 'Visitor ' || n, {now}, {now} FROM {numbers};
INSERT INTO token (hash, visitor, renewed) SELECT {hash}, 1000 + n, {now} FROM {numbers};
INSERT INTO game (id, code, state, created, changed, config, host, public)
  SELECT 1000 + n, 'OVER' || (10000000 + n), 2, {now}, {now}, {config}, 1000 + n, 0 FROM {numbers};
INSERT INTO revision (game, number) SELECT 1000 + n, 60 FROM {numbers};
INSERT INTO line (game, seq, count, text, made) SELECT 1000 + n, 0, 100, {text}, {now} FROM {numbers};
INSERT INTO seat (game, seat, visitor, people, bots, level, points, share) SELECT 1000 + n, 0, 1000 + n, 0, 1, 'club', 50, 1
FROM {numbers};
INSERT INTO choice (game, seat, phase, request, text, made, ids) SELECT 1000 + n, 0, 90, 'id', 'mark 1', {now}, {empty}
FROM {numbers};
INSERT INTO request (visitor, id, game, made) SELECT 1000 + n, 'table', 1000 + n, {now} FROM {numbers};
INSERT INTO report (game, name, made, size, text) SELECT 1000 + n, 'analysis.json', {now}, 0, {empty} FROM {numbers};
INSERT INTO rating (visitor, mu, sigma, games, changed) SELECT 1000 + n, n % 50, 3, n % 40, {now} FROM {numbers};
INSERT INTO link (hash, visitor, made) SELECT {hash}, 1000 + n, {now} FROM {numbers};
INSERT INTO visitor (id, name, created, seen) VALUES (999, 'Never played', 1, 1);
"""

# Queries of commands about everything: export, import, copy and the operator's check. The operator's list of visitors is
# read in the order of an index, as far as needed.
WHOLE = {'ALL_TOKENS', 'FINISHED_TABLES', 'LIST_VISITORS'}
# Tables with a row for each server, or with rows of the last minutes.
SMALL = {'node', 'heartbeat', 'downtime', 'code', 'presence', 'analysis', 'ban', 'leaving'}
# Indices of open tables only; there are never more of these than --max-tables.
OF_OPEN = {'game_open', 'game_host', 'game_public', 'revision_due', 'revision_keeper'}


def fill(base, count):
    """Rows for so many visitors, each with a finished game."""
    now = int(time.time())
    config = '\'{"edition":"classic","seats":[]}\''
    if wire.POSTGRES:
        words = dict(empty="''::bytea", numbers=f'generate_series(1, {count}) AS s(n)',
                     hash="sha256(('token ' || n)::bytea)",
                     text="repeat('mark 1 17:a1a2a3' || chr(10), 100)")
        base.run('psql', '-d', base.where, '-c',
                 FILL.format(now=now, config=config, **words) + 'ANALYZE;')
        return
    words = dict(empty="x''", numbers='numbers', hash="CAST(substr(hex(zeroblob(16)), 1, 24) || printf('%08d', n) AS BLOB)",
                 text="replace(hex(zeroblob(50)), '00', 'mark 1 17:a1a2a3' || char(10) || 'mark 2 17:a1a2a3' || char(10))")
    script = f'CREATE TEMP TABLE numbers AS WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ' \
        f'{count}) SELECT n FROM s;' \
             + 'BEGIN;' + FILL.format(now=now, config=config, **words) + 'COMMIT;'
    with sqlite3.connect(base.where, isolation_level=None) as connection:
        connection.executescript(script)
    connection.close()


def rows_read(base):
    """How many rows a server has read at PostgreSQL since the last call."""
    if not wire.POSTGRES:
        return 0                             # SQLite does not count them; case_plans checks that
    others = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    wire.until_so(lambda: base.rows(others) == [(0,)])       # when it closes, a connection reports the number of rows read
    (count,), = base.rows(f"SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables WHERE "
                          f"schemaname = '{base.name}'")
    base.rows('SELECT pg_stat_reset()')
    return count


def statements():
    """The queries (src/server/store_statements.c): name, types of values, SQL."""
    text = wire.read(os.path.join(wire.ROOT, 'src/server/store_statements.c'))
    shared = wire.read(os.path.join(wire.ROOT, 'src/server/store_engine.h'))
    text = re.sub(r'/\*.*?\*/', '', shared + text, flags=re.S).replace('\\\n', ' ')
    for name, value in reversed(re.findall(r'#define (\w+) (".*")', text)):       # a later one may use an earlier one
        text = re.sub(rf'\b{name}\b', lambda _, value=value: value, text)
    found = re.findall(r'\[(\w+)\] = \{ "(\w*)", ((?:"[^"]*"\s*)+)\}', text)
    assert len(found) == text.count('] = { "') > 80
    return [(name, kinds, ''.join(re.findall(r'"([^"]*)"', sql))) for name, kinds, sql in found]


def scans_of_file(path):
    """Statement, table and index of every scan that SQLite plans."""
    connection = sqlite3.connect(path)
    for name, kinds, sql in statements():
        try:
            plan = connection.execute('EXPLAIN QUERY PLAN ' + re.sub(' FOR (NO KEY )?UPDATE( SKIP LOCKED)?', '', sql),
                                      [None] * len(kinds)).fetchall()
        except sqlite3.OperationalError:
            # Only if servers share a database, which is PostgreSQL.
            assert name in ('GET_TIME', 'GET_REVISIONS') or 'node' in sql or 'pg_' in sql or 'now AS (UPDATE' in sql, sql
            continue
        for *_, step in plan:
            scan = re.match(r'SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?$', step)
            if scan:
                yield name, scan[1], scan[2]
    connection.close()


def scans_of_schema(base):
    """The same for PostgreSQL. Reading an index without a condition is a scan, too."""
    def nodes(plan):
        yield plan
        for part in plan.get('Plans', ()):
            yield from nodes(part)
    types = {'i': 'bigint', 'r': 'float8', 't': 'text', 'x': 'text', 'b': 'bytea'}
    script, names = 'SET plan_cache_mode = force_generic_plan;', []
    for name, kinds, sql in statements():
        sql = re.sub(r'\?(\d+)', r'$\1', sql)
        given = f'({", ".join(types[kind] for kind in kinds)})' if kinds else ''
        values = f'({", ".join("NULL" for _ in kinds)})' if kinds else ''
        script += f'PREPARE s{len(names)}{given} AS {sql}; EXPLAIN (FORMAT JSON) EXECUTE s{len(names)}{values};'
        names.append(name)
    for name, (plan,) in zip(names, base.rows(script)):
        for node in nodes(json.loads(plan)[0]['Plan']):
            if 'Relation Name' in node and node['Node Type'] != 'ModifyTable' and 'Index Cond' not in node \
                    and 'Recheck Cond' not in node:
                yield name, node['Relation Name'], node.get('Index Name')


def case_plans(folder):
    """No query of a server reads a whole table."""
    with Server(folder) as server:
        server.stop()
        fill(server.base, MANY)
        scans = list(scans_of_schema(server.base) if wire.POSTGRES else scans_of_file(server.base.where))
        server.start()
    tables = {'visitor', 'token', 'game', 'revision', 'line', 'choice', 'seat', 'report', 'request', 'rating',
              'link', *SMALL}
    assert {name for name, _, _ in scans} & WHOLE, scans     # the check does find scans
    wrong = [(name, table, index) for name, table, index in scans if table in tables - SMALL and index not in OF_OPEN
             and name not in WHOLE and not name.startswith(('COPY_', 'CHECK_'))]
    assert not wrong, wrong


def case_memory_after_start(folder):
    """Twenty thousand visitors and games take no more memory than two hundred, and requests read no more rows; returning
    visitors are still known."""
    taken, rows = {}, {}
    for count in (FEW, MANY):
        with Server(folder, '--keep-visitors', '30', '--keep-games', '400', database=f'{count}.db') as server:
            ana = server.visitor()
            code = ana.make('open', 'open')
            server.stop()
            fill(server.base, count)
            rows_read(server.base)
            begun = time.monotonic()
            server.start()
            seconds = time.monotonic() - begun
            assert ana.want(200, 'GET', '/api/visitor').json == {'visitor': {'name': 'Ana'}}
            assert [table['code'] for table in ana.want(200, 'GET', '/api/my/tables').json['tables']] == [code]
            assert Visitor(server, ana.cookie).link(code).table['state'] == 'waiting'
            for path in ('/api/tables', '/api/statistics', f'/api/tables/{code}'):
                ana.want(200, 'GET', path)
            ana.make('open', 'bot:novice', id='one')
            wire.until_so(lambda: 'event=dropped tables=0 visitors=1' in server.text(), 'nothing old is dropped')
            taken[count] = server.memory()
            server.stop()
            rows[count] = rows_read(server.base)
            size = '' if wire.POSTGRES else f', file {os.path.getsize(server.base.where) >> 20} MB'
            print(f'# {count} visitors and games: ready after {seconds:.2f} s, {taken[count] / 1e6:.1f} MB of memory{size}')
    # A file of more than 64 MB is being checked, over a connection with a cache of its own.
    cache = 0 if wire.POSTGRES or MANY <= 20000 else 2 << 20
    assert taken[MANY] - taken[FEW] < ROOM + cache and taken[MANY] < 60e6, taken
    if wire.POSTGRES:
        print(f'# rows read: {rows[MANY]}')
        assert 0 < rows[MANY] < MANY / 10, rows      # with few rows PostgreSQL rightly reads them all


@wire.only_files('PostgreSQL sees to its own files')
def case_large_and_damaged(folder):
    """A large file is checked while the server already works, and damage is reported; a command checks it first."""
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
    wire.main(globals(), beside=1)           # they count rows read at the whole server
