#!/usr/bin/env python3
"""`pyramids verify` and verify.py, which was written only from the document, must agree on fair records and on each
kind of tampering. usage: against_verify.py PYRAMIDS FAIRGAME SOURCE_ROOT"""
import hashlib
import json
import os
import random
import re
import subprocess
import sys

import cases
import verify

COMMAND, FAIRGAME, ROOT = (os.path.abspath(path) for path in sys.argv[1:4])
CLASSIC, PLAIN = os.path.join(ROOT, 'editions/classic.edition'), os.path.join(ROOT, 'tests/data/plain.edition')
ENV = dict(os.environ, LC_ALL='C.UTF-8', LANGUAGE='en')


def game(edition, index, numbers):
    secret = hashlib.sha256(f'game {index}'.encode()).hexdigest()
    return subprocess.run([FAIRGAME, edition, secret, *numbers], capture_output=True, check=True, text=True).stdout


def number(index):
    return hashlib.sha256(f'number {index}'.encode()).hexdigest()


def ours(record, edition, *words):
    return subprocess.run([COMMAND, 'verify', '-', '--edition', edition, *words], input=record, capture_output=True,
        text=True, env=ENV,
                          check=False)


def theirs(record, edition):
    try:
        return verify.verify(record, verify.read(edition))
    except verify.Unfair:
        return None


def refused(record, reason, edition=PLAIN):
    done = ours(record, edition)
    assert done.returncode == 1 and not done.stdout and re.match(r'<stdin>:\d+: ', done.stderr), (done, reason)
    assert reason in done.stderr, (done.stderr, reason)
    assert theirs(record, edition) is None, reason
    report = ours(record, edition, '--json')
    assert report.returncode == 1 and json.loads(report.stdout)['reason'] in done.stderr


def case_document():
    text = verify.read(os.path.join(ROOT, 'docs/fair-shuffle.md'))
    block = ''.join('    ' + line + '\n' for line in verify.example().splitlines())
    assert block in text, 'the worked example is another'
    known = verify.vectors([verify.read_edition(verify.read(path)) for path in (CLASSIC, PLAIN)])
    assert known == verify.read(os.path.join(ROOT, 'tests/data/fair.txt'))


def case_fair():
    for index in range(9):
        edition = (CLASSIC, PLAIN)[index % 2]
        numbers = [number(10 * index + seat) if (index + seat) % 3 else '-' for seat in range(2 + index % 3)]
        record = game(edition, index, numbers)
        done = ours(record, edition)
        assert done.returncode == 0 and done.stdout.startswith('<stdin>: fair: ') and done.stdout.count('\n') == 1, done
        counts = [int(word) for word in re.findall(r'(?:deals|shows|reveals|draws): (\d+)', done.stdout)]
        assert len(counts) == 4 and sum(counts) == theirs(record, edition), (counts, theirs(record, edition))
        report = json.loads(ours(record, edition, '--json').stdout)
        assert report['good'] and report['numbers'] == [None if n == '-' else n for n in numbers], report
        assert f'tag commitment {report["commitment"]}\n' in record
        assert subprocess.run([COMMAND, 'replay', '-', '--edition', edition], input=record, capture_output=True, text=True,
            env=ENV,
                              check=True).stdout.startswith('<stdin>: finished')


def case_tampered():
    record = game(PLAIN, 1, [number(1), '-', number(2)])
    lines = record.split('\n')

    def line(start):
        return next(line for line in lines if line.startswith(start))

    def without(start):
        return record.replace(line(start) + '\n', '', 1)

    def swapped(one, two):
        return record.replace(one, '\0', 1).replace(two, one, 1).replace('\0', two, 1)

    secret, commitment = line('tag secret '), line('tag commitment ')
    refused(without('tag commitment'), 'before the commitment')
    refused(re.sub(r'tag (commitment|number) .*\n', '', record), 'no commitment before the deal')
    refused(without('tag secret'), 'the secret is missing')
    refused('\n'.join(lines[:40]) + '\n', 'the game is under way')
    refused(record.replace(secret, 'tag secret ' + number(9)), 'not the one that line')
    refused(record.replace(commitment, 'tag commitment ' + number(9)), 'not the one that line')
    forged = bytes.fromhex(number(9))         # a secret chosen afterwards, with its commitment
    refused(record.replace(secret, 'tag secret ' + forged.hex()).replace(
        commitment, 'tag commitment ' + hashlib.sha256(forged).hexdigest()), 'the shuffle gives different cards')
    refused(record.replace(number(1), number(3)), 'the shuffle gives different cards')
    refused(without('tag number 3'), 'the shuffle gives different cards')
    refused(record.replace('tag number 3', 'tag number 2'), 'the shuffle gives different cards')
    refused(record.replace('tag number 3', 'tag number 1'), 'given twice (first on line 7)')
    refused(record.replace('tag number 3', 'tag number 4'), 'seat that is not in this game')
    refused(record.replace('tag number 3 ', 'tag number 3x'), 'seat that is not in this game')
    refused(record.replace(commitment, commitment + '\n' + commitment), 'given twice')
    refused(record + secret + '\n', 'given twice')
    for bad in (number(1).upper(), number(1)[1:], number(1) + '0', 'g' + number(1)[1:], '0x' + number(1)[2:]):
        refused(record.replace(number(1), bad), 'expected 64 hexadecimal digits')
    refused(without('tag number 1').replace(line('deal 2'), line('tag number 1') + '\n' + line('deal 2')),
        'already deals cards')
    refused(without('tag secret').replace(line('winner'), secret + '\n' + line('winner')), 'before the end of the game')
    refused(swapped(line('deal 1')[7:], line('deal 2')[7:]), 'the shuffle gives different cards; expected: deal 1 ')
    reveals = [text for text in lines if text.startswith('reveal')]
    other = next(text for text in reveals if text != reveals[0])
    refused(record.replace(reveals[0], other, 1), f'expected: {reveals[0]}\n')
    first, second = line('show').split(' ')[1:3]
    refused(swapped(f'show {first} {second}', f'show {second} {first}').replace(f'show {first} {second}',
        f'show {second} {first}', 1),
            'expected: show ')


def case_draw_tampered():
    """A drawn card is replaced by one that is still in the deck."""
    for index in range(100):
        record = game(PLAIN, index, [number(1), number(2)])
        found = re.search(r'^draw (\d) (\d+)$', record, re.M)
        if not found:
            continue
        card = int(found.group(2))
        for other in range(1, 49):
            if other != card and not re.search(rf'^(show|draw|keep)\b.* {other}\b', record, re.M):
                refused(record.replace(found.group(0), f'draw {found.group(1)} {other}'), f'expected: {found.group(0)}\n')
                return
    raise AssertionError('no game with a draw')


def case_random_changes():
    """One character of a fair record is changed: the program never accepts what the second verifier refuses."""
    rng = random.Random(7)
    record = game(PLAIN, 2, [number(1), number(2)])
    taken = 0
    for _ in range(150):
        at = rng.randrange(len(record))
        char = rng.choice('0123456789abcdefIVLO: \n')
        changed = record[:at] + char + record[at + 1:]
        done = ours(changed, PLAIN)
        assert done.returncode in (0, 1), done
        try:
            follows = theirs(changed, PLAIN) is not None
        except (ValueError, IndexError):
            follows = False                  # not a record at all
        taken += done.returncode == 0
        assert done.returncode == 1 or follows, (record[:at][-20:], char)
    assert taken < 20, taken


def case_many():
    """A file of many records, as export writes it: every game is checked, and line numbers count from the beginning of the
    file."""
    records = [f'; table ABCDEFG{index}\n' + game(PLAIN, index, [number(index), '-']) for index in range(3)]
    done = ours(''.join(records), PLAIN)
    assert done.returncode == 0 and done.stdout.count(': fair: ') == 3, done
    assert done.stdout.endswith('\n<stdin>: games: 3, fair: 3, not proved: 0\n'), done
    reports = [json.loads(line) for line in ours(''.join(records), PLAIN, '--json').stdout.splitlines()]
    assert [(report['game'], report['good']) for report in reports] == [(1, True), (2, True), (3, True)]
    secret = re.search(r'tag secret (\w+)', records[1]).group(1)
    bad = records[:1] + [records[1].replace(secret, hashlib.sha256(b'another').hexdigest())] + records[2:]
    lines = ''.join(bad).split('\n')
    commitment, line = (i + 1 for i, text in enumerate(lines) if text.startswith(('tag commitment', 'tag secret')) and
                        len(records[0].split('\n')) <= i + 1 < len((bad[0] + bad[1]).split('\n')))
    done = ours(''.join(bad), PLAIN)
    assert done.returncode == 1 and done.stdout.endswith('<stdin>: games: 3, fair: 2, not proved: 1\n'), done
    assert done.stderr == f'<stdin>:{line}: the secret is not the one that line {commitment} commits to\n', (done.stderr,
        line, commitment)


def case_usage():
    def run(*words):
        return subprocess.run([COMMAND, 'verify', *words], capture_output=True, text=True, env=ENV, check=False)

    text = run('--help').stdout
    assert 'Usage: pyramids verify' in text and 'Examples:\n  pyramids verify' in text, text
    assert run().returncode == 2 and run('a', 'b').returncode == 2 and run('--nonsense').returncode == 2
    done = run(os.path.join(ROOT, 'missing'))
    assert done.returncode == 1 and 'No such file' in done.stderr
    done = run(os.path.join(ROOT, 'tests/data/plain-2.pyr'), '--edition', PLAIN)
    assert done.returncode == 1 and 'no commitment' in done.stderr, done
    assert run(os.path.join(ROOT, 'tests/data/plain-2.pyr')).returncode == 1


if __name__ == '__main__':
    cases.main(globals(), '')
