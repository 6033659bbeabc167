#!/usr/bin/env python3
"""Several servers on one PostgreSQL. Scripted players reconnect to another server every time; servers are killed,
paused and resumed, PostgreSQL is restarted, its standby promoted, connections are cut, clocks differ. Everything the
players received is recorded and checked by another program (cluster_check.py). usage: cluster.py PYRAMIDS SOURCE_ROOT
[CASE]; PYR_FAULTS: the number of faults (unset: the case with faults is left out)"""
import json
import os
import random
import secrets
import signal
import statistics
import subprocess
import sys
import threading
import time

import postgres
import wire
from wire import Closed, Server, Visitor, until_so

FAULTS = int(os.environ.get('PYR_FAULTS', 0))
SILENCE = 3                      # seconds that a client waits for an answer before it tries another server
STOPPED = 8                      # seconds that a server is paused: longer than the others accept silence
KINDS = (('open', 'bot:novice'), ('open', 'friend', 'bot:casual'), ('open', 'friend', 'friend', 'friend'), ('open', 'open'),
         ('open', 'friend', 'friend'))


class Node(Server):
    """A server with its own folder, since it writes its address there."""

    def __init__(self, folder, number, where, *options, env=None, metrics=False, generous=True):
        path = os.path.join(folder, f'node{number}')
        os.mkdir(path)
        super().__init__(path, *options, where=where, metrics=metrics, generous=generous, env=env)

    def again(self):
        """Starts it again after kill -9; PostgreSQL may be down at the moment, and then it does not start."""
        while True:
            try:
                self.start()
                return
            except AssertionError:
                time.sleep(0.2)


class Thinker(Node):
    """A server that only thinks. It has no address except that of its metrics."""
    listens = False

    def __init__(self, folder, number, where, env=None, playouts=2000):
        super().__init__(folder, number, where, '--role', 'think', '--analysis-playouts', str(playouts), metrics=True,
                         generous=False, env=env)
        self.port = self.metrics_port


class Cluster:
    def __init__(self, folder, count, base, *options, envs=(), thinkers=0):
        where = base.where(base.base())
        self.nodes = [Node(folder, i, where, *options, env=envs[i] if i < len(envs) else None) for i in range(count)]
        self.thinkers = [Thinker(folder, count + i, where) for i in range(thinkers)]

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        for node in self.nodes + self.thinkers:
            node.__exit__(kind, value, trace)

    def visitor(self, name):
        return self.nodes[0].visitor(name)


class Person(threading.Thread):
    """Plays to the end as docs/protocol.md describes, at another server after every connection, and disconnects often.
    Acknowledged choices and received lines are written to a file."""

    def __init__(self, cluster, cookie, code, key, seed, path, wander=0.3):
        super().__init__(daemon=True)
        self.cluster, self.code, self.key, self.dice, self.wander = cluster, code, key, random.Random(seed), wander
        self.visitor, self.path = Visitor(cluster.nodes[0], cookie), path
        self.acknowledged, self.failure, self.connections, self.you = [], None, 0, 0
        self.lines, self.version, self.chosen, self.pending, self.strayed = [], 0, -1, None, False
        self.sit = dict(kind='sit', id=secrets.token_hex(8), number=secrets.token_hex(32), **({'key': key} if key else {}))

    def run(self):
        try:
            link = None
            while not (link and link.over()):
                try:
                    link = link or self.connect()
                    self.step(link)
                except (OSError, Closed, TimeoutError):
                    self.leave(link)
                    link = None
            self.leave(link)
            with open(self.path, 'w', encoding='utf-8') as file:
                json.dump(dict(code=self.code, seat=self.you, lines=self.lines, version=self.version,
                               acknowledged=self.acknowledged, strayed=self.strayed), file)
        except BaseException as error:       # pylint: disable=broad-except  # told by the main thread
            self.failure = error

    def leave(self, link):
        if link:
            self.lines, self.version = link.lines, link.version
            link.close()

    @staticmethod
    def say(link, kind, id, **fields):
        link.answers.pop(id, None)
        link.send(type=kind, id=id, **fields)
        end = time.monotonic() + SILENCE
        while id not in link.answers:
            if time.monotonic() > end:
                raise TimeoutError
            link.hear(SILENCE)
        return link.answers[id]

    def connect(self):
        end = time.monotonic() + wire.PATIENCE
        while True:
            self.visitor.server = self.dice.choice(self.cluster.nodes)
            link = None
            try:
                link = wire.Link(self.visitor, headers={'path': f'/api/socket?table={self.code}'})
                link.lines, link.version = self.lines, self.version
                link.at.settimeout(SILENCE)
                answer = self.say(link, 'open', secrets.token_hex(8), table=self.code, have=self.version)
                if answer['type'] == 'done':
                    while not link.table:
                        if not link.hear(SILENCE):
                            raise TimeoutError
                    self.connections += 1
                    return link
                assert answer['code'] in ('storage', 'stopping'), answer
            except AssertionError as wrong:
                if 'no WebSocket: 503' not in str(wrong):
                    raise
            except (OSError, Closed, TimeoutError):
                pass
            if link:
                self.leave(link)
            assert time.monotonic() < end, 'no server'
            time.sleep(0.02)

    def step(self, link):
        if not self.pending and not link.table['you']:
            self.pending = self.sit
        elif not self.pending and self.chosen != link.version:
            choice = link.pick(self.dice)
            if choice:
                self.pending = dict(kind='choose', id=secrets.token_hex(8), phase=link.version, choice=choice)
        if not self.pending:
            if not link.hear(1):
                self.say(link, 'ping', secrets.token_hex(8))             # a paused server does not answer
                if self.dice.random() < self.wander:
                    raise TimeoutError
            return
        answer = self.say(link, **self.pending)
        if answer['type'] == 'error' and answer['code'] in ('storage', 'stopping'):
            time.sleep(0.05)
            raise TimeoutError               # send the same message again, to another server
        self.judge(link, answer)
        if self.dice.random() < self.wander:
            raise TimeoutError

    def judge(self, link, answer):
        sent, self.pending = self.pending, None
        if sent['kind'] == 'sit':
            assert answer['type'] == 'done' or answer['code'] in ('seated', 'begun'), answer
            link.until(lambda: link.table['you'])
            self.you = link.table['you']
        elif sent['kind'] == 'choose':
            self.chosen = sent['phase']
            if self.strayed and answer['type'] == 'error' and answer['code'] in ('late', 'confirmed'):
                return                       # a bot was faster
            assert answer['type'] == 'done', (answer, sent, link.version)    # there is no clock: nobody chose for us
            self.acknowledged.append((sent['phase'], sent['choice']))
            if sent['choice'].startswith(('take', 'draw')):
                return
            what = self.dice.random()
            if what < 0.1:
                self.pending = dict(kind='retract', id=secrets.token_hex(8), phase=self.chosen)
            elif what < 0.15:                # what was chosen still counts
                self.strayed = True
                self.pending = dict(kind='leave', id=secrets.token_hex(8))
        elif sent['kind'] in ('leave', 'return'):
            assert answer['type'] == 'done' or answer['code'] == 'not_running', answer
            if sent['kind'] == 'leave':
                self.pending = dict(kind='return', id=secrets.token_hex(8))
        elif answer['type'] == 'done':
            self.acknowledged.pop()
            self.chosen = -1
        else:
            assert answer['code'] == 'late', answer


def make(host, kinds):
    """Makes a table as soon as the database is up; a fault may have just ended."""
    wish, end = secrets.token_hex(8), time.monotonic() + wire.PATIENCE
    while True:
        try:
            return host.make(*kinds, id=wish)
        except AssertionError as wrong:
            if ': 503, not 201' not in str(wrong) or time.monotonic() > end:
                raise
            time.sleep(0.05)


def begin_games(cluster, people, tables, folder, seed):
    """One player per seat: tables with bots, with others, with both."""
    seats = []
    for i in range(tables):
        kinds, host = KINDS[i % len(KINDS)], Visitor(cluster.nodes[i % len(cluster.nodes)], people[i % len(people)].cookie)
        made = make(host, kinds)
        code, keys = made if isinstance(made, tuple) else (made, {})
        for n, kind in enumerate(kinds):
            if not kind.startswith('bot'):
                path = os.path.join(folder, f'client-{seed}-{i}-{n}.json')
                seats.append(Person(cluster, people[(i + n) % len(people)].cookie, code, keys.get(str(n + 1)),
                                    seed + 10 * i + n, path))
    for seat in seats:
        seat.start()
    return seats


def end_games(seats):
    for seat in seats:
        heard = -1
        while seat.is_alive() and len(seat.lines) > heard:       # while it continues, however slowly
            heard = len(seat.lines)
            seat.join(wire.PATIENCE)
        assert not seat.failure, seat.failure
        if seat.is_alive():
            told = [Visitor(node, seat.visitor.cookie).ask('GET', f'/api/tables/{seat.code}').text
                for node in seat.cluster.nodes]
            others = [f'{other.you} {other.version} {other.pending} {other.chosen} {other.acknowledged[-2:]} '
                f'{other.is_alive()}'
                      for other in seats if other.code == seat.code]
            raise AssertionError('\n'.join([f'a table is stuck: {seat.code} {seat.lines[-3:]}', *others, *told]))


def finished_record(visitor, code):
    """A server may learn a moment later than the players that a game is over. Until then its record hides the deals."""
    found = []

    def is_whole():
        found[:] = [visitor.record(code)]
        return '\ndeal 1 ' in found[0]
    until_so(is_whole)
    return found[0]


def check(cluster, seats, folder):
    """Fetches the records from any server and lets the other program check everything."""
    for node in cluster.nodes:
        until_so(lambda node=node: Visitor(node).ask('GET', '/healthz').status == 200)
    for code in {seat.code for seat in seats}:
        record = finished_record(Visitor(random.choice(cluster.nodes)), code)
        with open(os.path.join(folder, code + '.record'), 'w', encoding='utf-8') as file:
            file.write(record)
    done = subprocess.run([sys.executable, os.path.join(wire.ROOT, 'tests/cluster_check.py'), wire.COMMAND, folder],
                          capture_output=True, text=True, timeout=600, check=False)
    assert not done.returncode, done.stdout + done.stderr
    print('# ' + done.stdout.strip())


def case_three_nodes(folder):
    """Games on three servers; clients reconnect to a random one each time."""
    with postgres.Postgres() as base, Cluster(folder, 3, base) as cluster:
        people = [cluster.visitor(name) for name in ('Ana', 'Ben', 'Chloé', 'Davi')]
        seats = begin_games(cluster, people, 8, folder, 1)
        end_games(seats)
        check(cluster, seats, folder)
        assert sum(seat.connections for seat in seats) > 10 * len(seats)


def case_what_others_see(folder):
    """Changes at one server are visible at the others: tables, lobby, names, one-time codes, requests, rematches, the
    end."""
    with postgres.Postgres() as base, Cluster(folder, 3, base) as cluster:
        a, b, c = cluster.nodes
        ana, ben = a.visitor('Ana'), b.visitor('Ben')

        def at(node, who):
            return Visitor(node, who.cookie)
        for node in (b, c):
            assert at(node, ana).want(200, 'GET', '/api/visitor').json == {'visitor': {'name': 'Ana'}}
        second = Visitor(c)
        second.want(200, 'POST', '/api/visitor/device', {'code': ana.want(200, 'POST', '/api/visitor/code',
            {}).json['code']})
        assert at(b, second).want(200, 'GET', '/api/visitor').json == {'visitor': {'name': 'Ana'}}
        seats = {'seats': [{'kind': 'open'}, {'kind': 'open'}], 'public': True, 'id': 't1'}
        code = ana.want(201, 'POST', '/api/tables', seats).json['table']['code']
        assert at(c, ana).want(201, 'POST', '/api/tables', seats).json['table']['code'] == code
        until_so(lambda: [t['code'] for t in ben.want(200, 'GET', '/api/tables').json['tables']] == [code])
        assert [t['code'] for t in at(c, ana).want(200, 'GET', '/api/my/tables').json['tables']] == [code]
        one, other, watcher = ana.link(code), ben.link(code), Visitor(c, ben.cookie).link(code)
        one.done('sit', number=secrets.token_hex(32))
        other.until(lambda: other.table['seats'][0]['kind'] == 'person')
        other.done('sit', number=secrets.token_hex(32))
        # A choice at one server reaches a client at another. The delay is reported but not checked, since the machine may
        # be busy.
        delays, dice = [], random.Random(4)
        while not (one.over() and other.over()):
            for link, heard_by in ((one, other), (other, one)):
                choice = link.pick(dice) if not link.over() else None
                if not choice or (link.ready and link.table['you'] in link.ready['ready']):
                    continue
                begun, phase, you = time.monotonic(), link.version, link.table['you']
                link.done('choose', phase=phase, choice=choice)
                heard_by.until(lambda: heard_by.version > phase or (heard_by.ready and you in heard_by.ready['ready']))
                delays.append(time.monotonic() - begun)
                link.until(lambda: link.version > phase or (link.ready and you in link.ready['ready']))
            for link in (one, other):
                while link.hear(0.005):
                    pass
            top = max(one.version, other.version)
            for link in (one, other):
                link.until(lambda: link.version >= top)
        watcher.until(watcher.over)
        wire.check_record(folder, at(c, ana).record(code))
        print(f'# from a choice at one server to a client at another: {1000 * statistics.median(delays):.0f} ms (median '
            f'of {len(delays)})')
        # Two players request a rematch at two servers at once: only one is made.
        answers = {}

        def ask(node, who):
            answers[who] = at(node, who).want(201, 'POST', f'/api/tables/{code}/rematch', {}).json['table']['code']
        askers = [threading.Thread(target=ask, args=pair) for pair in ((a, ana), (b, ben))]
        for asker in askers:
            asker.start()
        for asker in askers:
            asker.join()
        assert len(answers) == 2 and len(set(answers.values())) == 1, answers
        until_so(lambda: at(c, ana).table(code).get('rematch') == answers[ana])


def case_take_over(folder):
    """The server that thinks for a table's bots is killed, or stops in order: another one takes over."""
    with postgres.Postgres() as base, Cluster(folder, 3, base) as cluster:
        a, b, c = cluster.nodes
        ana = a.visitor('Ana')
        for how in ('kill', 'stop'):
            code = Visitor(a, ana.cookie).make('open', 'bot:novice', 'bot:casual')
            link = Visitor(b, ana.cookie).link(code)
            link.done('sit', number=secrets.token_hex(32))
            link.until(lambda: link.lines and link.table['state'] == 'running')
            link.done('choose', phase=link.version, choice=link.pick(random.Random(1)))
            if how == 'kill':
                a.kill()
            else:
                away = Visitor(a, ana.cookie).link(code)
                a.process.send_signal(signal.SIGTERM)
                away.until(lambda: away.again)
                assert away.again['seconds'] == 0
                a.process.wait(wire.PATIENCE)
                a.process = None
            wire.play([link], random.Random(2))
            wire.check_record(folder, Visitor(c, ana.cookie).record(code))
            a.start()


def case_standby(folder):
    """PostgreSQL is killed in the middle of games and its synchronous standby takes over: no acknowledged choice is lost,
    and the servers find the standby without help."""
    with postgres.Pair() as base, Cluster(folder, 2, base) as cluster:
        def listening():
            return base.sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'")
        people = [cluster.visitor(name) for name in ('Ana', 'Ben', 'Chloé', 'Davi')]
        until_so(lambda: listening() == '2', 'the standby hears of nothing')
        seats = begin_games(cluster, people, 4, folder, 1)
        until_so(lambda: sum(len(seat.acknowledged) for seat in seats) > 20)
        base.fail_over()
        until_so(lambda: listening() == '2')
        end_games(seats)
        check(cluster, seats, folder)


def case_commits_that_the_standby_lacks(folder):
    """The standby is down, and the waiting commits are cancelled, or PostgreSQL crashes: it then has commits that the
    standby lacks. None of them is acknowledged before the standby is back."""
    with postgres.Pair() as base, Cluster(folder, 1, base) as cluster:
        ana = cluster.visitor('Ana')
        link = ana.link(ana.make('open', 'open'))
        base.standby.stop(signal.SIGQUIT)
        link.send(type='sit', id='first', number=secrets.token_hex(32))
        ended = ['']
        for how in ('cancel', 'terminate', 'crash', 'cancel', 'terminate', 'cancel'):
            def waits():
                return base.sql("SELECT query_start FROM pg_stat_activity WHERE application_name = 'pyramids' AND "
                                "wait_event = 'SyncRep'")
            until_so(lambda: waits() not in ended)       # another commit than before
            ended.append(waits())
            if how == 'crash':
                base.primary.stop(signal.SIGQUIT)
                base.primary.start()
            else:
                base.sql(f"SELECT pg_{how}_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        until_so(lambda: waits() not in ended)
        while link.hear(0.01):
            pass
        assert 'first' not in link.answers, link.answers
        base.standby.start()
        link.until(lambda: link.answers.get('first', {}).get('type') == 'done')


def fault_kill(cluster, base, dice):
    node = dice.choice(cluster.nodes + cluster.thinkers)
    node.kill()
    time.sleep(dice.random())
    node.again()


def fault_stop(cluster, base, dice):
    node = dice.choice(cluster.nodes + cluster.thinkers)
    node.process.send_signal(signal.SIGSTOP)
    time.sleep(STOPPED)
    node.process.send_signal(signal.SIGCONT)


def fault_cut(cluster, base, dice):
    base.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = "
        "'client backend'")


def fault_restart(cluster, base, dice):
    base.stop(dice.choice((signal.SIGINT, signal.SIGQUIT)))
    time.sleep(dice.random() * 2)
    base.start()


def fault_promote(cluster, base, dice):
    base.fail_over()


def fault_term(cluster, base, dice):
    node = dice.choice(cluster.nodes + cluster.thinkers)
    node.process.send_signal(signal.SIGTERM)
    node.process.wait(wire.PATIENCE)
    node.again()


def faults(folder):
    """All kinds of faults, again and again; the clocks of the servers differ by minutes."""
    envs = []
    for i, by in enumerate(('+0', '+300', '+-240')):
        path = os.path.join(folder, f'clock{i}')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(by + '\n')
        envs.append({'PYRAMIDS_TEST_CLOCK': path})
    kinds = [fault_kill, fault_cut, fault_term, fault_kill, fault_promote, fault_restart, fault_cut, fault_stop]
    kinds = [kind for kind in kinds if kind.__name__[6:] not in os.environ.get('PYR_NO_FAULTS', '').split(',')]
    with postgres.Pair(sync=True) as base, Cluster(folder, 3, base, envs=envs, thinkers=1) as cluster:
        people = [cluster.visitor(name) for name in ('Ana', 'Ben', 'Chloé', 'Davi')]
        dice, all_seats, seats, done = random.Random(7), [], [], {}
        for i in range(FAULTS):
            if not any(seat.is_alive() for seat in seats):
                end_games(seats)
                seats = begin_games(cluster, people, 4, folder, 1000 * (i + 1))
                all_seats += seats
            time.sleep(dice.random() * 0.5)
            fault = kinds[i % len(kinds)]
            fault(cluster, base, dice)
            done[fault.__name__[6:]] = done.get(fault.__name__[6:], 0) + 1
            assert not any(seat.failure for seat in seats), [seat.failure for seat in seats if seat.failure]
        end_games(seats)
        check(cluster, all_seats, folder)
        print(f'# faults: {done}; {sum(seat.connections for seat in all_seats)} connections')


if FAULTS:
    case_faults = faults


if __name__ == '__main__':
    wire.main(globals(), beside=2)
