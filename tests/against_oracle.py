#!/usr/bin/env python3
"""Compares the command with tests/oracle.py: on the classic edition and on odd ones made here (other patterns, short
ways, crowded cards, a deck that runs out), for 2 to 4 players. Records must satisfy the oracle, `legal` must list the
same choices, and a record with one changed character must be refused at the line where the oracle refuses it.

usage: against_oracle.py PYRAMIDS CLASSIC_EDITION [EDITIONS [GAMES]]"""
import os
import random
import subprocess
import sys
import tempfile

import oracle

SHAPES = {
    'I2': ['XX'], 'I3': ['XXX'], 'V3': ['X.', 'XX'], 'I4': ['XXXX'], 'L4': ['X.', 'X.', 'XX'], 'O4': ['XX', 'XX'],
    'T4': ['XXX', '.X.'], 'S4': ['.XX', 'XX.'],
}


def odd_card(rng, symbols):
    """A connected card; walls and symbols at random, from almost empty to crowded."""
    while True:
        walls = set(rng.sample(range(25), rng.randint(0, 14)))
        tops, bottoms = [c for c in range(5) if c not in walls], [c for c in range(20, 25) if c not in walls]
        if not tops or not bottoms:
            continue
        grid = ['#' if i in walls else '.' for i in range(25)]
        seen, fresh = set(), {tops[0]}
        while fresh:
            seen |= fresh
            fresh = {n for i in fresh for n in range(25) if n not in walls and n not in seen and
                     (abs(n - i) == 5 or (abs(n - i) == 1 and n // 5 == i // 5))}
        if len(seen) != 25 - len(walls):
            continue
        grid[rng.choice(tops)] = 'v'
        grid[rng.choice(bottoms)] = 'T'
        crosses = 0
        for i in range(25):
            if grid[i] == '.' and rng.random() < symbols:
                grid[i] = rng.choice('xrefspresf')
                if grid[i] == 'x':
                    crosses += 1
                    if crosses > 2:      # more would give more moves than the oracle can list
                        grid[i] = 's'
        return [''.join(grid[r * 5:r * 5 + 5]) for r in range(5)]


def odd_edition(rng, name):
    lines = ['pyramids-edition 1', f'name {name}', f'title Odd {name}', '; a comment', '']
    lines += ['skulls ' + ' '.join(str(n) for n in sorted(rng.choices(range(0, 30), k=10)))]
    copies = [1] * 6
    for _ in range(2):
        copies[rng.randrange(6)] += 1
    for shape, count in zip(rng.sample(sorted(SHAPES), 6), copies):
        rows = SHAPES[shape]
        if rng.random() < 0.5:
            rows = [row[::-1] for row in rows]
        lines += ['', f'pattern {shape} {count}', *rows]
    colours = [c for c in oracle.COLOURS for _ in range(16)]
    rng.shuffle(colours)
    numbers = list(range(1, 49))
    rng.shuffle(numbers)
    symbols = rng.choice((0.05, 0.3, 0.6))
    for number, colour in zip(numbers, colours):
        lines += ['', f'card {number} {colour}', *odd_card(rng, symbols)]
    return '\n'.join(lines) + '\n'


class Tester:
    def __init__(self, command, rng):
        self.command, self.rng = command, rng
        self.records = self.lists = self.changes = self.refused = 0

    def run(self, *words, text=None, good=True):
        done = subprocess.run([self.command, *words], input=text, capture_output=True, text=True, timeout=120)
        if good and done.returncode:
            sys.exit(f'{" ".join(words)}: exit {done.returncode}\n{done.stderr}')
        return done

    def check_record(self, edition, path, text):
        game = oracle.follow(edition, text)
        if game.stage != 'over' or game.queue:
            sys.exit('a record of sim is not complete')
        self.records += 1
        lines = text.split('\n')[:-1]
        for cut in self.rng.sample(range(2 + game.seats, len(lines)), 4):
            prefix = '\n'.join(lines[:cut]) + '\n'
            partial = oracle.follow(edition, prefix)
            for seat in range(partial.seats):
                wanted = sorted(partial.choices(seat), key=str.encode)
                got = self.run('legal', '-', '--seat', str(seat + 1), '--edition', path, text=prefix).stdout.split('\n')[:-1]
                if got != wanted:
                    sys.exit(f'legal differs after line {cut} ({lines[cut - 1]}), seat {seat + 1}, of\n{text}\n'
                             f'only legal: {set(got) - set(wanted)}\nonly oracle: {set(wanted) - set(got)}')
                self.lists += 1

    def check_change(self, edition, path, text):
        """Removes, adds or changes one character."""
        at = self.rng.randrange(len(text))
        kind = self.rng.randrange(4)
        new = self.rng.choice('0123456789abcde:+ -xI\n;')
        changed = text[:at] + ('' if kind == 0 else new) + text[at + (kind != 1):]
        if changed == text or changed.startswith(';'):
            return
        try:
            oracle.follow(edition, changed)
            wanted = None
        except oracle.Bad as bad:
            wanted = bad.line
        done = self.run('replay', '-', '--edition', path, text=changed, good=False)
        got = int(done.stderr.split(':')[1]) if done.returncode == 1 and done.stderr.startswith('<stdin>:') else None
        if done.returncode not in (0, 1) or got != wanted:
            sys.exit(f'a changed record: the oracle refuses line {wanted}, replay {got} ({done.stderr.strip()}) '
                f'of\n{changed}')
        self.changes += 1
        self.refused += wanted is not None


def main():
    command, classic = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 6
    games = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    rng = random.Random(20)
    tester = Tester(os.path.abspath(command), rng)
    with tempfile.TemporaryDirectory() as folder:
        paths = [classic]
        for i in range(count):
            paths.append(os.path.join(folder, f'odd{i}.edition'))
            with open(paths[-1], 'w', encoding='utf-8') as to:
                to.write(odd_edition(rng, f'odd{i}'))
            tester.run('edition', 'check', paths[-1])
        for path in paths:
            with open(path, encoding='utf-8') as source:
                edition = oracle.Edition(source.read())
            for players in (2, 3, 4):
                records = os.path.join(folder, f'{edition.name}-{players}')
                bots = rng.choice(('random', 'greedy', 'greedy,random'))
                tester.run('sim', '--players', str(players), '--bots', bots, '--games', str(games), '--seed',
                           str(rng.randrange(10 ** 9)), '--edition', path, '--records', records)
                for name in sorted(os.listdir(records)):
                    with open(os.path.join(records, name), encoding='utf-8') as source:
                        text = source.read()
                    tester.check_record(edition, path, text)
                    for _ in range(8):
                        tester.check_change(edition, path, text)
    print(f'{tester.records} records hold, {tester.lists} lists of choices are equal, {tester.refused} of {tester.changes} '
          'changed records are refused at the same line')


if __name__ == '__main__':
    main()
