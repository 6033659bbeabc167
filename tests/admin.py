#!/usr/bin/env python3
"""The operator's socket and `pyramids admin`. usage: admin.py PYRAMIDS SOURCE_ROOT [CASE]"""
import json
import os
import re
import secrets
import signal
import socket
import sqlite3
import subprocess
import threading
import time

import schemas
import wire
from wire import ENV, PATIENCE, POSTGRES, ROOT, Clock, Closed, Server, read, until_so


class Governed(Server):
    """A server with an operator."""

    def __init__(self, folder, *options, **more):
        self.socket = os.path.join(folder, more.get('database', 'server.db') + '.admin')
        super().__init__(folder, *options, '--admin-socket', self.socket, **more)

    def admin(self, *words, code=0):
        """The answer to a command, as JSON."""
        done = subprocess.run([wire.COMMAND, 'admin', *words, '--socket', self.socket, '--json'], capture_output=True,
            env=ENV, timeout=PATIENCE, check=False)
        assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
        answer = json.loads(done.stdout)
        schema = json.loads(read(os.path.join(ROOT, f'docs/schemas/admin-{words[0]}.json')))
        faults = schemas.check(answer, schema)
        assert not faults, (words, faults)
        return answer

    def words(self, *words, code=0):
        """The same as text."""
        done = subprocess.run([wire.COMMAND, 'admin', *words, '--socket', self.socket], capture_output=True, text=True,
            env=ENV, timeout=PATIENCE, check=False)
        assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
        return done.stdout + done.stderr

    def refused(self, code, *words):
        assert self.admin(*words, code=1)['error']['code'] == code, words

    def raw(self, data):
        """Sends any bytes to the socket; returns the answer."""
        with socket.socket(socket.AF_UNIX) as at:
            at.settimeout(PATIENCE)
            at.connect(self.socket)
            try:
                at.sendall(data)
                at.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            got = b''
            try:
                while part := at.recv(65536):
                    got += part
            except ConnectionError:
                pass
            return got


def number_of(visitor):
    """The number of a visitor in the database. Only the operator can see it."""
    name = 'n' + secrets.token_hex(6)
    visitor.want(200, 'POST', '/api/visitor', {'name': name})
    found = [one['visitor'] for one in visitor.server.admin('visitors', '--limit', '10000')['visitors']
        if one['name'] == name]
    assert len(found) == 1, found
    return found[0]


def case_lists(folder):
    """Status, tables and visitors are reported correctly and contain no secret."""
    with Governed(folder) as server:
        ana, ben = server.visitor('Ana'), server.visitor('Ben')
        code, keys = ana.make('open', 'friend:Cy')
        public = ana.make('open', 'bot:greedy', public=True)
        link, other = ben.seat(code), ben.link(public)
        other.until(lambda: other.table)
        status = server.admin('status')
        assert (status['tables'], status['sockets'], status['bans'], status['notice']) == (2, 2, 0, None), status
        assert status['url'] == server.url and status['process'] == server.process.pid, status
        assert status['database']['engine'] == ('PostgreSQL' if POSTGRES else 'SQLite'), status
        tables = server.admin('tables')
        assert tables['open'] == 2 and len(tables['tables']) == 2, tables
        private, = [one for one in tables['tables'] if not one['public']]
        shown, = [one for one in tables['tables'] if one['public']]
        assert private['code'] is None and shown['code'] == public, tables
        assert [seat['kind'] for seat in private['seats']] == ['person', 'friend'], private
        assert private['seats'][0]['name'] == 'Ben' and private['watching'] == 1, private
        assert shown['seats'][1]['level'] == 'greedy' and shown['state'] == 'waiting', shown
        visitors = server.admin('visitors')['visitors']
        assert {one['name'] for one in visitors} == {'Ana', 'Ben'}, visitors
        assert {one['name']: one['connections'] for one in visitors} == {'Ana': 0, 'Ben': 2}, visitors
        assert [one['addresses'] for one in visitors if one['name'] == 'Ben'] == [['127.0.0.1']], visitors
        assert len(server.admin('visitors', '--limit', '1')['visitors']) == 1
        # No answer contains a token, the hash of one, a key, a private code or the secret of a game.
        everything = json.dumps([status, tables, visitors]) + ''.join(server.words(word) for word in ('status', 'tables',
            'visitors', 'bans'))
        hidden = [code, *keys.values(), ana.cookie.split('=')[1], ben.cookie.split('=')[1]]
        for config, in server.base.rows('SELECT config FROM game'):
            config = json.loads(config)
            hidden += [config['secret'], *(seat['key'] for seat in config['seats'] if 'key' in seat)]
        for word in hidden:
            assert len(word) >= 8 and word not in everything, word
        link.done('ping')


def case_close(folder):
    """A table can be closed by its number or its code, whether it is waiting, running or not in memory. Its players are
    notified."""
    with Governed(folder) as server:
        ana, ben = server.visitor('Ana'), server.visitor('Ben')
        waiting, running, stored = (ana.make('open', 'open') for _ in range(3))
        link = ana.link(waiting)
        played = [ana.seat(running), ben.seat(running)]
        for one in played:
            one.until(lambda: one.lines)
        assert server.admin('close', waiting)['state'] == 'closed'
        link.until(lambda: link.table['state'] == 'closed')
        number, = [one['table'] for one in server.admin('tables')['tables'] if one['state'] == 'running']
        assert server.admin('close', str(number)) == {'table': number, 'state': 'closed'}
        for one in played:
            one.until(lambda: one.table['state'] == 'closed')
        choice = played[0].pick(secrets.SystemRandom())
        answer = played[0].say('choose', phase=played[0].version, choice=choice)
        assert answer['type'] == 'error', answer
        server.restart()
        assert server.admin('close', stored.lower())['state'] == 'closed'
        assert server.admin('close', stored)['state'] == 'closed'      # closing again is harmless
        assert ana.table(running)['state'] == ana.table(stored)['state'] == 'closed'
        assert server.admin('status')['tables'] == 0
        server.refused('no_table', 'close', 'ABCDEFGH')
        server.refused('no_table', 'close', '99999')
        server.refused('bad_command', 'close', 'nonsense')
        # A game that is over stays as it is.
        code = ana.make('open', 'bot:greedy')
        link = ana.seat(code)
        wire.play([link], secrets.SystemRandom())
        server.refused('not_open', 'close', code)
        assert server.base.is_whole()


def case_ban_visitor(folder):
    """A banned visitor is disconnected and refused everything except the page's files, also after a restart, until the ban
    is lifted."""
    with Governed(folder) as server:
        ana, eve = server.visitor('Ana'), server.visitor('Eve')
        code = ana.make('open', 'open')
        eve_number = number_of(eve)
        links = [ana.seat(code), eve.seat(code)]
        ban = server.admin('ban', '--visitor', str(eve_number), '--reason', 'insults')
        assert (ban['visitor'], ban['address'], ban['until'], ban['reason']) == (eve_number, None, None, 'insults'), ban
        try:
            links[1].until(lambda: links[1].errors)
            assert links[1].errors[0]['code'] == 'banned', links[1].errors
            links[1].until(lambda: False)
        except Closed as closed:
            assert closed.code == 1008, closed
        for _ in range(2):
            eve.refused(403, 'banned', 'GET', '/api/visitor')
            eve.refused(403, 'banned', 'POST', '/api/tables', {'seats': [{'kind': 'open'}] * 2})
            assert wire.Wire(eve).status == 403
            eve.want(200, 'GET', '/')
            ana.want(200, 'GET', '/api/visitor')
            server.restart()                     # now the ban must come from the database
        assert [one['ban'] for one in server.admin('bans')['bans']] == [ban['ban']]
        assert server.admin('unban', str(ban['ban'])) == {'ban': ban['ban'], 'removed': True}
        eve.want(200, 'GET', '/api/visitor')
        server.refused('no_ban', 'unban', str(ban['ban']))
        server.refused('no_visitor', 'ban', '--visitor', '99999')      # a number that may exist one day
        assert server.admin('bans') == {'bans': []}


def case_ban_address(folder):
    """Bans an address or prefix, behind a proxy, for some days; an invalid address is refused."""
    clock = Clock(folder)
    with Governed(folder, '--trust-proxy', env=clock.env) as server:
        ana = server.visitor('Ana')

        def status(address):
            return ana.ask('GET', '/api/visitor', headers={'X-Forwarded-For': address}).status
        single = server.admin('ban', '192.0.2.7')
        assert single['address'] == '192.0.2.7', single
        assert [status(a) for a in ('192.0.2.7', '::ffff:192.0.2.7', '192.0.2.8')] == [403, 403, 200]
        block = server.admin('ban', '198.51.100.77/24', '--days', '2')
        assert block['address'] == '198.51.100.0/24' and block['until'] - block['made'] == 2 * 86400, block
        assert [status(a) for a in ('198.51.100.1', '198.51.100.255', '198.51.101.1')] == [403, 403, 200]
        six = server.admin('ban', '2001:db8:1:2:3::4')
        assert six['address'] == '2001:db8:1:2::/64', six
        assert [status(a) for a in ('2001:db8:1:2::9', '2001:db8:1:3::9', 'unknown')] == [403, 200, 200]
        wide = server.admin('ban', '2001:db8:ff00::/40')
        assert [status(a) for a in ('2001:db8:ffff::1', '2001:db9::1')] == [403, 200]
        for bad in ('192.0.2', '192.0.2.0/33', '192.0.2.0/', '10.0.0.0/0', '::/0', 'x', '192.0.2.0/24/3', '192.0.2.0/-1'):
            server.refused('bad_command', 'ban', bad)
        server.refused('bad_command', 'ban')
        server.refused('bad_command', 'ban', '192.0.2.9', '--visitor', '1')
        server.refused('bad_command', 'ban', '192.0.2.9', '--days', '0')
        # After its time a ban is removed.
        clock.set(server, f'+{3 * 86400}')
        until_so(lambda: status('198.51.100.1') == 200)
        assert status('192.0.2.7') == 403
        assert {one['ban'] for one in server.admin('bans')['bans']} == {single['ban'], six['ban'], wide['ban']}
        server.admin('sweep')
        assert len(server.base.rows('SELECT id FROM ban')) == 3
        for one in (single, six, wide):
            server.admin('unban', str(one['ban']))
        assert [status(a) for a in ('192.0.2.7', '2001:db8:1:2::9', '2001:db8:ffff::1')] == [200, 200, 200]
        # A ban that covers all connections here: sockets are closed, but not the operator's.
        link = ana.link(headers={'X-Forwarded-For': '203.0.113.5'})
        link.until(lambda: link.hello)
        server.admin('ban', '203.0.113.0/24')
        try:
            link.until(lambda: False)
        except Closed as closed:
            assert closed.code == 1008
        assert server.admin('status')['bans'] == 1


def case_rename(folder):
    """Renames a visitor in memory and in the database."""
    with Governed(folder) as server:
        eve, away = server.visitor('Eve'), server.visitor('Away')
        numbers = number_of(eve), number_of(away)
        server.restart()
        eve.want(200, 'GET', '/api/visitor')     # in memory again
        for visitor, number in zip((eve, away), numbers):
            assert server.admin('rename', str(number), '  Visitor\u00a012 ') == {'visitor': number, 'name': 'Visitor 12'}
            assert visitor.want(200, 'GET', '/api/visitor').json == {'visitor': {'name': 'Visitor 12'}}
        server.restart()
        assert eve.want(200, 'GET', '/api/visitor').json == {'visitor': {'name': 'Visitor 12'}}
        server.refused('no_visitor', 'rename', '99999', 'X')
        server.refused('bad_command', 'rename', str(numbers[0]), ' ')
        server.refused('bad_command', 'rename', str(numbers[0]), 'x' * 25)


def case_announce(folder):
    """Connected players see the notice at once, others when they connect; it disappears for everyone when it is
    withdrawn."""
    with Governed(folder) as server:
        ana, ben = server.visitor('Ana'), server.visitor('Ben')
        code = ana.make('open', 'open')
        link = ana.link(code)
        link.until(lambda: link.table)
        assert not link.notice
        assert server.admin('announce', '--minutes', '10') == {'text': None, 'restart': 600, 'told': 1}
        link.until(lambda: link.notice)
        assert link.notice['text'] is None and 0 < link.notice['restart'] <= 600, link.notice
        server.admin('announce', 'Back at 20:00', '--minutes', '5')
        link.until(lambda: link.notice['text'])
        assert link.notice['text'] == 'Back at 20:00' and link.notice['restart'] <= 300, link.notice
        later = ben.link(code)
        later.until(lambda: later.notice)
        assert later.notice['text'] == 'Back at 20:00', later.notice
        assert server.admin('status')['notice']['text'] == 'Back at 20:00'
        assert re.search('announced: Back at 20:00\nannounced: a restart in [1-9][0-9]* s\n', server.words('status'))
        server.admin('announce', 'Back at 21:00')
        assert server.words('status').endswith('announced: Back at 21:00\n')
        assert server.words('announce', '--clear') == 'the announcement is removed\n'
        link.until(lambda: link.notice == {'type': 'notice', 'text': None, 'restart': None})
        newest = ben.link(code)
        newest.until(lambda: newest.table)
        newest.done('ping')
        assert not newest.notice, newest.notice
        server.refused('bad_command', 'announce')
        server.refused('bad_command', 'announce', 'x', '--clear')
        server.refused('bad_command', 'announce', 'two\nlines')
        server.refused('bad_command', 'announce', 'x' * 241)


def case_backup(folder):
    """A backup taken while games are played is consistent: a server started with it has the state of one moment."""
    with Governed(folder) as server:
        ana = server.visitor('Ana')
        if POSTGRES:
            error = server.admin('backup', os.path.join(folder, 'x.db'), code=1)['error']
            assert error['code'] == 'postgresql' and 'pg_dump' in error['message'], error
            return
        code = ana.make('open', 'bot:greedy')
        link = ana.seat(code)
        player = threading.Thread(target=wire.play, args=([link], secrets.SystemRandom()))
        player.start()
        copies = []
        while player.is_alive() or not copies:
            copies.append(os.path.join(folder, f'copy{len(copies)}.db'))
            answer = server.admin('backup', copies[-1])
            assert answer == {'bytes': os.path.getsize(copies[-1])}, answer
        player.join()
        for copy in copies[:3] + copies[-1:]:
            assert os.stat(copy).st_mode & 0o777 == 0o600
            base = wire.File(copy)
            assert base.is_whole()
            gaps = 'SELECT count(*) FROM line WHERE seq > 0 AND NOT EXISTS (SELECT 1 FROM line AS l WHERE l.game = ' \
                'line.game AND l.seq + l.count = line.seq)'
            assert base.rows(gaps) == [(0,)] and base.rows('SELECT name FROM visitor') == [('Ana',)]
        server.refused('file', 'backup', copies[0])
        server.refused('file', 'backup', os.path.join(folder, 'nowhere', 'x.db'))
        server.admin('backup', copies[0], '--force')
        # A backup never overwrites a database that a server has open, under any name, and leaves no files behind.
        os.symlink(server.base.where, os.path.join(folder, 'link.db'))
        for name in (server.base.where, os.path.join(folder, 'link.db')):
            server.refused('file', 'backup', name, '--force')
        assert server.admin('status')['database']['health'] == 'good'
        assert [name for name in os.listdir(folder) if 'backup' in name or '.part' in name] == []
        record = ana.record(code)
    os.replace(copies[0], os.path.join(folder, 'again.db'))
    with Governed(folder, database='again.db') as server:
        ana.server = server
        assert ana.record(code) == record


def case_check(folder):
    """An intact database passes the check; a gap in a log, a missing revision and dangling references are found."""
    with Governed(folder) as server:
        ana = server.visitor()
        link = ana.seat(ana.make('open', 'bot:greedy'))
        wire.play([link], secrets.SystemRandom())
        good = server.admin('check')
        assert good == {'good': True, 'tables': 1, 'gaps': 0, 'revisions': 0, 'orphans': 0, 'message': None}, good
        assert 'no problems found' in server.words('check')
        server.base.rows('DELETE FROM line WHERE seq = (SELECT max(seq) FROM line WHERE seq < (SELECT max(seq) FROM line))'
            + (' RETURNING seq' if POSTGRES else ''))
        bad = server.admin('check', code=1)
        assert not bad['good'] and bad['gaps'] == 1, bad
        assert 'restore it from a backup' in server.words('check', code=1)
        server.base.rows('DELETE FROM revision' + (' RETURNING game' if POSTGRES else ''))
        assert server.admin('check', code=1)['revisions'] == 1
        if not POSTGRES:
            base = sqlite3.connect(server.base.where)
            base.execute("INSERT INTO request (visitor, id, game, made) VALUES (777, 'x', 888, 1)")
            base.commit()
            base.close()
            assert server.admin('check', code=1)['orphans'] == 2


def case_sweep(folder):
    """A sweep deletes what has expired under the options, and nothing else."""
    with Governed(folder, '--keep-analyses', '5') as server:
        ana = server.visitor('Ana')
        played, closed = ana.make('open', 'bot:greedy'), ana.make('open', 'open')
        wire.play([ana.seat(played)], secrets.SystemRandom())
        for i in range(3):                       # a visitor in memory would be stored again
            server.base.rows(f"INSERT INTO visitor (name, created, seen) VALUES ('Idle {i}', {int(time.time())}, "
                f"{int(time.time())})")
        server.visitor('Last')                   # the newest stays, so that no number is used twice
        ana.make('open', 'open')                 # and so does the newest table
        server.admin('close', closed)
        assert server.admin('sweep') == {'tables': 0, 'visitors': 0, 'analyses': 0}
        # This would take two months: the hourly sweep already ran at the start.
        server.base.rows("UPDATE visitor SET seen = 1 WHERE name LIKE 'Idle%'")
        server.base.rows("UPDATE game SET changed = 1, created = 1")
        server.base.rows("INSERT INTO report (game, name, made, size, text) SELECT id, 'x', 1, 1, '' FROM game"
            if POSTGRES else "INSERT INTO report (game, name, made, size, text) SELECT id, 'x', 1, 1, x'' FROM game")
        assert server.admin('sweep') == {'tables': 1, 'visitors': 3, 'analyses': 3}
        assert server.base.rows('SELECT name FROM visitor ORDER BY id') == [('Ana',), ('Last',)]
        assert ana.record(played) and ana.ask('GET', f'/api/tables/{closed}').status == 404
        assert server.admin('sweep') == {'tables': 0, 'visitors': 0, 'analyses': 0}


def case_socket(folder):
    """The file's mode restricts access; one server per socket; a leftover socket is replaced, any other file is not."""
    with Governed(folder) as server:
        assert os.stat(server.socket).st_mode & 0o777 == 0o660
        if os.getuid() == 0:
            os.chmod(folder, 0o755)
            done = subprocess.run([wire.COMMAND, 'admin', 'status', '--socket', server.socket], capture_output=True,
                text=True, env=ENV, user=65534, group=65534, extra_groups=[], timeout=PATIENCE, check=False)
            assert done.returncode == 1 and 'no permission' in done.stderr, done
        done = subprocess.run([wire.COMMAND, 'serve', '--port', '0', '--database', ':memory:', '--no-browser',
            '--admin-socket', server.socket], capture_output=True, text=True, env=ENV, timeout=PATIENCE, check=False)
        assert done.returncode == 1 and 'is in use by another server' in done.stderr, done
        server.admin('status')
        until_so(lambda: f'event=admin command=status uid={os.getuid()}\n' in server.text())
        server.kill()
        assert os.path.exists(server.socket)
        assert 'is it running' in server.words('status', code=1)
        server.refused('no_server', 'status')
        server.start()
        server.admin('status')
        server.stop()
        assert not os.path.exists(server.socket)
        with open(server.socket, 'w', encoding='ascii') as file:
            file.write('mine')
        words = server.start(code=1)
        assert server.socket in words and read(server.socket) == 'mine', words
        os.remove(server.socket)
        # The service's own folder.
        server.env, server.options = {'RUNTIME_DIRECTORY': folder}, server.options[:-2]
        server.socket = os.path.join(folder, 'admin.sock')
        server.start()
        assert server.admin('status')['process'] == server.process.pid


def case_hostile(folder):
    """For any input on the socket, the server answers with an error or not at all, and keeps running."""
    with Governed(folder) as server:
        for data in (b'', b'\n', b'{}\n', b'[]\n', b'nonsense\n', b'{"command":1}\n', b'{"command":"status"',
                     b'\0' * 100 + b'\n',
                     b'{"command":"nothing"}\n', b'{"command":"status","x":1}\n', b'{"command":"close"}\n',
                     b'{"command":"close","table":-1}\n', b'{"command":"close","table":1e99}\n', b'{"command":"tables",'
                     b'"limit":0}\n', b'{"command":"rename","visitor":1,"name":["x"]}\n',
                     b'{"command":"ban","address":{}}\n',
                     b'{"command":"status","command":"sweep"}\n', b'[' * 4000 + b'\n', b'x' * 10000,
                     b'{"command":"announce","text":"\\u0000"}\n', b'{"command":"ban","visitor":1,"reason":"\\u001b[2J"}\n',
                     secrets.token_bytes(3000) + b'\n'):
            got = server.raw(data)
            assert not got or json.loads(got)['error']['code'] == 'bad_command', (data[:60], got)
            assert got or b'\n' not in data and len(data) < 4096, data[:60]
        idle = [socket.socket(socket.AF_UNIX) for _ in range(40)]      # more than it accepts at once
        for one in idle:
            one.connect(server.socket)
        for one in idle:
            one.close()

        def answers():
            try:
                return server.raw(b'{"command":"status"}\n').startswith(b'{"version"')
            except BlockingIOError:              # those beyond the limit are still in the queue
                return False
        until_so(answers)
        # A client that disconnects before its answer leaves nothing behind.
        for word in ('tables', 'check', 'sweep', 'backup', 'bans'):
            with socket.socket(socket.AF_UNIX) as at:
                at.connect(server.socket)
                at.sendall(json.dumps({'command': word}).encode() + b'\n')
        assert server.admin('status')['tables'] == 0


def case_hung_clients(folder):
    """Clients that connect and do nothing, send half a command or do not read the answer keep nobody else waiting."""
    with Governed(folder) as server:
        ana = server.visitor('Ana')
        link = ana.seat(ana.make('open', 'open'))
        hung = []
        for i in range(300):
            one = socket.socket(socket.AF_UNIX)
            one.connect(server.socket)
            try:
                one.sendall((b'', b'{"command":', b'x' * 4095, b'{"command":"status"}\n')[i % 4])
            except OSError:                      # it has made room for a newer one already
                pass
            hung.append(one)
        assert server.admin('status')['tables'] == 1 and server.admin('tables')['open'] == 1
        link.done('ping')
        stop = threading.Event()

        def knock():
            while not stop.is_set():
                with socket.socket(socket.AF_UNIX) as at:
                    at.connect(server.socket)
        knockers = [threading.Thread(target=knock) for _ in range(4)]
        for one in knockers:
            one.start()
        try:
            for _ in range(3):
                assert server.admin('status')['process'] == server.process.pid
            link.done('ping')
        finally:
            stop.set()
            for one in knockers:
                one.join()
        # Of the commands that read the whole database, a few run at a time, even if their clients have gone.
        asked = [socket.socket(socket.AF_UNIX) for _ in range(40)]
        for one in asked:
            one.connect(server.socket)
            one.sendall(b'{"command":"check"}\n')
        got = [json.loads(one.makefile('rb').read()) for one in asked]
        assert any('good' in one for one in got), got
        assert all('good' in one or one['error']['code'] == 'too_many' for one in got), got
        assert server.admin('check')['good']
        for one in hung + asked:
            one.close()


def case_out_of_files(folder):
    """When players' connections have taken all files that the server may open, the operator still gets answers, one
    client at a time."""
    with Governed(folder, '--max-per-address', '1000', before=('prlimit', '--nofile=80:80')) as server:
        held = []
        while 'event=accept' not in server.text():
            held.append(socket.create_connection(('127.0.0.1', server.port), timeout=PATIENCE))
            held[-1].sendall(b'GET /healthz HTTP/1.1\r\n')
        assert len(held) > 20
        with socket.socket(socket.AF_UNIX) as idle:        # takes the one place that is kept free
            idle.connect(server.socket)
            for _ in range(3):
                assert server.admin('status')['process'] == server.process.pid
        assert server.admin('status')['connections'] > 20
        for one in held:
            one.close()
        until_so(lambda: server.admin('status')['connections'] < 5)
        server.visitor('Ana')


def case_usage(folder):
    """Errors of the command line itself, and help."""
    def run(*words):
        done = subprocess.run([wire.COMMAND, 'admin', *words], capture_output=True, text=True, env=ENV, timeout=PATIENCE,
            check=False)
        return done.returncode, done.stdout + done.stderr
    for words, said in (([], 'no command'), (['nothing'], "unknown command 'nothing'"),
                        (['close'], 'expected: pyramids admin close TABLE\n'),
                        (['status', 'x'], 'expected: pyramids admin status ('),
                        (['status', '--days', '3'], '--days cannot be combined with'),
                        (['unban', 'x'], " ban: 'x' is not a number"),
                        (['tables', '--limit', '1e3'], "--limit: '1e3' is not a number"),
                        (['rename', '3'], 'expected: pyramids admin rename ID NAME\n'),
                        (['rename', '3', 'New', 'Name'], 'rename ID NAME (a text with spaces needs quotation marks)')):
        code, text = run(*words)
        assert code == 2 and said in text, (words, code, text)
    code, text = run('--help')
    assert code == 0 and 'Examples:' in text
    for command in ('status', 'tables', 'visitors', 'close', 'ban', 'unban', 'bans', 'rename', 'announce', 'backup', 'check',
                    'sweep'):
        assert command in text, command
        assert re.search(rf'\b{command}\b', read(os.path.join(ROOT, 'man/pyramids.1'))), command


def case_completions(_folder):
    """The completions of three shells offer every subcommand, every option of it, and every command of an operator."""
    admin = re.findall(r'^    \{ "(\w+)", \d, \d,', read(os.path.join(ROOT, 'src/cli/admin.c')), re.M)
    env = dict(ENV, PATH=os.path.dirname(wire.COMMAND) + ':' + ENV['PATH'])
    texts = {name: os.path.join(ROOT, 'data/completions', name) for name in ('pyramids.bash', '_pyramids', 'pyramids.fish')}

    def run(*words):
        done = subprocess.run(words, capture_output=True, text=True, env=env, timeout=PATIENCE, check=False)
        assert done.returncode == 0 and not done.stderr, done
        return done.stdout

    def in_bash(*words):
        line = ' '.join(f"'{word}'" for word in words)
        return set(run('bash', '-c', f'source {texts["pyramids.bash"]}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; '
            '_pyramids; printf "%s\\n" "${COMPREPLY[@]}"').split())

    def in_fish(line):
        return {word.split('\t')[0] for word in run('fish', '--no-config', '-c',
            f'source {texts["pyramids.fish"]}; complete -C "{line}"').split('\n') if word}
    commands = set(re.findall(r'^  ([a-z]+) ', run(wire.COMMAND, '--help'), re.M))
    options = set(re.findall(r'^  (?:-\w, )?(--[a-z-]+)', run(wire.COMMAND, 'serve', '--help'), re.M))
    assert len(commands) > 12 and len(options) > 30
    assert in_bash('pyramids', '') == commands | {'--help', '--version'}
    assert in_bash('pyramids', 'serve', '--') == options
    assert in_bash('pyramids', 'serve', '--max-t') == {'--max-tables', '--max-tables-per-address'}
    assert in_bash('pyramids', 'admin', '') == set(admin) and in_bash('pyramids', 'admin', 'un') == {'unban'}
    assert in_fish('pyramids ') >= commands, in_fish('pyramids ')
    assert in_fish('pyramids serve --') >= options, options - in_fish('pyramids serve --')
    assert in_fish('pyramids admin ') >= set(admin), in_fish('pyramids admin ')
    # zsh completes only in a terminal, so another zsh drives it. The offered words are between two marks.
    def in_zsh(line):
        seen = run('zsh', '-f', os.path.join(ROOT, 'tests/complete.zsh'), os.path.dirname(texts['_pyramids']), line)
        return set(seen.split())
    assert in_zsh('pyramids ') == commands and in_zsh('pyramids serve --') == options
    assert in_zsh('pyramids admin ') == set(admin), in_zsh('pyramids admin ')
    # The values offered for an option are those listed in its help.
    for command, option, values in (('puzzle', '--theme', 'card race cross skull tomb last'),
                                    ('print', '--paper', 'a4 letter'), ('print', '--only', 'cards expedition score'),
                                    ('serve', '--role', 'serve think'), ('serve', '--push', 'on off'),
                                    ('rules', '--lang', 'de en es fr it pt')):
        text = re.sub(r'\s+', ' ', run(wire.COMMAND, command, '--help'))
        text = re.search(rf' {option} .*?(?= --[a-z]| -h,)', text)[0]
        assert option == '--lang' or all(re.search(rf'\b{word}\b', text) for word in values.split()), text
        assert in_bash('pyramids', command, option, '') == set(values.split()), (command, option)
        assert in_fish(f'pyramids {command} {option} ') >= set(values.split()), (command, option)
        assert in_zsh(f'pyramids {command} {option} ') == set(values.split()), (command, option)


def case_while_stopping(folder):
    """A server that is stopped while commands are running ends cleanly."""
    with Governed(folder) as server:
        server.visitor()
        stop = threading.Event()

        def ask():
            while not stop.is_set():
                try:
                    server.raw(json.dumps({'command': secrets.choice(['check', 'tables', 'visitors', 'sweep', 'bans',
                        'backup'])}).encode() + b'\n')
                except OSError:
                    return
        askers = [threading.Thread(target=ask) for _ in range(4)]
        for one in askers:
            one.start()
        until_so(lambda: server.text().count('event=admin') > 20)
        server.stop(signal.SIGTERM)
        stop.set()
        for one in askers:
            one.join()


if __name__ == '__main__':
    wire.main(globals())
