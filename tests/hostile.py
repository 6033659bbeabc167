#!/usr/bin/env python3
"""Malicious clients: after each of them the server still answers and a game can be played. usage: hostile.py PYRAMIDS
SOURCE_ROOT [CASE]"""
import json
import os
import random
import re
import secrets
import socket
import struct
import threading
import time

import wire
from wire import Closed, LONG, Server, Visitor, Wire, play, until_so

NUMBER = '0123456789abcdef' * 4
SAFE = {'content-security-policy': "default-src 'none'", 'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY', 'cache-control': 'no-'}


def alive(server, whole=False):
    """The server answers and a game can be played."""
    who = server.visitor('Chloé')
    code = who.make('open', 'bot:novice')
    link = who.seat(code)
    play([link], random.Random(1), until=None if whole else lambda: sum(line.startswith('reveal')
        for line in link.lines) > 1)
    link.close()


def raw(server, data, timeout=15, wait=True, until=b'\r\n\r\n'):
    """Sends bytes over a fresh connection; returns everything received until it closes (or until no more comes after a whole
    head)."""
    with socket.create_connection(('127.0.0.1', server.port), timeout=wire.PATIENCE) as at:
        got = b''
        try:
            at.settimeout(timeout)
            at.sendall(data)
            while wait:
                more = at.recv(65536)
                if not more:
                    break
                got += more
                at.settimeout((0.25 if LONG else 0.5) if until in got else wire.PATIENCE)
        except (TimeoutError, ConnectionError):
            pass
        return got


def check_head(answer, what):
    """Every answer, also an error, has the security headers."""
    head = answer.split(b'\r\n\r\n')[0].decode('latin-1').lower()
    for name, value in SAFE.items():
        assert f'\n{name}: {value.lower()}' in head, f'{what}: no {name}\n{head}'
    assert '\nserver:' not in head, head


def case_origins(folder):
    with Server(folder) as server:
        ana, own = server.visitor(), f'http://127.0.0.1:{server.port}'
        code = ana.make('open', 'open')
        wrong = ['null', 'http://evil.example', own + '.evil.example', own + '0', own[:-1], own.replace('http', 'https'),
            'http://127.0.0.1',
                 f'http://127.0.0.1:{server.port + 1}', own + '/', own.upper(), ' ' + own + ' x',
                 f'http://localhost:{server.port}', 'http://' + 'a' * 300,
                 'file://', f'http://127.0.0.1.:{server.port}', f'http://evil@127.0.0.1:{server.port}', own + ', ' + own,
                 'x']
        for origin in wrong:
            for method, path, body in (('POST', '/api/visitor', {'name': 'Eve'}), ('GET', '/api/visitor', None),
                ('GET', f'/api/tables/{code}', None),
                                       ('POST', '/api/tables', {'seats': [{'kind': 'open'}] * 2})):
                ana.refused(403, 'origin', method, path, body, {'Origin': origin})
            got = Wire(ana, headers={'Origin': origin})
            assert got.status == 403, (origin, got.status)
        assert ana.want(200, 'GET', '/api/visitor', headers={'Origin': own}).json == {'visitor': {'name': 'Ana'}}
        assert Wire(ana, headers={'Origin': own}).status == 101
        # A page of another name that resolves to this server has its own Host.
        for host in ('evil.example', f'evil.example:{server.port}', '127.0.0.1.evil.example', '', '[::1',
            'localhost.evil.example', 'x' * 300, f'127.0.0.1@evil:{server.port}'):
            ana.refused(403, 'origin', 'GET', '/api/visitor', None, {'Host': host})
            assert Wire(ana, headers={'Host': host}).status in (403, 400)
            assert Wire(ana, headers={'Host': host, 'Origin': 'http://' + host}).status in (403, 400)
        for host in (f'localhost:{server.port}', '127.0.0.1', f'[::1]:{server.port}'):
            ana.want(200, 'GET', '/api/visitor', None, {'Host': host})
            ana.want(200, 'GET', '/api/visitor', None, {'Host': host, 'Origin': 'http://' + host})
        assert b' 403 ' in raw(server, b'GET /api/tables HTTP/1.0\r\n\r\n').split(b'\r\n')[0] or True
        alive(server)
    with Server(folder, '--origin', 'https://play.example', database='proxy.db') as server:
        ana = server.visitor()
        proxied = {'Host': 'play.example', 'Origin': 'https://play.example'}
        ana.want(200, 'GET', '/api/visitor', None, proxied)
        assert Wire(ana, headers=proxied).status == 101
        for origin in ('http://play.example', 'https://play.example.evil', 'https://play.example:443',
            'https://xplay.example'):
            ana.refused(403, 'origin', 'GET', '/api/visitor', None, dict(proxied, Origin=origin))
        ana.refused(403, 'origin', 'GET', '/api/visitor', None, {'Host': 'other.example', 'Origin': 'https://play.example'})


def case_forged_seats(folder):
    with Server(folder) as server:
        ana, ben, eve = server.visitor(), server.visitor('Ben'), server.visitor('Davi')
        code, keys = ana.make('open', 'friend:Ben')
        for cookie in ('', 'pyramids=' + '0' * 64, 'pyramids=' + secrets.token_hex(32),
            ana.cookie[:-1] + ('1' if ana.cookie.endswith('0') else '0'), ana.cookie.replace('pyramids', 'pyramid'),
                       'pyramids=' + 'A' * 2000):
            assert Wire(Visitor(server, cookie)).status == 401, cookie[:80]
        try:
            assert Wire(Visitor(server, 'pyramids=' + 'A' * 5000)).status >= 400
        except Closed:
            pass                             # more than 4,096 bytes of headers
        spy = eve.link(code)
        for key in (None, '', '0' * 22, keys['2'][:-1], keys['2'] + 'x', keys['2'].swapcase()):
            spy.refused('bad_key', 'sit', number=NUMBER, seat=2, **({} if key is None else {'key': key}))
        links = [ana.seat(code), ben.seat(code, key=keys['2'])]
        links[0].until(lambda: links[0].version)
        phase = links[0].version
        choice = links[0].pick(random.Random(1))
        spy.refused('begun', 'sit', number=NUMBER, seat=2, key=keys['2'])
        for kind, fields in (('choose', dict(phase=phase, choice=choice)), ('retract', dict(phase=phase)), ('leave', {}),
            ('return', {})):
            spy.refused('not_seated', kind, **fields)
        for fields in (dict(seat=1), dict(visitor=1), dict(you=1)):      # no field names the seat of a choice
            spy.refused('bad_message', 'choose', phase=phase, choice=choice, **fields)
        for kind, fields in (('fill', dict(seat=2, level='novice')), ('standin', dict(seat=1)), ('close', {})):
            spy.refused('not_host', kind, **fields)
        links[1].refused('illegal', 'choose', phase=phase, choice=choice)      # Ana's cards are not Ben's
        eve.refused(409, 'not_over', 'POST', f'/api/tables/{code}/rematch', {})
        assert not [line for line in eve.record(code).splitlines() if line.startswith('deal')]
        links[0].done('choose', phase=phase, choice=choice)
        alive(server)


def case_odd_messages(folder):
    with Server(folder) as server:
        ana = server.visitor()
        code = ana.make('open', 'open')
        link = ana.link(code)

        def answer(data):
            link.errors.clear()
            link.put(1, data if isinstance(data, bytes) else data.encode())
            link.until(lambda: link.errors)
            return link.errors[0]
        for text in ('', ' ', 'x', '{', '}', '[]', '[1]', '"ping"', '1', 'null', 'true', '{"type":"ping"',
            '{"type":"ping"}}', "{'type':'ping'}", '{"type":"ping",}',
                     '[' * 4096, '{"a":' * 800, '{"type":"ping","type":"ping"}', '{"type":"ping","id":"a","id":"b"}',
                     '{"type":"ping\\u0000"}', '{"type":"pi\0ng"}', '\0', '{"type":"ping","id":"\\ud800"}', '{"type":NaN}',
                     '{"type":1e999}', '\ufeff{"type":"ping"}',
                     '{"type":"open","table":"22222222","have":' + '9' * 400 + '}',
                     '{"type":"open","table":"22222222","have":-1e400}'):
            assert answer(text)['code'] == 'bad_json', text[:60]
        for text, detail in (('{}', 'type'), ('{"type":1}', 'type'), ('{"type":null}', 'type'),
            ('{"type":["ping"]}', 'type'), ('{"type":' + '[' * 2040 + ']' * 2040 + '}', 'type'), ('{"type":"ping","id":1}',
            'id'),
                             ('{"type":"ping","id":{}}', 'id'), ('{"type":"ping","x":1}', 'x'), ('{"type":"ping","":1}', ''),
                             ('{"type":"open"}', 'table'),
                             ('{"type":"open","table":1}', 'table'), ('{"type":"open","table":"' + 'A' * 65 + '"}', 'table'),
                             ('{"type":"open","table":"22222222","have":1e2}', 'have'),
                             ('{"type":"open","table":"22222222","have":99999999999}', 'have'),
                             ('{"type":"open","table":"22222222","have":true}', 'have'),
                             ('{"type":"choose","id":"a","phase":-1,"choice":"-"}', None),
                             ('{"type":"sit","number":"' + NUMBER + '","seat":1.0}', 'seat'),
                             ('{"type":"sit","number":"' + NUMBER + '","key":7}', 'key'),
                             ('{"type":"fill","seat":1,"level":"' + 'x' * 17 + '"}', 'level'),
                             ('{"type":"ping","' + 'k' * 3000 + '":1}', 'k' * 40),
                             ('{"type":"ping","a\\"\\\\b":1}', 'a"\\b')):
            if detail is None:
                link.put(1, text.encode())
                link.until(lambda: 'a' in link.answers)
                assert link.answers['a']['code'] == 'bad_message' and link.answers['a']['detail'] == 'phase', link.answers
                continue
            got = answer(text)
            assert got['code'] == 'bad_message' and got.get('detail', '') == detail, (text[:60], got)
        for text in ('{"type":"PING"}', '{"type":""}', '{"type":"hello"}', '{"type":"lines"}',
            '{"type":"' + 'x' * 4000 + '"}'):
            assert answer(text)['code'] == 'unknown_type', text[:60]
        # Invalid choices.
        link.done('sit', number=NUMBER)
        second = server.visitor('Ben').seat(code)
        link.until(lambda: link.version)
        rng = random.Random(5)
        for i in range(300 if LONG else 60):
            size = rng.randrange(0, 120)
            choice = ''.join(rng.choice('0123456789:+- abcdetakedrw\\"\'\t\x7fé') for _ in range(size))
            got = link.say('choose', phase=link.version, choice=choice)
            assert got['type'] == 'error' and got['code'] in ('illegal', 'bad_message'), (choice, got)
        link.refused('bad_message', 'choose', phase=link.version, choice='x' * 501)
        got = link.refused('illegal', 'choose', phase=link.version, choice='1:' + 'a1' * 240)
        assert got['reason']
        second.done('ping')
        alive(server)


def case_odd_frames(folder):
    with Server(folder) as server:
        ana = server.visitor()

        def cut(data, *codes):
            link = ana.link()
            link.at.sendall(data)
            code = link.closed()
            assert code in codes, (data[:20], code)
            link.close()
        frame, ping = Wire.frame, b'{"type":"ping","id":"p"}'
        cut(frame(1, b' ' * 4097), 1009)
        cut(frame(1, b' ' * 3000, final=False) + frame(0, b' ' * 1097), 1009)
        cut(b''.join(frame(1 if not i else 0, b' ' * 100, final=False) for i in range(45)), 1009)
        cut(frame(1, b' ' * 5000, size=2**31), 1009)                # a header that promises too much
        cut(frame(1, b' ' * 5000, size=2**62), 1009, 1006)
        cut(b'\x81\xff' + b'\xff' * 12, 1006, 1002)                      # negative length
        cut(frame(2, ping), 1003)
        cut(frame(2, ping[:5], final=False) + frame(0, ping[5:]), 1003)
        cut(frame(1, b'{"type":"\xc3\x28"}'), 1007)
        cut(frame(1, b'\xed\xa0\x80'), 1007)
        cut(frame(1, b'"\xc3', final=False) + frame(0, b'\x28"'), 1007)
        for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15):
            cut(frame(opcode, ping), 1002, 1006)
        for reserved in (1, 2, 4, 7):
            cut(frame(1, ping, reserved=reserved), 1002, 1006)
        cut(frame(9, b'x' * 126), 1002, 1006, 1009)                      # control frames are short
        cut(frame(9, b'x', final=False), 1002, 1006)
        cut(frame(0, ping), 1002, 1006, 1008)                            # a continuation of nothing
        cut(frame(8, b''), 1000, 1005, 1006)
        cut(frame(8, struct.pack('!H', 1000) + b'bye'), 1000, 1005, 1006)
        cut(frame(8, b'x'), 1000, 1002, 1005, 1006)
        # Whole messages in parts are fine, even with a ping between the parts; so are many frames in one piece.
        link = ana.link()
        link.at.sendall(frame(1, ping[:5], final=False) + frame(9, b'abc') + frame(0, b'', final=False) + frame(0, ping[5:]))
        link.until(lambda: 'p' in link.answers)
        link.at.sendall(b''.join(frame(1, json.dumps({'type': 'ping', 'id': f'i{i}'}).encode()) for i in range(50)))
        link.until(lambda: all(f'i{i}' in link.answers for i in range(50)))
        # Byte by byte.
        for byte in frame(1, b'{"type":"ping","id":"slow"}'):
            link.at.sendall(bytes([byte]))
        link.until(lambda: 'slow' in link.answers)
        # Several tables at once over one connection, some of which have to be read from the disk.
        codes = [ana.make('open', 'open') for _ in range(3)]
        for code in codes:
            ana.link(code).done('close')
        server.restart()
        for _ in range(10):
            link = ana.link()
            link.at.sendall(b''.join(frame(1, json.dumps({'type': 'open', 'id': f'o{i}', 'table': code}).encode())
                                     for i, code in enumerate(codes * 4 + ['22222222'])))
            if _ % 2:
                link.close()                 # closed while the table is being read
                continue
            link.until(lambda: 'o12' in link.answers)
            assert link.answers['o11']['type'] == 'done' and link.answers['o12']['code'] in ('no_table', 'too_fast')
            link.close()
        alive(server)


def flood(link):
    """Sends more than allowed until it is cut; returns the code. At 20 a second that takes a burst of 60, and 60 beyond the
    rate; the rest one at a time, answer by answer, since more become allowed over time: if the server closes with unread
    messages, the client may not get the reason."""
    sent = 0
    try:
        while sent < 10000:
            link.send(type='ping', id=f'i{sent}')
            sent += 1
            if sent > 120:
                link.until(lambda: len(link.answers) + len(link.errors) >= sent)
    except Closed as closed:
        return closed.code
    except OSError:
        pass
    return link.closed()


def has_room(server, count):
    """Whether so many connections at once get answers."""
    many = [socket.create_connection(('127.0.0.1', server.port), timeout=wire.PATIENCE) for _ in range(count)]
    try:
        for at in many:
            at.sendall(b'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
        return all(at.recv(100).startswith(b'HTTP/1.1 200') for at in many)
    except OSError:
        return False
    finally:
        for at in many:
            at.close()


def case_flooding(folder):
    # Requests beyond the rate are refused for a while, a burst is fine; and a client with a socket is not slowed by them.
    with Server(folder, '--request-rate', '20', database='requests.db', generous=False) as server:
        ana = server.visitor()
        calm = ana.link()
        assert {ana.ask('GET', '/healthz').status for _ in range(50)} == {200}
        got = raw(server, b''.join(b'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n' for _ in range(400)), wire.PATIENCE,
            until=b'HTTP/1.1 429')
        slow = re.search(rb'HTTP/1.1 429.*?\r\n\r\n', got, re.S)
        assert slow and b'retry-after: ' in slow.group(0).lower(), got[:300]
        check_head(slow.group(0), '429')
        calm.done('ping')
    with Server(folder, '--max-per-address', '40', '--message-rate', '20', '--request-rate', '100000', '--ping', '600',
        generous=False) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        code = ana.make('open', 'open')
        calm = ben.seat(code)
        assert flood(ana.link(code)) == 1008 and b'too_fast' in b''.join(ana.heard)
        calm.done('ping')                    # no other client is slowed
        # A client that never reads its answers is cut, and memory does not grow.
        lazy = ana.link(code, small=True)
        try:
            for _ in range(3000):
                lazy.at.sendall(Wire.frame(1, b'{"type":"nonsense","id":"' + b'x' * 36 + b'"}'))
                if _ % 20 == 19:
                    time.sleep(0.01)
        except OSError:
            pass
        # More connections than an address may have.
        many = []
        for _ in range(60):
            at = socket.create_connection(('127.0.0.1', server.port), timeout=wire.PATIENCE)
            at.sendall(b'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: keep-alive\r\n\r\n')
            many.append(at)
        answered = 0
        for at in many:
            try:
                answered += bool(at.recv(100))
            except OSError:
                pass
        for at in many:
            at.close()
        assert 20 <= answered <= 40, answered
        calm.done('ping')
        until_so(lambda: has_room(server, 10))
        alive(server)
        metrics = ana.want(200, 'GET', '/metrics').text
        assert int(re.search(r'pyramids_refused_total (\d+)', metrics).group(1)) >= 10
        assert int(re.search(r'pyramids_cut_total (\d+)', metrics).group(1)) >= 1


def case_too_many(folder):
    with Server(folder, '--max-tables', '30') as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        codes = [ana.make('open', 'open') for _ in range(24)]
        ana.refused(429, 'too_many', 'POST', '/api/tables', {'seats': [{'kind': 'open'}] * 2})
        for _ in range(6):
            ben.make('open', 'open')
        ben.refused(429, 'too_many', 'POST', '/api/tables', {'seats': [{'kind': 'open'}] * 2})
        ana.link(codes[0]).done('close')
        ben.make('open', 'open')
        ana.refused(429, 'too_many', 'POST', '/api/tables', {'seats': [{'kind': 'open'}] * 2})
        server.restart()
        ana.refused(429, 'too_many', 'POST', '/api/tables', {'seats': [{'kind': 'open'}] * 2})
        # Guessing codes: after a while no code is looked up, not even existing ones; a visitor's own tables are still
        # found.
        spy, hits = server.visitor('Davi'), []
        for i in range(60):
            hits.append(spy.ask('GET', f'/api/tables/{"23456789"[i % 8] * 8}').status)
        assert hits[:25] == [404] * 25 and 429 in hits, hits

        def while_refused(ask):
            """The answer to a request while codes are not looked up: the same just before and just after, and only time
            allows guesses again."""
            found = []

            def asked_between():
                around = [spy.ask('GET', '/api/tables/22222222').status, found.append(ask()),
                    spy.ask('GET', '/api/tables/22222222').status]
                return around == [429, None, 429]
            until_so(asked_between)
            return found[-1]
        assert while_refused(lambda: spy.ask('GET', f'/api/tables/{codes[1]}').status) == 429
        assert while_refused(lambda: spy.link().say('open', table=codes[1])['code']) == 'too_fast'
        device = while_refused(lambda: spy.ask('POST', '/api/visitor/device', {'code': '2222-2222'}))
        assert device.status == 429 and device.json['error']['code'] == 'too_fast', device.text
        assert ana.table(codes[1])['host'] and ana.link(codes[1]).table['host']


def case_paths_and_methods(folder):
    with Server(folder) as server:
        host = f'Host: 127.0.0.1:{server.port}\r\n'
        for path in ('/../etc/passwd', '/../../../../etc/passwd', '/%2e%2e/etc/passwd', '/%2e%2e%2f%2e%2e%2fetc/passwd',
            '/.git', '/.git/config', '//etc/passwd', '/./', '/api',
                     '/api/', '/api//tables', '/api/tables/', '/api/tables/a/b/c', '/index.html/', '/%', '/%zz', '/%00',
                     '/api/tables/%00/record', '/\\..\\x', '/api/tables/' + 'A' * 2000,
                     '/' + 'a/' * 1000, '/?' + 'x' * 2000, '/api/tables?x=%00', '*', 'http://evil.example/',
                     '/api/tables/..', '/é', '/\x01', '/server.db', '/proc/self/environ'):
            got = raw(server, f'GET {path} HTTP/1.1\r\n{host}Connection: close\r\n\r\n'.encode('latin-1'), 3)
            assert b'root:' not in got and b'PATH=' not in got and b'SQLite' not in got
            assert re.match(rb'HTTP/1\.[01] [234]\d\d ', got) or not got, (path, got[:100])
            if got:
                check_head(got, path[:40])
        ana = server.visitor()
        for path in ('/api/visitor', '/', '/nowhere') if LONG else ('/api/visitor',):
            for method in ('PUT', 'OPTIONS', 'TRACE', 'PATCH', 'CONNECT', 'BREW'):
                got = raw(server, f'{method} {path} HTTP/1.1\r\n{host}Cookie: {ana.cookie}\r\nContent-Length: '
                    f'0\r\nConnection: close\r\n\r\n'.encode(), 3)
                assert not got or re.match(rb'HTTP/1\.[01] (4\d\d|501) ', got), (method, path, got[:200])
                assert ana.cookie.encode() not in got
                if got:
                    check_head(got, f'{method} {path}')
        # Each names the allowed methods (RFC 9110, 15.5.6).
        for method, path, right in (('PUT', '/api/tables', 'GET, HEAD, POST'), ('DELETE', '/api/tables', 'GET, HEAD, POST'),
                ('POST', '/api/statistics', 'GET, HEAD'), ('POST', '/healthz', 'GET, HEAD'), ('POST', '/', 'GET, HEAD'),
                ('GET', '/api/my/feed', 'POST, DELETE'), ('PATCH', '/api/visitor', 'GET, HEAD, POST, DELETE')):
            ana.refused(405, 'method', method, path, {})
            assert ana.ask(method, path, {}).headers['Allow'] == right, (method, path)
        ana.refused(404, 'not_found', 'GET', '/api/nowhere')
        # Headers on all kinds of answers.
        code = ana.make('open', 'open')
        for status, method, path, body in ((200, 'GET', '/', None), (200, 'GET', '/api/editions', None),
            (200, 'GET', '/api/editions/classic', None), (200, 'GET', '/metrics', None),
                                           (200, 'GET', f'/api/tables/{code}/record', None), (404, 'GET', '/nowhere', None),
                                           (405, 'POST', '/', {}),
                                           (413, 'POST', '/api/visitor', ' ' * 5000), (400, 'POST', '/api/visitor', '{'),
                                           (409, 'GET', f'/api/tables/{code}/analysis', None),
                                           (404, 'GET', '/api/tables/22222222', None), (200, 'HEAD', '/', None),
                                           (200, 'GET', '/api/visitor', None)):
            answer = ana.want(status, method, path, body)
            check_head(('\r\n' + str(answer.headers).replace('\n', '\r\n')).encode(), f'{method} {path}')
            assert status == 200 or answer.json['error']['code']
        head = ana.want(200, 'GET', '/')
        again = ana.want(304, 'GET', '/', headers={'If-None-Match': head.headers['ETag']})
        assert not again.data
        zipped = ana.want(200, 'GET', '/', headers={'Accept-Encoding': 'gzip'})
        assert zipped.headers['Content-Encoding'] == 'gzip' and zipped.data[:2] == b'\x1f\x8b'
        # A weight of 0 is a refusal, and ETags can be listed or marked weak by a proxy.
        for accepted, packed in (('gzip;q=0', False), ('br, GZIP ; Q=0.000', False), ('identity, gzip;q=0.5, *;q=0', True)):
            got = ana.want(200, 'GET', '/', headers={'Accept-Encoding': accepted})
            assert (got.data[:2] == b'\x1f\x8b') == ('Content-Encoding' in got.headers) == packed, accepted
        for copies in ('*', f'"older", W/{head.headers["ETag"]}'):
            ana.want(304, 'GET', '/', headers={'If-None-Match': copies})
        ana.want(200, 'POST', '/api/visitor', {'name': 'Ana'}, headers={'Content-Type': 'Application/JSON'})
        for headers, status in (({'Cookie': None}, 401), ({'Origin': 'http://evil.example'}, 403),
            ({'path': '/api/tables'}, 404), ({'Host': 'evil.example'}, 403)):
            link = Wire(ana, headers=headers)
            head = '\r\n' + ''.join(f'{name}: {value}\r\n' for name, value in link.headers.items())
            assert link.status == status, (headers, link.status)
            check_head(head.encode(), f'upgrade {headers}')
        alive(server)


def case_smuggling(folder):
    """An ambiguous request is refused, and nothing after it on its connection is accepted."""
    with Server(folder) as server:
        ana = server.visitor()
        code = ana.make('open', 'open')
        host = f'Host: 127.0.0.1:{server.port}\r\n'
        inner = f'GET /api/tables/{code} HTTP/1.1\r\n{host}\r\n'
        json_type = 'Content-Type: application/json\r\n'
        for name, head, body in (
                ('two lengths', 'Content-Length: 2\r\nContent-Length: 40\r\n', '{}' + inner),
                ('two equal lengths', 'Content-Length: 2\r\nContent-Length: 2\r\n', '{}' + inner),
                ('list of lengths', 'Content-Length: 2, 40\r\n', '{}' + inner),
                ('negative', 'Content-Length: -1\r\n', inner), ('plus', 'Content-Length: +2\r\n', '{}' + inner),
                ('hex', 'Content-Length: 0x2\r\n', '{}' + inner),
                ('not a number', 'Content-Length: two\r\n', '{}' + inner),
                ('huge', 'Content-Length: 99999999999999999999\r\n', '{}' + inner),
                ('wrapped', 'Content-Length: 4294967298\r\n', '{}' + inner), ('blank', 'Content-Length: \r\n', '{}' + inner),
                ('zeros', 'Content-Length: 0000000000002\r\n', '{}'),
                ('chunked', 'Transfer-Encoding: chunked\r\n', '2\r\n{}\r\n0\r\n\r\n' + inner),
                ('chunked and length', 'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n',
                '2\r\n{}\r\n0\r\n\r\n' + inner),
                ('odd coding', 'Transfer-Encoding: xchunked\r\n', '2\r\n{}\r\n0\r\n\r\n' + inner),
                ('too long', f'Content-Length: {4097 + len(inner)}\r\n', inner + ' ' * 4097),
                ('no length', '', inner[:0] + '{}' + inner)):
            for extra, path in ((json_type, '/api/visitor'), ('', '/api/visitor'), (json_type, '/nowhere'),
                (json_type + 'Origin: http://evil.example\r\n', '/api/visitor')):
                got = raw(server, f'POST {path} HTTP/1.1\r\n{host}{extra}Cookie: {ana.cookie}\r\n{head}\r\n{body}'.encode(),
                    3)
                assert code.encode() not in got, (name, path, extra, got[-600:])
        # Bodies where none are allowed.
        for method in ('GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'):
            got = raw(server, f'{method} /healthz HTTP/1.1\r\n{host}Content-Length: {len(inner)}\r\n\r\n{inner}'.encode(), 3)
            assert code.encode() not in got, (method, got[-400:])
        # Two honest requests one after the other count as two.
        got = raw(server, (inner + inner.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')).encode(), wire.PATIENCE,
            until=b'never')
        assert got.count(code.encode()) == 2, got
        # Invalid heads.
        for data in (b'\r\n' * 100, b'GET\r\n\r\n', b'GET / \r\n\r\n', b'GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n',
            b'\x16\x03\x01' + b'\0' * 500, os.urandom(3000), b'A' * 100000,
                     b'GET / HTTP/1.1\r\n' + b'X: ' + b'y' * 100000 + b'\r\n\r\n',
                     b'GET / HTTP/1.1\r\n' + b'X: y\r\n' * 20000 + b'\r\n',
                     b'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil\r\n\r\n',
                     b'GET / HTTP/1.1\nHost: 127.0.0.1\n\n', b'GET /\0 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
                     b'GET / HTTP/1.1\r\n: x\r\nHost 127.0.0.1\r\n\r\n',
                     b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'):
            got = raw(server, data, 3)
            assert not got or re.match(rb'HTTP/1\.[01] [2345]\d\d ', got), (data[:30], got[:100])
        alive(server)


def case_slow_and_silent(folder):
    """A client that is slow with headers, with a body, with reading, or never answers a ping is cut; no other client is
    slowed."""
    with Server(folder, '--ping', '4') as server:          # a client has three seconds to answer, on a busy machine, too
        ana, ben = server.visitor(), server.visitor('Ben')
        host = f'Host: 127.0.0.1:{server.port}\r\n'
        cut = set()

        def drip(name, first, rest):
            with socket.create_connection(('127.0.0.1', server.port), timeout=wire.PATIENCE) as at:
                at.sendall(first.encode())
                at.settimeout(0.5)
                end = time.monotonic() + wire.PATIENCE
                while time.monotonic() < end:
                    try:
                        if not at.recv(4096):
                            cut.add(name)
                            break
                    except TimeoutError:
                        pass
                    except OSError:
                        cut.add(name)
                        break
                    try:
                        at.sendall(rest.encode())
                    except OSError:
                        cut.add(name)
                        break

        threads = [threading.Thread(target=drip, args=arguments) for arguments in (
            ('nothing', '', ''), ('slow line', 'GET /', 'a'), ('slow headers', f'GET / HTTP/1.1\r\n{host}', 'X: y\r\n'),
            ('half a head', f'GET / HTTP/1.1\r\n{host}', ''),
            ('slow body', f'POST /api/visitor HTTP/1.1\r\n{host}Content-Type: application/json\r\nContent-Length: '
            f'4000\r\n\r\n', ' '),
            ('no body', f'POST /api/visitor HTTP/1.1\r\n{host}Content-Type: application/json\r\n'
            'Content-Length: 4000\r\n\r\n', ''),
            ('idle', f'GET /healthz HTTP/1.1\r\n{host}\r\n', ''))]
        for thread in threads:
            thread.start()
        # Half open: the other end exists but sends nothing any more. A client that answers stays.
        mute, patient = ana.link(), ben.link()
        mute.answers_pings = False
        end = time.monotonic() + 9
        while time.monotonic() < end:
            patient.hear(0.5)
        code = mute.closed()
        assert code in (1001, 1006, 1000, 1005), code
        patient.done('ping')
        # Clients that never read, at a table with many messages.
        code = ana.make('open', 'open')
        links = [ana.seat(code), ben.seat(code)]
        for link in links:
            link.until(lambda link=link: link.version)
        lazy = [server.visitor('Davi').link(code, small=True) for _ in range(10)]
        # Random numbers decide what each client keeps sending.
        before, phase = server.memory(), links[0].version
        choice = links[0].pick(random.Random(1))
        for _ in range(1500 if LONG else 400):
            links[0].done('choose', phase=phase, choice=choice)
            links[0].done('retract', phase=phase)
            while links[1].hear(0):
                pass
        assert wire.SANITIZED or server.memory() - before < 30e6, (before, server.memory())
        for link in lazy:
            link.close()
        for thread in threads:
            thread.join()
        assert cut == {'nothing', 'slow line', 'slow headers', 'half a head', 'slow body', 'no body', 'idle'}, cut
        alive(server)


def case_random_bytes(folder):
    """Frames and requests with flipped bits."""
    with Server(folder) as server:
        rng = random.Random(11)
        ana = server.visitor()
        code = ana.make('open', 'open')
        for i in range(150 if LONG else 30):
            link = Wire(ana)
            if link.status != 101:
                time.sleep(0.1)
                continue
            for _ in range(rng.randrange(1, 6)):
                message = {'type': rng.choice(['open', 'sit', 'leave', 'return', 'choose', 'retract', 'fill', 'standin',
                    'close', 'ping', 'x'])}
                for name, values in (('id', ['a', 1]), ('table', [code, 'x']), ('number', [NUMBER, 'x']),
                    ('seat', [1, 2, 9]), ('phase', [0, 7]),
                                     ('choice', ['1 2', '-', 'draw']), ('level', ['club']), ('have', [0, 700]),
                                     ('key', ['x'])):
                    if rng.random() < 0.3:
                        message[name] = rng.choice(values)
                data = bytearray(Wire.frame(1, json.dumps(message).encode()))
                for _ in range(rng.randrange(0, 3)):
                    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
                try:
                    link.at.sendall(data)
                except OSError:
                    break
            try:
                while link.get(0.005):
                    pass
            except (Closed, AssertionError, OSError):
                pass
            link.close()
            data = bytearray(f'POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nCookie: '
                f'{ana.cookie}\r\nContent-Type: application/json\r\n'
                             f'Content-Length: 44\r\n\r\n{{"seats":[{{"kind":"open"}},{{"kind":"open"}}]}}'.encode())
            for _ in range(rng.randrange(1, 8)):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            raw(server, bytes(data), 0.05, wait=bool(i % 2))
        alive(server, whole=True)


if __name__ == '__main__':
    wire.main(globals())
