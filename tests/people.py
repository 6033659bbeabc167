#!/usr/bin/env python3
"""The data that a server keeps about people: ratings, profiles and their secret addresses, finished games, removal of
one's data, reactions, series. usage: people.py PYRAMIDS SOURCE_ROOT [CASE]"""
import random
import re
import time
from urllib.parse import quote

import ratings
import wire
from wire import Clock, Server, Visitor, check_record, play, until_so

SYMBOLS = ('tomb', 'ruby', 'torch', 'skull', 'potion', 'cross')


def finish(people, *bots, seed=1, **terms):
    """A whole game of these people (and bots); its code."""
    code = people[0].make(*['open'] * len(people), *bots, **terms)
    links = [who.seat(code) for who in people]
    play(links, random.Random(seed))
    for link in links:
        link.close()
    return code


def places(table):
    """The place of each seat: the winners are first, others come after all who have more points."""
    def ahead(seat):
        return sum(1 for other in range(len(table['points'])) if other + 1 in table['winners']
                   or table['points'][other] > table['points'][seat])
    return [1 if seat + 1 in table['winners'] else 1 + ahead(seat) for seat in range(len(table['points']))]


def stored(server, name):
    return server.base.rows(f"SELECT mu, sigma, games FROM rating JOIN visitor ON visitor.id = rating.visitor "
                            f"WHERE name = '{name}'")


def case_ratings(folder):
    """Games of people at public tables are rated once, as an independent program computes it; others are not rated."""
    with Server(folder) as server:
        people = [server.visitor(name) for name in ('Ana', 'Ben', 'Chloe')]
        wanted = {who: ratings.NEW for who in people}
        for seed, who, bots in ((1, people[:2], ()), (2, people, ()), (3, people[1:], ('bot:novice',)),
                                (4, people[::-1], ('bot:novice',))):
            table = who[0].table(finish(who, *bots, seed=seed, public=True))
            after = ratings.rate([[wanted[one]] for one in who], places(table)[:len(who)])
            wanted.update(zip(who, (team[0] for team in after)))
        counts = dict(zip(people, (3, 4, 3)))
        for who, name in zip(people, ('Ana', 'Ben', 'Chloe')):
            mu, sigma, games = map(float, stored(server, name)[0])
            assert abs(mu - wanted[who][0]) < 5e-7 and abs(sigma - wanted[who][1]) < 5e-7, (mu, sigma, wanted[who])
            assert games == counts[who]
        finish(people[:2], public=False)
        finish(people[:1], 'bot:novice', public=True)
        assert [int(stored(server, name)[0][2]) for name in ('Ana', 'Ben', 'Chloe')] == [3, 4, 3]
        # Few games: no number. Enough: number and place, provisional or not.
        ana, ben, _ = people
        assert ana.want(200, 'GET', '/api/my/profile').json['profile']['rating'] == {'games': 3}
        assert ana.want(200, 'GET', '/api/ratings').json == {'ratings': [], 'least': 10, 'you': {'games': 3}}
        server.base.rows("UPDATE rating SET mu = 27.1, sigma = 3.05, games = 12 WHERE visitor = "
                         "(SELECT id FROM visitor WHERE name = 'Ana')")
        server.base.rows("UPDATE rating SET mu = 29, sigma = 6, games = 10 WHERE visitor = "
                         "(SELECT id FROM visitor WHERE name = 'Ben')")
        first = {'games': 10, 'value': 1580, 'deviation': 120, 'provisional': True, 'place': 1}
        second = {'games': 12, 'value': 1542, 'deviation': 61, 'provisional': False, 'place': 2}
        assert ana.want(200, 'GET', '/api/ratings').json == {'least': 10, 'you': second, 'ratings': [
            {**first, 'name': 'Ben'}, {**second, 'name': 'Ana', 'you': True}]}
        assert Visitor(server).want(200, 'GET', '/api/ratings').json['ratings'][1] == {**second, 'name': 'Ana'}
        assert ben.want(200, 'GET', '/api/my/profile').json['profile']['rating'] == first
        # The people of a table, before it begins.
        code = ana.make('open', 'open', 'bot:club')
        ana.seat(code).close()
        got = ben.want(200, 'GET', f'/api/tables/{code}/people').json['people']
        assert [sorted(one) for one in got] == [['equal', 'lost', 'name', 'rating', 'seat', 'won']], got
        assert sum(got[0][word] for word in ('won', 'equal', 'lost')) == 4 and got[0]['rating']['value'] == 1542
        assert ana.want(200, 'GET', f'/api/tables/{code}/people').json['people'][0]['you']
        assert 'won' not in Visitor(server).want(200, 'GET', f'/api/tables/{code}/people').json['people'][0]


def case_leaderboard(folder):
    """Pages of fifty; equal ratings share a place; a thousand places at most."""
    with Server(folder) as server:
        ana = server.visitor()
        server.stop()
        server.base.rows('INSERT INTO visitor (id, name, created, seen) VALUES ' + ', '.join(
            f"({1000 + i}, 'V{i}', 1, {int(time.time())})" for i in range(120)))
        server.base.rows('INSERT INTO rating (visitor, mu, sigma, games, changed) VALUES ' + ', '.join(
            f'({1000 + i}, {20 + i // 2}, 4, {9 if i < 10 else 10}, 1)' for i in range(120)))
        server.start()
        rows, at = [], 0
        while at is not None:
            page = ana.want(200, 'GET', f'/api/ratings?from={at}').json
            rows += page['ratings']
            at = page.get('next')
        assert len(rows) == 110 and [row['place'] for row in rows] == [1 + i // 2 * 2 for i in range(110)], rows
        for wrong in ('-1', 'x', '1000', '5x', '99999999999', ''):
            ana.refused(400, 'bad_message', 'GET', f'/api/ratings?from={wrong}')


def case_profile(folder):
    """The contents of a profile, from whole games and an analysis; the secret address, and that it can be withdrawn."""
    with Server(folder, '--analysis-playouts', '128') as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        empty = ana.want(200, 'GET', '/api/my/profile').json['profile']
        assert empty['games'] == 0 and empty['recent'] == [] and 'best' not in empty and empty['shared'] is False
        both = finish([ana, ben], public=True)
        alone = finish([ana], 'bot:novice', 'bot:casual')
        got = ana.want(200, 'GET', '/api/my/profile').json['profile']
        tables = {code: ana.table(code) for code in (both, alone)}
        assert [game['code'] for game in got['recent']] == [alone, both] and got['games'] == 2
        assert [one['against'] for one in got['against']] == ['people', 'casual']
        for game in got['recent']:
            table = tables[game['code']]
            assert game['points'] == table['points'][0] and game['place'] == places(table)[0]
            assert game['players'] == len(table['points']) and game['won'] == (1 in table['winners'])
            built = re.findall(r'^complete 1 \d+', ana.record(game['code']), re.M)
            assert sum(game['pyramids'].values()) == len(built) or not built, game
        assert got['best']['points'] == max(game['points'] for game in got['recent'])
        assert got['name'] == 'Ana' and 'error_rate' not in got
        first, second = places(tables[both])
        assert got['people'] == [{'name': 'Ben', 'won': int(first < second), 'equal': int(first == second),
                                  'lost': int(first > second), 'last': got['recent'][1]['made']}]
        # An analysis adds error rate and luck.
        until_so(lambda: ana.ask('GET', f'/api/tables/{both}/analysis').status == 200)
        report = ana.want(200, 'GET', f'/api/tables/{both}/analysis').json['players'][0]
        got = ana.want(200, 'GET', '/api/my/profile').json['profile']
        judged = got['recent'][1]
        assert abs(judged['error_rate'] - report['error_rate']) < 1e-3 and abs(judged['luck'] - report['luck']) < 0.011
        assert got['error_rate'] == {'value': judged['error_rate'], 'games': 1, 'level': report['class']}
        assert got['luck'] == {'average': judged['luck'], 'games': 1}
        # The address: secret, one at a time, and without the names of others.
        key = ana.want(200, 'POST', '/api/my/profile/link', {}).json['key']
        assert re.fullmatch('[2-9A-HJ-NP-Z]{26}', key)
        shown = Visitor(server).want(200, 'GET', f'/api/profiles/{key}').json['profile']
        assert shown == {word: value for word, value in got.items() if word not in ('people', 'shared')}
        assert key not in str(server.base.rows('SELECT * FROM link'))
        server.restart()
        assert ana.want(200, 'GET', '/api/my/profile').json['profile']['shared'] is True
        newer = ana.want(200, 'POST', '/api/my/profile/link', {}).json['key']
        Visitor(server).refused(404, 'not_found', 'GET', f'/api/profiles/{key}')
        Visitor(server).want(200, 'GET', f'/api/profiles/{newer.lower()}')
        ana.want(200, 'DELETE', '/api/my/profile/link')
        Visitor(server).refused(404, 'not_found', 'GET', f'/api/profiles/{newer}')
        ana.want(200, 'DELETE', '/api/my/profile/link')
        for method, path in (('GET', '/api/my/profile'), ('POST', '/api/my/profile/link'),
                             ('DELETE', '/api/my/profile/link'),
                             ('GET', '/api/my/games'), ('GET', '/api/my/games/records'), ('DELETE', '/api/visitor')):
            Visitor(server).refused(401, 'no_visitor', method, path, {} if method == 'POST' else None)
        for wrong in ('x', 'A' * 39, 'A' * 60, '%00', "'", '../visitor'):
            assert Visitor(server).ask('GET', f'/api/profiles/{quote(wrong)}').status in (404, 429)


def many_games(server, name, count):
    """Finished games with rows of their own, one per second; their lines are never read."""
    (visitor,), = server.base.rows(f"SELECT id FROM visitor WHERE name = '{name}'")
    rows = {'game (id, code, state, created, changed, config, host, public)': [], 'revision (game, number)': [],
            'line (game, seq, count, text, made)': [],
            'seat (game, seat, visitor, people, bots, level, points, share, made, place)': []}
    for i in range(count):
        other, won, points = 'Dörte' if i % 3 == 0 else 'Emil', i % 20 > 10, 40 + i % 20
        config = ('{"edition":"classic","public":false,"clock":"none","host":%d,"secret":"%064d","points":[%d,50],'
                  '"winners":%d,"seats":[{"kind":"person","before":"open","name":"%s","visitor":%d,"away":false},'
                  '{"kind":"person","before":"open","name":"%s","visitor":0,"away":false}]}'
                  % (visitor, 1, points, 1 if won else 2, name, visitor, other))
        code = ''.join('23456789ABCDEFGHJKLMNPQRSTUVWXYZ'[(i >> 5 * n) & 31] for n in range(8))
        made = 1000 + i // 2
        text = f'pyramids-record 1\nplayer 1 {name}\nplayer 2 {other}\n'
        for values, row in zip(rows.values(), (f"'{code}', 2, {1000 + i}, {made}, '{config}', {visitor}, 0", '3',
                                               f"0, 3, '{text}', 1",
                                               f"0, {visitor}, 1, 0, '', {points}, {int(won)}, {made}, {2 - won}")):
            values.append(f'({5000 + i}, {row})')
    for table, values in rows.items():
        server.base.rows(f'INSERT INTO {table} VALUES {", ".join(values)}')


def pages(who, path):
    """All games of a list, page by page."""
    rows, before = [], ''
    while before is not None:
        page = who.want(200, 'GET', path + ('&' if '?' in path else '?') + f'before={before}' if before else path).json
        rows += page['games']
        before = page.get('next')
    return rows


def case_history(folder):
    """All finished games, the latest first, also of the same second; search and filters; records."""
    with Server(folder) as server:
        ana = server.visitor()
        server.stop()
        many_games(server, 'Ana', 130)
        server.start()
        rows = pages(ana, '/api/my/games')
        assert len(rows) == len({row['code'] for row in rows}) == 130, len(rows)
        assert [row['made'] for row in rows] == sorted((row['made'] for row in rows), reverse=True)
        assert len(ana.want(200, 'GET', '/api/my/games').json['games']) == 50
        assert rows[0]['seats'] == [{'name': 'Ana', 'kind': 'person', 'points': 49},
                                    {'name': 'Dörte', 'kind': 'person', 'points': 50}]
        assert len(pages(ana, f'/api/my/games?search={quote("dÖRT")}')) == 44
        assert len(pages(ana, '/api/my/games?filter=won')) == sum(row['won'] for row in rows) > 40
        assert pages(ana, '/api/my/games?filter=daily') == [] and not any('daily' in row for row in rows)
        assert pages(ana, '/api/my/games?filter=bots') == [] == pages(ana, '/api/my/games?search=nobody')
        assert pages(ana, '/api/my/games?search=Ana') == []      # a player's own name is in all of them
        assert len(pages(ana, f'/api/my/games?filter=won&search={quote("Dörte")}')) == \
            sum(row['won'] and row['seats'][1]['name'] == 'Dörte' for row in rows)
        for query in ('filter=x', 'before=x', 'before=5', 'before=5.', 'before=5.AAAA', 'before=-1.22222222', 'search=%ff',
                      'search=' + 'a' * 300, 'before=' + '9' * 300, 'filter=' + 'w' * 2000):
            ana.refused(400, 'bad_message', 'GET', f'/api/my/games?{query}')
        ana.want(200, 'GET', '/api/my/games?before=9223372036854775807.22222222')
        ana.want(200, 'GET', '/api/my/games?search=%zz&filter=all&lang=de')
        ana.want(200, 'GET', '/api/my/games?notbefore=x&research=%ff')       # unknown parameters
        # Parameters after a long search, in letters of three bytes each, still count.
        query = f'search={quote("金" * 60)}&before=x'
        assert ana.refused(400, 'bad_message', 'GET', f'/api/my/games?{query}')['detail'] == 'before'
        records = pages(ana, '/api/my/games/records')
        assert len(records) == 130 and records[0]['record'].splitlines()[1] == 'player 1 Ana'
        # A real one can be replayed.
        code = finish([ana], 'bot:novice')
        newest = ana.want(200, 'GET', '/api/my/games/records').json['games'][0]
        assert newest['code'] == code and newest['record'] == ana.record(code)
        check_record(folder, newest['record'])


def case_farewell(folder):
    """All data of a visitor are deleted; others keep their games, in which the seat is "A player"; a running game
    continues."""
    with Server(folder, '--analysis-playouts', '128') as server:
        ana, ben = server.visitor('Ana Secretname'), server.visitor('Ben')
        over = finish([ana, ben], public=True)
        until_so(lambda: ana.ask('GET', f'/api/tables/{over}/analysis').status == 200)
        ana.want(200, 'POST', '/api/my/profile/link', {})
        device = Visitor(server)
        code = ana.want(200, 'POST', '/api/visitor/code', {}).json['code']
        device.want(200, 'POST', '/api/visitor/device', {'code': code})
        ana.want(200, 'POST', '/api/visitor/code', {})
        waits, hosted = ben.make('open', 'open', 'open'), ana.make('open', 'open')
        ana.seat(waits).close()
        runs = ben.make('open', 'open')
        links = [ben.seat(runs), ana.seat(runs)]
        play(links, random.Random(2), until=lambda: links[0].version > 12)
        server.stop()
        many_games(server, 'Ana Secretname', 50)
        server.start()
        old, link = ana.cookie, ana.link(runs)
        answer = ana.want(200, 'DELETE', '/api/visitor')
        assert answer.json == {'removed': True} and 'Max-Age=0' in answer.headers['Set-Cookie']
        assert link.closed() == 1008
        for cookie in (old, device.cookie):
            Visitor(server, cookie).refused(401, 'no_visitor', 'GET', '/api/visitor')
        # The tables: a bot takes over, the free seat stays free, her own table is closed.
        assert ben.table(hosted)['state'] == 'closed'
        assert [seat['kind'] for seat in ben.table(waits)['seats']] == ['open', 'open', 'open']
        seat = ben.table(runs)['seats'][1]
        assert seat['kind'] == 'bot' and seat['name'] == 'A player'
        assert re.findall('^player . (.*)', ben.record(runs), re.M) == ['Ben', 'A player']
        mine = ben.link(runs)
        play([mine], random.Random(3))
        # Finished games, once the server has processed them.
        until_so(lambda: server.base.rows('SELECT count(*) FROM leaving') == [(0,)])
        for code in (over, runs):
            assert [seat['name'] for seat in ben.table(code)['seats'] if seat['name'] != 'Ben'] == ['A player']
        server.restart()
        record = ben.record(over)
        assert re.findall('^player . (.*)', record, re.M) in (['A player', 'Ben'], ['Ben', 'A player'])
        check_record(folder, record)
        check_record(folder, ben.record(runs))
        assert ben.want(200, 'GET', '/api/my/profile').json['profile']['people'] == []
        assert ben.want(200, 'GET', '/api/my/games').json['games'][-1]['seats'][0]['name'] == 'A player'
        until_so(lambda: ben.ask('GET', f'/api/tables/{over}/analysis').status == 200)
        assert 'Secretname' not in ben.ask('GET', f'/api/tables/{over}/analysis').text
        again = ben.want(201, 'POST', f'/api/tables/{over}/rematch', {}).json['table']
        assert [seat['kind'] for seat in again['seats']] == ['friend', 'open']
        server.stop()
        for table in ('visitor', 'token', 'rating', 'link', 'code', 'request', 'leaving'):
            where = "name = 'Ana Secretname'" if table == 'visitor' else \
                "visitor NOT IN (SELECT id FROM visitor WHERE name <> '')"
            found = server.base.rows(f'SELECT count(*) FROM {table} WHERE {where}')
            assert found == [(0,)], (table, found)
        assert server.base.rows("SELECT count(*) FROM line WHERE text LIKE '%Secretname%'") == [(0,)]
        assert server.base.rows("SELECT count(*) FROM game WHERE config LIKE '%Secretname%' AND state < 3") == [(0,)]
        server.start()


def case_farewell_interrupted(folder):
    """A server that stops in the middle continues after a restart."""
    with Server(folder) as server:
        ana = server.visitor()
        server.stop()
        many_games(server, 'Ana', 60)
        (visitor,), = server.base.rows("SELECT id FROM visitor WHERE name = 'Ana'")
        server.base.rows(f'INSERT INTO leaving (visitor, made) VALUES ({visitor}, 1)')
        server.start()
        until_so(lambda: server.base.rows('SELECT count(*) FROM leaving') == [(0,)])
        assert server.base.rows("SELECT count(*) FROM line WHERE text LIKE '%player 1 Ana%'") == [(0,)]
        assert server.base.rows('SELECT count(*) FROM seat') == [(0,)]
        ana.ask('GET', '/api/visitor')


def case_reactions(folder):
    """Six symbols, shown to everyone at the table, one in five seconds and three per turn; not for bots, not for
    spectators."""
    clock = Clock(folder)
    with Server(folder, env=clock.env) as server:
        ana, ben, chloe = (server.visitor(name) for name in ('Ana', 'Ben', 'Chloe'))
        code = ana.make('open', 'open', 'bot:novice')
        links = [ana.seat(code), ben.seat(code), chloe.link(code)]

        def reactions(link):
            return [message for message in link.news if message['type'] == 'reaction']

        def listen(link, count):
            link.until(lambda: len(reactions(link)) >= count)
            return reactions(link)
        for link in links:
            link.until(lambda link=link: link.table['state'] == 'running')
        links[0].done('react', symbol='tomb')
        for link in links:
            assert listen(link, 1) == [{'type': 'reaction', 'seat': 1, 'symbol': 'tomb'}]
        links[0].refused('too_fast', 'react', symbol='ruby')
        links[1].done('react', symbol='skull')
        assert listen(links[0], 2)[1] == {'type': 'reaction', 'seat': 2, 'symbol': 'skull'}
        links[2].refused('not_seated', 'react', symbol='ruby')
        for wrong in ('', 'Tomb', 'x' * 17, 'cat'):
            links[0].refused('bad_message', 'react', symbol=wrong)
        links[0].refused('bad_message', 'react')
        links[0].refused('bad_message', 'react', symbol='tomb', text='hello')
        chloe.link().refused('not_open', 'react', symbol='tomb')
        for seconds, symbol in ((5, 'cross'), (10, 'potion')):
            clock.set(server, f'+{seconds}')
            links[0].done('react', symbol=symbol)
        clock.set(server, '+15')
        links[0].refused('too_fast', 'react', symbol='torch')        # the fourth of a turn
        assert [one['symbol'] for one in listen(links[1], 4)] == ['tomb', 'skull', 'cross', 'potion']
        # In another turn; those who come later do not see earlier ones.
        play(links[:2], random.Random(1), until=lambda: sum(line.startswith('reveal') for line in links[0].lines) > 1)
        links[0].done('react', symbol='torch')
        assert not reactions(chloe.link(code))
        alone = ana.make('open', 'bot:novice')
        ana.seat(alone).refused('alone', 'react', symbol='tomb')


def case_series(folder):
    """A rematch rotates the seats and keeps the score; so does the next one, and a restart changes nothing."""
    with Server(folder) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        code = finish([ana, ben], 'bot:novice')
        first = ana.table(code)
        assert 'series' not in first
        names, sums = ['Ana', 'Ben', 'novice'], {}

        def count(table):
            for seat, one in enumerate(table['seats']):
                wins, points = sums.get(one['name'], (0, 0))
                share = 1 / len(table['winners']) if seat + 1 in table['winners'] else 0
                sums[one['name']] = wins + share, points + table['points'][seat]

        def score(table, games):
            got = table['series']
            assert got['games'] == games, got
            for seat, one in enumerate(table['seats']):
                wins, points = sums[one['name']]
                assert abs(got['wins'][seat] - wins) < 1e-9 and got['points'][seat] == points, (got, sums)
        count(first)
        for game in (1, 2):
            code = ana.want(201, 'POST', f'/api/tables/{code}/rematch', {}).json['table']['code']
            names = names[1:] + names[:1]
            table = ben.table(code)
            assert [seat['name'] for seat in table['seats']] == names, table
            score(table, game)
            server.restart()
            score(ben.table(code), game)
            links = [ana.seat(code), ben.seat(code)]
            play(links, random.Random(game))
            count(ana.table(code))
            score(ana.table(code), game + 1)
        # The host gives the seat to another player, whose score begins at zero.
        code = ana.want(201, 'POST', f'/api/tables/{code}/rematch', {}).json['table']['code']
        order = [1 + [seat['name'] for seat in ana.table(code)['seats']].index('Ana'), 'open']
        table = ana.want(200, 'POST', f'/api/tables/{code}/seats', {'seats': order}).json['table']
        assert table['series'] == {'games': 3, 'wins': [sums['Ana'][0], 0], 'points': [sums['Ana'][1], 0]}


if __name__ == '__main__':
    wire.main(globals())
