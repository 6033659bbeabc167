#!/usr/bin/env python3
"""Runs the command the way people and scripts do. usage: cli.py PYRAMIDS SOURCE_ROOT [CASE]"""
import json
import math
import os
import random
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time

import cases

COMMAND, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PLAIN = os.path.join(ROOT, 'tests/data/plain.edition')
RECORD = os.path.join(ROOT, 'tests/data/plain-2.pyr')
ENV = dict(os.environ, LC_ALL='C.UTF-8', LANGUAGE='en')


class Done:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


def run(*words, text='', code=0):
    """Runs the command, expects an exit code, returns its output."""
    data = text if isinstance(text, bytes) else text.encode()
    done = subprocess.run([COMMAND, *words], input=data, capture_output=True, env=ENV, timeout=120)
    out, err = done.stdout.decode('utf-8', 'replace'), done.stderr.decode('utf-8', 'replace')
    assert done.returncode == code, f'{words}: exit {done.returncode}, not {code}\n{out}\n{err}'
    return Done(done.returncode, out, err)


def read(path):
    with open(path, encoding='utf-8') as source:
        return source.read()


def case_help(_):
    main = run('--help').out
    for name in ('play', 'rules', 'sim', 'replay', 'legal', 'hint', 'analyze', 'edition', 'print', 'bench'):
        assert re.search(rf'^  {name} ', main, re.M), main
        words = [name, '--help']
        if name == 'edition':
            for part in ('check', 'show', 'generate'):
                text = run('edition', part, '--help').out
                assert 'Usage: pyramids edition ' + part in text and 'Examples:' in text, text
            assert 'Examples:' in run(*words).out
            continue
        text = run(*words).out
        assert f'Usage: pyramids {name}' in text and 'Examples:\n  pyramids ' in text and '--help' in text, text
    version = run('--version')
    # The version, the commit, and every library with the version it reports at run time.
    lines = version.out.splitlines()
    assert re.fullmatch(r'pyramids \d+\.\d+\.\d+', lines[0]), version.out
    assert re.fullmatch(r'commit ([0-9a-f]{12}\+?|unknown)', lines[1]) and lines[2] == 'libraries:', version.out
    libraries = dict(line.split(None, 1) for line in lines[3:])
    assert set(libraries) - {'glibc'} == {'curl', 'http-parser', 'jansson', 'libpq', 'libsodium', 'libuv', 'ncurses',
        'OpenSSL', 'qrcodegen', 'SQLite', 'utf8proc', 'zlib'}, version.out
    assert all(re.search(r'\d+\.\d+|not included', number) for number in libraries.values()), version.out
    # A program without its page reports that, and how to get it.
    missing = 'pyramids: built without the browser page because clang or wasm-ld was missing; to include it, install ' \
        'clang and lld and build again\n'
    assert version.err == ('' if os.environ['PYR_PAGE'] == 'yes' else missing), version.err


def case_rules(_):
    """The rules by tag, by word and in full, from the texts that the terminal client also shows."""
    tags = [f'R{n}' for n in range(1, 18)] + [f'Q{n}' for n in range(1, 11)] + [f'E{n}' for n in range(1, 6)]
    rules = {rule['tag']: rule for rule in json.loads(run('rules', '--json').out)['rules']}
    assert list(rules) == tags
    listed = run('rules').out
    for tag, rule in rules.items():
        assert rule['section'] and rule['title'] and all(rule['text']), rule
        assert re.search(rf'^  {tag} +{re.escape(rule["title"])}$', listed, re.M), listed
        shown = run('rules', tag.lower()).out
        assert ' '.join(shown.split()) == ' '.join([tag, rule['title'], *rule['text']]), shown
    # The essential words of each rule (RULES.md).
    for tag, words in {'R1': 'number from 1 to 48|replaces cards first|pyramid points first|wins a tie',
        'R8': 'pattern|exactly one space',
                       'R10': 'entrance|share a side',
                       'R11': 'Red cross|After the tenth|at most one per round|two worst skulls|Tomb',
                       'R12': 'face up until the end|Everyone may look',
                       'R14': '2nd, 4th or 6th|10, then 6, then 3|same colour several times',
                       'R17': 'lowest-numbered', 'Q3': 'lost|must make it',
                       'E1': '70 + 10 + 19 + 18 - 6 = 111|Four green|two orange'}.items():
        text = ' '.join(rules[tag]['text'])
        assert all(word in text for word in words.split('|')), (tag, text)
    assert 'skull on the score card. After the tenth nothing' in ' '.join(rules['R11']['text'])
    # All output fits a terminal in every language, and line breaking loses nothing.
    for code in ('en', 'de', 'es', 'fr', 'it', 'pt'):
        text = run('rules', '--all', '--lang', code).out
        assert all(len(line) <= 80 for line in text.splitlines()), max(text.splitlines(), key=len)
        assert [line.split()[0] for line in text.splitlines() if re.match(r'[RQE]\d+ ', line)] == tags
        told = json.loads(run('rules', '--json', '--lang', code).out)
        assert told['language'] == code and [rule['tag'] for rule in told['rules']] == tags
    # Several tags, words in any case, accents included; what is not found is named.
    assert re.findall(r'^[RQE]\d+', run('rules', 'e1', 'R10').out, re.M) == ['R10', 'E1']
    assert re.findall(r'^[RQE]\d+', run('rules', 'TORCH').out, re.M) == [tag for tag in tags
        if 'torch' in json.dumps(rules[tag]).lower()]
    assert run('rules', '--lang', 'de', 'TOTENKÖPFE').out == run('rules', '--lang', 'de', 'totenköpfe').out
    done = run('rules', 'nosuch', code=1)
    assert 'nosuch' in done.err and 'R1-R17, Q1-Q10, E1-E5' in done.err and not done.out, done.err
    run('rules', '--all', 'R1', code=2)


def case_texts_of_the_page(_):
    """The page and the command use the same table: rules and sentences are the same, word for word."""
    sys.path.insert(0, os.path.join(ROOT, 'scripts'))
    import texts
    page = {tag: paragraphs for tag, *paragraphs in texts.chapters() if tag}
    rules = {rule['tag']: rule['text'] for rule in json.loads(run('rules', '--json').out)['rules']}
    page['R11'] += [text for _, text in texts.symbols()]
    assert page == rules, (page, rules)
    # Both report one fault the same way: the page's table, filled in by hand, and the command's message.
    broken = read(RECORD).replace('mark 1 5:b1\n', 'mark 1 5:d1\n')
    _, rule, values, sentence = next(row for row in texts.faults() if row[0] == texts.errors()['WALL'][0])
    assert values == 'w' and run('replay', '-', '--edition', PLAIN, text=broken,
        code=1).err == f'<stdin>:11: {sentence.replace("%s", "5:d1")} ({rule})\n'
    # Every code that the page can meet has a sentence there.
    known = {row[0] for row in texts.faults()}
    known |= {texts.errors()[name][0] for name, _ in texts.sentences('MISUSE')}
    assert known == {number for number, _, _ in texts.errors().values()}
    # Every refusal of a server has a sentence, unless only a faulty program can cause it. `origin` needs the page's
    # address.
    codes = set(re.findall(r'X\([A-Z_]+, "(\w+)", \d+\)', read(os.path.join(ROOT, 'src', 'server', 'error.h'))))
    told = {code for code, _, _ in texts.sentences('REFUSAL')}
    assert len(codes) > 30 and told < codes and codes - told == {
        'bad_json', 'bad_message', 'unknown_type', 'too_long', 'bad_code', 'origin', 'not_open', 'not_seated', 'seated',
        'not_running', 'illegal', 'not_found', 'method'}, codes ^ told


def case_print(folder):
    page = run('print').out
    assert page.count('<svg xmlns') == 8 and '@page { size: A4; margin: 0 }' in page and '>8 / 8</text>' in page
    names = set(re.findall(r' id="([^"]+)"', page))
    wanted = set(re.findall(r'(?:href="|url\()#([^")]+)', page))
    assert wanted <= names and 'q-s-ruby' in wanted, wanted - names
    colours = set(re.findall(r'#([0-9A-Fa-f]{6})"', page))
    assert colours and all(c[:2] == c[2:4] == c[4:] for c in colours), colours
    path = os.path.join(folder, 'sheets.html')
    done = run('print', PLAIN, '--paper', 'letter', '--colour', '--only', 'score,cards', '-o', path, '--lang', 'de')
    with open(path, encoding='utf-8') as file:
        page = file.read()
    assert not done.out and page.count('<svg xmlns') == 7 and 'size: letter' in page and '<html lang="de">' in page
    assert 'q-tx-green' in page and 'our own design' not in page
    assert 'nobody.edition' in run('print', 'nobody.edition', code=1).err


def case_wrong_usage(_):
    for words in (['nonsense'], ['sim', '--nonsense'], ['sim', '--games'], ['sim', '--games', 'x'], ['sim', '--games', '0'],
                  ['sim', '--players', '5'], ['sim', '--bots', 'nobody'],
                  ['sim', '--bots', 'greedy,greedy,greedy', '--players', '2'],
                  ['sim', '--bots', 'random,random,random,random,random'], ['replay'], ['legal'], ['legal', RECORD],
                  ['legal', RECORD, '--seat', '5'], ['edition'], ['edition', 'nonsense'], ['edition', 'check'],
                  ['edition', 'show', 'classic', '49'], ['edition', 'generate', '--seed', '-1'],
                  ['edition', 'generate', '--name', 'a b'], ['print', 'classic', 'classic'], ['print', '--paper', 'a5'],
                  ['print', '--only', 'cards,dice'], ['print', '--only', ''],
                  ['bench', '--players', '1'], ['bench', 'extra'], ['play', '--players', '9'], ['play', '--seat', '3'],
                  ['play', '--name', 'a\nb'], ['play', '--bots', 'nobody'], ['sim', '--json=yes'],
                  ['play', '--table', 'K7QXMWRT'],
                  ['play', '--key', 'K'], ['play', '--trust', PLAIN]):
        done = run(*words, code=2)
        assert done.err.startswith('pyramids: ') or done.err.startswith('Usage: '), (words, done.err)
    run(code=2)
    assert 'choose from: random novice' in run('play', '--bots', 'nobody', code=2).err
    # For an option that needs a value, an empty value counts as missing.
    for words in (['play', '--name='], ['play', '--bots', ''], ['sim', '--edition', ''], ['analyze', RECORD, '--html='],
        ['serve', '--port=']):
        done = run(*words, code=2)
        assert re.match(r"pyramids: option '--\w+=?' needs a value \(\S+\)\nUsage: ", done.err), (words, done.err)


def begin_game(*words, typed='33 36'):
    """Begins a game against a novice and leaves it after one choice. Returns the name it is saved under."""
    out = run('play', '--plain', '--new', '--seed', '5', '--bots', 'novice', '--name', 'Ana', *words,
        text=typed + '\nquit\n').out
    return re.search(r'^Continue with: pyramids play --plain --resume (\S+)$', out, re.M)[1]


def case_contradictions(_):
    """Every pair of options of `play`: contradictory pairs are refused by name, all others are accepted."""
    values = {'plain': (), 'players': ('2',), 'bots': ('club',), 'seed': ('1',), 'edition': (PLAIN,), 'name': ('Ana',),
        'seat': ('1',), 'hot-seat': ('Ana',),
              'new': (), 'continue': (), 'list': (), 'resume': (begin_game(),), 'server': ('https://localhost:1',),
              'table': ('K7QXMWRT',), 'key': ('K',), 'trust': (PLAIN,), 'replay': (RECORD,),
              'playouts': ('100',), 'ascii': ()}
    assert set(values) == set(re.findall(r'^  (?:-\w, )?--([a-z-]+)', run('play', '--help').out, re.M)) - {'lang', 'help'}
    refused = {'server': 'plain players bots seed edition seat hot-seat new continue list resume replay',
               'replay': 'plain players bots seed name seat hot-seat new continue list resume',
               'hot-seat': 'plain name seat', 'continue': 'new',
               'plain': 'playouts', 'resume': 'new continue players name hot-seat',
               'list': 'new continue resume players bots seed name seat hot-seat playouts'}
    needs = {'table': 'server', 'trust': 'server', 'key': 'table'}
    names = list(values)
    for i, one in enumerate(names):
        for other in names[i + 1:]:
            done = subprocess.run([COMMAND, 'play', f'--{one}', *values[one], f'--{other}', *values[other]], input=b'',
                capture_output=True, env=ENV, timeout=60)
            err = done.stderr.decode()
            if other in refused.get(one, '').split() or one in refused.get(other, '').split():
                assert done.returncode == 2 and err in (f'pyramids: --{a} cannot be combined with --{b}\n' for a,
                    b in ((one, other), (other, one))), (one, other, err)
            elif any(need in (one, other) and needs[need] not in (one, other) for need in needs):
                assert done.returncode == 2 and re.search(r"--\w+ is only valid with --\w+", err), (one, other, err)
            else:
                # fine except that there is no terminal here
                alone = {'server', 'replay', 'hot-seat'} & {one, other}
                assert 'combined' not in err and 'is only valid with' not in err and done.returncode == (2 if alone
                    else 0), (one, other, err)
                assert not alone or 'need a full-screen terminal' in err, (one, other, err)
    for name in values:
        done = subprocess.run([COMMAND, 'play', RECORD, '--edition', PLAIN, f'--{name}', *values[name]], input=b'',
            capture_output=True, env=ENV, timeout=60)
        wanted = name in ('players', 'name', 'new', 'continue', 'list', 'resume', 'server', 'replay')
        assert (done.stderr.decode() == f'pyramids: --{name} cannot be combined with a saved game\n'
            and done.returncode == 2) == wanted, (name, done.stderr)
    # A link that names a table, and a certificate where there is none; more people or bots than seats; cards of a
    # finished position.
    for words, said in ((['play', '--server', 'https://localhost:1/#table/K7QXMWRT', '--table', 'K7QXMWRT'],
        'the address already contains a table'),
                        (['play', '--server', 'http://localhost:1', '--trust', PLAIN],
                        '--trust is only valid with an https:// address'),
                        (['play', '--players', '2', '--bots', 'club,club'], '--bots: more bots than free seats (1)'),
                        (['play', '--players', '3', '--hot-seat', 'A,B,C', '--bots', 'club'],
                        '--bots: more bots than free seats (0)'),
                        (['play', '--players', '2', '--hot-seat', 'A,B,C'], '--hot-seat: more names than players (2)'),
                        (['play', '--bots', 'club,club,club,club'], '--bots: more bots than free seats (3)'),
                        (['edition', 'show', 'classic', '17', '--text'], '--text cannot be combined with card numbers'),
                        (['edition', 'nonsense'], "unknown command 'nonsense'; see 'pyramids edition --help'"),
                        (['serve', '--quick', '100', '--relaxed', '50'], '--quick is longer than --relaxed')):
        assert said in run(*words, code=2).err, words
    assert 'A game of 3 players' in run('play', '--bots', 'novice,club').out         # one for each named bot


def case_missing_files(folder):
    missing = os.path.join(folder, 'missing')
    for words in (['replay', missing], ['legal', missing, '--seat', '1'], ['edition', 'check', missing],
                  ['edition', 'show', missing], ['bench', '--edition', missing], ['play', missing], ['replay', folder],
                  ['sim', '--games', '1', '--records', os.path.join(missing, 'deeper')]):
        done = run(*words, code=1)
        assert 'No such file' in done.err or 'directory' in done.err, (words, done.err)


def case_sim(folder):
    outputs = []
    for threads in ('1', '2', '5'):
        done = run('sim', '--players', '3', '--bots', 'greedy,random,greedy', '--games', '40', '--seed', '11', '--threads',
            threads, '--json')
        report = json.loads(done.out)
        assert {'bots', 'edition', 'games', 'players', 'seed'} <= set(report), report
        assert (report['players'], report['games'], report['seed'], report['edition']) == (3, 40, 11, 'classic')
        assert [bot['name'] for bot in report['bots']] == ['greedy', 'random', 'greedy']
        for bot in report['bots']:
            assert {'games', 'mean_pyramids', 'mean_score', 'ms_per_move', 'name', 'win_rate'} <= set(bot), bot
            assert bot['games'] == 40 and bot.pop('ms_per_move') >= 0
        assert abs(sum(bot['win_rate'] for bot in report['bots']) - 1) < 1e-5
        outputs.append(report)
    assert outputs[0] == outputs[1] == outputs[2]
    folders = [os.path.join(folder, name) for name in 'ab']
    for where, threads in zip(folders, '13'):
        run('sim', '--players', '4', '--bots', 'greedy,random', '--games', '6', '--seed', '3', '--threads', threads,
            '--records', where)
    assert sorted(os.listdir(folders[0])) == [f'{n:06}.pyr' for n in range(1, 7)]
    for name in os.listdir(folders[0]):
        assert read(os.path.join(folders[0], name)) == read(os.path.join(folders[1], name))
    other = run('sim', '--players', '4', '--bots', 'greedy,random', '--games', '6', '--seed', '4', '--json').out
    assert json.loads(other)['bots'][0]['mean_score'] != outputs[0]['bots'][0]['mean_score']
    strong = json.loads(run('sim', '--players', '2', '--bots', 'greedy,random', '--games', '200', '--json').out)['bots']
    assert strong[0]['win_rate'] > 0.95, strong
    text = run('sim', '--players', '2', '--bots', 'greedy', '--games', '10').out
    assert text.count('\ngreedy ') == 2, text


def case_sim_once(_):
    """The margin cannot be estimated from one shuffle, so none is given."""
    done = run('sim', '--games', '1', '--bots', 'greedy,random').out
    assert done.count('+-   ?') == 4 and '+-0' not in done and '+- 0' not in done and done.count('+-?') == 1, done
    # Each shuffle is played by both seatings. Both bots win a game of the two shuffles.
    for games, known in (('2', False), ('4', True)):
        bots = json.loads(run('sim', '--games', games, '--bots', 'greedy,greedy', '--independent', '--json').out
            if known else
                          run('sim', '--games', games, '--bots', 'greedy,random', '--json').out)['bots']
        margins = [bot[name] for bot in bots for name in ('win_margin', 'score_margin', 'elo_margin')]
        assert [margin is not None for margin in margins] == [known, known, True, known, known, known], (games, bots)
        assert bots[0]['elo'] == bots[0]['elo_margin'] == 0, bots      # against itself, which is certain


def case_sim_margins(_):
    """Margins are plausible: a bot that won everything is stronger by at least a bound, and no interval covers 0 to 100
    %."""
    for games, seats in ((200, 2), (7, 2), (40, 4), (41, 3)):
        words = ['sim', '--players', str(seats), '--bots', 'greedy,random', '--games', str(games)]
        report = json.loads(run(*words, '--json').out)
        assert report['games'] == games
        first, other = report['bots'][:2]
        for bot in report['bots']:
            assert bot['games'] == games and 0 < bot['win_margin'] < 1, bot
        assert other['elo'] is other['elo_low'] is other['elo_margin'] is None, other       # random never has as many points
        # Wilson's bound for n of n shuffles won: n / (n + 1.96^2), and so 400 log10(n / 1.96^2) Elo.
        shuffles = -(-games // seats)
        assert abs(other['elo_high'] + 400 * math.log10(shuffles / 1.96 ** 2)) < 0.6, (other, shuffles)
        text = run(*words).out
        assert f'< {other["elo_high"]:+.0f} ' in text and '2000' not in text and '+--' not in text, text
        assert not re.search(r'\+- *0\.0 ', text), text
    close = json.loads(run('sim', '--bots', 'club,greedy', '--games', '400', '--json').out)['bots'][1]
    assert close['elo_low'] < close['elo'] < close['elo_high'] < 0, close
    assert close['elo_margin'] == round(max(close['elo'] - close['elo_low'], close['elo_high'] - close['elo']), 1), close
    # Part of a shuffle counts by the games it has: the mean over games, computed from the records.
    with tempfile.TemporaryDirectory() as folder:
        report = json.loads(run('sim', '--players', '4', '--bots', 'greedy,random,random,random', '--games', '5',
            '--records', folder, '--json').out)
        points = []
        for name in sorted(os.listdir(folder)):
            for player in json.loads(run('replay', '--json', os.path.join(folder, name)).out)['players']:
                points += [player['total']] if player['name'] == 'greedy 1' else []
        assert len(points) == 5 and abs(report['bots'][0]['mean_score'] - sum(points) / 5) < 1e-3, (report, points)


def case_sim_progress(_):
    """On a terminal, progress is shown, with JSON too, and its line is removed at the end."""
    for words in ([], ['--json']):
        main, side = os.openpty()
        process = subprocess.Popen([COMMAND, 'sim', '--bots', 'club', '--games', '300', *words], stdout=subprocess.PIPE,
            stderr=side, env=ENV)
        os.close(side)
        out, told = process.communicate(timeout=120)[0], b''
        try:
            while part := os.read(main, 65536):
                told += part
        except OSError:                                  # the terminal is gone
            pass
        os.close(main)
        lines = told.decode().split('\r')
        assert lines[1].startswith('0 / 300') and any(re.match(r'300 / 300  \d+:\d\d:\d\d', line) for line in lines), lines
        assert told.endswith(b'\r\x1b[K') and b'300' in out and b'\r' not in out, told
    assert run('sim', '--games', '4').err == ''


def case_replay(folder):
    done = run('replay', RECORD, '--edition', PLAIN)
    assert 'finished' in done.out and re.search(r'^2 greedy 1 +80 +20 +30 +14 +-6 +138$', done.out, re.M), done.out
    assert done.out.rstrip().endswith('winner: 2 greedy 1')
    report = json.loads(run('replay', '--json', RECORD, '--edition', PLAIN).out)
    assert report['finished'] and report['winners'] == [2] and report['players'][1]['total'] == 138
    text = read(RECORD)
    lines = text.split('\n')
    assert 'under way, round 1, turn 2' in run('replay', '-', '--edition', PLAIN, text='\n'.join(lines[:14]) + '\n').out
    for count in range(1, len(lines)):
        run('replay', '-', '--edition', PLAIN, text='\n'.join(lines[:count]) + '\n')
    bad = os.path.join(folder, 'bad.pyr')
    with open(bad, 'w', encoding='utf-8') as to:
        to.write(text.replace('mark 1 5:b1\n', 'mark 1 5:d1\n'))
    done = run('replay', bad, RECORD, '--edition', PLAIN, code=1)
    assert done.err == f'{bad}:11: 5:d1 includes a wall; expected open spaces only (R9)\n', done.err
    assert 'winner: 2 greedy 1' in done.out              # the second file is still checked
    done = run('replay', RECORD, code=1)
    assert "edition 'plain'" in done.err and '--edition' in done.err
    assert run('replay', RECORD, '--edition', 'classic',
        code=1).err.startswith(RECORD + ":2: the record uses edition 'plain'")
    # The view of one seat: without the other's deal it can only be checked with --seat.
    view = text.replace('deal 2 23 37 6 44\n', '')
    run('replay', '-', '--edition', PLAIN, '--seat', '1', text=view)
    assert ':6: ' in run('replay', '-', '--edition', PLAIN, text=view, code=1).err
    assert 'no seat 3 in this game' in run('replay', RECORD, '--edition', PLAIN, '--seat', '3', code=1).err


def case_wide_names(_):
    """Tables are aligned in every script: wide letters, combining marks, a family of three emoji."""
    names = {'日本太郎': 8, 'e\u0301' * 5: 5, '👨\u200d👩\u200d👧': 6}
    for name, columns in names.items():
        out = run('replay', '-', '--edition', PLAIN, text=read(RECORD).replace('player 1 random 2', f'player 1 {name}')).out
        rows = dict(line.split(' ', 1) for line in out.split('\n') if line[:2] in ('1 ', '2 '))
        first, second = rows['1'][len(name):], rows['2'][len('greedy 1'):]
        assert columns + len(first) == len('greedy 1') + len(second), (name, out)


def case_kept_twice(_):
    """R4: two different cards, whichever view is used: all deals, the seat's own view, another seat's view."""
    text = read(RECORD)
    for seat, deal, kept, twice in ((1, 'deal 1 19 30 4 5', 'keep 1 5 19', '5 5'),
        (2, 'deal 2 23 37 6 44', 'keep 2 23 44', '44 44')):
        bad = text.replace(kept, f'keep {seat} {twice}')
        for words, lines in (([], bad), (['--seat', str(seat)], bad), (['--seat', str(3 - seat)],
            bad.replace(deal + '\n', ''))):
            done = run('replay', '-', '--edition', PLAIN, *words, text=lines, code=1)
            number = lines.split('\n').index(f'keep {seat} {twice}') + 1
            assert done.err.startswith(f'<stdin>:{number}: ') and '(R4)' in done.err and not done.out, (words, done.err)


def tombs(edition):
    """The position of the tomb, by card."""
    return {int(number): 'abcde'[rows.split('\n')[4].index('T')] + '5'
            for number, rows in re.findall(r'^card (\d+) \w+\n((?:.{5}\n){5})', read(edition) + '\n', re.M)}


def lowest_completed(record, edition):
    """Points by seat, computed from the marks alone."""
    tomb, lowest = tombs(edition), {}
    for seat, move in re.findall(r'^mark (\d) (\S+)$', record, re.M):
        for part in move.split('+') if move != '-' else []:
            card, spaces = part.split(':')
            if tomb[int(card)] in re.findall('..', spaces):
                lowest[int(seat)] = min(lowest.get(int(seat), 99), int(card))
    return lowest


def case_tie(folder):
    """A tie is reported with what decided it."""
    games = os.path.join(folder, 'games')
    classic = os.path.join(ROOT, 'editions/classic.edition')
    run('sim', '--players', '4', '--bots', 'random', '--games', '300', '--seed', '5', '--records', games)
    ties, untied = 0, []
    paths = [os.path.join(games, name) for name in sorted(os.listdir(games))]
    for path, line in zip(paths, run('replay', '--json', *paths).out.splitlines(), strict=True):
        report = json.loads(line)
        best = max(player['total'] for player in report['players'])
        tied = [player['seat'] for player in report['players'] if player['total'] == best]
        if len(tied) == 1:
            assert report['tie'] is None, report
            untied.append(path)
            continue
        ties += 1
        text = run('replay', path).out
        lowest = lowest_completed(read(path), classic)
        winner = min(tied, key=lambda seat: lowest.get(seat, 99))
        assert report['tie'] == {'points': best, 'seats': tied,
            'pyramid': lowest[winner]} and report['winners'] == [winner], report
        assert f'winner: {winner} ' in text \
            and f'tie at {best} points: the winner completed number {lowest[winner]}, the lowest' in text, text
    assert ties >= 2, ties
    text = run('replay', *untied).out
    assert text.count('winner: ') == len(untied) and 'tie at' not in text, text
    # With cards without a symbol no pyramid is completed: 0 points each, and a shared win (Q8).
    edition = os.path.join(folder, 'empty.edition')
    grid = '..v..\n.....\n.....\n.....\n..T..\n'
    patterns = read(PLAIN).split('pattern', 1)[1].split('card', 1)[0]
    with open(edition, 'w', encoding='utf-8') as to:
        to.write('pyramids-edition 1\nname empty\ntitle Empty\nskulls 1 2 3 4 5 6 7 8 9 10\n\n'
            'pattern' + patterns + '\n'.join(
            f'card {n} {("green", "orange", "purple")[n % 3]}\n{grid}' for n in range(1, 49)))
    way = ['c1', 'd1', 'e1', 'e2', 'd2', 'c2', 'b2', 'b1', 'a1', 'a2', 'a3', 'b3', 'c3', 'd3', 'e3', 'e4', 'd4', 'c4', 'b4',
        'a4']
    lines = ['pyramids-record 1', 'edition empty', 'player 1 Ana', 'player 2 Ben', 'deal 1 1 2 3 4', 'deal 2 5 6 7 8',
        'keep 1 1 2', 'keep 2 5 6',
             'show 9 10 11 12']
    for turn in range(28):
        card, space = (0, way[turn]) if turn < 20 else (1, way[turn - 20])
        lines += [f'reveal {("I2", "I3", "V3", "I4", "I4", "L4", "O4")[turn % 7]}', f'mark 1 {1 + card}:{space}',
            f'mark 2 {5 + card}:{space}']
    lines += [f'score {seat} 0 pyramids 0 torches 0 points 0 gems 0 skulls 0' for seat in (1, 2)] + ['winner 1 2']
    done = run('replay', '-', '--edition', edition, text='\n'.join(lines) + '\n').out
    assert 'winner: 1 Ana\nwinner: 2 Ben\ntie at 0 points, and none of the tied players completed a pyramid: they share ' \
        'the win (Q8)\n' in done, done
    report = json.loads(run('replay', '-', '--json', '--edition', edition, text='\n'.join(lines) + '\n').out)
    assert report['tie'] == {'points': 0, 'seats': [1, 2], 'pyramid': None} and report['winners'] == [1, 2], report


def case_many_records(folder):
    """replay reads what export writes: every game is checked, and line numbers count from the beginning of the file."""
    games, database = os.path.join(folder, 'games'), os.path.join(folder, 'games.db')
    run('sim', '--bots', 'greedy,random', '--games', '3', '--records', games)
    run('import', '--database', database, games)
    export = run('export', '--database', database).out
    assert export.count('pyramids-record 1\n') == 3 and export.startswith('; table ')
    path = os.path.join(folder, 'all.records')
    with open(path, 'w', encoding='utf-8') as to:
        to.write(export)
    done = run('replay', path).out
    starts = [str(export[:at.start()].count('\n') + 1) for at in re.finditer('pyramids-record', export)]
    heads = re.findall(rf'^{re.escape(path)}:(\d+): finished$', done, re.M)
    assert heads == starts and starts[0] == '2', (heads, starts)
    assert done.endswith(f'\n{path}: games: 3, finished: 3, under way: 0, wrong: 0\n') and done.count('winner: ') >= 3, done
    reports = [json.loads(line) for line in run('replay', '--json', path).out.splitlines()]
    assert [report['game'] for report in reports] == [1, 2, 3] and all(report['finished'] for report in reports)
    assert [str(report['line']) for report in reports] == heads
    singles = [json.loads(run('replay', '--json', os.path.join(games, name)).out)['players']
        for name in sorted(os.listdir(games))]
    assert sorted(map(json.dumps, singles)) == sorted(json.dumps(report['players']) for report in reports)
    # A bad line in the second game: reported with its line, and the third game is still checked. An unfinished game is
    # counted as unfinished.
    lines = export.split('\n')
    second = [i for i, line in enumerate(lines) if line == 'pyramids-record 1'][1]
    at = next(i for i in range(second, len(lines)) if lines[i].startswith('mark 1 '))
    lines[at] = 'mark 1 -'
    lines += ['pyramids-record 1', 'edition classic', 'player 1 A', 'player 2 B', '']
    done = run('replay', '-', text='\n'.join(lines), code=1)
    assert done.err == f'<stdin>:{at + 1}: a pass where something can be marked; expected a mark (R8)\n', done.err
    assert done.out.endswith('\n<stdin>: games: 4, finished: 2, under way: 1, wrong: 1\n'), done.out
    done = run('replay', '--json', '-', text='\n'.join(lines), code=1)
    reports = [json.loads(line) for line in done.out.splitlines()]
    assert [('error' in report, report['game']) for report in reports] == [(False, 1), (True, 2), (False, 3), (False, 4)]
    assert reports[1]['error'] == {'code': 'must_mark', 'rule': 'R8', 'line': at + 1, 'column': None,
                                   'message': 'a pass where something can be marked; expected a mark (R8)'}
    # An oversized record is refused at the first line that does not fit, whether that line is cut or begins there.
    for text, line in (('x' * 2 ** 21, 1), ('x\n' + 'y' * 2 ** 21, 2), ('x\n' * 2 ** 20, 2 ** 19 + 1)):
        done = run('replay', '-', text=text, code=1)
        assert done.err == f'<stdin>:{line}: the record is longer than 1048576 bytes\n', done.err
    # Games of several editions in one file: games of the built-in edition do not need the other file.
    mixed = export + read(RECORD)
    assert run('replay', '-', '--edition', PLAIN,
        text=mixed).out.endswith('<stdin>: games: 4, finished: 4, under way: 0, wrong: 0\n')
    done = run('verify', '-', text=export, code=1)
    assert done.err.count('no commitment') == 3 and done.out == '<stdin>: games: 3, fair: 0, not proved: 3\n', (done.out,
        done.err)
    assert [int(line) for line in re.findall(r'^<stdin>:(\d+):', done.err, re.M)] == [
        i + 1 for i, line in enumerate(export.split('\n')) if line.startswith('deal 1 ')]


def case_json_errors(folder):
    """With JSON, a bad file is also reported as an object, the same in all languages."""
    bad = os.path.join(folder, 'bad.pyr')
    with open(bad, 'w', encoding='utf-8') as to:
        to.write(read(RECORD).replace('mark 1 5:b1\n', 'mark 1 5:d1\n'))
    for words in ([], ['--lang', 'de']):
        report = json.loads(run('replay', '--json', bad, '--edition', PLAIN, *words, code=1).out)
        assert report == {'file': bad, 'game': 1, 'line': 1, 'error': {'code': 'wall', 'rule': 'R9', 'line': 11,
            'column': None,
                          'message': '5:d1 includes a wall; expected open spaces only (R9)'}}, report
    missing = os.path.join(folder, 'missing')
    report = json.loads(run('replay', '--json', missing, code=1).out)
    assert report['file'] == missing and report['error']['code'] == 'file' and 'No such file' in report[
        'error']['message'], report
    report = json.loads(run('replay', '--json', RECORD, code=1).out)
    assert report['error']['code'] == 'edition' and "edition 'plain'" in report['error']['message'], report
    report = json.loads(run('replay', '--json', RECORD, '--edition', PLAIN, '--seat', '4', code=1).out)
    assert report['error']['code'] in ('seat', 'record_seat', 'record_expected'), report
    report = json.loads(run('replay', '--json', '-', text='', code=1).out)
    assert report['error']['code'] == 'text_header', report
    edition = read(PLAIN)
    for text, code, rule, line, column in (
            (edition.replace('..T..', '..T.T', 1) if '..T..' in edition else '', 'card_tomb', 'R1', None, None),
            (edition.replace('skulls 1 2', 'skulls 1 x2'), 'text_number', None, 4, 10),
            (edition.replace('title For', 'title  For'), 'text_space', None, 3, 7),
            ('', 'text_header', None, 1, None)):
        if text or code == 'text_header':
            report = json.loads(run('edition', 'check', '--json', '-', text=text, code=1).out)
            error = report['error']
            assert report['file'] == '<stdin>' and (error['code'], error['rule']) == (code, rule), report
            assert line is None or (error['line'], error['column']) == (line, column), report
    report = json.loads(run('edition', 'check', '--json', missing, code=1).out)
    assert report['error']['code'] == 'file' and report['file'] == missing, report
    lines = run('edition', 'check', '--json', PLAIN, missing, os.path.join(ROOT, 'editions/classic.edition'),
        code=1).out.splitlines()
    assert ['error' in json.loads(line) for line in lines] == [False, True, False]


def case_no_such_edition(_):
    for words in (['sim', '--games', '1'], ['bench', '--games', '1'], ['edition', 'show'], ['replay', RECORD],
        ['play', '--plain']):
        asked = ['nosuch'] if words[0] == 'edition' else ['--edition', 'nosuch']
        done = run(*words, *asked, code=1)
        assert done.err == 'pyramids: nosuch: neither a built-in edition nor a file that can be read (No such file or ' \
            'directory); built in: classic\n', done.err


def case_byte_order_mark(folder):
    """Some editors begin files with a byte order mark; it changes nothing, not even the positions in messages."""
    mark = '\ufeff'
    marked = os.path.join(folder, 'marked.edition')
    with open(marked, 'w', encoding='utf-8') as to:
        to.write(mark + read(PLAIN))
    assert "edition 'plain'" in run('edition', 'check', marked).out
    text = read(RECORD)
    for crlf in (False, True):
        record = mark + (text.replace('\n', '\r\n') if crlf else text)
        for edition in (PLAIN, marked):
            assert run('replay', '-', '--edition', edition, text=record).out == run('replay', '-', '--edition', PLAIN,
                text=text).out
    assert run('replay', '-', text=mark + '; a comment\n' + text,
        code=1).err.startswith('pyramids: <stdin>: the record uses edition')
    part = '\n'.join(text.split('\n')[:10]) + '\n'
    assert run('legal', '-', '--seat', '1', '--edition', PLAIN, text=mark + part).out == run('legal', '-', '--seat', '1',
        '--edition', PLAIN, text=part).out
    database = os.path.join(folder, 'games.db')
    assert 'records imported: 2' in run('import', '--database', database, '--edition', PLAIN, '-',
        text=mark + text + mark + text.replace(
        'player 2 greedy 1', 'player 2 greedy one')).out
    assert mark not in run('export', '--database', database).out
    for line, replaced, said in ((1, 'pyramids-record  1', '<stdin>:1: a space too many or too few at byte 17;'),
        (11, 'mark 1 5:d1', '<stdin>:11: 5:d1 includes a wall')):
        lines = text.split('\n')
        lines[line - 1] = replaced
        assert run('replay', '-', '--edition', PLAIN, text=mark + '\n'.join(lines), code=1).err.startswith(said)
    # Only at the beginning: elsewhere it is an ordinary character, and not part of a keyword.
    assert run('replay', '-', '--edition', PLAIN, text=text.replace('edition plain', mark + 'edition plain'),
        code=1).err.startswith('<stdin>:2: ')
    assert run('replay', '-', '--edition', PLAIN, text=mark + mark + text, code=1).err.startswith('<stdin>:1: ')


def case_legal(_):
    lines = read(RECORD).split('\n')

    def legal(count, seat, *more):
        return run('legal', '-', '--seat', str(seat), '--edition', PLAIN, *more,
            text='\n'.join(lines[:count]) + '\n').out.split('\n')[:-1]

    assert legal(6, 1) == ['19 30', '4 19', '4 30', '4 5', '5 19', '5 30']
    assert legal(7, 1) == [] and len(legal(7, 2)) == 6
    assert legal(9, 1) == []                             # a reveal comes first
    moves = legal(10, 2)
    assert moves == sorted(moves, key=str.encode) and '23:b1c1d1e1+23:b2' in moves and '23:b1c1d1e1' not in moves
    assert legal(18, 2) == ['draw', 'take 13', 'take 20', 'take 45', 'take 7'] and legal(18, 1) == []
    assert legal(len(lines), 1) == []
    assert json.loads('\n'.join(legal(18, 2, '--json'))) == legal(18, 2)
    assert legal(50, 1) == [] and lines[50].startswith('points')     # the points line is due first
    run('legal', RECORD, '--seat', '3', '--edition', PLAIN, code=1)
    assert ':3: ' in run('legal', '-', '--seat', '1', '--edition', PLAIN, text='\n'.join(lines[:2] + ['what']) + '\n',
        code=1).err


def case_too_many_moves(folder):
    """An edition full of crosses has more moves than can be listed: this is reported at once."""
    rows = read(PLAIN).split('\n')
    crowded = [row.replace('.', 'x').replace('r', 'x').replace('e', 'x').replace('s', 'x')
        if re.fullmatch(r'[#.vTxrefsp]{5}', row)
               else row for row in rows]
    path = os.path.join(folder, 'crowded.edition')
    with open(path, 'w', encoding='utf-8') as to:
        to.write('\n'.join(crowded))
    text = '\n'.join(read(RECORD).split('\n')[:10]) + '\n'
    done = run('legal', '-', '--seat', '1', '--edition', path, text=text, code=1)
    assert 'too many to list' in done.err and not done.out
    # Hints follow the best extra marks of each first one; they end.
    done = run('hint', '-', '--seat', '1', '--edition', path, '--playouts', '100', '--top', '3', text=text)
    assert done.out.count('+') > 40, done.out


def case_edition(folder):
    assert "edition 'plain' (For tests) is valid" in run('edition', 'check', PLAIN).out
    assert json.loads(run('edition', 'check', '--json', PLAIN).out)['name'] == 'plain'
    classic = run('edition', 'show', '--text').out
    assert classic == read(os.path.join(ROOT, 'editions/classic.edition'))
    assert run('edition', 'check', '-', text=classic).out.startswith('<stdin>: ')
    shown = run('edition', 'show', PLAIN, '1', '2').out
    assert '1 orange' in shown and '  1  v # # # #' in shown and '3 green' not in shown
    assert run('edition', 'show').out.count('a b c d e') == 48
    fresh = os.path.join(folder, 'fresh.edition')
    run('edition', 'generate', '--seed', '2026', '--out', fresh)
    assert read(fresh) == run('edition', 'generate', '--seed', '2026').out != run('edition', 'generate', '--seed',
        '2027').out
    run('edition', 'check', fresh)
    assert 'name mine\n' in run('edition', 'generate', '--name', 'mine').out
    run('sim', '--games', '5', '--edition', fresh)
    bad = run('edition', 'check', '-', text='pyramids-edition 1\nnam x\n', code=1)
    assert bad.err == "<stdin>:2: unknown word 'nam'; expected: name | title | skulls | pattern | card\n", bad.err
    bad = run('edition', 'check', '-', text='', code=1)
    assert bad.err == "<stdin>:1: wrong format: the first line must be 'pyramids-edition 1'\n", bad.err


def case_written_to(folder):
    """Output is written to the target of a path: links stay links, and a pipe or device is never replaced by a file."""
    text = run('edition', 'generate').out
    target, link = os.path.join(folder, 'target.edition'), os.path.join(folder, 'link.edition')
    os.symlink('target.edition', link)
    for seed in ('1', '2'):                    # a dangling link first, then a link to a file
        run('edition', 'generate', '--seed', seed, '--out', link)
        assert os.path.islink(link) and read(target) == run('edition', 'generate', '--seed', seed).out, seed
    pipe = os.path.join(folder, 'pipe')
    os.mkfifo(pipe)
    with subprocess.Popen(['cat', pipe], stdout=subprocess.PIPE) as reader:
        try:
            run('edition', 'generate', '--out', pipe)
            assert stat.S_ISFIFO(os.stat(pipe).st_mode), 'the pipe was replaced'
            assert reader.communicate(timeout=60)[0].decode() == text
        finally:
            reader.kill()
    out = os.path.join(folder, 'out')
    os.symlink('/dev/stdout', out)
    assert run('edition', 'generate', '--out', out).out == text
    assert sorted(os.listdir(folder)) == ['link.edition', 'out', 'pipe', 'target.edition'], os.listdir(folder)
    assert run('edition', 'generate', '--out', '-').out == text
    # If printing fails, every command reports failure, and does not write to a file instead.
    for words in (['--version'], ['--help'], ['rules'], ['sim', '--games', '1', '--records', os.path.join(folder, 'games')]):
        for closed in ('>/dev/full', '>&-'):
            done = subprocess.run(['sh', '-c', f'"$@" {closed}', 'sh', COMMAND, *words], capture_output=True, env=ENV,
                check=False)
            assert done.returncode == 1, (words, closed, done)
            assert done.stderr.endswith(b': writing to standard output failed\n'), (words, closed, done)


def case_bench(_):
    report = json.loads(run('bench', '--players', '4', '--games', '2000', '--json').out)
    assert report['games'] == 2000 and report['steps'] > 2000 * 112 and report['ns_per_step'] > 0
    again = json.loads(run('bench', '--players', '4', '--games', '2000', '--json').out)
    assert (report['steps'], report['mean_score']) == (again['steps'], again['mean_score'])
    assert 'games/s' in run('bench', '--games', '100', '--edition', PLAIN).out
    for mode in (['--batch'], ['--env'], ['--env', '--width', '7']):
        report = json.loads(run('bench', *mode, '--games', '500', '--json').out)
        assert 500 <= report['games'] < 760 and report['steps'] >= report['games'] * 112, report
        again = json.loads(run('bench', *mode, '--games', '500', '--json').out)
        assert (report['steps'], report['mean_score']) == (again['steps'], again['mean_score'])
        assert 'games/s' in run('bench', *mode, '--games', '100', '--players', '2', '--edition', PLAIN).out
    assert '--width needs --env' in run('bench', '--width', '4', code=2).err
    assert '--batch cannot be combined with --env' in run('bench', '--batch', '--env', code=2).err


def case_hint(_):
    lines = read(RECORD).split('\n')
    text = '\n'.join(lines[:10]) + '\n'
    words = ['hint', '-', '--seat', '2', '--edition', PLAIN, '--playouts', '2000']
    listed = run('legal', '-', '--seat', '2', '--edition', PLAIN, text=text).out.split('\n')[:-1]
    hints = json.loads(run(*words, '--json', '--top', '4', text=text).out)
    assert len(hints) == 4 and all(h['choice'] in listed for h in hints), hints
    assert all(0 <= h['win'] <= 1 and 0 < h['points'] < 250 for h in hints)
    assert hints == json.loads(run(*words, '--json', '--top', '4', text=text).out)         # the same seed
    shown = run(*words, text=text).out
    assert shown.split('\n')[1].startswith(hints[0]['choice']), shown
    # Codes and numbers for programs: the steps form the choice, and the effects match the content of its spaces.
    symbols = {'r': 'rubies', 'e': 'emeralds', 's': 'skulls'}
    cards = {int(n): rows.split('\n') for n, rows in re.findall(r'^card (\d+) \w+\n((?:.{5}\n){5})', read(PLAIN) + '\n',
        re.M)}
    for hint in json.loads(run(*words, '--json', '--top', '40', text=text).out):
        parts = [(step['card'], step['spaces']) for step in hint['steps']]
        assert all(step['kind'] == 'mark' for step in hint['steps']) and not {'gains', 'text'} & set(hint)
        assert '+'.join(f'{card}:{"".join(spaces)}' for card, spaces in parts) == hint['choice'], hint
        marked = [cards[card][int(space[1]) - 1]['abcde'.index(space[0])] for card, spaces in parts for space in spaces]
        effects = {effect['code']: effect for effect in hint['effects']}
        for char, code in symbols.items():
            if 'p' not in marked or code != 'skulls':
                assert effects.get(code, {'count': 0})['count'] == marked.count(char), (hint, marked)
        assert ('torch' in effects) == ('f' in marked) and effects.get('torch', {'round': 1})['round'] == 1, (hint, marked)
        assert ('pyramid' in effects) == ('T' in marked), (hint, marked)
    # The view of the seat is enough, and gives the same result.
    view = text.replace('deal 1 19 30 4 5\n', '')
    assert json.loads(run(*words, '--view', '--json', '--top', '4', text=view).out) == hints
    assert json.loads(run('hint', RECORD, '--seat', '1', '--edition', PLAIN, '--json').out) == []
    for cut, seat in ((6, '1'), (18, '2')):                # keeping and replacing
        hints = json.loads(run('hint', '-', '--seat', seat, '--edition', PLAIN, '--playouts', '1000', '--json',
                               text='\n'.join(lines[:cut]) + '\n').out)
        for step in hints[0]['steps']:
            assert (step['kind'] == 'keep' and len(step['cards']) == 2) or step['kind'] == 'draw' or (step['kind'],
                1 <= step['card'] <= 48) == ('take', True)
        for hint in hints:
            if hint['choice'].startswith('take'):
                assert hint['effects'][0]['code'] == 'way' and 5 <= hint['effects'][0]['spaces'] <= 25, hint
        assert hints and hints[0]['choice'] in ('draw', *run('legal', '-', '--seat', seat, '--edition', PLAIN,
                                                             text='\n'.join(lines[:cut]) + '\n').out.split('\n'))


def case_analyze(folder):
    page = os.path.join(folder, 'report.html')
    named = os.path.join(folder, 'named.pyr')
    with open(named, 'w', encoding='utf-8') as to:
        to.write(read(RECORD).replace('player 1 random 2', 'player 1 <b>Zoë & "Co"</b>'))
    words = ['analyze', named, '--edition', PLAIN, '--playouts', '200', '--json']
    report = json.loads(run(*words, '--html', page).out)
    assert report == json.loads(run(*words, '--threads', '1').out)             # the number of threads changes nothing
    assert report['finished'] and len(report['players']) == 2
    for player, points in zip(report['players'], (43, 138)):
        assert player['points'] == points
        assert abs(player['points'] - player['luck'] - player['skill']) < 0.02
        assert abs(player['skill'] - player['par'] - player['gained'] - player['rest']) < 0.05
    weak, strong = report['players']
    assert weak['error_rate'] > strong['error_rate'] and weak['class'] == 'novice', report['players']
    text = read(RECORD).split('\n')
    made = [line for line in text if line.split(' ')[0] in ('keep', 'mark', 'take', 'draw')]
    assert len(report['decisions']) == len(made)
    for decision in report['decisions']:
        assert decision['points_lost'] >= 0 and decision['mark'] in ('', '?!', '?', '??')
        assert text[decision['line'] - 1].split(' ')[1] == str(decision['seat'])
    events = [line for line in text if line.split(' ')[0] in ('reveal', 'show', 'draw')]
    assert len(report['chance']) == len(events) + 1        # and the deal
    for event in report['chance']:
        assert abs(sum(event['win']) - 1) < 0.01 and abs(sum(event['win_luck'])) < 0.02
    html = read(page)
    assert html.startswith('<!doctype html>') and '&lt;b&gt;Zoë &amp; &quot;Co&quot;&lt;/b&gt;' in html and '<b>Zo' not \
        in html
    # Random events are described in words, not as lines of the record.
    moments = re.findall(r'<td class="t">([^<]*)</td><td>[+-]?\d', html.split('The luckiest moments')[1])
    assert len(moments) == 10 and not re.search(r'\b(reveal|show|draw|deal) \d', html), moments
    assert all(re.fullmatch(r'Pattern \w+ is revealed\.|New in the display: \d+(, \d+)*\.|.* draws card \d+ from the '
        r'deck\.|The first cards are dealt\.', m) for m in moments), moments
    assert '<polyline' in html and 'http' not in html and '<script' not in html and 'viewport' in html
    # An unfinished game can be analysed, too.
    part = '\n'.join(text[:40]) + '\n'
    assert not json.loads(run('analyze', '-', '--edition', PLAIN, '--playouts', '100', '--json', text=part).out)['finished']
    assert 'points = luck + skill' in run('analyze', '-', '--edition', PLAIN, '--playouts', '100', text=part).out
    run('analyze', '-', '--edition', PLAIN, text='\n'.join(text[:4]) + '\n', code=1)


def case_analyze_unfinished(_):
    """Equal things are compared, and players without a choice are not judged."""
    text = read(RECORD).split('\n')
    whole = json.loads(run('analyze', RECORD, '--edition', PLAIN, '--playouts', '400', '--json').out)
    for count in cases.times((6, 7, 8, 10, 11, 40, 100), (7, 11, 40)):
        part = '\n'.join(text[:count]) + '\n'
        words = ['analyze', '-', '--edition', PLAIN, '--playouts', '400']
        report = json.loads(run(*words, '--json', text=part).out)
        shown = run(*words, text=part).out
        standing = json.loads(run('replay', '--json', '-', '--edition', PLAIN, text=part).out)
        chosen = {line.split(' ')[1] for line in text[:count] if line.split(' ')[0] in ('keep', 'mark', 'take', 'draw')}
        legal = [run('legal', '-', '--seat', str(seat), '--edition', PLAIN, text=part).out for seat in (1, 2)]
        for player, before, now, choices in zip(report['players'], whole['players'], standing['players'], legal):
            seat = str(player['seat'])
            assert player['points'] == now['total'], player
            # Usual play from here: near par at first, since par is the result of usual play; never the few points so far.
            assert abs(player['par'] - before['par']) < 1e-6 and player['expected'] > player['points'], player
            assert count > 11 or abs(player['expected'] - player['par'] - player['luck']) < 12, player
            assert abs(player['expected'] - player['luck'] - player['skill']) < 0.02
            assert abs(player['skill'] - player['par'] - player['gained'] - player['rest']) < 0.05
            assert (player['class'] is None) == (player['error_rate'] is None) == (seat not in chosen), player
            assert player['waiting'] == bool(choices), (player, choices)
            name = re.escape(player['name'])
            assert bool(re.search(rf'^{name} has not made any choice yet\.$', shown, re.M)) == (seat not in chosen), shown
            assert bool(re.search(rf'^{name} has not chosen this turn yet\.$', shown, re.M)) == (seat in chosen
                and bool(choices)), shown
            if seat not in chosen:
                assert re.search(rf'^{seat} {name} .* -$', shown, re.M) and not re.search(rf'^{seat} {name} .*\(', shown,
                    re.M), shown
        assert 'expected final points = luck + skill' in shown and 'expected' in shown, shown
    for player in whole['players']:
        assert player['expected'] == player['points'] and not player['waiting'], player


def case_analyze_page(folder):
    """A page is written to the given path, but never replaces a file of another kind."""
    record, page, other = (os.path.join(folder, name) for name in ('g.pyr', 'report.html', 'other.html'))
    text = read(RECORD)
    for path, content in ((record, text), (other, '<!doctype html><title>My diary</title>')):
        with open(path, 'w', encoding='utf-8') as to:
            to.write(content)
    words = ['analyze', record, '--edition', PLAIN, '--playouts', '100']
    html = run(*words, '--html', '-')
    assert html.out.startswith('<!doctype html>') and html.out.endswith('</html>\n') and html.err == ''
    for path in (record, other):
        done = run(*words, '--html', path, code=1)
        assert f"'{path}' exists and is not a report" in done.err and not done.out, done.err
    assert read(record) == text and 'diary' in read(other)
    link = os.path.join(folder, 'link.html')
    os.symlink('g.pyr', link)
    run(*words, '--html', link, code=1)
    run(*words, '--html', page)
    assert read(page) == html.out
    run(*words, '--html', page, '--seed', '2')               # a report may replace a report
    assert read(page) != html.out and read(page).startswith('<!doctype html>') and read(record) == text
    assert sorted(os.listdir(folder)) == ['g.pyr', 'link.html', 'other.html', 'report.html']
    assert 'standard output' in run(*words, '--html', '-', '--json', code=2).err


class Player:
    """Plays `play --plain` through its prompts."""

    def __init__(self, *words):
        self.process = subprocess.Popen([COMMAND, 'play', '--plain', *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, bufsize=0, env=ENV)
        self.last = self.until_prompt()

    def until_prompt(self):
        text = ''
        while not text.endswith('\n> '):
            char = self.process.stdout.read(1)
            if not char:
                self.process.wait(60)
                return text
            text += char
        return text

    def say(self, line):
        self.process.stdin.write(line + '\n')
        self.last = self.until_prompt()
        return self.last

    def is_running(self):
        return self.last.endswith('> ')

    def choices(self):
        return [line for line in self.say('?').split('\n') if re.fullmatch(r'\d+ \d+|\d+:[a-e1-5]\S*|take \d+|draw|-', line)]


def case_play(folder):
    rng = random.Random(4)
    saved = os.path.join(folder, 'saved.pyr')
    player = Player('--players', '3', '--bots', 'greedy,random', '--seed', '8', '--edition', PLAIN, '--name', 'Zoë')
    turns = 0
    while player.is_running():
        choices = player.choices()
        assert choices and 'neither a command' in player.say('nonsense')
        player.say(rng.choice(choices))
        turns += 1
        if turns == 6:
            before = player.choices()
            player.say(rng.choice(before))
            player.say('undo')
            assert player.choices() == before
            assert 'Saved as' in player.say('save ' + saved)
        assert turns < 60
    assert 'The game is over.' in player.last and 'winner: ' in player.last and 'Zoë' in player.last, player.last
    assert player.process.returncode == 0
    # The saved game is unfinished.
    assert 'under way' in run('replay', saved, '--edition', PLAIN).out
    for seed in range(4):
        player = Player(saved, '--edition', PLAIN, '--bots', 'greedy', '--seed', str(seed))
        while player.is_running():
            player.say(rng.choice(player.choices()))
        assert 'The game is over.' in player.last, player.last
    # A finished game only shows its end.
    assert 'The game is over.' in run('play', RECORD, '--edition', PLAIN).out


def case_play_saves(folder):
    """Without a full screen, too, a game is saved after every choice, however it ends, and all unfinished games are
    offered."""
    games = os.path.join(folder, 'data/pyramids/games')
    # Nothing is written before the first choice.
    run('play', '--plain', text='look\nquit\n')
    assert 'No unfinished games' in run('play', '--list').out and not os.listdir(games)
    player = Player('--seed', '5', '--bots', 'novice', '--name', 'Zoë')
    player.say('33 36')
    for _ in range(6):
        player.say(player.choices()[0])
    before = player.say('log').split('> ')[0]
    player.process.kill()
    player.process.wait()
    name = [entry for entry in os.listdir(games) if entry.endswith('.pyr')][0][:-4]
    assert [line for line in read(os.path.join(games, name + '.pyr')).split('\n') if line and not line.startswith(';') and
            not line.startswith('deal 2')] == [line for line in before.split('\n')[1:] if line]
    second = begin_game()
    listed = run('play', '--list').out.split('\n')
    assert len(listed) == 4 and second in listed[0] and 'Ana, novice 2: Round 1 of 4, turn 1 of 7' in listed[0], listed
    assert name in listed[1] and 'Zoë' in listed[1], listed
    # Without a terminal it prints a hint instead of asking.
    assert "2 unfinished games are saved: 'pyramids play --list' shows them" in run('play', '--plain', text='').out
    assert 'unfinished' not in run('play', '--plain', '--new', text='').out
    # The older one by its name, the newer one as the newest; with the same cards, whatever today's seed is.
    deal = {which: [line for line in run('play', '--plain', *words, text='log\n').out.split('\n')
        if line.startswith(('player', 'deal', 'show', 'reveal'))]
            for which, words in (('older', ['--resume', name]), ('newer', ['--continue']),
            ('file', ['--resume', name + '.pyr']))}
    assert 'player 1 Zoë' in deal['older'] and deal['older'] == deal['file'] and 'player 1 Ana' in deal['newer'], deal
    assert run('play', '--plain', '--resume', 'nosuch',
        code=1).err.startswith("pyramids: unknown saved game 'nosuch'; 'pyramids play --list'")
    for bad in ('../' + name, '.', '/etc/passwd', 'a' * 5000):
        run('play', '--plain', '--resume', bad, code=1)
    # To the end: earlier choices are kept, and a finished game is no longer offered.
    player = Player('--resume', name)
    other = subprocess.run([COMMAND, 'play', '--plain', '--resume', name], input=b'', capture_output=True, env=ENV,
        timeout=60)
    assert other.returncode == 1 and b'in another window' in other.stderr, other.stderr
    while player.is_running():
        player.say(player.choices()[0])
    assert 'The game is over.' in player.last and player.process.returncode == 0
    assert json.loads(run('replay', '--json', os.path.join(games, name + '.pyr')).out)['finished']
    left = run('play', '--list').out.split()
    assert name not in left and second in left, left
    # If nothing can be written, the game reports it and can still be played.
    ENV['XDG_DATA_HOME'] = '/proc/none'
    done = run('play', '--plain', text='')
    assert 'this game cannot be saved' in done.err and 'resume' not in done.out, done.err


def case_play_tells(_):
    """The log of a line-by-line game: completed pyramids with number and colour for every player, and at the end what
    decided the game."""
    player = Player('--seed', '3', '--bots', 'club', '--players', '3', '--name', 'Ana', '--new')
    told = player.last
    while player.is_running():
        told += player.say(player.choices()[-1])
    completed = re.findall(r'^  (.+) completes card (\d+), (green|orange|purple)\.$', told, re.M)
    last = dict(re.findall(r'^  (\S.*?): points -?\d+;.* pyramids: (.*)$', told, re.M))
    assert len(completed) > 5 and len({name for name, _, _ in completed}) >= 2, completed
    # The score cards list exactly those pyramids, under their colours.
    for name, listed in last.items():
        for group in [] if listed == 'none' else listed.split(', '):
            colour, *numbers = group.split(' ')
            for number in numbers:
                assert number.startswith('+') or (name, number, colour) in completed, (name, group, completed)
    won = r'^(.+ wins\. \d+ points, \d+ more than|.+ wins the tie\.|.+ share the win\.)'
    assert re.search(won, player.last, re.M), player.last


def case_undo_draw(_):
    """Q5: a card drawn from the deck has been seen; no number of undos takes that back."""
    player = Player('--seed', '3', '--bots', 'novice', '--name', 'Ana', '--new')
    for _ in range(200):
        assert player.is_running()
        choices = player.choices()
        if 'draw' in choices:
            break
        player.say(next((c for c in choices if '+' not in c), choices[0]) if len(choices) < 2 else max(choices, key=len))
    player.say('draw')
    lines = player.say('log')
    assert re.search(r'^draw 1 ', lines, re.M), lines
    assert 'can no longer be taken back (Q5)' in player.say('undo') and player.say('log') == lines
    # A choice after it can be taken back, but only that one.
    while 'draw' in player.choices() or any(c.startswith('take') for c in player.choices()):
        player.say('draw')
        lines = player.say('log')
    player.say(player.choices()[0])
    for _ in range(5):
        player.say('undo')
    drawn = re.findall(r'^draw 1 .*$', lines, re.M)
    assert re.findall(r'^draw 1 .*$', player.say('log'), re.M) == drawn
    player.process.kill()
    player.process.wait()


def case_play_extras(_):
    """Extra marks may be typed one by one, and undone one by one."""
    rng = random.Random(1)
    player = Player('--seed', '5', '--edition', PLAIN)
    for _ in range(200):
        if not player.is_running():
            player = Player('--seed', str(rng.randrange(1000)), '--edition', PLAIN)
        choices = player.choices()
        long = [c for c in choices if '+' in c]
        if not long:
            player.say(rng.choice(choices))
            continue
        parts = rng.choice(long).split('+')
        assert 'extra mark' in player.say(parts[0])
        listed = player.choices()
        assert listed == [c for c in choices if c.startswith(parts[0] + '+')]
        assert 'Taken back' in player.say('undo') and player.choices() == choices
        player.say(parts[0])
        for part in parts[1:]:
            player.say(part)
        assert '+'.join(parts) in player.say('log')
        player.process.kill()
        player.process.wait()
        return
    raise AssertionError('no extra mark in 200 choices')


def case_play_typos(_):
    """As people type: capitals, commas and the order of spaces do not matter. The answer to an unknown command says
    what to type instead."""
    def last(*typed):
        done = run('play', '--plain', '--seed', '5', '--bots', 'novice', '--name', 'Ana',
            text='\n'.join(typed) + '\nlog\n').out
        return [line for line in done.split('\n') if re.match(r'(keep|mark) 1 ', line)][-1:], done
    for typed in ('33 36', ' 33   36 ', '33,36', '33, 36', 'Keep 33 36', '33 - 36', 'keep 33 and 36', '33 & 36', '36 33'):
        assert last(typed)[0] in (['keep 1 33 36'], ['keep 1 36 33']), typed
    for typed in ('33:d1e1', '33:D1E1', '33 d1e1', '33: d1 e1', 'mark 33 e1 d1', '33:e1d1', '33:d1,e1', 'MARK 33:d1e1',
        '33d1e1'):
        assert last('33 36', typed)[0] == ['mark 1 33:d1e1'], typed
    for typed in ('hlep', 'pass please', 'quit now', 'd1e1'):
        assert f"'{typed}' is neither a command nor a legal choice; type help for a list.\n" in last('33 36',
            typed)[1], typed
    for typed in ('33', '33:', '33:z9', '33:d1d1', '33:d', '33 36 11', '-33', '33:d1+', ':', '33:d1e1+36:',
        '999999999999:a1'):
        found, done = last('33 36', typed)
        assert found == ['keep 1 33 36'] and 'No: ' in done, (typed, done)
    for typed in ('33', '33 33', '33 36 11', '33 1', '33 36x', 'x33 36'):
        assert not last(typed)[0] and re.search('^No: |^Type the numbers|neither a command', last(typed)[1], re.M), typed
        assert typed in ('33 1', '33 33', 'x33 36') or 'two of your four cards, such as 33 36' in last(typed)[1], typed
    assert 'The game is not finished.' in last('33 36', 'EXIT')[1] and 'reveal' not in last('EXIT')[1]
    assert last('33 36', 'Help')[1].count('Type a choice or a command') == last('33 36',
        'H')[1].count('Type a choice or a command') == 1
    # Replacing: the number of a card is enough.
    rng = random.Random(2)
    player = Player('--seed', '5', '--edition', PLAIN)
    while player.is_running() and 'take' not in '\n'.join(choices := player.choices()):
        player.say(rng.choice(choices))
    card = next(choice for choice in choices if choice.startswith('take ')).split()[1]
    assert f'takes card {card} from the display.' in player.say(card), player.last
    player.process.kill()
    player.process.wait()


def case_play_ends(_):
    assert 'not finished' in run('play', '--plain', '--seed', '1', text='').out          # end of input
    assert 'not finished' in run('play', '--plain', '--seed', '1', text='quit\n').out
    done = run('play', '--plain', '--seed', '1', text=b'\xff\xfe\x00\x01\n' + b'a' * 100000 + b'\n?\n').out
    assert '(6 legal choices)' in done


def until_caught(process, number):
    """Waits until a process has installed its own handler for a signal."""
    end = time.monotonic() + 60
    while not int(re.search(r'^SigCgt:\s+(\w+)', read(f'/proc/{process.pid}/status'), re.M)[1], 16) >> (number - 1) & 1:
        assert time.monotonic() < end and process.poll() is None, 'no handler'
        time.sleep(0.01)


def until_busy(process, seconds):
    """Waits until the process has used so many seconds of processor time."""
    while process.poll() is None:
        with open(f'/proc/{process.pid}/stat', encoding='ascii') as stat_file:
            used = stat_file.read().rsplit(')', 1)[1].split()
        if (int(used[11]) + int(used[12])) / os.sysconf('SC_CLK_TCK') >= seconds:
            return
        time.sleep(0.01)


def case_interrupt_at_once(folder):
    """A signal in the middle of a decision that would take far longer than the test: it ends at once."""
    page = os.path.join(folder, 'report.html')
    under_way = '\n'.join(read(RECORD).split('\n')[:10]) + '\n'
    for words in (['sim', '--bots', 'master', '--nodes', '1000000000', '--games', '2'],
                  ['sim', '--bots', 'flatmc', '--nodes', '1000000000', '--games', '2', '--json', '--threads', '1'],
                  ['analyze', RECORD, '--edition', PLAIN, '--playouts', '10000000', '--threads', '1', '--html', page,
                  '--json'],
                  ['hint', '-', '--seat', '1', '--edition', PLAIN, '--playouts', '10000000', '--json']):
        process = subprocess.Popen([COMMAND, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=ENV)
        process.stdin.write(under_way.encode())
        process.stdin.close()
        process.stdin = None
        until_caught(process, signal.SIGINT)
        until_busy(process, 0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=100)
        assert process.returncode == 130, (words, process.returncode, out, err)
        assert out == b'' and (b'no results' in err) == (words[0] == 'sim'), (words, out, err)
    assert os.listdir(folder) == [], os.listdir(folder)


def case_interrupt(_):
    for words in (['sim', '--games', '100000000', '--threads', '2'], ['bench', '--games', '1000000000'],
        ['play', '--plain']):
        process = subprocess.Popen([COMMAND, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=ENV)
        until_caught(process, signal.SIGINT)
        time.sleep(0.3)                              # in the middle of it
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 130, (words, process.returncode, out, err)
        if words[0] == 'sim':
            assert b'players: 2' in out              # the games played so far are reported


def case_hostile(_):
    """Arbitrary bytes: exit 0 or 1, never a crash or a hang."""
    rng = random.Random(3)
    record, edition = read(RECORD).encode(), read(PLAIN).encode()
    for i in range(60):
        base = bytearray(record if i % 2 else edition)
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(base))
            kind = rng.randrange(3)
            if kind == 0:
                base[at] = rng.randrange(256)
            elif kind == 1:
                del base[at:at + rng.randrange(1, 200)]
            else:
                base[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 40)))
        for words in (['replay', '-', '--edition', PLAIN], ['legal', '-', '--seat', '1', '--edition', PLAIN],
            ['edition', 'check', '-']):
            done = subprocess.run([COMMAND, *words], input=bytes(base), capture_output=True, env=ENV, timeout=60)
            assert done.returncode in (0, 1), (words, done.returncode, done.stderr)
    for data in (b'', b'\n' * 100000, b'\0' * 1000, b'a' * 5000000, b'pyramids-record 1\n' * 1000, b'tag a b\n' * 100000,
                 b'pyramids-record 1\nedition plain\nplayer 1 a\nplayer 2 b\n' + b'tag a b\n' * 100000):
        for words in (['replay', '-', '--edition', PLAIN], ['edition', 'check', '-'], ['play', '-', '--edition', PLAIN]):
            done = subprocess.run([COMMAND, *words], input=data, capture_output=True, env=ENV, timeout=60)
            assert done.returncode in (0, 1), (words, done.returncode, done.stderr)


if __name__ == '__main__':
    cases.main(globals(), begin=lambda folder: ENV.update(XDG_DATA_HOME=os.path.join(folder, 'data')))
