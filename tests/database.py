#!/usr/bin/env python3
"""Databases at a PostgreSQL server: copies from files and back, clear refusals, connections that are lost and
restored; and passwords, which must never be shown. usage: database.py PYRAMIDS SOURCE_ROOT [CASE]"""
import os
import random
import re
import secrets
import signal
import socket
import struct
import threading
import zlib

import ports
import wire
from postgres import Postgres
from wire import File, Schema, Server, Visitor, check_record, play, read, run, until_so

TABLES = {'visitor': 'id', 'token': 'hash', 'code': 'hash', 'game': 'id', 'revision': 'game', 'line': 'game, seq',
          'choice': 'game, seat', 'seat': 'game, seat', 'report': 'game, name', 'request': 'visitor, id',
          'heartbeat': 'id', 'downtime': 'began', 'ban': 'id', 'rating': 'visitor', 'link': 'hash', 'leaving': 'visitor',
          'day': 'day', 'attempt': 'day, visitor', 'standing': 'board, start, visitor', 'push': 'hash', 'notice': 'visitor',
          'reminder': 'game, visitor', 'feed': 'hash', 'secret': 'name'}
# Ignores numbers that only SQLite has.
COLUMNS = {'line': 'game, seq, count, text, made', 'report': 'game, name, made, size, text',
           'push': 'visitor, hash, endpoint, p256dh, auth, language, made'}
NOT_COPIED = {'node', 'presence', 'analysis'}        # tables about running servers, not about games
SERVER = Postgres()


def here(base, **more):
    return SERVER.where(base, **more)


def contents(path):
    base = File(path)
    there = {name for name, in base.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert there == set(TABLES) | NOT_COPIED, 'is a new table copied?'
    return {table: base.rows(f'SELECT {COLUMNS.get(table, "*")} FROM {table} ORDER BY {order}')
            for table, order in TABLES.items()}


def dump(base):
    """All rows of a database at the server, and the values of its sequences."""
    text = Schema.run('pg_dump', '-d', here(base), '--inserts', '--data-only').decode()
    return [line for line in text.splitlines() if line.startswith(('INSERT', 'SELECT pg_catalog.setval'))]


def fill(folder):
    """A database with one of everything: a finished and analysed game, a running one, a waiting one, devices, a code."""
    with Server(folder) as server:
        dice = random.Random(8)
        ana, ben = server.visitor('Ana'), server.visitor('Zoë 🐫')
        code = ana.want(200, 'POST', '/api/visitor/code', {}).json['code']
        Visitor(server).want(200, 'POST', '/api/visitor/device', {'code': code})
        ana.want(200, 'POST', '/api/visitor/code', {})
        over = ana.make('open', 'bot:random')
        link = ana.seat(over)
        play([link], dice)
        running = ana.make('open', 'open', id='asked-for-once')
        links = [ana.seat(running), ben.seat(running)]
        play(links, dice, until=lambda: links[0].version > 20)
        assert not links[0].over()
        ana.make('open', 'open', 'bot:club')
        ana.want(200, 'POST', '/api/my/profile/link', {})
        for one in (link, *links):
            one.close()
        record = ana.record(over)
    report = zlib.compress(b'{"players": []}')           # an analysis takes long
    server.base.rows("INSERT INTO ban (address, visitor, made, until, reason) VALUES ('192.0.2.0/24', 0, 1, 2, 'x')")
    server.base.rows("INSERT INTO rating (visitor, mu, sigma, games, changed) SELECT id, 26.1234567890123, 7.9, 3, 1"
                     " FROM visitor")
    server.base.rows("INSERT INTO attempt (day, visitor, game, begun) SELECT min(day), 1, 0, 1 FROM day")
    server.base.rows("INSERT INTO standing (board, start, visitor, value, points, luck, rate, judged, days)"
                     " SELECT 6, min(day), 1, -31, 12, 15.125, 0.3, 2, 3 FROM day")
    server.base.rows("UPDATE day SET settled = CASE WHEN day = (SELECT min(day) FROM day) THEN 7 END")
    server.base.rows("INSERT INTO leaving (visitor, made) SELECT max(id), 1 FROM visitor")
    server.base.rows("INSERT INTO push (visitor, hash, endpoint, p256dh, auth, language, made) SELECT min(id), x'01',"
                     " 'https://push.example.org/1', x'04', x'02', 'de', 1 FROM visitor")
    server.base.rows("INSERT INTO notice (visitor, quiet_from, quiet_to, zone, daily, due, told, closes) SELECT min(id),"
                     " 1320, 420, 60, -1, NULL, 20000, 1 FROM visitor")
    server.base.rows("INSERT INTO reminder (game, visitor, want, told, night, due) SELECT max(id), 1, 1, 0, 0, NULL"
                     " FROM game")
    server.base.rows("INSERT INTO feed (hash, visitor) SELECT x'03', min(id) FROM visitor")
    server.base.rows("UPDATE seat SET luck = 1.25, rate = 0.3 WHERE points IS NOT NULL")
    server.base.rows("INSERT INTO report (game, name, made, size, text)"
                     f" SELECT id, 'analysis.json', 1, 15, x'{report.hex()}' FROM game WHERE state = 2")
    return server.database, (ana.cookie, ben.cookie), over, running, record


def case_copies(folder):
    first, cookies, over, running, record = fill(folder)
    second, bases = os.path.join(folder, 'second.db'), [SERVER.base() for _ in range(2)]
    said = run('copy', first, here(bases[0]))
    assert 'visitors 2, tables 3, rows' in said and SERVER.folder in said, said
    run('copy', here(bases[0]), second)
    run('copy', second, SERVER.url(bases[1]))
    whole = contents(first)
    assert all(whole[table] for table in TABLES if table != 'downtime'), {table: len(rows) for table, rows in whole.items()}
    assert contents(second) == whole
    assert dump(bases[0]) == dump(bases[1])
    # and the version
    assert sum(line.startswith('INSERT') for line in dump(bases[0])) == sum(map(len, whole.values())) + 1
    # Copying into a database that is not empty is refused, and nothing changes.
    for target in (here(bases[1]), first, second):
        assert 'not empty' in run('copy', second, target, code=1)
    assert contents(second) == whole and dump(bases[1]) == dump(bases[0])
    assert run('export', '--database', first) == run('export', '--database', here(bases[1])) == run('export', '-d', second)
    # A server continues where the other one stopped.
    with Server(folder, where=here(bases[1])) as server:
        ana, ben = Visitor(server, cookies[0]), Visitor(server, cookies[1])
        assert ben.want(200, 'GET', '/api/visitor').json['visitor']['name'] == 'Zoë 🐫'
        assert ana.record(over) == record
        links = [ana.link(running), ben.link(running)]
        play(links, random.Random(9))
        check_record(folder, ana.record(running))
        assert ana.make('open', 'open') not in (over, running)              # with an id of its own
        assert Visitor(server).want(200, 'POST', '/api/visitor', {'name': 'Eve'})


def case_records(folder):
    """Export and import give the same with both engines."""
    first, _, over, _, record = fill(folder)
    base = SERVER.base()
    stream = run('export', '--database', first)
    said = run('import', '--database', here(base), '-', text=stream)
    assert 'records imported: 1' in said, said
    assert 'already present: 1' in run('import', '--database', here(base), '-', text=stream)
    assert run('export', '--database', here(base)) == stream
    out = os.path.join(folder, 'out')
    assert 'records written' in run('export', '--database', SERVER.url(base), '--output', out)
    assert record.splitlines()[-1] in read(os.path.join(out, over + '.record'))
    other = stream.replace(f'; table {over} ', '; table 22223333 ').replace('\nreveal ', '\n; another game\nunveil ', 1)
    assert 'unveil' in run('import', '--database', here(base), '-', text=other, code=1)
    assert run('export', '--database', here(base)) == stream


def old_server(folder, version):
    """A listener that greets like a server of that version."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.path.join(folder, '.s.PGSQL.5432'))
    listener.listen()

    def greet():
        peer, _ = listener.accept()
        peer.recv(4096)
        text = b'server_version\0' + version.encode() + b'\0'
        peer.sendall(b'R' + struct.pack('>II', 8, 0) + b'S' + struct.pack('>I',
            4 + len(text)) + text + b'Z' + struct.pack('>I', 5) + b'I')
        while peer.recv(4096):
            pass
        peer.close()
        listener.close()
    threading.Thread(target=greet, daemon=True).start()


def refused(where, *words, code=1):
    """A server does not start and prints this error, on one line."""
    said = run('serve', '--port', '0', '--no-browser', '--quiet', '--database', where, code=code)
    assert all(word in said for word in words) and len(said.splitlines()) == 1, said
    return said


def case_refused(folder):
    old_server(folder, '13.9')
    refused(f'host={folder} user=x dbname=x', 'PostgreSQL 13', '14 or newer')
    refused('host=/nowhere user=x dbname=x', 'no connection', 'No such file')
    refused('hots=localhost dbname=x', 'connection string', 'hots', './NAME')
    refused('postgresql://x@/x?sslmode=perhaps&host=' + SERVER.folder, 'sslmode', 'perhaps')
    refused(here('nothere'), 'nothere', 'does not exist')
    refused(here('postgres', port='1'), 'no connection')
    base = SERVER.base()
    SERVER.sql('CREATE TABLE customer (id int)', base)
    before = SERVER.sql("SELECT count(*) FROM pg_class", base)
    refused(here(base), 'another program', 'customer', 'search_path')
    assert SERVER.sql("SELECT count(*) FROM pg_class", base) == before
    SERVER.sql("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    refused(here('latin'), 'LATIN1', 'UTF8')
    # Privileges: none to make tables, and none to use them.
    base = SERVER.base()
    SERVER.sql('CREATE ROLE club LOGIN')
    refused(here(base, user='club'), '"club"', 'lacks rights')
    run('import', '--database', here(base), '-', text='', code=1)           # makes the tables, as another role
    SERVER.sql('GRANT SELECT ON ALL TABLES IN SCHEMA public TO club', base)
    refused(here(base, user='club'), '"club"', 'lacks rights')
    assert run('export', '--database', here(base, user='club')) == ''       # reading is enough for that
    SERVER.sql('REVOKE SELECT ON line FROM club', base)
    assert 'lacks rights (line)' in run('export', '--database', here(base, user='club'), code=1)
    SERVER.sql('GRANT ALL ON ALL TABLES IN SCHEMA public TO club; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO club', base)
    with Server(folder, where=here(base, user='club')) as server:
        server.visitor()
    SERVER.sql('ALTER ROLE club SET default_transaction_read_only = on')
    refused(here(SERVER.base(), user='club'), 'read-only', 'target_session_attrs')
    SERVER.sql('UPDATE pyramids SET version = 99', base)
    refused(here(base), 'newer version', '99')
    assert 'newer version' in run('export', '--database', here(base), code=1)


# What takes a database back to the previous version of the schema.
BACK = {
    9: 'ALTER TABLE node DROP COLUMN room',
    8: 'DROP TABLE standing; ALTER TABLE day DROP COLUMN settled; ALTER TABLE notice DROP COLUMN told, DROP COLUMN closes',
    7: 'DROP TABLE feed, reminder, notice, push, secret, leaving, link, rating, attempt, day; ALTER TABLE seat'
       ' DROP COLUMN made, DROP COLUMN place, DROP COLUMN pyramids, DROP COLUMN luck, DROP COLUMN rate',
    6: 'DROP TABLE ban',
    5: 'DROP TABLE analysis, presence; ALTER TABLE node DROP COLUMN thinks',
    4: 'DROP TABLE revision, node; DROP INDEX request_made; ALTER TABLE choice DROP COLUMN ids;'
       ' ALTER TABLE game DROP COLUMN host, DROP COLUMN public; ALTER TABLE token DROP COLUMN renewed'}


def shape(base):
    """Tables, columns, indexes and constraints of a database."""
    text = Schema.run('pg_dump', '-d', here(base), '--schema-only').decode()
    return [line for line in text.splitlines() if line and not line.startswith(('--', '\\'))]


def case_older_versions(folder):
    """A database of any earlier version is migrated when two servers start at once: its schema is that of a new one, and its
    games continue."""
    first, cookies, over, running, record = fill(folder)
    whole, base = SERVER.base(), SERVER.base()
    run('copy', first, here(whole))
    run('copy', first, here(base))
    steps = []
    for version in sorted(BACK, reverse=True):
        steps.append(BACK[version])
        SERVER.sql('; '.join(steps) + f'; UPDATE pyramids SET version = {version - 1}', base)
        assert shape(base) != shape(whole)
        assert f'older format (version {version - 1})' in run('export', '--database', here(base), code=1)
        folders, servers = [os.path.join(folder, f'{version}-{i}') for i in range(2)], []
        for path in folders:
            os.mkdir(path)
        starters = [threading.Thread(target=lambda path=path: servers.append(Server(path, where=here(base))))
                    for path in folders]
        for starter in starters:
            starter.start()
        for starter in starters:
            starter.join()
        assert len(servers) == 2
        with servers[0] as one, servers[1] as other:
            assert shape(base) == shape(whole), version
            ana, ben = Visitor(one, cookies[0]), Visitor(other, cookies[1])
            assert ana.record(over) == record
            links = [ana.link(running), ben.link(running)]
            play(links, random.Random(version), until=lambda at=links[0].version: links[0].version > at + 6)
            assert running in [table['code'] for table in ben.want(200, 'GET', '/api/my/tables').json['tables']]
    with Server(folder, where=here(base)) as server:
        links = [Visitor(server, cookie).link(running) for cookie in cookies]
        play(links, random.Random(9))
        check_record(folder, Visitor(server, cookies[0]).record(running))


def case_a_newer_version_comes(folder):
    """Another server migrates the database to a version that this one does not know: this one continues while it keeps its
    connection, then reports the problem, stores nothing, and serves again when the earlier dump is restored."""
    base, dice = SERVER.base(), random.Random(4)
    with Server(folder, where=here(base)) as server:
        ana = server.visitor()
        link = ana.seat(ana.make('open', 'bot:novice'))
        play([link], dice, until=lambda: link.version > 12)
        tables = ('game', 'revision', 'line', 'choice', 'seat', 'node')
        steps = [f'ALTER TABLE {table} %s COLUMN more %s' for table in tables]
        SERVER.sql('; '.join(['BEGIN', *(step % ('ADD', 'bigint NOT NULL DEFAULT 7') for step in steps),
                              'UPDATE pyramids SET version = 99', 'COMMIT']), base)
        play([link], dice)
        check_record(folder, ana.record(link.table['code']))
        code = ana.make('open', 'open')
        SERVER.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pyramids' AND "
                   "datname = current_database()", base)
        until_so(lambda: 'newer version' in server.text())
        assert 'database version 99' in server.text()
        ana.refused(503, 'storage', 'POST', '/api/tables', {'seats': [{'kind': 'open'}] * 2})
        assert ana.want(503, 'GET', '/healthz').text == 'the database cannot be written\n'
        version = int(re.search(r'#define STORE_VERSION (\d+)', read(os.path.join(wire.ROOT,
            'src/server/store_engine.h'))).group(1))
        SERVER.sql('; '.join([*(step % ('DROP', '') for step in steps), f'UPDATE pyramids SET version = {version}']), base)
        until_so(lambda: ana.ask('GET', '/healthz').status == 200)
        assert ana.table(code)['state'] == 'waiting'
        ana.make('open', 'open')


def case_passwords(folder):
    """Passwords are never visible: not in the list of processes, not in a log, not in an error."""
    with Postgres() as own:
        own.sql("CREATE ROLE club LOGIN PASSWORD 'gEh31m/x'")
        own.sql('CREATE DATABASE club OWNER club')
        rules = os.path.join(own.data, 'pg_hba.conf')
        text = read(rules)
        with open(rules, 'w', encoding='utf-8') as file:
            file.write('local all club scram-sha-256\n' + text)
        own.sql('SELECT pg_reload_conf()')
        place = own.folder.replace('/', '%2F')
        with Server(folder, where=f'postgresql:///club?host={place}&user=club&pass%77ord=gEh31m%2Fx') as server:
            assert 'gEh31m' not in read(f'/proc/{server.process.pid}/cmdline')
        with Server(folder, where=f'postgresql://club:gEh31m%2Fx@{place}/club') as server:
            assert 'gEh31m' not in read(f'/proc/{server.process.pid}/cmdline')
            server.visitor()
            own.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'club'")
            until_so(lambda: 'again' in server.text())
            server.visitor('Ben')
            assert 'gEh31m' not in server.text()
        secret = os.path.join(folder, 'pass')
        with open(secret, 'w', encoding='utf-8') as file:
            file.write('*:*:*:club:gEh31m/x\n')
        os.chmod(secret, 0o600)
        assert run('export', '--database', own.where('club', user='club', passfile=secret)) == ''
        assert 'password file' in run('export', '--database', own.where('club', user='club'), code=1)
        for where in (f'postgresql://club:gEh31m@{place}/club', own.where('club', user='club', password='gEh31m'),
            'postgresql://club:gEh31m/x@h/club',
                      'postgresql://club:gEh31m@x@h/club', 'postgresql://club:gEh31m%zz@h/club', "host=h password='gEh31m",
                      'host=h port=gEh31m', f'host={own.folder} dbname=postgresql://club:gEh31m@h/club'):
            for words in (['export', '--database', where], ['serve', '--no-browser', '-d', where], ['copy', where, where],
                ['export', '--database=' + where]):
                assert 'gEh31m' not in run(*words, code=1), (where, words)
            assert 'gEh31m' not in run('export', where, code=2) + run('export', '--datebase=' + where,
                code=2) if '@' in where else True


def case_tls(folder):
    """The TLS options of a connection string are respected."""
    cert, key = (os.path.join(wire.ROOT, 'tests/data', name) for name in ('tls.crt', 'tls.key'))
    with Postgres(listen_addresses='127.0.0.1', port=str(ports.reserve()), ssl='on', ssl_cert_file=cert,
                  ssl_key_file=key) as own:
        def at(mode, **more):
            return own.where(host='localhost', hostaddr='127.0.0.1', sslmode=mode, **more)
        with Server(folder, where=at('verify-full', sslrootcert=cert)) as server:
            server.visitor()
            assert own.sql("SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
                           " WHERE application_name = 'pyramids'") == 't'
        refused(at('verify-full', sslrootcert='/dev/null'), 'no connection')
        refused(own.where(host='not.localhost', hostaddr='127.0.0.1', sslmode='verify-full', sslrootcert=cert),
                'no connection', 'certificate')


def case_lost_and_found(folder):
    """PostgreSQL is killed in the middle of a game: choices are refused, nothing is lost, and the game continues when it is
    back."""
    with Postgres() as own, Server(folder, where=own.where()) as server:
        dice = random.Random(4)
        ana, ben = server.visitor(), server.visitor('Ben')
        code = ana.make('open', 'open', 'bot:novice')
        links = [ana.seat(code), ben.seat(code)]
        for how in (signal.SIGQUIT, signal.SIGINT):
            play(links, dice, until=lambda at=links[0].version: links[0].version > at + 12
                and links[0].pick(random.Random(1)))
            assert not links[0].over()
            phase, choice = links[0].version, links[0].pick(dice)
            own.stop(how)
            links[0].refused('storage', 'choose', phase=phase, choice=choice, id=secrets.token_hex(8))
            assert ana.want(503, 'GET', '/healthz').text == 'the database cannot be written\n'
            ana.refused(503, 'storage', 'POST', '/api/tables', {'seats': [{'kind': 'open'}] * 2})
            own.start()
            until_so(lambda: ana.ask('GET', '/healthz').status == 200)
            links[0].done('choose', phase=phase, choice=choice)
        for pause in range(5):               # cut connections cause no failure
            play(links, dice, until=lambda: links[0].over() or dice.random() < 0.2)
            own.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pyramids'")
            ana.want(201, 'POST', '/api/tables', {'seats': [{'kind': 'open'}] * 2})
            del pause
        play(links, dice)
        check_record(folder, ana.record(code))


def case_no_room(folder):
    """The disk of PostgreSQL is full: the same behaviour as with a database in a file."""
    base = SERVER.base()
    with Server(folder, where=here(base)) as server:
        ana = server.visitor()
        code = ana.make('open', 'bot:novice')
        link = ana.seat(code)
        play([link], random.Random(3), until=lambda: link.version > 12 and link.pick(random.Random(1)))
        SERVER.sql("CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
                   "$$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = "
                   "'disk_full'; END $$", base)
        for table in ('game', 'line', 'choice', 'visitor', 'heartbeat'):
            SERVER.sql(f'CREATE TRIGGER full_{table} BEFORE INSERT OR UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION '
                f'full_disk()', base)
        ana.refused(503, 'storage', 'POST', '/api/tables', {'seats': [{'kind': 'open'}] * 2})
        phase, choice = link.version, link.pick(random.Random(3))
        link.refused('storage', 'choose', phase=phase, choice=choice)
        assert ana.want(503, 'GET', '/healthz').text == 'the database cannot be written\n'
        assert 'No space left' in server.text()
        SERVER.sql('DROP FUNCTION full_disk CASCADE', base)
        until_so(lambda: ana.ask('GET', '/healthz').status == 200)
        link.done('choose', phase=phase, choice=choice)
        play([link], random.Random(5))
        check_record(folder, ana.record(code))


if __name__ == '__main__':
    try:
        wire.main(globals())
    finally:
        SERVER.close()
