#!/usr/bin/env python3
"""Bots that are other programs: the example of docs/bots.md plays, and whatever a bot does, games continue to their
end. usage: outside.py PYRAMIDS SOURCE_ROOT"""
import json
import os
import subprocess
import sys

import cases

COMMAND, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
ENV = dict(os.environ, PYRAMIDS=COMMAND, LC_ALL='C.UTF-8')


def run(bots, *words, env=None, games='2', code=0):
    """A busy machine must not count against the bots: their time is generous unless the options set it."""
    done = subprocess.run([COMMAND, 'sim', '--bots', bots, '--games', games, '--threads', '2', '--bot-time', '60000',
        *words], capture_output=True,
                          text=True, env=env or ENV, timeout=240)
    assert done.returncode == code, (bots, done.returncode, done.stdout, done.stderr)
    return done


def sim(bots, *words, env=None, games='2'):
    """The results of each bot after some games."""
    return json.loads(run(bots, '--json', *words, env=env, games=games).stdout)['bots']


def script(folder, name, body):
    path = os.path.join(folder, name)
    with open(path, 'w', encoding='utf-8') as to:
        to.write('#!/usr/bin/env python3\nimport sys, time\n' + body)
    os.chmod(path, 0o755)
    return path


def case_example(_):
    bots = sim(os.path.join(ROOT, 'docs/examples/mybot.py') + ',random', games='6')
    assert bots[0]['faults'] == 0 and bots[0]['win_rate'] > 0.6, bots
    plain = os.path.join(ROOT, 'tests/data/plain.edition')
    bots = sim('random,' + os.path.join(ROOT, 'docs/examples/mybot.py') + ',greedy', '--edition', plain,
        env=dict(ENV, EDITION=plain), games='3')
    assert bots[1]['faults'] == 0, bots
    with open(os.path.join(ROOT, 'docs/examples/mybot.py'), encoding='utf-8') as source:
        assert len(source.readlines()) < 50


def case_nonsense(folder):
    bots = sim(script(folder, 'a',
        'for line in sys.stdin:\n  if line.startswith("choose"): print("what?", flush=True)\n') + ',greedy')
    assert bots[0]['faults'] > 20 and bots[1]['win_rate'] == 1, bots


def case_illegal(folder):
    bots = sim(script(folder, 'a', 'for line in sys.stdin:\n  if line.startswith("choose"): print("1:a1b1c1d1", '
        'flush=True)\n') + ',greedy')
    assert bots[0]['faults'] > 20, bots


def case_dies(folder):
    """Its games continue to their end and are reported; then the end of the program is reported, and the exit code shows
    it."""
    for body, how in (('sys.exit(3)\n', 'with exit code 3'), ('sys.stdin.readline()\n', 'with exit code 0'),
        ('import os\nos.kill(os.getpid(), 11)\n', 'with signal 11')):
        path = script(folder, 'a', body)
        done = run(path + ',greedy', '--json', code=1)
        bots = json.loads(done.stdout)['bots']
        # Three starts per game, each of which ends; no other choice was its own either.
        assert bots[0]['faults'] > 20 and bots[0]['ends'] == 6 and bots[1]['ends'] == 0, bots
        assert done.stderr.endswith(f'pyramids: {path} exited in the middle of a game 6 times (last {how})\n'), done.stderr
    # A program that ends once overall is reported, too.
    body = f'import os\nmark = {os.path.join(folder, "mark")!r}\nfor line in sys.stdin:\n  if line.startswith("choose"):\n' \
           '    if not os.path.exists(mark):\n      open(mark, "w")\n      sys.exit(1)\n    print("nonsense", flush=True)\n'
    done = run(script(folder, 'b', body) + ',greedy', '--threads', '1', code=1)
    assert 'b exited in the middle of a game 1 time (exit code 1)' in done.stderr and 'greedy' in done.stdout, done


def case_cannot_start(folder):
    """Something that is not a program stops everything before the first game is counted: no results are printed, and the
    message gives the reason."""
    plain = os.path.join(folder, 'plain')
    with open(plain, 'w', encoding='utf-8') as to:
        to.write('#!/bin/sh\n')
    for bot, said in (('./no/such/program', 'No such file or directory'), (folder, 'Is a directory'),
        (plain, 'Permission denied'),
                      ('./no/such/program --fast', 'the program cannot be started (exit code 127)')):
        for bots in (bot, 'greedy,' + bot):
            done = run(bots, code=1)
            assert not done.stdout and f'pyramids: {bot}: {said}\n' in done.stderr and done.stderr.count(
                'pyramids: ') == 1, done


def case_late(folder):
    bots = sim(script(folder, 'a', 'time.sleep(1000)\n') + ',greedy', '--bot-time', '100')
    assert bots[0]['faults'] > 20, bots
    # A bot that never reads fills its pipe; one that writes without end fills ours.
    bots = sim(script(folder, 'b', 'while True: print("x" * 10000)\n') + ',greedy', '--bot-time', '200')
    assert bots[0]['faults'] > 20, bots


def case_same_games(folder):
    """A program and a built-in bot at one table: the same seed gives the same records."""
    bot = os.path.join(ROOT, 'docs/examples/mybot.py')
    texts = []
    for name, threads in (('a', '1'), ('b', '2')):
        where = os.path.join(folder, name)
        sim(bot + ',greedy', '--records', where, '--seed', '5', '--threads', threads, games='2')
        texts.append([open(os.path.join(where, f), encoding='utf-8').read() for f in sorted(os.listdir(where))])
        subprocess.run([COMMAND, 'replay', *(os.path.join(where, f) for f in os.listdir(where))], check=True,
            capture_output=True)
    assert texts[0] == texts[1]


def case_sees_its_view_only(folder):
    """The input of a bot: its own deal only, and nothing of a phase before all have chosen."""
    log = os.path.join(folder, 'log')
    body = f'log = open({log!r} + str(time.time_ns()), "w")\nfor line in sys.stdin:\n  log.write(line); log.flush()\n' \
           '  if line.startswith("choose"): print("nonsense", flush=True)\n'
    sim(script(folder, 'a', body) + ',greedy,greedy', '--threads', '1', games='1')
    texts = [open(os.path.join(folder, f), encoding='utf-8').read() for f in os.listdir(folder) if f.startswith('log')]
    assert texts
    for text in texts:
        under_way = text.split('winner')[0]
        seat = under_way.split('choose ')[1][0]
        deals = [line for line in under_way.split('\n') if line.startswith('deal ')]
        assert deals and all(line.split()[1] == seat for line in deals[:1])
        # There is no mark line between a reveal and the question whose answer completes the phase.
        for block in under_way.split('reveal ')[1:]:
            if 'choose' in block:
                assert 'mark' not in block.split('choose')[0], block


if __name__ == '__main__':
    cases.main(globals())
