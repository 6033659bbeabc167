#!/usr/bin/env python3
"""Writes perft.txt: how many choices tests/oracle.py, the second reading of the rules, finds at points of the games perft-*.pyr.
tests/test_engine.c must find as many. A line is

    EDITION RECORD LINES SEAT ONE TWO THREE WHOLE

after the first LINES lines of the record: how many sequences of one, two and three steps the seat can make (a first mark, an
extra, another extra; shorter ones that leave nothing due are not counted on), and how many whole choices.

usage: perft.py > perft.txt"""
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import oracle

GAMES = (('plain', 'perft-2', 26), ('plain', 'perft-3', 16), ('plain', 'perft-4', 12), ('crowded', 'perft-crowded', 24))
MOST = 30000     # whole moves; beyond that a point tells no more and takes long


def read(name):
    with open(os.path.join(HERE, name), encoding='utf-8') as source:
        return source.read()


class TooMany(Exception):
    pass


def count_marks(game, seat):
    depths = [0, 0, 0]
    whole = 0

    def go_on(player, depth, due):
        nonlocal whole
        options = list(game.extra_marks(player)) if due else []
        if not options:
            whole += 1
            if whole > MOST:
                raise TooMany
        for number, spaces in options:
            if depth < 3:
                depths[depth] += 1
            twin = player.copy()
            go_on(twin, depth + 1, due - 1 + game.mark(twin, number, spaces))

    player = game.players[seat]
    first = list(game.first_marks(player))
    if not first:
        return [1, 0, 0], 1                      # a pass
    for number, spaces in first:
        depths[0] += 1
        twin = player.copy()
        go_on(twin, 1, game.mark(twin, number, spaces))
    assert whole == len(game.moves(seat))
    return depths, whole


def is_due(game, seat):
    if game.queue or not game.to_act:
        return False
    return seat == game.to_act[0] if game.stage == 'replace' else game.stage in ('keep', 'mark') and seat in game.to_act


def main():
    rng = random.Random(3)
    for edition_name, record, wanted in GAMES:
        edition = oracle.Edition(read(edition_name + '.edition'))
        lines = read(record + '.pyr').split('\n')[:-1]
        points = []
        for cut in range(2, len(lines)):
            game = oracle.follow(edition, '\n'.join(lines[:cut]) + '\n')
            points += [(cut, seat) for seat in range(game.seats) if is_due(game, seat)]
        rng.shuffle(points)
        rows = []
        for cut, seat in points:
            game = oracle.follow(edition, '\n'.join(lines[:cut]) + '\n')
            if game.stage == 'mark':
                try:
                    depths, whole = count_marks(game, seat)
                except TooMany:
                    continue
            else:
                whole = len(game.choices(seat))
                depths = [whole, None, None]     # the next step is another decision
            kind = game.stage
            if sum(r[0] == kind for r in rows) >= (wanted if kind == 'mark' else 3):
                continue
            rows.append((kind, cut, seat, depths, whole))
            if sum(r[0] == 'mark' for r in rows) >= wanted and len(rows) >= wanted + 4:
                break
        for _, cut, seat, depths, whole in sorted(rows, key=lambda r: r[1:3]):
            print(edition_name, record, cut, seat + 1, *('-' if d is None else d for d in depths), whole)


main()
