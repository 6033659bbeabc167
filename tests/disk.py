#!/usr/bin/env python3
"""A full disk, failing writes, a database of another program: only the one request is refused and the server
continues; or it does not start, and reports the reason. usage: disk.py PYRAMIDS SOURCE_ROOT [CASE]"""
import os
import random
import re
import resource
import secrets
import shutil
import sqlite3
import subprocess
import time

import wire
from wire import LONG, Server, Visitor, check_record, only_files, play, until_so


def limited(size):
    return ['prlimit', f'--fsize={size}:unlimited', '--']


def fill_disk(server):
    """From now on nothing can be written: a write to a file fails (EFBIG), as on a full disk. A log that is a file is not
    written either."""
    if wire.POSTGRES:
        server.base.fill_disk()
    else:
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))


def free_disk(server):
    if wire.POSTGRES:
        server.base.free_disk()
    else:
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def play_until_asked(links, dice, version):
    """Continues from a version until the first seat has to choose and has not: from then on nothing is added to the table
    without its choice."""
    play(links, dice, until=lambda: links[0].version > version and links[0].pick(random.Random(1)))
    assert not links[0].over()


def case_no_room(folder):
    with Server(folder) as server:
        dice = random.Random(3)
        ana, ben = server.visitor(), server.visitor('Ben')
        code = ana.make('open', 'open', 'bot:novice')
        links = [ana.seat(code), ben.seat(code)]
        waiting = ana.make('open', 'open')
        guest = ben.link(waiting)
        chooser = links[0]
        for attempt in range(3 if LONG else 2):
            play_until_asked(links, dice, chooser.version + 12)
            fill_disk(server)
            ana.refused(503, 'storage', 'POST', '/api/tables', {'seats': [{'kind': 'open'}] * 2})
            ana.refused(503, 'storage', 'POST', '/api/visitor', {'name': 'Ana B'})
            assert ana.want(200, 'GET', '/api/visitor').json['visitor']['name'] == 'Ana'      # nothing has changed
            fresh = Visitor(server)
            fresh.refused(503, 'storage', 'POST', '/api/visitor', {'name': 'Davi'})
            assert not fresh.cookie
            guest.refused('storage', 'sit', number=secrets.token_hex(32))
            assert ben.table(waiting)['you'] == 0 and ben.table(waiting)['seats'][0] == {'kind': 'open'}
            phase, choice = chooser.version, chooser.pick(dice)
            chooser.refused('storage', 'choose', phase=phase, choice=choice, id='again%d' % attempt)
            assert not ana.table(code)['seats'][chooser.table['you'] - 1]['ready']
            # Reading still works, and monitoring shows the problem.
            assert ana.want(503, 'GET', '/healthz').text == 'the database cannot be written\n'
            ana.want(200, 'GET', '/api/tables')
            ana.record(code)
            failed = re.search(r'^pyramids_store_failed_total (\d+)$', ana.want(200, 'GET', '/metrics').text, re.M)
            assert int(failed.group(1)) >= 5 * (attempt + 1), failed
            free_disk(server)                    # there is room again: everything continues where it was
            until_so(lambda: ana.ask('GET', '/healthz').status == 200, 'the server does not notice that it can write again')
            chooser.done('choose', phase=phase, choice=choice, id='again%d' % attempt)
        made = ana.make('open', 'open')
        assert ana.want(200, 'POST', '/api/visitor', {'name': 'Ana B'}).json['visitor']['name'] == 'Ana B'
        play(links, dice)
        check_record(folder, ana.record(code))
        server.restart()
        check_record(folder, ana.record(code))
        assert ana.table(made)['host'] and ana.want(200, 'GET', '/api/visitor').json['visitor']['name'] == 'Ana B'
        guest = ben.link(waiting)
        guest.done('sit', number=secrets.token_hex(32))


def case_bots_wait_for_room(folder):
    """The bots' choices cannot be stored: the table waits, and continues without help when there is room."""
    with Server(folder) as server:
        ana = server.visitor()
        code = ana.make('open', 'bot:novice')
        link = ana.seat(code)
        play_until_asked([link], random.Random(1), 20)
        fill_disk(server)
        link.refused('storage', 'choose', id='x', phase=link.version, choice=link.pick(random.Random(2)))
        link.refused('storage', 'leave')
        time.sleep(1.5)
        assert ana.table(code)['state'] == 'running'
        free_disk(server)
        link.done('leave')                       # from here the bots play alone
        until_so(lambda: ana.table(code)['state'] == 'over', 'the table is stuck', 2 * wire.PATIENCE)
        check_record(folder, ana.record(code))


@only_files('a schema that is gone is case_schema_taken_away')
def case_file_taken_away(folder):
    """A database that is removed or replaced under the running server: the server notices, and acknowledges nothing more."""
    with Server(folder) as server:
        ana = server.visitor()
        code = ana.make('open', 'open')
        link = ana.link(code)
        for other in (None, b'', b'something else'):
            ana.want(200, 'GET', '/healthz')
            os.rename(server.database, server.database + '.away')
            if other is not None:
                with open(server.database, 'wb') as file:
                    file.write(other)
            said = 'level=error event=store words="the database file was removed or replaced'
            errors = server.text().count(said)
            until_so(lambda: ana.ask('GET', '/healthz').status == 503, 'nobody notices that the file is gone')
            assert ana.want(503, 'GET', '/healthz').text == 'the database file was removed or replaced\n'
            until_so(lambda: server.text().count(said) == errors + 1)
            ana.refused(503, 'storage', 'POST', '/api/tables', {'seats': [{'kind': 'open'}] * 2})
            link.refused('storage', 'sit', number=secrets.token_hex(32))
            assert ana.table(code)['you'] == 0 and ana.want(200, 'GET', '/api/my/tables').json['tables']
            os.replace(server.database + '.away', server.database)
            until_so(lambda: ana.ask('GET', '/healthz').status == 200, 'nobody notices that the file is back')
        link.done('sit', number=secrets.token_hex(32))
        server.restart()
        assert ana.table(code)['you'] == 1


def schema_taken_away(folder):
    """A schema that is renamed under the running server: nothing more is acknowledged until it is back."""
    with Server(folder) as server:
        ana = server.visitor()
        code = ana.make('open', 'open')
        link = ana.link(code)
        for attempt in range(2):
            ana.want(200, 'GET', '/healthz')
            server.base.rows(f'ALTER SCHEMA {server.base.name} RENAME TO away')
            ana.refused(503, 'storage', 'POST', '/api/tables', {'seats': [{'kind': 'open'}] * 2})
            link.refused('storage', 'sit', number=secrets.token_hex(32))
            until_so(lambda: ana.ask('GET', '/healthz').status == 503, 'nobody notices that the tables are gone')
            assert ana.table(code)['you'] == 0, attempt
            server.base.rows(f'ALTER SCHEMA away RENAME TO {server.base.name}')
            until_so(lambda: ana.ask('GET', '/healthz').status == 200, 'nobody notices that the tables are back')
        link.done('sit', number=secrets.token_hex(32))
        server.restart()
        assert ana.table(code)['you'] == 1


if wire.POSTGRES:
    case_schema_taken_away = schema_taken_away


@only_files('a server does not write files of its own there; database.py has what it is refused for')
def case_no_room_at_the_start(folder):
    server = Server(folder)
    server.visitor()
    server.stop()
    for size in (1, 20000):
        server.before = limited(size)
        try:
            server.start()
            server.visitor()                     # it was enough to begin with
            server.stop()
        except AssertionError as error:          # it does not start, or not for long
            assert 'ended with 1\n' in str(error) or '503, not 200' in str(error), error
            if server.process.poll() is None:
                server.stop()
            server.process = None
    server.before = []
    server.start()
    server.visitor()
    server.stop()


@only_files('database.py has the refused databases of PostgreSQL, and any number of servers may use one')
def case_other_files(folder):
    """A newer database, a foreign one, a damaged one, no database at all: a clear message, exit 1, and the file is
    unchanged. """
    server = Server(folder)
    ana = server.visitor()
    ana.make('open', 'open')
    # A second server for the same database.
    other = Server.__new__(Server)
    other.__dict__.update(server.__dict__)
    other.port, other.log, other.process = 0, os.path.join(folder, 'second.log'), None
    words = other.start(code=1)
    assert 'in use by another server' in words and str(server.process.pid) in words, words
    ana.want(200, 'GET', '/api/visitor')         # the first one is not affected
    server.stop()
    good = os.path.join(folder, 'good.db')
    shutil.copy(server.database, good)

    def refused(text):
        before = open(server.database, 'rb').read()
        words = server.start(code=1)
        assert words.count('\n') == 1 and words.startswith('pyramids: ') and text in words and server.database in words, \
            words
        assert open(server.database, 'rb').read() == before
    base = sqlite3.connect(server.database)
    base.execute('PRAGMA user_version = 99')
    base.commit()
    base.close()
    refused('newer version')
    for data, text in ((b'just some text, and not at all a database\n' * 100, 'not a Pyramids database'),
        (open(good, 'rb').read()[:100] + random.Random(7).randbytes(8000), ''),):
        with open(server.database, 'wb') as file:
            file.write(data)
        refused(text)
    os.remove(server.database)
    base = sqlite3.connect(server.database)
    base.execute('CREATE TABLE diary (day TEXT)')
    base.commit()
    base.close()
    refused('another program')
    # Damaged in the middle.
    data = bytearray(open(good, 'rb').read())
    page = 4096
    for at in range(2 * page, len(data), page):
        data[at:at + 64] = b'\xff' * 64
    with open(server.database, 'wb') as file:
        file.write(data)
    refused('damaged')
    os.remove(server.database)
    os.mkdir(server.database)
    words = server.start(code=1)
    assert words.startswith('pyramids: ') and server.database in words, words
    os.rmdir(server.database)
    # The intact one is accepted.
    shutil.copy(good, server.database)
    server.start()
    assert ana.want(200, 'GET', '/api/my/tables').json['tables']
    # A port in use.
    third = Server.__new__(Server)
    third.__dict__.update(server.__dict__)
    third.log, third.process, third.database = os.path.join(folder, 'third.log'), None, os.path.join(folder, 'third.db')
    words = third.start(code=1)
    assert 'is in use' in words and str(server.port) in words, words
    server.stop()


def case_wrong_usage(folder):
    for words in (['--port', '70000'], ['--port', 'x'], ['--nonsense'], ['file'], ['--tls-cert', 'x'], ['--quick', '0'],
        ['--ping', '0'], ['--max-tables', '0'], ['--bot-threads', '0']):
        done = subprocess.run([wire.COMMAND, 'serve', *words], capture_output=True, text=True, env=wire.ENV,
            timeout=wire.PATIENCE, check=False)
        assert done.returncode == 2 and done.stderr.startswith('pyramids: '), (words, done.returncode, done.stderr)
    for words in (['--origin', 'example.org'], ['--origin', 'https://example.org/path'],
        ['--tls-cert', 'none', '--tls-key', 'none'], ['--edition', 'none'],
                  ['--address', '203.0.113.77']):
        done = subprocess.run([wire.COMMAND, 'serve', '--no-browser', '--port', '0', '--database',
            os.path.join(folder, 'x.db'), *words], capture_output=True, text=True,
                              env=wire.ENV, timeout=wire.PATIENCE, check=False)
        assert done.returncode == 1 and done.stderr.startswith('pyramids: '), (words, done.returncode, done.stderr)


if __name__ == '__main__':
    wire.main(globals())
