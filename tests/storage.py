#!/usr/bin/env python3
"""Records out of a server's database and back. usage: storage.py PYRAMIDS SOURCE_ROOT [CASE]"""
import fcntl
import datetime
import json
import os
import pty
import random
import re
import shutil
import signal
import sqlite3
import stat
import struct
import subprocess
import termios
import time
import urllib.request

import wire
from wire import COMMAND, ENV, POSTGRES, ROOT, only_files, read

PLAIN = os.path.join(ROOT, 'tests/data/plain.edition')
RECORD = os.path.join(ROOT, 'tests/data/plain-2.pyr')

BASES = {}                       # by the value of --database


def run(*words, text='', code=0, env=ENV):
    """Runs the command, expects an exit code, returns its output."""
    data = text if isinstance(text, bytes) else text.encode()
    done = subprocess.run([COMMAND, *words], input=data, capture_output=True, env=env, timeout=120)
    done.out, done.err = done.stdout.decode('utf-8', 'replace'), done.stderr.decode('utf-8', 'replace')
    assert done.returncode == code, f'{words}: exit {done.returncode}, not {code}\n{done.out}\n{done.err}'
    return done


def write(path, text):
    with open(path, 'w', encoding='utf-8') as to:
        to.write(text)
    return path


def database_at(folder, name):
    """An unused database, as a value for --database."""
    base = wire.base_at(os.path.join(folder, name))
    return BASES.setdefault(base.where, base).where


def rows(database, sql):
    return BASES[database].rows(sql)


def games(folder, count=5, seed=1, players=3):
    """Records of the classic edition."""
    where = os.path.join(folder, f'games{seed}')
    run('sim', '--players', str(players), '--bots', 'random', '--games', str(count), '--seed', str(seed), '--independent',
        '--records', where)
    return where, [read(os.path.join(where, name)) for name in sorted(os.listdir(where))]


def split(stream):
    """The records of a stream, without the comments of export."""
    return sorted(re.split('(?m)^(?=pyramids-record)', re.sub('(?m)^;.*\n', '', stream))[1:])


def imported(database, *words, text='', code=0):
    done = run('import', '--database', database, '--json', *words, text=text, code=code)
    return json.loads(done.out), done.err


def case_help(_):
    main = run('--help').out
    for name in ('export', 'import'):
        assert re.search(rf'^  {name} ', main, re.M), main
        text = run(name, '--help').out
        assert f'Usage: pyramids {name}' in text and 'Examples:\n  pyramids ' in text and '--database' in text, text


def case_wrong_usage(folder):
    database = database_at(folder, 'a.db')
    for words in (['import'], ['import', '--nonsense'], ['export', 'extra'], ['export', '--output'],
        ['import', '--database', '', 'x']):
        done = run(*words, code=2)
        assert done.err.startswith('pyramids: '), done.err
    if POSTGRES:
        return                                           # the rest is about missing files
    homeless = {name: value for name, value in ENV.items() if name not in ('HOME', 'XDG_DATA_HOME')}
    assert '--database' in run('export', code=2, env=homeless).err
    assert 'No such file' in run('export', '--database', database, code=1).err
    assert not os.path.exists(database)
    done = run('import', '--database', database, os.path.join(folder, 'missing'), code=1)
    assert 'No such file' in done.err and 'files refused: 1' in done.out, done.err
    assert 'Not a directory' in run('import', '--database', '/dev/null/x.db', RECORD, code=1).err


def case_round_trip(folder):
    where, texts = games(folder)
    database, second = database_at(folder, 'a.db'), database_at(folder, 'b.db')
    report, err = imported(database, where)
    said = report.pop('database')
    assert report == {'files': 5, 'records': 5, 'imported': 5, 'there': 0, 'refused': 0} and not err, (report, err)
    assert said == database if not POSTGRES else said.startswith('postgresql://'), said
    assert POSTGRES or stat.S_IMODE(os.stat(database).st_mode) == 0o600
    stream = run('export', '--database', database).out
    assert split(stream) == sorted(texts)
    # A stream, then the same once more.
    report, _ = imported(second, '-', text=stream)
    assert (report['files'], report['imported'], report['there']) == (1, 5, 0), report
    report, _ = imported(second, '-', where, text=stream)
    assert (report['files'], report['records'], report['imported'], report['there']) == (6, 10, 0, 10), report
    assert run('export', '--database', second, '-o', '-').out == stream
    # Files, by code.
    out = os.path.join(folder, 'out')
    assert run('export', '--database', database, '--output', out).out == f'records written to {out}: 5\n'
    codes = [code for code, in rows(database, 'SELECT code FROM game')]
    assert sorted(os.listdir(out)) == sorted(code + '.record' for code in codes)
    run('replay', *[os.path.join(out, name) for name in os.listdir(out)])
    assert sorted(split(read(os.path.join(out, name)))[0] for name in os.listdir(out)) == sorted(texts)
    assert rows(database, 'SELECT DISTINCT state FROM game') == [(2,)]
    assert 'No such file' in run('export', '--database', database, '--output', os.path.join(folder, 'no/such'), code=1).err


def case_plain_text(folder):
    """Only the game is stored: comments, blank lines and line ends are not."""
    _, texts = games(folder, 2)
    database = database_at(folder, 'a.db')
    dressed = '; two games\n\n' + texts[0].replace('\n', '\r\n') + '\n; and\n' + texts[1].replace('\nreveal', '\n\nreveal')
    assert imported(database, '-', text=dressed)[0]['imported'] == 2
    assert imported(database, '-', text=''.join(texts))[0]['there'] == 2
    assert split(run('export', '--database', database).out) == sorted(texts)


def case_codes(folder):
    """Tables keep their codes and dates on the way, and servers can read their other data."""
    _, texts = games(folder, 4)
    database, second = database_at(folder, 'a.db'), database_at(folder, 'b.db')
    heads = '; table K7QXMWRT 2031-02-03T04:05:06Z\n', '; table K7QXMWRT 1999-12-31T23:59:59Z\n', '; table ../../x ' \
        'nonsense\n', ''
    assert imported(database, '-', text=''.join(head + text for head, text in zip(heads, texts)))[0]['imported'] == 4
    tables = rows(database, 'SELECT code, created FROM game ORDER BY id')
    wanted = [int(datetime.datetime.fromisoformat(date + '+00:00').timestamp())
              for date in ('2031-02-03T04:05:06', '1999-12-31T23:59:59')]
    assert tables[0] == ('K7QXMWRT', wanted[0]) and tables[1][1] == wanted[1], tables
    assert all(re.fullmatch('[2-9A-Z]{8}', code) for code, _ in tables) and len(set(code for code, _ in tables)) == 4, tables
    out = os.path.join(folder, 'out')
    run('export', '--database', database, '--output', out)
    assert imported(second, out)[0]['imported'] == 4
    everything = 'SELECT code, state, created, changed, config, text FROM game JOIN line ON game = game.id ORDER BY code'
    assert rows(second, everything) == rows(database, everything)
    assert run('export', '--database', database).out == run('export', '--database', second).out
    for config, text in rows(database, 'SELECT config, text FROM game JOIN line ON game = game.id'):
        config = json.loads(config)
        assert config['edition'] == 'classic' and config['points'] == [int(n)
            for n in re.findall(r'(?m)^score \d (-?\d+)', text)], config
        assert [seat['name'] for seat in config['seats']] == re.findall(r'(?m)^player \d (.*)$', text), config


def case_dates(folder):
    """Only a real date of the calendar counts. Names are cut between letters, not within an emoji of a family."""
    dates = ('1970-01-02T00:00:00', '2000-02-29T12:00:00', '2024-02-29T23:59:59', '2100-02-28T00:00:01',
        '2100-03-01T00:00:00', '2038-01-19T03:14:08')
    none = ('2023-02-29T00:00:00', '2100-02-29T00:00:00', '2031-04-31T00:00:00', '2031-13-01T00:00:00',
        '2031-00-10T00:00:00', '1969-12-31T00:00:00')
    _, texts = games(folder, len(dates) + len(none))
    family = '\U0001f468\u200d\U0001f469\u200d\U0001f467'     # 18 bytes
    name = 'a' * 90 + family
    texts[0] = re.sub(r'(?m)^player 1 .*$', 'player 1 ' + name, texts[0])
    database = database_at(folder, 'a.db')
    heads = [f'; table K7QXMW{i + 22} {date}Z\n' for i, date in enumerate(dates + none)]
    start = int(time.time())
    assert imported(database, '-', text=''.join(head + text for head, text in zip(heads,
        texts)))[0]['imported'] == len(texts)
    created = [when for when, in rows(database, 'SELECT created FROM game ORDER BY id')]
    wanted = [int(datetime.datetime.fromisoformat(date + '+00:00').timestamp()) for date in dates]
    assert created[:len(dates)] == wanted, list(zip(dates, created, wanted))
    assert all(start <= when <= time.time() for when in created[len(dates):]), created
    config, = [config for config, in rows(database, 'SELECT config FROM game ORDER BY id LIMIT 1')]
    assert json.loads(config)['seats'][0]['name'] == 'a' * 90, config


def case_bad_files(folder):
    """A bad file is refused as a whole, with its line; the others are imported."""
    _, texts = games(folder, 4)
    database = database_at(folder, 'a.db')
    good = write(os.path.join(folder, 'good'), texts[3])
    lines = texts[1].split('\n')
    for change, line, words in (
            (lambda: '\n'.join(lines[:30]) + '\n', len(texts[0].split('\n')) - 1 + 30, 'only finished games'),
            (lambda: texts[1].replace('edition classic', 'edition nonsense'), len(texts[0].split('\n')),
            "edition 'nonsense'"),
            (lambda: texts[1].replace('\nwinner ', '\nwinner 9', 1), len(texts[0].split('\n')) - 1 + len(lines) - 1, ''),
            (lambda: texts[1].replace('\nkeep 1', '\nsleep 1', 1), None, 'sleep')):
        bad = write(os.path.join(folder, 'bad'), texts[0] + change() + texts[2])
        report, err = imported(database, bad, good, code=1)
        assert report['refused'] == 1 and report['records'] == 1, report
        assert re.match(re.escape(bad) + rf':{line if line else "[0-9]+"}: ',
            err) and words in err and err.count('\n') == 1, (err, line)
        assert rows(database, 'SELECT count(*) FROM game') == [(1,)]
    for text, words in (('', 'no record'), ('; nothing\n', ':1: '), ('nonsense\n' + texts[0], ':1: '),
        ('a' * 3000000, 'longer'),
                        ('pyramids-record 1\n' * 3, ':1: '), (texts[0] + '\0' * 100, ': '), (texts[0][:-1], None)):
        report, err = imported(database, '-', text=text, code=1 if words else 0)
        assert words is None or words in err, (text[:50], err)
    empty = os.path.join(folder, 'empty')
    os.mkdir(empty)
    assert 'no record' in run('import', '--database', database, empty, code=1).err


def case_editions(folder):
    database = database_at(folder, 'a.db')
    _, texts = games(folder, 1)
    both = read(RECORD) + texts[0]
    assert "edition 'plain'" in imported(database, '-', text=both, code=1)[1]
    assert imported(database, '-', '--edition', PLAIN, text=both)[0]['imported'] == 2


@only_files('it is about the file of those who name none')
def case_default_place(folder):
    env = dict(ENV, HOME=folder)
    env.pop('XDG_DATA_HOME', None)
    run('import', '--edition', PLAIN, RECORD, env=env)
    place = os.path.join(folder, '.local/share/pyramids')
    assert os.path.exists(os.path.join(place, 'pyramids.db')) and stat.S_IMODE(os.stat(place).st_mode) == 0o700
    assert split(run('export', env=env).out) == [read(RECORD)]
    env['XDG_DATA_HOME'] = os.path.join(folder, 'data')
    run('import', '--edition', PLAIN, RECORD, env=env)
    assert os.path.exists(os.path.join(folder, 'data/pyramids/pyramids.db'))


def session(database):
    """Another client that writes to the same database: psql, with commands from a pipe."""
    return subprocess.Popen(['psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', database], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True, env=ENV)


def say(psql, sql):
    """Runs a command there, and waits for it."""
    psql.stdin.write(sql + ';\n\\echo done\n')
    psql.stdin.flush()
    assert psql.stdout.readline() == 'done\n', sql


def beside_a_writer(folder):
    """Export shows only committed data while others write; import does not wait for them."""
    database = database_at(folder, 'a.db')
    imported(database, RECORD, '--edition', PLAIN)
    with session(database) as psql:
        say(psql, 'BEGIN')
        say(psql, "INSERT INTO game (id, code, state, created, changed, config)"
                  " SELECT 77, 'LATE', 2, created + 1, changed, config FROM game")
        say(psql, 'INSERT INTO revision (game, number) VALUES (77, 1)')
        say(psql, "INSERT INTO line (game, seq, count, text, made) VALUES (77, 0, 1, 'pyramids-record 1' || chr(10), 1)")
        assert split(run('export', '--database', database).out) == [read(RECORD)]
        _, texts = games(folder, 1)
        assert imported(database, '-', text=texts[0])[0]['imported'] == 1
        say(psql, 'COMMIT')
        late = sorted([read(RECORD), texts[0], 'pyramids-record 1\n'])
        assert split(run('export', '--database', database).out) == late
        psql.stdin.close()


if POSTGRES:
    case_beside_a_writer = beside_a_writer


@only_files('servers and imports share a database at PostgreSQL: case_beside_a_writer')
def case_in_use(folder):
    """Import needs the database for itself; export reads beside a writer, and also what a killed server left."""
    database = database_at(folder, 'a.db')
    imported(database, RECORD, '--edition', PLAIN)
    with open(database + '.lock', 'r+', encoding='ascii') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = run('import', '--database', database, RECORD, '--edition', PLAIN, code=1)
        assert 'in use by another server or import (process ' in done.err and 'stop it first' in done.err, done.err
        connection = sqlite3.connect(database, isolation_level=None)
        connection.execute('BEGIN IMMEDIATE')
        connection.execute("INSERT INTO game (id, code, state, created, changed, config)"
                           " SELECT 77, 'LATE', 2, created + 1, changed, config FROM game")
        connection.execute("INSERT INTO revision (game, number) VALUES (77, 1)")
        assert split(run('export', '--database', database).out) == [read(RECORD)]    # not committed
        connection.execute("INSERT INTO line (game, seq, count, text) VALUES (77, 0, 1, 'pyramids-record 1' || char(10))")
        connection.execute('COMMIT')
        late = sorted([read(RECORD), 'pyramids-record 1\n'])
        assert split(run('export', '--database', database).out) == late
        # as after kill -9: the log is not in the file yet
        copy = os.path.join(folder, 'copy.db')
        shutil.copy(database, copy)
        shutil.copy(database + '-wal', copy + '-wal')
        connection.close()
        assert split(run('export', '--database', copy).out) == late
    run('import', '--database', database, RECORD, '--edition', PLAIN)


def case_beside_a_server(folder):
    """A server shows imported games; meanwhile export works and import waits for its turn."""
    _, texts = games(folder, 2)
    database, ready = database_at(folder, 'a.db'), os.path.join(folder, 'ready')
    imported(database, '-', text='; table K7QXMWRT 2031-02-03T04:05:06Z\n' + ''.join(texts))
    server = subprocess.Popen([COMMAND, 'serve', '--port', '0', '--no-browser', '--quiet', '--database', database,
        '--ready-file', ready],
                              stdout=subprocess.DEVNULL, env=ENV)
    try:
        end = time.monotonic() + 60
        while not (os.path.exists(ready)
            and read(ready).endswith('\n')) and server.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        page = read(ready).strip().rstrip('/')
        ask = urllib.request.Request(page + '/api/visitor', b'{"name": "Ana"}', {'Content-Type': 'application/json'})
        with urllib.request.urlopen(ask, timeout=30) as answer:
            cookie = {'Cookie': answer.headers['Set-Cookie'].split(';')[0]}

        def get(path):
            with urllib.request.urlopen(urllib.request.Request(page + path, headers=cookie), timeout=30) as answer:
                return answer.read().decode()

        table = json.loads(get('/api/tables/K7QXMWRT'))['table']
        assert table['state'] == 'over' and table['points'] == [int(n) for n in re.findall(r'(?m)^score \d (-?\d+)',
            texts[0])], table
        assert get('/api/tables/K7QXMWRT/record') == texts[0]
        assert split(run('export', '--database', database).out) == sorted(texts)
        if POSTGRES:                                     # an import beside a server, which shows it at once
            _, more = games(folder, 1, seed=2)
            text = '; table K7QXMWR2 2031-02-03T04:05:06Z\n' + more[0]
            assert imported(database, '-', text=text)[0]['imported'] == 1
            assert get('/api/tables/K7QXMWR2/record') == more[0]
            texts += more
        else:
            assert f'(process {server.pid})' in run('import', '--database', database, '-', text=texts[0], code=1).err
        server.kill()
        server.wait(timeout=30)
        assert split(run('export', '--database', database).out) == sorted(texts)
        assert imported(database, '-', text=texts[0])[0]['there'] == 1
    finally:
        server.kill()
        server.wait(timeout=30)


@only_files('database.py has the refused databases of PostgreSQL, for all commands')
def case_refused_databases(folder):
    database = database_at(folder, 'a.db')
    imported(database, RECORD, '--edition', PLAIN)
    whole = open(database, 'rb').read()

    def refused(words, *change):
        if change:
            connection = sqlite3.connect(database)
            connection.executescript(change[0])
            connection.close()
        before = open(database, 'rb').read()
        for command in (['export'], ['import', RECORD, '--edition', PLAIN]):
            err = run(*command, '--database', database, code=1).err
            assert words in err and err.startswith('pyramids: ') and err.count('\n') == 1, err
            assert open(database, 'rb').read() == before

    refused('newer version', 'PRAGMA user_version = 11')
    os.remove(database)
    refused('another program', 'CREATE TABLE wine (year)')
    write(database, 'nonsense ' * 1000)
    refused('not a Pyramids database')
    with open(database, 'wb') as to:
        to.write(whole[:20000] + b'\xa5' * 4096 + whole[24096:])
    refused('damaged')
    rng = random.Random(5)
    for _ in range(60):                                  # any bytes: accepted or refused, never a crash
        bytes_ = bytearray(whole)
        for _ in range(rng.randrange(1, 20)):
            bytes_[rng.randrange(len(bytes_))] = rng.randrange(256)
        with open(database, 'wb') as to:
            to.write(bytes_)
        for command in (['export'], ['import', RECORD, '--edition', PLAIN]):
            done = subprocess.run([COMMAND, *command, '--database', database], capture_output=True, env=ENV, timeout=60)
            assert done.returncode in (0, 1), (command, done.returncode, done.stderr)


def case_full_disk(folder):
    """Without room nothing is imported, and existing data stay."""
    database = database_at(folder, 'a.db')
    imported(database, RECORD, '--edition', PLAIN)
    where, _ = games(folder, 40)
    before = run('export', '--database', database).out
    if POSTGRES:
        BASES[database].fill_disk()
        limit = ''
    else:
        limit = 'ulimit -f 150; trap "" XFSZ; '          # blocks of 512 or 1024 bytes
    script = limit + 'exec "$0" import --database "$1" "$2"'
    done = subprocess.run(['sh', '-c', script, COMMAND, database, where], capture_output=True, env=ENV, timeout=60)
    assert done.returncode == 1 and b'nothing was imported' in done.stderr, (done.returncode, done.stderr)
    assert run('export', '--database', database).out == before
    if POSTGRES:
        BASES[database].free_disk()
    assert imported(database, where)[0]['imported'] == 40


def case_interrupt(folder):
    """After Ctrl-C nothing is imported."""
    where, texts = games(folder, 3)
    database = database_at(folder, 'a.db')
    process = subprocess.Popen([COMMAND, 'import', '--database', database, where, '-'], stdin=subprocess.PIPE,
        stderr=subprocess.PIPE, env=ENV)
    process.stdin.write((texts[0] + 'pyramids-record 1\n').encode())
    process.stdin.flush()
    # It has read all of it, and waits for more.
    end, unread = time.monotonic() + 60, 1
    while unread:
        unread, = struct.unpack('i', fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4)))
        assert time.monotonic() < end and process.poll() is None, unread
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.stdin, still_open = None, process.stdin      # otherwise it would be closed before the answer comes
    try:
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
        still_open.close()
    assert process.returncode == 130 and err == b'pyramids: nothing was imported\n', err
    assert run('export', '--database', database).out == ''


def case_progress(folder):
    """On a terminal it shows progress; elsewhere it is silent."""
    where, _ = games(folder, 3)
    database = database_at(folder, 'a.db')
    ours, theirs = pty.openpty()
    done = subprocess.run([COMMAND, 'import', '--database', database, where], stdout=subprocess.PIPE, stderr=theirs, env=ENV,
        timeout=60)
    shown = os.read(ours, 4096)
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 0 and shown.startswith(b'\r') and shown.endswith(b'\r\x1b[K'), shown
    assert done.stdout == b'records imported: 3, already present: 0; files refused: 0\n'


if __name__ == '__main__':
    wire.main(globals())
