#!/usr/bin/env python3
"""Invalid input to the Python package: wrong types, shapes, numbers and bytes, threads and fork never end the
interpreter. Every call either works or raises an exception that names the error. Each case runs in a process of its own.

usage: garbage.py [CASE], with the package on PYTHONPATH and, for other garbage than usual, a number in GARBAGE_SEED"""
import array
import itertools
import os
import random
import resource
import subprocess
import sys
import threading

import pyramids
from pyramids import _core

SHORT = 'LD_PRELOAD' in os.environ                       # with a sanitizer
ROUNDS = 500 if SHORT else 3000
SEED = int(os.environ.get('GARBAGE_SEED', '1'))


class Index:
    """An invalid number."""
    def __index__(self):
        raise KeyError('no number today')


class Long:
    """A sequence that reports a wrong length."""
    def __len__(self):
        return 2**40

    def __getitem__(self, i):
        if i > 5:
            raise IndexError
        return i


class Changing(list):
    """A list that shrinks while it is read."""
    def __iter__(self):
        while self:
            yield self.pop()

    def __getitem__(self, i):
        self.clear()
        return 1


LOOP = []
LOOP.append(LOOP)
EDITION = pyramids.generate(3)


def values(rng):
    """A value that no call expects; numbers are small or far too large, so that no call gets hours of work."""
    return rng.choice((
        None, True, -1, 0, 1, 2, 3, 4, 5, 255, 256, 461, 462, 2**63, 2**64 - 1, 2**64, -2**63, 10**30, 1.5, float('nan'),
        float('inf'), 1j, '', 'x', 'classic', 'greedy', 'train', '\0', 'a\0b', '\ud800', 'ä' * 5000, b'', b'\xff' * 600,
        b'\0', bytearray(560), memoryview(bytes(64))[::2], memoryview(bytes(64)).cast('B', (8, 8)),
        array.array('d', [0.5] * 4), array.array('i', [1, 2]), [], [1], [None], [-1, 2**70], (), (1, 2, 3), LOOP, {},
        {'mask': b''}, {1: 2}, set(), object(), int, len, Index(), Long(), Changing([1, 2]), iter([1]), pyramids,
        pyramids.Game(2, 1), pyramids.VecEnv(2), EDITION))


def is_told(error):
    """An exception that a caller can understand, not one about the internals of the package."""
    assert not isinstance(error, (SystemError, RecursionError, AssertionError, UnboundLocalError)), repr(error)
    assert str(error) or isinstance(error, (KeyError, IndexError, StopIteration, MemoryError)), repr(error)


def attempt(call, *args, **named):
    try:
        return call(*args, **named)
    except Exception as error:               # pylint: disable=broad-except  # its type is checked
        is_told(error)
        return None


def is_well():
    """After all that, a game and an environment behave as in a fresh interpreter."""
    game, rng = pyramids.Game(3, 5), random.Random(5)
    while not game.is_over:
        seat = game.waiting[0]
        game.apply(seat, rng.choice(game.legal_actions(seat)))
    env = pyramids.VecEnv(8)
    env.reset(seed=1)
    env.seed_actions(1)
    for _ in range(100):
        env.step(env.sample_actions())
    return game.record + str([env.save(i) for i in range(8)])


def targets():
    """Everything callable, by name; methods on objects that are made anew each time."""
    calls = {}
    for module in (pyramids, _core, pyramids.bots):
        for name in dir(module):
            one = getattr(module, name)
            if callable(one) and not name.startswith('__') and name not in ('speed', 'Any', 'NamedTuple'):
                calls[f'{module.__name__}.{name}'] = lambda one=one: one
    makers = {'Game': lambda: pyramids.Game(2, 1), 'VecEnv': lambda: pyramids.VecEnv(2, record=True), 'Edition':
              pyramids.edition, 'bot': lambda: pyramids.bots.get('greedy'), 'aec': pyramids.aec_env, 'parallel':
              pyramids.parallel_env, 'gym': lambda: pyramids.gym_env('random')}
    for kind, make in makers.items():
        for name in dir(make()):
            if not name.startswith('_') and callable(getattr(make(), name, None)):
                calls[f'{kind}.{name}'] = lambda make=make, name=name: getattr(make(), name)
    for name in ('__setstate__', '__reduce__', '__getitem__', '__setitem__', '__len__', '__eq__', '__hash__'):
        if hasattr(_core.Array, name):
            calls[f'Array.{name}'] = lambda name=name: getattr(pyramids.VecEnv(2).masks, name)
    return calls


def case_any_arguments():
    before, rng, calls = is_well(), random.Random(SEED), targets()
    assert len(calls) > 80, len(calls)
    for name, make in itertools.islice(itertools.cycle(calls.items()), ROUNDS):
        args = [values(rng) for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4, 11)))]
        named = {rng.choice(('seed', 'players', 'edition', 'opponents', 'reward', 'buffers', 'text', 'name', 'nodes',
                             'games', 'no_such')): values(rng) for _ in range(rng.choice((0, 0, 0, 1, 2)))}
        print('#', name, end=' ', flush=True)            # the last one printed, should it crash
        attempt(make(), *args, **named)
    assert is_well() == before
    # No call takes gigabytes before it refuses; a sanitizer's own memory also counts here.
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert used < 3 << 20, f'{used} KB'


def case_any_state_before_reset_and_after_close():
    env, closed = pyramids.VecEnv(2), pyramids.VecEnv(2)
    closed.reset(seed=1)
    masks = closed.masks
    closed.close()
    closed.close()
    bytes(memoryview(masks))                             # an array outlives its environment
    for one, name in itertools.product((env, closed), dir(env)):
        if not name.startswith('__'):
            found = attempt(getattr, one, name)
            if callable(found):
                attempt(found)
                attempt(found, 0)
                attempt(found, 0, 0)
    for name in ('Match', 'Batch', 'Bot', 'Edition', 'Array'):
        kind = getattr(_core, name)
        blank = attempt(object.__new__, kind)
        blank = blank or attempt(kind.__new__, kind)
        for method in dir(kind):
            found = attempt(getattr, blank, method) if blank is not None else None
            if callable(found) and method not in ('__class__', '__init_subclass__', '__subclasshook__'):
                attempt(found)
                attempt(found, 0)


def mutated(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at, kind = rng.randrange(len(data) + 1), rng.randrange(4)
        if kind == 0 and at < len(data):
            data[at] = rng.randrange(256)
        elif kind == 1:
            del data[at:at + rng.choice((1, 9, 10**6))]
        elif kind == 2:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice((1, 4, 40))))
        elif at < len(data):
            data[at] ^= 1 << rng.randrange(8)
    return bytes(data)


def case_mutated_saves_records_and_editions():
    rng, players = random.Random(SEED + 1), 2 + SEED % 3
    env, saved = pyramids.VecEnv(4, players=players), []
    env.reset(seed=SEED)
    env.seed_actions(SEED)
    for turn in range(200):
        env.step(env.sample_actions())
        if turn % 8 == 0:
            saved += [env.save(i) for i in range(4)]
    game = pyramids.Game(3, 4)
    while not game.is_over:
        game.apply(game.waiting[0], rng.choice(game.legal_actions(game.waiting[0])))
    loaded = 0
    for _ in range(ROUNDS):
        try:
            env.load(rng.randrange(4), mutated(rng, rng.choice(saved)))
        except Exception as error:           # pylint: disable=broad-except
            is_told(error)
        else:
            loaded += 1
            for _ in range(rng.choice((1, 5, 200))):
                env.step(env.sample_actions())           # accepted input can be played on
            for i in range(4):
                assert env.load(i, env.save(i)) is None
                env.look(i, rng.randrange(players))
    print('#', loaded, 'of', ROUNDS, 'changed saves were accepted')
    for text, read in ((game.record, pyramids.Game.from_record),
                       (pyramids.edition().text, lambda text: pyramids.Edition(text=text))):
        for _ in range(ROUNDS // 8):
            attempt(read, mutated(rng, text.encode()).decode('utf-8', 'surrogateescape' if rng.randrange(2) else 'replace'))
    assert pyramids.Game.from_record(game.record).scores == game.scores


def case_one_environment_in_many_threads():
    for opponents in ('random', 'greedy'):
        env, rng = pyramids.VecEnv(64, opponents=opponents), random.Random(3)
        env.reset(seed=1)
        wrong = []

        def work(seed):
            rng = random.Random(seed)
            for _ in range(ROUNDS // 20):
                try:
                    rng.choice((lambda: env.step(env.sample_actions()), lambda: env.reset(seed=seed),
                                lambda: env.save(3), lambda: env.load(5, env.save(5)), lambda: env.look(1, 0),
                                lambda: bytes(memoryview(env.masks)), lambda: env.step([0] * 64),
                                lambda: env.sample(1, 0, seed)))()
                except Exception as error:   # pylint: disable=broad-except
                    try:
                        is_told(error)
                    except AssertionError as bad:
                        wrong.append(bad)
            if seed == 4:
                attempt(env.close)
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong and rng, wrong
        attempt(env.close)


def case_fork():
    env = pyramids.VecEnv(16, opponents='greedy')
    env.reset(seed=1)
    env.seed_actions(1)

    def go():
        for _ in range(50):
            env.step(env.sample_actions())
        return b''.join(env.save(i) for i in range(16))
    out, into = os.pipe()
    child = os.fork()
    if not child:
        data = go()
        with os.fdopen(into, 'wb') as to:
            to.write(data)
        env.close()
        os._exit(0)
    os.close(into)
    with os.fdopen(out, 'rb') as file:
        theirs = file.read()
    assert os.waitpid(child, 0)[1] == 0
    assert theirs == go()


def main():
    cases = [name for name in globals() if name.startswith('case_')]
    if len(sys.argv) > 2 and sys.argv[1] == '--one':
        if not SHORT:                                    # a sanitizer needs room
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        globals()[sys.argv[2]]()
        return 0
    failed = 0
    cases = [name for name in cases if len(sys.argv) < 2 or sys.argv[1] in name]
    for number, name in enumerate(cases, 1):
        done = subprocess.run([sys.executable, '-X', 'faulthandler', __file__, '--one', name], capture_output=True,
                              text=True, check=False, timeout=600)
        if done.returncode:
            failed += 1
            for line in (f'exit {done.returncode}\n' + done.stdout[-300:] + '\n' + done.stderr[-4000:]).splitlines():
                print('#', line)
        print(f'{"not ok" if done.returncode else "ok"} {number} - {name[5:].replace("_", " ")}', flush=True)
    print(f'1..{len(cases)}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
