#!/usr/bin/env python3
"""The daily expedition (docs/daily.md): the same cards for everybody, one attempt that counts, nothing known too early,
results, streaks and boards, over midnight and over days. The server goes by a clock of the test (wire.Clock).
usage: daily.py PYRAMIDS SOURCE_ROOT [CASE]"""
# pylint: disable=cell-var-from-loop  # until_so is over before the loop goes on
import concurrent.futures
import datetime
import hashlib
import os
import random
import re
import subprocess
import sys
import time

import wire
from wire import Clock, Link, Server, Visitor, check_record, until_so

DAY, GRACE = 86400, 3 * 3600
QUICK = ('--analysis-playouts', '128')


class Days:
    """A clock that stands still at noon of a day, moved by seconds from that midnight."""

    def __init__(self, folder):
        self.first = int(time.time()) // DAY + 400
        self.clock = Clock(folder, f'={self.first * DAY + DAY // 2}')
        self.env = self.clock.env

    def to(self, server, day, seconds=DAY // 2):
        self.clock.set(server, f'={(self.first + day) * DAY + seconds}')
        self.clock.pass_ticks(server)

    def date(self, day=0):
        return (datetime.date(1970, 1, 1) + datetime.timedelta(days=self.first + day)).isoformat()


def begin(visitor, status=201, **more):
    return visitor.want(status, 'POST', '/api/daily', more).json


def is_over(link):
    return link.table and link.table['state'] == 'over' and any(line.startswith('winner ') for line in link.lines[-3:])


def play(link, seed, until=None):
    """Plays to the end by chance; the same seed makes the same choices on the same cards, whenever it begins."""
    chosen, end = None, time.monotonic() + 2 * wire.PATIENCE
    while not is_over(link):
        assert time.monotonic() < end, (link.lines[-3:], link.table, link.ready)
        if until and until():
            return
        choice = link.pick(random.Random(f'{seed} {link.version}')) if chosen != link.version else None
        if choice:
            chosen = link.version
            link.done('choose', phase=chosen, choice=choice)
        else:
            link.hear(1)


def finish(visitor, seed=1, **more):
    """A whole attempt: its code and the lines that its player was sent."""
    code = begin(visitor, **more)['table']['code']
    link = visitor.link(code)
    play(link, seed)
    link.close()
    return code, link.lines


def today(visitor):
    return visitor.want(200, 'GET', '/api/daily').json


def of_cards(lines):
    """What chance has shown, without what players did with it."""
    return [line for line in lines if line.split(' ')[0] in ('deal', 'show', 'reveal', 'draw')]


def game_of(record):
    """The lines without names and times."""
    return [line for line in record.splitlines() if not line.startswith(('player ', 'tag '))]


# One game for everybody.

def case_two_identities_get_the_same_game(folder):
    """The same cards and, for the same choices, the same answers of the bots; the server restarts in between, and another
    table keeps its threads busy. The day after, anyone can verify it with a program of their own."""
    days = Days(folder)
    with Server(folder, *QUICK, env=days.env) as server:
        ana, ben, eve = server.visitor('Ana'), server.visitor('Ben'), server.visitor('Eve')
        seal = today(ana)['today']['commitment']
        eve.seat(eve.make('open', 'bot:master', 'bot:master', 'bot:expert'))
        first, _ = finish(ana)
        code = begin(ben)['table']['code']
        link = ben.link(code)
        play(link, 1, until=lambda: link.version > 60)
        link.close()
        server.restart()
        again = begin(ben, 200)
        assert again['table']['code'] == code and again['counted']
        link = ben.link(code)
        play(link, 1)
        mine, other = ana.record(first), ben.record(code)
        assert game_of(mine) == game_of(other), 'the same choices must give the same game'
        assert f'tag day {days.date()}' in mine and f'tag commitment {seal}' in mine and 'tag secret' not in mine
        assert 'tag number' not in mine
        days.to(server, 1, GRACE)
        mine = ana.record(first)
        secret = re.search(r'^tag secret ([0-9a-f]{64})$', mine, re.M).group(1)
        assert hashlib.sha256(bytes.fromhex(secret)).hexdigest() == seal
        assert ana.want(200, 'GET', f'/api/daily/{days.date()}').json['day']['secret'] == secret
        check_record(folder, mine)
        check_record(folder, ben.record(code))
        check_seal(folder, mine, seal)


def check_seal(folder, record, seal):
    path = os.path.join(folder, 'sealed.pyr')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(record)
    wire.run('verify', path, '--commitment', seal)
    wire.run('verify', path, '--commitment', '0' * 64, code=1)
    edition = os.path.join(wire.ROOT, 'editions/classic.edition')
    for commitment, code in ((seal, 0), ('0' * 64, 1)):
        done = subprocess.run([sys.executable, os.path.join(wire.ROOT, 'tests/verify.py'), path, edition, commitment],
            capture_output=True, timeout=wire.PATIENCE)
        assert done.returncode == code, done.stdout + done.stderr


if __name__ == '__main__':
    wire.main(globals())
