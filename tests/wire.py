"""Shared by the tests of the server: a server that is started and stopped, clients over HTTP and WebSocket, players
that follow the rules. It uses only Python's own library. A test program is called as PROGRAM PYRAMIDS SOURCE_ROOT
[CASE] and prints TAP; with PYR_LONG set it may take longer. With PYR_POSTGRES (a connection string; postgres.py starts
a server) databases are schemas there instead of files."""
import atexit
import base64
import csv
import hashlib
import http.client
import json
import os
import re
import secrets
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import time

import cases
import oracle
import ports

COMMAND, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
LONG = bool(os.environ.get('PYR_LONG'))
# A server whose allocator keeps freed memory: its memory use is meaningless.
SANITIZED = bool(os.environ.get('PYR_SANITIZED'))
# seconds until an expected event counts as lost
PATIENCE = float(os.environ.get('PYR_PATIENCE', 60))
ENV = dict(os.environ, LC_ALL='C.UTF-8', LANGUAGE='en')
POSTGRES = os.environ.get('PYR_POSTGRES')
CODE = re.compile(r'^[2-9A-HJ-NP-Z]{8}$')


def read(path):
    with open(path, encoding='utf-8') as source:
        return source.read()


def run(*words, text='', code=0):
    """Runs another command of the program; returns its output."""
    done = subprocess.run([COMMAND, *words], input=text.encode(), capture_output=True, env=ENV, timeout=PATIENCE)
    out, err = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == code, f'{words}: exit {done.returncode}, not {code}\n{out}\n{err}'
    return out + err


class File:
    """A database in a file, for checks."""

    def __init__(self, path):
        self.where = path

    def rows(self, sql):
        base = sqlite3.connect(self.where)
        try:
            found = base.execute(sql).fetchall()
            base.commit()
            return found
        finally:
            base.close()

    def raw(self):
        """All stored data, as bytes."""
        with open(self.where, 'rb') as file:
            return file.read()

    def is_whole(self):
        return self.rows('PRAGMA integrity_check') == [('ok',)]


class Schema:
    """A database at a PostgreSQL server, for checks."""

    def __init__(self, path):
        self.name = 's_' + hashlib.md5(path.encode()).hexdigest()[:16]
        self.where = f"{POSTGRES} options='-csearch_path={self.name} -cclient_min_messages=error'"
        self.run('psql', '-d', self.where, '-c', f'CREATE SCHEMA IF NOT EXISTS {self.name}')

    @staticmethod
    def run(program, *words):
        extra = ['-X', '-q', '--csv', '-t', '-v', 'ON_ERROR_STOP=1'] if program == 'psql' else []
        done = subprocess.run([program, *extra, *words], capture_output=True, env=ENV, timeout=PATIENCE)
        assert not done.returncode, done.stderr.decode()
        return done.stdout

    def rows(self, sql):
        text = self.run('psql', '-d', self.where, '-c', sql).decode()
        return [tuple(int(cell) if re.fullmatch(r'-?\d{1,18}', cell) else cell for cell in row)
                for row in csv.reader(text.splitlines(keepends=True))]

    def raw(self):
        return self.run('pg_dump', '-d', self.where, '-n', self.name)

    def fill_disk(self):
        """From now on every write fails as on a full disk, until free_disk."""
        tables = [name for name, in self.rows(f"SELECT tablename FROM pg_tables WHERE schemaname = '{self.name}'")]
        self.run('psql', '-d', self.where, '-c', "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                 "RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;"
                 + ''.join(f'CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE '
                           'FUNCTION full_disk();' for table in tables))

    def free_disk(self):
        self.run('psql', '-d', self.where, '-c', 'DROP FUNCTION full_disk CASCADE')

    def is_whole(self):
        """Every referenced row exists, and logs have no gaps."""
        gaps = 'SELECT count(*) FROM line WHERE seq > 0 AND NOT EXISTS (SELECT 1 FROM line AS l WHERE l.game = line.game ' \
            'AND l.seq + l.count = line.seq)'
        return self.rows(gaps) == [(0,)]


def base_at(path):
    return Schema(path) if POSTGRES else File(path)


def only_files(reason):
    """For a case about databases in files: with PostgreSQL it is skipped, for the given reason."""
    assert reason
    return lambda case: None if POSTGRES else case


STARTED = []                     # every server of this program; all are ended, however a case ends


def end_all():
    for process in STARTED:
        if process.poll() is None:
            process.kill()


atexit.register(end_all)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


class Server:
    """`pyramids serve` with a database in a folder, on a port that stays the same over restarts."""
    stderr = None                # where its log goes: a file descriptor; None: a file
    listens = True               # for players
    command = COMMAND
    files = ()                   # further file descriptors that it gets

    def __init__(self, folder, *options, database='server.db', generous=True, metrics=True, env=None, before=(), where=None):
        self.folder, self.options = folder, list(options)
        self.base = None if where else base_at(os.path.join(folder, database))
        self.database = where or self.base.where
        # tests send requests faster than people do, and a slow client does not read for long; cases about the limits
        # leave this out
        if generous:
            self.options = ['--request-rate', '100000', '--message-rate', '100000', '--max-per-address', '5000', '--ping',
                '600',
                            '--table-rate', '100000', '--max-tables-per-address', '100000', *self.options]
        self.port, self.process, self.env, self.before = ports.reserve(), None, env, before
        self.metrics_port = ports.reserve() if metrics else None
        self.log = os.path.join(folder, database + '.log')
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if self.process:
            try:
                self.stop()
            except (AssertionError, subprocess.TimeoutExpired):
                if not kind:
                    raise
        if kind:
            print('\n'.join('# server: ' + line for line in self.text().split('\n')[-40:]), flush=True)

    def start(self, code=None):
        """Starts it; with `code`, expects that it exits with that code instead, and returns its messages."""
        ready = os.path.join(self.folder, 'ready')
        if os.path.exists(ready):
            os.remove(ready)
        with open(self.log, 'ab') as log:
            at = log.tell()
            self.process = subprocess.Popen(
                [*self.before, self.command, 'serve', *(['--port', str(self.port)] if self.listens else []), '--database',
                 self.database, '--no-browser', '--ready-file', ready,
                 *(['--metrics-address', f'127.0.0.1:{self.metrics_port}'] if self.metrics_port else []), *self.options],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log if self.stderr is None else self.stderr,
                env=dict(ENV, **(self.env or {})), pass_fds=self.files)
        STARTED.append(self.process)
        end = time.monotonic() + PATIENCE
        while code is None and not (os.path.exists(ready) and read(ready).endswith('\n')):
            assert self.process.poll() is None, f'the server ended with {self.process.poll()}\n{self.text()[-2000:]}'
            assert time.monotonic() < end, 'the server does not get ready'
            time.sleep(0.005)
        if code is not None:
            got = self.process.wait(PATIENCE)
            self.process = None
            words = open(self.log, encoding='utf-8').read()[at:]
            assert got == code, f'exit {got}, not {code}\n{words}'
            return words
        self.url = read(ready).strip()
        return None

    def stop(self, how=signal.SIGTERM, code=0):
        """Stops it and expects an exit code; sanitizers report through it."""
        process, self.process = self.process, None
        if process.poll() is None:
            process.send_signal(how)
        try:
            got = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        assert got == code, f'the server ended with {got}\n{self.text()[-6000:]}'
        assert not re.search(r'Sanitizer|runtime error', self.text()), self.text()[-6000:]

    def kill(self):
        process, self.process = self.process, None
        process.kill()
        process.wait(PATIENCE)

    def restart(self):
        self.stop()
        self.start()

    def text(self):
        with open(self.log, encoding='utf-8', errors='replace') as log:
            return log.read()

    def memory(self):
        """Resident bytes."""
        return int(re.search(r'VmRSS:\s+(\d+)', read(f'/proc/{self.process.pid}/status')).group(1)) * 1024

    def visitor(self, name='Ana'):
        visitor = Visitor(self)
        visitor.want(200, 'POST', '/api/visitor', {'name': name})
        return visitor


MOST_ZEROS = 16           # in front of a second: the server reads up to 31 characters


class Clock:
    """A server's time, controlled by the test: start the server with `env=clock.env` (src/server/clock.c)."""

    def __init__(self, folder, text='+0'):
        self.path = os.path.join(folder, 'clock')
        self.spelling = 0
        self.env = {'PYRAMIDS_TEST_CLOCK': self.path}
        self.text = None
        self.write(text)

    def write(self, text):
        self.text = text
        with open(self.path + '.new', 'w', encoding='ascii') as file:
            file.write(text + '\n')
        os.replace(self.path + '.new', self.path)

    def set(self, server, text):
        """`+N`: N seconds ahead, `=N`: stands still at second N. Waits until the server uses it."""
        seen = server.text().count(f'event=test_clock clock={text}\n')
        if text != self.text:
            self.write(text)
            until_so(lambda: server.text().count(f'event=test_clock clock={text}\n') > seen,
                'the server does not follow the clock')

    def pass_ticks(self, server, count=2):
        """Lets the server check all its tables a few times, without changing the time."""
        assert self.text[0] == '=', 'only a clock that stands still can do this'
        # Another spelling of the same second: when the server adopts it, a tick has begun, and the last one is over. A
        # spelling is not used again soon: otherwise a slow second server with this clock would see no change, and adopt
        # nothing.
        for _ in range(count):
            self.spelling = self.spelling % MOST_ZEROS + 1
            self.set(server, '=' + '0' * self.spelling + self.text[1:].lstrip('0'))


class Answer:
    def __init__(self, status, headers, data):
        self.status, self.headers, self.data = status, headers, data
        self.text = data.decode('utf-8', 'replace')

    @property
    def json(self):
        return json.loads(self.data)


class Visitor:
    """A visitor with a cookie (or, before POST /api/visitor, without), and everything they have received."""

    def __init__(self, server, cookie=''):
        self.server, self.cookie, self.heard = server, cookie, []

    def ask(self, method, path, body=None, headers=None):
        head = {'Cookie': self.cookie} if self.cookie else {}
        if body is not None:
            head['Content-Type'] = 'application/json'
        head.update(headers or {})
        port = self.server.metrics_port if path == '/metrics' else self.server.port
        web = http.client.HTTPConnection('127.0.0.1', port, timeout=PATIENCE)
        try:
            data = body if body is None or isinstance(body, (bytes, str)) else json.dumps(body)
            web.request(method, path, data.encode() if isinstance(data, str) else data,
                {k: v for k, v in head.items() if v is not None})
            got = web.getresponse()
            answer = Answer(got.status, got.headers, got.read())
        finally:
            web.close()
        self.heard.append(str(answer.headers).encode() + answer.data)
        for cookie in answer.headers.get_all('Set-Cookie') or []:
            self.cookie = cookie.split(';')[0]
        return answer

    def want(self, status, method, path, body=None, headers=None):
        answer = self.ask(method, path, body, headers)
        assert answer.status == status, f'{method} {path} {body}: {answer.status}, not {status}: {answer.text[:300]}'
        return answer

    def refused(self, status, code, method, path, body=None, headers=None):
        answer = self.want(status, method, path, body, headers)
        assert answer.json['error']['code'] == code, f'{method} {path} {body}: {answer.text}, not {code}'
        return answer.json['error']

    def make(self, *seats, **more):
        """Makes a table of seats such as 'open', 'friend:Ben', 'bot:club'; returns its code (or code and keys, if there are
        friends)."""
        kinds = [seat.partition(':') for seat in seats]
        wanted = [dict(kind=kind, **({'name': word} if kind == 'friend' and word else {'level': word} if word else {}))
            for kind, _, word in kinds]
        answer = self.want(201, 'POST', '/api/tables', dict(seats=wanted, **more)).json
        assert CODE.match(answer['table']['code'])
        return (answer['table']['code'], answer['keys']) if 'keys' in answer else answer['table']['code']

    def table(self, code):
        return self.want(200, 'GET', f'/api/tables/{code}').json['table']

    def record(self, code):
        return self.want(200, 'GET', f'/api/tables/{code}/record').text

    def link(self, table=None, have=None, **more):
        link = Link(self, **more)
        if table:
            link.open(table, have)
        return link

    def seat(self, table, **more):
        """Connects, opens a table and sits down."""
        link = self.link(table)
        link.done('sit', number=secrets.token_hex(32), **more)
        return link


class Closed(Exception):
    """The other end has closed; code is that of the WebSocket, 1006 if there was none."""

    def __init__(self, code):
        super().__init__(f'closed with {code}')
        self.code = code


class Wire:
    """A WebSocket, frame by frame."""

    def __init__(self, visitor, headers=None, protocol='pyramids-1', small=False):
        self.visitor = visitor
        self.at = socket.socket()
        if small:                            # so that not reading is noticed soon
            self.at.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.at.settimeout(PATIENCE)
        self.at.connect(('127.0.0.1', visitor.server.port))
        self.at.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(secrets.token_bytes(16)).decode()
        head = {'Host': f'127.0.0.1:{visitor.server.port}', 'Upgrade': 'websocket', 'Connection': 'Upgrade',
            'Sec-WebSocket-Version': '13',
                'Sec-WebSocket-Key': key, 'Cookie': visitor.cookie or None, 'Sec-WebSocket-Protocol': protocol,
                **(headers or {})}
        path = head.pop('path', '/api/socket')
        text = ''.join(f'{name}: {value}\r\n' for name, value in head.items() if value is not None)
        self.at.sendall(f'GET {path} HTTP/1.1\r\n{text}\r\n'.encode())
        self.bytes, self.answers_pings = b'', True
        self.status, self.headers = self.read_head()
        if self.status == 101:
            digest = hashlib.sha1((key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').encode()).digest()
            assert self.headers['sec-websocket-accept'] == base64.b64encode(digest).decode()

    def fill(self):
        data = self.at.recv(65536)
        if not data:
            raise Closed(1006)
        self.bytes += data

    def read_head(self):
        while b'\r\n\r\n' not in self.bytes:
            self.fill()
        head, self.bytes = self.bytes.split(b'\r\n\r\n', 1)
        lines = head.decode().split('\r\n')
        pairs = [line.split(':', 1) for line in lines[1:]]
        return int(lines[0].split(' ')[1]), {name.lower(): value.strip() for name, value in pairs}

    @staticmethod
    def frame(opcode, data, final=True, mask=True, size=None, reserved=0):
        length = len(data) if size is None else size
        head = bytes([(0x80 if final else 0) | reserved << 4 | opcode])
        bit = 0x80 if mask else 0
        head += bytes([bit | length]) if length < 126 else struct.pack('!BH', bit | 126, length) if length < 65536 else \
            struct.pack('!BQ', bit | 127, length)
        if not mask:
            return head + data
        key = secrets.token_bytes(4)
        pad = (key * (len(data) // 4 + 1))[:len(data)]
        return head + key + (int.from_bytes(data, 'big') ^ int.from_bytes(pad, 'big')).to_bytes(len(data), 'big')

    def put(self, opcode, data, **more):
        self.at.sendall(self.frame(opcode, data, **more))

    def take(self, count):
        while len(self.bytes) < count:
            self.fill()
        data, self.bytes = self.bytes[:count], self.bytes[count:]
        return data

    def get(self, timeout=PATIENCE):
        """The next text message, raw; pings are answered. None after the timeout."""
        end = time.monotonic() + timeout
        while True:
            if len(self.bytes) < 2:          # only between frames can there be no data
                self.at.settimeout(max(0.001, end - time.monotonic()))
                try:
                    self.fill()
                except TimeoutError:
                    return None
                except OSError:
                    raise Closed(1006) from None
                finally:
                    self.at.settimeout(PATIENCE)
                continue
            try:
                first, size = self.take(2)
                assert not size & 0x80 and first & 0xf0 == 0x80, 'the server sends whole frames without a mask'
                if size > 125:
                    size = int.from_bytes(self.take(2 if size == 126 else 8), 'big')
                data = self.take(size)
                if first & 15 == 9 and self.answers_pings:
                    self.put(10, data)
            except OSError:
                raise Closed(1006) from None
            if first & 15 == 1:
                self.visitor.heard.append(data)
                return data
            if first & 15 == 8:
                raise Closed(int.from_bytes(data[:2], 'big') if len(data) > 1 else 1005)

    def closed(self, timeout=PATIENCE):
        """Reads until the other end closes; returns the code."""
        end = time.monotonic() + timeout
        try:
            while time.monotonic() < end:
                self.get(end - time.monotonic())
        except Closed as closed:
            return closed.code
        raise AssertionError(f'still open after {timeout} seconds')

    def close(self):
        self.at.close()


class Link(Wire):
    """A connection that stores all messages it receives."""

    def __init__(self, visitor, **more):
        super().__init__(visitor, **more)
        assert self.status == 101, f'no WebSocket: {self.status}'
        self.hello = self.table = self.ready = self.again = self.elsewhere = self.notice = None
        self.lines, self.version, self.left, self.answers, self.errors = [], 0, -1, {}, []
        self.news = []                       # all messages except answers, in order
        self.view = None

    def send(self, **message):
        self.put(1, json.dumps(message).encode())

    def hear(self, timeout=PATIENCE):
        """Receives one message; False after the timeout."""
        data = self.get(timeout)
        if data is None:
            return False
        message = json.loads(data)
        kind = message['type']
        if kind in ('done', 'error'):
            if 'id' in message:
                self.answers[message['id']] = message
            else:
                self.errors.append(message)
            return True
        self.news.append(message)
        if kind == 'lines':
            assert message['from'] == self.version, (message, self.version)
            self.lines += message['lines']
            self.version, self.left, self.ready = message['to'], message['left'], None
        else:
            assert kind in ('hello', 'table', 'ready', 'again', 'elsewhere', 'notice', 'reaction'), message
            setattr(self, kind, message)
        return True

    def until(self, condition, timeout=PATIENCE):
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, f'waited too long; last heard: {self.news[-3:]}'
            self.hear(max(0.001, end - time.monotonic()))

    def quiet(self, seconds=0.3):
        """Only answers come for a while."""
        count = len(self.news)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.hear(max(0.001, end - time.monotonic()))
        assert len(self.news) == count, self.news[count:]

    def say(self, kind, id=None, **fields):
        """Sends a message and waits for its answer."""
        id = id or secrets.token_hex(6)
        self.answers.pop(id, None)
        self.send(type=kind, id=id, **fields)
        self.until(lambda: id in self.answers)
        return self.answers[id]

    def done(self, kind, **fields):
        answer = self.say(kind, **fields)
        assert answer == {'type': 'done', 'id': answer['id']}, (kind, fields, answer)

    def refused(self, code, kind, **fields):
        answer = self.say(kind, **fields)
        assert answer['type'] == 'error' and answer['code'] == code, (kind, fields, answer)
        return answer

    def open(self, table, have=None):
        self.table, self.ready, self.view = None, None, None
        if have is None:
            self.lines, self.version = [], 0
        else:
            self.version = have
        self.done('open', table=table, **({} if have is None else {'have': have}))
        self.until(lambda: self.table and self.table['code'] == table)

    # Playing.

    def game(self):
        """The game as far as this seat can see it."""
        if not self.view or len(self.lines) < self.view.count:
            self.view = View(edition(self.table['edition']))
        for line in self.lines[self.view.count:]:
            self.view.line(self.view.count + 1, line)
            self.view.count += 1
        return self.view

    def pick(self, dice):
        """A legal choice of this seat; None if it has none to make."""
        return self.game().pick(self.table['you'] - 1, dice) if self.table['you'] and self.lines else None

    def over(self):
        return self.table and self.table['state'] == 'over' and any(line.startswith('tag secret')
            for line in self.lines[-3:])


class View(oracle.Game):
    """The rules as a seat follows them: it sees only its own deal."""

    def __init__(self, edition):
        super().__init__(edition)
        self.count = 0

    def on_players(self, words, text):
        if words[0] == 'player':
            super().on_players(words, text)
        else:
            self.stage, self.to_act = 'keep', list(range(self.seats))
            self.on_keep(words, text)

    def on_keep(self, words, text):
        if words[0] == 'deal':
            self.dealt[int(words[1]) - 1] = self.cards_of(words[2:])
            return
        self.dealt.setdefault(self.to_act[0], self.cards_of(words[2:]))
        super().on_keep(words, text)

    def pick(self, seat, dice):
        if self.stage != 'mark' or seat not in self.to_act:
            found = sorted(self.choices(seat)) if seat in self.dealt else []
            return dice.choice(found) if found else None
        player, due, text = self.players[seat].copy(), 1, []
        while due:
            options = list(self.first_marks(player) if not text else self.extra_marks(player))
            if not options:
                break
            number, spaces = dice.choice(sorted(options, key=lambda o: (o[0], sorted(o[1]))))
            text.append(f'{number}:{oracle.write_spaces(spaces)}')
            due += self.mark(player, number, spaces) - 1
        return '+'.join(text) if text else '-'


EDITIONS = {}


def edition(name):
    if name not in EDITIONS:
        path = {'classic': 'editions/classic.edition'}.get(name, f'tests/data/{name}.edition')
        EDITIONS[name] = oracle.Edition(read(os.path.join(ROOT, path)))
    return EDITIONS[name]


def until_so(condition, what='it never came to that', timeout=PATIENCE):
    """Repeats a check until it is true."""
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def play(links, dice, until=None):
    """Plays for all links, in turn, to the end of the game (or until a condition is true)."""
    chosen, end, versions = {}, time.monotonic() + PATIENCE, None
    while not all(link.over() for link in links):
        if versions != [link.version for link in links]:
            versions, end = [link.version for link in links], time.monotonic() + PATIENCE
        assert time.monotonic() < end, f'the table is stuck at {versions}: ' \
            f'{[(link.lines[-4:], link.table, link.ready) for link in links]}'
        for link in links:
            if until and until():
                return
            if link.over():
                continue
            choice = link.pick(dice) if chosen.get(link) != link.version else None
            if choice:
                phase = link.version
                answer = link.say('choose', phase=phase, choice=choice)
                # Choices made before this call are unknown: it may have chosen already.
                assert answer['type'] == 'done' or (link not in chosen and answer['code'] in ('confirmed', 'late')), answer
                chosen[link] = phase
            elif len(links) == 1:
                link.hear(1)
            else:
                while link.hear(0.002):
                    pass


def check_record(folder, text, name='classic'):
    """Checks a finished game: both verifiers and both implementations of the rules accept it."""
    path = os.path.join(folder, secrets.token_hex(4) + '.pyr')
    with open(path, 'w', encoding='utf-8') as record:
        record.write(text)
    file = os.path.join(ROOT, {'classic': 'editions/classic.edition'}.get(name, f'tests/data/{name}.edition'))
    assert 'finished' in run('replay', path, '--edition', file)
    run('verify', path, '--edition', file)
    done = subprocess.run([sys.executable, os.path.join(ROOT, 'tests/verify.py'), path, file], capture_output=True,
        timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    oracle.follow(edition(name), text)


def main(names, beside=3):
    """Runs the cases of a program; several at a time, because they mostly wait."""
    cases.main(names, beside=beside)
