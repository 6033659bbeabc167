#!/usr/bin/env python3
"""The Python package (docs/python.md) through its documented calls: masks against a second implementation of the rules
(oracle.py), observations of games that differ only in hidden parts, records, conventions of other libraries, bad input,
threads.

usage: research.py PYRAMIDS SOURCE_ROOT [CASE], with the package on PYTHONPATH"""
import ast
import copy
import importlib
import itertools
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import types

import against_oracle
import cases
import oracle
import pyramids

COMMAND, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
# A preloaded sanitizer is meant for this interpreter; the command has its own.
PLAIN_ENV = {name: value for name, value in os.environ.items() if name != 'LD_PRELOAD'}
SHORT = 'LD_PRELOAD' in os.environ
PASS = 461


def odd(seed):
    return pyramids.Edition(text=against_oracle.odd_edition(random.Random(seed), f'odd-{seed}'))


def raises(kind, function, *args, **named):
    """Expects an exception of that kind and returns it."""
    try:
        function(*args, **named)
    except kind as error:
        assert str(error), kind
        return error
    raise AssertionError(f'{function} {args} {named}: no {kind.__name__}')


def run(*words, text=None):
    done = subprocess.run([COMMAND, *words], input=text, capture_output=True, text=True, env=PLAIN_ENV, timeout=300)
    assert done.returncode == 0, f'{words}: exit {done.returncode}\n{done.stderr}'
    return done.stdout


def script(text, **more):
    """Runs a script with the package in a process of its own; what it prints."""
    done = subprocess.run([sys.executable, '-c', text], capture_output=True, text=True, timeout=300, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# Masks against the oracle.

def turns_in_order(rows):
    """The distinct ways to turn a drawing, in the order of docs/research.md: as printed, turned by one to three quarters,
    then the same after mirroring. Each as spaces (column, row) from its first space in reading order."""
    drawn = {(c, r) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark == 'X'}
    found = []
    for mirrored, quarters in itertools.product((False, True), range(4)):
        shape = {(-c, r) if mirrored else (c, r) for c, r in drawn}
        for _ in range(quarters):
            shape = {(-r, c) for c, r in shape}
        left, top = min(c for c, _ in shape), min(r for _, r in shape)
        shape = frozenset((c - left, r - top) for c, r in shape)
        if shape not in found:
            found.append(shape)
    result = []
    for shape in found:
        first = min(shape, key=lambda s: (s[1], s[0]))
        result.append(frozenset((c - first[0], r - first[1]) for c, r in shape))
    return result


def drawings(text):
    """Pattern name -> its turns, from the text of an edition."""
    result, lines = {}, text.split('\n')
    for i, line in enumerate(lines):
        if line.startswith('pattern '):
            rows = list(itertools.takewhile(bool, lines[i + 1:]))
            result[line.split(' ')[1]] = turns_in_order(rows)
    return result


class Reader:
    """Follows one game of an environment with the oracle."""

    def __init__(self, edition):
        self.edition = oracle.Edition(edition.text)
        self.turns = drawings(edition.text)
        self.begin()

    def begin(self):
        self.game, self.lines, self.own = oracle.Game(self.edition), 0, {}

    def follow(self, record):
        lines = record.rstrip('\n').split('\n')
        for number in range(self.lines, len(lines)):
            self.game.line(number + 1, lines[number])
            self.own = {}
        self.lines = len(lines)

    def meaning(self, action, cards, offer):
        """What an action does, in the oracle's notation; None if it leaves the card or there is nothing."""
        what = pyramids.describe(action)
        if what.kind == 'keep':
            return frozenset((offer[what.first], offer[what.second]))
        if what.kind == 'take':
            return f'take {offer[what.first]}'
        if what.kind != 'mark':
            return what.kind
        spaces = {(what.column, what.row)}
        if what.is_pattern:
            shape = self.turns[self.game.pattern][what.turn]
            spaces = {(c + what.column, r + what.row) for c, r in shape}
        return ('pattern' if what.is_pattern else 'single', cards[what.slot], frozenset(spaces))

    def legal(self, seat):
        """What the rules allow a seat now, in the same notation. A pattern and a single space are different actions, even
        for a pattern of one space."""
        game = self.game
        if game.stage == 'keep':
            return {frozenset(two) for two in itertools.combinations(game.dealt[seat], 2)}
        if game.stage == 'replace':
            return {f'take {card}' for card in game.display} | ({'draw'} if game.deck_left() else set())
        player, steps = game.players[seat].copy(), self.own.get(seat, [])
        for number, spaces in steps:
            game.mark(player, number, spaces)
        if steps:
            return {('single', number, spaces) for number, spaces in game.extra_marks(player)}
        found = {('single' if len(spaces) == 1 else 'pattern', number, spaces)
                 for number, spaces in game.first_marks(player)}
        return found or {'pass'}

    def check(self, seat, observation, mask):
        parts = pyramids.split(bytes(observation))
        cards = [row[25] for row in parts['desks'].tolist()[0]]
        offer = [row[25] for row in parts['offer'].tolist()]
        player = self.game.players[seat]
        if self.game.stage == 'keep':
            assert sorted(offer) == sorted(self.game.dealt[seat]) and not any(cards)
        else:
            assert sorted(filter(None, cards)) == sorted(player.cards), (cards, player.cards)
            assert sorted(filter(None, offer)) == sorted(self.game.display)
        actions = [action for action, bit in enumerate(mask) if bit]
        found = [self.meaning(action, cards, offer) for action in actions]
        assert len(set(found)) == len(found), 'two actions are the same choice'
        assert set(found) == self.legal(seat), (seat, set(found) ^ self.legal(seat))
        return dict(zip(actions, found))

    def make(self, seat, meaning):
        if isinstance(meaning, tuple):
            self.own.setdefault(seat, []).append((meaning[1], meaning[2]))


def play_checked(edition, players, seed, games, rng):
    """Steps games to their end, checking every mask."""
    env = pyramids.VecEnv(games, players=players, edition=edition, record=True)
    env.reset(seed=seed)
    readers = [Reader(edition) for _ in range(games)]
    left, checked = set(range(games)), 0
    while left:
        actions, meant = [], {}
        for i in range(games):
            seat = env.turn[i]
            if i in left:
                readers[i].follow(env.record(i))
                legal = readers[i].check(seat, env.observations[i], env.masks[i])
                checked += 1
                action = rng.choice(sorted(legal))
                meant[i] = (seat, legal[action])
            else:
                action = env.masks[i].tolist().index(1)
            actions.append(action)
        for i, (seat, meaning) in meant.items():
            readers[i].make(seat, meaning)
        _, _, done, _, infos = env.step(actions)
        for i in [i for i in left if done[i]]:
            text = env.record(i, finished=True)
            readers[i].follow(text)
            assert readers[i].game.stage == 'over' and not readers[i].game.queue
            assert pyramids.Game.from_record(text, edition=edition).scores == tuple(infos['final_score'][i])
            left.remove(i)
    env.close()
    return checked


def case_masks_are_those_of_the_rules(folder):
    rng = random.Random(1)
    for players in (2, 3, 4):
        for edition in (pyramids.edition(), pyramids.generate(players, 'test'), odd(players), odd(10 + players)):
            if not SHORT or edition.name != 'classic':
                assert play_checked(edition, players, 100 * players, 1, rng) > 50


def case_parallel_mode_plays_the_same_games(folder):
    rng = random.Random(2)
    for players in (2, 3, 4):
        parallel = pyramids.VecEnv(1, players=players, parallel=True, autoreset=False, record=True)
        in_turn = pyramids.VecEnv(1, players=players, autoreset=False, record=True)
        parallel.reset(seed=5)
        in_turn.reset(seed=5)
        queue, compared = [[] for _ in range(players)], 0        # choices so far that seats have made in parallel mode only
        while not parallel.done[0]:
            actions = []
            for seat in range(players):
                row, mask = parallel.look(0, seat)
                assert bytes(row) == bytes(parallel.observations[seat]) and bytes(mask) == bytes(parallel.masks[seat])
                action = rng.choice([a for a, bit in enumerate(mask) if bit])
                actions.append(action)
                if parallel.turn[0] >> seat & 1:
                    queue[seat].append((action, bytes(mask), bytes(row)))
                else:
                    assert action == PASS and list(bytes(mask)).count(1) == 1
            parallel.step(actions)
            while not in_turn.done[0] and queue[in_turn.turn[0]]:
                action, mask, row = queue[in_turn.turn[0]].pop(0)
                assert bytes(in_turn.masks[0]) == mask and bytes(in_turn.observations[0]) == row
                in_turn.step([action])
            if not any(queue):
                compared += 1
                assert parallel.record(0) == in_turn.record(0)
        assert in_turn.done[0] and parallel.scores.tolist() == in_turn.scores.tolist() and compared > 28


def case_observations_show_nothing_hidden(folder):
    rng = random.Random(3)
    differed = 0
    for players, edition in itertools.product((2, 3, 4), (pyramids.edition(), odd(7))):
        env = pyramids.VecEnv(1, players=players, edition=edition, critic=True)
        env.reset(seed=players)
        for step in range(40 if SHORT else 100):
            before = env.save(0)
            for seat in range(players):
                row, mask = env.look(0, seat)
                truth = bytes(env.state(0, seat))
                env.sample(0, seat, step)
                other, same_mask = env.look(0, seat)
                assert bytes(row) == bytes(other) and bytes(mask) == bytes(same_mask), (players, step, seat)
                differed += bytes(env.state(0, seat)) != truth
                env.load(0, bytearray(before))
            env.step([rng.choice([a for a, bit in enumerate(env.masks[0]) if bit])])
        env.close()
    assert differed > 200, differed


def case_order_of_choices_does_not_show(folder):
    # Two games in which another seat has chosen differently, or not at all, look the same.
    for players in (2, 3, 4):
        game = pyramids.Game(players, 11)
        rng = random.Random(4)
        while not game.is_over:
            waiting = game.waiting
            if len(waiting) == players:
                seen = bytes(game.observation(players - 1))
                for seat in waiting[:-1]:
                    other = game.copy()
                    while seat in other.waiting and other.waiting != waiting[-1:] and len(other.waiting) == players:
                        other.apply(seat, rng.choice(other.legal_actions(seat)))
                    assert bytes(other.observation(players - 1)) == seen
            for seat in waiting:
                turn = len(game.record)
                while seat in game.waiting and len(game.record) == turn:
                    game.apply(seat, rng.choice(game.legal_actions(seat)))


def case_games_deal_record_and_score(folder):
    rng = random.Random(5)
    for players, edition in itertools.product((2, 3, 4), (pyramids.edition(), pyramids.generate(8))):
        game = pyramids.Game(players, 9, edition=edition)
        again = pyramids.Game(players, 9, edition=edition)
        reader = Reader(edition)
        while not game.is_over:
            seat = rng.choice(game.waiting)
            reader.follow(game.record)
            legal = reader.check(seat, game.observation(seat), game.mask(seat))
            action = rng.choice(game.legal_actions(seat))
            reader.make(seat, legal[action])
            game.apply(seat, action)
            again.apply(seat, action)
        assert game.record == again.record and again.copy().record == game.record
        twin = pyramids.Game.from_record(game.record, edition=edition)
        assert twin.record == game.record and twin.scores == game.scores and twin.winners == game.winners and twin.is_over
        path = os.path.join(folder, 'edition')
        with open(path, 'w', encoding='utf-8') as to:
            to.write(edition.text)
        out = json.loads(run('replay', '--edition', path, '--json', '-', text=game.record).splitlines()[-1])
        assert out
        for seat in range(players):
            score = game.score(seat)
            assert score.total == sum(score[1:]) == game.scores[seat]


def case_games_take_given_cards(folder):
    edition = pyramids.edition()
    deck = list(range(48, 0, -1))
    game = pyramids.Game(2, 1, dealt=[[1, 2, 3, 4], [5, 6, 7, 8]], deck=deck, expedition=[[0, 1, 2, 3, 4, 5, 3, 5]] * 4)
    assert [card['number'] for card in game.view(0)['offer']] == [1, 2, 3, 4]
    game.choose(0, '1 2')
    game.choose(1, '7 8')
    assert [card['number'] for card in game.view(1)['offer']] == [48, 47, 46, 45]
    assert game.view(0)['pattern'] == edition.patterns[0] and game.view(0)['returned'] == [3, 4]
    assert raises(pyramids.Error, pyramids.Game, 2, 1, dealt=[1, 2, 3, 4, 4, 6, 7, 8]).code == 'chance_deal'
    assert raises(pyramids.Error, pyramids.Game, 2, 1, deck=[1] * 48).code == 'chance_deck'
    assert raises(pyramids.Error, pyramids.Game, 2, 1, expedition=[0] * 32).code == 'chance_expedition'
    raises(ValueError, pyramids.Game, 2, 1, dealt=[1, 2, 3])
    raises(ValueError, pyramids.Game, 2, 1, deck=[300] * 48)
    raises(ValueError, pyramids.Game, 2, 1, dealt='12345678')
    raises(ValueError, pyramids.Game, 2, 1, dealt=[1.0, 2, 3, 4, 5, 6, 7, 8])
    if pyramids.observation.numpy is not None:
        array = pyramids.observation.numpy.array
        again = pyramids.Game(2, 1, dealt=array([[1, 2, 3, 4], [5, 6, 7, 8]]), deck=array(deck),
            expedition=array([[0, 1, 2, 3, 4, 5, 3, 5]] * 4))
        again.choose(0, '1 2')
        again.choose(1, '7 8')
        assert again.record == game.record


def case_sampled_games_look_the_same_to_the_seat(folder):
    rng = random.Random(6)
    differed = 0
    for players in (2, 3, 4):
        game = pyramids.Game(players, 21)
        while not game.is_over:
            seat = rng.choice(game.waiting)
            for one in range(players):
                other = game.sample(one, rng.getrandbits(60))
                assert bytes(other.observation(one)) == bytes(game.observation(one))
                assert other.waiting == game.waiting and (one not in game.waiting or
                                                          bytes(other.mask(one)) == bytes(game.mask(one)))
                differed += other.record != game.record
            game.apply(seat, rng.choice(game.legal_actions(seat)))
    assert differed > 100


def case_games_are_copied_and_pickled_whole(folder):
    """A copy has the same hidden parts and the same incomplete choices; forged pickles are refused."""
    rng = random.Random(12)
    for players, edition in ((2, pyramids.edition()), (4, odd(3))):
        game = pyramids.Game(players, 31, edition=edition, names=['Ana'] + ['x'] * (players - 1))
        game.tag('where', 'at home')
        step = 0
        while not game.is_over:
            seat = rng.choice(game.waiting)
            action = rng.choice(game.legal_actions(seat))
            step += 1
            if step % 7 == 0:
                twins = pickle.loads(pickle.dumps(game)), copy.deepcopy(game), copy.copy(game)
                plays = [random.Random(step) for _ in (game, *twins)]
                for twin in twins:
                    assert twin.record == game.record and twin.waiting == game.waiting
                    assert all(bytes(twin.observation(one)) == bytes(game.observation(one)) and
                               bytes(twin.mask(one)) == bytes(game.mask(one)) for one in range(players))
                if step % 35 == 0:       # to the end: the same cards come
                    ends = []
                    for twin, play in zip((game.copy(), *twins), plays):
                        while not twin.is_over:
                            one = twin.waiting[0]
                            twin.apply(one, play.choice(twin.legal_actions(one)))
                        ends.append(twin.record)
                    assert len(set(ends)) == 1
            game.apply(seat, action)
        assert pickle.loads(pickle.dumps(game)).scores == game.scores
    assert pickle.loads(pickle.dumps(odd(3))).text == odd(3).text
    game = pyramids.Game(2, 1)
    box, record, (deck, expedition, choices) = game.__reduce__()[1]
    restore = game.__reduce__()[0]
    for wrong in ((deck[:-1], expedition, choices), (deck[:-1] + b'\0', expedition, choices),
                  (b'\xff' * 48, expedition, choices), (deck, expedition[::-1][1:] + b'\7', choices),
                  (deck, expedition, ()), (deck, expedition, ((1,), ())), (deck, expedition, (1, 2))):
        raises((pyramids.Error, TypeError), restore, box, record, wrong)
    for text in ('', 'pyramids-record 1\n', record[:60]):
        raises(pyramids.Error, restore, box, text, (deck, expedition, choices))


# Errors.

def case_illegal_actions_name_the_rule(folder):
    game = pyramids.Game(2, 3)
    assert raises(pyramids.IllegalAction, game.apply, 0, 0).rule == 'R4'
    assert raises(pyramids.IllegalAction, game.apply, 0, -1).code == 'step'
    assert raises(pyramids.IllegalAction, game.apply, 0, 462).code == 'step'
    raises(ValueError, game.apply, 2, 450)
    raises(TypeError, game.apply, 0, 'x')
    game.apply(0, 450)
    assert raises(pyramids.IllegalAction, game.apply, 0, 450).code == 'not_due'
    game.apply(1, 450)
    card = game.view(0)['players'][0]['cards'][0]
    rules = {}
    for i in range(25):
        mark = card['rows'][i // 5][i % 5]
        if mark != 'v':
            before = game.record, bytes(game.observation(0)), bytes(game.mask(0))
            error = raises(pyramids.IllegalAction, game.apply, 0, 400 + i)
            assert isinstance(error, ValueError) and error.rule and error.rule in str(error)
            rules[mark == '#'] = error.rule
            assert before == (game.record, bytes(game.observation(0)), bytes(game.mask(0)))
    assert rules == {True: 'R9', False: 'R10'}, rules
    error = raises(pyramids.FormatError, game.choose, 0, '99:a1')
    assert error.code
    error = raises(pyramids.FormatError, pyramids.Game.from_record, 'pyramids-record 1\nedition classic\nplayer 1 A\nbad\n')
    assert error.line == 4 and 'line 4' in str(error)
    error = raises(pyramids.FormatError, pyramids.Edition, text='pyramids-edition 7\n')
    assert error.code == 'text_version'
    for seats in (0, 1, 5, -1):
        assert raises((pyramids.Error, ValueError, OverflowError), pyramids.Game, seats)
    raises(ValueError, pyramids.Game, 2, -1)
    raises(ValueError, pyramids.Game, 2, 2**64)
    raises(ValueError, pyramids.edition, 'nosuch')
    raises(ValueError, pyramids.bots.get, 'nosuch')
    assert raises(pyramids.IllegalAction, game.apply, 0, 2**70).code == 'step'
    assert '127' in str(raises(ValueError, pyramids.Game, 2, names=['Ana', 'x' * 128]))
    raises(ValueError, pyramids.Game, 2, names=['Ana', ''])
    raises(TypeError, pyramids.Game, 2, names=['Ana', 5])
    assert str(2**62) in str(raises(ValueError, pyramids.VecEnv, 2**62)) and raises(MemoryError, pyramids.VecEnv, 2**42)
    # The system would promise each of its parts, and kill the program when all are used.
    raises(MemoryError, pyramids.VecEnv, os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGESIZE') // 1400)


def state_of(env):
    return [env.save(i) for i in range(env.games)] + [bytes(memoryview(array).tobytes()) for array in (
        env.observations, env.masks, env.turn, env.all_rewards, env.done)]


def case_bad_steps_change_nothing(folder):
    for options in ({}, {'parallel': True}, {'opponents': 'greedy'}):
        env = pyramids.VecEnv(4, players=3, **options)
        raises(RuntimeError, env.step, [0] * env.num_envs)
        env.reset(seed=1)
        for _ in range(30):
            env.step(env.sample_actions())
        before = state_of(env)
        good = env.sample_actions().tolist()
        wrong = [good[:-1], good + [0], [], [good], good[:-1] + [462], good[:-1] + [-1], good[:-1] + [2**70],
                 good[:-1] + [450 if env.masks[-1][450] == 0 else 0], ['x'] * len(good), good[:-1] + [1.5], 5, None,
                 bytes(3), [float(a) for a in good], memoryview(bytes(len(good) * 8)).cast('d')]
        for actions in wrong:
            error = raises((ValueError, TypeError), env.step, actions)
            assert state_of(env) == before, actions
            if isinstance(error, pyramids.IllegalAction):
                assert error.row == len(good) - 1 and f'row {error.row}' in str(error)
        for seeds in ([1], [1] * 5, [-1] * 4, ['x'] * 4, -3, 2**64, 2**70, [2**64] * 4, 1.5):
            raises((ValueError, TypeError), env.reset, seed=seeds)
            assert state_of(env) == before, seeds
        for call in (lambda: env.look(4, 0), lambda: env.look(-1, 0), lambda: env.look(0, 3), lambda: env.deal(9),
                     lambda: env.save(4), lambda: env.load(0, b'x'), lambda: env.load(0, bytes(496)),
                     lambda: env.sample(0, 7, 1), lambda: env.record(0)):
            raises((ValueError, IndexError, pyramids.Error), call)
            assert state_of(env) == before
        env.step(good)
        kept = env.observations
        env.close()
        env.close()
        assert bytes(kept[0])                # arrays outlive the environment
        for call in (lambda: env.step(good), lambda: env.reset(seed=1), lambda: env.save(0), env.sample_actions,
                     lambda: env.look(0, 0), lambda: env.seed_actions(1)):
            raises(pyramids.ClosedError, call)


def case_bad_options_are_refused(folder):
    make = pyramids.VecEnv
    for options in ({'players': 1}, {'players': 5}, {'reward': 'gold'}, {'opponents': 'nosuch'}, {'games': 0}, {'games': -1},
                    {'opponents': ['greedy', 'greedy']}, {'opponents': ['greedy']}, {'edition': 'nosuch'},
                    {'edition': 5}, {'players': 2.5}, {'buffers': {'nosuch': bytearray(5)}}, {'buffers': 7},
                    {'bot_nodes': -1}, {'opponents': [None, 7]}):
        raises((pyramids.Error, ValueError, TypeError), make, **{'games': 2, **options})


def case_buffers_of_the_caller_are_written_in_place(folder):
    sizes = {'observation': 560, 'mask': 462, 'critic': 352, 'turn': 1, 'done': 1}
    mine = {name: bytearray(3 * size) for name, size in sizes.items()}
    mine['reward'] = memoryview(bytearray(3 * 2 * 4)).cast('f')
    mine['score'] = memoryview(bytearray(3 * 2 * 4)).cast('i')
    env = pyramids.VecEnv(3, buffers=mine, critic=True)
    other = pyramids.VecEnv(3, critic=True)
    env.reset(seed=4)
    other.reset(seed=4)
    for _ in range(100):
        actions = other.sample_actions()
        env.step(actions)
        other.step(actions)
        assert bytes(mine['observation']) == memoryview(other.observations).tobytes()
        assert bytes(mine['mask']) == memoryview(other.masks).tobytes()
        assert bytes(mine['critic']) == memoryview(other.critic).tobytes()
        assert mine['reward'].tobytes() == memoryview(other.all_rewards).tobytes()
    raises(BufferError, mine['mask'].append, 1)      # in use
    env.close()
    for name, buffer in (('mask', bytes(3 * 462)), ('mask', bytearray(3 * 462 - 1)), ('mask', bytearray(3 * 462 + 1)),
                         ('observation', memoryview(bytearray(6 * 560))[::2]), ('reward', bytearray(24)),
                         ('reward', memoryview(bytearray(24)).cast('i')), ('score', memoryview(bytearray(20)).cast('i')),
                         ('turn', 'abc'), ('done', 5), ('observation', memoryview(bytearray(3 * 560)).cast('b'))):
        raises((ValueError, TypeError), pyramids.VecEnv, 3, buffers={name: buffer})
    # Buffers at unaligned addresses, and two that overlap, are refused.
    odd_place = bytearray(64)
    if pyramids.observation.numpy is not None:
        at = next(i for i in range(4) if (pyramids.observation.numpy.frombuffer(odd_place, 'u1').ctypes.data + i) % 4)
        floats = pyramids.observation.numpy.frombuffer(odd_place, 'u1')[at:at + 24].view('f4').reshape(3, 2)
        assert 'aligned' in str(raises(ValueError, pyramids.VecEnv, 3, buffers={'reward': floats}))
    shared = bytearray(3 * 560)
    for same in ({'observation': shared, 'mask': memoryview(shared)[100:100 + 3 * 462]},
                 {'turn': memoryview(shared)[:3], 'done': memoryview(shared)[2:5]}):
        assert 'overlap' in str(raises(ValueError, pyramids.VecEnv, 3, buffers=same))
    env = pyramids.VecEnv(3, buffers={'turn': memoryview(shared)[:3], 'done': memoryview(shared)[3:6]})
    env.reset(seed=1)


# Conventions.

def check_spaces(env, agent):
    assert env.observation_space(agent) is env.observation_space(agent)
    assert env.action_space(agent) is env.action_space(agent)


def check_observation(env, agent, observation, acts):
    assert observation in env.observation_space(agent), agent
    assert set(observation) == {'observation', 'action_mask'}
    assert len(observation['observation']) == 560 and len(observation['action_mask']) == 462
    assert set(bytes(observation['action_mask'])) <= {0, 1} and any(observation['action_mask']) == acts


def check_aec(env, seed):
    """A small version of the checks in PettingZoo's api_test."""
    raises(ValueError, env.last)             # before the first reset
    env.reset(seed=seed)
    assert env.agents == env.possible_agents == [f'player_{i}' for i in range(len(env.agents))]
    assert env.num_agents == env.max_num_agents == len(env.agents) and env.metadata['name']
    for agent in env.agents:
        check_spaces(env, agent)
    total, live, steps = dict.fromkeys(env.agents, 0), set(env.agents), 0
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        assert agent == env.agent_selection and agent in env.agents and isinstance(info, dict) and not truncated
        assert set(env.rewards) == set(env.terminations) == set(env.truncations) == set(env.infos) == set(env.agents)
        check_observation(env, agent, observation, not terminated)
        for other in env.agents:
            if other != agent:
                check_observation(env, other, env.observe(other), False)
        total[agent] += reward
        if terminated:
            raises(ValueError, env.step, 450)
            env.step(None)
            live.discard(agent)
        else:
            raises(ValueError, env.step, None)
            env.step(env.action_space(agent).sample(observation['action_mask']))
            steps += 1
    assert not env.agents and not live and steps > 50
    raises(ValueError, env.step, None)
    raises(ValueError, env.last)
    return total


def check_parallel(env, seed):
    observations, infos = env.reset(seed=seed)
    everyone = set(env.possible_agents)
    assert set(observations) == set(infos) == everyone == set(env.agents)
    total = dict.fromkeys(everyone, 0)
    while env.agents:
        for agent in env.agents:
            check_spaces(env, agent)
            check_observation(env, agent, observations[agent], True)
        actions = {agent: env.action_space(agent).sample(observations[agent]['action_mask']) for agent in env.agents}
        raises(ValueError, env.step, {**actions, 'nobody': 0})
        if any(action != PASS for action in actions.values()):
            raises(ValueError, env.step, {})
        observations, rewards, terminations, truncations, infos = env.step(actions)
        assert set(rewards) == set(terminations) == set(truncations) == set(infos) == everyone
        assert all(isinstance(value, bool) for value in [*terminations.values(), *truncations.values()])
        for agent, reward in rewards.items():
            total[agent] += reward
        assert any(terminations.values()) == all(terminations.values()) == (not env.agents)
    raises(ValueError, env.step, {})
    return total


def case_pettingzoo_conventions(folder):
    for players, edition in itertools.product((2, 3, 4), ('classic', pyramids.generate(2))):
        for make, check in ((pyramids.aec_env, check_aec), (pyramids.parallel_env, check_parallel)):
            env = make(players=players, edition=edition, render_mode='ansi')
            total = check(env, 7)
            game = pyramids.Game.from_record(env.record(), edition=edition)
            assert tuple(total[f'player_{i}'] for i in range(players)) == game.scores and env.render() == env.record()
            first = bytes(env.reset(seed=3)[0]['player_0']['observation']) if check is check_parallel else \
                (env.reset(seed=3), bytes(env.observe('player_0')['observation']))[1]
            assert first == bytes(pyramids.VecEnv(1, players=players, edition=edition).reset(seed=3)[0][0])
            env.close()
            raises(pyramids.ClosedError, env.reset)


def case_samples_of_parallel_agents_are_legal(folder):
    """Without a mask, too, as PettingZoo's parallel_seed_test samples: most actions are illegal at any moment."""
    played = []
    for _ in range(2):
        env = pyramids.parallel_env(players=3)
        spaces = [env.action_space(agent) for agent in env.possible_agents]
        assert all(0 <= space.sample() < 462 for space in spaces)        # before the first deal, any action
        env.reset(seed=42)
        for i, space in enumerate(spaces):
            space.seed(42 + i)
        steps = []
        while env.agents:
            steps.append([space.sample() for space in spaces])
            env.step(dict(zip(env.agents, steps[-1])))
        assert all(env.action_space(agent) is space for agent, space in zip(env.possible_agents, spaces))
        played.append((steps, env.record()))
        mask = [0] * 462
        mask[7] = 1
        assert spaces[0].sample(pyramids.observation.numpy.array(mask, 'int8') if pyramids.observation.numpy else mask) == 7
    assert played[0] == played[1] and 'winner' in played[0][1]


def case_the_checkers_of_pettingzoo_and_gymnasium(folder):
    # They are not in Debian; the cases around this one check the same rules.
    try:
        from gymnasium.utils.env_checker import check_env
        from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
    except ImportError:
        return
    for players in (2, 4):
        api_test(pyramids.aec_env(players=players), num_cycles=500)
        parallel_api_test(pyramids.parallel_env(players=players), num_cycles=500)
        seed_test(lambda: pyramids.aec_env(players=players), num_cycles=50)
        parallel_seed_test(lambda: pyramids.parallel_env(players=players), num_cycles=50)
        check_env(pyramids.gym_env('random', players=players), skip_render_check=True)


def case_gymnasium_conventions(folder):
    for options in ({'opponents': 'greedy'}, {'opponents': ['greedy', None, 'random'], 'players': 3}, {'parallel': True},
                    {'players': 4}):
        env = pyramids.VecEnv(3, **options)
        rows = 3 * env.players if env.parallel else 3
        assert env.num_envs == rows and env.metadata['autoreset_mode'] and len(env.single_observation_space.shape) == 1
        first, infos = env.reset(seed=8)
        first = bytes(memoryview(first).tobytes())
        assert tuple(env.observations.shape) == (rows, 560) == tuple(env.observation_space.shape)
        ended, total = 0, 0
        for _ in range(200):
            assert set(infos) >= {'action_mask', 'turn'}
            observations, rewards, terminations, truncations, infos = env.step(env.sample_actions())
            assert len(terminations) == len(truncations) == rows and not any(truncations)
            wide = () if env.parallel or len(env.seats) == 1 else (env.players,)
            assert tuple(rewards.shape) == (rows, *wide) and observations is env.observations
            ended += sum(terminations)
            assert any(terminations) == ('final_score' in infos)
        assert ended
        again, _ = env.reset(seed=8)
        assert bytes(memoryview(again).tobytes()) == first
        env.reset()
        one = memoryview(env.observations).tobytes()
        env.reset(seed=8)
        env.reset()
        assert memoryview(env.observations).tobytes() == one != first        # the seed also decides what follows
    env = pyramids.gym_env('greedy', players=3, render_mode='ansi')
    observation, info = env.reset(seed=1)
    total, done = 0, False
    while not done:
        assert observation in env.observation_space
        observation, reward, done, truncated, info = env.step(env.action_space.sample())
        assert isinstance(reward, float) and isinstance(done, bool) and truncated is False
        total += reward
    raises(RuntimeError, env.step, PASS)
    assert total == info['final_score'][0] and pyramids.Game.from_record(env.render()).scores == info['final_score']
    raises(ValueError, pyramids.gym_env, [None, None])
    # The spaces of Gymnasium itself seed themselves at their first sample.
    discrete, sample = pyramids.spaces.Discrete, pyramids.spaces.Discrete.sample

    def sample_lazily(space, *args, **named):
        if not hasattr(space, 'is_seeded'):
            space.is_seeded = True
            space.seed()
        return sample(space, *args, **named)
    discrete.sample = sample_lazily
    try:
        env = pyramids.gym_env()
        env.reset(seed=1)
        for _ in range(5):
            env.step(env.action_space.sample())
    finally:
        discrete.sample = sample


def fake_pyspiel():
    """The part of pyspiel that a game in Python needs, following open_spiel/python/pybind11/python_games.cc: texts
    come from the observers, clone copies the attributes of a state, serialize pickles them."""
    def enum(*names):
        return types.SimpleNamespace(**{name: name for name in names})

    class GameType:
        Dynamics, ChanceMode = enum('SEQUENTIAL'), enum('EXPLICIT_STOCHASTIC')
        Information, Utility, RewardModel = enum('IMPERFECT_INFORMATION'), enum('GENERAL_SUM'), enum('TERMINAL')

        def __init__(self, **what):
            self.__dict__.update(what)

    class Game:
        def __init__(self, kind, info, params):
            self.kind, self.info, self.params = kind, info, params

    class ObservationType:
        def __init__(self, public_info=True, perfect_recall=False, private_info='SINGLE_PLAYER'):
            self.public_info, self.perfect_recall, self.private_info = public_info, perfect_recall, private_info

    class State:
        def __init__(self, game):
            self._hidden = game, []

        def history(self):
            return self._hidden[1]

        def attributes(self):
            return {name: value for name, value in vars(self).items() if name != '_hidden'}

        def put(self, attributes, history):
            twin = self._hidden[0].new_initial_state()
            vars(twin).update(attributes)
            twin.history().extend(history)
            return twin

        def clone(self):
            return self.put({name: copy.deepcopy(value) for name, value in self.attributes().items()}, self.history())

        def serialize(self):
            return pickle.dumps((self.attributes(), self.history()))

        def observed(self, player, recall):
            player = self.current_player() if player is None else player
            return self._hidden[0].make_py_observer(ObservationType(True, recall), {}).string_from(self, player)

        def observation_string(self, player=None):
            return self.observed(player, False)

        def information_state_string(self, player=None):
            return self.observed(player, True)

        def legal_actions(self, player=None):
            player = self.current_player() if player is None else player
            if player == -4 or player != self.current_player():
                return []
            return [a for a, _ in self.chance_outcomes()] if player == -1 else self._legal_actions(player)

        def apply_action(self, action):
            assert action in self.legal_actions()
            player = self.current_player()
            self._apply_action(action)
            self.history().append((player, action))

    module, games = types.ModuleType('pyspiel'), {}
    module.GameType, module.Game, module.State = GameType, Game, State
    module.GameInfo = lambda **what: types.SimpleNamespace(**what)
    module.IIGObservationType = ObservationType
    module.PrivateInfoType = enum('SINGLE_PLAYER', 'NONE', 'ALL_PLAYERS')
    Game.deserialize_state = lambda self, data: self.new_initial_state().put(*pickle.loads(data))
    module.PlayerId = types.SimpleNamespace(CHANCE=-1, TERMINAL=-4)
    module.register_game = lambda kind, maker: games.update({kind.short_name: maker})
    module.load_game = lambda name, params=None: games[name](params)
    return module


def case_openspiel_adapter(folder):
    # Chance first, actions sorted, returns within the bounds, equal states for equal histories, hidden parts hidden.
    try:
        import pyspiel
    except ImportError:
        pyspiel = sys.modules['pyspiel'] = fake_pyspiel()
    if pyramids.observation.numpy is None:
        return
    importlib.import_module('pyramids.openspiel')
    rng = random.Random(9)
    for players, reward in itertools.product((2, 3, 4), ('win', 'score')):
        game = pyspiel.load_game('python_pyramids', {'players': players, 'reward': reward, 'deals': 5})
        state, twin = game.new_initial_state(), game.new_initial_state()
        assert state.current_player() == pyspiel.PlayerId.CHANCE
        assert abs(sum(p for _, p in state.chance_outcomes()) - 1) < 1e-9
        observer, length = game.make_py_observer(), 0
        while not state.is_terminal():
            actions = state.legal_actions()
            assert actions and actions == sorted(set(actions)) and state.returns() == [0.0] * players
            action = rng.choice(actions)
            player = state.current_player()
            if player >= 0:
                observer.set_from(state, player)
                assert 0 <= observer.tensor.min() and observer.tensor.max() <= 1
                other = state.play.sample(player, rng.getrandbits(60))
                assert bytes(other.observation(player)).hex() == state.observation_string(player)
                assert state._action_to_string(player, action)
                assert state.information_state_string(player) == twin.information_state_string(player)
                assert state.information_state_string(player).startswith(state.observation_string(player) + ':')
            if length % 9 == 0:          # algorithms continue with copies
                child = state.clone()
                again = game.deserialize_state(state.serialize())
                assert str(child) == str(again) == str(state) and again.history() == child.history() == state.history()
                child.apply_action(action)
                again.apply_action(action)
                assert child.legal_actions() == again.legal_actions() and str(state) == str(twin)
            state.apply_action(action)
            twin.apply_action(action)
            length += 1
        raises(ValueError, game.make_py_observer, pyspiel.IIGObservationType(
            public_info=True, perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE))
        low, high = (0, 1) if reward == 'win' else (-50, 400)
        assert str(state) == str(twin) and all(low <= r <= high for r in state.returns()) and 50 < length < 2800
        assert reward != 'win' or abs(sum(state.returns()) - 1) < 1e-9


# Bots, analysis, editions.

def case_bots_play_and_frozen_ones_are_there(folder):
    assert set(pyramids.bots.frozen) <= set(pyramids.bots.names)
    for name in pyramids.bots.names:
        bot, game = pyramids.bots.get(name, seed=3, nodes=50), pyramids.Game(2, 5)
        for _ in range(6):
            for seat in game.waiting:
                action = bot.choose(game, seat)
                assert action in game.legal_actions(seat)
                game.apply(seat, action)
    other = pyramids.bots.get('greedy', edition=pyramids.generate(1))
    for wrong in (None, 'greedy', pyramids.VecEnv(1)):
        raises(TypeError, other.choose, wrong, 0)
        raises(TypeError, pyramids.options, wrong, 0)
    raises(TypeError, pyramids.analyze, None)
    raises(ValueError, other.choose, pyramids.Game(2, 1), 0)
    game = pyramids.Game(2, 1, edition=pyramids.generate(1))         # the same cards, but another object
    for one in (game, pickle.loads(pickle.dumps(game))):
        assert other.choose(one, 0) in one.legal_actions(0)
    env = pyramids.VecEnv(20, opponents=['random', None], reward='score', autoreset=False)
    greedy, mine = pyramids.VecEnv(20, opponents=[None, 'greedy'], autoreset=False), 0
    greedy.reset(seed=1)
    while not all(greedy.done) and mine < 200:
        greedy.step([row.tolist().index(1) if any(row) else PASS for row in greedy.masks]
                    if pyramids.observation.numpy is not None else
                    [bytes(greedy.look(i, 0)[1]).find(1) % 462 for i in range(20)])
        mine += 1
    assert sum(row[1] > row[0] for row in greedy.scores.tolist()) >= 18       # the first action is a poor choice
    env.close()


def case_analysis_has_the_numbers_of_the_command(folder):
    record = open(os.path.join(ROOT, 'tests/data/plain-2.pyr'), encoding='utf-8').read()
    edition = pyramids.edition(open(os.path.join(ROOT, 'tests/data/plain.edition'), encoding='utf-8').read())
    decisions, sums = pyramids.analyze(record, edition=edition, playouts=128)
    out = json.loads(run('analyze', '--edition', os.path.join(ROOT, 'tests/data/plain.edition'), '--playouts', '128',
                         '--json', os.path.join(ROOT, 'tests/data/plain-2.pyr')))
    theirs = out['decisions']
    assert len(decisions) == len(theirs) > 50 and len(sums) == 2
    for mine, other in zip(decisions, theirs):
        assert mine.choice == other['made'] and mine.seat + 1 == other['seat'], (mine, other)
        assert abs(mine.points_lost - other['points_lost']) < 0.01, (mine, other)
    raises(ValueError, pyramids.analyze, pyramids.Game(2, 1))
    game = pyramids.Game(2, 2)
    for playouts in (0, -1, 2**32, 2**70, 1.5):
        raises((ValueError, TypeError), pyramids.analyze, record, edition=edition, playouts=playouts)
        raises((ValueError, TypeError), pyramids.options, game, 0, playouts=playouts)
    best = pyramids.options(game, 0, playouts=300)
    assert len(best) == 6 and {one.choice for one in best} == {f'{min(a, b)} {max(a, b)}' for a, b in itertools.combinations(
        [card['number'] for card in game.view(0)['offer']], 2)}


def case_editions_are_read_written_and_generated(folder):
    classic = open(os.path.join(ROOT, 'editions/classic.edition'), encoding='utf-8').read()
    assert pyramids.edition(classic).text == pyramids.edition().text and pyramids.edition().name == 'classic'
    assert len(pyramids.edition().patterns) == 6 and pyramids.edition() is pyramids.edition()
    assert pyramids.generate(5).text == pyramids.generate(5).text != pyramids.generate(6).text
    assert pyramids.generate(5, 'train').text == pyramids.generate(pyramids.TRAIN_SEEDS[5]).text
    assert pyramids.generate(5, 'test').text == pyramids.generate(pyramids.TEST_SEEDS[5]).text
    assert not set(pyramids.TRAIN_SEEDS[:3]) & set(pyramids.TEST_SEEDS[:3])
    assert pyramids.TRAIN_SEEDS[-1] < pyramids.TEST_SEEDS[0]
    assert run('edition', 'generate', '--seed', '5') == pyramids.generate(5).text
    raises(ValueError, pyramids.generate, 1, 'exam')
    raises(ValueError, pyramids.generate, 10**6, 'test')
    raises(ValueError, pyramids.generate, -1)


# Threads, interpreters, signals.

def play_out(seed, players, steps=150):
    env = pyramids.VecEnv(64, players=players)
    env.reset(seed=seed)
    env.seed_actions(seed)
    for _ in range(steps):
        env.step(env.sample_actions())
    return b''.join(env.save(i) for i in range(64))


def case_threads_do_not_disturb_each_other(folder):
    expected = [play_out(seed, 2 + seed % 3) for seed in range(6)]
    found = [None] * 6

    def work(i):
        found[i] = play_out(i, 2 + i % 3)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


def case_a_busy_environment_refuses_a_second_thread(folder):
    # The lock is released during a step: otherwise this thread could not request a second one.
    env = pyramids.VecEnv(8, opponents='flatmc')
    env.reset(seed=1)
    actions, ended, refused = env.sample_actions(), threading.Event(), 0

    def work():
        env.step(actions)
        ended.set()
    thread = threading.Thread(target=work)
    before = env.save(0)
    thread.start()
    while not ended.is_set() and not refused:
        try:
            env.save(0)
        except RuntimeError as error:
            assert 'thread' in str(error)
            raises(RuntimeError, env.close)
            raises(RuntimeError, env.step, actions)
            refused += 1
    thread.join()
    assert refused and env.save(0) != before
    env.close()


def case_interrupts_end_long_calls(folder):
    # Each of them would take hours.
    code = '''
import pyramids
what = {0!r}
game, bot = pyramids.Game(4, 1), pyramids.bots.get('flatmc', nodes=10**9)
env = pyramids.VecEnv(10**6 if what == 'reset' else 1, players=4, opponents='greedy' if what == 'step' else 'flatmc',
                      bot_nodes=10**9 if what == 'think' else 0)
if what == 'step':
    env.reset(seed=1)
try:
    print('ready', flush=True)
    if what in ('reset', 'think'):
        env.reset(seed=1)
    elif what == 'choose':
        bot.choose(game, 0)
    while what == 'step':
        env.step(env.sample_actions())
    print('finished')
except KeyboardInterrupt:
    print('interrupted')
if what in ('reset', 'think'):
    try:
        env.step([0])
    except RuntimeError as error:
        print('reset' in str(error))
'''
    for what in ('step', 'reset', 'think', 'choose'):
        with subprocess.Popen([sys.executable, '-c', code.format(what)], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == 'ready\n'
            process.send_signal(signal.SIGINT)
            out = process.stdout.read()
        assert out == 'interrupted\n' + ('True\n' if what in ('reset', 'think') else ''), (what, out)


def case_several_interpreters(folder):
    # numpy itself supports one interpreter only.
    script('''
import _xxsubinterpreters as interpreters
code = """
import sys
sys.modules['numpy'] = None
import pyramids
env = pyramids.VecEnv(8, players=3, record=True)
env.reset(seed=1)
for _ in range(200):
    env.step(env.sample_actions())
assert pyramids.Game.from_record(env.record(0, finished=True)).is_over
try:
    env.step([0])
except ValueError:
    pass
else:
    raise SystemExit('no error')
"""
import sys
for _ in range(3):
    one, two = interpreters.create(), interpreters.create()
    interpreters.run_string(one, code)
    interpreters.run_string(two, code)
    interpreters.destroy(one)
    interpreters.run_string(two, code)
    interpreters.destroy(two)
exec(code)
''')


def case_works_without_numpy(folder):
    script('''
import sys
sys.modules['numpy'] = None
import pyramids
env = pyramids.VecEnv(4, players=3, parallel=True, critic=True)
observations, infos = env.reset(seed=1)
assert isinstance(observations, memoryview) and observations.shape == (12, 560)
for _ in range(100):
    observations, rewards, terminations, truncations, infos = env.step(env.sample_actions())
    assert len(rewards) == len(terminations) == 12
mine = memoryview(bytearray(16)).cast('f')
one = pyramids.VecEnv(2, opponents=[None, 'random'], buffers={'reward': mine})
one.reset(seed=1)
total = [0, 0]
while not one.done[0]:
    rewards = one.step(one.sample_actions())[1]
    total = [a + b for a, b in zip(total, rewards)]
assert total[0] == one.scores.tolist()[0][0]
one = pyramids.VecEnv(2, opponents='greedy')
one.reset(seed=1)
rewards = one.step(one.sample_actions())[1]
assert rewards.shape == (2,) and rewards.tolist() is not None
env = pyramids.parallel_env(players=2)
observations, _ = env.reset(seed=1)
while env.agents:
    observations, *_ = env.step({a: env.action_space(a).sample(observations[a]['action_mask']) for a in env.agents})
assert pyramids.split(observations['player_0']['observation'])['desks'].shape == (4, 2, 32)
assert pyramids.Game(2, 1).view(0)['decision'] == 'keep'
''')


def case_nothing_leaks(folder):
    # Twice the work needs the same memory.
    if SHORT:
        return
    out = script('''
import gc, resource, pyramids
def work():
    for i in range(150):
        env = pyramids.VecEnv(64, players=4, record=True, buffers={'mask': bytearray(64 * 462)})
        env.reset(seed=i)
        env.step(env.sample_actions())
        try:
            env.step([0] * 64)
        except ValueError:
            pass
        env.close()
        game = pyramids.Game(3, i)
        game.sample(0, i).copy()
        pyramids.Game.from_record(game.record)
        pyramids.generate(i % 7)
    gc.collect()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
work()
first = work()
print(work() - first)
''')
    assert int(out) < 3000, out


# Packaging.

def case_the_module_uses_the_limited_api_only(folder):
    core = pyramids._core.__file__
    assert core.endswith('.abi3.so'), core
    out = subprocess.run(['nm', '-D', '--undefined-only', core], capture_output=True, text=True, check=True).stdout
    inner = {line.split()[-1] for line in out.splitlines() if ' _Py' in line}
    assert inner <= {'_Py_NoneStruct', '_Py_TrueStruct', '_Py_FalseStruct', '_Py_Dealloc', '_Py_IncRef', '_Py_DecRef',
                     '_PyArg_ParseTuple_SizeT', '_PyArg_ParseTupleAndKeywords_SizeT', '_PyObject_CallFunction_SizeT',
                     '_Py_BuildValue_SizeT'}, inner      # these are part of it
    out = subprocess.run(['nm', '-D', '--defined-only', core], capture_output=True, text=True, check=True).stdout
    assert [line.split()[-1] for line in out.splitlines() if 'asan' not in line and '__' not in line.split()[-1][:2]] == [
        'PyInit__core'], out


def case_types_and_documents_name_everything(folder):
    stub = ast.parse(open(os.path.join(ROOT, 'python/pyramids/_core.pyi'), encoding='utf-8').read())
    core, named = pyramids._core, set()
    for node in stub.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            named.add(node.name)
            thing = getattr(core, node.name)
            for part in getattr(node, 'body', []):
                if isinstance(node, ast.ClassDef) and isinstance(part, ast.FunctionDef):
                    assert hasattr(thing, part.name), (node.name, part.name)
            if isinstance(node, ast.ClassDef):
                real = {name for name in vars(thing) if not name.startswith('_')}
                assert real <= {part.name for part in node.body if isinstance(part, ast.FunctionDef)}, real
        elif isinstance(node, ast.AnnAssign):
            named.add(node.target.id)
    assert {name for name in vars(core) if not name.startswith('__')} <= named
    for name in ('__init__', '_errors', 'bots', 'game', 'observation', 'vector', 'zoo'):
        for node in ast.walk(ast.parse(open(os.path.join(ROOT, f'python/pyramids/{name}.py'), encoding='utf-8').read())):
            if isinstance(node, ast.FunctionDef) and (node.name == '__init__' or not node.name.startswith('_')):
                words = [*node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
                assert node.returns and all(word.annotation for word in words if word and word.arg not in ('self', 'cls')), (
                    f'{name}.{node.name} has no types')
    assert os.path.exists(os.path.join(os.path.dirname(pyramids.__file__), 'py.typed'))
    page = open(os.path.join(ROOT, 'docs/python.md'), encoding='utf-8').read()
    for name in pyramids.__all__:
        assert name in page and getattr(pyramids, name) is not None, f'docs/python.md does not mention {name}'
        assert name in dir(pyramids)


def case_examples_of_the_page_run(folder):
    page = open(os.path.join(ROOT, 'docs/python.md'), encoding='utf-8').read()
    blocks = [block.split('```')[0] for block in page.split('```python\n')[1:]]
    assert len(blocks) >= 4
    if pyramids.observation.numpy is not None:
        for block in blocks:
            if 'pyspiel' not in block:
                script(block, cwd=folder)


def case_the_benchmark_prints_both_speeds(folder):
    out = subprocess.run([sys.executable, '-m', 'pyramids.bench', '--json', '--blocks', '2', '--steps', '10'],
                         capture_output=True, text=True, check=True, timeout=300).stdout
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row['players'] for row in rows] == [2, 3, 4]
    assert all(row['steps_per_second'] > 0 and row['library_steps_per_second'] > 0 for row in rows)


if __name__ == '__main__':
    cases.main(globals())
