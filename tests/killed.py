#!/usr/bin/env python3
"""kill -9 in a loop under load: scripted players and bots play at several tables, the server is killed at random
moments and started again. Every acknowledged choice is in the records, no table is stuck or corrupt. usage: killed.py
PYRAMIDS SOURCE_ROOT [CASE]"""
import os
import random
import secrets
import threading
import time

import wire
from wire import Closed, LONG, Server, Visitor, check_record

KILLS, TABLES = (200, 9) if LONG else (int(os.environ.get('PYR_KILLS', 12)), 3)


class Person(threading.Thread):
    """Plays a game to its end, whatever happens to the server, as docs/protocol.md describes: an unanswered message is sent
    again with its id after `open` with the last known version."""

    def __init__(self, server, cookie, code, key, seed):
        super().__init__(daemon=True)
        self.server, self.code, self.key, self.dice = server, code, key, random.Random(seed)
        self.visitor = Visitor(server, cookie)
        self.acknowledged, self.failure, self.connections = [], None, 0
        self.lines, self.version = [], 0

    def run(self):
        try:
            self.play()
        except BaseException as error:       # pylint: disable=broad-except  # told by the main thread
            self.failure = error

    def connect(self):
        end = time.monotonic() + wire.PATIENCE
        while True:
            try:
                link = wire.Link(self.visitor)
                link.lines, link.version = self.lines, self.version
                link.done('open', table=self.code, have=self.version)
                link.until(lambda: link.table)
                self.connections += 1
                return link
            except (OSError, Closed):
                assert time.monotonic() < end, 'no server'
                time.sleep(0.003)

    def play(self):
        link, pending, chosen = None, None, -1
        sit = dict(kind='sit', id=secrets.token_hex(8), number=secrets.token_hex(32),
            **({'key': self.key} if self.key else {}))
        while True:
            try:
                link = link or self.connect()
                if link.over():
                    link.close()
                    return
                if not pending and not link.table['you']:
                    pending = sit
                elif not pending and chosen != link.version:
                    choice = link.pick(self.dice)
                    pending = choice and dict(kind='choose', id=secrets.token_hex(8), phase=link.version, choice=choice)
                if not pending:
                    link.hear(0.5)
                    continue
                answer = link.say(**pending)
                sent, pending = pending, None
                if sent['kind'] == 'sit':
                    assert answer['type'] == 'done' or answer['code'] in ('seated', 'begun'), answer
                    link.until(lambda: link.table['you'])
                elif sent['kind'] == 'choose':
                    # there is no clock: choices are never made for us
                    assert answer['type'] == 'done', (answer, sent, link.version)
                    chosen = sent['phase']
                    self.acknowledged.append((link.table['you'], chosen, sent['choice']))
                    if self.dice.random() < 0.1 and not sent['choice'].startswith(('take', 'draw')):
                        pending = dict(kind='retract', id=secrets.token_hex(8), phase=chosen)
                elif answer['type'] == 'done':
                    self.acknowledged.pop()
                    chosen = -1
                else:
                    assert answer['code'] == 'late', answer
            except (OSError, Closed):
                if link:
                    self.lines, self.version = link.lines, link.version
                    link.close()
                link = None


def begin_games(server, people, seed):
    """One player per seat: tables with bots, with others, with both."""
    seats = []
    for i in range(TABLES):
        kinds = (('open', 'bot:novice'), ('open', 'friend', 'bot:casual'), ('open', 'friend', 'friend'))[i % 3]
        made = people[i % len(people)].make(*kinds)
        code, keys = made if isinstance(made, tuple) else (made, {})
        seats += [Person(server, people[(i + n) % len(people)].cookie, code, keys.get(str(n + 1)), seed + 10 * i + n)
                  for n, kind in enumerate(kinds) if not kind.startswith('bot')]
    for seat in seats:
        seat.start()
    return seats


def check_games(server, seats, folder):
    """All tables are over, all records are valid, and all acknowledged choices are in them. Returns how many."""
    count, visitor, records = 0, Visitor(server), {}
    for seat in seats:
        if seat.code not in records:
            assert visitor.table(seat.code)['state'] == 'over'
            records[seat.code] = visitor.record(seat.code)
            check_record(folder, records[seat.code])
        lines = records[seat.code].splitlines()
        for number, phase, choice in seat.acknowledged:
            words, later = choice.split(' '), [line.split(' ') for line in lines[phase:phase + 4]]
            if words[0] in ('take', 'draw'):
                found = later[0][:2] == [words[0], str(number)] and (words[0] == 'draw' or later[0][2] == words[1])
            elif len(words) == 2:
                found = any(line[:2] == ['keep', str(number)] and set(line[2:]) == set(words) for line in later)
            else:
                found = ['mark', str(number), choice] in later
            assert found, (seat.code, number, phase, choice, later)
            count += 1
    return count, len(records)


def case_kill_loop(folder):
    with Server(folder) as server:
        dice, kills, begun = random.Random(5), 0, time.monotonic()
        people = [server.visitor(name) for name in ('Ana', 'Ben', 'Chloé', 'Davi')]
        seats = begin_games(server, people, 0)
        choices = games = connections = 0
        while kills < KILLS:
            time.sleep(dice.random() ** 2 * 0.15)
            server.kill()
            kills += 1
            if kills % 20 == 0:
                assert server.base.is_whole()
            server.start()
            assert not any(seat.failure for seat in seats), [seat.failure for seat in seats if seat.failure]
            if kills < KILLS and not any(seat.is_alive() for seat in seats):     # all games are over: new ones
                more, tables = check_games(server, seats, folder)
                choices, games, connections = choices + more, games + tables, connections + sum(seat.connections
                    for seat in seats)
                seats = begin_games(server, people, kills)
        elapsed = time.monotonic() - begun
        for seat in seats:
            heard = -1
            while seat.is_alive() and len(seat.lines) > heard:      # while it continues, however slowly
                heard = len(seat.lines)
                seat.join(wire.PATIENCE)
            assert not seat.failure, seat.failure
            assert not seat.is_alive(), f'a table is stuck: {seat.lines[-3:]}'
        more, tables = check_games(server, seats, folder)
        choices, games, connections = choices + more, games + tables, connections + sum(seat.connections for seat in seats)
        server.stop()
        assert server.base.is_whole()
        print(f'# {kills} kills in {elapsed:.0f} s, {games} games, {choices} acknowledged choices, '
            f'{connections} connections')


if __name__ == '__main__':
    wire.main(globals())
