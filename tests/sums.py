#!/usr/bin/env python3
"""What scripts/sum-tests makes of a log. usage: sums.py SOURCE_ROOT"""
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

with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, 'log'), 'w', encoding='utf-8') as to:
        to.writelines(json.dumps(test) + '\n' for test in LOG)
    command = [sys.executable, os.path.join(os.path.abspath(sys.argv[1]), 'scripts/sum-tests')]
    for words, failed in (([], 3), (['--broken', '2'], 5)):
        done = subprocess.run([*command, *words, 'log'], capture_output=True, text=True, cwd=folder, check=False)
        assert done.stdout == WANTED.format(log='log', failed=failed) and done.returncode == 1, done.stdout + done.stderr
