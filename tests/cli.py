#!/usr/bin/env python3
"""Drives the command as people and scripts do. usage: cli.py PYRAMIDS SOURCE_ROOT [CASE]"""
import json
import os
import random
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
import traceback

COMMAND, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PLAIN = os.path.join(ROOT, 'tests/data/plain.edition')
RECORD = os.path.join(ROOT, 'tests/data/plain-2.pyr')
ENV = dict(os.environ, LC_ALL='C.UTF-8', LANGUAGE='en')


class Done:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


def run(*words, text='', code=0):
    """Runs the command, expects an exit code, gives back what it printed."""
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
    for name in ('play', 'rules', 'sim', 'replay', 'legal', 'hint', 'analyze', 'edition', 'bench'):
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
    assert re.match(r'pyramids \d+\.\d+\.\d+\n$', run('--version').out)


def case_rules(_):
    """The rules by tag, by word and in full, from the texts that the terminal client shows, too."""
    tags = [f'R{n}' for n in range(1, 18)] + [f'Q{n}' for n in range(1, 11)] + [f'E{n}' for n in range(1, 6)]
    rules = {rule['tag']: rule for rule in json.loads(run('rules', '--json').out)['rules']}
    assert list(rules) == tags
    listed = run('rules').out
    for tag, rule in rules.items():
        assert rule['section'] and rule['title'] and all(rule['text']), rule
        assert re.search(rf'^  {tag} +{re.escape(rule["title"])}$', listed, re.M), listed
        shown = run('rules', tag.lower()).out
        assert ' '.join(shown.split()) == ' '.join([tag, rule['title'], *rule['text']]), shown
    # What a player needs to know of each (RULES.md).
    for tag, words in {'R1': 'number from 1 to 48|replaces cards first|pyramid points first|wins a tie', 'R8': 'pattern|exactly one space',
                       'R10': 'entrance|touches', 'R11': 'Red cross|After the tenth|at most one a round|two worst skulls|Tomb',
                       'R12': 'face up until the end|Everyone may look', 'R14': '2nd, 4th or 6th|10, then 6, then 3|same colour several times',
                       'R17': 'lowest-numbered', 'Q3': 'lost|must be made', 'E1': '70 + 10 + 19 + 18 - 6 = 111|Four green|two orange'}.items():
        text = ' '.join(rules[tag]['text'])
        assert all(word in text for word in words.split('|')), (tag, text)
    assert 'skull on the score card. After the tenth nothing' in ' '.join(rules['R11']['text'])
    # Whatever is printed fits a terminal, in every language, and nothing is lost in the flow.
    for code in ('en', 'de', 'es', 'fr', 'it', 'pt'):
        text = run('rules', '--all', '--lang', code).out
        assert all(len(line) <= 80 for line in text.splitlines()), max(text.splitlines(), key=len)
        assert [line.split()[0] for line in text.splitlines() if re.match(r'[RQE]\d+ ', line)] == tags
        told = json.loads(run('rules', '--json', '--lang', code).out)
        assert told['language'] == code and [rule['tag'] for rule in told['rules']] == tags
    # Several tags, words in any case, accents included; what is not there is named.
    assert re.findall(r'^[RQE]\d+', run('rules', 'e1', 'R10').out, re.M) == ['R10', 'E1']
    assert re.findall(r'^[RQE]\d+', run('rules', 'TORCH').out, re.M) == [tag for tag in tags if 'torch' in json.dumps(rules[tag]).lower()]
    assert run('rules', '--lang', 'de', 'TOTENKÖPFE').out == run('rules', '--lang', 'de', 'totenköpfe').out
    done = run('rules', 'nosuch', code=1)
    assert 'nosuch' in done.err and 'R1-R17, Q1-Q10, E1-E5' in done.err and not done.out, done.err
    run('rules', '--all', 'R1', code=2)


def case_wrong_usage(_):
    for words in (['nonsense'], ['sim', '--nonsense'], ['sim', '--games'], ['sim', '--games', 'x'], ['sim', '--games', '0'],
                  ['sim', '--players', '5'], ['sim', '--bots', 'nobody'], ['sim', '--bots', 'greedy,greedy,greedy', '--players', '2'],
                  ['sim', '--bots', 'random,random,random,random,random'], ['replay'], ['legal'], ['legal', RECORD],
                  ['legal', RECORD, '--seat', '5'], ['edition'], ['edition', 'nonsense'], ['edition', 'check'],
                  ['edition', 'show', 'classic', '49'], ['edition', 'generate', '--seed', '-1'], ['edition', 'generate', '--name', 'a b'],
                  ['bench', '--players', '1'], ['bench', 'extra'], ['play', '--players', '9'], ['play', '--seat', '3'],
                  ['play', '--name', 'a\nb'], ['play', '--bots', 'nobody'], ['sim', '--json=yes'], ['play', '--table', 'K7QXMWRT'],
                  ['play', '--key', 'K'], ['play', '--trust', PLAIN]):
        done = run(*words, code=2)
        assert done.err.startswith('pyramids: ') or done.err.startswith('Usage: '), (words, done.err)
    run(code=2)
    assert 'there are: random novice' in run('play', '--bots', 'nobody', code=2).err
    # An option that wants a value has none if it is empty.
    for words in (['play', '--name='], ['play', '--bots', ''], ['sim', '--edition', ''], ['analyze', RECORD, '--html='], ['serve', '--port=']):
        done = run(*words, code=2)
        assert re.match(r"pyramids: option '--\w+=?' wants a value: \S+\nUsage: ", done.err), (words, done.err)


def begin_game(*words, typed='33 36'):
    """Begins a game against a novice and leaves it after one choice. Gives back the name it is saved under."""
    out = run('play', '--plain', '--new', '--seed', '5', '--bots', 'novice', '--name', 'Ana', *words, text=typed + '\nquit\n').out
    return re.search(r'^Continue with: pyramids play --plain --resume (\S+)$', out, re.M)[1]


def case_contradictions(_):
    """Every pair of options of `play`: two that make no sense together are refused by name, and no others are."""
    values = {'plain': (), 'players': ('2',), 'bots': ('club',), 'seed': ('1',), 'edition': (PLAIN,), 'name': ('Ana',), 'seat': ('1',), 'hot-seat': ('Ana',),
              'new': (), 'continue': (), 'list': (), 'resume': (begin_game(),), 'server': ('https://localhost:1',), 'table': ('K7QXMWRT',), 'key': ('K',), 'trust': (PLAIN,), 'replay': (RECORD,),
              'playouts': ('100',), 'ascii': ()}
    assert set(values) == set(re.findall(r'^  (?:-\w, )?--([a-z-]+)', run('play', '--help').out, re.M)) - {'lang', 'help'}
    refused = {'server': 'plain players bots seed edition seat hot-seat new continue list resume replay',
               'replay': 'plain players bots seed name seat hot-seat new continue list resume', 'hot-seat': 'plain name seat', 'continue': 'new',
               'plain': 'playouts', 'resume': 'new continue players name hot-seat',
               'list': 'new continue resume players bots seed name seat hot-seat playouts'}
    needs = {'table': 'server', 'trust': 'server', 'key': 'table'}
    names = list(values)
    for i, one in enumerate(names):
        for other in names[i + 1:]:
            done = subprocess.run([COMMAND, 'play', f'--{one}', *values[one], f'--{other}', *values[other]], input=b'', capture_output=True, env=ENV, timeout=60)
            err = done.stderr.decode()
            if other in refused.get(one, '').split() or one in refused.get(other, '').split():
                assert done.returncode == 2 and err in (f'pyramids: --{a} and --{b} do not go together\n' for a, b in ((one, other), (other, one))), (one, other, err)
            elif any(need in (one, other) and needs[need] not in (one, other) for need in needs):
                assert done.returncode == 2 and re.search(r"option '--\w+' goes with --\w+ only", err), (one, other, err)
            else:
                alone = {'server', 'replay', 'hot-seat'} & {one, other}      # nothing is wrong but that there is no terminal here
                assert 'together' not in err and 'goes with' not in err and done.returncode == (2 if alone else 0), (one, other, err)
                assert not alone or 'need a terminal' in err, (one, other, err)
    for name in values:
        done = subprocess.run([COMMAND, 'play', RECORD, '--edition', PLAIN, f'--{name}', *values[name]], input=b'', capture_output=True, env=ENV, timeout=60)
        wanted = name in ('players', 'name', 'new', 'continue', 'list', 'resume', 'server', 'replay')
        assert (done.stderr.decode() == f'pyramids: --{name} does not go with a file to play on\n' and done.returncode == 2) == wanted, (name, done.stderr)
    # A link that names a table, and a certificate where there is none; more people or bots than seats; cards of what is shown as it stands.
    for words, said in ((['play', '--server', 'https://localhost:1/#table/K7QXMWRT', '--table', 'K7QXMWRT'], 'the address names a table already'),
                        (['play', '--server', 'http://localhost:1', '--trust', PLAIN], '--trust goes with an address that begins with https:// only'),
                        (['play', '--players', '2', '--bots', 'club,club'], '--bots: more than there are seats for them (1)'),
                        (['play', '--players', '3', '--hot-seat', 'A,B,C', '--bots', 'club'], '--bots: more than there are seats for them (0)'),
                        (['play', '--players', '2', '--hot-seat', 'A,B,C'], '--hot-seat: there are only 2 players'),
                        (['play', '--bots', 'club,club,club,club'], '--bots: more than there are seats for them (3)'),
                        (['edition', 'show', 'classic', '17', '--text'], '--text does not go with cards'),
                        (['serve', '--quick', '100', '--relaxed', '50'], '--quick is longer than --relaxed')):
        assert said in run(*words, code=2).err, words
    assert 'A game of 3 players' in run('play', '--bots', 'novice,club').out         # as many as are named


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
        done = run('sim', '--players', '3', '--bots', 'greedy,random,greedy', '--games', '40', '--seed', '11', '--threads', threads, '--json')
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
        run('sim', '--players', '4', '--bots', 'greedy,random', '--games', '6', '--seed', '3', '--threads', threads, '--records', where)
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
    """One shuffle tells nothing about its margin, and none is claimed."""
    done = run('sim', '--games', '1', '--bots', 'greedy,random').out
    assert done.count('+-   ?') == 4 and '+-0' not in done and '+- 0' not in done and done.count('+-?') == 1, done
    for games, known in (('2', False), ('4', True)):     # each shuffle is played by both seatings
        bots = json.loads(run('sim', '--games', games, '--bots', 'greedy,random', '--json').out)['bots']
        margins = [bot[name] for bot in bots for name in ('win_margin', 'score_margin', 'elo_margin')]
        assert [margin is not None for margin in margins] == [known, known, True, known, known, known], (games, bots)
        assert bots[0]['elo'] == bots[0]['elo_margin'] == 0, bots      # to itself, which is certain


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
    assert 'winner: 2 greedy 1' in done.out              # the second file is checked all the same
    done = run('replay', RECORD, code=1)
    assert "edition 'plain'" in done.err and '--edition' in done.err
    assert run('replay', RECORD, '--edition', 'classic', code=1).err.startswith(RECORD + ":2: the record is of edition 'plain'")
    # What one seat sees: without the other's deal only --seat can follow it.
    view = text.replace('deal 2 23 37 6 44\n', '')
    run('replay', '-', '--edition', PLAIN, '--seat', '1', text=view)
    assert ':6: ' in run('replay', '-', '--edition', PLAIN, text=view, code=1).err
    assert 'there is no seat 3' in run('replay', RECORD, '--edition', PLAIN, '--seat', '3', code=1).err


def case_legal(_):
    lines = read(RECORD).split('\n')

    def legal(count, seat, *more):
        return run('legal', '-', '--seat', str(seat), '--edition', PLAIN, *more, text='\n'.join(lines[:count]) + '\n').out.split('\n')[:-1]

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
    assert ':3: ' in run('legal', '-', '--seat', '1', '--edition', PLAIN, text='\n'.join(lines[:2] + ['what']) + '\n', code=1).err


def case_too_many_moves(folder):
    """An edition full of crosses has more moves than anyone can list: said so, at once."""
    rows = read(PLAIN).split('\n')
    crowded = [row.replace('.', 'x').replace('r', 'x').replace('e', 'x').replace('s', 'x') if re.fullmatch(r'[#.vTxrefsp]{5}', row)
               else row for row in rows]
    path = os.path.join(folder, 'crowded.edition')
    with open(path, 'w', encoding='utf-8') as to:
        to.write('\n'.join(crowded))
    text = '\n'.join(read(RECORD).split('\n')[:10]) + '\n'
    done = run('legal', '-', '--seat', '1', '--edition', path, text=text, code=1)
    assert 'too many to list' in done.err and not done.out


def case_edition(folder):
    assert "edition 'plain' (For tests) is good" in run('edition', 'check', PLAIN).out
    assert json.loads(run('edition', 'check', '--json', PLAIN).out)['name'] == 'plain'
    classic = run('edition', 'show', '--text').out
    assert classic == read(os.path.join(ROOT, 'editions/classic.edition'))
    assert run('edition', 'check', '-', text=classic).out.startswith('<stdin>: ')
    shown = run('edition', 'show', PLAIN, '1', '2').out
    assert '1 orange' in shown and '  1  v # # # #' in shown and '3 green' not in shown
    assert run('edition', 'show').out.count('a b c d e') == 48
    fresh = os.path.join(folder, 'fresh.edition')
    run('edition', 'generate', '--seed', '2026', '--out', fresh)
    assert read(fresh) == run('edition', 'generate', '--seed', '2026').out != run('edition', 'generate', '--seed', '2027').out
    run('edition', 'check', fresh)
    assert 'name mine\n' in run('edition', 'generate', '--name', 'mine').out
    run('sim', '--games', '5', '--edition', fresh)
    bad = run('edition', 'check', '-', text='pyramids-edition 1\nnam x\n', code=1)
    assert bad.err == "<stdin>:2: unknown word 'nam'; expected: name | title | skulls | pattern | card\n", bad.err


def case_written_to(folder):
    """What is written goes to where a path leads: links stay links, and what is no plain file (a pipe, a device) is never replaced by one."""
    text = run('edition', 'generate').out
    target, link = os.path.join(folder, 'target.edition'), os.path.join(folder, 'link.edition')
    os.symlink('target.edition', link)
    for seed in ('1', '2'):                    # a link to nothing yet, then to a file
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


def case_bench(_):
    report = json.loads(run('bench', '--players', '4', '--games', '2000', '--json').out)
    assert report['games'] == 2000 and report['steps'] > 2000 * 112 and report['ns_per_step'] > 0
    again = json.loads(run('bench', '--players', '4', '--games', '2000', '--json').out)
    assert (report['steps'], report['mean_score']) == (again['steps'], again['mean_score'])
    assert 'games/s' in run('bench', '--games', '100', '--edition', PLAIN).out


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
    # The view of the seat is enough, and gives the same.
    view = text.replace('deal 1 19 30 4 5\n', '')
    assert json.loads(run(*words, '--view', '--json', '--top', '4', text=view).out) == hints
    assert json.loads(run('hint', RECORD, '--seat', '1', '--edition', PLAIN, '--json').out) == []
    for cut, seat in ((6, '1'), (18, '2')):                # keeping and replacing
        hints = json.loads(run('hint', '-', '--seat', seat, '--edition', PLAIN, '--playouts', '1000', '--json',
                               text='\n'.join(lines[:cut]) + '\n').out)
        assert hints and hints[0]['choice'] in ('draw', *run('legal', '-', '--seat', seat, '--edition', PLAIN,
                                                             text='\n'.join(lines[:cut]) + '\n').out.split('\n'))


def case_analyze(folder):
    page = os.path.join(folder, 'report.html')
    named = os.path.join(folder, 'named.pyr')
    with open(named, 'w', encoding='utf-8') as to:
        to.write(read(RECORD).replace('player 1 random 2', 'player 1 <b>Zoë & "Co"</b>'))
    words = ['analyze', named, '--edition', PLAIN, '--playouts', '200', '--json']
    report = json.loads(run(*words, '--html', page).out)
    assert report == json.loads(run(*words, '--threads', '1').out)             # threads change nothing
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
    assert html.startswith('<!doctype html>') and '&lt;b&gt;Zoë &amp; &quot;Co&quot;&lt;/b&gt;' in html and '<b>Zo' not in html
    # What chance brought is told in words, not in lines of the record.
    moments = re.findall(r'<td class="t">([^<]*)</td><td>[+-]?\d', html.split('The luckiest moments')[1])
    assert len(moments) == 10 and not re.search(r'\b(reveal|show|draw|deal) \d', html), moments
    assert all(re.fullmatch(r'Pattern \w+ is revealed\.|New in the display: \d+(, \d+)*\.|.* draws \d+ from the deck\.|The first cards are dealt\.', m) for m in moments), moments
    assert '<polyline' in html and 'http' not in html and '<script' not in html and 'viewport' in html
    # A game under way can be looked at, too.
    part = '\n'.join(text[:40]) + '\n'
    assert not json.loads(run('analyze', '-', '--edition', PLAIN, '--playouts', '100', '--json', text=part).out)['finished']
    assert 'points = luck + skill' in run('analyze', '-', '--edition', PLAIN, '--playouts', '100', text=part).out
    run('analyze', '-', '--edition', PLAIN, text='\n'.join(text[:4]) + '\n', code=1)


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
        assert choices and 'No:' in player.say('nonsense')
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
    # The saved game goes on.
    assert 'under way' in run('replay', saved, '--edition', PLAIN).out
    for seed in range(4):
        player = Player(saved, '--edition', PLAIN, '--bots', 'greedy', '--seed', str(seed))
        while player.is_running():
            player.say(rng.choice(player.choices()))
        assert 'The game is over.' in player.last, player.last
    # A finished one only shows its end.
    assert 'The game is over.' in run('play', RECORD, '--edition', PLAIN).out


def case_play_saves(folder):
    """Line by line, too, a game is saved after every choice, whatever ends it, and all unfinished games are offered."""
    games = os.path.join(folder, 'data/pyramids/games')
    # Nothing is written before the first choice.
    run('play', '--plain', text='look\nquit\n')
    assert 'There are no unfinished games' in run('play', '--list').out and not os.listdir(games)
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
    # Without a terminal nothing is asked, but said.
    assert "2 unfinished games are saved: 'pyramids play --list' shows them" in run('play', '--plain', text='').out
    assert 'unfinished' not in run('play', '--plain', '--new', text='').out
    # The older one by its name, the newer one as the newest; the same cards, whatever the seed of today is.
    deal = {which: [line for line in run('play', '--plain', *words, text='log\n').out.split('\n') if line.startswith(('player', 'deal', 'show', 'reveal'))]
            for which, words in (('older', ['--resume', name]), ('newer', ['--continue']), ('file', ['--resume', name + '.pyr']))}
    assert 'player 1 Zoë' in deal['older'] and deal['older'] == deal['file'] and 'player 1 Ana' in deal['newer'], deal
    assert run('play', '--plain', '--resume', 'nosuch', code=1).err.startswith("pyramids: unknown saved game 'nosuch'; 'pyramids play --list'")
    for bad in ('../' + name, '.', '/etc/passwd', 'a' * 5000):
        run('play', '--plain', '--resume', bad, code=1)
    # To the end: what was chosen before is there, and a finished game is offered no more.
    player = Player('--resume', name)
    other = subprocess.run([COMMAND, 'play', '--plain', '--resume', name], input=b'', capture_output=True, env=ENV, timeout=60)
    assert other.returncode == 1 and b'in another window' in other.stderr, other.stderr
    while player.is_running():
        player.say(player.choices()[0])
    assert 'The game is over.' in player.last and player.process.returncode == 0
    assert json.loads(run('replay', '--json', os.path.join(games, name + '.pyr')).out)['finished']
    left = run('play', '--list').out.split()
    assert name not in left and second in left, left
    # Where nothing can be written, the game says so and can be played.
    ENV['XDG_DATA_HOME'] = '/proc/none'
    done = run('play', '--plain', text='')
    assert 'this game cannot be saved' in done.err and 'resume' not in done.out, done.err


def case_play_tells(_):
    """What the log of a line-by-line game says: completed pyramids with number and colour for everyone, and at the end how it was won."""
    player = Player('--seed', '3', '--bots', 'club', '--players', '3', '--name', 'Ana', '--new')
    told = player.last
    while player.is_running():
        told += player.say(player.choices()[-1])
    completed = re.findall(r'^  (.+): completed (\d+), (green|orange|purple)$', told, re.M)
    last = dict(re.findall(r'^  (\S.*?): points -?\d+;.* pyramids: (.*)$', told, re.M))
    assert len(completed) > 5 and len({name for name, _, _ in completed}) >= 2, completed
    # Score cards of everyone list exactly those, under their colours.
    for name, listed in last.items():
        for group in [] if listed == 'none' else listed.split(', '):
            colour, *numbers = group.split(' ')
            for number in numbers:
                assert number.startswith('+') or (name, number, colour) in completed, (name, group, completed)
    assert re.search(r'^(.+ wins with \d+ points|.+ share the win)', player.last, re.M), player.last


def case_undo_draw(_):
    """Q5: a card drawn from the deck has been seen; there is no going back, by any number of undos."""
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
    """Extra marks may be typed one by one, and taken back one by one."""
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
    """As people type: blanks, capitals, commas and the order of spaces do not matter; what is no command says so, and what to type instead."""
    def last(*typed):
        done = run('play', '--plain', '--seed', '5', '--bots', 'novice', '--name', 'Ana', text='\n'.join(typed) + '\nlog\n').out
        return [line for line in done.split('\n') if re.match(r'(keep|mark) 1 ', line)][-1:], done
    for typed in ('33 36', ' 33   36 ', '33,36', '33, 36', 'Keep 33 36', '33 - 36', 'keep 33 and 36', '33 & 36', '36 33'):
        assert last(typed)[0] in (['keep 1 33 36'], ['keep 1 36 33']), typed
    for typed in ('33:d1e1', '33:D1E1', '33 d1e1', '33: d1 e1', 'mark 33 e1 d1', '33:e1d1', '33:d1,e1', 'MARK 33:d1e1', '33d1e1'):
        assert last('33 36', typed)[0] == ['mark 1 33:d1e1'], typed
    for typed in ('hlep', 'pass please', 'quit now', 'd1e1'):
        assert f"No: '{typed}' is no command and no choice; help tells what is.\n" in last('33 36', typed)[1], typed
    for typed in ('33', '33:', '33:z9', '33:d1d1', '33:d', '33 36 11', '-33', '33:d1+', ':', '33:d1e1+36:', '999999999999:a1'):
        found, done = last('33 36', typed)
        assert found == ['keep 1 33 36'] and 'No: ' in done, (typed, done)
    for typed in ('33', '33 33', '33 36 11', '33 1', '33 36x', 'x33 36'):
        assert not last(typed)[0] and 'No: ' in last(typed)[1], typed
        assert typed in ('33 1', '33 33', 'x33 36') or 'two of your four cards, such as 33 36' in last(typed)[1], typed
    assert 'The game is not finished.' in last('33 36', 'EXIT')[1] and 'reveal' not in last('EXIT')[1]
    assert last('33 36', 'Help')[1].count('Type a choice or a command') == last('33 36', 'H')[1].count('Type a choice or a command') == 1
    # Replacing: the number of a card is enough.
    rng = random.Random(2)
    player = Player('--seed', '5', '--edition', PLAIN)
    while player.is_running() and 'take' not in '\n'.join(choices := player.choices()):
        player.say(rng.choice(choices))
    card = next(choice for choice in choices if choice.startswith('take ')).split()[1]
    assert f'took {card} from the display' in player.say(card), player.last
    player.process.kill()
    player.process.wait()


def case_play_ends(_):
    assert 'not finished' in run('play', '--plain', '--seed', '1', text='').out          # end of input
    assert 'not finished' in run('play', '--plain', '--seed', '1', text='quit\n').out
    done = run('play', '--plain', '--seed', '1', text=b'\xff\xfe\x00\x01\n' + b'a' * 100000 + b'\n?\n').out
    assert '(6 legal choices)' in done


def until_caught(process, number):
    """Waits until a process has its own handler for a signal."""
    end = time.monotonic() + 60
    while not int(re.search(r'^SigCgt:\s+(\w+)', read(f'/proc/{process.pid}/status'), re.M)[1], 16) >> (number - 1) & 1:
        assert time.monotonic() < end and process.poll() is None, 'no handler'
        time.sleep(0.01)


def case_interrupt(_):
    for words in (['sim', '--games', '100000000', '--threads', '2'], ['bench', '--games', '1000000000'], ['play', '--plain']):
        process = subprocess.Popen([COMMAND, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV)
        until_caught(process, signal.SIGINT)
        time.sleep(0.3)                              # in the middle of it
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 130, (words, process.returncode, out, err)
        if words[0] == 'sim':
            assert b'players: 2' in out              # what was played is reported


def case_hostile(_):
    """Any bytes: exit 0 or 1, never a crash or a hang."""
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
        for words in (['replay', '-', '--edition', PLAIN], ['legal', '-', '--seat', '1', '--edition', PLAIN], ['edition', 'check', '-']):
            done = subprocess.run([COMMAND, *words], input=bytes(base), capture_output=True, env=ENV, timeout=60)
            assert done.returncode in (0, 1), (words, done.returncode, done.stderr)
    for data in (b'', b'\n' * 100000, b'\0' * 1000, b'a' * 5000000, b'pyramids-record 1\n' * 1000, b'tag a b\n' * 100000,
                 b'pyramids-record 1\nedition plain\nplayer 1 a\nplayer 2 b\n' + b'tag a b\n' * 100000):
        for words in (['replay', '-', '--edition', PLAIN], ['edition', 'check', '-'], ['play', '-', '--edition', PLAIN]):
            done = subprocess.run([COMMAND, *words], input=data, capture_output=True, env=ENV, timeout=60)
            assert done.returncode in (0, 1), (words, done.returncode, done.stderr)


def main():
    failed = count = 0
    wanted = sys.argv[3] if len(sys.argv) > 3 else ''
    for name, function in list(globals().items()):
        if not name.startswith('case_') or wanted not in name:
            continue
        count += 1
        with tempfile.TemporaryDirectory() as folder:
            ENV['XDG_DATA_HOME'] = os.path.join(folder, 'data')
            try:
                function(folder)
                print(f'ok {count} - {name[5:].replace("_", " ")}', flush=True)
            except Exception:                # pylint: disable=broad-except  # whatever it was, the other cases are run
                failed += 1
                print('\n'.join('# ' + line for line in traceback.format_exc()[-6000:].split('\n')))
                print(f'not ok {count} - {name[5:].replace("_", " ")}', flush=True)
    print(f'1..{count}')
    sys.exit(failed != 0)


if __name__ == '__main__':
    main()
