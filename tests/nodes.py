#!/usr/bin/env python3
"""Two or three servers on one PostgreSQL share: who is connected, names, closed tables, rematches, one-time codes, ids
of messages, clocks, analyses, limits; and servers that only think. Each case does one thing at one server and checks
another. usage: nodes.py PYRAMIDS SOURCE_ROOT [CASE]"""
# pylint: disable=cell-var-from-loop  # until_so is over before the loop continues
import csv
import json
import os
import random
import re
import secrets
import shutil
import signal
import socket
import subprocess
import threading
import time

import daily
import people
import ports
import postgres
import proxy
import ratings
import wire
from cluster import Node, Thinker
from wire import Clock, Visitor, until_so

NUMBER = '0123456789abcdef' * 4
HAPROXY = shutil.which('haproxy') or '/usr/sbin/haproxy'


def at(node, who):
    return Visitor(node, who.cookie)


def metric(node, name):
    found = re.search(rf'^pyramids_{re.escape(name)} (\S+)$', Visitor(node).want(200, 'GET', '/metrics').text, re.M)
    return float(found.group(1))


def choices_made(node):
    return sum(metric(node, f'bots_choices_total{{cost="{cost}"}}') for cost in ('light', 'heavy'))


LISTENS, WAITS = "query LIKE 'LISTEN %'", "wait_event_type = 'Lock'"      # of sessions in a database


class Base:
    """A database at the PostgreSQL server of all cases, or at one of its own, and servers on it, which end with it."""
    shared = None

    def __init__(self, folder, small=0, alone=False):
        self.folder, self.nodes, self.is_alone = folder, [], small or alone
        self.server = postgres.Postgres() if self.is_alone else self.shared
        self.name = self.server.small_base(small) if small else self.server.base()
        self.where = self.server.where(self.name)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        for node in self.nodes:
            node.__exit__(kind, value, trace)
        if self.is_alone:
            self.server.close()
        else:
            self.server.sql(f'DROP DATABASE {self.name} WITH (FORCE)')

    def node(self, *options, env=None, metrics=True, generous=True):
        self.nodes.append(Node(self.folder, len(self.nodes), self.where, *options, env=env, metrics=metrics,
                               generous=generous))
        return self.nodes[-1]

    def thinker(self, **more):
        self.nodes.append(Thinker(self.folder, len(self.nodes), self.where, **more))
        return self.nodes[-1]

    def sql(self, text):
        return self.server.sql(text, self.name)

    def sessions(self, condition, what='count(*)'):
        """Of other sessions in this database."""
        return self.sql(f'SELECT {what} FROM pg_stat_activity WHERE datname = current_database() AND '
                        f'pid <> pg_backend_pid() AND {condition}')


def keeper(base, code):
    return base.sql(f"SELECT keeper FROM revision JOIN game ON game.id = revision.game WHERE code = '{code}'")


def two_at_a_table(base, a, b, **more):
    """Ana at one server, Ben at the other, both at a table that runs; neither has chosen."""
    ana, ben = a.visitor('Ana'), b.visitor('Ben')
    code = ana.make('open', 'open', **more)
    one, other = ana.seat(code), ben.seat(code)
    for link in (one, other):
        link.until(lambda: link.table['state'] == 'running' and link.pick(random.Random(1)))
    return ana, ben, code, one, other


def stop_at_rest(base, node):
    """Stops a server outside a transaction, so that it holds no lock."""
    def stopped():
        node.process.send_signal(signal.SIGSTOP)
        if base.sessions("state <> 'idle'") == '0':
            return True
        return node.process.send_signal(signal.SIGCONT)
    until_so(stopped)


# Servers that only think.

def case_think(folder):
    """A server without threads for bots, and one that only thinks: games continue, and the first has made no choice of a
    bot. """
    with Base(folder) as base:
        a, t = base.node('--bot-threads', '0'), base.thinker()
        ana = a.visitor()
        for kinds in (('open', 'bot:novice', 'bot:casual'), ('open', 'bot:expert')):
            code = ana.make(*kinds)
            link = ana.seat(code)
            wire.play([link], random.Random(2), until=lambda: len(kinds) == 2 and link.version > 20)
            if len(kinds) == 3:
                wire.check_record(folder, ana.record(code))
        assert choices_made(a) == 0 and choices_made(t) > 20
        until_so(lambda: metric(a, 'servers') == 2 and metric(a, 'servers_thinking') == 1)     # it looks once per second
        # It serves only monitoring.
        assert Visitor(t).want(200, 'GET', '/healthz').text == 'ok\n'
        Visitor(t).want(404, 'GET', '/api/tables')
        with open(os.path.join(t.folder, 'ready'), encoding='utf-8') as ready:
            assert ready.read() == '\n'


def case_think_before_serve(folder):
    """A server with threads of its own leaves the bots to the one that only thinks, as soon as there is one."""
    with Base(folder) as base:
        a = base.node()
        ana = a.visitor()
        code = ana.make('open', 'bot:novice')
        link = ana.seat(code)
        wire.play([link], random.Random(2), until=lambda: link.version > 12)
        assert choices_made(a) > 0
        t = base.thinker()
        until_so(lambda: metric(a, 'servers_thinking') == 1)
        wire.play([link], random.Random(2), until=lambda: choices_made(t) > 2)
        before = choices_made(a)
        wire.play([link], random.Random(3))
        assert choices_made(a) == before
        wire.check_record(folder, ana.record(code))


def case_think_is_killed(folder):
    """A server that thinks is killed: another that thinks takes over, then one that serves; one that stops in order hands
    its tables over at once."""
    with Base(folder) as base:
        a, first = base.node(), base.thinker()
        until_so(lambda: metric(a, 'servers_thinking') == 1)
        ana = a.visitor()
        code = ana.make('open', 'bot:novice', 'bot:club')
        link = ana.seat(code)
        wire.play([link], random.Random(2), until=lambda: choices_made(first) > 2)
        second = base.thinker()
        link.until(lambda: link.pick(random.Random(1)))

        def goes_on(what):
            begun, version = time.monotonic(), link.version
            wire.play([link], random.Random(4), until=lambda: link.version > version + 12)     # some phases
            print(f'# {what}: it continued after {time.monotonic() - begun:.1f} s')
        first.kill()
        goes_on('killed, another one thinks')
        wire.play([link], random.Random(4), until=lambda: choices_made(second) > 2)
        # The first to claim its tables may be the one that serves, which gives the table away for the next phase.
        assert choices_made(a) <= 2
        second.kill()
        goes_on('killed, no other one')
        assert choices_made(a) > 0
        third = base.thinker()
        until_so(lambda: metric(a, 'servers_thinking') == 1)
        wire.play([link], random.Random(2), until=lambda: choices_made(third) > 0)
        third.stop()
        goes_on('stopped in order')
        wire.play([link], random.Random(2))
        wire.check_record(folder, ana.record(code))


def case_think_stopped_for_a_while(folder):
    """A server that thinks is paused for longer than every timeout and resumes: its unfinished work does no harm."""
    with Base(folder) as base:
        a, t = base.node(), base.thinker()
        until_so(lambda: metric(a, 'servers_thinking') == 1)
        ana = a.visitor()
        code = ana.make('open', 'bot:club', 'bot:club')
        link = ana.seat(code)
        wire.play([link], random.Random(2), until=lambda: choices_made(t) > 2)
        t.process.send_signal(signal.SIGSTOP)
        version = link.version
        wire.play([link], random.Random(4), until=lambda: link.version > version + 12)
        t.process.send_signal(signal.SIGCONT)
        wire.play([link], random.Random(2))
        wire.check_record(folder, ana.record(code))


def case_whoever_takes_over_keeps(folder):
    """A server that thinks is killed, and another one takes over. The players' server, which has not been told, keeps
    storing choices, and the table stays with the one that thinks: it does not have to be claimed again."""
    with Base(folder) as base:
        a, first = base.node('--bot-threads', '0'), base.thinker()
        ana = a.visitor()
        code = ana.make('open', 'bot:novice', 'bot:novice')
        link = ana.seat(code)
        wire.play([link], random.Random(2), until=lambda: link.version > 20 and link.pick(random.Random(1)))
        first.kill()
        base.thinker()
        second = base.sql('SELECT max(id) FROM node')
        until_so(lambda: keeper(base, code) == second)
        for _ in range(3):
            phase = link.version
            link.done('choose', phase=phase, choice=link.pick(random.Random(3)))
            assert keeper(base, code) == second
            link.until(lambda: link.version > phase and link.pick(random.Random(1)))
            assert keeper(base, code) == second
        wire.play([link], random.Random(2))
        wire.check_record(folder, ana.record(code))


def case_a_busy_server_is_helped(folder):
    """More choices wait at one server than it can make: another one, which also serves players, makes some of them."""
    with Base(folder) as base:
        a, b = base.node('--bot-threads', '1'), base.node('--bot-threads', '1')
        until_so(lambda: metric(a, 'servers') == 2)
        ana = a.visitor()
        links = [ana.seat(ana.make('open', 'bot:master', 'bot:master', 'bot:master')) for _ in range(12)]
        dice = random.Random(3)
        end = time.monotonic() + 3 * wire.PATIENCE
        chosen = {}
        while not choices_made(b):
            assert time.monotonic() < end, 'nobody helps'
            for link in links:
                choice = link.pick(dice) if chosen.get(link) != link.version else None
                if choice:
                    chosen[link] = link.version
                    link.say('choose', phase=link.version, choice=choice)
                while link.hear(0.01):
                    pass
        assert choices_made(a) > 0


def case_think_refused(folder):
    """Clear messages if there is nothing to share, and for invalid combinations."""
    def refused(words, code, *options):
        done = subprocess.run([wire.COMMAND, 'serve', '--no-browser', *options], capture_output=True, text=True,
                              env=wire.ENV, timeout=wire.PATIENCE, check=False)
        assert done.returncode == code and words in done.stderr, (options, done.returncode, done.stderr)
        assert not done.stdout, done.stdout
    file = os.path.join(folder, 'x.db')
    refused('--role think needs a database that several servers share', 2, '--role', 'think', '--database', file)
    refused('--bot-threads 0 leaves the bots to other servers', 2, '--bot-threads', '0', '--port', '0', '--database', file)
    refused('--role dream: choose from: serve, think', 2, '--role', 'dream', '--database', file)
    refused('--port cannot be combined with --role think', 2, '--role', 'think', '--port', '0', '--database', file)
    refused('--bot-threads 0 cannot be combined with --role think', 2, '--role', 'think', '--bot-threads', '0',
            '--database', file)


def case_a_table_at_rest(folder):
    """A player thinks for minutes, at another server than the one that keeps the table: when the player chooses, so do the
    bots."""
    with Base(folder) as base:
        clock = Clock(folder)
        a, b = base.node(env=clock.env), base.node()
        ana = a.visitor()
        code = ana.make('open', 'bot:novice')
        link = at(b, ana).seat(code)
        wire.play([link], random.Random(2), until=lambda: link.version > 12 and link.pick(random.Random(1)))
        until_so(lambda: metric(a, 'bots_pending') == 0)
        clock.set(a, '+120')
        until_so(lambda: keeper(base, code) == '0', 'the table does not leave the memory of its keeper')
        wire.play([link], random.Random(2))
        wire.check_record(folder, ana.record(code))


def case_news_while_a_table_is_read(folder):
    """A player chooses while the server that is to think reads the table: it learns of the choice at once, not only when
    servers compare their tables, every 30 seconds."""
    with Base(folder) as base:
        a, t = base.node('--bot-threads', '0'), base.thinker()
        stop_at_rest(base, t)
        ana = a.visitor()
        link = ana.seat(ana.make('open', 'bot:novice'))
        link.until(lambda: link.table['state'] == 'running' and link.pick(random.Random(1)))
        until_so(lambda: base.sql('SELECT count(*) FROM presence WHERE visitor > 0') == '1')
        # Presence is read after the table. A lock delays that.
        with base.server.session(base.name) as session:
            session.say('BEGIN; LOCK TABLE presence IN ACCESS EXCLUSIVE MODE;')
            t.process.send_signal(signal.SIGCONT)
            until_so(lambda: base.sql("SELECT count(*) FROM pg_locks WHERE relation = 'presence'::regclass AND NOT granted "
                                      "AND mode = 'AccessShareLock'") != '0')
            phase = link.version
            link.done('choose', phase=phase, choice=link.pick(random.Random(1)))
            session.say('COMMIT;')
        end = time.monotonic() + 20                  # less than those 30 seconds, far more than it takes
        while link.version == phase and time.monotonic() < end:
            link.hear(1)
        assert link.version > phase and choices_made(t) > 0


# What other servers are told.

def case_presence(folder):
    """A player connected to one server is shown as present to clients of another, until the player or the server goes."""
    with Base(folder) as base:
        a, b = base.node(), base.node()
        ana, ben, code, one, other = two_at_a_table(base, a, b)

        def sees(link, seat, here):
            link.until(lambda: link.table['seats'][seat]['here'] is here)
        sees(one, 1, True)
        sees(other, 0, True)
        assert 'host_gone' not in other.table
        assert ana.table(code)['seats'][1]['here'] and ben.table(code)['seats'][0]['here']
        one.refused('here', 'standin', seat=2)
        other.close()
        sees(one, 1, False)
        assert one.table['seats'][1]['gone'] >= 0
        other = ben.link(code)
        sees(one, 1, True)
        one.close()
        sees(other, 0, False)
        other.until(lambda: other.table.get('host_gone', -1) >= 0)
        # The same person at two servers is present until both connections have gone.
        one = ana.link(code)
        sees(other, 0, True)
        sees(one, 1, True)
        second = at(b, ana).link(code)
        second.close()
        one.done('ping')
        other.done('ping')
        assert other.table['seats'][0]['here']
        # Their server dies; another is paused, and resumes; it is stopped in order.
        b.kill()
        sees(one, 1, False)
        assert not ana.table(code)['seats'][1]['here']
        one.done('standin', seat=2)
        b.start()
        other = at(b, ben).link(code)
        sees(one, 1, True)
        b.process.send_signal(signal.SIGSTOP)
        sees(one, 1, False)
        b.process.send_signal(signal.SIGCONT)
        sees(one, 1, True)
        b.stop()
        sees(one, 1, False)
        b.start()


def case_elsewhere(folder):
    """A player's second connection, to another server: the older one is notified, and can take the seat back."""
    with Base(folder) as base:
        a, b = base.node(), base.node()
        ana, _, code, one, other = two_at_a_table(base, a, b)

        def is_played(link, here):
            link.until(lambda: link.elsewhere == {'type': 'elsewhere', 'elsewhere': not here})
        # Opening the same table again does not count as leaving it.
        other.until(lambda: other.table['seats'][0]['here'])
        before = len(other.news)
        for _ in range(5):
            one.done('open', table=code, have=one.version)
            one.done('ping')
        one.done('choose', phase=one.version, choice=one.pick(random.Random(1)))
        other.until(lambda: other.ready and 1 in other.ready['ready'])
        assert all(news['seats'][0]['here'] for news in other.news[before:] if news['type'] == 'table')
        other.done('choose', phase=other.version, choice=other.pick(random.Random(1)))
        one.until(lambda: one.version >= other.version and one.pick(random.Random(1)))
        second = at(b, ana).link(code)
        is_played(one, False)
        second.done('ping')
        assert second.elsewhere is None and other.elsewhere is None
        one.send(type='open', table=code, have=one.version)
        is_played(one, True)
        is_played(second, False)
        # The connection that chooses is the one that plays, and so is the last one left: after a connection has ended,
        # and after its server has.
        second.done('choose', phase=second.version, choice=second.pick(random.Random(1)))
        is_played(second, True)
        is_played(one, False)
        second.close()
        is_played(one, True)
        third = at(b, ana).link(code)
        is_played(one, False)
        b.kill()
        is_played(one, True)
        third.close()
        b.start()


def case_news_say_what_has_changed(folder):
    """A server that follows a table does not read from the database what another one has announced; and changes of a table
    that only one server has are not announced."""
    with Base(folder) as base:
        a, b = base.node(), base.node()
        _, _, code, one, other = two_at_a_table(base, a, b)
        dice, chosen = random.Random(3), 0

        def count(name):
            return sum(metric(node, name) for node in (a, b))
        reads = count('table_reads_total')
        while one.version < 80:
            for link in (one, other):
                phase, you, choice = link.version, link.table['you'], link.pick(dice)
                if choice:
                    link.done('choose', phase=phase, choice=choice)
                    chosen += 1
                    for told in (one, other):      # before the next one chooses, both servers have heard
                        told.until(lambda: told.version > phase or (told.ready and you in told.ready['ready']))
        # Every change at one server is announced to the other. The comparison of revisions, every 30 seconds, may come
        # before those.
        news, reads = count('table_news_total'), count('table_reads_total') - reads
        assert chosen > 10 and chosen - 1 <= news + reads and reads <= 2, (chosen, news, reads)
        with subprocess.Popen([postgres.programs() + '/psql', '-X', '-q', base.where], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as listener:
            def heard():
                """What was announced since the last call."""
                listener.stdin.write('\\echo end\n')
                listener.stdin.flush()
                return ''.join(iter(listener.stdout.readline, 'end\n'))
            listener.stdin.write('LISTEN pyramids_public;\n')
            heard()
            chloe = a.visitor('Chloe')
            alone = chloe.make('open', 'bot:novice')
            link = chloe.seat(alone)
            wire.play([link], random.Random(3))
            listener.stdin.write('SELECT 1;\n')
            words = heard()
            assert f'{alone}:' not in words.replace(f'@{alone}:', ''), words
            listener.stdin.close()
            listener.stdout.read()
        # A second server joins: it gets the whole game, and its end.
        wire.check_record(folder, at(b, chloe).record(alone))


def case_record_while_news_are_lost(folder):
    """A server that receives no announcements reads a table before it returns a record, because its memory may be old."""
    with Base(folder) as base, base.server.session() as session:
        a, b = base.node(), base.node()
        ana = a.visitor('Ana')
        code = ana.make('open', 'bot:novice')
        link, watcher = ana.seat(code), at(b, ana).link(code)
        wire.play([link], random.Random(3), until=lambda: link.version > 30)
        watcher.until(lambda: watcher.version >= link.version)
        # Server b, which started last, loses the connection that listens and gets no other one.
        session.say(f'ALTER DATABASE {base.name} ALLOW_CONNECTIONS false;'
                    f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{base.name}' AND {LISTENS} "
                    "ORDER BY backend_start DESC LIMIT 1;")
        until_so(lambda: metric(b, 'hears_others') == 0)
        wire.play([link], random.Random(3))
        record = at(b, ana).record(code)
        session.say(f'ALTER DATABASE {base.name} ALLOW_CONNECTIONS true;')
        wire.check_record(folder, record)
        watcher.until(watcher.over)


def case_record_before_the_news_of_it(folder):
    """What one server has told a player, another does not leave out, even if it has not been notified yet."""
    with Base(folder, alone=True) as base:
        a, b = base.node(), base.node()
        ana, _, code, *links = two_at_a_table(base, a, a)
        base.node()
        until_so(lambda: metric(b, 'servers') == 3)          # since it has checked again, it trusts the announcements
        watcher = at(b, ana).link(code)
        # The PostgreSQL processes that send announcements to servers are paused.
        listeners = [int(pid) for pid in base.sessions(LISTENS, 'pid').split()]
        assert len(listeners) == 3
        with base.server.paused(listeners):
            for version in range(20, 50, 10):
                wire.play(links, random.Random(3), until=lambda: links[0].version > version)
                assert at(b, ana).record(code).splitlines()[:len(links[0].lines)] == links[0].lines
        watcher.until(lambda: watcher.version >= links[0].version)


def case_presence_after_lost_news(folder):
    """Announcements lost with a connection cause only a delay."""
    with Base(folder) as base:
        a, b = base.node(), base.node()
        _, ben, code, one, other = two_at_a_table(base, a, b)
        one.until(lambda: one.table['seats'][1]['here'])
        for i in range(5):
            closer = threading.Thread(target=other.close)
            closer.start()
            base.sessions("backend_type = 'client backend'", 'pg_terminate_backend(pid)')
            closer.join()
            one.until(lambda: not one.table['seats'][1]['here'])
            base.sessions("backend_type = 'client backend' AND random() < 0.5", 'pg_terminate_backend(pid)')
            other = None
            while not other:
                try:
                    other = ben.link(code)
                except AssertionError:                 # `storage`, while the server connects again
                    time.sleep(0.05)
            one.until(lambda: one.table['seats'][1]['here'])


def case_a_database_that_says_nothing(folder):
    """PostgreSQL accepts connections but does not answer, as when its disk hangs. A server that listens in vain makes a new
    connection; one that is stopped ends in order, whatever requests are pending."""
    with Base(folder, alone=True) as base:
        def backends(condition='true'):
            return {int(pid) for pid in base.sessions(f"application_name = 'pyramids' AND {condition}", 'pid').split()}
        a = base.node()
        ana = a.visitor('Ana')
        link = ana.link(ana.make('open', 'open'))
        until_so(lambda: len(backends()) == 2)
        of_a = backends()
        b = base.node()
        until_so(lambda: len(backends(LISTENS)) == 2)
        stopped = of_a | backends(LISTENS)
        assert len(stopped) == 3
        with base.server.paused(stopped):
            link.send(type='sit', number=NUMBER)
            a.process.send_signal(signal.SIGTERM)
            link.until(lambda: link.again)
            assert a.process.wait(wire.PATIENCE) == 0
            until_so(lambda: backends(LISTENS) - stopped, 'a server listens in vain')
            until_so(lambda: metric(b, 'hears_others') == 1)
        b.visitor('Ben').make('open', 'open')


def case_a_server_paused_while_it_starts(folder):
    """Servers prepare the database one after the other. A paused one does not keep the next from starting, and ends when it
    finds that it was too slow."""
    with Base(folder) as base, base.server.session(base.name) as session:
        a = base.node()
        a.stop()
        session.say('BEGIN; SELECT pg_advisory_xact_lock(1348031041);')
        words = []
        starter = threading.Thread(target=lambda: words.append(a.start(code=1)))
        starter.start()

        def has(what):
            return base.sessions(f"application_name = 'pyramids' AND {what}") == '1'
        until_so(lambda: has("wait_event = 'advisory'"))
        paused = a.process
        paused.send_signal(signal.SIGSTOP)
        try:
            session.say('COMMIT;')
            until_so(lambda: has("state = 'idle in transaction'"))
            base.node().visitor('Ben')
        finally:
            paused.send_signal(signal.SIGCONT)
            starter.join()
        assert 'preparing the database failed' in words[0], words


def case_names(folder):
    """A new name given at one server is known at the other at once, is not overwritten there, and is shown to others when
    that visitor sits down."""
    with Base(folder) as base:
        clock = Clock(folder)
        a, b = base.node(env=clock.env), base.node()
        ana, ben = a.visitor('Ana'), a.visitor('Ben')
        there = at(b, ana)
        assert there.want(200, 'GET', '/api/visitor').json['visitor']['name'] == 'Ana'       # in the memory of both
        there.want(200, 'POST', '/api/visitor', {'name': 'Anna'})
        until_so(lambda: ana.want(200, 'GET', '/api/visitor').json['visitor']['name'] == 'Anna')
        # A day later the first server stores the date of her visit, and nothing else.
        there.want(200, 'POST', '/api/visitor', {'name': 'Annabel'})
        clock.set(a, '+100000')
        ana.want(200, 'GET', '/api/visitor')
        until_so(lambda: base.sql("SELECT count(*) FROM visitor WHERE seen > created + 90000") != '0')
        assert base.sql('SELECT name FROM visitor ORDER BY id LIMIT 1') == 'Annabel'
        until_so(lambda: ana.want(200, 'GET', '/api/visitor').json['visitor']['name'] == 'Annabel')
        # Announcements lost with a connection cause only a delay.
        for name in ('Anne', 'Anja', 'Annabel'):
            base.sessions(LISTENS, 'pg_terminate_backend(pid)')
            there.want(200, 'POST', '/api/visitor', {'name': name})
            until_so(lambda: ana.want(200, 'GET', '/api/visitor').json['visitor']['name'] == name)
        code = ben.make('open', 'open')
        watcher = at(b, ben).link(code)
        ana.seat(code)
        watcher.until(lambda: watcher.table['seats'][0].get('name') == 'Annabel')
        assert ana.link().say('ping')['type'] == 'done'


def case_lines_and_ready_seats(folder):
    """Ready seats, a retracted choice and the lines of a phase reach clients at the other server."""
    with Base(folder) as base:
        a, b = base.node(), base.node()
        _, _, _, one, other = two_at_a_table(base, a, b)
        phase = one.version
        one.done('choose', phase=phase, choice=one.pick(random.Random(1)))
        other.until(lambda: other.ready and other.ready['ready'] == [1] and other.ready['phase'] == phase)
        assert other.ready['mine'] is None
        one.done('retract', phase=phase)
        other.until(lambda: other.ready['ready'] == [])
        one.done('choose', phase=phase, choice=one.pick(random.Random(1)))
        other.done('choose', phase=phase, choice=other.pick(random.Random(1)))
        for link in (one, other):
            link.until(lambda: link.version > phase)


def case_back_while_others_choose(folder):
    """A player chooses and leaves, and comes back at the moment in which another player chooses at another server: the
    choice is kept, and the game has it."""
    with Base(folder) as base:
        a, b = base.node(), base.node()
        ana, ben, chloe = a.visitor('Ana'), b.visitor('Ben'), b.visitor('Chloe')
        code = ana.make('open', 'open', 'open')
        one, other, third = ana.seat(code), ben.seat(code), chloe.seat(code)
        for link in (one, other, third):
            link.until(lambda: link.table['state'] == 'running' and link.pick(random.Random(1)))
        phase, choice = one.version, one.pick(random.Random(5))
        one.done('choose', phase=phase, choice=choice)
        one.done('leave')
        other.until(lambda: other.table['seats'][0]['away'] and other.ready['ready'] == [1])

        def waiting():
            return base.sessions(WAITS)
        with base.server.session(base.name) as session:
            session.say('BEGIN; SELECT 1 FROM revision FOR UPDATE;')
            other.send(type='choose', id='ben', phase=phase, choice=other.pick(random.Random(2)))
            until_so(lambda: waiting() == '1')
            one.send(type='return', id='ana')
            until_so(lambda: waiting() == '2')
            session.say('COMMIT;')
        other.until(lambda: 'ben' in other.answers)
        one.until(lambda: 'ana' in one.answers and not one.table['seats'][0]['away'] and 2 in one.ready['ready'])
        assert one.answers['ana']['type'] == other.answers['ben']['type'] == 'done', (one.answers, other.answers)
        assert one.ready['ready'] == [1, 2], one.ready
        third.done('choose', phase=phase, choice=third.pick(random.Random(3)))
        for link in (one, other, third):
            link.until(lambda: link.version > phase)
        wire.play([one, other, third], random.Random(4))
        record = at(b, ana).record(code)
        wire.check_record(folder, record)
        kept = re.search(r'^keep 1 (.*)$', record, re.M).group(1)
        assert set(kept.split(' ')) == set(choice.split(' ')), (choice, kept)


def case_lobby_and_closed_tables(folder):
    """A public table made at one server is in the lobby of the other, and leaves it when it is closed or begins; clients
    that watch the lobby are notified."""
    with Base(folder) as base:
        a, b = base.node(), base.node()
        ana, ben = a.visitor('Ana'), b.visitor('Ben')

        def listed():
            return [(t['code'], t['state']) for t in ben.want(200, 'GET', '/api/tables').json['tables']]
        code = ana.make('open', 'open', public=True)
        until_so(lambda: listed() == [(code, 'waiting')])
        host, watcher = ana.link(code), ben.link(code)
        host.done('close')
        watcher.until(lambda: watcher.table['state'] == 'closed')
        until_so(lambda: listed() == [])
        watcher.refused('no_table', 'sit', number=NUMBER)
        # The same while no client watches.
        code = ana.make('open', 'open', public=True)
        until_so(lambda: listed() == [(code, 'waiting')])
        ana.link(code).done('close')
        until_so(lambda: listed() == [])
        assert ben.table(code)['state'] == 'closed'
        code = ana.make('open', 'bot:novice', public=True)
        until_so(lambda: listed() == [(code, 'waiting')])
        link = ana.seat(code)
        until_so(lambda: listed() == [(code, 'running')])
        wire.play([link], random.Random(1))
        until_so(lambda: listed() == [])


def case_rematch(folder):
    """A rematch requested at one server is shown to those who still have the old table open at the other, and there is only
    one, however often and wherever it is requested."""
    with Base(folder) as base:
        a, b = base.node(), base.node()
        ana, ben, code, one, other = two_at_a_table(base, a, b)
        wire.play([one, other], random.Random(3))
        made = ana.want(201, 'POST', f'/api/tables/{code}/rematch', {}).json['table']['code']
        other.until(lambda: other.table.get('rematch') == made)
        assert ben.want(201, 'POST', f'/api/tables/{code}/rematch', {}).json['table']['code'] == made
        assert at(b, ana).want(201, 'POST', f'/api/tables/{code}/rematch', {}).json['table']['code'] == made
        # Both sit at the new table, each at their server.
        links = [at(b, ana).seat(made), at(a, ben).seat(made)]
        for link in links:
            link.until(lambda: link.table['state'] == 'running')
        assert base.sql('SELECT count(*) FROM game') == '2'


# What is remembered.

def case_codes_and_ids(folder):
    """One-time codes are good once, at any server; a message that is sent again elsewhere takes effect once."""
    with Base(folder) as base:
        a, b = base.node(), base.node()
        ana, ben, code, one, other = two_at_a_table(base, a, b)
        letters = ana.want(200, 'POST', '/api/visitor/code', {}).json['code']
        Visitor(b).want(200, 'POST', '/api/visitor/device', {'code': letters})
        for node in (a, b):
            Visitor(node).refused(404, 'bad_code', 'POST', '/api/visitor/device', {'code': letters})
        # A new code replaces the one before, wherever either was made.
        old = ana.want(200, 'POST', '/api/visitor/code', {}).json['code']
        new = at(b, ana).want(200, 'POST', '/api/visitor/code', {}).json['code']
        Visitor(a).refused(404, 'bad_code', 'POST', '/api/visitor/device', {'code': old})
        Visitor(a).want(200, 'POST', '/api/visitor/device', {'code': new})
        # Choices and seats.
        phase, choice, id = one.version, one.pick(random.Random(1)), secrets.token_hex(6)
        one.done('choose', id=id, phase=phase, choice=choice)
        again = at(b, ana).link(code)
        again.done('choose', id=id, phase=phase, choice=choice)
        other.done('choose', phase=phase, choice=other.pick(random.Random(1)))
        again.until(lambda: again.version > phase)
        again.done('choose', id=id, phase=phase, choice=choice)      # known, although the phase is over
        again.refused('late', 'choose', phase=phase, choice=choice)
        mine = [line for line in again.lines if line.startswith('keep 1 ')]
        assert len(mine) == 1
        table, id = ben.make('open', 'open'), secrets.token_hex(6)
        ben.link(table).done('sit', id=id, number=NUMBER)
        at(a, ben).link(table).done('sit', id=id, number=NUMBER)
        at(a, ben).link(table).refused('seated', 'sit', number=NUMBER)
        # A request for a table with an id, at both servers at once.
        made, body = [], {'seats': [{'kind': 'open'}] * 2, 'id': 'same'}
        askers = [threading.Thread(target=lambda node=node: made.append(
            at(node, ana).want(201, 'POST', '/api/tables', body).json['table']['code'])) for node in (a, b) * 3]
        for asker in askers:
            asker.start()
        for asker in askers:
            asker.join()
        assert len(made) == 6 and len(set(made)) == 1, made


def case_addresses_made_at_once(folder):
    """A code, a secret address and a feed replace the one before, even if another server is just storing that one."""
    with Base(folder) as base:
        ana, statuses = base.node().visitor(), []
        for path, row in (('/api/visitor/code', "code (hash, until, visitor) SELECT '1', 1, id"),
                          ('/api/my/profile/link', "link (hash, made, visitor) SELECT '1', 1, id"),
                          ('/api/my/feed', "feed (hash, visitor) SELECT '1', id")):
            with base.server.session(base.name) as session:
                session.say(f'BEGIN; INSERT INTO {row} FROM visitor;')
                asker = threading.Thread(target=lambda: statuses.append(ana.ask('POST', path, {}).status))
                asker.start()
                until_so(lambda: base.sessions(WAITS) != '0')
                session.say('COMMIT;')
                asker.join(wire.PATIENCE)
        assert statuses == [200] * 3, statuses


def case_clocks(folder):
    """A clock continues when its server dies: the other server neither starts it again nor forgets it."""
    with Base(folder) as base:
        clock = Clock(folder)
        a, b = (base.node('--quick', '600', env=clock.env) for _ in range(2))
        ana, ben, code, one, other = two_at_a_table(base, a, b, clock='quick')
        phase = one.version
        one.done('choose', phase=phase, choice=one.pick(random.Random(1)))
        # According to the database, for a server that reads the table now, the phase began 500 seconds ago.
        a.kill()
        other.close()
        base.sql(f"UPDATE line SET made = made - 500 WHERE game = (SELECT id FROM game WHERE code = '{code}')")
        base.sql(f"UPDATE revision SET due = due - 500 WHERE game = (SELECT id FROM game WHERE code = '{code}')")
        b.stop()
        base.sql('DELETE FROM heartbeat')            # so that no time without a server counts
        base.sql('DELETE FROM downtime')
        b.start()
        a.start()
        other = at(a, ben).link(code)
        other.until(lambda: other.ready)
        assert 0 < other.ready['left'] <= 100000, other.ready
        # Whichever server keeps the table lets a bot play when the time is over.
        watcher = at(b, ben).link(code)
        clock.write('+700')                          # and the database's clock, by which servers claim tables
        base.sql('UPDATE revision SET due = due - 700 WHERE due > 700')
        watcher.until(lambda: watcher.table['seats'][1]['away'] and watcher.version > phase)


# Analyses.

def case_analyses(folder):
    """An analysis is made by one server, not necessarily the one that received the request; when that one dies another makes
    it."""
    with Base(folder) as base:
        a = base.node('--bot-threads', '0', '--analysis-playouts', '2000')
        t = base.thinker()
        ana = a.visitor()
        codes = [ana.make('open', 'bot:novice') for _ in range(2)]
        for code in codes:
            wire.play([ana.seat(code)], random.Random(3))
        path = [f'/api/tables/{code}/analysis' for code in codes]
        for at_path in path:
            assert ana.want(202, 'GET', at_path).json == {'status': 'working'}
            ana.want(202, 'GET', at_path)
        assert base.sql('SELECT count(*) FROM analysis') == '2'
        until_so(lambda: base.sql('SELECT count(*) FROM analysis WHERE node > 0') == '1')    # one at a time
        owner = base.sql('SELECT node FROM analysis WHERE node > 0')
        t.kill()
        second = base.thinker(playouts=128)          # it has to make them to the end
        until_so(lambda: base.sql(f'SELECT count(*) FROM analysis WHERE node > 0 AND node = {owner}') == '0',
                 'nobody takes it over')
        b = base.node('--bot-threads', '0')
        for at_path in path:
            until_so(lambda: at(b, ana).ask('GET', at_path).status == 200, timeout=5 * wire.PATIENCE)
        # All are refined, and none is left to claim.
        until_so(lambda: base.sql('SELECT count(*) FROM analysis') == '0', timeout=10 * wire.PATIENCE)
        for at_path in path:
            assert at(b, ana).want(200, 'GET', at_path).json['done'] is True
        second.stop()


# Limits.

def case_limits(folder):
    """Limits that protect the database apply to all servers together, also for simultaneous requests."""
    with Base(folder) as base:
        a, b = base.node('--max-tables', '60'), base.node('--max-tables', '60')
        people = [a.visitor(f'P{i}') for i in range(4)]
        seats = {'seats': [{'kind': 'open'}] * 2}

        def ask_all(count, *who):
            answers = []

            def ask(node, visitor):
                for _ in range(count):
                    answers.append(at(node, visitor).ask('POST', '/api/tables', seats).status)
            askers = [threading.Thread(target=ask, args=(node, visitor)) for visitor in who for node in (a, b)]
            for asker in askers:
                asker.start()
            for asker in askers:
                asker.join()
            return answers
        # 24 open tables of one visitor.
        answers = ask_all(20, people[0])
        assert answers.count(201) == 24 and answers.count(429) == 16, answers
        assert base.sql('SELECT count(*) FROM game') == '24'
        # 60 in all.
        answers = ask_all(16, *people[1:])
        assert answers.count(201) == 36 and set(answers) == {201, 429}, answers
        assert base.sql('SELECT count(*) FROM game') == '60'
        # Four analyses of a visitor wait, and one is being made.
        base.sql('UPDATE game SET state = 3')
        c = base.node('--bot-threads', '0')
        d = base.node('--bot-threads', '0')
        for node in (a, b):
            node.stop()
        helper = base.thinker()
        until_so(lambda: metric(c, 'servers_thinking') == 1)
        codes = [at(c, people[1]).make('open', 'bot:novice') for _ in range(6)]
        for code in codes:
            wire.play([at(c, people[1]).seat(code)], random.Random(1))
        helper.stop()
        answers = [at(node, people[1]).ask('GET', f'/api/tables/{code}/analysis').status
                   for code, node in zip(codes, (c, d) * 3)]
        assert answers == [202] * 5 + [429], answers
        at(c, people[2]).want(202, 'GET', f'/api/tables/{codes[5]}/analysis')


def case_limit_of_a_server_that_was_away(folder):
    """A server counts no open tables, has room reserved for some, and is paused; another one makes all that are allowed and
    gets the room back. When the first resumes, its requests are refused, although it cannot know of the others yet."""
    with Base(folder) as base:
        a, b = base.node('--max-tables', '300'), base.node('--max-tables', '300')
        ana, seats = a.visitor('Ana'), {'seats': [{'kind': 'open'}] * 2}
        ana.make('open', 'open')
        room = int(base.sql('SELECT sum(room) FROM node'))
        assert room > 10, room               # of A, for tables that need not be counted
        people = [b.visitor(f'P{i}') for i in range(13)]
        stop_at_rest(base, a)
        answers = [people[i // 24].ask('POST', '/api/tables', seats).status for i in range(302)]
        assert answers == [201] * 299 + [429] * 3, answers
        late = []
        askers = [threading.Thread(target=lambda: late.append(ana.ask('POST', '/api/tables', seats).status))
                  for _ in range(8)]
        for asker in askers:
            asker.start()
        a.process.send_signal(signal.SIGCONT)
        for asker in askers:
            asker.join(wire.PATIENCE)
        assert late == [429] * 8, late
        assert base.sql('SELECT count(*) FROM game') == '300'
        assert base.sql('SELECT sum(room) FROM node') == '0'


def case_room_for_a_new_table(folder):
    """The maximum of tables is open, and one was abandoned: a new one replaces it, but not before that one is closed in the
    database. So there is never one too many."""
    with Base(folder) as base:
        clock = Clock(folder)
        a = base.node('--max-tables', '3', env=clock.env)
        ana = a.visitor()
        for _ in range(3):
            ana.make('open', 'open')
        clock.set(a, '+700')
        with base.server.session(base.name) as session:
            session.say('BEGIN; SELECT game FROM revision FOR UPDATE; SELECT id FROM game FOR UPDATE;')
            asker = threading.Thread(target=ana.make, args=('open', 'open'))
            asker.start()
            until_so(lambda: base.sessions(WAITS) != '0')
            assert base.sql('SELECT count(*) FROM game') == '3' and asker.is_alive()
            session.say('COMMIT;')
        asker.join(wire.PATIENCE)
        assert base.sql("SELECT string_agg(state::text, ' ' ORDER BY state) FROM game") == '0 0 0 3'


# Players of one table at two servers.

def at_once(*works):
    """Runs functions at the same time, and waits for all of them."""
    problems = []

    def run(work):
        try:
            work()
        except BaseException as problem:  # pylint: disable=broad-except  # it is the test's, and raised again
            problems.append(problem)
    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(4 * wire.PATIENCE)
    if problems:
        raise problems[0]
    assert not any(thread.is_alive() for thread in threads)


def case_ratings_count_once(folder):
    """Both servers see the end of a game, and each player may make the choice that ends it: it counts once. Two games of the
    same people that end at the same moment count one after the other, as an independent program computes it."""
    with Base(folder) as base:
        a, b = base.node(), base.node()
        ana, ben = a.visitor('Ana'), b.visitor('Ben')

        def game(seed):
            code = at(a, ana).make('open', 'open', public=True)
            links = [at(a, ana).seat(code), at(b, ben).seat(code)]
            at_once(*(lambda link=link, i=i: wire.play([link], random.Random(10 * seed + i))
                      for i, link in enumerate(links)))
            for link in links:
                link.close()
            return code

        def stored():
            rows = base.sql('SELECT name, games, mu, sigma FROM rating JOIN visitor ON visitor.id = rating.visitor '
                            'ORDER BY name')
            return [(name, int(games), float(mu), float(sigma)) for name, games, mu, sigma in
                    (row.split('|') for row in rows.splitlines())]

        def after(state, code):
            return [team[0] for team in ratings.rate([[one] for one in state], people.places(at(a, ana).table(code)))]

        def same(found, wanted):
            return all(abs(row[2] - mu) < 5e-7 and abs(row[3] - sigma) < 5e-7 for row, (mu, sigma) in zip(found, wanted))
        state = [ratings.NEW, ratings.NEW]
        for seed in range(3):
            state = after(state, game(seed))
            assert [row[:2] for row in stored()] == [('Ana', seed + 1), ('Ben', seed + 1)]
            assert same(stored(), state), (stored(), state)
        codes = []
        at_once(*(lambda i=i: codes.append(game(20 + i)) for i in range(2)))
        assert [row[1] for row in stored()] == [5, 5]
        assert any(same(stored(), after(after(state, one), other)) for one, other in (codes, codes[::-1])), stored()


def case_reactions(folder):
    """A reaction reaches players at the other server, and its limits apply there: one in five seconds and three per turn."""
    with Base(folder) as base:
        clock = Clock(folder)
        a, b = base.node(env=clock.env), base.node(env=clock.env)
        ana, _, code, one, other = two_at_a_table(base, a, b)
        watcher = b.visitor('Chloe').link(code)

        def heard(link):
            return [(message['seat'], message['symbol']) for message in link.news if message['type'] == 'reaction']

        def later(seconds):
            clock.write(f'+{seconds}')
            for node in (a, b):
                until_so(lambda: f'event=test_clock clock=+{seconds}\n' in node.text())
        seen = [(1, 'tomb')]
        one.done('react', symbol='tomb')
        for link in (one, other, watcher):
            link.until(lambda: heard(link) == seen)
        again = at(b, ana).link(code)            # the same player, at the other server
        again.refused('too_fast', 'react', symbol='ruby')
        other.done('react', symbol='skull')
        seen.append((2, 'skull'))
        for seconds, link, symbol in ((5, again, 'cross'), (10, one, 'potion')):
            later(seconds)
            link.done('react', symbol=symbol)
            seen.append((1, symbol))
            for link in (one, other, watcher):
                link.until(lambda: heard(link) == seen)
        later(15)
        for link in (one, again):                # the fourth of a turn
            link.refused('too_fast', 'react', symbol='torch')
        watcher.refused('not_seated', 'react', symbol='torch')
        other.done('react', symbol='torch')


def case_reactions_after_sitting_down(folder):
    """A reaction that a player sends right after they sat down, or another did at another server, is not refused because
    this server does not know of it yet."""
    with Base(folder) as base:
        a, b = base.node(), base.node()
        ana, ben = a.visitor('Ana'), b.visitor('Ben')
        for _ in range(4):
            code = ana.make('open', 'open', 'open')
            one, other = ana.link(code), ben.link(code)
            other.send(type='sit', id='sit', number=NUMBER)          # not waited for
            other.send(type='react', id='alone', symbol='ruby')
            other.until(lambda: 'alone' in other.answers)
            assert other.answers['sit']['type'] == 'done' and other.answers['alone']['code'] == 'alone'
            one.send(type='sit', id='sit', number=NUMBER)
            one.send(type='react', id='react', symbol='tomb')
            one.until(lambda: 'react' in one.answers)
            assert one.answers['sit']['type'] == one.answers['react']['type'] == 'done', one.answers
            other.done('react', symbol='skull')
            for link in (one, other):
                link.close()


def case_reactions_at_the_same_moment(folder):
    """A player sends a reaction over two servers at once: everyone sees one of them."""
    with Base(folder) as base:
        clock = Clock(folder, '=1800000000')     # so that the rest after a reaction does not pass
        a, b = base.node(env=clock.env), base.node(env=clock.env)
        ana, _, code, one, other = two_at_a_table(base, a, b)
        again = at(b, ana).link(code)
        watchers = [node.visitor('Chloe').link(code) for node in (a, b)]
        stop_at_rest(base, b)                    # so it cannot know of the first when it shows the second
        again.send(type='react', id='second', symbol='ruby')
        one.done('react', symbol='tomb')
        b.process.send_signal(signal.SIGCONT)
        again.until(lambda: 'second' in again.answers)
        other.done('react', symbol='skull')
        one.done('choose', phase=one.version, choice=one.pick(random.Random(1)))     # announced after all of them
        for link in watchers:
            def seen():
                return [(m['seat'], m['symbol']) for m in link.news if m['type'] == 'reaction']
            link.until(lambda: link.ready and 1 in link.ready['ready'] and (2, 'skull') in seen())
            assert len(seen()) == 2 and seen()[0][0] == 1, seen()


def case_handover(folder):
    """A server is stopped in order: its clients are told to reconnect at once, and continue at the other server with the
    same lines and choices; messages that were sent twice count once. The other server runs the table's bots."""
    with Base(folder) as base:
        a, b = base.node(), base.node()
        ana, ben = a.visitor('Ana'), a.visitor('Ben')
        code, dice = ana.make('open', 'open', 'bot:novice'), random.Random(5)
        links = [who.seat(code) for who in (ana, ben)]
        one, other = links
        for link in links:
            link.until(lambda: link.table['state'] == 'running' and link.pick(random.Random(1)))
        phase, choice = one.version, one.pick(dice)
        one.done('choose', id='c1', phase=phase, choice=choice)
        a.process.send_signal(signal.SIGTERM)
        for link in links:
            link.until(lambda: link.again)
            assert link.again['seconds'] == 0
        links = [at(b, who).link(code, have=link.version) for who, link in ((ana, one), (ben, other))]
        links[0].until(lambda: links[0].ready)
        assert links[0].version == phase and links[0].ready['mine'] == choice and links[0].ready['ready'] == [1]
        links[0].done('choose', id='c1', phase=phase, choice=choice)
        for old, new in zip((one, other), links):
            new.lines[:0] = old.lines
        # The old server closes its connections, and ends.
        for link in (one, other):
            assert link.closed() == 1012
        assert a.process.wait(wire.PATIENCE) == 0
        a.process = None
        wire.play(links, dice)
        wire.check_record(folder, at(b, ana).record(code))
        a.start()


def case_farewell(folder):
    """A visitor's data are removed at one server, while the other has their tables in memory and their connection: there,
    too, the identity is unknown, and no record has the name; the games continue."""
    with Base(folder) as base:
        a, b = base.node('--analysis-playouts', '128'), base.node('--analysis-playouts', '128')
        ana, ben = a.visitor('Ana Secretname'), b.visitor('Ben')
        over = at(b, ben).make('open', 'open', public=True)
        links = [at(b, ana).seat(over), ben.seat(over)]
        wire.play(links, random.Random(1))
        for link in links:
            link.close()
        runs, waits, hosted = ben.make('open', 'open'), ben.make('open', 'open', 'open'), at(b, ana).make('open', 'open')
        mine, hers = ben.seat(runs), at(b, ana).seat(runs)
        at(b, ana).seat(waits).close()
        wire.play([mine, hers], random.Random(2), until=lambda: mine.version > 12)
        watched = ben.link(over)
        assert 'Secretname' in ben.record(over) and 'Secretname' in ben.record(runs)
        ana.want(200, 'DELETE', '/api/visitor')
        assert hers.closed() == 1008
        until_so(lambda: at(b, ana).ask('GET', '/api/visitor').status == 401)
        mine.until(lambda: mine.table['seats'][1]['kind'] == 'bot' and mine.table['seats'][1]['name'] == 'A player')
        until_so(lambda: base.sql('SELECT count(*) FROM leaving') == '0')
        until_so(lambda: 'Secretname' not in ben.record(over) + ben.record(runs), 'B still has the name')
        wire.play([mine], random.Random(3))
        for node in (a, b):
            who = at(node, ben)
            for code in (over, runs):
                until_so(lambda: 'Secretname' not in json.dumps(who.table(code)) + who.record(code))
                wire.check_record(folder, who.record(code))
            assert who.table(hosted)['state'] == 'closed'
            assert [seat['kind'] for seat in who.table(waits)['seats']] == ['open'] * 3
            assert 'Secretname' not in who.want(200, 'GET', '/api/my/games').text
        watched.close()
        until_so(lambda: base.sql("SELECT count(*) FROM line WHERE text LIKE '%Secretname%'") == '0')
        assert base.sql("SELECT count(*) FROM game WHERE config LIKE '%Secretname%' AND state < 3") == '0'
        assert base.sql("SELECT count(*) FROM visitor WHERE name LIKE '%Secretname%'") == '0'


# The daily expedition.

def case_a_day_ends_at_two_servers(folder):
    """The day ends while people at both servers play it: both reveal it, and rank its results. Results stored before that
    are on every board, once; later ones do not count; both show the same."""
    with Base(folder) as base:
        days = daily.Days(folder)
        a, b = (base.node(*daily.QUICK, env=days.env) for _ in range(2))
        who = [node.visitor(f'P{i}') for i, node in enumerate((a, b) * 3)]
        codes = [daily.begin(one)['table']['code'] for one in who]
        ended = threading.Barrier(len(who))

        def attempt(i):
            link = who[i].link(codes[i])
            if i < 2:
                daily.play(link, i)              # in time
            else:
                daily.play(link, i, until=lambda: link.version > 40 + 20 * i)
            ended.wait(4 * wire.PATIENCE)
            if i == 2:
                days.clock.write(f'={(days.first + 1) * daily.DAY + daily.GRACE}')
            while not daily.is_over(link) and link.table['state'] != 'closed':
                choice = link.pick(random.Random(f'{i} {link.version}'))
                if choice:
                    link.say('choose', phase=link.version, choice=choice)      # which may come too late
                link.hear(0.05)
            link.close()
        at_once(*(lambda i=i: attempt(i) for i in range(len(who))))
        until_so(lambda: base.sql('SELECT count(*) FROM day WHERE revealed <> 0') == '1')
        until_so(lambda: base.sql('SELECT count(*) FROM attempt WHERE state = 0') == '0')
        until_so(lambda: base.sql('SELECT count(*) FROM day WHERE revealed <> 0 AND settled IS NOT NULL') == '0')
        counted = base.sql('SELECT visitor FROM attempt WHERE state = 1 ORDER BY 1').split()
        assert len(counted) >= 2
        assert base.sql('SELECT count(*) FROM attempt WHERE state = 2') == str(len(who) - len(counted))
        # Boards of the day, week and month; the last two also of revealed days, including this one.
        for board in (0, 4, 5, 8, 9):
            rows = base.sql(f'SELECT standing.visitor FROM standing JOIN attempt USING (visitor) WHERE board = {board} '
                            'AND standing.points = attempt.points AND standing.value = 10 * attempt.points '
                            'AND standing.days = 1 ORDER BY 1').split()
            assert rows == counted, (board, rows, counted)
        assert base.sql('SELECT count(*) FROM standing WHERE board IN (0, 4, 5, 8, 9)') == str(5 * len(counted))
        until_so(lambda: base.sql('SELECT count(*) FROM attempt WHERE state = 1 AND judged < 2') == '0',
                 timeout=4 * wire.PATIENCE)

        def shown(node):
            person = at(node, who[0])
            found = [person.want(200, 'GET', f'/api/daily/{days.date()}').json['results']]
            for period in ('day', 'week', 'month'):
                found.append(person.want(200, 'GET', f'/api/daily/{days.date()}/board?period={period}').json['rows'])
            return found, person.want(200, 'GET', '/api/daily').json['yesterday']['secret']
        assert shown(a) == shown(b)
        assert len(shown(a)[0][1]) == len(counted)


def case_a_clock_that_is_ahead(folder):
    """The clock of one server jumps ahead while it cannot reach the database: it shows no card of a day that others still
    play. Once the database has the day as revealed, no server lets it begin."""
    with Base(folder) as base:
        days = daily.Days(folder)
        fast = daily.Days(os.path.join(folder, '..'))
        a, b = base.node(env=days.env), base.node(env=fast.env)
        ana, eve = a.visitor('Ana'), b.visitor('Eve')
        code = daily.begin(ana)['table']['code']
        link = at(b, ana).link(code)
        daily.play(link, 1, until=lambda: link.version > 30)
        spy = eve.link()
        with base.server.session(base.name) as session:
            session.say('BEGIN; LOCK TABLE day IN ACCESS EXCLUSIVE MODE;')
            fast.clock.set(b, f'={(days.first + 2) * daily.DAY}')
            spy.refused('sealed', 'open', table=code)
            session.say('COMMIT;')
        until_so(lambda: spy.say('open', table=code)['type'] == 'done')
        at(a, eve).refused(409, 'closed_day', 'POST', '/api/daily', {})


# Transactions that wait for each other.

def case_deadlocks(folder):
    """PostgreSQL aborts one of two transactions that wait for each other. If that is a server's, it is run again, and the
    player's request succeeds: a table, and a seat."""
    with Base(folder) as base:
        # PostgreSQL checks for deadlocks once, after this time.
        base.sql(f"ALTER DATABASE {base.name} SET deadlock_timeout = '4s'")
        a = base.node()
        ana, ben = a.visitor('Ana'), a.visitor('Ben')

        def clash(first, second, work):
            """Another session holds one row and waits for the second, which the server holds; it waits patiently."""
            with base.server.session(base.name) as session:
                session.say(f"BEGIN; SET LOCAL deadlock_timeout = '1h'; {first};")
                worker = threading.Thread(target=work)
                worker.start()
                until_so(lambda: base.sessions(WAITS) != '0',
                         f'the server does not wait: {done}')
                session.say(f'{second};')
                session.say('COMMIT;')
            worker.join(wire.PATIENCE)
            assert not worker.is_alive()
        before, done = int(base.sql('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()')), []
        # Making a table takes room from the server's row, then locks that of its host.
        clash("SELECT 1 FROM visitor WHERE name = 'Ana' FOR UPDATE", 'SELECT 1 FROM node FOR UPDATE',
              lambda: done.append(ana.make('open', 'open')))
        assert ana.table(done[0])['state'] == 'waiting'
        # Sitting down changes the table's revision, then its row.
        clash('SELECT 1 FROM game FOR UPDATE', 'SELECT 1 FROM revision FOR UPDATE', lambda: done.append(ana.seat(done[0])))
        until_so(lambda: int(base.sql('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()'))
                 >= before + 2)
        links = [done[1], ben.seat(done[0])]
        wire.play(links, random.Random(2))
        wire.check_record(folder, ana.record(done[0]))
        assert Visitor(a).want(200, 'GET', '/healthz').text == 'ok\n'


# A proxy in front.

def examples():
    """The configurations in docs/cluster.md: two of nginx, one of HAProxy."""
    text = wire.read(os.path.join(wire.ROOT, 'docs/cluster.md'))
    part = text[text.index('\nnginx: '):text.index('\n## PostgreSQL with')]
    blocks = re.findall(r'((?:^    .*\n|^\n(?=    ))+)', part, re.M)
    return [re.sub(r'^    ', '', block, flags=re.M) for block in blocks]


def with_addresses(text, nodes):
    for number, node in enumerate(nodes):
        text = text.replace(f'10.0.0.{number + 1}:8080', f'127.0.0.1:{node.port}')
    return text


class Front:
    """A proxy, as clients see it: where they connect to."""

    def __init__(self, words, port):
        self.words, self.port = words, port

    def __enter__(self):
        self.process = subprocess.Popen(self.words)      # pylint: disable=consider-using-with
        return self

    def __exit__(self, kind, value, trace):
        self.process.terminate()
        self.process.wait(wire.PATIENCE)

    def is_up(self):
        assert self.process.poll() is None, f'{self.words[0]} has ended'
        try:
            return Visitor(self).ask('GET', '/healthz').status == 200
        except OSError:
            return False


def play_behind(front, base, nodes, folder, knows_servers):
    """All players of a table are at one server, tables are at both, and when one is killed or stopped its players move to
    the other. `knows_servers`: whether the proxy knows which of them are up."""
    until_so(front.is_up)
    until_so(lambda: knows_servers([True, True]))
    players = [Visitor(front), Visitor(front)]
    for who in players:
        who.want(200, 'POST', '/api/visitor', {'name': 'Ana'})
    codes = [players[0].make('open', 'open') for _ in range(12)]

    def connect(who, code):
        link = who.link(code, headers={'path': f'/api/socket?table={code}'})
        if not link.table['you']:
            link.done('sit', number=NUMBER)
        return link
    links = {code: [connect(who, code) for who in players] for code in codes}
    until_so(lambda: base.sql('SELECT count(*) FROM presence WHERE visitor > 0') == '24')
    assert base.sql('SELECT max(n) FROM (SELECT count(DISTINCT node) AS n FROM presence WHERE visitor > 0'
                    ' GROUP BY game) AS x') == '1', 'the players of a table are at different servers'
    assert base.sql('SELECT count(DISTINCT node) FROM presence WHERE visitor > 0') == '2', 'all are at one'
    nodes[0].kill()
    until_so(lambda: knows_servers([False, True]))
    for code in codes:
        for i, who in enumerate(players):
            try:
                links[code][i].done('ping')
            except (wire.Closed, OSError):
                links[code][i] = connect(who, code)
    wire.play(links[codes[0]], random.Random(3))
    wire.check_record(folder, players[0].record(codes[0]))
    nodes[0].start()
    until_so(lambda: knows_servers([True, True]))
    # All clients are at the other one now. It is stopped in order: they are served at their first attempt.
    nodes[1].process.send_signal(signal.SIGTERM)
    for code in codes:
        for link, who in zip(links[code], players):
            link.until(lambda: link.again)
            connect(who, code)
    assert nodes[1].process.wait(wire.PATIENCE) == 0
    nodes[1].process = None
    nodes[1].start()


def case_nginx(folder):
    """Two servers behind nginx as in docs/cluster.md."""
    with Base(folder) as base:
        nodes, port = [base.node('--trust-proxy') for _ in range(2)], ports.reserve()
        path = os.path.join(folder, 'nginx.conf')
        first, then = examples()[:2]
        whole = re.sub(r' *proxy_pass .*\n', lambda _: then, proxy.nginx_configuration(port, 0, folder), count=1)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(with_addresses(whole.replace('\nserver {', '\n' + first + 'server {', 1), nodes))
        os.chmod(folder, 0o755)
        with Front([proxy.NGINX, '-e', os.path.join(folder, 'nginx.log'), '-p', folder, '-c', path], port) as front:
            def knows_servers(states):
                """After a failure nginx uses a server again only after `fail_timeout`."""
                before = metric(nodes[0], 'requests_total{status="2xx"}') if states[0] else 0
                for i in range(16 * states[0]):
                    Visitor(front).want(200, 'GET', f'/healthz?table=T{i}')
                return not states[0] or metric(nodes[0], 'requests_total{status="2xx"}') > before + 2
            play_behind(front, base, nodes, folder, knows_servers)


def case_haproxy(folder):
    """Two servers behind HAProxy as in docs/cluster.md, without TLS. Its checks find out which of them are up."""
    with Base(folder) as base:
        nodes, port = [base.node('--trust-proxy') for _ in range(2)], ports.reserve()
        path, admin = os.path.join(folder, 'haproxy.cfg'), os.path.join(folder, 'haproxy.socket')
        text, lines = re.subn(r'bind :443 .*', f'bind 127.0.0.1:{port}', examples()[2])
        text, more = re.subn('X-Forwarded-Proto https', 'X-Forwarded-Proto http', text)
        assert lines == more == 1, text
        with open(path, 'w', encoding='utf-8') as file:
            file.write(f'global\n    stats socket {admin}\n\n' + with_addresses(text, nodes))

        def knows_servers(states):
            with socket.socket(socket.AF_UNIX) as ask:
                ask.connect(admin)
                ask.sendall(b'show stat\n')
                rows = list(csv.DictReader(ask.makefile()))
            found = [(row['status'], row['check_status']) for row in rows if row['svname'] in ('one', 'two')]
            return [('UP', 'L7OK') == one if up else one[0] == 'DOWN' for one, up in zip(found, states)] == [True, True]
        with Front([HAPROXY, '-q', '-db', '-f', path], port) as front:
            play_behind(front, base, nodes, folder, knows_servers)


# PostgreSQL's disk is full.

def case_full_disk(folder):
    """The data of PostgreSQL are on a small disk that fills up: requests are refused with `storage`, nothing is lost, and
    everything continues when there is room again."""
    with Base(folder, small=24) as base:
        a, b = base.node(), base.node()
        ana, ben, code, one, other = two_at_a_table(base, a, b)
        one.done('choose', phase=one.version, choice=one.pick(random.Random(1)))
        base.server.fill()
        refused = 0
        while not refused:                           # until PostgreSQL's allocated pages are full, too
            answer = ana.ask('POST', '/api/tables', {'seats': [{'kind': 'open'}] * 2})
            assert answer.status in (201, 429, 503), answer.text
            refused = answer.status == 503
            if refused:
                assert answer.json['error']['code'] == 'storage'
            if answer.status == 429:
                ana = at(a, a.visitor('Ana'))
        until_so(lambda: 'No space left on device' in a.text())
        until_so(lambda: ana.ask('GET', '/healthz').status == 503)
        made = int(base.sql('SELECT count(*) FROM game'))
        base.server.free()
        until_so(lambda: ana.ask('GET', '/healthz').status == 200)
        other.until(lambda: other.ready and other.ready['ready'] == [1])
        wire.play([one, other], random.Random(5))
        wire.check_record(folder, ben.record(code))
        ben.make('open', 'open')
        assert int(base.sql('SELECT count(*) FROM game')) == made + 1


if __name__ == '__main__':
    with postgres.Postgres() as Base.shared:
        wire.main(globals(), beside=5)
