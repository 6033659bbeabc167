#!/usr/bin/env python3
"""The configuration file of a server: which values are read, how errors are reported with their place, and which
source takes precedence. usage: config.py PYRAMIDS SOURCE_ROOT [CASE]"""
import json
import os
import re
import socket
import subprocess

import wire
from wire import ENV, PATIENCE, ROOT, Server, read, until_so

EXAMPLE = os.path.join(ROOT, 'data/pyramids.conf')
ONLY_WORDS = {'config', 'check', 'json', 'lang', 'help'}     # only useful on the command line


def serve(*words, code=0, env=None):
    """Runs `serve`, which must exit by itself; returns standard output and standard error."""
    done = subprocess.run([wire.COMMAND, 'serve', *words], capture_output=True, env=dict(ENV, **(env or {})),
        stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False)
    out, err = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == code, f'{words}: exit {done.returncode}, not {code}\n{out}\n{err}'
    assert not re.search(r'Sanitizer|runtime error', err), err
    return out, err


def write(folder, text, name='pyramids.conf'):
    path = os.path.join(folder, name)
    with open(path, 'wb') as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return path


def help_options():
    """The options listed by `serve --help`, each with its default or None."""
    text = serve('--help')[0].split('\nOptions:\n')[1].split('\nExamples:')[0]
    options = {}
    for part in re.split(r'\n(?=  (?:-\w, )?--)', '\n' + text):
        found = re.match(r'\s+(?:-\w, )?--([a-z-]+)', part)
        if found:
            default = re.search(r'\(default:? (127\.0\.0\.1|\d+)\b', re.sub(r'\s+', ' ', part))
            options[found[1]] = default[1] if default else None
    return options


def case_example_has_every_option(folder):
    """data/pyramids.conf shows every option with the default that --help gives, and nothing else."""
    text = read(EXAMPLE)
    shown = dict(re.findall(r'^#([a-z-]+) = ?(.*)$', text, re.M))
    options = {name: default for name, default in help_options().items() if name not in ONLY_WORDS}
    assert set(shown) == set(options), set(shown) ^ set(options)
    for name, default in options.items():
        if default is not None:
            assert shown[name] == default, (name, shown[name], default)
    # Each of its lines is accepted with its default.
    lines = [line[1:] for line in text.split('\n') if re.match(r'#[a-z-]+ = \S', line)]
    assert len(lines) > 15, lines
    path = write(folder, '\n'.join(lines) + '\n')
    serve('--config', path, '--check', '--database', os.path.join(folder, 'x.db'))
    # Unchanged, it has no effect.
    serve('--config', EXAMPLE, '--check', '--database', os.path.join(folder, 'x.db'))


def case_faults(folder):
    """Each mistake is reported with file and line, all at once, and nothing is started."""
    good = os.path.join(ROOT, 'editions/classic.edition')
    faults = [
        ('port = x', "port: 'x' is not a number from 0 to 65535"),
        ('prot = 8080', "unknown option 'prot'; did you mean 'port'?"),
        ('something-else = 8080', "unknown option 'something-else'; 'pyramids serve --help' lists them"),
        ('--quiet = yes', "options are written without dashes here: 'quiet', not '--quiet'"),
        ('quiet', "expected 'option = value'"),
        ('trust-proxy = maybe', "trust-proxy: 'maybe' is neither yes nor no"),
        ('check = yes', 'check: only works on the command line, as --check'),
        ('config = x', 'config: only works on the command line, as --config'),
        ('max-tables =', 'max-tables: needs a value (N); remove the line to use the default'),
        ('bot-threads = "3"', 'bot-threads: values are written without quotation marks'),
        ('bot-threads = 65', "bot-threads: '65' is not a number from 0 to 64"),
        ('address = example.org', "address: 'example.org' is not an address such as 127.0.0.1 or ::1"),
        ('origin = https://a.example,example.org', "origin: 'example.org' is not an origin such as https://example.org"),
        ('metrics-address = 127.0.0.1', "metrics-address: '127.0.0.1' is not an address and a port"),
        ('edition = /nowhere.edition', 'edition: /nowhere.edition: No such file or directory'),
        (f'edition = {good}', f'edition: {good}: an edition named classic already exists'),
        ('tls-cert = /nowhere.pem', '--tls-cert and --tls-key must be used together'),
        ('tls-cert = /nowhere.pem\ntls-key = /nowhere.pem', 'tls-cert: /nowhere.pem: No such file or directory'),
        ('quick = 100\nrelaxed = 50', 'quick is longer than relaxed'),
        ('port = 80\nping = 5\nport = 81', None),
        ('database-file = /nowhere', 'database-file: /nowhere: No such file or directory'),
        ('database = a\ndatabase-file = /dev/null', 'database-file: cannot be combined with --database'),
        ('tls-key = $CREDENTIALS_DIRECTORY/key', 'tls-key: the environment has no CREDENTIALS_DIRECTORY'),
        ('port = 80\x0080', 'not text: the line has control characters or is not UTF-8'),
        (b'quiet = \xff', 'not text: the line has control characters or is not UTF-8'),
        ('origin = ' + 'x' * 5000, 'the line is too long'),
    ]
    env = {name: value for name, value in os.environ.items() if name != 'CREDENTIALS_DIRECTORY'}
    assert 'CREDENTIALS_DIRECTORY' not in env
    for text, said in faults:
        text = text if isinstance(text, bytes) else text.encode()
        path = write(folder, b'# A comment\n\n' + text + b'\n')
        err = serve('--config', path, code=1)[1]
        wanted = f'{path}:5: port: is defined twice (first on line 3)' if said is None else f'{path}:3: {said}'
        if said and 'database-file: cannot' in said:
            wanted = f'{path}:4: {said}'
        assert wanted in err, (text, wanted, err)
    path = write(folder, 'port = x\n\nquick = 0\nprot = 1\n')
    lines = serve('--config', path, code=1)[1].splitlines()
    assert [line.split(':')[1] for line in lines] == ['1', '3', '4'], lines
    assert 'No such file' in serve('--config', os.path.join(folder, 'missing'), code=1)[1]
    assert '2000000 bytes' in serve('--config', write(folder, '#' * 2000000), code=1)[1]


def case_what_wins(folder):
    """The command line takes precedence over the file, in any order; the file over the defaults."""
    path = write(folder, 'port = x\nmax-per-address = 0\n')
    err = serve('--config', path, '--port', '0', code=1)[1]
    assert 'port:' not in err and 'max-per-address' in err, err
    # Every kind of value takes effect: a flag, a number, a list, a path.
    path = write(folder, '''
quick  =   45
  trust-proxy=yes
origin = https://one.example,https://two.example
edition = ''' + os.path.join(ROOT, 'tests/data/plain.edition') + '\r\n')
    with Server(folder, '--config', path) as server:
        ana = server.visitor()
        names = [one['name'] for one in ana.want(200, 'GET', '/api/editions').json['editions']]
        assert names[0] == 'classic' and names[-1] == 'plain', names
        ana.want(200, 'GET', '/api/visitor', headers={'Origin': 'https://two.example', 'Host': 'two.example'})
        ana.want(403, 'GET', '/api/visitor', headers={'Origin': 'https://three.example'})
    # Some editors begin a text with a byte order mark.
    with Server(folder, '--config', write(folder, b'\xef\xbb\xbfquiet = yes\n'), database='quiet.db') as server:
        server.visitor()
        assert 'level=info' not in server.text(), server.text()
    with Server(folder, '--config', write(folder, 'quiet = no\n'), database='loud.db') as server:
        server.visitor()
        until_so(lambda: 'event=request' in server.text())


def case_database(folder):
    """Which database is used: command line, environment, file; and a connection string never shows its password."""
    def database(*words, env=None, code=0):
        out = serve('--check', '--json', *words, env=env, code=code)[0]
        assert 'geheim' not in out, out
        return [one['message'].split(' ')[0] for one in json.loads(out)['findings'] if one['check'] == 'database'
            and one['level'] == 'good']
    one, two, three, four = (os.path.join(folder, name) for name in ('one.db', 'two.db', 'three.db', 'four.db'))
    named = write(folder, three + '\n', 'where')
    path = write(folder, f'database = {one}\n')
    assert database('--config', path) == [one]
    assert database('--config', path, env={'PYRAMIDS_DATABASE': two}) == [two]
    assert database('--config', path, '--database-file', named, env={'PYRAMIDS_DATABASE': two}) == [three]
    assert database('--config', path, '--database', four, env={'PYRAMIDS_DATABASE': two}) == [four]
    path = write(folder, f'database-file = {named}\n')
    assert database('--config', path) == [three]
    assert database('--config', path, '--database', four) == [four]
    path = write(folder, 'database-file = $CREDENTIALS_DIRECTORY/where\n')
    assert database('--config', path, env={'CREDENTIALS_DIRECTORY': folder}) == [three]
    for text in ('', '\n', 'a\nb\n'):
        assert 'expected one line' in serve('--database-file', write(folder, text, 'bad'), code=2)[1], text
    # A password from either source never appears in a message, and a file that everyone can read is refused.
    secret = 'postgresql://ana:geheim@127.0.0.1:1/pyramids'
    for words, env in ((['--config', write(folder, f'database = {secret}\n')], None),
                       (['--database-file', write(folder, secret, 'secret')], None),
                       ([], {'PYRAMIDS_DATABASE': secret})):
        out, err = serve('--check', *words, env=env, code=1)
        assert 'geheim' not in out + err and 'postgresql://ana@127.0.0.1:1/pyramids' in err, err
        assert ('every user of this machine can read it' in err) == (env is None), err
    path = os.path.join(folder, 'secret')
    os.chmod(path, 0o640)
    assert 'can read it' not in serve('--check', '--database-file', path, code=1)[1]


def case_check(folder):
    """--check reports what is right and wrong, and changes nothing."""
    base = os.path.join(folder, 'new', 'x.db')
    out, err = serve('--check', '--database', base)
    assert f'{base} is new' in out and 'All good' in out and not err, (out, err)
    assert not os.path.exists(os.path.dirname(base))
    key, cert = make_certificate(folder)
    report = json.loads(serve('--check', '--json', '--database', base, '--tls-cert', cert, '--tls-key', key)[0])
    assert report['good'] and report['config'] is None, report
    assert [one['check'] for one in report['findings']] == ['certificate', 'database'], report
    assert re.search(r' is valid until \d{4}-\d\d-\d\d$', report['findings'][0]['message']), report
    other_key, _ = make_certificate(folder, 'other')
    assert 'do not match' in serve('--check', '--tls-cert', cert, '--tls-key', other_key, '--database', base, code=1)[1]
    # An expired certificate is a warning: the server would start.
    old_key, old = make_certificate(folder, 'old', days=-1)
    assert 'browsers refuse it' in serve('--check', '--tls-cert', old, '--tls-key', old_key, '--database', base)[1]
    # Databases: one in use, one of another program, a damaged one, a folder that cannot be created.
    with Server(folder) as server:
        server.visitor()
        assert 'can be used' in serve('--check', '--database', server.base.where)[0]
    strange = write(folder, b'x' * 5000, 'strange.db')
    assert 'is not a Pyramids database' in serve('--check', '--database', strange, code=1)[1]
    assert read(strange) == 'x' * 5000
    assert 'Is a directory' in serve('--check', '--database', folder, code=1)[1]
    assert serve('--check', '--database', os.path.join(strange, 'x.db'), code=1)[1]
    assert '--json needs --check' in serve('--json', code=2)[1]


def case_check_places(folder):
    """--check finds a port used by another program, an address of another machine, and files that cannot be written. A
    port in use is a warning: checking the file of a running server finds it, too."""
    base = ['--database', os.path.join(folder, 'x.db')]

    def findings(*words, text='', code=0):
        out = serve('--check', '--json', *base, *words, '--config', write(folder, text), code=code)[0]
        return [(one['level'], one['check'], one['option'], one['line'], one['message'])
            for one in json.loads(out)['findings'] if one['check'] in ('address', 'file')]
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        taken.listen()
        port = taken.getsockname()[1]
        words = f'port {port} of 127.0.0.1 is in use: if not by this server, it cannot start'
        metrics = ('warning', 'address', 'metrics-address', 1, words)
        assert findings('--port', str(port)) == [('warning', 'address', 'port', None, words)]
        assert findings(text=f'# x\nport = {port}\n') == [('warning', 'address', 'port', 2, words)]
        assert findings(text=f'metrics-address = 127.0.0.1:{port}\n') == [metrics]
        path = write(folder, f'port = {port}\n')
        assert f'warning: {path}:1: port: {words}' in serve('--check', *base, '--config', path)[1]
    assert findings('--port', '0') == [] == findings()
    # 192.0.2.0/24 is reserved for documentation: no machine uses its addresses.
    words = 'cannot listen on port 81 of 192.0.2.1: it is not an address of this machine'
    assert findings(text='address = 192.0.2.1\nport = 81\n', code=1) == [('error', 'address', 'port', 2, words)]
    # A server that only thinks has no address.
    assert findings('--role', 'think', '--database', 'postgresql://127.0.0.1:1/x', code=1) == []
    missing = os.path.join(folder, 'nowhere', 'x')
    for option in ('access-log', 'admin-socket', 'ready-file'):
        assert findings(text=f'\n{option} = {missing}\n', code=1) == [('error', 'file', option, 2,
            f'{missing}: No such file or directory')], option
        assert findings(f'--{option}', folder, code=1) == [('error', 'file', option, None, f'{folder}: Is a directory')]
        assert findings(text=f'{option} = {folder}/{option}\n') == []
        assert not os.path.exists(f'{folder}/{option}')
    # A socket never replaces a file of another kind, and its path has a limit.
    other, long = write(folder, 'mine', 'other'), os.path.join(folder, 'x' * 110)
    assert findings('--admin-socket', other, code=1) == [('error', 'file', 'admin-socket', None, f'{other}: File exists')]
    assert findings('--admin-socket', long, code=1)[0][4] == f'{long}: File name too long'


def make_certificate(folder, name='tls', days=2):
    key, cert = (os.path.join(folder, f'{name}.{kind}') for kind in ('key', 'pem'))
    when = ['-days', str(days)] if days > 0 else ['-not_before', '20200101000000Z', '-not_after', '20200201000000Z']
    if days > 0:
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
            '-subj', '/CN=localhost', '-keyout', key, '-out', cert, *when], check=True, capture_output=True)
        return key, cert
    # Debian 12's openssl can set dates only when it signs as an authority.
    subprocess.run(['openssl', 'req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj',
        '/CN=localhost', '-keyout', key, '-out', cert + '.req'], check=True, capture_output=True)
    settings = write(folder, f'[ca]\ndefault_ca = x\n[x]\nnew_certs_dir = {folder}\ndatabase = {folder}/index\n'
        f'serial = {folder}/serial\ndefault_md = sha256\npolicy = p\n[p]\ncommonName = supplied\n', 'ca.conf')
    write(folder, '', 'index')
    write(folder, '01\n', 'serial')
    subprocess.run(['openssl', 'ca', '-batch', '-config', settings, '-selfsign', '-keyfile', key, '-in', cert + '.req',
        '-out', cert, '-notext', '-startdate', '20200101000000Z', '-enddate', '20200201000000Z'], check=True,
        capture_output=True)
    return key, cert


if __name__ == '__main__':
    wire.main(globals())
