#!/usr/bin/env python3
"""Tests the results that scripts/sum-tests computes from a log. usage: sums.py SOURCE_ROOT"""
import json
import os
import subprocess
import sys
import tempfile

LOG = [
    {'name': 'good', 'result': 'OK', 'duration': 3.2,
    'stdout': '# not told\nok 1 - one\nok 2 - two # SKIP no reason\n1..2\n', 'stderr': 'chatter\n'},
    {'name': 'bad', 'result': 'FAIL', 'duration': 41.7,
    'stdout': '# of another case\nok 1 - one\n# 3 is not 4\n# 0.1 s\nnot ok 2 - two\n1..2\n'},
    {'name': 'stopped', 'result': 'TIMEOUT', 'stdout': 'ok 1 - one\n# case two\n# so far\n', 'stderr': 'last words\n'},
    {'name': 'alone', 'result': 'FAIL', 'stdout': 'a name is missing\n'},
]
WANTED = """\
skipped  {log}: good: two
bad: # 3 is not 4
bad: # 0.1 s
failed   {log}: bad: two
stopped: ok 1 - one
stopped: # case two
stopped: # so far
stopped: last words
failed   {log}: stopped: stopped in two (TIMEOUT)
alone: a name is missing
failed   {log}: alone
Slowest: {log}: bad 42 s, {log}: good 3 s, {log}: stopped 0 s, {log}: alone 0 s
3 passed, {failed} failed, 1 skipped
"""

# Two of them ran again: one passes now, and one does not, which changes nothing.
AGAIN = [
    {'name': 'bad', 'result': 'OK', 'duration': 8, 'stdout': 'ok 1 - one\nok 2 - two\n1..2\n'},
    {'name': 'alone', 'result': 'FAIL', 'stdout': 'another name is missing\n'},
]
WANTED_AGAIN = """\
skipped  {log}: good: two
bad: # 3 is not 4
bad: # 0.1 s
stopped: ok 1 - one
stopped: # case two
stopped: # so far
stopped: last words
failed   {log}: stopped: stopped in two (TIMEOUT)
alone: a name is missing
failed   {log}: alone
Unstable, passed when run again: {log}: bad
Slowest: {log}: bad 8 s, {log}: good 3 s, {log}: stopped 0 s, {log}: alone 0 s
4 passed, 2 failed, 1 skipped
"""


def write(path, tests):
    with open(path, 'w', encoding='utf-8') as to:
        to.writelines(json.dumps(test) + '\n' for test in tests)


def sums(folder, words, wanted):
    done = subprocess.run([*COMMAND, *words, 'log'], capture_output=True, text=True, cwd=folder, check=False)
    assert done.stdout == wanted and done.returncode == 1, done.stdout + done.stderr


COMMAND = [sys.executable, os.path.join(os.path.abspath(sys.argv[1]), 'scripts/sum-tests')]
with tempfile.TemporaryDirectory() as folder:
    write(os.path.join(folder, 'log'), LOG)
    sums(folder, [], WANTED.format(log='log', failed=3))
    sums(folder, ['--broken', '2'], WANTED.format(log='log', failed=5))
    write(os.path.join(folder, 'again.json'), AGAIN)
    sums(folder, [], WANTED_AGAIN.format(log='log'))
