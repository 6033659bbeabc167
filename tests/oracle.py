#!/usr/bin/env python3
"""A second implementation of the rules (docs/rules.md), independent of the engine: plain sets of (column, row). The
tests compare the command with it: each must accept the other's records, and both must list the same legal choices."""
import itertools

COLOURS = ('green', 'orange', 'purple')
TILES = (10, 6, 3)


class Bad(Exception):
    """A line that the rules do not allow; line is its number."""

    def __init__(self, line, why):
        super().__init__(f'{line}: {why}')
        self.line = line


def content_lines(text):
    for number, line in enumerate(text.split('\n'), 1):
        line = line.rstrip('\r')
        if line.startswith(';'):
            continue
        yield number, line


def spaces_of(text):
    return [(ord(text[i]) - ord('a'), int(text[i + 1]) - 1) for i in range(0, len(text), 2)]


def write_spaces(spaces):
    return ''.join('abcde'[c] + str(r + 1) for c, r in sorted(spaces, key=lambda s: (s[1], s[0])))


def neighbours(space):
    c, r = space
    return {(c + 1, r), (c - 1, r), (c, r + 1), (c, r - 1)}


class Edition:
    def __init__(self, text):
        self.cards, self.patterns = {}, {}
        rows = list(content_lines(text))
        i = 0
        while i < len(rows):
            words = rows[i][1].split(' ')
            i += 1
            if words[0] == 'name':
                self.name = words[1]
            elif words[0] == 'skulls':
                self.skulls = [int(w) for w in words[1:]]
            elif words[0] == 'pattern':
                drawn = set()
                row = 0
                while i < len(rows) and rows[i][1]:
                    drawn |= {(c, row) for c, mark in enumerate(rows[i][1]) if mark == 'X'}
                    i += 1
                    row += 1
                self.patterns[words[1]] = (int(words[2]), self.turns(drawn))
            elif words[0] == 'card':
                grid = {}
                for row in range(5):
                    grid.update({(c, row): mark for c, mark in enumerate(rows[i + row][1]) if mark != '#'})
                i += 5
                self.cards[int(words[1])] = (words[2], grid)

    @staticmethod
    def turns(drawn):
        """All ways to turn and mirror, each moved to the corner."""
        found = set()
        for mirror, quarters in itertools.product((False, True), range(4)):
            shape = {(-c, r) if mirror else (c, r) for c, r in drawn}
            for _ in range(quarters):
                shape = {(-r, c) for c, r in shape}
            left, top = min(c for c, _ in shape), min(r for _, r in shape)
            found.add(frozenset((c - left, r - top) for c, r in shape))
        return found


class Player:
    def __init__(self):
        self.cards = {}          # number -> set of marked spaces
        self.done = []
        self.gems = {'r': 0, 'e': 0}
        self.torches = set()
        self.skulls = 0
        self.tiles = []

    def copy(self):
        twin = Player()
        twin.cards = {n: set(m) for n, m in self.cards.items()}
        twin.done = list(self.done)
        twin.gems = dict(self.gems)
        twin.torches = set(self.torches)
        twin.skulls = self.skulls
        twin.tiles = list(self.tiles)
        return twin


class Game:
    """Follows a record; `wants` lists the lines that may come next, as (keyword, seat or None)."""

    def __init__(self, edition):
        self.edition = edition
        self.seats = 0
        self.players = []
        self.dealt = {}
        self.seen = set()        # cards known to be out of the deck
        self.display = []
        self.round, self.turn = 0, 0
        self.revealed = []
        self.pattern = None
        self.stage = 'header'
        self.queue = []          # lines that must follow exactly
        self.to_act = []         # seats, in order
        self.finished = {}       # this turn: seat -> numbers
        self.over = False

    # Marks.

    def reach(self, player, number):
        """Spaces of a card that a single mark may take (R10)."""
        grid, marks = self.edition.cards[number][1], player.cards[number]
        if not marks:
            return {s for s, mark in grid.items() if mark == 'v'}
        return {s for s in grid if s not in marks and neighbours(s) & marks}

    def first_marks(self, player):
        for number in player.cards:
            grid, marks = self.edition.cards[number][1], player.cards[number]
            reach = self.reach(player, number)
            for space in reach:
                yield number, frozenset([space])
            for shape in self.edition.patterns[self.pattern][1]:
                for dc, dr in itertools.product(range(5), range(5)):
                    placed = frozenset((c + dc, r + dr) for c, r in shape)
                    if all(s in grid and s not in marks for s in placed) and placed & reach:
                        yield number, placed

    def extra_marks(self, player):
        for number in player.cards:
            for space in self.reach(player, number):
                yield number, frozenset([space])

    def mark(self, player, number, spaces):
        """Marks spaces, applies their symbols in the order of Q1, returns how many crosses they pay."""
        grid = self.edition.cards[number][1]
        player.cards[number] |= spaces
        symbols = [grid[s] for s in spaces]
        for gem in 're':
            player.gems[gem] = min(10, player.gems[gem] + symbols.count(gem))
        if 'f' in symbols:
            player.torches.add(self.round)
        player.skulls = min(10, player.skulls + symbols.count('s'))
        player.skulls = max(0, player.skulls - 2 * symbols.count('p'))
        return symbols.count('x')

    def moves(self, seat):
        """Every complete move of a seat, as text."""
        player = self.players[seat]
        first = list(self.first_marks(player))
        if not first:
            return {'-'}
        found = set()

        def go_on(player, text, due):
            options = list(self.extra_marks(player)) if due else []
            if not options:
                found.add(text)
                return
            for number, spaces in options:
                twin = player.copy()
                more = self.mark(twin, number, spaces)
                go_on(twin, f'{text}+{number}:{write_spaces(spaces)}', due - 1 + more)

        for number, spaces in first:
            twin = player.copy()
            due = self.mark(twin, number, spaces)
            go_on(twin, f'{number}:{write_spaces(spaces)}', due)
        return found

    def choices(self, seat):
        if self.queue or not self.to_act:
            return set()
        if self.stage == 'keep' and seat in self.to_act:
            return {f'{min(a, b)} {max(a, b)}' for a, b in itertools.combinations(self.dealt[seat], 2)}
        if self.stage == 'mark' and seat in self.to_act:
            return self.moves(seat)
        if self.stage == 'replace' and seat == self.to_act[0]:
            return {f'take {c}' for c in self.display} | ({'draw'} if self.deck_left() else set())
        return set()

    # The course of a turn.

    def deck_left(self):
        return 48 - len(self.seen)

    def is_tomb_marked(self, player, number):
        grid, marks = self.edition.cards[number][1], player.cards[number]
        return any(grid[s] == 'T' for s in marks)

    def end_marking(self):
        self.finished = {}
        for seat, player in enumerate(self.players):
            numbers = [n for n in player.cards if self.is_tomb_marked(player, n)]
            if numbers:
                self.finished[seat] = sorted(numbers)
                for n in numbers:
                    del player.cards[n]
                    player.done.append(n)
        self.to_act = sorted(self.finished, key=lambda s: self.finished[s][0])
        self.owed = len(self.finished[self.to_act[0]]) if self.to_act else 0
        self.stage = 'replace'
        self.skip_replacing()

    def skip_replacing(self):
        """Q7: nothing left to take."""
        if self.to_act and not self.display and not self.deck_left():
            self.to_act = []
        if not self.to_act:
            self.end_turn()

    def next_replacing(self):
        self.to_act.pop(0)
        self.owed = len(self.finished[self.to_act[0]]) if self.to_act else 0
        missing = min(4 - len(self.display), self.deck_left())
        if missing:
            self.stage = 'show'
            self.missing = missing
        else:
            self.skip_replacing()

    def end_turn(self):
        for colour in COLOURS:
            claims = []
            for seat, numbers in self.finished.items():
                fresh = [n for n in numbers if self.edition.cards[n][0] == colour]
                total = sum(self.edition.cards[n][0] == colour for n in self.players[seat].done)
                if any(total - len(fresh) < t <= total for t in (2, 4, 6)):
                    claims.append((min(fresh), seat))
            for _, seat in sorted(claims):
                taken = sum(colour == c for p in self.players for c, _ in p.tiles)
                if taken < 3:
                    self.players[seat].tiles.append((colour, TILES[taken]))
                    self.queue.append(f'points {seat + 1} {colour} {TILES[taken]}')
        self.finished = {}
        self.stage = 'reveal'
        if self.round == 3 and self.turn == 7:
            self.stage = 'over'
            self.queue += self.result()

    def result(self):
        lines, ranks = [], []
        for seat, player in enumerate(self.players):
            pairs = min(player.gems.values())
            gems = 5 * pairs + abs(player.gems['r'] - player.gems['e'])
            skulls = -self.edition.skulls[player.skulls - 1] if player.skulls else 0
            points = sum(n for _, n in player.tiles)
            parts = (10 * len(player.done), 5 * len(player.torches), points, gems, skulls)
            total = sum(parts)
            lines.append('score %d %d pyramids %d torches %d points %d gems %d skulls %d' % (seat + 1, total, *parts))
            ranks.append((total, -min(player.done, default=49)))
        winners = [str(s + 1) for s, rank in enumerate(ranks) if rank == max(ranks)]
        return lines + ['winner ' + ' '.join(winners)]

    # Lines.

    def line(self, number, text):
        try:
            self.follow(text)
        except (ValueError, KeyError, IndexError, AssertionError, TypeError) as error:
            raise Bad(number, f'{text}: {type(error).__name__} {error}') from error

    def follow(self, text):
        words = text.split(' ')
        if words[0] == 'tag' and self.stage != 'header':
            assert len(words) >= 3
            return
        if self.queue:
            assert text == self.queue.pop(0)
            return
        getattr(self, 'on_' + self.stage)(words, text)

    @staticmethod
    def number(word):
        assert word == str(int(word))
        return int(word)

    def cards_of(self, words):
        cards = [self.number(w) for w in words]
        assert all(1 <= c <= 48 for c in cards) and len(set(cards)) == len(cards)
        return cards

    def on_header(self, words, text):
        assert text == 'pyramids-record 1'
        self.stage = 'edition'

    def on_edition(self, words, text):
        assert text == 'edition ' + self.edition.name
        self.stage = 'players'

    def on_players(self, words, text):
        if words[0] == 'player':
            assert self.number(words[1]) == self.seats + 1 <= 4 and words[2]
            self.seats += 1
            self.players.append(Player())
        else:
            assert self.seats >= 2
            self.stage = 'deal'
            self.on_deal(words, text)

    def on_deal(self, words, text):
        seat = len(self.dealt)
        assert words[0] == 'deal' and self.number(words[1]) == seat + 1 and len(words) == 6
        cards = self.cards_of(words[2:])
        assert not set(cards) & {c for dealt in self.dealt.values() for c in dealt}
        self.dealt[seat] = cards
        if len(self.dealt) == self.seats:
            self.stage = 'keep'
            self.to_act = list(range(self.seats))

    def on_keep(self, words, text):
        seat = self.to_act[0]
        assert words[0] == 'keep' and self.number(words[1]) == seat + 1 and len(words) == 4
        cards = self.cards_of(words[2:])
        assert set(cards) <= set(self.dealt[seat])
        self.players[seat].cards = {c: set() for c in cards}
        self.seen |= set(cards)
        self.to_act.pop(0)
        if not self.to_act:
            self.stage, self.missing = 'show', 4

    def on_show(self, words, text):
        cards = self.cards_of(words[1:])
        assert words[0] == 'show' and len(cards) == self.missing and not set(cards) & self.seen
        self.display += cards
        self.seen |= set(cards)
        if self.pattern is None:
            self.stage = 'reveal'
        else:
            self.stage = 'replace'
            self.skip_replacing()

    def on_reveal(self, words, text):
        assert words[0] == 'reveal' and len(words) == 2
        if self.turn == 7:
            self.round, self.turn, self.revealed = self.round + 1, 0, []
        assert self.revealed.count(words[1]) < self.edition.patterns[words[1]][0]
        self.revealed.append(words[1])
        self.pattern = words[1]
        self.turn += 1
        self.stage = 'mark'
        self.to_act = list(range(self.seats))

    def on_mark(self, words, text):
        seat = self.to_act[0]
        assert words[0] == 'mark' and self.number(words[1]) == seat + 1 and len(words) == 3
        player = self.players[seat]
        if words[2] == '-':
            assert not list(self.first_marks(player))
        else:
            due = None
            for part in words[2].split('+'):
                number, spaces = part.split(':')
                number, placed = self.number(number), frozenset(spaces_of(spaces))
                assert write_spaces(placed) == spaces
                options = self.first_marks(player) if due is None else self.extra_marks(player)
                assert due is None or due > 0
                assert (number, placed) in set(options)
                due = (0 if due is None else due - 1) + self.mark(player, number, placed)
            assert not due or not list(self.extra_marks(player))
        self.to_act.pop(0)
        if not self.to_act:
            self.end_marking()

    def on_replace(self, words, text):
        seat = self.to_act[0]
        assert self.number(words[1]) == seat + 1 and len(words) == 3
        card = self.cards_of(words[2:])[0]
        if words[0] == 'take':
            self.display.remove(card)
        else:
            assert words[0] == 'draw' and card not in self.seen
            self.seen.add(card)
        self.players[seat].cards[card] = set()
        self.owed -= 1
        if not self.owed or (not self.display and not self.deck_left()):
            self.next_replacing()

    def on_over(self, words, text):
        raise AssertionError('the game is over')


def follow(edition, text, game=None):
    game = game or Game(edition)
    for number, line in content_lines(text):
        if line:
            game.line(number, line)
    return game
