#!/usr/bin/env python3
"""Runs the command in a pseudo-language (pseudo_po.py) and looks for words that did not go through the catalogue; also
checks that records, JSON and editions are the same in every language, and that --lang and the environment choose it.
usage: pseudo.py PYRAMIDS SOURCE_ROOT [--short] [CASE...]"""
import atexit
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request

import pseudo_po

SHORT = '--short' in sys.argv                 # without what takes an optimised build
ARGS = [word for word in sys.argv[1:] if word != '--short']
COMMAND, ROOT = os.path.abspath(ARGS[0]), os.path.abspath(ARGS[1])
PLAIN = os.path.join(ROOT, 'tests/data/plain.edition')
RECORD = os.path.join(ROOT, 'tests/data/plain-2.pyr')
with open(os.path.join(ROOT, 'tests/pseudo-allow.txt'), encoding='utf-8') as source:
    ALLOWED = re.compile('|'.join(f'(?:{line.rstrip()})' for line in source if line.strip() and not line.startswith('#')))
SUBCOMMANDS = ['play', 'serve', 'sim', 'replay', 'legal', 'hint', 'analyze', 'verify', 'copy', 'export', 'import', 'bench',
    'daily', 'puzzle', 'print', 'edition', 'edition check', 'edition show', 'edition generate']


def environment(folder, **more):
    plain = {k: v for k, v in os.environ.items() if k not in ('LANGUAGE', 'LC_ALL', 'LC_MESSAGES', 'LANG', 'USER')}
    return dict(plain, PYRAMIDS_LOCALEDIR=folder, XDG_DATA_HOME=folder, LANG='C.UTF-8', **more)


def run(folder, *words, text='', lang='qps', timeout=120):
    return subprocess.run([COMMAND, *words], input=text, capture_output=True, text=True, timeout=timeout, check=False,
                          env=environment(folder, LANGUAGE=lang, PYRAMIDS_QUIET='1'))


def leaks(text, known=()):
    """ASCII words that are not allowed. Lines of examples and of records are exempt, because they are typed and stored."""
    found = []
    text = re.sub(r'(--[a-z-]+) [a-z]+(\|[a-z]+)+', r'\1', text)        # --push on|off: words to type
    for line in text.split('\n'):
        if re.match(r'  (pyramids|head) ',
            line) or re.match(r'(pyramids-(record|edition) '
            r'1|(tag|player|deal|keep|show|reveal|mark|take|draw|points|score|winner) \S|time=\S+ level)', line):
            continue
        for word in known:
            line = re.sub(rf'(?<![\w-]){re.escape(word)}(?![\w-])', ' ', line)
        for word in re.findall(r'[^\s⟦⟧·()\[\]\'"“”;,=…|]+', line):
            bare = word.strip('.:?!+')
            if re.search('[A-Za-z]{2}', bare) and not ALLOWED.fullmatch(bare):
                found.append(f'{bare!r} in {line.strip()[:100]!r}')
    return found


def look(folder, *words, text='', known=()):
    done = run(folder, *words, text=text)
    shown = done.stdout + done.stderr
    found = leaks(shown, (folder, ROOT, *words, *known))
    assert not found, f'{words}: ' + '\n# '.join(found)
    return done


def case_help(folder):
    look(folder)
    look(folder, '--help')
    for name in SUBCOMMANDS:
        done = look(folder, *name.split(), '--help')
        assert done.returncode == 0 and '⟦' in done.stdout, name


def case_wrong_usage(folder):
    for words in ('nonsense', 'sim --nonsense', 'sim --games', 'sim --games x', 'sim --games 0', 'sim --players 5',
        'sim --bots nobody',
                  'sim --bots greedy,greedy,greedy --players 2', 'sim --bots random,random,random,random,random',
                  f'sim --bots {"x" * 200}', 'sim --sprt 5', 'sim extra',
                  'sim --json=yes', 'replay', 'legal', f'legal {RECORD}', f'legal {RECORD} --seat 5',
                  f'legal {RECORD} --seat 4 --edition {PLAIN}', f'legal {RECORD} --seat 1',
                  'hint', f'hint {RECORD}', f'hint {RECORD} --seat 3 --edition {PLAIN}', 'analyze', 'verify', 'edition',
                  'edition nonsense', 'edition check',
                  'edition show classic 49', 'edition generate --seed -1',
                  'edition generate --name 9chars9chars9chars9chars9chars9chars9', 'edition generate extra',
                  'bench --players 1', 'bench extra', 'play --players 9', 'play --plain --seat 3',
                  'play --plain --bots nobody', 'play --plain --server x',
                  'play --key K', 'play --bots club,club,club,club', 'play --hot-seat A,B,C --players 2',
                  f'play {RECORD} --new', 'edition show 17 --text', 'sim --bots ./missing', 'play --plain a b', 'import',
                  'import --database', 'export extra', 'serve extra', 'serve --port x', 'serve --tls-cert a', '--lang',
                  '--lang zz', 'play --lang zz'):
        done = look(folder, *words.split(), known=('zz', 'nobody', 'nonsense', 'extra', 'qps', 'en', 'English'))
        assert done.returncode in (1, 2), (words, done)


def case_files(folder):
    missing, closed = os.path.join(folder, 'missing'), os.path.join(folder, 'closed.pyr')
    with open(closed, 'w', encoding='utf-8') as file:
        file.write('x')
    database = os.path.join(folder, 'broken.db')
    with open(database, 'w', encoding='utf-8') as file:
        file.write('this is no database at all, but long enough to be looked at as if it were one, with '
            'a few words more' * 30)
    for words in (['replay', missing], ['edition', 'check', missing], ['edition', 'show', missing],
        ['bench', '--edition', missing], ['replay', folder],
                  ['sim', '--games', '1', '--records', os.path.join(missing, 'deeper')], ['import', missing],
                  ['export', '--database', missing],
                  ['export', '--database', database], ['import', '--database', database, RECORD], ['import', folder],
                  ['replay', closed],
                  ['replay', closed + '/x'], ['serve', '--database', database, '--port', '0', '--no-browser'],
                  ['serve', '--database', ':memory:', '--port', '0', '--no-browser', '--origin', 'nonsense'],
                  ['serve', '--database', ':memory:', '--port', '0', '--no-browser', '--address', '203.0.113.77'],
                  ['serve', '--database', ':memory:', '--port', '0', '--no-browser', '--edition', PLAIN + ',' + PLAIN],
                  ['serve', '--database', ':memory:', '--port', '0', '--no-browser', '--tls-cert', closed, '--tls-key',
                  closed]):
        done = look(folder, *words, known=('203.0.113.77', 'nonsense', 'pyramids-record'))
        assert done.returncode, (words, done)
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        taken.listen()
        look(folder, 'serve', '--database', ':memory:', '--no-browser', '--port', str(taken.getsockname()[1]))


def case_bad_texts(folder):
    """Every kind of bad line that tests/test_text.c knows."""
    with open(os.path.join(ROOT, 'tests/test_text.c'), encoding='utf-8') as file:
        table = file.read()
    with open(PLAIN, encoding='utf-8') as file, open(RECORD, encoding='utf-8') as other:
        good = {'edition': file.read(), 'record': other.read()}
    tried = 0
    for kind in good:
        body = table[table.index(f'bad_{kind}s[] = {{'):]
        body = body[:body.index('\n};')]
        for old, new, _ in re.findall(r'\{ "((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)" \}', body):
            old, new = (re.sub(r'\\([nt])', lambda m: {'n': '\n', 't': '\t'}[m[1]], word) for word in (old, new))
            if '\\' in new or old not in good[kind]:
                continue
            # of one record
            words = ['edition', 'check', '-'] if kind == 'edition' else ['legal', '-', '--seat', '1', '--edition', PLAIN]
            done = run(folder, *words, text=good[kind].replace(old, new, 1))
            # The found and expected words belong to the format.
            sentence = re.sub(r"'[^']*'", '', done.stderr)
            assert done.returncode == 1 and '⟦' in done.stderr, (new, done)
            found = leaks(sentence, ('spaces', 'name', 'title', 'skulls', 'pattern', 'card', 'winner', 'score', 'points',
                'mark', 'deal', 'keep', 'reveal', 'show', 'player',
                                     'pyramids-edition', 'pyramids-record', 'edition', 'torches', 'gems', 'purple', 'green',
                                     'other', 'COPIES', 'tag'))
            assert not found, '\n# '.join(found)
            tried += 1
    assert tried > 30, tried


def case_play(folder):
    """A few turns, each choice the first legal one."""
    typed, words = ['help', 'nonsense', '17:z9', 'save', 'undo'], ['play', '--plain', '--seed', '5', '--bots', 'novice',
        '--players', '3']
    for _ in range(12):
        done = run(folder, *words, text='\n'.join(typed + ['?', 'quit']) + '\n')
        lists = re.split(r'^> \?$', done.stdout, flags=re.M)
        assert len(lists) == 2, done
        typed.append(lists[1].strip().split('\n')[0])
    typed += ['players', 'look', 'log', 'undo', '? 1', f'save {folder}/saved.pyr', 'quit']
    done = look(folder, *words, text='\n'.join(typed) + '\n', known=('> help', '> nonsense', '> save', '> undo', '> players',
        '> look', '> log', '> quit', '17:z9', 'saved.pyr', 'nonsense'))
    # A player without a name is called by a word of the language, as are bots.
    assert '⟦Þļàýéŕ··⟧: ' in done.stdout and '⟦ñôṽïçé··⟧ 2: ' in done.stdout and 'player 1 Player\n' in done.stdout, \
        done.stdout
    look(folder, 'play', '--plain', f'{folder}/saved.pyr', text='quit\n', known=('> quit',))


def case_games(folder):
    with open(RECORD, encoding='utf-8') as file:
        lines = file.read().split('\n')
    begun = next(i for i, line in enumerate(lines) if line.startswith('reveal'))
    for name, text in (('whole', lines), ('begun', lines[:begun + 1] + ['']), ('dealt', lines[:5] + ['']),
        ('late', lines[:40] + [''])):
        with open(f'{folder}/{name}.pyr', 'w', encoding='utf-8') as file:
            file.write('\n'.join(text))
    own = ['--edition', PLAIN]
    look(folder, 'replay', f'{folder}/whole.pyr', f'{folder}/begun.pyr', f'{folder}/dealt.pyr', *own)
    look(folder, 'hint', f'{folder}/begun.pyr', '--seat', '1', '--playouts', '200', *own)
    look(folder, 'hint', f'{folder}/late.pyr', '--seat', '1', '--playouts', '200', *own)
    look(folder, 'hint', f'{folder}/whole.pyr', '--seat', '1', *own)
    look(folder, 'legal', f'{folder}/begun.pyr', '--seat', '1', *own)
    done = look(folder, 'analyze', f'{folder}/whole.pyr', '--playouts', '100', '--html', f'{folder}/report.html', *own)
    assert re.search(r'\d,\d', done.stdout) and not re.search(r'\d\.\d', done.stdout), 'numbers as the language writes them'
    look(folder, 'analyze', f'{folder}/dealt.pyr', *own)
    with open(f'{folder}/report.html', encoding='utf-8') as file:
        page = file.read()
    assert '<html lang="qps">' in page, page[:200]
    found = leaks(re.sub(r'<code>.*?</code>', '', re.sub(r'<[^>]*>', ' ',
        re.sub(r'<style>.*?</style>', '', re.sub('<code>.*?</code>', '', page)))), ('&nbsp;', 'DOCTYPE'))
    assert not found, '\n# '.join(found)
    look(folder, 'verify', f'{folder}/whole.pyr', *own)
    look(folder, 'sim', '--games', '6', '--bots', 'greedy,random', '--sprt', '0,20')
    look(folder, 'bench', '--games', '50')
    look(folder, 'edition', 'show', known=('Classic',))
    look(folder, 'edition', 'check', PLAIN, known=('For tests',))
    look(folder, 'import', '--database', f'{folder}/new.db', f'{folder}/whole.pyr', *own)
    look(folder, 'import', '--database', f'{folder}/new.db', f'{folder}/begun.pyr', *own)
    look(folder, 'export', '--database', f'{folder}/new.db', '--output', f'{folder}/out')


def serve(folder, *words):
    """A server and its address."""
    server = subprocess.Popen([COMMAND, 'serve', '--port', '0', '--no-browser', '--quiet', '--ready-file', f'{folder}/ready',
        *(words or ('--database', ':memory:'))],
                              stdout=subprocess.DEVNULL, env=environment(folder))
    atexit.register(server.kill)             # also when a check fails
    end, text = time.monotonic() + 60, ''
    while not text.endswith('\n'):           # the file is there a moment before its line
        assert time.monotonic() < end and server.poll() is None, 'the server does not get ready'
        time.sleep(0.05)
        if os.path.exists(f'{folder}/ready'):
            with open(f'{folder}/ready', encoding='utf-8') as file:
                text = file.read()
    return server, text.strip().rstrip('/')


def case_terminal(folder):
    """The full-screen client: the choice of cards, marks, sheets, a record and its analysis, people at one screen, tables at
    a server."""
    if not shutil.which('tmux'):
        return
    server, url = serve(folder)
    sessions = 0
    def tmux(*words):
        return subprocess.run(['tmux', '-u', '-S', f'{folder}/tmux{sessions}', *words], capture_output=True, text=True,
            timeout=30, check=False,
                              env=dict(os.environ, LC_ALL='C.UTF-8', TERM='xterm-256color')).stdout
    def still(wanted):
        """The screen, once it no longer changes."""
        def now():
            return re.sub('[⠀-⣿]', ' ', tmux('capture-pane', '-p'))      # without the spinner
        before, text, end = '', now(), time.monotonic() + 60
        while (text != before or wanted not in text) and time.monotonic() < end:
            time.sleep(0.1)
            before, text = text, now()
        return text
    env = environment(folder, LANGUAGE='qps', TERM='tmux-256color', HOME=folder, USER='Ursa')
    setting = ' '.join(f"{name}='{env[name]}'" for name in ('PATH', 'PYRAMIDS_LOCALEDIR', 'XDG_DATA_HOME', 'LANG',
        'LANGUAGE', 'TERM', 'HOME', 'USER'))
    for size, words, keys in (('120x34', 'play --players 3 --bots novice,club --seed 11',
        ['2', 'Right', 'Right', 'Space', 'Enter', '?', 'Tab', 'Escape', 'o', 'Escape', 'L', 'Escape',
                              's', 's', 'n', 'Down Down Down Down', 'n', 'Enter', 'u', 'n', 'Enter', 'Enter', 'q',
                              'n', 'q', 'y']),
                              ('80x24', 'play --players 2 --seed 5', ['?', 'Escape', 'q']),
                              ('60x18', 'play --players 2 --seed 6', []),
                              ('80x24', f'play --replay {RECORD} --edition {PLAIN} --playouts 5',
                              ['Right', ']', 'Tab', 'a', ('a', 'Luck and skill'), 'Escape', 'L', 'Escape', 'End', 't', 'q']),
                              ('80x24', 'play --new --hot-seat Ana,Ben --players 3 --bots novice --seed 21',
                              ['Enter', '1 2 Enter', 'u', 'Enter', '1 2 Enter', 'Enter', '3 4 Enter', 'Enter',
                              'Enter', 'q', 'y']),
                              ('80x24', f'play --server {url}', ['Down', 'Up Up Enter', 'b', '1 2 Enter', 'Enter', 'Enter',
                              'u', 'q', 'y']),
                              ('80x24', f'play --server {url} --table NOSUCH', []),
                              ('80x24', 'play --server nonsense://', []),
                              ('250x24', f'replay --edition {PLAIN} {RECORD}', [])):
        width, height = size.split('x')
        sessions += 1                        # a server that ends may hold its socket for a moment
        tmux('-f', '/dev/null', 'new-session', '-d', '-x', width, '-y', height,
            f'exec env -i {setting} sh -c "{COMMAND} {words}; exec cat"')
        try:
            for key in ['', *keys]:
                if isinstance(key, tuple):   # pressed until its answer is there: the analysis may take its time
                    key, title = key
                    end = time.monotonic() + 60
                    while title.translate(pseudo_po.LETTERS) not in still('⟦'):
                        assert time.monotonic() < end, (words, key, still(''))
                        tmux('send-keys', key)
                elif key:
                    tmux('send-keys', *key.split())
                leaving = key in ('y', 'q')
                text = still('' if leaving else '⟦')
                assert '⟦' in text or leaving, (words, key, text)
                found = leaks(text, (folder, ROOT, url, 'nonsense://', 'Ursa', 'Ana', 'Ben', 'abcde', 'hjkl'))
                assert not found, f'{words}, after {key!r}: ' + '\n# '.join(found)
        finally:
            tmux('kill-server')
    server.terminate()
    server.wait(60)


def case_report(folder):
    """The server's report of a game, in each reader's language; it is cached, so the second one comes at once."""
    if SHORT:
        return
    database = f'{folder}/games.db'
    run(folder, 'import', '--database', database, '--edition', PLAIN, RECORD)
    code = re.search(r'^; table (\w+)', run(folder, 'export', '--database', database).stdout, re.M)[1]
    server, url = serve(folder, '--database', database, '--edition', PLAIN)
    try:
        def get(path, accept='', wait=100):
            end = time.monotonic() + wait
            while True:
                with urllib.request.urlopen(urllib.request.Request(url + path,
                    headers={'Accept-Language': accept} if accept else {}), timeout=30) as answer:
                    if answer.status == 200:
                        return answer.read().decode(), answer.headers
                    assert answer.status == 202 and time.monotonic() < end, (path, answer.status)
                time.sleep(0.3)
        path = f'/api/tables/{code}/analysis'
        page, headers = get(path + '.html?lang=qps')
        assert '<html lang="qps">' in page and '⟦' in page and headers['Content-Language'] == 'qps', page[:300]
        for query, accept, wanted in (('', '', 'en'), ('', 'zz, qps-XX;q=0.7, en;q=0.5', 'qps'), ('', 'en, qps;q=0.9', 'en'),
            ('?lang=en', 'qps', 'en'), ('?lang=zz', 'qps', 'qps'),
                                      ('?lang=' + 'x' * 90, '', 'en')):
            page, headers = get(path + '.html' + query, accept, 0)
            assert f'<html lang="{wanted}">' in page and headers[
                'Content-Language'] == wanted and ('⟦' in page) == (wanted == 'qps'), (query, accept)
        assert json.loads(get(path, 'qps', 0)[0])['finished']
    finally:
        server.terminate()
        server.wait(60)


def case_same_for_programs(folder):
    own = ['--edition', PLAIN]
    with open(RECORD, encoding='utf-8') as file:
        begun = file.read().split('reveal')[0] + 'reveal I4\n'
    for words, text in ((['replay', '--json', RECORD, *own], ''), (['legal', '-', '--seat', '1', *own], begun),
        (['hint', '-', '--seat', '1', '--json', '--playouts', '300', *own], begun),
                        (['analyze', RECORD, '--json', '--playouts', '100', *own], ''),
                        (['verify', '--json', RECORD, *own], ''), (['edition', 'generate'], ''),
                        (['edition', 'show', '--text'], ''), (['edition', 'check', '--json', PLAIN], '')):
        out = {lang: run(folder, *words, text=text, lang=lang).stdout for lang in ('en', 'qps')}
        assert out['en'] == out['qps'] and out['en'], words
    report = json.loads(run(folder, 'sim', '--games', '6', '--bots', 'greedy,random', '--json').stdout)
    assert report['games'] == 6
    for lang in ('en', 'qps'):
        run(folder, 'sim', '--games', '2', '--bots', 'greedy', '--records', f'{folder}/{lang}', lang=lang)
        run(folder, 'play', '--plain', '--seed', '3', '--bots', 'novice', text=f'9 14\nsave {folder}/{lang}/played.pyr\n',
            lang=lang)
    for name in ('000001.pyr', '000002.pyr', 'played.pyr'):
        with open(f'{folder}/en/{name}', encoding='utf-8') as one, open(f'{folder}/qps/{name}', encoding='utf-8') as other:
            assert one.read() == other.read(), name


def case_choosing(folder):
    """--lang anywhere, else the environment as gettext reads it."""
    def speaks(*words, **variables):
        env = environment(folder)
        del env['LANG']
        done = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False, env=dict(env, **variables),
            timeout=60)
        return 'qps' if '⟦' in done.stdout + done.stderr else 'en'
    for words in (['--lang', 'qps', 'replay'], ['replay', '--lang', 'qps'], ['replay', '--lang=qps'],
        ['--lang', 'QPS_XX.UTF-8', '--help'], ['--help', '--lang', 'qps-XX'],
                  ['--lang', 'en', 'replay', '--lang', 'qps']):
        assert speaks(*words, LANGUAGE='en', LC_ALL='C') == 'qps', words
    for variables, wanted in (({}, 'en'), ({'LANG': 'qps'}, 'qps'), ({'LANG': 'qps_XX.UTF-8'}, 'qps'),
        ({'LC_MESSAGES': 'qps', 'LANG': 'en_GB'}, 'qps'),
                              ({'LC_ALL': 'en_GB.UTF-8', 'LANG': 'qps'}, 'en'),
                              ({'LANGUAGE': 'zz:qps:en', 'LANG': 'C.UTF-8'}, 'qps'),
                              ({'LANGUAGE': 'en:qps', 'LANG': 'C.UTF-8'}, 'en'), ({'LANGUAGE': 'qps'}, 'qps'),
                              ({'LANGUAGE': 'qps', 'LC_ALL': 'C'}, 'en'),
                              ({'LANGUAGE': 'zz', 'LANG': 'zz_ZZ.UTF-8'}, 'en')):
        assert speaks('replay', **variables) == wanted, variables
    done = run(folder, '--lang', 'zz', lang='en')
    assert done.returncode == 2 and "unknown language 'zz'" in done.stderr and 'en (English)' in done.stderr and 'qps (' \
        in done.stderr, done
    done = run(folder, 'edition', 'check', '--', '--lang', lang='en')
    assert done.returncode == 1 and '--lang' in done.stderr, done
    # Invalid catalogues do no harm.
    os.makedirs(f'{folder}/bad/zz/LC_MESSAGES')
    for data in (b'', b'x', b'\xde\x12\x04\x95' + b'\xff' * 40, b'\xde\x12\x04\x95' + b'\x00' * 40):
        with open(f'{folder}/bad/zz/LC_MESSAGES/pyramids.mo', 'wb') as file:
            file.write(data)
        done = subprocess.run([COMMAND, '--help'], capture_output=True, text=True, check=True,
            env=dict(environment(f'{folder}/bad'), LANGUAGE='zz'), timeout=60)
        assert 'Usage' in done.stdout


def make_catalogue(folder):
    source = os.path.join(folder, 'qps.po')
    subprocess.run([sys.executable, os.path.join(ROOT, 'tests/pseudo_po.py'), os.path.join(ROOT, 'po/pyramids.pot'), source],
        check=True)
    os.makedirs(f'{folder}/qps/LC_MESSAGES')
    subprocess.run(['msgfmt', '--check-format', '--endianness=little', '-o', f'{folder}/qps/LC_MESSAGES/pyramids.mo',
        source], check=True)


def main():
    only = ARGS[2:]
    cases = [case for case in (case_help, case_wrong_usage, case_files, case_bad_texts, case_play, case_games, case_terminal,
        case_report, case_same_for_programs, case_choosing) if not only or case.__name__[5:] in only]
    assert leaks('⟦šô⟧ far') and leaks('Usage: pyramids') and not leaks('⟦šô⟧ 17:a1 --json FILE classic')
    print(f'1..{len(cases)}')
    bad = 0
    for number, case in enumerate(cases, 1):
        name = case.__name__[5:].replace('_', ' ')
        with tempfile.TemporaryDirectory() as folder:
            make_catalogue(folder)
            try:
                case(folder)
                print(f'ok {number} - {name}')
            except Exception:                # pylint: disable=broad-except  # whatever it was, the other cases are run
                bad += 1
                print('# ' + traceback.format_exc()[-6000:].replace('\n', '\n# '))
                print(f'not ok {number} - {name}')
        sys.stdout.flush()
    sys.exit(bad > 0)


if __name__ == '__main__':
    main()
