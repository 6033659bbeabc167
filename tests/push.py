#!/usr/bin/env python3
"""Messages to browsers: a test push service over TLS receives a server's messages, verifies the token and decrypts
them with an independent implementation of RFC 8291 (python3-cryptography). Also: failing services, addresses that a
stranger invents, quiet time, several servers, the feed. usage: push.py PYRAMIDS SOURCE_ROOT [CASE]"""
# pylint: disable=cell-var-from-loop  # until_so is over before the loop continues
import base64
import collections
import datetime
import hashlib
import hmac
import http.server
import ipaddress
import json
import os
import random
import secrets
import ssl
import struct
import threading
import time
import urllib.parse
import xml.etree.ElementTree

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.x509.oid import NameOID

import daily
import wire
from wire import Clock, Server, until_so

ATOM = '{http://www.w3.org/2005/Atom}'
NUMBER = '0123456789abcdef' * 4


def to64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip('=')


def from64(text):
    assert '=' not in text
    return base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))


def raw(key):
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def point(data):
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), data)


def hkdf(salt, key, info, size):
    """RFC 5869, one block."""
    middle = hmac.new(salt, key, hashlib.sha256).digest()
    return hmac.new(middle, info + b'\x01', hashlib.sha256).digest()[:size]


class Browser:
    """The keys of a subscription, and what arrives for it."""

    def __init__(self, service, path=None):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.auth = secrets.token_bytes(16)
        self.path = path or '/push/' + secrets.token_hex(8)
        self.service = service
        self.endpoint = f'https://127.0.0.1:{service.port}{self.path}'
        service.browsers[self.path] = self

    def subscription(self, **more):
        return {'endpoint': self.endpoint, 'keys': {'p256dh': to64(raw(self.key.public_key())), 'auth': to64(self.auth)},
                **more}

    def decrypt(self, body):
        """RFC 8188, section 2, and RFC 8291, section 3."""
        salt, size, length = body[:16], struct.unpack('>I', body[16:20])[0], body[20]
        sender = body[21:21 + length]
        assert length == 65 and size == 4096 and len(body) <= 4096, (length, size, len(body))
        secret = self.key.exchange(ec.ECDH(), point(sender))
        key = hkdf(self.auth, secret, b'WebPush: info\0' + raw(self.key.public_key()) + sender, 32)
        plain = AESGCM(hkdf(salt, key, b'Content-Encoding: aes128gcm\0', 16)).decrypt(
            hkdf(salt, key, b'Content-Encoding: nonce\0', 12), body[21 + length:], None).rstrip(b'\0')
        assert plain.endswith(b'\x02'), 'the last record ends with a 2'
        return plain[:-1].decode()

    @property
    def messages(self):
        return [message for message in list(self.service.messages) if message['path'] == self.path]


class Service:
    """A push service (RFC 8030) on this machine, whose certificate only --push-ca trusts."""

    def __init__(self, folder):
        self.browsers, self.messages, self.requests = {}, [], []
        self.answers = collections.defaultdict(list)         # by path: (status, headers) of the next answers
        self.gate = threading.Event()                        # until it is set, paths in `slow` get no answer
        self.slow = set()
        self.ca = os.path.join(folder, 'ca.pem')
        pair = os.path.join(folder, 'service.pem')
        self.make_certificates(pair)
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def do_POST(self):                               # pylint: disable=invalid-name
                body = self.rfile.read(int(self.headers.get('Content-Length', 0)))
                service.requests.append(self.path)
                if self.path in service.slow:
                    service.gate.wait(wire.PATIENCE)
                plan = service.answers[self.path]
                status, headers = plan.pop(0) if plan else (201, {})
                if status == 201:
                    service.take(self.path, self.headers, body)
                answer = b'x' * 40000 if status == 400 else b''
                self.send_response(status)
                for name, value in {'Content-Length': str(len(answer)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(answer)
                except OSError:
                    self.close_connection = True

            do_GET = do_POST

            def log_message(self, *_):                       # pylint: disable=arguments-differ
                pass

        self.web = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.web.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pair)
        self.web.socket = context.wrap_socket(self.web.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self.web.server_address[1]
        threading.Thread(target=self.web.serve_forever, args=(0.05,), daemon=True).start()
        self.options = ['--push-host', f'127.0.0.1:{self.port}', '--push-ca', self.ca, '--push-contact',
                        'mailto:admin@example.org']

    def make_certificates(self, pair):
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, 'a push service')])
        now = datetime.datetime.utcnow()
        made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(
            x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(
            now + datetime.timedelta(days=2)).add_extension(x509.BasicConstraints(True, None), True).add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address('127.0.0.1'))]), False).sign(
            key, hashes.SHA256())
        with open(self.ca, 'wb') as file:
            file.write(made.public_bytes(serialization.Encoding.PEM))
        with open(pair, 'wb') as file:
            file.write(made.public_bytes(serialization.Encoding.PEM) + key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))

    def take(self, path, headers, body):
        """A message: its token is verified, its text decrypted. Any error is stored as a message."""
        try:
            assert headers['Content-Encoding'] == 'aes128gcm'
            claims, key = self.verify(headers['Authorization'])
            text = self.browsers[path].decrypt(body)
            message = {'path': path, 'claims': claims, 'key': key, 'text': text, 'json': json.loads(text),
                       'size': len(body), 'headers': dict(headers.items())}
        except Exception as problem:                         # pylint: disable=broad-except  # told where it is waited for
            message = {'path': path, 'problem': repr(problem)}
        self.messages.append(message)

    def verify(self, header):
        """RFC 8292."""
        scheme, rest = header.split(' ', 1)
        parts = dict(part.strip().split('=', 1) for part in rest.split(','))
        assert scheme == 'vapid', header
        head, claims, signature = parts['t'].split('.')
        numbers = from64(signature)
        point(from64(parts['k'])).verify(
            encode_dss_signature(int.from_bytes(numbers[:32], 'big'), int.from_bytes(numbers[32:], 'big')),
            f'{head}.{claims}'.encode(), ec.ECDSA(hashes.SHA256()))
        assert json.loads(from64(head)) == {'typ': 'JWT', 'alg': 'ES256'}
        claims = json.loads(from64(claims))
        assert claims['aud'] == f'https://127.0.0.1:{self.port}', claims
        return claims, parts['k']

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.gate.set()
        self.web.shutdown()
        self.web.server_close()


class Hands:
    """A clock that stands still; it is moved by seconds relative to the start of the test."""

    def __init__(self, folder, start=None):
        self.start = start or int(time.time())
        self.clock = Clock(folder, f'={self.start}')
        self.env = self.clock.env

    def to(self, server, seconds):
        self.clock.set(server, f'={self.start + seconds}')
        self.clock.pass_ticks(server)


def choose(link, seed=1):
    link.until(lambda: link.pick(random.Random(seed)))
    link.done('choose', phase=link.version, choice=link.pick(random.Random(seed)))


def table_of(ana, ben, *more, notify=True, rests=0):
    """A game without a clock in which everyone has chosen except Ana, who wants messages, and the last players; no player is
    connected."""
    code = ana.make(*['open'] * (2 + len(more)))
    links = [person.seat(code) for person in (ana, ben, *more)]
    if notify:
        assert ana.want(200, 'POST', f'/api/tables/{code}/notify', {'on': True}).json['table']['notify'] is True
    for link in links[1:len(links) - rests]:
        choose(link)
    for link in links:
        link.close()
    until_so(lambda: not any(seat['here'] for seat in ben.table(code)['seats']))
    return code


def one_more(browser, count):
    """The message with this number, from 1."""
    until_so(lambda: len(browser.messages) >= count, f'no message {count}: {browser.messages}')
    message = browser.messages[count - 1]
    assert 'problem' not in message, message
    return message


def no_more(server, browser, count):
    """No further message comes although the server checks the database twice."""
    before = int(count)
    for _ in range(2):
        seen = looks(server)
        until_so(lambda: all(now > then for now, then in zip(looks(server), seen)))
    assert len(browser.messages) == before, browser.messages


def looks(server):
    """How often a server has asked the store what is due, for tables and for the daily expedition, and found nothing."""
    return metric(server, 'push_looks_total'), metric(server, 'push_daily_looks_total')


def metric(server, name):
    text = server.visitor('Metrics').want(200, 'GET', '/metrics').text
    return int(text.split(f'\npyramids_{name} ')[1].split('\n')[0])


# Messages.

def case_a_turn(folder):
    """Twenty seconds after a player's turn began, unless they are connected; only once; withdrawn when they have chosen."""
    hands = Hands(folder)
    with Service(folder) as service, Server(folder, *service.options, env=hands.env) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        browser = Browser(service)
        state = ana.want(200, 'POST', '/api/push', browser.subscription(language='en')).json
        assert state['subscriptions'] == 1 and state['available'] and state['quiet'] == [] and state['daily'] is None
        cleo = server.visitor('Cleo')
        code = table_of(ana, ben, cleo, rests=1)
        hands.to(server, 19)
        no_more(server, browser, 0)
        hands.to(server, 20)
        message = one_more(browser, 1)
        assert message['json'] == {'type': 'turn', 'title': 'Your turn', 'body': 'Ben is waiting.', 'table': code,
                                   'count': 1, 'silent': False}, message
        assert message['key'] == state['key']
        assert message['claims'] == {'aud': f'https://127.0.0.1:{service.port}', 'sub': 'mailto:admin@example.org',
                                     'exp': hands.start + 20 + 43200}, message['claims']
        heads = message['headers']
        assert heads['TTL'] == '604800' and heads['Urgency'] == 'high' and 0 < len(heads['Topic']) <= 32, heads
        assert message['size'] == 21 + 65 + 1024 + 1 + 16, 'the size tells nothing'
        assert code not in heads['Topic']
        hands.to(server, 3600)
        no_more(server, browser, 1)
        link = ana.link(code)
        choose(link)
        gone = one_more(browser, 2)
        assert gone['json']['type'] == 'none' and gone['headers']['Topic'] == heads['Topic'], gone
        assert gone['headers']['Urgency'] == 'low'
        # The next phase waits for all; she is connected, so no message is sent until she leaves.
        other = cleo.link(code)
        choose(other)
        other.close()
        link.until(lambda: link.pick(random.Random(1)))
        hands.to(server, 3700)
        no_more(server, browser, 2)
        link.close()
        until_so(lambda: not ben.table(code)['seats'][0]['here'])
        hands.to(server, 3800)
        again = one_more(browser, 3)['json']
        assert again['type'] == 'turn' and again['body'] == 'You play with Ben and Cleo. Round 1, turn 1.', again


def case_taken_in_time(folder):
    """A player who chooses within the twenty seconds, or never subscribed, gets no message; neither does a table with a
    short clock."""
    hands = Hands(folder)
    with Service(folder) as service, Server(folder, *service.options, env=hands.env) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        browser = Browser(service)
        ana.want(200, 'POST', '/api/push', browser.subscription())
        quick = ana.make('open', 'open', clock='relaxed')
        for person in (ana, ben):
            person.seat(quick).close()
        ana.want(200, 'POST', f'/api/tables/{quick}/notify', {'on': True})
        table_of(ana, ben, notify=False)
        code = table_of(ana, ben, server.visitor('Cleo'), rests=1)
        assert ana.want(200, 'POST', f'/api/tables/{code}/notify', {'on': False}).json['table'].get('notify') is None
        hands.to(server, 40)
        no_more(server, browser, 0)
        ana.want(200, 'POST', f'/api/tables/{code}/notify', {'on': True})
        link = ana.link(code)
        choose(link)
        link.close()
        hands.to(server, 80)
        no_more(server, browser, 0)
        stranger = server.visitor('Dora')
        stranger.refused(403, 'not_seated', 'POST', f'/api/tables/{code}/notify', {'on': True})
        ana.refused(400, 'bad_message', 'POST', f'/api/tables/{code}/notify', {'on': 1})


def case_several_tables(folder):
    """One message about all tables, in the language of the browser; with names, but nothing about the game."""
    hands = Hands(folder)
    with Service(folder) as service, Server(folder, *service.options, env=hands.env) as server:
        ana, ben, cleo = server.visitor(), server.visitor('Ben'), server.visitor('Chloé & <b>')
        browser = Browser(service)
        ana.want(200, 'POST', '/api/push', browser.subscription(language='en'))
        first = table_of(ana, ben, cleo)
        hands.to(server, 30)
        assert one_more(browser, 1)['json']['body'] == 'Ben and Chloé & <b> are waiting.'
        table_of(ana, ben)
        hands.to(server, 60)
        message = one_more(browser, 2)['json']
        assert message == {'type': 'several', 'title': '2 tables are waiting for you', 'body': 'Ben and Chloé & <b>, Ben.',
                           'table': '', 'count': 2, 'silent': False}, message
        third = table_of(ana, ben, cleo, rests=1)
        hands.to(server, 90)
        assert one_more(browser, 3)['json']['title'] == '3 tables are waiting for you'
        turns = ana.want(200, 'GET', '/api/my/turns').json
        assert turns['count'] == len(turns['tables']) == 3 and turns['tables'][0]['notify'], turns
        # One is answered elsewhere: the rest is updated without a sound.
        choose(ana.link(third))
        left = one_more(browser, 4)['json']
        assert left['type'] == 'several' and left['silent'] and left['count'] == 2, left
        assert ana.want(200, 'GET', '/api/my/turns').json['count'] == 2 and first
        for message in browser.messages:     # names and numbers of rounds only
            assert set(message['json']) == {'type', 'title', 'body', 'table', 'count', 'silent'}
            for word in ('score', 'points', 'card', 'deal', 'keep', 'mark'):
                assert word not in message['text'], message


def case_over(folder):
    """The end of a game is sent to players who are not connected, without the winner."""
    hands = Hands(folder)
    with Service(folder) as service, Server(folder, *service.options, env=hands.env) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        browser, other = Browser(service), Browser(service)
        ana.want(200, 'POST', '/api/push', browser.subscription())
        ben.want(200, 'POST', '/api/push', other.subscription())
        code = ana.make('open', 'open')
        links = [person.seat(code) for person in (ana, ben)]
        for person in (ana, ben):
            person.want(200, 'POST', f'/api/tables/{code}/notify', {'on': True})
        wire.play(links, random.Random(3))
        links[0].close()
        until_so(lambda: not ben.table(code)['seats'][0]['here'])
        hands.to(server, 30)
        message = one_more(browser, 1)
        assert message['json'] == {'type': 'over', 'title': 'The game is over', 'body': 'Look who found more.',
                                   'table': code, 'count': 1, 'silent': False}, message
        no_more(server, other, 0)
        until_so(lambda: server.base.rows('SELECT count(*) FROM reminder') == [(0,)])


def case_languages(folder):
    """Each browser in its own language, whatever the server's; an unknown one gets English."""
    hands = Hands(folder)
    with Service(folder) as service, Server(folder, *service.options, env=hands.env) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        browsers = {language: Browser(service) for language in ('en', 'de', 'xx')}
        for language, browser in browsers.items():
            ana.want(200, 'POST', '/api/push', browser.subscription(language=language))
        table_of(ana, ben)
        hands.to(server, 30)
        titles = {language: one_more(browser, 1)['json']['title'] for language, browser in browsers.items()}
        assert titles['en'] == titles['xx'] == 'Your turn', titles
        listed = wire.read(os.path.join(wire.ROOT, 'po/de.po'))
        if 'msgid "Your turn"' in listed:
            wanted = listed.split('msgid "Your turn"\nmsgstr "')[1].split('"')[0]
            assert titles['de'] == (wanted or 'Your turn'), titles


# Quiet time.

def case_quiet(folder):
    """No messages in the night, by the person's own clock; one in the morning; and none about turns that were made
    before."""
    day = 86400 * (int(time.time()) // 86400)
    hands = Hands(folder, day + 20 * 3600)                   # 20:00 UTC, 22:00 two hours to the east
    with Service(folder) as service, Server(folder, *service.options, env=hands.env) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        browser = Browser(service)
        state = ana.want(200, 'POST', '/api/push', browser.subscription(quiet=[22 * 60, 7 * 60], zone=120)).json
        assert state['quiet'] == [1320, 420] and state['zone'] == 120
        codes = [table_of(ana, ben) for _ in range(3)]
        hands.to(server, 60)
        hands.to(server, 9 * 3600 - 1)
        no_more(server, browser, 0)
        link = ana.link(codes[0])
        choose(link)
        link.close()
        code = codes[0]                      # the next phase waits for her again: the table has still advanced
        until_so(lambda: not ben.table(code)['seats'][0]['here'])
        server.restart()
        hands.to(server, 9 * 3600 - 1)
        no_more(server, browser, 0)
        hands.to(server, 9 * 3600 + 60)      # 07:01 there
        message = one_more(browser, 1)['json']
        assert message['type'] == 'morning' and message['title'] == 'Good morning', message
        assert message['body'] == f"{message['count']} tables moved on during the night.", message
        assert message['count'] in (2, 3), message
        ana.want(200, 'POST', '/api/push', {'quiet': []})
        assert ana.want(200, 'GET', '/api/push').json['quiet'] == []


def case_answered_in_the_night(folder):
    """A turn made before the morning causes no message."""
    day = 86400 * (int(time.time()) // 86400)
    hands = Hands(folder, day + 22 * 3600)
    with Service(folder) as service, Server(folder, *service.options, env=hands.env) as server:
        ana, ben, cleo = server.visitor(), server.visitor('Ben'), server.visitor('Cleo')
        browser = Browser(service)
        ana.want(200, 'POST', '/api/push', browser.subscription(quiet=[1320, 420]))
        code = ana.make('open', 'open', 'open')
        links = [person.seat(code) for person in (ana, ben, cleo)]
        ana.want(200, 'POST', f'/api/tables/{code}/notify', {'on': True})
        choose(links[1])
        for link in links:
            link.close()
        until_so(lambda: not any(seat['here'] for seat in ben.table(code)['seats']))
        hands.to(server, 60)
        until_so(lambda: server.base.rows('SELECT night FROM reminder') == [(1,)])
        link = ana.link(code)
        choose(link)
        link.close()
        hands.to(server, 9 * 3600 + 60)
        no_more(server, browser, 0)


# The daily expedition.

class Torches:
    """Days with a clock, and a visitor who has played the first two of them with a browser that wants a reminder at 19:00 of
    her own clock, an hour ahead of UTC."""

    def __init__(self, folder, service, server, days):
        self.days, self.server = days, server
        self.ana, self.browser = server.visitor(), Browser(service)
        self.ana.want(200, 'POST', '/api/push', self.browser.subscription(language='en', zone=60, daily=19 * 60))
        for day in (0, 1):
            days.to(server, day, 8 * 3600)
            daily.finish(self.ana, seed=2)
        self.folder = folder

    def at(self, day, hour, seconds=0):
        self.days.to(self.server, day, hour * 3600 + seconds)


def torch(browser, count):
    message = one_more(browser, count)
    assert message['json']['type'] == 'daily', message
    return message


def case_torches(folder):
    """Only while a streak is at stake, at the chosen time, once a day; closed when the day was played."""
    days = daily.Days(folder)
    with Service(folder) as service, Server(folder, *service.options, *daily.QUICK, env=days.env) as server:
        one = Torches(folder, service, server, days)
        ana, browser = one.ana, one.browser
        no_more(server, browser, 0)          # both days were played before the time
        one.at(2, 18, -1)
        no_more(server, browser, 0)
        one.at(2, 18)
        message = torch(browser, 1)
        assert message['json'] == {'type': 'daily', 'title': '2 torches burn', 'table': '', 'count': 2, 'silent': False,
                                   'body': "Today's expedition is open for 6 hours."}, message
        assert message['headers']['TTL'] == str(6 * 3600) and message['headers']['Urgency'] == 'high'
        one.at(2, 19)
        server.restart()
        ana.want(200, 'POST', '/api/push', {'daily': 21 * 60})       # another time does not cause a second one
        one.at(2, 20)
        no_more(server, browser, 1)
        code, _ = daily.finish(ana)
        closed = one_more(browser, 2)
        assert closed['json'] == {'type': 'played', 'title': '', 'body': '', 'table': '', 'count': 0, 'silent': True}, closed
        assert closed['headers']['Topic'] == message['headers']['Topic'] and closed['headers']['Urgency'] == 'low'
        # The next day the time is 21:00, and she plays before it; the day after she does not play, and then there is no
        # streak.
        one.at(3, 19)
        daily.finish(ana)
        one.at(3, 20)
        no_more(server, browser, 2)
        one.at(4, 20)
        assert torch(browser, 3)['json']['title'] == '4 torches burn'
        one.at(5, 20)
        no_more(server, browser, 3)
        assert daily.today(ana)['streak'] == 0 and code
        for heard in browser.messages:
            for word in ('score', 'points', 'card', code):
                assert word not in heard['text'], heard


def case_torches_and_quiet(folder):
    """Nothing is sent in quiet time: it is sent when it ends, if that is still the same day; otherwise never."""
    days = daily.Days(folder)
    with Service(folder) as service, Server(folder, *service.options, *daily.QUICK, env=days.env) as server:
        one = Torches(folder, service, server, days)
        ana, browser = one.ana, one.browser
        ana.want(200, 'POST', '/api/push', {'quiet': [18 * 60, 20 * 60]})
        one.at(2, 18)
        no_more(server, browser, 0)
        one.at(2, 19)                        # 20:00 there
        assert torch(browser, 1)['json']['body'] == "Today's expedition is open for 5 hours."
        daily.finish(ana)
        assert one_more(browser, 2)['json']['type'] == 'played'
        ana.want(200, 'POST', '/api/push', {'quiet': [18 * 60, 7 * 60]})
        one.at(3, 18)
        no_more(server, browser, 2)
        one.at(4, 6)                         # 07:00 there: yesterday's is over
        no_more(server, browser, 2)
        ana.want(200, 'POST', '/api/push', {'quiet': [], 'daily': None})
        one.at(4, 18)
        no_more(server, browser, 2)


def case_torches_at_stake(folder):
    """Nothing at stake: a day with an outage keeps the streak. An unfinished game is not finished, so the reminder is sent.
    After an outage at the chosen time no reminder is sent in the middle of the night."""
    days = daily.Days(folder)
    with Service(folder) as service, Server(folder, *service.options, *daily.QUICK, env=days.env) as server:
        one = Torches(folder, service, server, days)
        ana, browser = one.ana, one.browser
        one.at(2, 1)
        server.stop()
        days.clock.write(f'={(days.first + 2) * daily.DAY + 4 * 3600 + 60}')
        server.start()
        one.at(2, 18)
        no_more(server, browser, 0)
        # Day 3: there is no server at her time.
        one.at(3, 17)
        server.stop()
        days.clock.write(f'={(days.first + 3) * daily.DAY + 19 * 3600 - 1 + 3600}')
        server.start()
        one.at(3, 20)
        no_more(server, browser, 0)
        daily.finish(ana)
        # Day 4: begun, and left; finished after midnight, which closes the message and keeps the streak.
        one.at(4, 10)
        code = daily.begin(ana)['table']['code']
        one.at(4, 18)
        assert torch(browser, 1)['json']['title'] == '3 torches burn'
        one.at(5, 1)
        link = ana.link(code)
        daily.play(link, 1)
        link.close()
        assert one_more(browser, 2)['json']['type'] == 'played'
        one.at(5, 18)
        assert torch(browser, 3)['json']['title'] == '4 torches burn'
        ana.want(200, 'DELETE', '/api/push')
        one.at(6, 18)
        no_more(server, browser, 3)


def case_torches_of_two_servers(folder):
    """If two servers check at the same moment, one of them notifies each visitor, once; and one closes it."""
    if not wire.POSTGRES:
        return
    days = daily.Days(folder)
    other = os.path.join(folder, 'other')
    os.mkdir(other)
    with Service(folder) as service, Server(folder, *service.options, *daily.QUICK, env=days.env) as one, \
            Server(other, *service.options, *daily.QUICK, env=days.env, where=one.database) as two:
        people = [one.visitor(f'Visitor {i}') for i in range(12)]
        browsers = [Browser(service) for _ in people]
        for person, browser in zip(people, browsers):
            person.want(200, 'POST', '/api/push', browser.subscription(daily=18 * 60))
        days.to(one, 1, 3600)
        first = days.first + 1
        one.base.rows(f"INSERT INTO attempt (day, visitor, game, state, begun, points, place) SELECT {first} - 1, id, 0, 1,"
                      " 1, 50, 1 FROM visitor WHERE name LIKE 'Visitor %' RETURNING day")
        days.to(one, 1, 18 * 3600)
        days.clock.pass_ticks(two)
        for browser in browsers:
            torch(browser, 1)
        days.to(one, 1, 19 * 3600)
        daily.finish(wire.Visitor(two, people[0].cookie))
        assert one_more(browsers[0], 2)['json']['type'] == 'played'
        for server in (one, two):
            for browser in browsers[1:]:
                assert len(browser.messages) == 1
            no_more(server, browsers[0], 2)
        sent = [metric(server, 'push_sent_total') for server in (one, two)]
        assert sum(sent) == 13, sent


# Services that fail.

def case_errors(folder):
    """404 and 410 end a subscription; 429 and 500 are tried again; other refusals and redirects are not; a slow service
    delays no other."""
    hands = Hands(folder)
    with Service(folder) as service, Server(folder, *service.options, env=hands.env) as server:
        ben = server.visitor('Ben')
        people = {}
        for name in ('gone', 'missing', 'busy', 'broken', 'refused', 'moved', 'slow', 'good'):
            people[name] = server.visitor(name), Browser(service, '/' + name)
            people[name][0].want(200, 'POST', '/api/push', people[name][1].subscription())
        service.answers['/gone'] = [(410, {})]
        service.answers['/missing'] = [(404, {})]
        service.answers['/busy'] = [(429, {'Retry-After': '1'})]
        service.answers['/broken'] = [(500, {}), (503, {})]
        service.answers['/refused'] = [(400, {})]
        service.answers['/moved'] = [(307, {'Location': people['good'][1].endpoint + '/other'})]
        service.slow.add('/slow')
        for visitor, _ in people.values():
            table_of(visitor, ben)
        hands.to(server, 30)
        one_more(people['good'][1], 1)
        one_more(people['busy'][1], 1)
        one_more(people['broken'][1], 1)
        until_so(lambda: people['gone'][0].want(200, 'GET', '/api/push').json['subscriptions'] == 0)
        until_so(lambda: people['missing'][0].want(200, 'GET', '/api/push').json['subscriptions'] == 0)
        until_so(lambda: server.text().count('event=push_refused') == 2)
        assert people['refused'][0].want(200, 'GET', '/api/push').json['subscriptions'] == 1
        assert service.requests.count('/broken') == 3 and service.requests.count('/refused') == 1
        assert not [path for path in service.requests if 'other' in path], 'redirects are not followed'
        assert not people['slow'][1].messages
        service.gate.set()
        one_more(people['slow'][1], 1)
        text = server.visitor().want(200, 'GET', '/metrics').text
        assert 'pyramids_push_gone_total 2\n' in text and 'pyramids_push_refused_total 2\n' in text
        for name in people:
            assert f'/{name}' not in server.text().replace('/api', ''), 'no endpoint in the log'


def case_replaced(folder):
    """Messages still waiting for a failing service are replaced by newer ones, and attempts end at some point."""
    hands = Hands(folder)
    with Service(folder) as service, Server(folder, *service.options, env=hands.env) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        browser = Browser(service)
        ana.want(200, 'POST', '/api/push', browser.subscription())
        service.answers[browser.path] = [(503, {'Retry-After': '3500'})]
        code = table_of(ana, ben, server.visitor('Cleo'), rests=1)
        hands.to(server, 30)
        until_so(lambda: service.requests == [browser.path])
        link = ana.link(code)
        choose(link)
        assert one_more(browser, 1)['json']['type'] == 'none'
        link.close()
        text = server.visitor().want(200, 'GET', '/metrics').text
        assert 'pyramids_push_failed_total 1\n' in text, text


def case_trusts_nobody(folder):
    """A service whose certificate is not trusted gets nothing."""
    hands = Hands(folder)
    with Service(folder) as service, Server(folder, *service.options[:2], env=hands.env) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        browser = Browser(service)
        ana.want(200, 'POST', '/api/push', browser.subscription())
        table_of(ana, ben)
        hands.to(server, 30)
        no_more(server, browser, 0)
        assert not service.requests


# Strangers.

def case_hostile_endpoints(folder):
    """Only https, only known hosts, no user, no other port; keys that are points; and a few browsers per visitor."""
    with Service(folder) as service, Server(folder, *service.options) as server:
        ana = server.visitor()
        good = Browser(service).subscription()
        for endpoint in ('http://fcm.googleapis.com/x', f'http://127.0.0.1:{service.port}/x', 'https://127.0.0.1/x',
                         f'https://localhost:{service.port}/x', 'https://10.0.0.1/x', 'https://169.254.169.254/x',
                         'https://[::1]/x', 'https://fcm.googleapis.com:8443/x', 'https://user@fcm.googleapis.com/x',
                         'https://user:word@fcm.googleapis.com/x', 'https://fcm.googleapis.com.example.org/x',
                         'https://example.org/x', 'https://fcm.googleapis.com', 'https://fcm.googleapis.com/x#y',
                         'https://evilfcm.googleapis.com/x', 'file:///etc/passwd',
                         'https://fcm.googleapis.com\\@example.org/x',
                         'https://2130706433/x', 'https://0x7f.1/x', ''):
            error = ana.refused(400, 'bad_message', 'POST', '/api/push', dict(good, endpoint=endpoint))
            assert error['detail'] == 'endpoint', (endpoint, error)
        ana.refused(400, 'bad_message', 'POST', '/api/push', dict(good, endpoint='https://fcm.googleapis.com/' + 'x' * 1024))
        keys = good['keys']
        server.restart()                     # the limit of an address is in memory
        for bad in (None, {}, [], 'x', dict(keys, auth='AAAA'), dict(keys, p256dh=keys['auth']),
                    dict(keys, p256dh=to64(b'\4' + b'\1' * 64)), dict(keys, p256dh=keys['p256dh'] + '=')):
            assert ana.refused(400, 'bad_message', 'POST', '/api/push', dict(good, keys=bad))['detail'] == 'keys', bad
        for name, values in {'quiet': ([1], [0, 1440], [-1, 5], ['a', 'b'], [1, 2, 3]), 'zone': (900, -900, 'x', 1.5),
                             'daily': (1440, -1, 'x')}.items():
            for value in values:
                assert ana.refused(400, 'bad_message', 'POST', '/api/push', {name: value})['detail'] == name
            server.restart()
        ana.refused(401, 'no_visitor', 'POST', '/api/push', good, {'Cookie': None})
        server.restart()
        for service_name in ('https://fcm.googleapis.com/fcm/send/x:y',
                             'https://updates.push.services.mozilla.com/wpush/v2/x',
                             'https://wns2-by3p.notify.windows.com/w/?token=x', 'https://web.push.apple.com/x'):
            ana.want(200, 'POST', '/api/push', dict(good, endpoint=service_name))
        for i in range(5):
            state = ana.want(200, 'POST', '/api/push', dict(good, endpoint=f'{good["endpoint"]}{i}')).json
        assert state['subscriptions'] == 5, 'the oldest make room'
        ben = server.visitor('Ben')
        ben.want(200, 'POST', '/api/push', dict(good, endpoint=f'{good["endpoint"]}4'))
        assert ana.want(200, 'GET', '/api/push').json['subscriptions'] == 4, 'a browser is one visitor\'s'
        assert ben.want(200, 'DELETE', '/api/push', {'endpoint': f'{good["endpoint"]}3'}).json['subscriptions'] == 1
        assert ana.want(200, 'DELETE', '/api/push', {'endpoint': f'{good["endpoint"]}3'}).json['subscriptions'] == 3
        assert ana.want(200, 'DELETE', '/api/push').json['subscriptions'] == 0
        assert server.base.rows('SELECT count(*) FROM push') == [(1,)]


def case_limits(folder):
    """An address may not subscribe any number of times."""
    with Service(folder) as service, Server(folder, *service.options) as server:
        ana = server.visitor()
        good = Browser(service).subscription()
        statuses = {ana.ask('POST', '/api/push', good).status for _ in range(60)}
        assert statuses == {200, 429}, statuses


def case_off(folder):
    """--push off: no key and no subscription, but everything else works; options are checked."""
    with Server(folder, '--push', 'off') as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        assert ana.want(200, 'GET', '/api/push').json['available'] is False
        ana.refused(400, 'bad_message', 'POST', '/api/push',
            {'endpoint': 'https://fcm.googleapis.com/x', 'keys': {'p256dh': '', 'auth': ''}})
        table_of(ana, ben)
        assert ana.want(200, 'GET', '/api/my/turns').json['count'] == 1
    for options, words in ((['--push', 'maybe'], 'neither on nor off'), (['--push-host', 'https://a.org'], 'not a host'),
                           (['--push-ca', os.path.join(folder, 'nothing')], 'nothing'),
                           (['--push-contact', 'me'], 'neither mailto:')):
        assert words in wire.run('serve', *options, code=2), options


# The keys, several servers, copies.

def case_keys(folder):
    """Made at the first start, kept, shared by a copy of the database, and in no log or answer."""
    with Service(folder) as service, Server(folder, *service.options) as server:
        key = server.visitor().want(200, 'GET', '/api/push', headers={'Cookie': None}).json
        assert set(key) == {'available', 'key'} and len(from64(key['key'])) == 65
        server.restart()
        assert server.visitor().want(200, 'GET', '/api/push').json['key'] == key['key']
        ana = server.visitor()
        browser = Browser(service)
        ana.want(200, 'POST', '/api/push', browser.subscription(quiet=[60, 120], zone=-60, daily=600))
        feed = ana.want(200, 'POST', '/api/my/feed', {}).json['path']
        server.stop()
        copy = wire.base_at(os.path.join(folder, 'copy.db'))
        wire.run('copy', server.database, copy.where)
        server.process = None
        with Server(folder, *service.options, database='copy.db') as other:
            ana.server = other
            state = ana.want(200, 'GET', '/api/push').json
            assert state['key'] == key['key'] and state['subscriptions'] == 1 and state['feed'], state
            assert state['quiet'] == [60, 120] and state['zone'] == -60 and state['daily'] == 600
            ana.want(200, 'GET', feed, headers={'Cookie': None})
            secret = other.base.rows("SELECT hex(value) FROM secret" if not wire.POSTGRES else
                "SELECT encode(value, 'hex') FROM secret")[0][0]
            words = str(secret).lower()
            assert words not in (server.text() + other.text()).lower()
        server.start()


def case_two_servers(folder):
    """Of several servers on one database one sends, whichever keeps the table."""
    if not wire.POSTGRES:
        return
    hands = Hands(folder)
    with Service(folder) as service, Server(folder, *service.options, env=hands.env) as one, \
            Server(folder, *service.options, env=hands.env, where=one.database, database='other') as two, \
            Server(folder, *service.options, env=hands.env, where=one.database, database='third') as three:
        ben = one.visitor('Ben')
        keys = {server.visitor().want(200, 'GET', '/api/push').json['key'] for server in (one, two, three)}
        assert len(keys) == 1
        people = []
        for i in range(6):
            ana = one.visitor(f'Ana {i}')
            browser = Browser(service)
            ana.want(200, 'POST', '/api/push', browser.subscription())
            table_of(ana, ben)
            people.append(browser)
        hands.clock.write(f'={hands.start + 60}')
        for browser in people:
            one_more(browser, 1)
        for server in (one, two, three):
            until_so(lambda: f'clock=={hands.start + 60}\n' in server.text())
        for browser in people:
            no_more(two, browser, 1)
        # Connected to another server than the one that checks: no message is sent.
        ana, browser = two.visitor('Dora'), Browser(service)
        ana.want(200, 'POST', '/api/push', browser.subscription())
        code = table_of(ana, ben)
        link = ana.link(code)
        for server in (one, three):
            ben.server = server
            until_so(lambda: ben.table(code)['seats'][0]['here'])
        hands.clock.write(f'={hands.start + 120}')
        for server in (one, two, three):
            until_so(lambda: f'clock=={hands.start + 120}\n' in server.text())
        no_more(one, browser, 0)
        link.close()


def case_visitors_go(folder):
    """With a visitor who never played, their browsers and their feed are deleted."""
    hands = Hands(folder)
    with Service(folder) as service, Server(folder, *service.options, env=hands.env) as server:
        ana = server.visitor()
        ana.want(200, 'POST', '/api/push', Browser(service).subscription(quiet=[1, 2]))
        ana.want(200, 'POST', '/api/my/feed', {})
        server.visitor('Ben')                # the last visitor stays
        hands.to(server, 61 * 86400)
        for table in ('push', 'notice', 'feed'):
            until_so(lambda: server.base.rows(f'SELECT count(*) FROM {table}') == [(0,)])


# The feed.

def case_feed(folder):
    """Valid Atom behind a secret address, without a cookie, with an ETag, and nothing secret in it."""
    hands = Hands(folder)
    with Server(folder, env=hands.env) as server:
        ana, ben = server.visitor('Ana'), server.visitor('Ben & <i>')
        assert ana.want(200, 'GET', '/api/push').json['feed'] is False
        path = ana.want(200, 'POST', '/api/my/feed', {}).json['path']
        key = urllib.parse.parse_qs(urllib.parse.urlsplit(path).query)['key'][0]
        assert len(key) == 32 and path.startswith('/api/my/turns.atom?key=')
        bare = {'Cookie': None}
        empty = ana.want(200, 'GET', path, headers=bare)
        assert empty.headers['Content-Type'] == 'application/atom+xml; charset=utf-8'
        check_feed(empty.data, 0)
        code = table_of(ana, ben)
        answer = ana.want(200, 'GET', path + '&lang=en', headers=bare)
        entry, = check_feed(answer.data, 1)
        assert entry.find(ATOM + 'title').text == 'Your turn'
        assert entry.find(ATOM + 'summary').text == 'Ben & <i> is waiting.'
        assert entry.find(ATOM + 'link').get('href') == f'http://127.0.0.1:{server.port}/#table/{code}'
        assert answer.headers['ETag'] != empty.headers['ETag']
        same = ana.want(304, 'GET', path + '&lang=en', headers=dict(bare, **{'If-None-Match': answer.headers['ETag']}))
        assert not same.data
        assert check_feed(ana.want(200, 'GET', path, headers=bare).data, 1)[0].find(ATOM + 'id').text == \
            entry.find(ATOM + 'id').text
        ana.want(200, 'HEAD', path, headers=bare)
        for wrong in ('/api/my/turns.atom', '/api/my/turns.atom?key=', '/api/my/turns.atom?key=' + 'x' * 500,
                      f'/api/my/turns.atom?key={key[:-1]}' + ('B' if key[-1] == 'A' else 'A')):
            ben.refused(404, 'not_found', 'GET', wrong, headers=bare)
        fresh = ana.want(200, 'POST', '/api/my/feed', {}).json['path']
        ana.refused(404, 'not_found', 'GET', path, headers=bare)
        ana.want(200, 'GET', fresh, headers=bare)
        ana.want(200, 'DELETE', '/api/my/feed')
        ana.refused(404, 'not_found', 'GET', fresh, headers=bare)
        assert key not in server.text() and fresh.split('=')[1] not in server.text()
        assert key.encode() not in server.base.raw()


def check_feed(data, count):
    """The elements that RFC 4287 requires, once each."""
    feed = xml.etree.ElementTree.fromstring(data)
    assert feed.tag == ATOM + 'feed'
    entries = feed.findall(ATOM + 'entry')
    assert len(entries) == count, data
    for element in (feed, *entries):
        for name in ('id', 'title', 'updated'):
            found = element.findall(ATOM + name)
            assert len(found) == 1 and found[0].text, (name, data)
        assert urllib.parse.urlsplit(element.find(ATOM + 'id').text).scheme == 'urn'
        datetime.datetime.strptime(element.find(ATOM + 'updated').text, '%Y-%m-%dT%H:%M:%SZ')
    assert feed.find(ATOM + 'author').find(ATOM + 'name').text
    assert len({entry.find(ATOM + 'id').text for entry in entries}) == count
    return entries


def case_turns(folder):
    """Waiting tables: those where others play and this visitor has to choose, with a clock or without."""
    with Server(folder) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        ana.refused(401, 'no_visitor', 'GET', '/api/my/turns', headers={'Cookie': None})
        assert ana.want(200, 'GET', '/api/my/turns').json == {'count': 0, 'tables': []}
        code = table_of(ana, ben, notify=False)
        turns = ana.want(200, 'GET', '/api/my/turns').json
        assert turns['count'] == 1
        table, = turns['tables']
        assert table['code'] == code and table['names'] == ['Ben'] and table['round'] == table['turn'] == 0, table
        assert not table['notify'] and table['since'] > 0
        assert ben.want(200, 'GET', '/api/my/turns').json['count'] == 0, 'he has chosen'


if __name__ == '__main__':
    wire.main(globals())
