"""Clients behind a proxy and in the local network: `--trust-proxy` (this program plays the proxy, and nginx and Caddy
with the examples' configuration), limits by address, own and foreign host names, the addresses that the server prints
for others, and identities that must not get lost."""
import contextlib
import fcntl
import http.client
import os
import pty
import re
import secrets
import select
import shutil
import signal
import socket
import ssl
import stat
import struct
import subprocess
import termios
import time

import ports
import wire
from wire import Server, Visitor, Wire

PROXY = ['--trust-proxy', '--ping', '600', '--message-rate', '100000']
SEATS = {'seats': [{'kind': 'open'}] * 2}


class Behind(Visitor):
    """A visitor whose requests reach the server through a proxy, which adds the header."""

    def __init__(self, server, forwarded, cookie=''):
        super().__init__(server, cookie)
        self.forwarded = forwarded

    def ask(self, method, path, body=None, headers=None):
        return super().ask(method, path, body, {'X-Forwarded-For': self.forwarded, **(headers or {})})

    def socket(self):
        return Wire(self, headers={'X-Forwarded-For': self.forwarded})


def behind(server, forwarded, name='Ana'):
    who = Behind(server, forwarded)
    who.want(200, 'POST', '/api/visitor', {'name': name})
    return who


def raw(server, head, timeout=wire.PATIENCE):
    """A connection on which a request has been sent, and nothing read yet."""
    at = socket.create_connection(('127.0.0.1', server.port), timeout=timeout)
    at.sendall(head.encode())
    return at


def until_so(question, patience=wire.PATIENCE):
    end = time.monotonic() + patience
    while not question():
        assert time.monotonic() < end, 'it does not come about'
        time.sleep(0.01)


def burst(who, count=140):
    """Statuses of requests in one go."""
    return [who.ask('GET', '/api/editions').status for _ in range(count)]


def case_last_address_counts(folder):
    """Only the last address of X-Forwarded-For comes from the proxy. A client that invents others before it is still one
    client."""
    with Server(folder, *PROXY, '--request-rate', '5', generous=False) as server:
        mallory = Visitor(server)
        # The first addresses are invented, a new one every time; the last one, which the proxy adds, stays.
        statuses = [mallory.ask('GET', '/api/editions',
            headers={'X-Forwarded-For': f'198.51.100.{i}, 203.0.113.66'}).status for i in range(60)]
        assert 429 in statuses and statuses[:20] == [200] * 20, statuses
        # No client can lock another one out by naming it first.
        victim = Behind(server, '198.51.100.1')
        victim.want(200, 'GET', '/api/editions')
        for form in ('203.0.113.66', '203.0.113.66:5678', '198.51.100.7,203.0.113.66:1', '::ffff:203.0.113.66',
                '[::ffff:203.0.113.66]:443'):
            assert 429 in [Behind(server, form).ask('GET', '/api/editions').status for _ in range(40)], form
        # Without the option the header is ignored.
    with Server(folder, '--request-rate', '5', database='plain.db', generous=False) as server:
        who = Visitor(server)
        statuses = [who.ask('GET', '/api/editions', headers={'X-Forwarded-For': f'198.51.100.{i}'}).status
            for i in range(60)]
        assert 429 in statuses, statuses


def case_forms_of_addresses(folder):
    """Ports and brackets are not part of an address, IPv6 counts by /64, and invalid addresses share no limits."""
    def blocked(server, form):
        """Empties the bucket of one form."""
        until_so(lambda: 429 in [Behind(server, form).ask('GET', '/api/editions').status for _ in range(30)])

    def is_free(server, form):
        return Behind(server, form).ask('GET', '/api/editions').status == 200

    with Server(folder, *PROXY, '--request-rate', '2', generous=False) as server:
        blocked(server, '[2001:db8:1:2::1]:443')
        assert not is_free(server, '2001:db8:1:2:aaaa::9') or not is_free(server, '2001:db8:1:2:bbbb::9')
        assert is_free(server, '2001:db8:1:3::1')
        for port in range(4000, 4010):
            assert is_free(server, f'192.0.2.{port - 4000}:{port}')
        blocked(server, '192.0.2.77:4711')
        assert is_free(server, '192.0.2.78:4711')
        # A stranger with an invalid header blocks neither others with one, nor real addresses, nor the machine itself.
        for nonsense in ('unknown', '198.51.100.9, garbage', '_hidden', '1.2.3.4.5', 'x' * 700, '198.51.100.9,'):
            blocked(server, nonsense)
        assert is_free(server, '198.51.100.9') and is_free(server, 'something') and is_free(server, None)
        blocked(server, None)                # those without a header share the proxy's own
        assert is_free(server, '198.51.100.10')


def case_connections_behind_a_proxy(folder):
    """--max-per-address applies to the clients behind the proxy: sockets, and requests in progress."""
    with Server(folder, *PROXY, '--request-rate', '100000', '--max-per-address', '6', generous=False) as server:
        ana, ben, eve = behind(server, '192.0.2.1'), behind(server, '192.0.2.2', 'Ben'), behind(server, '2001:db8:9::1',
            'Eve')
        links = [ana.socket() for _ in range(6)]
        assert [link.status for link in links] == [101] * 6
        assert ana.socket().status == 429
        assert ana.ask('GET', '/api/editions').status == 429
        assert ben.socket().status == 101 and ben.ask('GET', '/api/editions').status == 200
        links.pop().close()
        until_so(lambda: ana.ask('GET', '/api/editions').status == 200)
        # One /64 is one client, whichever of its addresses it takes.
        for i in range(6):
            eve.forwarded = f'2001:db8:9::{i + 2:x}'
            links.append(eve.socket())
        assert links[-1].status == 101
        eve.forwarded = '2001:db8:9:0:ffff::1'
        assert eve.socket().status == 429
        eve.forwarded = '2001:db8:9:1::1'
        assert eve.socket().status == 101
        # Requests in progress count: their heads are complete, their bodies are not.
        waiting = [raw(server,
            f'POST /api/visitor HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 192.0.2.50\r\n'
            'Content-Type: application/json\r\n'
                               'Content-Length: 2\r\n\r\n{') for _ in range(6)]
        fifty = Behind(server, '192.0.2.50')
        until_so(lambda: fifty.ask('GET', '/api/editions').status == 429)
        assert ben.ask('GET', '/api/editions').status == 200
        for at in waiting:
            at.close()
        until_so(lambda: fifty.ask('GET', '/api/editions').status == 200)
        # The machine itself, and a proxy that sends no address, are not refused because of others' connections.
        assert Visitor(server).ask('GET', '/healthz').status == 200
        for link in links:
            link.close()
        until_so(lambda: ana.ask('GET', '/api/editions').status == 200)


def case_quiet_socket_behind_a_proxy(folder):
    """A socket that is silent for longer than addresses are kept still has its address, and is counted there."""
    start = int(time.time())
    clock = wire.Clock(folder, f'={start}')
    with Server(folder, *PROXY, '--request-rate', '100000', '--ping', '3600', generous=False, env=clock.env) as server:
        ana, eve = behind(server, '192.0.2.1'), behind(server, '203.0.113.66', 'Eve')
        secret = ana.make('open', 'open')
        link = wire.Link(eve, headers={'X-Forwarded-For': '203.0.113.66'})
        for minutes in (5, 11, 22, 33):      # addresses are looked through once a minute
            clock.set(server, f'={start + 60 * minutes}')
            clock.pass_ticks(server)
        codes = [link.say('open', table='2' * 7 + letter) for letter in '23456789ABCDEFGHJKLMNPQRSTUVWXYZ' * 2]
        assert codes[0]['code'] == 'no_table' and codes[-1]['code'] == 'too_fast', codes
        assert link.say('open', table=secret)['code'] == 'too_fast'
        eve.refused(429, 'too_fast', 'GET', f'/api/tables/{secret}')         # the same address, over HTTP
        ben = behind(server, '192.0.2.2', 'Ben')
        assert ben.table(secret)['code'] == secret


def case_header_in_several_lines(folder):
    """A proxy may add a line of its own instead of lengthening the client's: the last line counts."""
    with Server(folder, *PROXY, '--request-rate', '2', generous=False) as server:
        def status(*lines):
            at = raw(server, 'GET /api/editions HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n' +
                     ''.join(f'X-Forwarded-For: {line}\r\n' for line in lines) + '\r\n')
            with at:
                return int(at.recv(4096).split(b' ')[1])
        statuses = [status(f'198.51.100.{i}', '203.0.113.66') for i in range(60)]
        assert 429 in statuses, statuses
        assert status('203.0.113.66', '198.51.100.1') == 200


def case_tables_per_address(folder):
    """An address makes so many tables per minute and keeps so many open, whatever visitors it has."""
    with Server(folder, *PROXY, '--request-rate', '100000', '--table-rate', '10', generous=False) as server:
        crowd = [behind(server, '203.0.113.66', f'Eve {i}') for i in range(4)]
        answers = [crowd[i % 4].ask('POST', '/api/tables', SEATS) for i in range(60)]
        made = [answer.status for answer in answers].count(201)
        assert 10 <= made < 30, made         # ten at once, and a few more as time passes
        refused = [answer for answer in answers if answer.status != 201]
        assert {(answer.status, answer.json['error']['code']) for answer in refused} == {(429,
            'too_fast')} and refused[0].headers['Retry-After']
        behind(server, '192.0.2.1').make('open', 'open')
    with Server(folder, *PROXY, '--request-rate', '100000', '--table-rate', '1000', '--max-tables-per-address', '15',
            database='open.db', generous=False) as server:
        crowd = [behind(server, f'2001:db8::{i + 1}', f'Eve {i}') for i in range(4)]
        codes = [crowd[i % 4].make('open', 'open') for i in range(15)]
        for eve in crowd:
            eve.refused(429, 'too_many', 'POST', '/api/tables', SEATS)
        behind(server, '2001:db8:1::1').make('open', 'open')
        link = Wire(crowd[0], headers={'X-Forwarded-For': '2001:db8::1'})
        link.put(1, ('{"type":"open","table":"%s"}' % codes[0]).encode())
        link.put(1, b'{"type":"close","id":"a"}')
        until_so(lambda: crowd[0].table(codes[0])['state'] == 'closed')
        crowd[1].make('open', 'open')


def case_lobby(folder):
    """Two hundred tables of one address do not push others out of the lobby; waiting tables come before running ones."""
    with Server(folder, *PROXY, '--request-rate', '100000', '--table-rate', '1000', '--max-tables-per-address', '1000',
            generous=False) as server:
        ana, ben = behind(server, '192.0.2.1'), behind(server, '192.0.2.2', 'Ben')
        waits = ana.make('open', 'open', public=True)
        runs = ben.make('open', 'bot:novice', public=True)
        link = wire.Link(ben, headers={'X-Forwarded-For': '192.0.2.2'})
        link.open(runs)
        link.done('sit', number=secrets.token_hex(32))
        crowd = [behind(server, '203.0.113.66', f'Eve {i}') for i in range(10)]
        for i in range(200):
            crowd[i % 10].make('open', 'open', public=True)
        listed = Visitor(server).want(200, 'GET', '/api/tables').json['tables']
        codes, states = [table['code'] for table in listed], [table['state'] for table in listed]
        assert len(listed) == 100 and waits in codes and runs in codes, codes
        assert states == sorted(states, key=['waiting', 'running'].index)
        assert codes.index(waits) == 5, codes.index(waits)


def nginx_configuration(port, upstream, folder):
    """The example, data/nginx.conf, without its certificate and on ports of ours."""
    text = wire.read(os.path.join(wire.ROOT, 'data/nginx.conf'))
    text = re.sub(r' *(listen \[::\]|ssl_certificate).*\n', '', text)
    text = text.replace('listen 443 ssl;', f'listen 127.0.0.1:{port};').replace('listen 80;',
        f'listen unix:{folder}/http;').replace('http://127.0.0.1:8080', f'http://127.0.0.1:{upstream}')
    return surround_nginx(text, folder)


def surround_nginx(text, folder):
    """A whole configuration around what goes into conf.d."""
    return f'''daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log; worker_processes 1;
events {{ worker_connections 256; }}
http {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u;
scgi_temp_path {folder}/s;
{text}
}}
'''


def caddy_configuration(port, upstream, _folder):
    """The example, data/Caddyfile, without its certificate and on a port of ours."""
    text = wire.read(os.path.join(wire.ROOT, 'data/Caddyfile'))
    text = text.replace('pyramids.example.org {', f'http://pyramids.example.org:{port} {{').replace('127.0.0.1:8080',
        f'127.0.0.1:{upstream}').replace('http://, https:// {', f'http://:{port} {{')
    return '{\n    admin off\n    auto_https off\n}\n' + text


def behind_front(folder, configuration, name, words, check_refused):
    """A proxy with an example's configuration, and a client that invents addresses: pages, sockets, cookies, limits, foreign
    host names."""
    with Server(folder, *PROXY, '--request-rate', '20', '--origin', 'https://pyramids.example.org',
            generous=False) as server:
        port = ports.reserve()
        path, log = os.path.join(folder, name), os.path.join(folder, 'proxy.log')
        with open(path, 'w', encoding='utf-8') as out:
            out.write(configuration(port, server.port, folder))
        os.chmod(folder, 0o755)
        with open(log, 'wb') as out:
            proxy = subprocess.Popen([*words, path], stdout=out, stderr=out, env=dict(wire.ENV, HOME=folder,
                XDG_DATA_HOME=folder, XDG_CONFIG_HOME=folder))
        wire.STARTED.append(proxy)

        class Front:
            """Where clients connect to."""
        Front.port = port
        host = {'Host': 'pyramids.example.org'}
        try:
            def is_up():
                assert proxy.poll() is None, wire.read(log)
                try:
                    return Visitor(Front).ask('GET', '/healthz', headers=host).status == 200
                except OSError:
                    return False
            until_so(is_up)
            ana = Visitor(Front)
            answer = ana.want(200, 'POST', '/api/visitor', {'name': 'Ana'},
                dict(host, Origin='https://pyramids.example.org'))
            assert 'HttpOnly' in answer.headers['Set-Cookie']
            link = Wire(ana, headers=dict(host, **{'X-Forwarded-For': '198.51.100.1'}))
            assert link.status == 101 and b'hello' in link.get()
            for path in ('/api/visitor', '/api/tables'):
                check_refused(ana.ask('GET', path, headers={'Host': 'evil.example'}))
            # The client is 127.0.0.1, whatever it sends: the proxy adds that at the end.
            statuses = [ana.ask('GET', '/api/editions', headers=dict(host,
                **{'X-Forwarded-For': f'198.51.100.{i % 250}'})).status for i in range(300)]
            assert 429 in statuses, 'a client behind the proxy chooses its own address'
            assert Behind(server, '192.0.2.1').ask('GET', '/api/editions').status == 200
            # Another protocol is not passed on.
            with socket.create_connection(('127.0.0.1', port), timeout=wire.PATIENCE) as plain:
                plain.sendall(b'GET /healthz HTTP/1.1\r\nHost: pyramids.example.org\r\nConnection: Upgrade, '
                    b'HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n')
                assert plain.recv(4096).startswith((b'HTTP/1.1 200', b'HTTP/1.1 4')), 'another protocol is passed on'
        finally:
            proxy.send_signal(signal.SIGTERM)
            proxy.wait(wire.PATIENCE)


NGINX = shutil.which('nginx') or '/usr/sbin/nginx'


def case_nginx(folder):
    def check_refused(answer):
        """nginx passes every name on, and the server refuses foreign ones."""
        assert answer.status == 403 and answer.json['error']['code'] == 'origin', (answer.status, answer.text)
    behind_front(folder, nginx_configuration, 'nginx.conf', [NGINX, '-e', os.path.join(folder, 'nginx.log'), '-p', folder,
        '-c'], check_refused)
    # Unchanged, with a certificate: nginx reports no error in it.
    key, cert = os.path.join(folder, 'key.pem'), os.path.join(folder, 'cert.pem')
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
        '-days', '2', '-subj', '/CN=localhost', '-keyout', key, '-out', cert], check=True, capture_output=True)
    text = wire.read(os.path.join(wire.ROOT, 'data/nginx.conf'))
    text = re.sub(r'\S+/fullchain.pem', cert, re.sub(r'\S+/privkey.pem', key, text))
    path = os.path.join(folder, 'whole.conf')
    with open(path, 'w', encoding='utf-8') as out:
        out.write(surround_nginx(text, folder))
    done = subprocess.run([NGINX, '-t', '-e', os.path.join(folder, 'nginx.log'), '-p', folder, '-c', path],
        capture_output=True, text=True, check=False, timeout=wire.PATIENCE)
    assert done.returncode == 0 and 'warn' not in done.stderr, done.stderr


def case_caddy(folder):
    def check_refused(answer):
        """Caddy answers for foreign names itself."""
        assert answer.status == 421 and answer.text == 'This server has another name.', (answer.status, answer.text)
    behind_front(folder, caddy_configuration, 'Caddyfile', ['caddy', 'run', '--adapter', 'caddyfile', '--config'],
        check_refused)
    done = subprocess.run(['caddy', 'validate', '--adapter', 'caddyfile', '--config',
        os.path.join(wire.ROOT, 'data/Caddyfile')], capture_output=True, text=True, check=False, timeout=wire.PATIENCE,
        env=dict(wire.ENV, HOME=folder, XDG_DATA_HOME=folder, XDG_CONFIG_HOME=folder))
    assert done.returncode == 0 and 'Valid configuration' in done.stdout + done.stderr, done.stderr


# Hosts.

def own_names():
    host = socket.gethostname()
    return [host, host.split('.')[0], host.split('.')[0] + '.local'] if host and host != 'localhost' else []


def case_names_of_the_machine(folder):
    """The machine's own names are accepted, others are refused, with a hint which ones work."""
    with Server(folder) as server:
        ana = server.visitor()
        for name in own_names():
            for host in (name, f'{name}:{server.port}', name.upper(), f'{name}.:{server.port}'):
                ana.want(200, 'GET', '/api/visitor', None, {'Host': host, 'Origin': f'http://{host}'})
            assert Wire(ana, headers={'Host': f'{name}:{server.port}',
                'Origin': f'http://{name}:{server.port}'}).status == 101
            ana.refused(403, 'origin', 'GET', '/api/visitor', None, {'Host': f'{name}.evil.example'})
            ana.refused(403, 'origin', 'GET', '/api/visitor', None, {'Host': f'evil.{name}'})
            ana.refused(403, 'origin', 'GET', '/api/visitor', None, {'Host': name, 'Origin': 'http://evil.example'})
        error = ana.refused(403, 'origin', 'GET', '/api/tables', None, {'Host': f'otherbox:{server.port}'})
        assert f'http://127.0.0.1:{server.port}/' in error['links'], error
        assert f'--origin http://otherbox:{server.port}' in error['message'], error
        html = {'Host': f'otherbox:{server.port}', 'Accept': 'text/html,*/*', 'Accept-Language': 'en'}
        page = ana.want(403, 'GET', '/', None, html)
        assert page.headers['Content-Type'].startswith('text/html') and \
            f'href="http://127.0.0.1:{server.port}/"' in page.text and \
            f'--origin http://otherbox:{server.port}' in page.text and page.headers['Content-Language'] == 'en', page.text
        assert ana.want(403, 'GET', '/', None, dict(html, **{'Accept-Language': 'de'})).headers['Content-Language'] == 'de'
        assert ana.want(403, 'GET', '/api/tables', None, html).headers['Content-Type'] == 'application/json'
        # What a client sends as Host is escaped in the answer.
        for host in ('<script>alert(1)</script>', 'a"onload="x', "x'y&z"):
            page = ana.want(403, 'GET', '/', None, dict(html, Host=host)).text
            assert '<script' not in page and '"onload' not in page and host not in page, page
        # An answer to a name that anyone may own reveals nothing about this machine.
        for name in own_names():
            told = ana.want(403, 'GET', '/', None, {'Host': 'rebind.evil.example',
                'Accept': 'text/html'}).text.split('--origin')[0]
            assert f'://{name}' not in told, told


def certificate(folder, *names):
    """A certificate for names and its key, made by openssl."""
    paths = [os.path.join(folder, file) for file in ('cert.pem', 'key.pem')]
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj',
        '/CN=ignored.example', '-addext',
                    'subjectAltName=' + ','.join('DNS:' + name
                        for name in names), '-keyout', paths[1], '-out', paths[0]], check=True, capture_output=True)
    return paths


def case_certificate(folder):
    """With a certificate for a name the server is reached by that name, by programs and by the terminal client."""
    cert, key = certificate(folder, 'pyramids.test', '*.club.test', 'localhost')
    with Server(folder, '--tls-cert', cert, '--tls-key', key) as server:
        context = ssl.create_default_context(cafile=cert)

        def ask(name, host=None, origin=None):
            with context.wrap_socket(socket.create_connection(('127.0.0.1', server.port), timeout=wire.PATIENCE),
                    server_hostname=name) as at:
                head = f'GET /api/editions HTTP/1.1\r\nHost: {host or name}:{server.port}\r\nConnection: close\r\n' + \
                    (f'Origin: {origin}\r\n' if origin else '') + '\r\n'
                at.sendall(head.encode())
                answer = http.client.HTTPResponse(at)
                answer.begin()
                return answer.status
        for name in ('pyramids.test', 'red.club.test'):
            assert ask(name) == 200
            assert ask(name, origin=f'https://{name}:{server.port}') == 200
            assert ask(name, origin=f'http://{name}:{server.port}') == 403
        for host in ('evil.example', 'a.b.club.test', 'club.test', 'ignored.example'):
            assert ask('pyramids.test', host) == 403, host
        # The terminal client, by the name in the certificate.
        with Terminal([wire.COMMAND, 'play', '--server', f'https://localhost:{server.port}', '--trust', cert, '--name',
                'Ana'], folder) as screen:
            until_so(lambda: screen.read()
                and 'route=/api/tables status=200' in server.text())      # it has reached the list of tables


def case_own_name_over_tls(folder):
    """`play --server https://NAME --trust CERT` with the machine's own name."""
    if not own_names():
        return
    name = own_names()[0]
    try:
        address = socket.getaddrinfo(name, 0, proto=socket.IPPROTO_TCP)[0][4][0]
    except OSError:
        return
    cert, key = certificate(folder, name)
    with Server(folder, '--tls-cert', cert, '--tls-key', key, '--address', address) as server:
        with Terminal([wire.COMMAND, 'play', '--server', f'https://{name}:{server.port}', '--trust', cert, '--name',
                'Ana'], folder) as screen:
            until_so(lambda: screen.read()
                and 'route=/api/tables status=200' in server.text())      # it has reached the list of tables


# What it prints.

@contextlib.contextmanager
def started(words, **more):
    """A program whose standard output is read here; it is always ended."""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            **more) as process:
        wire.STARTED.append(process)
        try:
            yield process
        finally:
            process.terminate()


class Terminal:
    """A program in a terminal of 80 by 50; records all its output."""

    def __init__(self, words, folder, rows=50, columns=80, **env):
        self.bytes = b''
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.environ.update({**wire.ENV, 'TERM': 'xterm-256color', 'HOME': folder, 'XDG_DATA_HOME': folder,
                'LINES': str(rows), 'COLUMNS': str(columns), **env})
            os.execv(words[0], words)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGTERM)
        until_so(lambda: self.read() or True)
        os.waitpid(self.pid, 0)
        os.close(self.fd)

    def read(self):
        while select.select([self.fd], [], [], 0.02)[0]:
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                return False
            if not data:
                return False
            self.bytes += data
        return True

    @property
    def text(self):
        return self.bytes.decode('utf-8', 'replace').replace('\r\n', '\n')

    def until(self, words):
        end = time.monotonic() + wire.PATIENCE
        while words not in self.text:
            assert self.read() or words in self.text, self.text[-2000:]
            assert time.monotonic() < end, self.text[-2000:]


def read_qr(rows):
    """The text of a QR code of version 1 to 5, level L, byte mode, by the standard; rows of booleans, no margin."""
    size = len(rows)
    version = (size - 17) // 4
    assert size == 4 * version + 17 and all(len(row) == size for row in rows), size
    masks = (lambda y, x: (y + x) % 2, lambda y, x: y % 2, lambda y, x: x % 3, lambda y, x: (y + x) % 3, lambda y,
        x: (y // 2 + x // 3) % 2,
             lambda y, x: y * x % 2 + y * x % 3, lambda y, x: (y * x % 2 + y * x % 3) % 2,
             lambda y, x: ((y + x) % 2 + y * x % 3) % 2)
    fmt = 0
    for x in (0, 1, 2, 3, 4):
        fmt = fmt << 1 | rows[8][x]
    fmt ^= 0b10101
    assert fmt >> 3 == 1, 'level L'
    mask, centre = masks[fmt & 7], size - 7

    def is_fixed(y, x):
        corner = (y < 9 and x < 9) or (y < 9 and x >= size - 8) or (y >= size - 8 and x < 9)
        return corner or y == 6 or x == 6 or (version > 1 and abs(y - centre) <= 2 and abs(x - centre) <= 2)
    bits, x, up = [], size - 1, True
    while x > 0:
        x -= x == 6
        for y in range(size - 1, -1, -1) if up else range(size):
            for column in (x, x - 1):
                if not is_fixed(y, column):
                    bits.append(rows[y][column] ^ (mask(y, column) == 0))
        x, up = x - 2, not up
    number = lambda start, count: int(''.join(str(int(bit)) for bit in bits[start:start + count]), 2)
    assert number(0, 4) == 4, 'bytes'
    return bytes(number(12 + 8 * i, 8) for i in range(number(4, 8))).decode()


def parse_qr(text):
    """The QR code in terminal output, as rows of booleans."""
    rows = [[cell == '16' for cell in re.findall(r'\x1b\[48;5;(\d+)m  ', line)] for line in text.split('\n')
        if line.startswith('\x1b[48;5;')]
    for line in re.findall(r'\x1b\[38;5;16;48;5;231m([ ▀▄█]+)\x1b\[0m', text):
        rows.append([c in '▀█' for c in line])
        rows.append([c in '▄█' for c in line])
    while rows and not any(rows[0]):
        rows.pop(0)
    while rows and not any(rows[-1]):
        rows.pop()
    left = min(row.index(True) for row in rows if True in row)
    return [row[left:left + len(rows)] for row in rows]


def own_addresses():
    """IPv4 addresses of all interfaces except the loopback, from the kernel."""
    found = set()
    address = None
    for line in wire.read('/proc/net/fib_trie').split('\n'):
        match = re.search(r'-- (\S+)', line)
        address = match.group(1) if match else address
        if '/32 host LOCAL' in line and not address.startswith('127.'):
            found.add(address)
    return found


def case_printed_links(folder):
    """A server on all interfaces prints the addresses that others can use: links that work, and a QR code."""
    words = [wire.COMMAND, 'serve', '--address', '0.0.0.0', '--port', '0', '--database', ':memory:', '--no-browser',
        '--quiet']
    with started(words, env=wire.ENV) as server:
        first = server.stdout.readline()
        port = re.fullmatch(r'http://127\.0\.0\.1:(\d+)/\n', first).group(1)         # scripts read this line
        server.send_signal(signal.SIGTERM)
        rest = server.stdout.read()
    assert '\x1b' not in rest and '█' not in rest, rest
    links = re.findall(r'^  (\S+)$', rest, re.M)
    addresses = own_addresses()
    assert {f'http://{address}:{port}/' for address in addresses} <= set(links), (links, addresses)
    for name in own_names()[:1]:
        assert f'http://{name}:{port}/' in links, links
    with Terminal(words, folder) as screen:
        screen.until('http://127.0.0.1:')
        port = re.search(r'http://127\.0\.0\.1:(\d+)/', screen.text).group(1)
        if addresses:
            screen.until('█')
            until_so(lambda: screen.read() and len(parse_qr(screen.text)) in (21, 25, 29, 33, 37))
            link = read_qr(parse_qr(screen.text))
            assert link in re.findall(r'http://\S+', screen.text), (link, screen.text)
            web = http.client.HTTPConnection(*link[7:-1].split(':'), timeout=wire.PATIENCE)
            web.request('GET', '/healthz')
            assert web.getresponse().status == 200
    # A terminal without block characters gets it as blanks, and one without colours gets none.
    if addresses:
        with Terminal(words, folder, LC_ALL='C') as screen:
            until_so(lambda: screen.read() and re.search(r'\x1b\[48;5;16m  ', screen.text)
                and len(parse_qr(screen.text)) in (21, 25, 29, 33, 37))
            assert read_qr(parse_qr(screen.text)) in re.findall(r'http://\S+', screen.text)
        with Terminal([*words, '--ready-file', os.path.join(folder, 'plain')], folder, TERM='dumb') as screen:
            # wait for the file first, which is written after the links: then all of them are complete
            until_so(lambda: os.path.exists(os.path.join(folder, 'plain')) and screen.read()
                and 'http://127.0.0.1:' in screen.text)
            assert '█' not in screen.text and '\x1b' not in screen.text
    # On the loopback there are no others who could connect.
    words[3] = '127.0.0.1'
    with started(words, env=wire.ENV) as server:
        assert re.fullmatch(r'http://127\.0\.0\.1:\d+/\n', server.stdout.readline())
        server.send_signal(signal.SIGTERM)
        assert server.stdout.read() == ''


def case_no_zombie(folder):
    """A browser that was opened does not stay behind as a zombie process."""
    opened = os.path.join(folder, 'opened')
    program = os.path.join(folder, 'xdg-open')
    with open(program, 'w', encoding='utf-8') as out:
        out.write(f'#!/bin/sh\necho "$1" > {opened}.new\nmv {opened}.new {opened}\n')
    os.chmod(program, stat.S_IRWXU)
    words = [wire.COMMAND, 'serve', '--port', '0', '--database', ':memory:', '--quiet']
    with started(words, env=dict(wire.ENV, DISPLAY=':99', PATH=folder + ':' + os.environ['PATH'])) as server:
        url = server.stdout.readline()
        until_so(lambda: os.path.exists(opened))
        assert wire.read(opened) == url
        # Between its end and the signal for its parent a child is a zombie for a moment.
        until_so(lambda: not wire.read(f'/proc/{server.pid}/task/{server.pid}/children'))


# Identities.

def case_identity_is_kept(folder):
    """An identity is never replaced silently: not one that is unknown here, nor one behind many other cookies."""
    with Server(folder) as server:
        ana = server.visitor()
        code = ana.make('open', 'open')
        ana.seat(code)
        token = ana.cookie
        # Other programs of the same host have cookies too.
        for size in (1000, 1100, 2000, 3000, 8192):
            crowded = Visitor(server, f'other={"x" * size}; {token}')
            answer = crowded.want(200, 'POST', '/api/visitor', {'name': 'Ana'})
            assert answer.headers['Set-Cookie'] is None and Visitor(server, crowded.cookie).table(code)['you'] == 1
            assert Wire(Visitor(server, f'other={"x" * size}; {token}')).status == 101
        # More than a server can read is refused, and no new identity is set.
        with raw(server,
            'POST /api/visitor HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 14\r\n'
                         f'Cookie: {token}; other={"x" * 20000}\r\n\r\n{{"name":"Eve"}}') as at:
            huge = at.recv(4096)
        assert re.match(rb'HTTP/1.1 4\d\d ', huge) and b'set-cookie' not in huge.lower(), huge
        # Of two cookies of ours the known one counts.
        assert Visitor(server, f'pyramids={"0" * 64}; {token}').table(code)['you'] == 1
        for presented in ('pyramids=' + '0' * 64, 'pyramids=' + token[9:-1] + ('0' if token[-1] != '0' else '1'),
                'pyramids=cut', 'a=b; pyramids=' + 'f' * 64):
            lost = Visitor(server, presented)
            answer = lost.want(409, 'POST', '/api/visitor', {'name': 'Eve'})
            assert answer.json['error']['code'] == 'unknown_visitor' and answer.headers['Set-Cookie'] is None
            lost.refused(401, 'no_visitor', 'GET', '/api/visitor')
        # A deliberate request makes a new identity.
        assert lost.want(200, 'POST', '/api/visitor',
            {'name': 'Eve', 'new': True}).headers['Set-Cookie'].startswith('pyramids=')
        assert lost.want(200, 'GET', '/api/visitor').json == {'visitor': {'name': 'Eve'}}
        # A known visitor keeps their identity, whatever is sent.
        assert ana.want(200, 'POST', '/api/visitor', {'name': 'Ana B', 'new': True}).headers['Set-Cookie'] is None
        assert ana.table(code)['you'] == 1


def case_forgotten_terminal(folder):
    """The terminal client gets a new identity where it is unknown, and keeps the old one."""
    home = os.path.join(folder, 'home')

    def identity(server):
        with Terminal([wire.COMMAND, 'play', '--server', f'http://127.0.0.1:{server.port}', '--name', 'Ana'],
                home) as screen:
            begun = len(server.text())
            until_so(lambda: screen.read() and 'route=/api/tables status=200' in server.text()[begun:])
        paths = [os.path.join(top, file) for top, _, files in os.walk(home) for file in files if '.cookie' in file]
        return {path.rpartition('.')[2]: wire.read(path) for path in paths}
    os.mkdir(home)
    with Server(folder) as server:
        before = identity(server)
        assert list(before) == ['cookie'] and identity(server) == before
        server.stop()
        server.database = os.path.join(folder, 'other.db')
        server.start()
        after = identity(server)
        assert after['old'] == before['cookie'] and after['cookie'] != before['cookie'], (before, after)
        assert Visitor(server, after['cookie']).want(200, 'GET', '/api/visitor').json == {'visitor': {'name': 'Ana'}}
        # Codes are not case-sensitive there either.
        code = server.visitor('Ben').make('open', 'open')
        with Terminal([wire.COMMAND, 'play', '--server', server.url, '--table',
                f'{code[:4].lower()} {code[4:].lower()}', '--name', 'Ana'], home) as screen:
            screen.until(code)


def case_cookie_is_renewed(folder):
    """The cookie lasts a year from the last visit: it is sent again, unchanged, once a day, by any server."""
    start = int(time.time())
    clock = wire.Clock(folder, f'={start}')
    with Server(folder, env=clock.env) as server:
        ana = server.visitor()
        before = ana.cookie
        assert ana.want(200, 'GET', '/api/visitor').headers['Set-Cookie'] is None     # it is new
        server.restart()
        assert ana.want(200, 'GET', '/api/visitor').headers['Set-Cookie'] is None     # and the database knows that
        # Each device has a cookie of its own, and never gets another's.
        second = Visitor(server)
        second.want(200, 'POST', '/api/visitor/device', {'code': ana.want(200, 'POST', '/api/visitor/code',
            {}).json['code']})
        assert second.want(200, 'GET', '/api/my/tables').headers['Set-Cookie'] is None
        clock.set(server, f'={start + 86400}')
        assert ana.ask('GET', '/healthz').headers['Set-Cookie'] is None
        server.restart()
        got = ana.want(200, 'GET', '/api/visitor').headers['Set-Cookie']
        assert got == f'{before}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict', got
        assert ana.want(200, 'GET', '/api/visitor').headers['Set-Cookie'] is None
        got = second.want(200, 'GET', '/api/my/tables').headers['Set-Cookie']
        assert got.startswith(second.cookie + ';') and before not in got
        server.restart()
        assert ana.want(200, 'GET', '/api/my/tables').headers['Set-Cookie'] is None
        # A server that runs for long renews it by the day.
        start += 86400
        for seconds, renews in ((86399, False), (86400, True), (86401, False), (200 * 86400, True)):
            clock.set(server, f'={start + seconds}')
            assert (ana.want(200, 'GET', '/api/visitor').headers['Set-Cookie'] is not None) == renews, seconds
        assert Visitor(server).want(401, 'GET', '/api/visitor').headers['Set-Cookie'] is None
        assert Visitor(server, 'pyramids=' + '0' * 64).want(401, 'GET', '/api/visitor').headers['Set-Cookie'] is None


def case_codes_for_people(folder):
    """Codes are accepted in lower case, with blanks and dashes; one-time codes survive a restart."""
    with Server(folder) as server:
        ana = server.visitor()
        code = ana.make('open', 'open')
        for typed in (code.lower(), f'{code[:4]}-{code[4:]}', f'{code[:4].lower()}%20{code[4:]}', f'-{code}-'):
            assert ana.table(typed)['code'] == code
        for typed in (code.lower(), f' {code[:4]} {code[4:]}', f'{code[:4]}–{code[4:]}'):
            link = ana.link()
            link.done('open', table=typed)
            link.until(lambda link=link: link.table and link.table['code'] == code)
        ana.refused(404, 'no_table', 'GET', f'/api/tables/{code[:7]}')
        ana.refused(404, 'no_table', 'GET', f'/api/tables/{code}2')
        ana.want(200, 'GET', f'/api/tables/{code.lower()}/record')
        first = ana.want(200, 'POST', '/api/visitor/code', {}).json['code']
        server.restart()
        phone = Visitor(server)
        assert phone.want(200, 'POST', '/api/visitor/device',
            {'code': f' {first.lower().replace("-", " ")} '}).json == {'visitor': {'name': 'Ana'}}
        Visitor(server).refused(404, 'bad_code', 'POST', '/api/visitor/device', {'code': first})          # once
        server.restart()
        Visitor(server).refused(404, 'bad_code', 'POST', '/api/visitor/device', {'code': first})
        # A newer code replaces the older one, also on the disk.
        older, newer = [ana.want(200, 'POST', '/api/visitor/code', {}).json['code'] for _ in range(2)]
        server.kill()
        server.start()
        Visitor(server).refused(404, 'bad_code', 'POST', '/api/visitor/device', {'code': older})
        Visitor(server).want(200, 'POST', '/api/visitor/device', {'code': newer.replace('-', '')})


def case_one_time_codes_expire(folder):
    """Ten minutes of wall-clock time: a restart in between changes nothing."""
    start = int(time.time())
    clock = wire.Clock(folder, f'={start}')
    with Server(folder, env=clock.env) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        codes = [who.want(200, 'POST', '/api/visitor/code', {}).json['code'] for who in (ana, ben)]
        clock.set(server, f'={start + 599}')
        server.restart()
        assert Visitor(server).want(200, 'POST', '/api/visitor/device',
            {'code': codes[0]}).json == {'visitor': {'name': 'Ana'}}
        clock.set(server, f'={start + 600}')
        Visitor(server).refused(404, 'bad_code', 'POST', '/api/visitor/device', {'code': codes[1]})


def case_abandoned_tables(folder):
    """Abandoned tables do not fill a server: they make room, first those of the visitor with most."""
    start = int(time.time())
    clock = wire.Clock(folder, f'={start}')
    options = [*PROXY, '--request-rate', '100000', '--table-rate', '1000', '--max-tables', '20']
    with Server(folder, *options, generous=False, env=clock.env) as server:
        ana, eve = behind(server, '192.0.2.1'), behind(server, '203.0.113.66', 'Eve')
        honest = ana.make('open', 'open')
        codes = [eve.make('open', 'open') for _ in range(19)]
        ana.refused(429, 'too_many', 'POST', '/api/tables', SEATS)
        clock.set(server, f'={start + 599}')
        ana.refused(429, 'too_many', 'POST', '/api/tables', SEATS)
        clock.set(server, f'={start + 600}')
        fresh = ana.make('open', 'open')
        until_so(lambda: [eve.table(code)['state'] for code in codes].count('closed') == 1)
        assert ana.table(honest)['state'] == ana.table(fresh)['state'] == 'waiting'


def case_invisible_names(folder):
    with Server(folder) as server:
        ana = server.visitor()
        for name in ('\u3164', '\u2800', '\u115f', '\u1160', '\uffa0', '\u0301', ' \u0301', '\u20dd', '\ufe0f',
                '\U0001d159', '\u2800\u3164 \u200b'):
            ana.refused(400, 'bad_name', 'POST', '/api/visitor', {'name': name})
        for name, clean in (('\u3164Ana\u2800', 'Ana'), ('Chloe\u0301', 'Chloe\u0301'), ('❤️', '❤️'),
                ('\u0e19\u0e49\u0e33', '\u0e19\u0e49\u0e33')):
            assert ana.want(200, 'POST', '/api/visitor', {'name': name}).json == {'visitor': {'name': clean}}


if __name__ == '__main__':
    wire.main(globals())
