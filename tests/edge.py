#!/usr/bin/env python3
"""The server's network interface, byte by byte: HTTP, WebSocket and TLS in forms that no browser sends. usage: edge.py
PYRAMIDS SOURCE_ROOT [CASE]"""
import base64
import email.utils
import json
import os
import re
import resource
import secrets
import socket
import ssl
import struct
import subprocess
import threading
import time

import wire
from wire import Closed, LONG, Server, Visitor, Wire, until_so

NUMBER = '0123456789abcdef' * 4
CERT, KEY = (os.path.join(wire.ROOT, 'tests/data', name) for name in ('tls.crt', 'tls.key'))
TLS = ('--tls-cert', CERT, '--tls-key', KEY)
SAFE = {'content-security-policy': "default-src 'none'", 'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY', 'cache-control': 'no-', 'cross-origin-opener-policy': 'same-origin'}


def connect(server, tls=None, small=False):
    """A connection; with TLS for a server with a certificate."""
    at = socket.socket()
    if small:
        at.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    at.settimeout(wire.PATIENCE)
    at.connect(('127.0.0.1', server.port))
    at.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if tls is None:
        tls = '--tls-cert' in server.options
    if not tls:
        return at
    trust = ssl.create_default_context(cafile=CERT)
    return trust.wrap_socket(at, server_hostname='localhost')


def all_of(at):
    """Everything received until the other end closes."""
    got = b''
    try:
        while more := at.recv(65536):
            got += more
    except (ConnectionError, ssl.SSLError):
        pass
    return got


def answers(at, count, got=b''):
    """So many answers with their lengths: (status, headers, body), and the bytes after them."""
    found = []
    while len(found) < count:
        while b'\r\n\r\n' not in got:
            more = at.recv(65536)
            assert more, f'closed after {len(found)} of {count} answers: {got[:300]}'
            got += more
        head, got = got.split(b'\r\n\r\n', 1)
        lines = head.decode('latin-1').split('\r\n')
        headers = {name.lower(): value.strip() for name, value in (line.split(':', 1) for line in lines[1:])}
        size = int(headers.get('content-length', 0))
        while len(got) < size:
            more = at.recv(65536)
            assert more, f'closed in the middle of a body: {got[:300]}'
            got += more
        found.append((int(lines[0].split(' ')[1]), headers, got[:size]))
        got = got[size:]
    return found, got


def ask(server, data, count=1):
    with connect(server) as at:
        at.sendall(data)
        return answers(at, count)[0]


def is_well(server):
    """A fresh connection gets an answer at once."""
    host = b'Host: 127.0.0.1\r\n'
    assert ask(server, b'GET /healthz HTTP/1.1\r\n' + host + b'\r\n')[0][0] == 200


def metric(server, name):
    text = Visitor(server).want(200, 'GET', '/metrics').text
    return int(float(re.search(rf'^pyramids_{name} (\S+)$', text, re.M).group(1)))


def check_safe(headers, what):
    for name, value in SAFE.items():
        assert headers.get(name, '').startswith(value), f'{what}: {name}: {headers.get(name)}'


def upgrade(server, visitor, **more):
    head = {'Host': f'127.0.0.1:{server.port}', 'Upgrade': 'websocket', 'Connection': 'Upgrade',
        'Sec-WebSocket-Version': '13',
            'Sec-WebSocket-Key': base64.b64encode(secrets.token_bytes(16)).decode(), 'Cookie': visitor.cookie, **more}
    return 'GET /api/socket HTTP/1.1\r\n' + ''.join(f'{name}: {value}\r\n' for name,
        value in head.items() if value is not None) + '\r\n'


def visitor_over(server):
    """A visitor of a server with TLS."""
    body = b'{"name":"Ana"}'
    (status, headers, _), = ask(server,
        b'POST /api/visitor HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
        b'Content-Length: %d\r\n\r\n' % len(body) + body)
    assert status == 200, status
    return Visitor(server, headers['set-cookie'].split(';')[0])


class Secure(wire.Link):
    """A link over TLS (or over the given connection) that chooses its own records."""

    def __init__(self, server, visitor, records=None):          # pylint: disable=super-init-not-called
        self.visitor, self.bytes, self.answers_pings = visitor, b'', True
        self.at = connect(server)
        self.hello = self.table = self.ready = self.again = self.elsewhere = self.view = None
        self.lines, self.version, self.left, self.answers, self.errors, self.news = [], 0, -1, {}, [], []
        self.send_in(upgrade(server, visitor).encode(), records)
        self.status, self.headers = self.read_head()
        assert self.status == 101, self.status

    def send_in(self, data, size=None):
        """In records (or segments) of so many bytes."""
        for at in range(0, len(data), size or len(data)):
            self.at.sendall(data[at:at + (size or len(data))])


def both(folder, test, *options):
    """Runs the same test over plain HTTP and with a certificate."""
    for name, more in (('plain.db', ()), ('tls.db', TLS)):
        with Server(folder, *options, *more, database=name) as server:
            test(server)
            is_well(server)


def case_pipelining(folder):
    """Requests in one piece are answered in order, however they end; the server keeps running."""
    body = b'{"name":"Ana"}'
    post = b'POST /api/visitor HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n' + body
    bare = b'POST /api/visitor HTTP/1.1\r\nContent-Length: %d\r\n\r\n' % len(body) + body
    get = b'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'

    def test(server):
        good = post % (b'localhost', len(body))
        for parts, wanted in (((bare, bare), (403, 403)), ((get, bare), (200, 403)),
            ((bare, get, bare, get), (403, 200, 403, 200)),
                              ((good, get, good), (200, 200, 200)), ((good, bare, get), (200, 403, 200)),
                              ((get,) * 100, (200,) * 100)):
            got = ask(server, b''.join(parts), len(parts))
            assert tuple(status for status, _, _ in got) == wanted, [status for status, _, _ in got]
            is_well(server)
        # Answers come in the order of the requests, although one waits for the store and the next does not.
        paths = [b'/api/editions', b'/api/tables/22222222', b'/healthz', b'/api/editions/classic', b'/api/tables',
            b'/nowhere']
        got = ask(server, b''.join(b'GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n' % path for path in paths), len(paths))
        assert [status for status, _, _ in got] == [200, 404, 200, 200, 200, 404]
        assert b'classic' in got[0][2] and b'no_table' in got[
            1][2] and got[2][2] == b'ok\n' and got[3][2].startswith(b'pyramids-edition') and b'not_found' in got[5][2]
        # After the last request that gets an answer, later ones get none.
        with connect(server) as at:
            at.sendall(get + get.replace(b'\r\n\r\n', b'\r\nConnection: close\r\n\r\n') + get * 3)
            assert all_of(at).count(b'HTTP/1.1 200') == 2
        # Many large answers to a slow reader: nothing is mixed up, and memory does not grow.
        page = ask(server, b'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')[0]
        with connect(server, small=True) as at:
            at.sendall(b'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n' * 50)
            for status, _, text in answers(at, 50)[0]:
                assert status == 200 and text == page[2]
        # The client disconnects in the middle.
        for part in (good[:-3], good[:20], good + good[:30],
            b'GET /api/tables/22222222 HTTP/1.1\r\nHost: localhost\r\n\r\n' * 40):
            with connect(server) as at:
                at.sendall(part)
        # It closes its half after the request: the answer still comes.
        if '--tls-cert' not in server.options:
            with connect(server) as at:
                at.sendall(get + b'GET /api/tables/22222222 HTTP/1.1\r\nHost: localhost\r\n\r\n' + get)
                at.shutdown(socket.SHUT_WR)
                got = all_of(at)
                assert [int(code) for code in re.findall(rb'HTTP/1\.1 (\d+)', got)] == [200, 404, 200], got
    both(folder, test)


def case_split_everywhere(folder):
    """A request, or a handshake with messages, gives the same result however it is split."""
    body = b'{"name":"Ana"}'
    data = b'POST /api/visitor HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' \
        b'Content-Length: %d\r\n\r\n' % len(body) + body

    def test(server):
        for at in range(1, len(data), 1 if LONG else 7):
            with connect(server) as to:
                to.sendall(data[:at])
                to.sendall(data[at:])
                assert answers(to, 1)[0][0][0] == 200, at
        with connect(server) as to:
            for byte in data + data:
                to.sendall(bytes([byte]))
            assert [status for status, _, _ in answers(to, 2)[0]] == [200, 200]
        who = visitor_over(server)
        frames = b''.join(Wire.frame(1, b'{"type":"ping","id":"p%d"}' % i) for i in range(20)) + \
            Wire.frame(1, b'{"type":"pi', final=False) + Wire.frame(9, b'?') + Wire.frame(0, b'ng","id":"last"}')
        for size in (1, 2, 3, 7, 64, 1000, None):
            link = Secure(server, who, size)
            link.send_in(frames, size)
            link.until(lambda link=link: len(link.answers) == 21)
            assert all(answer['type'] == 'done' for answer in link.answers.values())
            link.close()
        # Handshake and messages in one piece.
        with connect(server) as to:
            to.sendall(upgrade(server, who).encode() + frames)
            got = b''
            while b'"last"' not in got:
                more = to.recv(65536)
                assert more, got
                got += more
            assert got.count(b'"done"') == 21
        # The same while the server still reads the visitor from its database, in one piece and in several: in their
        # order.
        people = [visitor_over(server) for _ in range(3)]
        server.restart()
        for who, size in zip(people, (None, 300, 64)):
            with connect(server) as to:
                early = upgrade(server, who).encode() + frames
                for at in range(0, len(early), size or len(early)):
                    to.sendall(early[at:at + (size or len(early))])
                got = b''
                while b'"last"' not in got:
                    more = to.recv(65536)
                    assert more, got
                    got += more
                ids = re.findall(rb'"id":"(\w+)"', got)
                assert ids == [b'p%d' % i for i in range(20)] + [b'last'], ids
    both(folder, test)


def case_paused_connections(folder):
    """While a table is read, messages wait: in the kernel, in TLS and in the server's buffers. None is lost."""
    def test(server):
        who = visitor_over(server)
        for count in (3, 12, 40):
            for size in (None, 1, 50, 5000):
                link = Secure(server, who)
                data = b''.join(Wire.frame(1, json.dumps({'type': 'open' if i % 2 == 0 else 'ping', 'id': f'i{i}',
                    **({} if i % 2 else {'table': '22222222'})}).encode())
                                for i in range(count))
                link.send_in(data, size)
                link.until(lambda link=link, count=count: len(link.answers) == count)
                assert list(link.answers) == [f'i{i}' for i in range(count)]               # in their order
                assert {answer.get('code') for answer in link.answers.values()} <= {'no_table', 'too_fast', None}
                link.close()
                is_well(server)
        # Disconnects while paused. Each time it is another visitor, because a paused server notices later that a
        # connection is closed, and a visitor may have only so many.
        for _ in range(20):
            link = Secure(server, visitor_over(server))
            link.send_in(b''.join(Wire.frame(1, b'{"type":"open","id":"a","table":"2222222%d"}' % (2 + i % 8))
                for i in range(30)))
            link.close()
    both(folder, test)


def case_records_of_every_size(folder):
    """TLS: a whole game's messages in records of one byte, several frames in one record, a frame over many."""
    with Server(folder, *TLS) as server:
        who = visitor_over(server)
        body = json.dumps({'seats': [{'kind': 'open'}, {'kind': 'bot', 'level': 'novice'}]}).encode()
        (status, _, text), = ask(server,
            f'POST /api/tables HTTP/1.1\r\nHost: localhost\r\nCookie: {who.cookie}\r\nContent-Type: application/json\r\n'
                                         f'Content-Length: {len(body)}\r\n\r\n'.encode() + body)
        assert status == 201, text
        code = json.loads(text)['table']['code']
        link = Secure(server, who, 1)
        messages = [{'type': 'open', 'id': 'o', 'table': code}, {'type': 'sit', 'id': 's', 'number': NUMBER},
            {'type': 'ping', 'id': 'p'}]
        link.send_in(b''.join(Wire.frame(1, json.dumps(message).encode()) for message in messages), 1)
        link.until(lambda: {'o', 's', 'p'} <= set(link.answers) and link.version)
        assert all(answer['type'] == 'done' for answer in link.answers.values()), link.answers
        long = b'{"type":"ping","id":"long"' + b' ' * 4000 + b'}'
        link.send_in(Wire.frame(1, long), 3)
        link.until(lambda: 'long' in link.answers)
        link.send_in(b''.join(Wire.frame(1, b'{"type":"ping","id":"m%d"}' % i) for i in range(600)))
        link.until(lambda: sum(id[0] == 'm' for id in link.answers) == 600)
        # close_notify in the middle of a message, and in the middle of a request.
        link.at.sendall(Wire.frame(1, long)[:100])
        half = connect(server)
        half.sendall(b'GET /healthz HTTP/1.1\r\nHost: loc')
        for at in (link.at, half):
            try:
                at.unwrap()
            except (ssl.SSLError, OSError):
                pass                         # it may still have been sending
        is_well(server)
        until_so(lambda: metric(server, 'sockets') == 0)


def case_ciphers(folder):
    """TLS 1.2 and 1.3 with authenticated encryption; nothing older, and http/1.1 only."""
    with Server(folder, *TLS) as server:
        def shake(version, ciphers=None, protocols=None):
            trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            trust.load_verify_locations(CERT)
            trust.minimum_version = trust.maximum_version = version
            if ciphers:
                trust.set_ciphers(ciphers)
            if protocols:
                trust.set_alpn_protocols(protocols)
            try:
                with trust.wrap_socket(socket.create_connection(('127.0.0.1', server.port), timeout=wire.PATIENCE),
                    server_hostname='localhost') as at:
                    return at.cipher()[0], at.selected_alpn_protocol()
            except (ssl.SSLError, OSError):
                return None
        v12, v13 = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3
        for cipher in ('ECDHE-ECDSA-AES256-SHA384', 'ECDHE-ECDSA-AES128-SHA256', 'ECDHE-ECDSA-AES256-SHA',
            'ECDHE-ECDSA-AES128-SHA'):
            assert shake(v12, cipher + ':@SECLEVEL=0') is None, cipher
        for cipher in ('ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'):
            assert shake(v12, cipher) == (cipher, None)
        assert shake(v13, protocols=['h2', 'http/1.1'])[1] == 'http/1.1'
        assert shake(v13, protocols=['h2'])[1] is None
        # Plain HTTP on the TLS port.
        with connect(server, tls=False) as at:
            at.sendall(b'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
            assert b'HTTP' not in all_of(at)
        is_well(server)


def case_hsts(folder):
    """Over TLS, ours or a proxy's, every answer has Strict-Transport-Security; over plain HTTP none has."""
    get, secure = b'GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n', 'strict-transport-security'
    with Server(folder, *TLS) as server:
        who = visitor_over(server)
        for request in (get % (b'/', b''), get % (b'/nowhere', b''), get % (b'/healthz', b''), b'BREW / HTTP/1.1\r\n\r\n',
            b'nonsense\r\n\r\n',
                        upgrade(server, who).encode(), upgrade(server, who, Cookie='x').encode()):
            (status, headers, _), = ask(server, request)
            assert headers.get(secure) == 'max-age=31536000', (request, status, headers)
            check_safe(headers, request)
    with Server(folder, '--trust-proxy', database='proxy.db') as server:
        who = server.visitor()
        for forwarded, wanted in ((b'X-Forwarded-Proto: https\r\n', True), (b'X-Forwarded-Proto: http\r\n', False),
            (b'', False)):
            assert (secure in ask(server, get % (b'/', forwarded))[0][1]) == wanted
        assert secure in ask(server, upgrade(server, who, **{'X-Forwarded-Proto': 'https'}).encode())[0][1]
        assert secure not in ask(server, upgrade(server, who).encode())[0][1]
    with Server(folder, database='plain.db') as server:
        assert secure not in ask(server, get % (b'/', b'X-Forwarded-Proto: https\r\n'))[0][1]


def case_connections_are_counted(folder):
    """However many connections close before they are handled, others are accepted, and the count returns to its old
    value."""
    with Server(folder, '--max-per-address', '200', generous=False) as server:
        before = metric(server, 'connections')
        reset = struct.pack('ii', 1, 0)

        def storm():
            for i in range(1500 if LONG else 400):
                at = socket.socket()
                at.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
                at.settimeout(wire.PATIENCE)
                try:
                    at.connect(('127.0.0.1', server.port))
                    if i % 3 == 1:
                        at.sendall(b'GET /healthz HT')
                except OSError:
                    pass
                at.close()
        threads = [threading.Thread(target=storm) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for _ in range(50):                  # a health check by TCP alone
            socket.create_connection(('127.0.0.1', server.port), timeout=wire.PATIENCE).close()
        until_so(lambda: metric(server, 'connections') == before)
        is_well(server)
        link = server.visitor().link()
        link.done('ping')
        link.close()
        until_so(lambda: metric(server, 'connections') == before and metric(server, 'sockets') == 0)


def case_no_more_files(folder):
    """Without free file descriptors the server waits, logs it once and accepts all connections later; it does not use
    processor time meanwhile."""
    with Server(folder, before=('prlimit', '--nofile=80:80')) as server:
        held = []
        for _ in range(200):
            try:
                held.append(socket.create_connection(('127.0.0.1', server.port), timeout=wire.PATIENCE))
            except OSError:
                break
        until_so(lambda: 'event=accept' in server.text())
        used = cpu(server)
        time.sleep(1)
        assert cpu(server) - used < 0.5, 'it spins'
        for at in held:
            at.close()
        until_so(lambda: 'event=accept' in server.text())
        is_well(server)
        assert server.text().count('event=accept') < 20


def cpu(server):
    words = wire.read(f'/proc/{server.process.pid}/stat').rsplit(')', 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf('SC_CLK_TCK')


def case_no_http2(folder):
    """`Upgrade: h2c` is ignored: the answer is plain HTTP/1.1, and the connection continues with it."""
    with Server(folder, '--trust-proxy') as server:
        host = f'Host: 127.0.0.1:{server.port}\r\n'
        h2c = f'GET /healthz HTTP/1.1\r\n{host}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: ' \
            f'AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n'.encode()
        with connect(server) as at:
            at.sendall(h2c)
            (status, headers, body), = answers(at, 1)[0]
            assert status == 200 and body == b'ok\n' and 'upgrade' not in headers
            at.sendall(h2c + f'GET /healthz HTTP/1.1\r\n{host}\r\n'.encode())
            assert [status for status, _, _ in answers(at, 2)[0]] == [200, 200]
        # A body with it, as Java's client sends one.
        body = b'{"name":"Ana"}'
        (status, _, _), = ask(server, f'POST /api/visitor HTTP/1.1\r\n{host}Connection: Upgrade, '
            f'HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAA\r\n'
                                      f'Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n'.encode(
                                      ) + body)
        assert status == 200
        # The preface of HTTP/2, alone or after such an upgrade, is not a valid request.
        for data in (b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', h2c + b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' + b'\0\0\0\4\0\0\0\0\0'):
            with connect(server) as at:
                at.sendall(data)
                got = all_of(at)
                assert b' 101 ' not in got and re.findall(rb'HTTP/1\.1 (\d+)', got)[-1] in (b'400', b'405'), got
        who = server.visitor()
        for value, status in (('websocket', 101), ('WebSocket', 101), ('h2c, websocket', 101), ('h2c', 404),
            ('websockets', 404), ('', 404)):
            (got, headers, text), = ask(server, upgrade(server, who, Upgrade=value).encode())
            assert got == status, (value, got)
            check_safe(headers, value)
        if curl := subprocess.run(['sh', '-c', 'command -v curl'], capture_output=True, text=True,
            check=False).stdout.strip():
            done = subprocess.run([curl, '-sS', '--http2', f'http://127.0.0.1:{server.port}/healthz'], capture_output=True,
                timeout=wire.PATIENCE, check=True)
            assert done.stdout == b'ok\n', done


def case_refused_handshakes(folder):
    """Invalid handshakes get an error in our own format, and the connection ends."""
    with Server(folder) as server:
        who = server.visitor()
        for more, status, code in (({'Sec-WebSocket-Version': '12'}, 426, 'bad_message'),
            ({'Sec-WebSocket-Version': None}, 426, 'bad_message'), ({'Sec-WebSocket-Key': None}, 426, 'bad_message'),
                                   ({'Sec-WebSocket-Key': 'short'}, 426, 'bad_message'),
                                   ({'Sec-WebSocket-Key': '=' * 24}, 426, 'bad_message'),
                                   ({'Cookie': None}, 401, 'no_visitor'),
                                   ({'Origin': 'http://evil.example'}, 403, 'origin'),
                                   ({'Host': 'evil.example'}, 403, 'origin'),
                                   ({'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Key: '
                                   'AAAAAAAAAAAAAAAAAAAAAA=='}, 400, 'bad_message'),
                                   ({'Host': '127.0.0.1\r\nHost: 127.0.0.1'}, 400, 'bad_message')):
            with connect(server) as at:
                at.sendall(upgrade(server, who, **more).encode() + Wire.frame(1, b'{"type":"ping"}'))
                (got, headers, text), = answers(at, 1)[0]
                assert got == status and json.loads(text)['error'][
                    'code'] == code and headers['content-type'] == 'application/json', (more, got, text)
                check_safe(headers, more)
                assert status != 426 or headers['sec-websocket-version'] == '13'
                assert all_of(at) == b''
        for path in ('/', '/api/tables', '/api/socket/', '/metrics'):
            data = upgrade(server, who).replace('/api/socket', path).encode()
            assert ask(server, data)[0][0] == 404
        # A repeated word counts once; no subprotocol is fine, another one is not confirmed.
        for more, protocol in (({'Upgrade': 'websocket\r\nUpgrade: websocket'}, None),
            ({'Sec-WebSocket-Protocol': 'chat, pyramids-1'}, 'pyramids-1'), ({'Sec-WebSocket-Protocol': 'chat'}, None)):
            (got, headers, _), = ask(server, upgrade(server, who, **more).encode())
            assert got == 101 and headers.get('sec-websocket-protocol') == protocol, (more, headers)


def case_frames(folder):
    """Invalid frames end a WebSocket with the matching code; unusual but valid ones are answered."""
    with Server(folder) as server:
        who = server.visitor()
        frame, ping = Wire.frame, b'{"type":"ping","id":"p"}'

        def cut(data, code):
            link = who.link()
            link.at.sendall(data)
            assert link.closed() == code, (data[:20], code)
            try:
                assert link.at.recv(100) == b''
            except ConnectionError:
                pass
            link.close()
        cut(frame(1, ping, mask=False), 1002)
        cut(frame(9, b'', mask=False), 1002)
        cut(frame(8, struct.pack('!H', 1000), mask=False), 1002)
        for reserved in (1, 2, 4):
            cut(frame(1, ping, reserved=reserved), 1002)
        for opcode in (3, 7, 11, 15):
            cut(frame(opcode, ping), 1002)
        cut(frame(9, b'x', final=False), 1002)
        cut(frame(9, b'x' * 126), 1002)
        cut(frame(0, ping), 1002)
        cut(frame(1, ping, final=False) + frame(1, ping), 1002)
        cut(frame(8, b'x'), 1002)
        cut(frame(8, struct.pack('!H', 1005)), 1002)
        cut(frame(8, struct.pack('!H', 1000) + b'\xff'), 1007)
        cut(frame(1, b'\xff'), 1007)
        cut(frame(1, b'"\xc3', final=True), 1007)
        cut(frame(2, b''), 1003)
        cut(frame(1, b' ' * 4097), 1009)
        cut(b'\x81\xff' + b'\0\0\0\0\xff\xff\xff\xff' + b'maskx', 1009)          # at its first byte, not at its last
        # After a close frame everything is ignored, and its own code is returned.
        for code in (1000, 1001, 3000, 4999):
            cut(frame(8, struct.pack('!H', code) + b'bye') + frame(1, ping) + frame(9, b'x'), code)
        cut(frame(8, b'') + frame(1, ping) * 100, 1005)
        # Pings are answered with their payload, even in the middle of a message; empty parts are fine.
        link = who.link()
        link.answers_pings = False
        link.at.sendall(frame(1, b'', final=False) + frame(9, b'abc') + frame(0, b'', final=False) * 1000 + frame(0,
            ping) + frame(10, b'unasked'))
        link.until(lambda: 'p' in link.answers)
        link.at.sendall(frame(9, b'x' * 125) + frame(1, b'{"type":"ping","id":"q"}'))
        link.until(lambda: 'q' in link.answers)
        # Endless pings to a client that never reads the pongs: it is cut or delayed, but memory does not grow.
        before, lazy = server.memory(), who.link(small=True)
        lazy.at.settimeout(1)
        try:
            for _ in range(2000):
                lazy.at.sendall(frame(9, b'x' * 125) * 100)
        except OSError:
            pass
        assert wire.SANITIZED or server.memory() - before < 10e6, (before, server.memory())
        lazy.close()
        link.done('ping')
        # ping without an id is answered, too.
        link.errors.clear()
        link.send(type='ping')
        link.until(lambda: link.errors)
        assert link.errors == [{'type': 'done'}], link.errors


def case_too_fast_has_the_id(folder):
    with Server(folder, '--message-rate', '5', '--ping', '600', generous=False) as server:
        link = server.visitor().link()
        sent = [{'type': 'ping', 'id': f'i{i}'} for i in range(20)] + [{'id': 'first', 'type': 'ping'},
            {'type': 'x', 'a': {'id': 'inner'}, 'b': ['id', '{"id":"text"}'], 'id': 'outer'}]
        for message in sent:
            link.send(**message)
        link.until(lambda: len(link.answers) + len(link.errors) >= len(sent))
        assert not link.errors and set(link.answers) == {message['id'] for message in sent}, (link.errors, link.answers)
        assert link.answers['outer']['code'] == 'too_fast' and link.answers['i0']['type'] == 'done'
        for text in ('{"type":"x","a":{"id":"inner"}}', '{"id":"with blank"}', '{"id":7}', '{"id', '{"id":', '{"id":"',
            '{"id":"x', '"id"', '[{"id":"x"}]', '\\', '"\\', '{"a":"\\"', '{"id":"' + 'x' * 40 + '"}', ''):
            link.errors.clear()
            link.answers.clear()
            link.put(1, text.encode())
            link.until(lambda: link.errors or link.answers)
            assert link.errors and link.errors[0]['code'] in ('too_fast', 'bad_json', 'bad_message'), (text, link.answers)


def case_heads(folder):
    """Unusual request heads: refused if they are ambiguous, and never mistaken for another request."""
    with Server(folder) as server:
        who = server.visitor()
        host, ok = f'Host: 127.0.0.1:{server.port}\r\n', 200

        def status(data):
            with connect(server) as at:
                at.sendall(data.encode('latin-1') if isinstance(data, str) else data)
                (got, headers, text), = answers(at, 1)[0]
                check_safe(headers, data[:60])
                if got != 200:
                    assert json.loads(text)['error']['code'], text
                if got == 400:
                    assert all_of(at) == b'', data[:60]
                return got
        for head, wanted in (('GET /healthz HTTP/1.0\r\n\r\n', ok), ('GET /healthz HTTP/1.1\r\n\r\n', ok),
            ('GET /api/tables HTTP/1.0\r\n\r\n', 403), (f'GET /api/tables HTTP/1.0\r\n{host}\r\n', ok),
                             (f'\r\n\r\nGET /healthz HTTP/1.1\r\n{host}\r\n', ok),
                             (f'GET /healthz HTTP/1.1\n{host}\r\n', 400),
                             (f'GET /healthz HTTP/1.1\r\n{host}X: y\n\r\n', 400),
                             (f'GET /healthz HTTP/1.1\r\n{host}X: y\r\n\n', 400),
                             (f'GET /healthz HTTP/1.1\r\n{host}X: a\rb\r\n\r\n', 400),
                             (f'GET /healthz HTTP/1.1\r\n{host}X: a\r\n b\r\n\r\n', 400),
                             (f'GET /healthz HTTP/1.1\r\n{host}X : a\r\n\r\n', 400),
                             (f'GET /healthz HTTP/1.1\r\n{host} X: a\r\n\r\n', 400),
                             (f'GET /healthz HTTP/1.1\r\n X: a\r\n{host}\r\n', 400),
                             (f'GET /healthz HTTP/1.1\r\n{host}X: a\0b\r\n\r\n', 400),
                             (f'GET /heal\0thz HTTP/1.1\r\n{host}\r\n', 400),
                             (f'GET /healthz HTTP/1.1\r\n{host}X\0: b\r\n\r\n', 400),
                             (f'GET /healthz HTTP/1.1\r\n{host}{host}\r\n', 400),
                             (f'GET /healthz HTTP/1.1\r\n{host}: x\r\n\r\n', 400),
                             (f'GET /healthz HTTP/1.1\r\n{host}novalue\r\n\r\n', 400),
                             (f'GET /healthz HTTP/1.1\r\n{host}X:\r\nY: \t \r\n\r\n', ok),
                             (f'GET /healthz HTTP/2.0\r\n{host}\r\n', 400), (f'GET /healthz HTTP/1.2\r\n{host}\r\n', 400),
                             (f'GET /healthz HTTP/0.9\r\n{host}\r\n', 400), ('GET /healthz\r\n\r\n', 400),
                             ('GET\r\n\r\n', 400), (f'GET  /healthz HTTP/1.1\r\n{host}\r\n', 400),
                             (f'get /healthz HTTP/1.1\r\n{host}\r\n', 405), (f'BREW / HTTP/1.1\r\n{host}\r\n', 405),
                             (f'OPTIONS * HTTP/1.1\r\n{host}\r\n', 405), (f'TRACE / HTTP/1.1\r\n{host}\r\n', 405),
                             (f'CONNECT 127.0.0.1:80 HTTP/1.1\r\n{host}\r\n', 405),
                             (f'OPTIONS /healthz HTTP/1.1\r\n{host}\r\n', 405),
                             (f'DELETE /healthz HTTP/1.1\r\n{host}\r\n', 405),
                             (f'GET http://127.0.0.1:{server.port}/api/tables HTTP/1.1\r\nHost: evil.example\r\n\r\n', ok),
                             (f'GET http://evil.example/api/tables HTTP/1.1\r\n{host}\r\n', 403),
                             (f'GET http://127.0.0.1/healthz?x HTTP/1.1\r\n{host}\r\n', ok),
                             (f'GET http:///healthz HTTP/1.1\r\n{host}\r\n', 400),
                             (f'GET /healthz?a=%00&b HTTP/1.1\r\n{host}\r\n', ok),
                             (f'GET /%68ealthz HTTP/1.1\r\n{host}\r\n', ok),
                             (f'GET /healthz%00 HTTP/1.1\r\n{host}\r\n', 404),
                             (f'GET /healthz%2 HTTP/1.1\r\n{host}\r\n', 404),
                             (f'GET /{"a" * 9000} HTTP/1.1\r\n{host}\r\n', 404),
                             (f'GET /../healthz HTTP/1.1\r\n{host}\r\n', 404),
                             (f'GET /healthz HTTP/1.1\r\n{host}' + 'X: y\r\n' * 95 + '\r\n', ok),
                             (f'GET /healthz HTTP/1.1\r\n{host}' + 'X: y\r\n' * 101 + '\r\n', 431),
                             (f'GET /healthz HTTP/1.1\r\n{host}X: {"y" * 15000}\r\n\r\n', ok),
                             (f'GET /healthz HTTP/1.1\r\n{host}X: {"y" * 17000}\r\n\r\n', 431),
                             (f'GET /{"y" * 17000} HTTP/1.1\r\n', 431),
                             (f'POST /healthz HTTP/1.1\r\n{host}Content-Length: 70000\r\n\r\n', 413),
                             (f'POST /healthz HTTP/1.1\r\n{host}Content-Length: 0000000000\r\n\r\n', 400),
                             (f'POST /healthz HTTP/1.1\r\n{host}Content-Length: 1\r\nContent-Length: 1\r\n\r\n', 400),
                             (f'POST /healthz HTTP/1.1\r\n{host}Content-Length:\r\n\r\n', 400),
                             (f'POST /healthz HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400),
                             (f'GET /healthz HTTP/1.1\r\n{host}Transfer-Encoding: identity\r\n\r\n', 400),
                             (f'POST /healthz HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\nContent-Length: '
                             f'5\r\n\r\n0\r\n\r\n', 400)):
            assert status(head) == wanted, (head[:100], status(head), wanted)
        # HEAD has no body, and the next answer begins right after it.
        with connect(server) as at:
            at.sendall(f'HEAD / HTTP/1.1\r\n{host}\r\nGET /healthz HTTP/1.1\r\n{host}\r\n'.encode())
            got = b''
            while not got.endswith(b'ok\n'):
                more = at.recv(65536)
                assert more, got
                got += more
            assert got.count(b'HTTP/1.1 200') == 2 and b'\r\n\r\nHTTP/1.1' in got and int(
                re.search(rb'content-length: (\d+)', got).group(1)) > 1000
        # An HTTP/1.0 connection is closed unless the client asks to keep it.
        with connect(server) as at:
            at.sendall(f'GET /healthz HTTP/1.0\r\n{host}\r\n'.encode())
            assert all_of(at).count(b'HTTP/1.1 200') == 1
        with connect(server) as at:
            at.sendall(f'GET /healthz HTTP/1.0\r\n{host}Connection: keep-alive\r\n\r\n'.encode() * 2)
            (_, first, _), (_, _, _) = answers(at, 2)[0]
            assert first['connection'] == 'keep-alive'
        # Expect: 100-continue is answered before the body comes, and not at all if the request is refused.
        body = b'{"name":"Ana"}'
        with connect(server) as at:
            at.sendall(f'POST /api/visitor HTTP/1.1\r\n{host}Cookie: {who.cookie}\r\nContent-Type: '
                f'application/json\r\nContent-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n'.encode())
            (code, _, _), = answers(at, 1)[0]
            assert code == 100
            at.sendall(body)
            assert answers(at, 1)[0][0][0] == 200
        assert status(f'POST /api/visitor HTTP/1.1\r\n{host}Content-Length: 100000\r\nExpect: 100-continue\r\n\r\n') == 413
        is_well(server)


def make_locale(folder):
    """A locale with its own names of days and months, without a distribution's locale sources: the environment in which a
    program uses it."""
    with open(os.path.join(folder, 'map'), 'w', encoding='ascii') as file:
        file.write('<code_set_name> ASCII\n<comment_char> %\n<escape_char> /\nCHARMAP\n')
        file.writelines(f'<U{i:04X}> /x{i:02x} sign\n' for i in range(128))
        file.write('END CHARMAP\n')
    days, months = (';'.join(f'"{letter}{i}"' for i in range(count)) for letter, count in (('d', 7), ('m', 12)))
    with open(os.path.join(folder, 'source'), 'w', encoding='ascii') as file:
        file.write(f'LC_TIME\nday {days}\nabday {days}\nmon {months}\nabmon {months}\nd_t_fmt "%c"\nd_fmt "%x"\n'
                   't_fmt "%X"\nam_pm "";""\nt_fmt_ampm ""\nEND LC_TIME\n')
    # It complains about the parts that are left out; the next check shows whether the result is used.
    subprocess.run(['localedef', '-c', '-f', './map', '-i', './source', './xx_XX'], cwd=folder, capture_output=True,
                   check=False)
    # setlocale never frees its copy of LOCPATH, which the address sanitizer would report as our leak.
    env = {'LOCPATH': folder, 'LC_ALL': '', 'LC_TIME': 'xx_XX', 'LANG': 'C.UTF-8', 'ASAN_OPTIONS': 'detect_leaks=0'}
    names = subprocess.run(['date', '-u', '-d', '2026-11-18', '+%a %b'], env=dict(wire.ENV, **env), capture_output=True,
                           text=True, check=True).stdout
    assert names == 'd3 m10\n', names
    return env


def case_dates_are_english(folder):
    """The date of an answer is in English, as HTTP requires, whatever the language of the server's environment."""
    with Server(folder, env=make_locale(folder)) as server:
        before = int(time.time()) - 1               # a coarse clock may be a tick behind
        date = Visitor(server).want(200, 'GET', '/healthz').headers['Date']
        assert date in [email.utils.formatdate(when, usegmt=True) for when in range(before, int(time.time()) + 1)], date


def case_large_cookies(folder):
    """Browsers send all cookies of a host, whichever port set them: the identity among them is found, and never replaced
    because it could not be read."""
    with Server(folder) as server:
        ana = server.visitor()
        name = {'visitor': {'name': 'Ana'}}
        for size in (1000, 4000, 8192, 12000):
            for cookie in (f'{ana.cookie}; other={"x" * size}', f'other={"x" * size}; {ana.cookie}',
                f'a={"x" * (size // 2)}; {ana.cookie}; b={"y" * (size // 2)}'):
                assert ana.want(200, 'GET', '/api/visitor', None, {'Cookie': cookie}).json == name, size
                assert Wire(Visitor(server, cookie)).status == 101
                answer = Visitor(server, cookie).want(200, 'POST', '/api/visitor', {})
                assert answer.json == name and 'Set-Cookie' not in answer.headers
        # Too large for any client: an error, and the cookie is not changed.
        answer = Visitor(server, f'{ana.cookie}; other={"x" * 20000}').want(431, 'POST', '/api/visitor', {'name': 'Ana'})
        assert answer.json['error'] == {'code': 'too_long', 'detail': 'headers'} and 'Set-Cookie' not in answer.headers
        # In several headers, as proxies that speak HTTP/2 send them, and beside a cookie of another server.
        head = f'GET /api/visitor HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n'
        assert json.loads(ask(server, f'{head}Cookie: other=x\r\nCookie: {ana.cookie}\r\n\r\n'.encode())[0][2]) == name
        assert ana.want(200, 'GET', '/api/visitor', None, {'Cookie': f'pyramids={"0" * 64}; {ana.cookie}'}).json == name
        assert Visitor(server, f'pyramids={"0" * 64}; {ana.cookie}').want(200, 'POST', '/api/visitor', {}).json == name


def case_metrics(folder):
    """Metrics have a listener of their own, which serves nothing else; they reveal nothing about a choice before its phase
    is over."""
    with Server(folder) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        public = f'Host: 127.0.0.1:{server.port}\r\n'
        assert ask(server, f'GET /metrics HTTP/1.1\r\n{public}\r\n'.encode())[0][0] == 404
        with socket.create_connection(('127.0.0.1', server.metrics_port), timeout=wire.PATIENCE) as at:
            for path, wanted in (('/metrics', 200), ('/healthz', 200), ('/', 404), ('/api/tables', 404),
                ('/index.html', 404)):
                at.sendall(f'GET {path} HTTP/1.1\r\nHost: metrics.example\r\n\r\n'.encode())
                (status, headers, _), = answers(at, 1)[0]
                assert status == wanted, path
                check_safe(headers, path)
        head = upgrade(server, ana).encode()
        with socket.create_connection(('127.0.0.1', server.metrics_port), timeout=wire.PATIENCE) as at:
            at.sendall(head)
            assert answers(at, 1)[0][0][0] == 404
        code = ana.make('open', 'open')
        links = [ana.seat(code), ben.seat(code)]
        for link in links:
            link.until(lambda link=link: link.version)
            link.done('ping')
        import random as dice                # pylint: disable=import-outside-toplevel
        phase, choices = links[0].version, [link.pick(dice.Random(1)) for link in links]
        names = ('sent_total', 'sent_bytes_total')
        before = [metric(server, name) for name in names]
        links[0].done('choose', phase=phase, choice=choices[0])
        links[0].until(lambda: links[0].ready and links[0].ready['mine'])
        links[1].until(lambda: links[1].ready)
        assert [metric(server, name) for name in names] == before
        links[1].done('choose', phase=phase, choice=choices[1])
        for link in links:
            link.until(lambda link=link: link.version > phase)
        until_so(lambda: metric(server, names[1]) > before[1])
    # Off by default; an invalid address is reported.
    with Server(folder, database='none.db', metrics=False) as server:
        assert ask(server, f'GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n'.encode())[0][0] == 404
        server.stop()
        for word in ('9100', '127.0.0.1', '127.0.0.1:', '127.0.0.1:x', '127.0.0.1:70000', ':9100', 'localhost:9100',
            '[::1:9100', '127.0.0.1:' + str(server.port)):
            server.options[-2:] = ['--metrics-address', word]
            assert word.split(':')[0] in server.start(code=1)


def case_stopping(folder):
    """SIGTERM ends the server, whatever it is doing."""
    for more in ((), TLS):
        with Server(folder, *more, database=f'{len(more)}.db') as server:
            who = visitor_over(server)
            held = [connect(server) for _ in range(6)]
            body = b'{"name":"Ana"}'
            post = b'POST /api/visitor HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ' \
                b'%d\r\n\r\n' % len(body) + body
            for at, data in zip(held, (b'', b'GET / HT', post[:-1], post * 5,
                b'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n' * 50, post.replace(b'Host: localhost\r\n', b'') * 2)):
                at.sendall(data)
            link = Secure(server, who)
            link.send_in(b''.join(Wire.frame(1, b'{"type":"open","id":"%d","table":"22222222"}' % i) for i in range(3)))
            server.stop()
            try:
                assert link.closed() in (1012, 1006)
            except (Closed, ssl.SSLError, OSError):
                pass
            for at in held:
                at.close()


if __name__ == '__main__':
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),
        resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    wire.main(globals())
