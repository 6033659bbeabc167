#!/usr/bin/env python3
"""Checks puzzles from outside: the command's answers, and last-turn puzzles solved again with the rules of oracle.py,
which is independent of the engine. usage: puzzles.py PYRAMIDS SOURCE"""
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile

import oracle
import solve

PYRAMIDS, SOURCE = sys.argv[1:3]
HOME = tempfile.mkdtemp()
ENV = {**os.environ, 'XDG_DATA_HOME': HOME, 'LANGUAGE': 'en'}


def run(*words, text=''):
    return subprocess.run([PYRAMIDS, 'puzzle', *words], input=text, capture_output=True, text=True, env=ENV, check=False)


def told(*words):
    done = run(*words, '--json')
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def lines():
    with open(os.path.join(SOURCE, 'editions/classic.puzzles'), encoding='utf-8') as file:
        header, *rest = file.read().splitlines()
    assert header == 'pyramids-puzzles 1 classic'
    return [line.split(' ') for line in rest]


def read_edition():
    with open(os.path.join(SOURCE, 'editions/classic.edition'), encoding='utf-8') as file:
        return oracle.Edition(file.read())


def case_themes():
    for theme in ('card', 'race', 'cross', 'skull', 'tomb', 'last'):
        assert theme in told('--theme', theme)['puzzle']['themes']


def case_daily():
    days = [told('--date', f'2026-11-{day:02}')['puzzle']['number'] for day in range(1, 31)]
    assert len(set(days)) == 30 and days == [told('--date', f'2026-11-{day:02}')['puzzle']['number'] for day in range(1, 31)]
    assert run('--date', '2026-02-30').returncode == 2
    before = run('--date', '1969-12-31')
    assert before.returncode == 2 and 'not a date since 1970-01-01' in before.stderr, before


def case_wrong_words():
    assert run('--theme', 'love').returncode == 2
    assert run('--number', '0').returncode == 2
    assert run('--number', '8000').returncode == 1
    assert run('--number', '1', '--daily').returncode == 2
    illegal = run('--number', '1', '--answer', '49:z9', '--json')
    assert illegal.returncode == 1 and 'error' in json.loads(illegal.stdout)


def case_examples():
    examples = run('--help').stdout.split('Examples:\n')[1].splitlines()
    assert examples
    for example in examples:
        words = shlex.split(example)
        assert words[:2] == ['pyramids', 'puzzle'], example
        done = run(*words[2:])
        assert done.returncode == 0, (example, done.stderr)


def case_rating_and_streak():
    """The first answer is rated and kept, a second one is not."""
    before = told('--number', '3')['puzzler']
    some = told('--number', '3')
    verdict = answer_any(some, '3')
    after = told('--number', '3')['puzzler']
    assert after['tried'] == before['tried'] + 1
    assert (after['rating'] > before['rating']) == verdict['right']
    best = verdict['choices'][0]['choice']
    again = told('--number', '3', '--answer', best)
    assert again['verdict']['right'] and again['change'] == 0, again


def answer_any(puzzle, number):
    """Gives any legal answer: its verdict lists the best choices."""
    found = subprocess.run([PYRAMIDS, 'legal', '-', '--seat', str(puzzle['puzzle']['seat'])], input=puzzle['record'],
        capture_output=True, text=True, env=ENV, check=True).stdout.splitlines()
    return told('--number', number, '--answer', found[0])['verdict']


def case_typed():
    number = '3'
    best = answer_any(told('--number', number), number)['choices'][0]['choice']
    done = run('--number', number, text=f'hint\nhint\n99:a1\n{best}\nquit\n')
    assert done.returncode == 0 and 'Found it!' in done.stdout and 'Look at' in done.stdout, done.stdout
    assert 'is not a legal choice' in done.stderr


def case_last_turns():
    """All complete choices of a last turn, each played and scored by the oracle, with the others doing nothing."""
    edition, checked = read_edition(), 0
    for words in [w for w in lines() if 'l' in w[6]][::60]:
        puzzle = told('--number', words[0])
        game = oracle.follow(edition, puzzle['record'])
        seat = puzzle['puzzle']['seat'] - 1
        values = {choice: points_after(game, seat, choice) for choice in game.moves(seat)}
        best = max(values.values())
        verdict = told('--number', words[0], '--answer', min(values))['verdict']
        first, second = verdict['choices'][:2]
        assert first['value'] == 100 * best == 100 * values[first['choice']], (words[0], first, best)
        others = [v for c, v in values.items() if v < best]
        assert second['value'] == 100 * max(others) <= 100 * best - 200, (words[0], second)
        checked += 1
    assert checked >= 15, checked


def points_after(game, seat, choice):
    """The final score of a seat whose last mark this is, with the others doing nothing: by the oracle's desk and scoring."""
    players, me = game.players, game.players[seat].copy()
    for part in choice.split('+'):
        card, spaces = part.split(':')
        game.mark(me, int(card), frozenset(oracle.spaces_of(spaces)))
    done = [n for n in me.cards if game.is_tomb_marked(me, n)]
    game.players, game.queue = [me if s == seat else p.copy() for s, p in enumerate(players)], []
    me.done += done
    game.finished = {seat: done} if done else {}
    game.end_turn()
    game.stage, game.players = 'mark', players
    return int(next(line for line in game.queue if line.startswith(f'score {seat + 1} ')).split(' ')[2])


def case_two_turns():
    """The values of the ten best choices before the last turn, with all patterns and cards that may follow. All exact
    puzzles: solve.py."""
    edition = read_edition()
    for words in [w for w in lines() if w[9] == '0' and w[4] == '6'][::126]:
        solve.compare(edition, told('--number', words[0]),
            lambda choice, number=words[0]: told('--number', number, '--answer', choice)['verdict'])


def case_glicko():
    """Glicko-2 in Python's doubles: the numbers that test_puzzle.c expects."""
    mu, phi, sigma, tau = 0.0, 200 / 173.7178, 0.06, 0.5
    games = [((r - 1500) / 173.7178, d / 173.7178, s) for r, d, s in ((1400, 30, 1), (1550, 100, 0), (1700, 300, 0))]
    weight = lambda p: 1 / math.sqrt(1 + 3 * p * p / math.pi ** 2)
    expect = lambda m, p: 1 / (1 + math.exp(-weight(p) * (mu - m)))
    v = 1 / sum(weight(p) ** 2 * expect(m, p) * (1 - expect(m, p)) for m, p, _s in games)
    delta = v * sum(weight(p) * (s - expect(m, p)) for m, p, s in games)
    a = math.log(sigma ** 2)
    slope = lambda x: (math.exp(x) * (delta ** 2 - phi ** 2 - v - math.exp(x)) / (2 * (phi ** 2 + v + math.exp(x)) ** 2)
        - (x - a) / tau ** 2)
    low, high = a - 10, a + 10
    for _i in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    sigma = math.exp(low / 2)
    star = math.sqrt(phi ** 2 + sigma ** 2)
    phi = 1 / math.sqrt(1 / star ** 2 + 1 / v)
    mu += phi ** 2 * sum(weight(p) * (s - expect(m, p)) for m, p, s in games)
    got = mu * 173.7178 + 1500, phi * 173.7178, sigma
    for mine, theirs in zip(got, (1464.0506705, 151.5165241, 0.0599959842)):
        assert abs(mine - theirs) < 1e-6, got


CASES = {name[5:].replace('_', ' '): case for name, case in list(globals().items()) if name.startswith('case_')}
failed = 0
print(f'1..{len(CASES)}')
for number, (name, case) in enumerate(CASES.items(), 1):
    try:
        case()
        print(f'ok {number} - {name}', flush=True)
    except Exception as error:  # pylint: disable=broad-except
        failed += 1
        print(f'not ok {number} - {name}\n# {type(error).__name__}: {error}', flush=True)
sys.exit(failed != 0)
