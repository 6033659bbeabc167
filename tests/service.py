#!/usr/bin/env python3
"""The server as a process: signals, a service manager, upgrades, and a log that is not read. usage: service.py
PYRAMIDS SOURCE_ROOT [CASE]"""
import os
import re
import secrets
import shutil
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import threading

import wire
from wire import ENV, PATIENCE, ROOT, Server, until_so


def case_hangup(folder):
    """Closing the terminal does not stop the server."""
    with Server(folder) as server:
        ana = server.visitor()
        link = ana.seat(ana.make('open', 'open'))
        for i in range(3):
            server.process.send_signal(signal.SIGHUP)
            until_so(lambda: server.text().count('event=hangup') == i + 1)
            link.done('ping')
        assert ana.want(200, 'GET', '/healthz').text == 'ok\n'


class Piped(Server):
    """A server whose standard error is a pipe; only the test reads it."""

    def start(self, code=None):
        self.reader, self.stderr = os.pipe()
        try:
            return super().start(code)
        finally:
            os.close(self.stderr)


def case_unread_log(folder):
    """The log is not read: the server still answers, counts the lines that it could not write, and logs the count when the
    log is read again."""
    with Piped(folder) as server:
        ana = server.visitor()
        dropped, asked = 0, 0
        while dropped < 100:
            assert asked < 20000, 'the log never filled up'
            for _ in range(200):
                ana.want(200, 'GET', '/api/visitor')
            asked += 200
            metrics = ana.want(200, 'GET', '/metrics').text
            dropped = int(re.search(r'^pyramids_log_dropped_total (\d+)$', metrics, re.M).group(1))
        link = ana.seat(ana.make('open', 'bot:novice'))
        link.until(lambda: link.pick(wire.secrets.SystemRandom()))
        log = b''
        while b'event=log_dropped' not in log:
            log += os.read(server.reader, 65536)
        lines = log.decode().splitlines()
        said = sum(int(line.rsplit('=', 1)[1]) for line in lines if 'event=log_dropped lines=' in line)
        assert said >= dropped, (said, dropped)
        assert all(line.startswith('time=') and ' event=' in line for line in lines[:-1]), lines[:3]
        ana.want(200, 'GET', '/healthz')
        server.stop()                            # ends in time though the pipe may be full
        os.close(server.reader)


def case_unread_to_the_end(folder):
    """The same, but the server is stopped while its log is blocked."""
    with Piped(folder, '--request-rate', '1000000') as server:
        ana = server.visitor()
        for _ in range(1500):
            ana.want(200, 'GET', '/api/visitor')
        server.stop()
        os.close(server.reader)


class Manager:
    """A service manager as the server sees it: it receives the messages sent to NOTIFY_SOCKET."""

    def __init__(self, folder, is_abstract=False):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        name = '\0pyramids-test-' + secrets.token_hex(8) if is_abstract else os.path.join(folder, 'notify')
        self.socket.bind(name)
        self.env = {'NOTIFY_SOCKET': name.replace('\0', '@')}
        self.heard = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def hear(self, timeout=PATIENCE):
        """The next message as a dictionary; None after the timeout."""
        self.socket.settimeout(timeout)
        try:
            text = self.socket.recv(4096).decode()
        except TimeoutError:
            return None
        self.heard.append(dict(line.split('=', 1) for line in text.splitlines()))
        return self.heard[-1]


def case_notify(folder):
    """READY once the server answers, RELOADING and READY around a reload, STOPPING at the end."""
    for is_abstract in (False, True):
        with Manager(folder, is_abstract) as manager:
            server = Server(folder, env=manager.env)
            assert manager.hear() == {'READY': '1'}, manager.heard
            server.visitor()
            server.process.send_signal(signal.SIGHUP)
            reloading = manager.hear()
            assert reloading['RELOADING'] == '1' and int(reloading['MONOTONIC_USEC']) > 0, reloading
            assert manager.hear() == {'READY': '1'}, manager.heard
            server.stop()
            assert manager.hear() == {'STOPPING': '1'}, manager.heard
    with Manager(folder + '/.', True) as manager:        # one that cannot start sends nothing
        server = Server(folder)
        other = subprocess.run([wire.COMMAND, 'serve', '--port', str(server.port), '--database', ':memory:'],
            env=dict(ENV, **manager.env), capture_output=True, timeout=PATIENCE, check=False)
        assert other.returncode == 1 and b'in use' in other.stderr, other
        assert manager.hear(0.001) is None, manager.heard
        server.stop()


@wire.only_files('a lock of the whole database, for which the store waits, is one of a file')
def case_watchdog(folder):
    """The manager receives WATCHDOG while the loop and the store work, and no longer when the store's thread is stuck."""
    with Manager(folder) as manager:
        with Server(folder, env=dict(manager.env, WATCHDOG_USEC='1000000')) as server:
            ana = server.visitor()
            while [one for one in manager.heard if 'WATCHDOG' in one] == []:
                assert manager.hear(), 'nothing was said'
            base = sqlite3.connect(server.base.where, isolation_level=None)
            base.execute('BEGIN IMMEDIATE')              # other writers, here the store's thread, wait for this
            stuck = threading.Thread(target=ana.ask, args=('POST', '/api/visitor', {'name': 'Eve'}))
            stuck.start()
            until_so(lambda: manager.hear(2) is None, 'the manager is told that a server is well whose store is stuck')
            assert ana.want(200, 'GET', '/api/editions').json      # the loop keeps working meanwhile
            base.execute('ROLLBACK')
            base.close()
            stuck.join()
            assert 'WATCHDOG' in manager.hear(), manager.heard[-1]
        heard = dict(WATCHDOG_USEC='1000000', WATCHDOG_PID='1', **manager.env)
        with Server(folder, env=heard, database='other.db') as server:     # meant for another process
            while manager.heard[-1] != {'READY': '1'}:
                manager.hear()
            assert manager.hear(1) is None, manager.heard[-1]


def certificate(server):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(('127.0.0.1', server.port), timeout=PATIENCE) as plain:
        with context.wrap_socket(plain) as secure:
            return secure.getpeercert(True)


def make_certificate(folder):
    key, cert = (os.path.join(folder, f'tls.{kind}') for kind in ('key', 'pem'))
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
        '-days', '2', '-subj', '/CN=localhost', '-keyout', key, '-out', cert], check=True, capture_output=True)
    return key, cert


def reload(server, event='reloaded'):
    seen = server.text().count(f'event={event}')
    server.process.send_signal(signal.SIGHUP)
    until_so(lambda: server.text().count(f'event={event}') > seen, f'no {event}')


def case_reload_certificate(folder):
    """A new certificate is used for new connections; existing ones continue. A bad one changes nothing."""
    key, cert = make_certificate(folder)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with Server(folder, '--tls-cert', cert, '--tls-key', key) as server:
        first = certificate(server)
        plain = socket.create_connection(('127.0.0.1', server.port), timeout=PATIENCE)
        old = context.wrap_socket(plain)
        make_certificate(folder)
        assert certificate(server) == first
        reload(server)
        second = certificate(server)
        assert second != first
        for _ in range(2):                       # the old connection still works
            old.sendall(b'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
            answer = b''
            while not answer.endswith(b'ok\n'):
                answer += old.recv(4096)
        assert answer.startswith(b'HTTP/1.1 200'), answer
        with open(cert, 'w', encoding='ascii') as file:
            file.write('nothing')
        reload(server, 'reload_failed')
        assert certificate(server) == second
        old.close()


def case_reload_config(folder):
    """Editions and limits change with the configuration; a table keeps an edition that is no longer offered; options that
    need a restart are reported; a file with a mistake changes nothing."""
    path, own = os.path.join(folder, 'pyramids.conf'), os.path.join(folder, 'own.edition')
    with open(os.path.join(ROOT, 'tests/data/plain.edition'), encoding='utf-8') as file:
        plain = file.read()

    def write(where, text):
        with open(where, 'w', encoding='utf-8') as file:
            file.write(text)

    def offered():
        return [one['name'] for one in ana.want(200, 'GET', '/api/editions').json['editions']]
    write(path, 'request-rate = 100000\n')
    with Server(folder, '--config', path) as server:
        ana = server.visitor()
        builtin = offered()
        ana.refused(400, 'no_edition', 'POST', '/api/tables', {'seats': [{'kind': 'open'}] * 2, 'edition': 'plain'})
        write(own, plain)
        write(path, f'edition = {own}\nmax-tables = 2\nbot-threads = 3\nport = 1\n')
        reload(server)
        assert offered() == [*builtin, 'plain']
        assert ana.want(200, 'GET', '/api/editions/plain').text == plain
        until_so(lambda: 'event=reload option=bot-threads words="takes effect after a restart"' in server.text())
        assert 'option=port' not in server.text()        # given on the command line, which takes precedence
        code = ana.make('open', 'bot:greedy', edition='plain')
        link = ana.seat(code)
        ana.make('open', 'open')
        ana.refused(429, 'too_many', 'POST', '/api/tables', {'seats': [{'kind': 'open'}] * 2})
        # The same name with other content, and a file with a mistake.
        write(own, plain.replace('title ', 'title Other ', 1))
        reload(server)
        until_so(lambda: 'event=reload edition=plain words="has changed and is not replaced' in server.text())
        assert ana.want(200, 'GET', '/api/editions/plain').text == plain
        write(path, f'edition = {own}\nmax-tabels = 9\n')
        reload(server, 'reload_failed')
        until_so(lambda: f"{path}:2: unknown option 'max-tabels'; did you mean 'max-tables'?" in server.text())
        assert offered() == [*builtin, 'plain']
        # No longer offered, but still played, and known after the table was read again.
        write(path, 'quiet = no\n')
        reload(server)
        assert offered() == builtin
        ana.refused(400, 'no_edition', 'POST', '/api/tables', {'seats': [{'kind': 'open'}] * 2, 'edition': 'plain'})
        assert ana.want(200, 'GET', '/api/editions/plain').text == plain
        wire.play([link], secrets.SystemRandom(), until=link.over)
        assert 'edition plain' in ana.record(code)


class Handed(Server):
    """A server that gets its listening socket from its parent, which keeps it open."""

    def __init__(self, folder, *options, **more):
        self.keep = socket.socket()
        self.keep.bind(('127.0.0.1', 0))
        self.keep.listen(64)
        super().__init__(folder, *options, before=self.hand(self.keep), **more)
        self.own_port, self.port = self.port, self.keep.getsockname()[1]

    def hand(self, what):
        """Starts it with this socket, as systemd does: as file 3, with the process's own id in the environment."""
        self.files = (what.fileno(),)
        text = f'import os, sys; os.dup2({what.fileno()}, 3); os.set_inheritable(3, True); ' \
            'os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1"); os.execv(sys.argv[1], sys.argv[1:])'
        return (sys.executable, '-c', text)

    def __exit__(self, *what):
        super().__exit__(*what)
        self.keep.close()


def case_socket_activation(folder):
    """The page is served on the socket that was passed in, and no other port is opened; an unsuitable socket is refused."""
    with Handed(folder) as server:
        assert server.url == f'http://127.0.0.1:{server.port}/', server.url
        server.visitor()
        try:
            socket.create_connection(('127.0.0.1', server.own_port), timeout=PATIENCE).close()
            raise AssertionError('another port is open, too')
        except ConnectionRefusedError:
            pass
    with Handed(folder, database='second.db') as server:
        server.stop()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as wrong:
            server.before = server.hand(wrong)
            words = server.start(code=1)
        assert 'socket 1 of the service manager cannot be used: expected a TCP socket' in words, words


def case_upgrade(folder):
    """An upgrade with games in progress: the socket stays open, new connections wait, clients come back, see the new
    version, and play to the end."""
    with Handed(folder) as server:
        ana, ben, cy = (server.visitor(name) for name in ('Ana', 'Ben', 'Cy'))
        code, lonely = ana.make('open', 'open'), cy.make('open', 'bot:greedy')
        links = [ana.seat(code), ben.seat(code)]
        alone = cy.seat(lonely)
        assert links[0].hello['server'] != '99.0.0', links[0].hello
        dice = secrets.SystemRandom()
        for command in (os.environ['PYR_NEXT'], wire.COMMAND):
            at = links[0].version + 6                # a few choices with each version
            wire.play(links, dice, until=lambda: links[0].version >= at)
            wire.play([alone], dice, until=lambda: alone.version >= at)
            server.stop()
            # A client connects while no server runs: the system keeps the connection waiting.
            waiting = socket.create_connection(('127.0.0.1', server.port), timeout=PATIENCE)
            waiting.sendall(b'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
            server.command = command
            server.start()
            assert waiting.recv(4096).startswith(b'HTTP/1.1 200'), 'who waited was not served'
            waiting.close()
            links, alone = [ana.link(code), ben.link(code)], cy.link(lonely)
            for link in [*links, alone]:
                link.until(lambda: link.hello and link.version >= at)
            assert (links[0].hello['server'] == '99.0.0') == (command != wire.COMMAND), links[0].hello
        wire.play(links, dice, until=lambda: all(link.over() for link in links))
        wire.play([alone], dice, until=alone.over)
        wire.check_record(folder, ana.record(code))
        wire.check_record(folder, cy.record(lonely))


def case_access_log(folder):
    """The access log has one line per request, rejected connection and WebSocket, in the documented format and without
    identities; it is opened again after SIGHUP; fail2ban's filter matches the right lines."""
    path = os.path.join(folder, 'access.log')
    with Server(folder, '--access-log', path, '--trust-proxy') as server:
        def ana_ask(address, method, route, status):
            ana.want(status, method, route, headers={'X-Forwarded-For': address})

        def lines():
            return wire.read(path).splitlines()
        ana = server.visitor('Ana')
        code = ana.make('open', 'open')
        ana_ask('192.0.2.7', 'GET', f'/api/tables/{code}', 200)
        ana_ask('192.0.2.7', 'GET', '/api/tables/ABCDEFGH', 404)
        ana_ask('2001:db8:1:2:3::4', 'GET', '/api/tables/ABCDEFGH', 404)
        ana_ask('unknown', 'GET', '/api/nothing', 404)
        link = ana.link(code, headers={'X-Forwarded-For': '198.51.100.9'})
        link.close()
        until_so(lambda: any(' WebSocket /api/socket 1' in line and ' 101 ' not in line for line in lines()))
        form = r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ (\S+) (GET|POST|HEAD|other|WebSocket|-) (\S+) (\d+) (\S+)'
        found = [re.fullmatch(form, line) for line in lines()]
        assert all(found), lines()
        found = [one.groups() for one in found]
        for wanted in (('192.0.2.7', 'GET', '/api/tables/*', '200', '-'),
                       ('192.0.2.7', 'GET', '/api/tables/*', '404', 'no_table'),
                       ('2001:db8:1:2::/64', 'GET', '/api/tables/*', '404', 'no_table'),
                       ('198.51.100.9', 'WebSocket', '/api/socket', '101', '-'),
                       ('127.0.0.1', 'POST', '/api/tables', '201', '-')):
            assert wanted in found, (wanted, found)
        assert [one for one in found if one[0] == '-'], found        # whichever address it was
        for secret in (code, 'Ana', ana.cookie.split('=')[1]):
            assert secret not in wire.read(path)
        assert os.stat(path).st_mode & 0o777 == 0o640
        # Moved away, as by logrotate.
        os.rename(path, path + '.1')
        ana_ask('203.0.113.1', 'GET', '/api/visitor', 200)
        until_so(lambda: '203.0.113.1' in wire.read(path + '.1'))
        reload(server)
        until_so(lambda: os.path.exists(path))
        ana_ask('203.0.113.2', 'GET', '/api/visitor', 200)
        until_so(lambda: '203.0.113.2' in wire.read(path))
        assert '203.0.113.2' not in wire.read(path + '.1')
    data = os.path.join(ROOT, 'data')
    done = subprocess.run(['fail2ban-regex', '--print-all-matched', path + '.1', os.path.join(data, 'fail2ban/filter.conf')],
        capture_output=True, text=True, timeout=PATIENCE, check=False, env=dict(ENV, TZ='UTC'))
    matched = re.findall(r'^\|  (\d{4}-.*)$', done.stdout.split('Missed line(s)')[0], re.M)
    assert done.returncode == 0 and matched == [line for line in wire.read(path + '.1').splitlines()
        if line.endswith(' no_table')], done.stdout + done.stderr
    with open(os.path.join(data, 'logrotate.conf'), encoding='utf-8') as file:
        text = file.read().replace('/var/log/pyramids', folder).replace('    su pyramids pyramids\n', '').replace(
            'create 0640 pyramids pyramids', 'create 0640')
    own = os.path.join(folder, 'logrotate.conf')
    with open(own, 'w', encoding='utf-8') as file:
        file.write(text)
    os.chmod(own, 0o644)
    done = subprocess.run([shutil.which('logrotate') or '/usr/sbin/logrotate', '--debug', '--state',
        os.path.join(folder, 'state'), own], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0 and 'error' not in done.stdout + done.stderr, done.stdout + done.stderr


def case_units(folder):
    """The units are well formed and sandboxed: at most 1.4 by systemd's own rating."""
    unit = os.path.join(folder, 'pyramids.service')
    with open(os.path.join(ROOT, 'data/pyramids.service.in'), encoding='utf-8') as file:
        text = file.read().replace('@bindir@/pyramids', wire.COMMAND)
    with open(unit, 'w', encoding='utf-8') as file:
        file.write(text)
    shutil.copy(os.path.join(ROOT, 'data/pyramids.socket'), folder)

    def analyze(*words):
        done = subprocess.run(['systemd-analyze', *words], capture_output=True, text=True, env=dict(ENV,
            SYSTEMD_UNIT_PATH=folder + ':'), timeout=PATIENCE, check=False, cwd=folder)
        return done.returncode, done.stdout + done.stderr
    _, words = analyze('security', '--offline=true', '--no-pager', unit)
    level = re.search(r'Overall exposure level for pyramids.service: ([\d.]+)', words)
    assert level and float(level[1]) <= 1.4, words
    for name in ('pyramids.service', 'pyramids.socket'):
        _, words = analyze('verify', '--man=no', os.path.join(folder, name))
        assert 'pyramids.s' not in words, words
    # The server accepts the command line of the unit, and its example configuration passes the check.
    start = re.search(r'^ExecStart=(.*)$', text, re.M)[1].replace('/etc/pyramids', os.path.join(ROOT, 'data')).split()
    done = subprocess.run([*start, '--check'], capture_output=True, text=True, env=dict(ENV, XDG_DATA_HOME=folder),
        timeout=PATIENCE, check=False)
    assert done.returncode == 0 and f'{folder}/pyramids/pyramids.db is new' in done.stdout, done
    # Users and directories, in a root of their own.
    root = os.path.join(folder, 'root')
    for program, name in (('systemd-sysusers', 'sysusers.conf'), ('systemd-tmpfiles', 'tmpfiles.conf')):
        os.makedirs(root + '/etc', exist_ok=True)
        words = [program, f'--root={root}', *(['--create'] if program == 'systemd-tmpfiles' else []),
            os.path.join(ROOT, 'data', name)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert done.returncode == 0, (words, done.stdout + done.stderr)
    with open(root + '/etc/passwd', encoding='utf-8') as file:
        assert 'pyramids:' in file.read()
    assert os.stat(root + '/var/lib/pyramids').st_mode & 0o777 == 0o700


if __name__ == '__main__':
    wire.main(globals())
