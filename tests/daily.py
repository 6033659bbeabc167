#!/usr/bin/env python3
"""The daily expedition (docs/daily.md): the same cards for every player, one attempt that counts, no early disclosure,
results, streaks and boards, over midnight and over days. The test controls the server's clock (wire.Clock). usage:
daily.py PYRAMIDS SOURCE_ROOT [CASE]"""
# pylint: disable=cell-var-from-loop  # until_so is over before the loop continues
import concurrent.futures
import datetime
import hashlib
import http.server
import json
import os
import random
import re
import select
import subprocess
import sys
import threading
import time

import wire
from schemas import check as fits
from wire import Clock, Link, Server, Visitor, check_record, until_so

DAY, GRACE = 86400, 3 * 3600
QUICK = ('--analysis-playouts', '128')


class Days:
    """A clock that stands still at noon of a day; it is moved by seconds relative to that midnight."""

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
    """Plays to the end at random; the same seed makes the same choices on the same cards, whenever it begins."""
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
    """A whole attempt: returns its code and the lines sent to its player."""
    code = begin(visitor, **more)['table']['code']
    link = visitor.link(code)
    play(link, seed)
    link.close()
    return code, link.lines


def today(visitor):
    return visitor.want(200, 'GET', '/api/daily').json


def of_cards(lines):
    """The results of chance, without the players' choices."""
    return [line for line in lines if line.split(' ')[0] in ('deal', 'show', 'reveal', 'draw')]


def game_of(record):
    """The lines without names and times."""
    return [line for line in record.splitlines() if not line.startswith(('player ', 'tag '))]


class Terminal:
    """`pyramids daily --server` without a full screen: returns its output and types the next line."""

    def __init__(self, server, home, *words):
        self.text = ''
        self.process = subprocess.Popen([wire.COMMAND, 'daily', '--server', server.url, *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(wire.ENV, HOME=home,
            XDG_DATA_HOME=home))
        self.news = self.hear()

    def hear(self):
        """All output until the next prompt, or the end."""
        heard, end = b'', time.monotonic() + wire.PATIENCE
        out = self.process.stdout
        while not (b'\n' + heard).endswith(b'\n> '):
            assert time.monotonic() < end, heard
            if select.select([out], [], [], 1)[0]:
                some = os.read(out.fileno(), 65536)
                if not some:
                    break
                heard += some
        self.news = heard.decode()
        self.text += self.news
        return self.news

    def type(self, line):
        self.process.stdin.write(line.encode() + b'\n')
        self.process.stdin.flush()
        return self.hear()

    def choose(self, dice):
        """Any legal choice: they are listed on separate lines."""
        listed = [line for line in self.type('?').splitlines() if re.match(r'(\d+[ :]|take |draw$|-$)', line)]
        return self.type(dice.choice(listed))

    def end(self):
        self.process.stdin.close()
        self.hear()
        self.process.stdout.close()
        return self.process.wait(timeout=wire.PATIENCE)


def show(server, home, *words, code=0):
    done = subprocess.run([wire.COMMAND, 'daily', '--server', server if isinstance(server, str) else server.url, *words],
        capture_output=True, timeout=wire.PATIENCE, env=dict(wire.ENV, HOME=home, XDG_DATA_HOME=home), check=False)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done.stdout.decode() if not code else done.stderr.decode()


def told(server, home, *words):
    """The same as JSON, which matches its schema."""
    value = json.loads(show(server, home, '--json', *words))
    schema = json.loads(wire.read(os.path.join(wire.ROOT, 'docs/schemas/daily-server.json')))
    faults = fits(value, schema)
    assert not faults, faults
    return value


# The same game for all players.

def case_two_identities_get_the_same_game(folder):
    """The same cards and, for the same choices, the same answers of the bots; the server restarts in between, and
    another table keeps its threads busy. The day after, a program of one's own can verify it."""
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
        played = play_at_home(folder, days.date(), secret, choices_of(mine))
        assert game_of(played) == game_of(mine), 'the terminal must give the same game without the server'
        assert f'tag day {days.date()}' in played and f'tag secret {secret}' in played
        check_record(folder, played)


def choices_of(record):
    """What seat 1 would have to type."""
    found = []
    for line in record.splitlines():
        words = line.split(' ')
        if words[0] in ('keep', 'mark', 'take', 'draw', 'pass') and words[1] == '1':
            found.append({'take': f'take {words[-1]}', 'draw': 'draw', 'pass': '-'}.get(words[0], ' '.join(words[2:])))
    return found


def play_at_home(folder, date, secret, choices):
    """The record of the same game, line by line in a terminal."""
    home = os.path.join(folder, 'home')
    os.makedirs(home)
    done = subprocess.run([wire.COMMAND, 'daily', '--date', date, '--secret', secret, '--plain', '--name', 'Home'],
        input='\n'.join(choices).encode() + b'\n', capture_output=True, timeout=wire.PATIENCE,
        env=dict(wire.ENV, HOME=home, XDG_DATA_HOME=home))
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    files = [os.path.join(path, name) for path, _, names in os.walk(home) for name in names]
    texts = [text for text in map(wire.read, files) if 'winner' in text]
    assert len(texts) == 1, (files, done.stdout[-1500:])
    return '\n'.join(line for line in texts[0].splitlines() if not line.startswith(';')) + '\n'


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


def case_one_attempt_counts(folder):
    """One attempt counts, however many requests for it there are, even at once."""
    days = Days(folder)
    with Server(folder, *QUICK, env=days.env) as server:
        ana, nameless = server.visitor('Ana'), Visitor(server)
        nameless.want(200, 'POST', '/api/visitor', {})
        nameless.refused(400, 'bad_name', 'POST', '/api/daily', {})
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: Visitor(server, ana.cookie).ask('POST', '/api/daily', {}), range(16)))
        assert sorted(answer.status for answer in answers) == [200] * 15 + [201]
        assert len({answer.json['table']['code'] for answer in answers}) == 1
        assert server.base.rows('SELECT count(*) FROM attempt') == [(1,)]
        code = answers[0].json['table']['code']
        table = answers[0].json['table']
        assert table['daily'] == {'date': days.date(), 'number': 1, 'counted': True} and table['state'] == 'running'
        assert [seat.get('level') for seat in table['seats']] == [None, 'club', 'club'] and table['you'] == 1
        ana.refused(409, 'not_over', 'POST', '/api/daily', {'again': True})
        link = ana.link(code)
        for kind, fields in (('leave', {}), ('standin', {'seat': 1})):
            link.refused('daily', kind, **fields)
        link.refused('begun', 'close')
        ana.refused(409, 'no_hints', 'POST', f'/api/tables/{code}/hint', {})
        you = today(ana)['today']['you']
        assert (you['table'], you['state'], you['round'], you['turn']) == (code, 'running', 0, 0)
        play(link, 3)
        ana.refused(409, 'attempted', 'POST', '/api/daily', {})
        ana.refused(409, 'daily', 'POST', f'/api/tables/{code}/rematch', {})
        again = begin(ana, again=True)
        assert not again['counted'] and not again['table']['daily']['counted']
        assert begin(ana, 200, again=True)['table']['code'] == again['table']['code']
        link.open(again['table']['code'])
        play(link, 3)
        assert game_of(ana.record(code)) == game_of(ana.record(again['table']['code']))
        assert begin(ana, again=True)['table']['code'] != again['table']['code']
        found = ana.want(200, 'GET', '/api/my/games?filter=daily').json['games']
        assert sorted(game['code'] for game in found) == sorted([code, again['table']['code']]), found
        assert all(game['daily'] for game in found)
        until_so(lambda: today(ana)['today']['you']['luck'] is not None, timeout=4 * wire.PATIENCE)
        you = today(ana)['today']['you']
        points = ana.table(code)['points']
        assert you['points'] == points[0] and (you['place'], you['of']) == (1, 1) and you['won'] in (1, 2, 3), you
        assert abs(you['without_luck'] - (you['points'] - you['luck'])) < 0.11 and you['place_without_luck'] == 1
        assert you['level'] in ('novice', 'casual', 'club', 'expert', 'master') and you['error_rate'] >= 0
        analysis = ana.want(200, 'GET', f'/api/tables/{code}/analysis').json
        assert abs(analysis['players'][0]['luck'] - you['luck']) < 0.06, (analysis['players'][0], you)


# What must stay hidden.

def everything(code, date):
    """All documented requests that may reveal something about a table or a day."""
    return [('GET', f'/api/tables/{code}', None), ('GET', f'/api/tables/{code}/record', None),
        ('GET', f'/api/tables/{code}/analysis', None), ('GET', f'/api/tables/{code}/analysis.html', None),
        ('POST', f'/api/tables/{code}/rematch', {}), ('POST', f'/api/tables/{code}/seats', {'seats': [1, 2, 3]}),
        ('POST', f'/api/tables/{code}/hint', {}), ('POST', f'/api/tables/{code}/name', {}), ('GET', '/api/tables', None),
        ('GET', f'/api/tables/{code}/people', None), ('POST', f'/api/tables/{code}/notify', {'on': True}),
        ('GET', f'/api/tables/{code.lower()}', None), ('HEAD', f'/api/tables/{code}/record', None),
        ('GET', '/api/my/tables', None), ('GET', '/api/statistics', None), ('GET', '/api/daily', None),
        ('GET', '/api/daily/calendar', None), ('GET', f'/api/daily/{date}', None), ('GET', f'/api/daily/{date}/board', None),
        ('GET', f'/api/daily/{date}/board?period=week', None), ('GET', f'/api/daily/{date}/board?by=skill', None),
        ('POST', '/api/daily', {'date': date, 'again': True}), ('GET', '/metrics', None)]


def case_nobody_looks_ahead(folder):
    """A second identity tries every request on a game in progress, and on a finished one, while the day is sealed; so does
    an identity that has finished its own game."""
    days = Days(folder)
    socket = os.path.join(folder, 'admin')
    with Server(folder, *QUICK, '--admin-socket', socket, env=days.env) as server:
        ana, ben, eve, nobody = server.visitor('Ana'), server.visitor('Ben'), server.visitor('Eve'), Visitor(server)
        done, _ = finish(ben)
        code = begin(ana)['table']['code']
        link = ana.link(code)
        play(link, 2, until=lambda: link.version > 40)
        words = [line for line in link.lines if line.split(' ')[0] in ('deal', 'show', 'keep', 'mark')]
        assert len(words) > 10
        secret = bytes(server.base.rows('SELECT secret FROM day ORDER BY day')[0][0] if not wire.POSTGRES else bytes.fromhex(
            server.base.rows("SELECT encode(secret, 'hex') FROM day ORDER BY day")[0][0])).hex()
        for who in (eve, nobody):
            for table in (code, done):
                for method, path, body in everything(table, days.date()):
                    answer = who.ask(method, path, body)
                    if f'/tables/{table}' in path or who is nobody and '/daily' in path:
                        assert answer.status in (401, 403), (method, path, answer.status, answer.text)
                    elif '/board' in path:
                        assert answer.status == (200 if 'week' in path else 409) and '"name"' not in answer.text, answer.text
                    elif method == 'POST':
                        assert answer.json['error']['code'] == 'not_over'
        for table in (code, done):
            assert Link(eve).refused('sealed', 'open', table=table)
        assert eve.want(200, 'GET', f'/api/daily/{days.date()}').json['results'] is None
        # a player who has finished sees finished games, but not those in progress
        assert ben.refused(403, 'sealed', 'GET', f'/api/tables/{code}/record')
        assert ben.refused(403, 'sealed', 'GET', f'/api/tables/{code}')
        play(link, 2)
        assert 'winner' in ben.record(code) and 'tag secret' not in ben.record(code)
        assert ben.want(200, 'GET', f'/api/tables/{code}').json['table']['state'] == 'over'
        assert ben.ask('GET', f'/api/tables/{code}/analysis').status in (200, 202)
        Link(ben).refused('sealed', 'open', table=code)
        eve.refused(403, 'sealed', 'GET', f'/api/tables/{code}/record')
        eve.refused(404, 'no_day', 'GET', f'/api/daily/{days.date(1)}')
        ben.refused(404, 'no_day', 'POST', '/api/daily', {'date': days.date(1), 'again': True})
        tomorrow = today(ben)['tomorrow']
        assert tomorrow['date'] == days.date(1)
        for asked in (['tables'], ['visitors'], ['status'], ['--json', 'tables']):
            assert secret not in wire.run('admin', '--socket', socket, *asked)
        assert secret not in wire.run('export', '--database', server.database)
        # the first hours after midnight: only for those who have finished it
        days.to(server, 1, GRACE - 1)
        eve.refused(403, 'sealed', 'POST', '/api/daily', {'date': days.date(), 'again': True})
        eve.refused(409, 'closed_day', 'POST', '/api/daily', {'date': days.date()})
        eve.refused(403, 'sealed', 'GET', f'/api/tables/{done}/record')
        assert begin(ben, date=days.date(), again=True)
        for who in (ana, ben, eve, nobody):
            assert not any(secret.encode() in heard for heard in who.heard)
        for who in (eve, nobody):
            assert not any(word.encode() in heard for heard in who.heard for word in words)
        # then it is public
        days.to(server, 1, GRACE)
        assert today(eve)['yesterday']['secret'] == secret
        assert today(eve)['today']['commitment'] == tomorrow['commitment']
        check_record(folder, eve.record(code))
        assert begin(eve, date=days.date(), again=True)['counted'] is False
        until_so(lambda: f'tag secret {secret}' in wire.run('export', '--database', server.database))
        link.close()


def case_midnight(folder):
    """A game may be finished until three hours after midnight, to the second; then it is closed and no longer counts."""
    days = Days(folder)
    with Server(folder, *QUICK, env=days.env) as server:
        ana, ben = server.visitor('Ana'), server.visitor('Ben')
        late, never = begin(ana)['table']['code'], begin(ben)['table']['code']
        links = [ana.link(late), ben.link(never)]
        for link in links:
            play(link, 1, until=lambda: link.version > 30)
            link.close()                     # hours of silence end a connection
        days.to(server, 0, DAY - 1)
        assert today(ana)['today']['number'] == 1
        days.to(server, 1, 0)
        assert today(ana)['today']['number'] == 2 and today(ana)['yesterday']['you']['state'] == 'running'
        assert begin(ana, 200, date=days.date())['table']['code'] == late
        other = begin(ana)['table']
        assert other['code'] != late and other['daily']['number'] == 2
        days.to(server, 1, GRACE - 1)
        play(ana.link(late), 1)
        day = ana.want(200, 'GET', f'/api/daily/{days.date()}').json
        assert day['day']['you']['state'] == 'over' and day['results']['count'] == 1
        assert ana.table(late)['state'] == 'over'
        days.to(server, 1, GRACE)
        until_so(lambda: ben.table(never)['state'] == 'closed')
        day = ben.want(200, 'GET', f'/api/daily/{days.date()}').json
        assert day['day']['you'] == {'table': never, 'state': 'expired'} and day['results']['count'] == 1
        assert 'mark' in ben.record(never)
        ben.refused(409, 'attempted', 'POST', '/api/daily', {'date': days.date()})
        link = ben.link(never)
        link.until(lambda: link.version)
        link.refused('not_running', 'choose', phase=link.version, choice='-')
        # old games are deleted, but the attempt stays
        days.to(server, 60)
        assert ben.table(never)['state'] == 'closed'


def case_a_server_with_a_slow_clock(folder):
    """Another server, whose clock is ahead, has revealed the day: it can no longer be begun here, and a game that ends here
    expires."""
    days = Days(folder)
    with Server(folder, *QUICK, env=days.env) as server:
        ana, ben, cleo = (server.visitor(name) for name in ('Ana', 'Ben', 'Cleo'))
        finish(cleo, 5)
        code = begin(ana)['table']['code']
        link = ana.link(code)
        play(link, 1, until=lambda: link.version > 30)
        assert 'secret' not in today(ben)['today']
        server.base.rows('UPDATE day SET revealed = 1 WHERE number = 1')
        assert len(today(ben)['today']['secret']) == 64, 'it is known, also here'
        ben.refused(409, 'closed_day', 'POST', '/api/daily', {})
        ana.refused(409, 'attempted', 'POST', '/api/daily', {})
        play(link, 1)
        link.close()
        day = ana.want(200, 'GET', f'/api/daily/{days.date()}').json
        assert day['day']['you'] == {'table': code, 'state': 'expired'} and day['results']['count'] == 1, day
        rows = ana.want(200, 'GET', f'/api/daily/{days.date()}/board?period=month').json['rows']
        assert [row['name'] for row in rows] == ['Cleo']


def case_a_restart_after_the_end_of_a_day(folder):
    """The server was down when the day ended: unfinished games are closed when it starts."""
    days = Days(folder)
    with Server(folder, *QUICK, env=days.env) as server:
        ana = server.visitor('Ana')
        code = begin(ana)['table']['code']
        server.kill()
        days.clock.write(f'={(days.first + 3) * DAY}')
        server.start()
        until_so(lambda: ana.table(code)['state'] == 'closed')
        assert today(ana)['today']['number'] == 4 and today(ana)['yesterday'] is None
        found = ana.want(200, 'GET', f'/api/daily/calendar?month={days.date()[:7]}').json
        numbers = [day['number'] for day in found['days']]
        assert found['first'] == days.date() and 3 not in numbers


# Results.

def case_boards(folder):
    """Places with ties, a week, people, points without luck, and master's result on the same cards."""
    days = Days(folder)
    days.first -= (days.first + 3) % 7       # a Monday
    days.clock.write(f'={days.first * DAY + DAY // 2}')
    with Server(folder, *QUICK, env=days.env) as server:
        people = {name: server.visitor(name) for name in ('Ana', 'Ben', 'Cleo', 'Dan')}
        ana, ben = people['Ana'], people['Ben']
        ana.refused(409, 'not_over', 'GET', f'/api/daily/{days.date()}/board')
        for name, seed in (('Ana', 1), ('Ben', 1), ('Cleo', 5)):
            finish(people[name], seed)
        board = ana.want(200, 'GET', f'/api/daily/{days.date()}/board').json
        points = {row['name']: row['points'] for row in board['rows']}
        places = {row['name']: row['place'] for row in board['rows']}
        assert board['total'] == 3 and board['pages'] == 1 and points['Ana'] == points['Ben']
        assert places['Ana'] == places['Ben'] == 1 + 1 * (points['Cleo'] > points['Ana'])
        assert points['Cleo'] == points['Ana'] or places['Cleo'] == (1 if points['Cleo'] > points['Ana'] else 3)
        assert [row['points'] for row in board['rows']] == sorted(points.values(), reverse=True)
        assert board['you']['name'] == 'Ana' and board['you']['you'] and all('table' in row for row in board['rows'])
        people['Dan'].refused(409, 'not_over', 'GET', f'/api/daily/{days.date()}/board')
        assert people['Dan'].want(200, 'GET', f'/api/daily/{days.date()}/board?period=week').json['rows'] == []
        day = ana.want(200, 'GET', f'/api/daily/{days.date()}').json
        results = day['results']
        assert results['count'] == 3 == sum(count for _, count in results['bins']) == day['day']['players']
        assert (results['min'], results['median'], results['max']) == tuple(sorted(points.values()))
        assert results['ahead'] == (50 if points['Ana'] > points['Cleo'] else 0)
        assert all(low % 5 == 0 for low, _ in results['bins'])
        # analysed: points without luck, and master's game
        until_so(lambda: ana.want(200, 'GET', f'/api/daily/{days.date()}/board?by=skill').json['total'] == 3,
            timeout=4 * wire.PATIENCE)
        until_so(lambda: server.base.rows('SELECT min(judged) FROM attempt') == [(2,)], timeout=4 * wire.PATIENCE)
        rows = ana.want(200, 'GET', f'/api/daily/{days.date()}/board?by=skill').json['rows']
        assert [row['without_luck'] for row in rows] == sorted((row['without_luck'] for row in rows), reverse=True)
        assert {row['name']: row['place'] for row in rows}['Ana'] == today(ana)['today']['you']['place_without_luck']
        until_so(lambda: ana.want(200, 'GET', f'/api/daily/{days.date()}').json['results']['master'] is not None,
            timeout=4 * wire.PATIENCE)
        # people: those who have sat at a table with this player
        only = ana.want(200, 'GET', f'/api/daily/{days.date()}/board?by=people').json
        assert [row['name'] for row in only['rows']] == ['Ana']
        code = ana.make('open', 'open')
        links = [ana.seat(code), ben.seat(code)]
        links[0].until(lambda: links[0].version)
        only = ana.want(200, 'GET', f'/api/daily/{days.date()}/board?by=people').json
        assert {row['name'] for row in only['rows']} == {'Ana', 'Ben'}
        # the week
        days.to(server, 1)
        address = f'/api/daily/{days.date(1)}/board?period=week'
        until_so(lambda: any(row['name'] == 'Ana' for row in ben.want(200, 'GET', address).json['rows']),
            'a day that is revealed is on the board of those who have yet to play today')
        finish(ana, 7)
        week = ana.want(200, 'GET', f'/api/daily/{days.date(1)}/board?period=week').json
        mine = ana.want(200, 'GET', f'/api/daily/{days.date(1)}/board').json['you']['points']
        assert week['you']['points'] == points['Ana'] + mine and week['you']['days'] == 2
        week = ben.want(200, 'GET', f'/api/daily/{days.date(1)}/board?period=week').json
        assert {row['name']: row['days'] for row in week['rows']}['Ana'] == 1, 'a day that Ben has yet to play is left out'
        days.to(server, 7)
        week = ben.want(200, 'GET', f'/api/daily/{days.date(7)}/board?period=week').json
        assert week['rows'] == [] and week['you'] is None
        for wrong in ('period=year', 'by=luck', 'page=0', 'page=x', 'page=', 'page=2%00', 'period=' + 'week' * 9, 'by=%00'):
            ana.refused(400, 'bad_message', 'GET', f'/api/daily/{days.date(1)}/board?{wrong}')
        for path in (f'{days.date(-1)}/board', f'{days.date(8)}/board', 'today/board', '2026-02-30', 'x'):
            ana.refused(404, 'no_day', 'GET', f'/api/daily/{path}')
        # the whole database, copied twice
        server.stop()
        rows = [wire.run('copy', a, b) for a, b in ((server.database, os.path.join(folder, 'one.db')),
            (os.path.join(folder, 'one.db'), os.path.join(folder, 'two.db')))]
        del rows
        dumps = [wire.File(os.path.join(folder, name)).rows(f'SELECT * FROM {table}') for table in ('day', 'attempt')
            for name in ('one.db', 'two.db')]
        assert dumps[0] == dumps[1] and dumps[2] == dumps[3] and len(dumps[2]) == 4 and len(dumps[0]) >= 4
        server.start()


def case_streaks(folder):
    """A torch for each day; a day on which the server was down for more than two hours does not break the streak, an
    unplayed day does."""
    days = Days(folder)
    with Server(folder, *QUICK, env=days.env) as server:
        ana = server.visitor('Ana')
        found = today(ana)
        assert (found['streak'], found['best_streak'], found['streak_days']) == (0, 0, [False] * 7)
        finish(ana)
        days.to(server, 1)
        assert (today(ana)['streak'], today(ana)['streak_days']) == (1, [False] * 5 + [True, False])
        finish(ana)
        assert (today(ana)['streak'], today(ana)['best_streak']) == (2, 2)
        # day 2: three hours without a server, and not played
        days.to(server, 2, 3600)
        server.stop()
        days.clock.write(f'={(days.first + 2) * DAY + 4 * 3600 + 60}')
        server.start()
        days.to(server, 3)
        assert today(ana)['streak'] == 2
        finish(ana)
        assert (today(ana)['streak'], today(ana)['streak_days']) == (3, [False] * 3 + [True, True, False, True])
        month = ana.want(200, 'GET', f'/api/daily/calendar?month={days.date(3)[:7]}').json['days']
        shown = {day['date']: day for day in month}
        assert shown[days.date(3)]['state'] in ('won', 'played') and shown[days.date(3)]['streak']
        if days.date(2)[:7] == days.date(3)[:7]:
            assert shown[days.date(2)]['state'] == 'missed' and not shown[days.date(2)]['streak']
        # day 4: an hour without a server is no excuse
        days.to(server, 4, 3600)
        server.stop()
        days.clock.write(f'={(days.first + 4) * DAY + 2 * 3600}')
        server.start()
        days.to(server, 5)
        assert (today(ana)['streak'], today(ana)['best_streak']) == (0, 3)


def case_attempts_by_address(folder):
    """Creating many identities is refused at some point; playing without counting still works, and gives up the counted
    attempt, wherever it is requested."""
    days = Days(folder)
    with Server(folder, *QUICK, '--max-attempts', '2', env=days.env) as server:
        people = [server.visitor(name) for name in ('Ana', 'Ben', 'Cleo')]
        for one in people[:2]:
            begin(one)
        assert people[2].refused(429, 'too_many', 'POST', '/api/daily', {})['detail'] == 'address'
        table = begin(people[2], again=True)['table']
        code = table['code']
        assert not table['daily']['counted'] and begin(people[2], 200, again=True)['table']['code'] == code
        assert begin(people[0], 200)['counted']
        people[0].refused(409, 'not_over', 'POST', '/api/daily', {'again': True})
        server.restart()                     # which forgets how many there were from this address
        people[2].refused(409, 'attempted', 'POST', '/api/daily', {})
        assert today(people[2])['today']['you'] == {'table': None, 'state': 'expired'}
        play(people[2].link(code), 1)
        people[2].refused(403, 'sealed', 'GET', f"/api/tables/{begin(people[0], 200)['table']['code']}")
        assert begin(people[2], again=True)['table']['code'] != code
        days.to(server, 1)
        assert begin(people[2])['counted']


def case_two_servers(folder):
    """Two servers on one database: one row, one table, the same cards; an attempt begun at one continues at the other."""
    if not wire.POSTGRES:
        return
    days = Days(folder)
    other_folder = os.path.join(folder, 'other')
    os.mkdir(other_folder)
    with Server(folder, *QUICK, env=days.env) as one, \
            Server(other_folder, *QUICK, env=days.env, where=one.database) as two:
        until_so(lambda: len(one.base.rows('SELECT id FROM node')) == 2)
        ana, ben = one.visitor('Ana'), one.visitor('Ben')
        assert today(ana)['today'] == {**today(Visitor(two, ana.cookie))['today'], 'now': today(ana)['today']['now']}
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda i: Visitor((one, two)[i % 2], ana.cookie).ask('POST', '/api/daily', {}),
                range(12)))
        assert sorted(answer.status for answer in answers) == [200] * 11 + [201]
        assert len({answer.json['table']['code'] for answer in answers}) == 1
        code = answers[0].json['table']['code']
        link = ana.link(code)
        play(link, 4, until=lambda: link.version > 50)
        link.close()
        link = Visitor(two, ana.cookie).link(code)
        play(link, 4)
        other, _ = finish(Visitor(two, ben.cookie), 4)
        assert game_of(ana.record(code)) == game_of(ben.record(other))
        until_so(lambda: one.base.rows('SELECT count(*) FROM attempt WHERE judged = 2') == [(2,)],
            timeout=4 * wire.PATIENCE)


# In a terminal, without a full screen.

def case_line_by_line(folder):
    """The expedition of a server without a full screen: begun, left and continued, over a restart of the server, to its
    result; shown as text and as JSON before and after; a second attempt only if it does not count."""
    days, dice, home = Days(folder), random.Random(4), os.path.join(folder, 'home')
    os.mkdir(home)
    with Server(folder, *QUICK, env=days.env) as server:
        assert 'You have not played it.' in show(server, home, '--show', '--name', 'Line')
        before = told(server, home)
        assert before['you'] is None and before['boards']['day'] is None and before['day']['date'] == days.date()
        assert before['day']['secret'] is None and before['streak'] == 0 and before['server'] == server.url
        game = Terminal(server, home, '--plain')
        assert 'This attempt counts.' in game.text and 'Your four cards' in game.text
        assert 'Type the numbers of two' in game.type('99 100')
        game.choose(dice)
        assert game.type('take 99').count('No: ') == 1
        assert 'can no longer be taken back' in game.type('undo') and 'The server keeps' in game.type('save x.pyr')
        for _ in range(3):
            game.choose(dice)
        game.type('quit')
        assert game.end() == 0 and f'pyramids daily --server {server.url} --plain' in game.text, game.text
        running = told(server, home)['you']
        assert running['state'] == 'running' and running['points'] is None and running['turn'] >= 1, running
        game = Terminal(server, home, '--plain')
        restarted = False
        while game.news.endswith('> '):
            if not restarted and 'Round 2' in game.text:
                restarted = True
                server.restart()             # while the player has to choose
            game.choose(dice)
        assert game.end() == 0 and restarted
        assert 'The game is over.' in game.text and 'Your result: ' in game.text and 'Days in a row: 1' in game.text
        assert 'Leaderboard of the month, best twenty days:' in game.text
        after = told(server, home)
        assert after['you']['state'] == 'over' and after['boards']['day']['rows'][0]['points'] == after['you']['points']
        assert after['results']['count'] == 1 and after['streak_days'] == [False] * 6 + [True]
        assert f"Your result: {after['you']['points']} points, place 1 of 1." in show(server, home, '--show')
        again = Terminal(server, home)       # without --plain: there is no terminal for a full screen
        assert 'You have played this day.' in again.text and again.end() == 0
        again = Terminal(server, home, '--again', '--plain')
        assert 'does not count' in again.text and 'Your four cards' in again.text
        assert again.end() == 0 and 'The game is not finished.' in again.text      # the end of the input
        days.to(server, 1, GRACE)
        past = told(server, home, '--date', days.date())
        assert hashlib.sha256(bytes.fromhex(past['day']['secret'])).hexdigest() == before['day']['commitment']
        assert 'no expedition on this day' in show(server, home, '--json', '--date', '2020-01-01', code=1)
        assert 'is open in' not in show(server, home, '--show')


def case_hostile_servers(folder):
    """Whatever a server answers, the output is a message or matches the schema; no control characters, and no endless
    wait."""
    answers = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):                                # pylint: disable=invalid-name
            body = json.dumps(answers[0](self.path)).encode() if callable(answers[0]) else answers[0]
            self.send_response(200)
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self):                               # pylint: disable=invalid-name
            self.rfile.read(int(self.headers.get('Content-Length', 0)))
            self.do_GET()

        def log_message(self, *_):                       # pylint: disable=arguments-differ
            pass

    with http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        url = f'http://127.0.0.1:{web.server_address[1]}'

        def odd(path):
            value = {'visitor': {'name': 'x'}, 'today': {'date': '2026-11-18'}, 'streak': '9' * 500, 'best_streak': 1e300,
                     'streak_days': [1, None, 'x', True], 'tomorrow': 7, 'results': {'count': 1e200, 'bins': [[1], 2,
                     ['x', {}]], 'median': -1e99, 'master': []},
                     'day': {'date': 'to\x1b[31mday', 'number': [], 'you': {'state': 'over',
                     'points': -3, 'luck': 1e18, 'level': '\x07%s%n', 'error_rate': 'x', 'place': {}}},
                     'rows': [1, None, {'name': '\u202e%n\x1b]0;x\x07' + 'a' * 5000, 'you': 1, 'points': 'x'}], 'you': [],
                     'total': {}, 'table': {'code': '../../x'}}
            return value if 'visitor' not in path else {'visitor': value}

        answers.append(odd)
        schema = json.loads(wire.read(os.path.join(wire.ROOT, 'docs/schemas/daily-server.json')))
        value = json.loads(show(url, folder, '--json'))
        assert not fits(value, schema), fits(value, schema)
        for printed in (show(url, folder, '--show'), json.dumps(value)):
            assert not re.search('[\x00-\x08\x0b-\x1f\x7f]', printed), printed
        assert 'not a Pyramids server' in show(url, folder, '--plain', code=1)
        for text in (b'', b'[]', b'nonsense', b'{}', b'{"visitor": {}}', b'{"visitor": {}, "today": {"date": "x"}}',
                     b'[' * 100000, b'\xff\xfe'):
            answers[0] = text
            for way in ('--json', '--show', '--plain'):
                assert show(url, folder, way, code=1).startswith('pyramids: '), (text, way)
        web.shutdown()


if __name__ == '__main__':
    wire.main(globals())
