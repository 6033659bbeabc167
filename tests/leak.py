#!/usr/bin/env python3
"""Searches everything that leaves the server during games for secrets: the secret of the game, the others' deals,
unseen cards; and the log for codes, keys, tokens and names. test_outbox.c compares byte for byte. usage: leak.py
PYRAMIDS SOURCE_ROOT [CASE]"""
import base64
import json
import random
import re
import time

import wire
from wire import LONG, Server, Visitor, play


def spellings(data):
    """The encodings in which bytes might appear."""
    plain = base64.b64encode(data)
    return [data, data.hex().encode(), data.hex().upper().encode(), plain, plain.rstrip(b'='),
        base64.urlsafe_b64encode(data).rstrip(b'='),
            json.dumps(list(data)).encode(), b', '.join(b'%d' % byte for byte in data), data[::-1],
            data[::-1].hex().encode()]


def numbers_in(text):
    """Runs of numbers, however they are separated: a deal or a deck in any spelling."""
    return [tuple(int(n) for n in re.findall(rb'\d+', part)) for part in re.findall(rb'\d+(?:[ ,;:\[\]"]{1,3}\d+){3,}',
        text)]


def case_games(folder):
    with Server(folder) as server:
        dice = random.Random(2)
        people = [server.visitor(name) for name in ('Ana', 'Ben', 'Chloé')]
        watcher, stranger = server.visitor('Davi'), Visitor(server)
        codes = []
        for game in range(3 if LONG else 1):
            seats = (('open', 'open'), ('open', 'friend:Ben', 'bot:novice'),
                ('open', 'open', 'open', 'bot:casual'))[(game + 1) % 3]
            made = people[0].make(*seats, public=True)
            code, keys = made if isinstance(made, tuple) else (made, {})
            codes.append((code, keys))
            count = sum(not seat.startswith('bot') for seat in seats)
            for who in (*people, watcher, stranger):
                who.heard.clear()            # messages about finished games do not count
            onlooker = watcher.link(code)
            links = [people[0].seat(code)] + [person.seat(code, **({'key': keys['2']} if keys else {}))
                for person in people[1:count]]
            everyone = [*people[:count], watcher, stranger]
            while not links[0].version:
                links[0].hear()
            step = 0

            def look():
                nonlocal step
                step += 1
                if step % 40 == 0:
                    for who in everyone:
                        for path in ('', '/record', '/analysis', '/analysis.html'):
                            who.ask('GET', f'/api/tables/{code}{path}')
                        for path in ('/api/tables', '/api/my/tables', '/api/statistics', '/metrics', '/healthz'):
                            who.ask('GET', path)
                last = sum(line.startswith('reveal') for line in links[0].lines) == 28
                return last and links[0].game().stage == 'mark' and len(links[0].game().to_act) == len(seats)
            play(links, dice, until=look)
            while onlooker.hear(0.2):
                pass
            assert not onlooker.over() and not links[0].over(), 'the search ends before the secret is told'
            heard = {who: b'\n'.join(who.heard) for who in everyone}
            config = json.loads(server.base.rows(f"SELECT config FROM game WHERE code = '{code}'")[0][0])
            assert links[0].lines[0] == 'pyramids-record 1' and sum(map(len, heard.values())) > 20000
            for who, text in heard.items():
                for spelling in spellings(bytes.fromhex(config['secret'])):
                    assert spelling not in text, 'the secret'
                for other in everyone:
                    token = other.cookie.partition('=')[2]
                    assert not token or other is who or token.encode() not in text, 'a token'
                assert server.database.encode() not in text and b'.db' not in text
                if keys:
                    assert keys['2'].encode() not in text, 'a key'
            # To the end: now the deals and the secret are public, so the earlier messages can be searched for them.
            play(links, dice)
            record = people[0].record(code)
            assert config['secret'] in record
            deals = {int(line.split()[1]): tuple(int(n) for n in line.split()[2:]) for line in record.splitlines()
                if line.startswith('deal')}
            shown = {int(n) for line in record.splitlines() for n in re.findall(r'\d+', line)
                if re.match(r'(keep|show|draw|take) ', line)}
            for who in everyone:
                seat = people.index(who) + 1 if who in people[:count] else 0
                said = numbers_in(heard[who])
                for other, deal in deals.items():
                    if other == seat:
                        assert deal in [numbers[-4:] for numbers in said], 'one sees the own deal'
                        continue
                    assert not [numbers for numbers in said if any(set(numbers[i:i + 4]) == set(deal)
                        for i in range(len(numbers) - 3))], ('a deal', other)
                    assert b'deal %d' % other not in heard[who]
                # A card that was never revealed is in no line that was sent.
                lines = [line for data in heard[who].split(b'\n') if data.startswith(b'{"type":"lines"')
                    for line in json.loads(data)['lines']]
                unseen = set(range(1, 49)) - shown - set(deals.get(seat, ()))
                told = {int(n) for line in lines if re.match(r'(deal|keep|show|take|draw|mark) ', line)
                        for n in re.findall(r'\b\d+\b', re.sub(r':[a-e1-5]+', '', line))}
                # (Seats are small numbers, too.)
                assert not {n for n in told if n > 4} & unseen, (told, unseen)
            wire.check_record(folder, record)
        time.sleep(0.1)
        log = server.text()
        assert log.count('event=request') > 20
        for code, keys in codes:
            assert code not in log and not any(key in log for key in keys.values())
        for who in (*people, watcher):
            assert who.cookie.partition('=')[2] not in log
        for name in ('Ana', 'Ben', 'Chloé', 'Davi'):
            assert not re.search(rf'\b{name}\b', log), name


def case_the_log(folder):
    """Structured, one line per event, and without anything secret, whatever was requested."""
    with Server(folder) as server:
        ana = server.visitor('Zacharias')
        code, keys = ana.make('open', 'friend:Wilhelmina')
        device = ana.want(200, 'POST', '/api/visitor/code', {}).json['code']
        second = Visitor(server)
        second.want(200, 'POST', '/api/visitor/device', {'code': device})
        words = [code, keys['2'], device, 'Zacharias', 'Wilhelmina', ana.cookie[9:], second.cookie[9:]]
        for path in (f'/{code}', f'/x/{keys["2"]}', f'/?key={keys["2"]}', f'/api/tables/{code}/nothing',
            f'/api/tables/{code}?x={code}', f'/api/editions/{code}', f'/%0a{code}'):
            ana.ask('GET', path, headers={'Referer': f'http://127.0.0.1/{code}', 'User-Agent': code})
            ana.ask('DELETE', path)
        link = ana.link(code)
        link.refused('bad_key', 'sit', number='0' * 64, seat=2, key=keys['2'][::-1])
        link.refused('bad_message', 'sit', number=code, key=keys['2'])
        link.refused('unknown_type', keys['2'][:20])
        wire.Wire(ana, headers={'path': f'/api/{code}'})
        wire.Wire(Visitor(server, 'pyramids=' + '12' * 32))
        link.put(2, code.encode())
        assert link.closed() == 1003
        server.restart()
        log = server.text()
        for word in words:
            assert word not in log and word.lower() not in log, (word, [line for line in log.splitlines() if word in line])
        for line in log.splitlines():
            assert re.fullmatch(r'time=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z level=(info|warn|error) event=[a-z_]+( '
                r'[a-z_]+=("[^"]*"|\S+))*', line), line
    # The database keeps only hashes.
    data = server.base.raw()
    for word in (keys['2'], device, ana.cookie[9:], second.cookie[9:]):
        assert word.encode() not in data and (len(word) != 64 or bytes.fromhex(word) not in data), word


if __name__ == '__main__':
    wire.main(globals())
