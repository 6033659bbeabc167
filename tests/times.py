#!/usr/bin/env python3
"""Long times: ten minutes, three days, sixty days, and what a restart does to them. The server goes by a clock of the test (wire.Clock).
usage: times.py PYRAMIDS SOURCE_ROOT [CASE]"""
import time

import wire
from wire import Clock, Server, until_so

DAY = 86400


def case_waiting_tables_close(folder):
    """Three days after the last change, and not one second earlier; not while anybody watches; across a restart too."""
    start = int(time.time())
    clock = Clock(folder, f'={start}')
    with Server(folder, env=clock.env) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        left, watched = ana.make('open', 'open'), ana.make('open', 'open')
        assert ana.table(left)['created'] == start
        clock.set(server, f'={start + DAY}')
        taken = ana.make('open', 'open')
        link = ben.link(watched)
        ben.seat(taken).close()
        for when in (start + 3 * DAY - 1, start + 3 * DAY):
            clock.set(server, f'={when}')
            clock.pass_ticks(server)
            until_so(lambda: ana.table(left)['state'] == ('closed' if when == start + 3 * DAY else 'waiting'))
            assert ana.table(watched)['state'] == ana.table(taken)['state'] == 'waiting'
        link.close()
        until_so(lambda: ana.table(watched)['state'] == 'closed')
        server.restart()
        for when in (start + 4 * DAY - 1, start + 4 * DAY):
            clock.set(server, f'={when}')
            clock.pass_ticks(server)
            until_so(lambda: ana.table(taken)['state'] == ('closed' if when == start + 4 * DAY else 'waiting'))


if __name__ == '__main__':
    wire.main(globals())
