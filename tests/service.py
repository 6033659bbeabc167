#!/usr/bin/env python3
"""The server as a process among others: signals, and a log that nobody reads. usage: service.py PYRAMIDS SOURCE_ROOT
[CASE]"""
import os
import re
import signal

import wire
from wire import Server, until_so


def case_hangup(folder):
    """A terminal that is closed is no reason to stop."""
    with Server(folder) as server:
        ana = server.visitor()
        link = ana.seat(ana.make('open', 'open'))
        for i in range(3):
            server.process.send_signal(signal.SIGHUP)
            until_so(lambda: server.text().count('event=hangup') == i + 1)
            link.done('ping')
        assert ana.want(200, 'GET', '/healthz').text == 'ok\n'


class Piped(Server):
    """A server whose standard error is a pipe; nobody reads it before the test does."""

    def start(self, code=None):
        self.reader, self.stderr = os.pipe()
        try:
            return super().start(code)
        finally:
            os.close(self.stderr)


def case_unread_log(folder):
    """Nobody reads the log: the server answers all the same, counts what it could not write, and says so when somebody reads
    again."""
    with Piped(folder) as server:
        ana = server.visitor()
        dropped, asked = 0, 0
        while dropped < 100:
            assert asked < 20000, 'the log never filled up'
            for _ in range(200):
                ana.want(200, 'GET', '/api/visitor')
            asked += 200
            metrics = ana.want(200, 'GET', '/metrics').text
            dropped = int(re.search(r'^pyramids_log_dropped_total (\d+)$', metrics, re.M).group(1))
        link = ana.seat(ana.make('open', 'bot:novice'))
        link.until(lambda: link.pick(wire.secrets.SystemRandom()))
        log = b''
        while b'event=log_dropped' not in log:
            log += os.read(server.reader, 65536)
        lines = log.decode().splitlines()
        said = sum(int(line.rsplit('=', 1)[1]) for line in lines if 'event=log_dropped lines=' in line)
        assert said >= dropped, (said, dropped)
        assert all(line.startswith('time=') and ' event=' in line for line in lines[:-1]), lines[:3]
        ana.want(200, 'GET', '/healthz')
        server.stop()                            # ends in time though the pipe may be full
        os.close(server.reader)


def case_unread_to_the_end(folder):
    """The same, and the server is stopped while its log is stuck."""
    with Piped(folder, '--request-rate', '1000000') as server:
        ana = server.visitor()
        for _ in range(1500):
            ana.want(200, 'GET', '/api/visitor')
        server.stop()
        os.close(server.reader)


if __name__ == '__main__':
    wire.main(globals())
