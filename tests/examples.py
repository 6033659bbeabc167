#!/usr/bin/env python3
"""The examples for research (python/examples): random games, and a linear agent that learns to beat a bot of the ladder.
usage: examples.py SOURCE_ROOT, with the package on PYTHONPATH"""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(sys.argv[1])
EXAMPLES = os.path.join(ROOT, 'python/examples')
sys.path.insert(0, EXAMPLES)


def run(name, *words):
    return subprocess.run([sys.executable, os.path.join(EXAMPLES, name), *words], capture_output=True, text=True, check=True,
                          timeout=600).stdout


def check(number, name, good, what=''):
    print(f'# {what}' if what else '#')
    print(f'{"ok" if good else "not ok"} {number} - {name}', flush=True)
    return bool(good)


def main():
    good = True
    out = run('rollout.py', '1000').splitlines()
    lengths = [float(line.split(': ')[1].split()[0]) for line in out]
    # Each seat keeps once, marks 28 times, and makes a few extra marks and replacements.
    good &= check(1, 'random games', all(29.5 * n < length < 40 * n for n, length in zip((2, 3, 4), lengths)), out)
    with tempfile.TemporaryDirectory() as folder:
        weights = os.path.join(folder, 'weights')
        learned = run('td_lambda.py', '--out', weights)
        scores = [float(line.split()[2]) for line in learned.splitlines() if line.startswith('round')]
        good &= check(2, 'an agent learns', scores[-1] > 2 * scores[0], scores)
        out = run('evaluate.py', '--weights', weights, '--deals', '1000', 'casual', 'random')
        rows = {line.split()[1]: (float(line.split()[3].rstrip('%')), float(line.split()[5].rstrip(','))) for line in
                out.splitlines()}
        share, margin = rows['casual']
        # On deals that it was neither trained nor tuned on: from evaluate.py's own seed.
        good &= check(3, 'it beats casual on held-out deals', share - margin > 50, out.splitlines())
        good &= check(4, 'it beats random', rows['random'][0] > 95)
        out = run('evaluate.py', '--weights', weights, '--deals', '200', '--edition', '1', 'novice')
        good &= check(5, 'it beats novice with cards it has never seen', float(out.split()[3].rstrip('%')) -
                      float(out.split()[5].rstrip(',')) > 50, out)
    print('1..5')
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
