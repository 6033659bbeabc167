#!/usr/bin/env python3
"""Tests the results that scripts/sum-tests computes from a log, and what scripts/run-tests runs and counts, with a
substitute for Meson. usage: sums.py SOURCE_ROOT"""
import json
import os
import shutil
import signal
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
    done = subprocess.run([*COMMAND, *words, 'log.json'], capture_output=True, text=True, cwd=folder, check=False)
    assert done.stdout == wanted and done.returncode == 1, done.stdout + done.stderr


# Instead of Meson: notes how it was called, and its tests have one case each. `page` fails unless it is run again, and waits
# for a word first if it finds a pipe; clang's build does not compile.
MESON = """#!/bin/sh
echo "$*" >>calls
case $1 in
setup)
    mkdir -p "$2/meson-logs" && touch "$2/build.ninja"
    echo "what Meson said about $2"
    [ "$2" != build-clang ] ;;
test)
    case $* in *--list*) echo 'pyramids:web / page play'; exit ;; esac
    name=test result=OK line='ok 1 - case'
    case $* in *'--suite web'*) [ ! -p wait ] || { exec 3>told; echo here >&3; read -r _ <wait; } ;; esac
    case $* in
    *again*) name=page ;;
    *'--logbase page'*) name=page result=FAIL line='not ok 1 - case' ;;
    esac
    echo "$name ran"
    log=$(echo "$*" | sed 's/.*--logbase \\([^ ]*\\).*/\\1/')
    printf '{"name": "%s", "result": "%s", "stdout": "%s\\\\n1..1\\\\n"}\\n' "$name" "$result" "$line" \
        >"$3/meson-logs/$log.json" ;;
esac
"""
RUN = """
== gcc, release (build)
test ran

== clang, release (build-clang)
what Meson said about build-clang

== clang, address and undefined behaviour sanitizers (build-asan)
test ran

== the page (build)
page ran
Once more, alone: page

Unstable, passed when run again: build: page
Slowest: build: test 0 s, build: page 0 s, build-asan: test 0 s
3 passed, 1 failed, 0 skipped
"""


def runs(folder):
    os.makedirs(os.path.join(folder, 'scripts'))
    os.makedirs(os.path.join(folder, 'bin'))
    for name in ('run-tests', 'test-again', 'sum-tests'):
        shutil.copy(os.path.join(SCRIPTS, name), os.path.join(folder, 'scripts'))
    for name, text in (('meson', MESON), ('ninja', '#!/bin/sh\n')):
        with open(os.path.join(folder, 'bin', name), 'w', encoding='utf-8') as file:
            file.write(text)
        os.chmod(file.name, 0o755)
    env = {**os.environ, 'PATH': os.path.join(folder, 'bin') + ':' + os.environ['PATH']}
    words = [os.path.join(folder, 'scripts/run-tests')]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, env=env, check=False)
    assert done.stdout == RUN and done.returncode == 1, done.stdout + done.stderr
    with open(os.path.join(folder, 'calls'), encoding='utf-8') as calls:
        tests = [call for call in calls.read().split('\n') if call.startswith('test ') and '--list' not in call]
    assert sum('--no-suite web' in call for call in tests) == 1, tests      # gcc's; the others have no page
    # The fast tests are one build without a page.
    done = subprocess.run([*words, '--fast'], capture_output=True, text=True, cwd=folder, env=env, check=False)
    assert done.stdout.endswith('\n1 passed, 0 failed, 0 skipped\n') and 'page' not in done.stdout, done.stdout
    # What runs in the background ends with the rest.
    os.mkfifo(os.path.join(folder, 'wait'))
    os.mkfifo(os.path.join(folder, 'told'))
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=folder, env=env) as process:
        with open(os.path.join(folder, 'told'), encoding='utf-8') as told:
            assert told.readline() == 'here\n'
            process.send_signal(signal.SIGTERM)
            assert told.read() == ''      # all that could still write to it have ended
        process.stdout.read()
        assert process.wait() == 130


SCRIPTS = os.path.join(os.path.abspath(sys.argv[1]), 'scripts')
COMMAND = [sys.executable, os.path.join(SCRIPTS, 'sum-tests')]
with tempfile.TemporaryDirectory() as folder:
    write(os.path.join(folder, 'log.json'), LOG)
    sums(folder, [], WANTED.format(log='log.json', failed=3))
    sums(folder, ['--broken', '2'], WANTED.format(log='log.json', failed=5))
    write(os.path.join(folder, 'log-again.json'), AGAIN)
    sums(folder, [], WANTED_AGAIN.format(log='log.json'))
    runs(os.path.join(folder, 'run'))
