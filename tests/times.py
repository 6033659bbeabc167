#!/usr/bin/env python3
"""Long periods and restarts: ten minutes, three days, sixty days, and what remains after the server was down. The test
controls the server's clock (wire.Clock), which stands still unless the test moves it. usage: times.py PYRAMIDS
SOURCE_ROOT [CASE]"""
# pylint: disable=cell-var-from-loop  # until_so is over before the loop continues
import concurrent.futures
import random
import time

import wire
from wire import Clock, Server, Visitor, check_record, play, until_so

DAY = 86400
NUMBER = '0123456789abcdef' * 4


class Hands:
    """A clock that stands still; it is moved by seconds relative to the start of the test."""

    def __init__(self, folder):
        self.start = int(time.time())
        self.clock = Clock(folder, f'={self.start}')
        self.env = self.clock.env

    def to(self, server, seconds):
        """The server's clock is set to this time, and it has checked all its tables since."""
        self.clock.set(server, f'={self.start + seconds}')
        self.clock.pass_ticks(server)

    def down(self, server, seconds, kill=False):
        """The server is down until then."""
        server.kill() if kill else server.stop()
        self.clock.write(f'={self.start + seconds}')
        server.start()


def ask(server, sql):
    return server.base.rows(sql)


def codes(visitor):
    return [table['code'] for table in visitor.want(200, 'GET', '/api/my/tables').json['tables']]


def sit_all(code, *people):
    """All sit down, and each has received the deal."""
    links = [person.seat(code) for person in people]
    for link in links:
        link.until(lambda link=link: link.pick(random.Random(1)))
    return links


def choose(link, seed=1):
    link.done('choose', phase=link.version, choice=link.pick(random.Random(seed)))


# Three days, sixty days.

def case_waiting_tables_close(folder):
    """Three days after the last change, to the second; not while anyone watches; across a restart too."""
    hands = Hands(folder)
    with Server(folder, env=hands.env) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        left, watched = ana.make('open', 'open'), ana.make('open', 'open')
        assert ana.table(left)['created'] == hands.start
        hands.to(server, DAY)
        taken = ana.make('open', 'open')
        link = ben.link(watched)
        ben.seat(taken).close()
        for seconds, state in ((3 * DAY - 1, 'waiting'), (3 * DAY, 'closed')):
            hands.to(server, seconds)
            until_so(lambda: ana.table(left)['state'] == state)
            assert ana.table(watched)['state'] == ana.table(taken)['state'] == 'waiting'
        link.close()
        until_so(lambda: ana.table(watched)['state'] == 'closed')
        server.restart()
        for seconds, state in ((4 * DAY - 1, 'waiting'), (4 * DAY, 'closed')):
            hands.to(server, seconds)
            until_so(lambda: ana.table(taken)['state'] == state)


def case_correspondence(folder):
    """Without a clock bots play for absent players sixty days after the last choice, not after the beginning; and only for
    them."""
    hands = Hands(folder)
    with Server(folder, env=hands.env) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        code = ana.make('open', 'open')
        links = sit_all(code, ana, ben)
        for link in links:
            link.close()
        hands.to(server, 59 * DAY)
        link = ana.link(code)
        link.until(lambda: link.pick(random.Random(1)))
        choose(link)
        link.close()
        hands.down(server, 59 * DAY + 10)
        for seconds, away in ((60 * DAY, False), (119 * DAY - 1, False), (119 * DAY, True)):
            hands.to(server, seconds)
            until_so(lambda: ben.table(code)['seats'][1]['away'] == away)
            assert ana.table(code)['state'] == 'running' and not ana.table(code)['seats'][0]['away']
        # The bot has completed the phase; from then on Ana has another sixty days, though she has done nothing since.
        until_so(lambda: not ana.table(code)['seats'][0]['ready'])
        hands.down(server, 119 * DAY + 10)
        for seconds, away in ((179 * DAY - 1, False), (179 * DAY, True)):
            hands.to(server, seconds)
            until_so(lambda: ana.table(code)['state'] == 'over' or ana.table(code)['seats'][0]['away'] == away)
        until_so(lambda: ana.table(code)['state'] == 'over')
        check_record(folder, ana.record(code))


def case_lines_count(folder):
    """The time counts from the beginning of the phase, even though a bot completed the previous one (simulated by setting
    the clock of everything else back)."""
    hands = Hands(folder)
    with Server(folder, env=hands.env) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        code = ana.make('open', 'open')
        for link in sit_all(code, ana, ben):
            link.close()
        server.stop()
        server.base.rows(f'UPDATE game SET changed = changed - {50 * DAY}')
        server.start()
        for seconds, away in ((60 * DAY - 1, False), (60 * DAY, True)):
            hands.to(server, seconds)
            until_so(lambda: ben.table(code)['seats'][1].get('away', True) == away)


def case_my_tables_in_order(folder):
    """The table with the latest change, of any kind, comes first."""
    hands = Hands(folder)
    with Server(folder, env=hands.env) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        made = [ana.make('open', 'open') for _ in range(3)]
        links = [sit_all(code, ana, ben) for code in made]
        hands.to(server, 10)
        ben.make('open', 'open')                 # not hers
        choose(links[0][0])
        hands.to(server, 20)
        choose(links[1][1])
        assert codes(ana) == [made[1], made[0], made[2]]
        hands.to(server, 30)
        choose(links[2][0])
        hands.to(server, 40)
        links[0][0].done('retract', phase=links[0][0].version)
        assert codes(ana) == [made[0], made[2], made[1]]
        server.restart()
        assert codes(ana) == [made[0], made[2], made[1]]


# Ten minutes.

def case_ten_minutes(folder):
    """A socket outlives the server's memory of its address; a one-time code ends at its time; so does the penalty for
    guessing."""
    hands = Hands(folder)
    with Server(folder, '--trust-proxy', '--ping', '3600', env=hands.env) as server:
        ana = server.visitor()
        via = {'X-Forwarded-For': '203.0.113.7'}
        link = ana.link(headers=via)
        device = ana.want(200, 'POST', '/api/visitor/code', {}).json['code']
        for _ in range(30):
            link.refused('no_table', 'open', table='22222222')
        link.refused('too_fast', 'open', table='22222222')
        hands.to(server, 2)                      # one guess in two seconds
        link.refused('no_table', 'open', table='22222222')
        link.refused('too_fast', 'open', table='22222222')
        hands.to(server, 599)
        used = Visitor(server)
        used.want(200, 'POST', '/api/visitor/device', {'code': device}, via)
        late = ana.want(200, 'POST', '/api/visitor/code', {}).json['code']
        for minutes in range(11, 40, 6):         # the address is silent for longer than it is kept, several times
            hands.to(server, 60 * minutes)
            link.refused('no_table', 'open', table='22222222')
        Visitor(server).refused(404, 'bad_code', 'POST', '/api/visitor/device', {'code': late}, via)
        code = ana.make('open', 'bot:novice')
        hands.to(server, 60 * 60)
        link.open(code)
        link.done('sit', number=NUMBER)


def case_codes_outlive_a_restart(folder):
    hands = Hands(folder)
    with Server(folder, env=hands.env) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        first = ana.want(200, 'POST', '/api/visitor/code', {}).json['code']
        second, bens = (who.want(200, 'POST', '/api/visitor/code', {}).json['code'] for who in (ana, ben))
        hands.down(server, 100, kill=True)
        Visitor(server).refused(404, 'bad_code', 'POST', '/api/visitor/device', {'code': first})
        phone = Visitor(server)
        assert phone.want(200, 'POST', '/api/visitor/device', {'code': second}).json == {'visitor': {'name': 'Ana'}}
        hands.down(server, 599)
        # it was good for once
        Visitor(server).refused(404, 'bad_code', 'POST', '/api/visitor/device', {'code': second})
        assert phone.want(200, 'GET', '/api/visitor').json == {'visitor': {'name': 'Ana'}}
        hands.down(server, 600)
        Visitor(server).refused(404, 'bad_code', 'POST', '/api/visitor/device', {'code': bens})
        data = server.base.raw()                             # only hashes
        assert not any(code.encode() in data for code in (first, second, bens))


# Clocks.

def case_clocks_go_on(folder):
    """After a restart no player gets the whole time again, and the time the server was down does not count."""
    hands = Hands(folder)
    with Server(folder, env=hands.env) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        code = ana.make('open', 'open', clock='quick')
        links = sit_all(code, ana, ben)
        assert links[0].left == 30000, links[0].left
        hands.to(server, 12)
        choose(links[0])
        hands.down(server, 3612)
        link = ben.link(code)
        link.until(lambda: link.ready)
        assert link.ready['left'] == 18000 and link.ready['ready'] == [1], link.ready
        # Killed: the time of the last heartbeat counts.
        hands.to(server, 3615)
        until_so(lambda: ask(server, 'SELECT alive FROM heartbeat') == [(hands.start + 3615,)],
            'no heartbeat while a clock runs')
        hands.down(server, 2 * DAY, kill=True)
        link = ben.link(code)
        link.until(lambda: link.ready)
        assert link.ready['left'] == 15000, link.ready
        hands.to(server, 2 * DAY + 14)
        assert not ben.table(code)['seats'][1]['away']
        # Almost none left: the player gets enough to come back.
        hands.down(server, 3 * DAY)
        link = ben.link(code)
        link.until(lambda: link.ready)
        assert link.ready['left'] == 10000, link.ready
        hands.to(server, 3 * DAY + 9)
        assert not ben.table(code)['seats'][1]['away']
        hands.to(server, 3 * DAY + 10)
        until_so(lambda: ben.table(code)['seats'][1]['away'])
        # The next phase has the full time again.
        link = ana.link(code)
        link.until(lambda: link.version > links[0].version and not ana.table(code)['seats'][0]['ready'])
        link = ana.link(code)
        link.until(lambda: link.ready)
        assert link.ready['left'] == 30000, link.ready


# Messages from before a restart.

def case_sit_again(folder):
    """A `sit` that took effect is answered `done` when it is sent again, also after a restart and when the game has
    begun."""
    hands = Hands(folder)
    with Server(folder, env=hands.env) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        code = ana.make('open', 'open')
        ana.link(code).done('sit', id='s1', number=NUMBER)
        hands.down(server, 1, kill=True)
        link = ana.link(code)
        link.done('sit', id='s1', number=NUMBER)
        link.refused('seated', 'sit', id='s2', number=NUMBER)
        ben.link(code).done('sit', id='s1', number=NUMBER)           # ids are separate for each visitor
        link.until(lambda: link.pick(random.Random(1)))
        for i in range(10):                      # more than a seat remembers of the others
            choose(link, i)
            link.done('retract', phase=link.version)
        hands.down(server, 2, kill=True)
        for who in (ana, ben):
            link = who.link(code)
            link.done('sit', id='s1', number=NUMBER)
            link.refused('begun', 'sit', id='s2', number=NUMBER)
        # Seat given up and taken again by another message: the first is forgotten.
        code = ana.make('open', 'open')
        link = ana.link(code)
        link.done('sit', id='s1', number=NUMBER)
        link.done('leave')
        link.done('sit', id='s2', number=NUMBER)
        link.refused('seated', 'sit', id='s1', number=NUMBER)


def case_make_again(folder):
    """The same visitor and id give the same table with the same keys, however often, for a day at least; other visitors and
    ids give another one."""
    hands = Hands(folder)
    with Server(folder, env=hands.env) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        seats = [{'kind': 'open'}, {'kind': 'friend', 'name': 'Ben'}, {'kind': 'friend'}]

        def make(who, name):
            answer = who.want(201, 'POST', '/api/tables', dict(seats=seats, **({'id': name} if name else {}))).json
            return answer['table']['code'], answer['keys']
        first = make(ana, 't1')
        assert set(first[1]) == {'2', '3'} and len(set(first[1].values())) == 2
        assert make(ana, 't1') == first
        others = [make(ana, 't2'), make(ben, 't1'), make(ana, None), make(ana, None)]
        for part in (0, 1):                      # codes, keys
            assert len({str(made[part]) for made in [first, *others]}) == 5
        hands.down(server, DAY, kill=True)
        assert make(ana, 't1') == first
        link = ben.link(first[0])
        link.refused('bad_key', 'sit', number=NUMBER, seat=2, key=others[0][1]['2'])
        link.done('sit', number=NUMBER, seat=2, key=first[1]['2'])
        host = ana.link(first[0])
        host.done('close')
        for each in (link, host):
            each.close()
        until_so(lambda: 'pyramids_sockets 0\n' in ana.want(200, 'GET', '/metrics').text)
        hands.to(server, DAY + 120)              # it is no longer in memory
        until_so(lambda: 'pyramids_tables_in_memory 0\n' in ana.want(200, 'GET', '/metrics').text)
        assert make(ana, 't1') == first and ana.table(first[0])['state'] == 'closed'
        # Two at once, one of which may be asked to try again.
        answers = []
        web = [Visitor(server, ana.cookie) for _ in range(8)]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda who: who.ask('POST', '/api/tables', {'seats': seats, 'id': 't3'}), web))
        assert {answer.status for answer in answers} <= {201, 503}, [answer.text for answer in answers]
        assert {answer.json['table']['code'] for answer in answers if answer.status == 201} == {make(ana, 't3')[0]}


def case_standin_remembered(folder):
    """A stand-in's choice is kept for the player who comes back, after a restart too."""
    hands = Hands(folder)
    with Server(folder, env=hands.env) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        code = ana.make('open', 'open')
        links = sit_all(code, ana, ben)
        links[0].done('leave')
        links[0].until(lambda: links[0].ready and links[0].ready['ready'] == [1])
        mine = links[0].ready['mine']
        assert mine
        links[0].done('return', id='r1')
        hands.down(server, 1, kill=True)
        link = ana.link(code)
        link.until(lambda: link.ready)
        assert link.ready['ready'] == [1] and link.ready['mine'] == mine and not link.table['seats'][0]['away'], link.ready
        link.done('retract', phase=link.version)
        choose(link, 5)
        links = [link, ben.link(code)]
        links[1].until(lambda: links[1].lines)
        play(links, random.Random(2))
        check_record(folder, ana.record(code))


def case_host_gone(folder):
    """Two minutes after the host's last connection any player may request a stand-in; no other visitor, and not before."""
    hands = Hands(folder)
    with Server(folder, env=hands.env) as server:
        host, ana, ben, chloe = (server.visitor(name) for name in ('Davi', 'Ana', 'Ben', 'Chloé'))
        code = host.make('open', 'open')
        watching = host.link(code)
        links = sit_all(code, ana, ben)
        links[1].close()
        links[0].until(lambda: not links[0].table['seats'][1]['here'])
        assert 'host_gone' not in links[0].table
        hands.to(server, 500)
        links[0].refused('not_host', 'standin', seat=2)
        watching.close()
        links[0].until(lambda: links[0].table.get('host_gone') == 0)
        outside = chloe.link(code)
        hands.to(server, 619)
        links[0].refused('not_host', 'standin', seat=2)
        assert ana.table(code)['host_gone'] == 119000
        hands.to(server, 620)
        outside.refused('not_host', 'standin', seat=2)
        links[0].refused('here', 'standin', seat=1)
        links[0].done('standin', seat=2)
        links[0].until(lambda: links[0].table['seats'][1]['away'])
        # The host's other rights remain the host's.
        links[0].refused('not_host', 'close')
        links[0].refused('not_host', 'fill', seat=1, level='club')
        ben.link(code).done('return')
        hands.down(server, 700)
        link = ana.link(code)
        hands.to(server, 819)
        link.refused('not_host', 'standin', seat=2)
        hands.to(server, 820)
        link.done('standin', seat=2)


# Data that are dropped after a while.

def finished(server, folder, people):
    code = people[0].make('open', *['open'] * (len(people) - 1), *['bot:novice'] * (len(people) == 1))
    links = [person.seat(code) for person in people]
    play(links, random.Random(3))
    for link in links:
        link.close()
    assert server and folder
    return code


def case_kept_for_a_while(folder):
    """By default finished games stay, tables that never began go after a week, visitors who never played after sixty
    days."""
    hands = Hands(folder)
    with Server(folder, env=hands.env) as server:
        ana, ben, idle, late = (server.visitor(name) for name in ('Ana', 'Ben', 'Chloé', 'Eve'))
        over = finished(server, folder, [ana])
        closed = ben.make('open', 'open')
        ben.link(closed).done('close')
        idle.want(200, 'POST', '/api/visitor/code', {})
        ana.make('open', 'open')                 # the newest table stays, whatever it is
        server.visitor('Zoë')                    # and so does the newest visitor

        def kept(sql):
            return ask(server, sql)[0][0]
        for seconds, count in ((7 * DAY, 1), (7 * DAY + 3700, 0)):
            hands.to(server, seconds)
            until_so(lambda: kept(f"SELECT count(*) FROM game WHERE code = '{closed}'") == count)
        ana.refused(404, 'no_table', 'GET', f'/api/tables/{closed}')
        hands.to(server, 30 * DAY)
        assert late.want(200, 'GET', '/api/visitor')
        until_so(lambda: kept("SELECT seen FROM visitor WHERE name = 'Eve'") == hands.start + 30 * DAY)
        hands.to(server, 60 * DAY)
        idle_cookie = Visitor(server, idle.cookie)
        hands.to(server, 60 * DAY + 3700)
        until_so(lambda: kept("SELECT count(*) FROM visitor WHERE name = 'Chloé'") == 0)
        until_so(lambda: idle_cookie.ask('GET', '/api/visitor').status == 401)
        for name in ('Ana', 'Eve', 'Zoë'):       # played; came back; the newest
            until_so(lambda: kept(f"SELECT count(*) FROM visitor WHERE name = '{name}'") == 1, name)
        server.restart()
        for who in (ana, late):
            who.want(200, 'GET', '/api/visitor')
        hands.to(server, 4000 * DAY)
        check_record(folder, ana.record(over))
        assert over in codes(ana)


def case_connected_visitors_stay(folder):
    """A visitor who has been connected all the time is not deleted, though they were last seen when they connected."""
    hands = Hands(folder)
    with Server(folder, '--keep-visitors', '1', '--ping', '3600', env=hands.env) as server:
        ana, idle = server.visitor(), server.visitor('Ben')
        link = ana.link()
        server.visitor('Zoë')                    # the newest stays anyway
        for hour in range(27):
            hands.clock.set(server, f'={hands.start + 3550 * hour}')
            link.done('ping')
        until_so(lambda: ask(server, "SELECT count(*) FROM visitor WHERE name = 'Ben'") == [(0,)])
        link.done('ping')
        idle.refused(401, 'no_visitor', 'GET', '/api/visitor')
        until_so(lambda: ask(server,
            "SELECT count(*) FROM visitor JOIN token ON token.visitor = visitor.id WHERE name = 'Ana'") == [(1,)])
        ana.want(200, 'GET', '/api/visitor')
        server.restart()
        ana.want(200, 'GET', '/api/visitor')


def case_keep_options(folder):
    """The options set the times; analyses are made again on request."""
    hands = Hands(folder)
    with Server(folder, '--keep-games', '20', '--keep-analyses', '5', '--analysis-playouts', '512', '--keep-closed', '0',
        '--keep-visitors', '0',
        env=hands.env) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        over = finished(server, folder, [ana, ben])
        closed = ana.make('open', 'open')
        ana.link(closed).done('close')
        ana.make('open', 'open')
        server.visitor('Zoë')

        def analysed():
            answer = ana.ask('GET', f'/api/tables/{over}/analysis')
            return answer.status == 200 and answer.json['done']
        until_so(analysed, timeout=4 * wire.PATIENCE)
        report = ana.want(200, 'GET', f'/api/tables/{over}/analysis').text
        pages = {ana.want(200, 'GET', f'/api/tables/{over}/analysis.html?lang={lang}').text for lang in ('en', 'de', 'fr')}
        stored, plain = ask(server, 'SELECT sum(length(text)), sum(size) FROM report')[0]
        print(f'# an analysis takes {stored} bytes, compressed from {plain}')
        assert stored < plain / 3 and len(pages) == 3
        hands.to(server, 5 * DAY + 3700)
        until_so(lambda: ask(server, 'SELECT count(*) FROM report') == [(0,)])
        until_so(analysed, timeout=4 * wire.PATIENCE)
        assert ana.want(200, 'GET', f'/api/tables/{over}/analysis').text == report
        assert over in codes(ana) and ana.want(200, 'GET', '/api/statistics').json['statistics'][0]['games'] == 1
        hands.to(server, 20 * DAY + 3700)
        until_so(lambda: ask(server, f"SELECT count(*) FROM game WHERE code = '{over}'") == [(0,)])
        ana.refused(404, 'no_table', 'GET', f'/api/tables/{over}')
        assert over not in codes(ana) and not ana.want(200, 'GET', '/api/statistics').json['statistics']
        hands.to(server, 4000 * DAY)
        ben.want(200, 'GET', '/api/visitor')
        assert ana.table(closed)['state'] == 'closed'
        for table in ('line', 'choice', 'seat', 'report', 'request'):
            assert ask(server, f'SELECT count(*) FROM {table} WHERE game NOT IN (SELECT id FROM game)') == [(0,)]


if __name__ == '__main__':
    wire.main(globals())
