"""A linear agent: the value of an action is the scalar product of weights and features that can be read off an observation.

Features describe the table after the action: how far the tombs of both cards are, and what was gained. They are computed
for whole batches with numpy, for legal actions only. Cards are read from the observation, so the agent plays every
edition.
"""
import numpy

import pyramids

BINS = 13                        # distances to a tomb: 0 to 11, and more or no card
NAMES = ("bias", "turns left", "score", "ruby", "emerald", "torch", "skull", "skull again", "potion", "cross", "spaces",
         "pair", "tomb", "points", "gems left", "crosses left", "skulls left", "race", "draw") + tuple(
             f"way {i}" for i in range(BINS)) + tuple(f"way {i}, time" for i in range(BINS)) + tuple(
                 f"way {i}, late" for i in range(BINS)) + ("gems, late", "torch, late")
COUNT = len(NAMES)
_AT = {name: i for i, name in enumerate(NAMES)}
_PAIRS = numpy.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
_POINTS = numpy.array([10, 6, 3, 0])
EMPTY, ENTRANCE, TOMB, CROSS, RUBY, EMERALD, TORCH, SKULL, POTION = range(1, 10)
FREE, FAR = 16, BINS - 1


def turns(drawing):
    """The ways to turn a drawing (5 x 5) that look different, in the order of the actions, each as 25 x 25: by the space
    of its first square, the squares that it covers; nothing where it would leave the card."""
    squares = {(r, c) for r, c in zip(*numpy.nonzero(drawing))}
    found = []
    for mirrored in (False, True):
        for quarters in range(4):
            shape = {(r, -c) if mirrored else (r, c) for r, c in squares}
            for _ in range(quarters):
                shape = {(c, -r) for r, c in shape}
            first = min(shape)
            shape = frozenset((r - first[0], c - first[1]) for r, c in shape)
            if shape not in found:
                found.append(shape)
    covers = numpy.zeros((8, 25, 25), bool)
    for t, shape in enumerate(found):
        for space in range(25):
            spaces = [(space // 5 + r, space % 5 + c) for r, c in shape]
            if all(0 <= r < 5 and 0 <= c < 5 for r, c in spaces):
                covers[t, space, [5 * r + c for r, c in spaces]] = True
    return covers.reshape(200, 25)


class Features:
    """Features of legal actions; caches the placements of patterns and the paths on cards that it has seen."""

    def __init__(self):
        self._covers = {}
        self._ways = {}

    def _covers_of(self, drawing):
        key = drawing.tobytes()
        if key not in self._covers:
            single = numpy.eye(25, dtype=bool)
            pattern = turns(drawing.reshape(5, 5)) if drawing.any() else numpy.zeros((200, 25), bool)
            self._covers[key] = numpy.concatenate([pattern, single])
        return self._covers[key]

    def _way(self, spaces):
        """Steps from each space of a card to its tomb, at most FAR."""
        symbols = (spaces & 15).reshape(5, 5)
        key = symbols.tobytes()
        if key not in self._ways:
            grid = numpy.full((7, 7), FAR)
            grid[1:6, 1:6] = numpy.where(symbols == TOMB, 0, FAR)
            for _ in range(FAR):
                best = numpy.minimum.reduce([grid[:-2, 1:-1], grid[2:, 1:-1], grid[1:-1, :-2], grid[1:-1, 2:]]) + 1
                grid[1:6, 1:6] = numpy.where(symbols > 0, numpy.minimum(grid[1:6, 1:6], best), FAR)
            self._ways[key] = numpy.minimum(grid[1:6, 1:6], FAR).reshape(25)
        return self._ways[key]

    def __call__(self, observations, masks):
        """(rows, actions, features) of the legal actions, in the order of the rows."""
        rows, actions = numpy.nonzero(masks)
        parts = pyramids.split(observations)
        own = parts["seats"][:, 0].astype(float)
        result = numpy.zeros((len(rows), COUNT))
        time = parts["clock"][:, 2] / 28.0
        late = numpy.maximum(0, 1 - parts["clock"][:, 2] / 9.0)      # in the last turns unfinished cards count for nothing
        result[:, _AT["bias"]] = 1
        result[:, _AT["turns left"]] = time[rows]
        result[:, _AT["score"]] = (own[rows, 14] - 50) / 50
        spaces = parts["desks"][:, 0, :, :25]
        ways = numpy.array([[self._way(card) for card in cards] for cards in spaces])
        symbols = spaces & 15
        marked = (symbols > 0) & (spaces & FREE == 0)
        printed = numpy.minimum(parts["desks"][:, 0, :, 30].astype(int), FAR)
        now = numpy.where(marked.any(-1), numpy.where(marked, ways, FAR).min(-1), numpy.where(printed > 0, printed, FAR))
        # The table after the action: distances of both cards, and what is left on them.
        free = (spaces & FREE) > 0
        left = numpy.stack([(((symbols == RUBY) | (symbols == EMERALD)) & free).sum(-1), ((symbols == CROSS) & free).sum(-1),
                            ((symbols == SKULL) & free).sum(-1)], -1).astype(float)
        # The additional gain of the next pyramid of each colour.
        worth = _POINTS[numpy.minimum((parts["points"] > 0).sum(-1), 3)] * (own[:, 8:11] % 2)
        colours = parts["desks"][:, 0, :, 26:29]
        race = (colours * worth[:, None, :]).sum(-1) * (now > 0)
        after, left, race = now[rows], left[rows], race[rows]
        self._marks(parts, own, worth, symbols, ways, rows, actions, after, left, race, result)
        self._offers(parts, worth, rows, actions, after, left, race)
        result[actions == pyramids.ACTIONS - 2, _AT["draw"]] = 1
        every = numpy.arange(len(rows))
        result[:, _AT["gems left"]:_AT["gems left"] + 3] = left.sum(1) / 3
        result[:, _AT["race"]] = race.sum(1) / 10
        for slot in range(2):
            result[every, _AT["way 0"] + after[:, slot]] += 1
            result[every, _AT["way 0, time"] + after[:, slot]] += time[rows]
            result[every, _AT["way 0, late"] + after[:, slot]] += late[rows]
        result[:, _AT["gems, late"]] = left[..., 0].sum(1) / 3 * late[rows]
        return rows, actions, result

    def _marks(self, parts, own, worth, symbols, ways, rows, actions, after, left, race, result):
        at = numpy.nonzero(actions < 450)[0]
        if not len(at):
            return
        mine, what = rows[at], actions[at]
        slot, turn, space = what // 25 % 2, what // 50, what % 25
        place = numpy.where(what < 400, turn * 25 + space, 200 + space)
        covers = {row: self._covers_of(parts["pattern"][row, :25]) for row in numpy.unique(mine)}
        cover = numpy.array([covers[row][one] for row, one in zip(mine, place)])
        there = symbols[mine, slot]
        counts = {kind: ((there == kind) & cover).sum(1) for kind in (RUBY, EMERALD, TORCH, SKULL, POTION, CROSS, TOMB)}
        rubies, emeralds, skulls = own[mine, 2], own[mine, 3], own[mine, 1]
        rounds = numpy.minimum(parts["clock"][mine, 0].astype(int), 3)
        colour = parts["desks"][mine, 0, slot, 26:29].argmax(1)
        tomb = counts[TOMB] > 0
        put = {
            "ruby": counts[RUBY], "emerald": counts[EMERALD], "torch": (counts[TORCH] > 0) * (1 - own[mine, 4 + rounds]),
            "skull": counts[SKULL], "skull again": counts[SKULL] * skulls / 3,
            "potion": numpy.minimum(skulls + counts[SKULL], 2 * counts[POTION]), "cross": counts[CROSS],
            "spaces": cover.sum(1) / 4,
            "pair": numpy.minimum(rubies + counts[RUBY], emeralds + counts[EMERALD]) - numpy.minimum(rubies, emeralds),
            "tomb": tomb, "points": tomb * worth[mine, colour] / 5,
        }
        put["torch, late"] = put["torch"] * (parts["clock"][mine, 1] / 6.0)       # how late in the round: a new one follows
        for name, value in put.items():
            result[at, _AT[name]] = value
        near = numpy.where(cover, ways[mine, slot], FAR).min(1)
        after[at, slot] = numpy.minimum(after[at, slot], near)
        left[at, slot] -= numpy.stack([counts[RUBY] + counts[EMERALD], counts[CROSS], counts[SKULL]], -1)
        left[at[tomb], slot[tomb]] = 0
        race[at[tomb], slot[tomb]] = 0

    @staticmethod
    def _offers(parts, worth, rows, actions, after, left, race):
        """Cards that are kept or taken are on the desk afterwards; a drawn one counts as average."""
        symbols = parts["offer"][..., :25] & 15
        ways = numpy.minimum(parts["offer"][..., 30].astype(int), FAR)
        facts = numpy.stack([((symbols == RUBY) | (symbols == EMERALD)).sum(-1), (symbols == CROSS).sum(-1),
                             (symbols == SKULL).sum(-1)], -1)
        gains = (parts["offer"][..., 26:29] * worth[:, None, :]).sum(-1)

        def lay(at, slot, place):
            row = rows[at]
            after[at, slot], left[at, slot], race[at, slot] = ways[row, place], facts[row, place], gains[row, place]

        keep = numpy.nonzero((actions >= 450) & (actions < 456))[0]
        for slot in range(2):
            lay(keep, slot, _PAIRS[actions[keep] - 450][:, slot])
        take = numpy.nonzero((actions >= 456) & (actions < 460))[0]
        free = (parts["desks"][rows[take], 0, 0, 31] > 0).astype(int)                # the slot without a card
        lay(take, free, actions[take] - 456)
        draw = numpy.nonzero(actions == 460)[0]
        free = (parts["desks"][rows[draw], 0, 0, 31] > 0).astype(int)
        after[draw, free], left[draw, free], race[draw, free] = 9, (2, 1, 2), worth[rows[draw]].mean(1)


class Agent:
    """Chooses the action of the highest value, or now and then any other (explore)."""

    def __init__(self, weights=None, seed=0):
        self.weights = numpy.zeros(COUNT) if weights is None else numpy.asarray(weights, float)
        self.features = Features()
        self.random = numpy.random.default_rng(seed)

    def act(self, observations, masks, explore=0.0):
        """(actions, their features) for rows of observations and masks; each row has a legal action."""
        rows, actions, found = self.features(observations, masks)
        values = found @ self.weights + self.random.random(len(rows)) * 1e-6         # ties
        if explore:
            any_other = self.random.random(len(masks)) < explore
            values = numpy.where(any_other[rows], self.random.random(len(rows)), values)
        starts = numpy.searchsorted(rows, numpy.arange(len(masks)))
        best = numpy.maximum.reduceat(values, starts)
        at = numpy.nonzero(values == best[rows])[0]
        at = at[numpy.unique(rows[at], return_index=True)[1]]
        return actions[at], found[at]
