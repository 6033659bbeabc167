#!/usr/bin/env python3
"""Solves puzzles of the last two turns with the rules of oracle.py, which is independent of the engine, and compares the
values of the ten best choices with those of the command. usage: solve.py PYRAMIDS SOURCE [I/N]: all exact puzzles, or
every N-th from the I-th (docs/puzzles.md)."""
import itertools
import json
import os
import subprocess
import sys

import oracle


class Solver:
    """The expected final points of one player, with best play and the others doing nothing."""

    def __init__(self, game, seat):
        self.game, self.seat = game, seat
        self.is_last = game.turn == 7
        self.known = {}          # (desk, pattern): value of the last turn
        others = [t for s, p in enumerate(game.players) if s != seat for t in p.tiles]
        self.gone = {c: sum(c == colour for colour, _ in others) for c in oracle.COLOURS}

    @staticmethod
    def key(player):
        return (tuple(sorted((n, frozenset(m)) for n, m in player.cards.items())), tuple(player.gems.values()),
            len(player.torches), player.skulls, tuple(sorted(player.done)), tuple(sorted(player.tiles)))

    def ends(self, player, pattern):
        """The different desks after the marks of a turn. The same marks in another order are one."""
        self.game.pattern = pattern
        found, seen = {}, set()

        def follow(player, due):
            key = self.key(player)
            if (key, due) in seen:
                return
            seen.add((key, due))
            options = list(self.game.extra_marks(player)) if due else []
            if not options:
                found[key] = player
            for number, spaces in options:
                twin = player.copy()
                more = self.game.mark(twin, number, spaces)
                follow(twin, due - 1 + more)

        first = list(self.game.first_marks(player))
        for number, spaces in first:
            twin = player.copy()
            follow(twin, self.game.mark(twin, number, spaces))
        return list(found.values()) if first else [player]

    def complete(self, player):
        """Sets completed pyramids aside, takes their points, and returns how many new cards are due."""
        full = sorted(n for n in player.cards if self.game.is_tomb_marked(player, n))
        if not full:
            return player, 0
        player = player.copy()
        for number in full:
            del player.cards[number]
            player.done.append(number)
        for colour in oracle.COLOURS:
            fresh = sum(self.game.edition.cards[n][0] == colour for n in full)
            total = sum(self.game.edition.cards[n][0] == colour for n in player.done)
            mine = sum(c == colour for c, _ in player.tiles)
            place = self.gone[colour] + mine
            if place < 3 and any(total - fresh < t <= total for t in (2, 4, 6)):
                player.tiles.append((colour, oracle.TILES[place]))
        return player, len(full)

    def score(self, player):
        kept = self.game.players
        self.game.players = [player if s == self.seat else p for s, p in enumerate(kept)]
        line = self.game.result()[self.seat]
        self.game.players = kept
        return int(line.split(' ')[2])

    def last_turn(self, player):
        left = {p: copies - self.game.revealed.count(p) for p, (copies, _) in self.game.edition.patterns.items()}
        total = 0
        for pattern, copies in left.items():
            if not copies:
                continue
            key = (self.key(player), pattern)
            if key not in self.known:
                self.known[key] = max(self.score(self.complete(end)[0]) for end in self.ends(player, pattern))
            total += copies * self.known[key]
        return total / sum(left.values())

    def replace(self, player, due, taken):
        if not due:
            return self.last_turn(player)

        def with_card(card):
            twin = player.copy()
            twin.cards[card] = set()
            return self.replace(twin, due - 1, taken | {card})

        values = [with_card(card) for card in self.game.display if card not in taken]
        deck = [card for card in self.game.edition.cards if card not in self.game.seen and card not in taken]
        if deck:
            values.append(sum(map(with_card, deck)) / len(deck))
        return max(values) if values else self.last_turn(player)

    def value(self, end):
        """Of a desk after the marks of the turn that the puzzle asks about, in points."""
        player, due = self.complete(end)
        return self.score(player) if self.is_last else self.replace(player, due, frozenset())

    def values(self):
        """Of all choices, by their desks."""
        pattern = self.game.pattern
        return {self.key(end): self.value(end) for end in self.ends(self.game.players[self.seat], pattern)}

    def completed(self, player):
        return tuple(sorted(n for n in player.cards if self.game.is_tomb_marked(player, n)))

    def score_beside(self, end, others):
        """The score after the last turn, when the others complete these cards: points go by the lowest number (R14)."""
        game, kept = self.game, (self.game.players, self.game.stage)
        game.players = [player.copy() for player in game.players]
        game.players[self.seat], game.queue, game.finished = end.copy(), [], {}
        for seat, done in enumerate(others[:self.seat] + (self.completed(end),) + others[self.seat + 1:]):
            if done:
                game.players[seat].done += done
                game.finished[seat] = list(done)
        game.end_turn()
        line = next(line for line in game.queue if line.startswith(f'score {self.seat + 1} '))
        game.queue, (game.players, game.stage) = [], kept
        return int(line.split(' ')[2])

    def worst_gap(self):
        """How far the best choice of the last turn is ahead at least, whatever cards the others complete; and in how many
        ways they can."""
        pattern, nobody = self.game.pattern, ((),) * self.game.seats
        mine = self.ends(self.game.players[self.seat], pattern)
        best = max(mine, key=lambda end: self.score_beside(end, nobody))
        ways = [{()} if seat == self.seat else {self.completed(end) for end in self.ends(player, pattern)}
            for seat, player in enumerate(self.game.players)]
        gaps = [self.score_beside(best, way) - max(self.score_beside(end, way) for end in mine if end is not best)
            for way in itertools.product(*ways)]
        return min(gaps), len(gaps)

    def after(self, choice):
        """The desk that a choice leads to."""
        player = self.game.players[self.seat].copy()
        for part in choice.split('+'):
            card, spaces = part.split(':')
            self.game.mark(player, int(card), frozenset(oracle.spaces_of(spaces)))
        return self.key(player)


def compare(edition, puzzle, answer):
    """Whether the command's verdict has the values that the oracle finds; `answer` asks it. In the last turn the best choice
    must stay ahead whatever the others do. Returns the gap."""
    game = oracle.follow(edition, puzzle['record'])
    pattern = game.pattern
    solver = Solver(game, puzzle['puzzle']['seat'] - 1)
    values = solver.values()
    game.pattern = pattern
    verdict = answer(next(iter(sorted(game.moves(solver.seat)))))
    best = sorted(values.values(), reverse=True)
    listed = verdict['choices']
    assert not any(choice.get('at_most') for choice in listed)
    for place, choice in enumerate(listed):
        mine = values[solver.after(choice['choice'])]
        assert abs(choice['value'] - 100 * mine) <= 0.5001, (choice, mine)
        if place < 10:
            assert abs(choice['value'] - 100 * best[place]) <= 0.5001, (choice, best[:10])
    assert not solver.is_last or solver.worst_gap()[0] >= 1
    gap = best[0] - best[1]
    assert gap >= (2 if solver.is_last else 1.5) - 0.01, gap
    return gap


def main():
    pyramids, source = sys.argv[1:3]
    first, step = (int(word) for word in sys.argv[3].split('/')) if len(sys.argv) > 3 else (1, 1)
    with open(os.path.join(source, 'editions/classic.edition'), encoding='utf-8') as file:
        edition = oracle.Edition(file.read())
    with open(os.path.join(source, 'editions/classic.puzzles'), encoding='utf-8') as file:
        exact = [words for words in map(str.split, file.read().splitlines()[1:]) if words[9] == '0']

    def told(*words):
        done = subprocess.run([pyramids, 'puzzle', *words, '--json'], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    checked = {6: 0, 7: 0}
    wrong, least = 0, 99
    for words in exact[first - 1::step]:
        try:
            gap = compare(edition, told('--number', words[0]),
                lambda choice, number=words[0]: told('--number', number, '--answer', choice)['verdict'])
            least = min(least, gap)
        except (AssertionError, KeyError) as error:
            wrong += 1
            print(f'{words[0]} WRONG: {error}', flush=True)
        checked[int(words[4])] += 1
        print(f'{words[0]} turn {words[4]} gap {gap:.2f}', flush=True)
    print(f'{checked[7]} of the last turn and {checked[6]} of the one before checked, {wrong} wrong, least gap {least:.2f}')
    return wrong != 0


if __name__ == '__main__':
    sys.exit(main())
