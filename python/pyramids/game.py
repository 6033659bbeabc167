"""One game, editions, and the values of choices."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, NamedTuple, Optional
import random

from . import _core
from ._errors import Error
from .observation import ACTIONS, Array, describe, row_of, split

# Random editions: agents are trained on TRAIN_SEEDS and judged on TEST_SEEDS, which they never saw.
TRAIN_SEEDS = range(0, 1_000_000)
TEST_SEEDS = range(1_000_000_000, 1_001_000_000)

_classic: Optional[_core.Edition] = None


def edition(source: _core.Edition | str = "classic") -> _core.Edition:
    """An edition from its name ("classic"), from its text, or as it is.

    A text has more than one line; read a file with `edition(open(path).read())`."""
    global _classic
    if isinstance(source, _core.Edition):
        return source
    if not isinstance(source, str):
        raise TypeError("an edition is a pyramids.Edition, a name or a text")
    if "\n" in source:
        return _core.Edition(text=source)
    if source != "classic":
        return _core.Edition(name=source)
    if _classic is None:
        _classic = _core.Edition(name="classic")
    return _classic


def generate(seed: int, split: Optional[str] = None) -> _core.Edition:
    """A new edition of 48 cards; the same seed gives the same edition on every machine.

    With split="train" or "test" it is the seed-th edition of that part: seeds 0 to 999,999 are for training, 1,000,000,000
    to 1,000,999,999 for testing. Results on random editions should say how many of each were used."""
    if split is not None:
        parts = {"train": TRAIN_SEEDS, "test": TEST_SEEDS}
        if split not in parts:
            raise ValueError(f"unknown split {split!r}; choose from: train, test")
        if not 0 <= seed < len(parts[split]):
            raise ValueError(f"the split has editions 0 to {len(parts[split]) - 1}")
        seed = parts[split][seed]
    return _core.Edition(seed=seed)


class Score(NamedTuple):
    """The parts of a player's score (R16); total is their sum."""
    total: int
    pyramids: int
    torches: int
    points: int
    gems: int
    skulls: int


def _number_of_players(players: Any) -> int:
    """Converts to an int, checked before anything is allocated per player. Numbers of numpy are accepted, too."""
    if isinstance(players, bool) or not hasattr(players, "__index__"):
        raise TypeError("players must be a number")
    players = index(players)
    if not 2 <= players <= 4:
        raise Error("a game has 2 to 4 players", "seats")
    return players


def _check_names(names: Iterable[str]) -> None:
    for name in names:
        if not isinstance(name, str):
            raise TypeError("a name must be a str")
        if not 1 <= len(name.encode()) <= 127:
            raise ValueError(f"a name has 1 to 127 bytes, and {name[:20]!r} has {len(name.encode())}")


def _cards(numbers: Iterable[Any], count: int, what: str) -> bytes:
    flat = [n for row in numbers for n in (row if hasattr(row, "__len__") and not isinstance(row, str) else (row,))]
    if len(flat) != count:
        raise ValueError(f"{what} has {len(flat)} numbers; it needs {count}")
    if not all(hasattr(n, "__index__") and 0 <= index(n) <= 48 for n in flat):
        raise ValueError(f"{what} must be numbers of cards or patterns")
    return bytes(index(n) for n in flat)


class Game:
    """One game. Seats make actions (numbers from 0 to 461, see `describe`) in any order; a choice counts when it is
    complete, and the game advances when all have chosen. A game can be used by one thread at a time."""

    __slots__ = ("_match",)

    def __init__(self, players: int = 2, seed: Optional[int] = None, *, edition: _core.Edition | str = "classic",
                 names: Optional[Iterable[str]] = None, dealt: Optional[Sequence[Any]] = None,
                 deck: Optional[Sequence[int]] = None, expedition: Optional[Sequence[Any]] = None) -> None:
        """Deals a game. The seed (default: a random one) decides all that is hidden, except for what is given:

        dealt: four card numbers per player; deck: the order of all 48 cards, top first (cards that are kept are skipped);
        expedition: four rounds of eight patterns, as indices into `edition.patterns`."""
        box = _edition(edition)
        players = _number_of_players(players)
        if seed is None:
            seed = random.SystemRandom().getrandbits(64)
        names = tuple(names) if names is not None else tuple(f"player_{i}" for i in range(players))
        _check_names(names)
        self._match = _core.Match(
            box, players, names, seed, None if dealt is None else _cards(dealt, 4 * players, "dealt"),
            None if deck is None else _cards(deck, 48, "deck"),
            None if expedition is None else _cards(expedition, 32, "expedition"))

    @classmethod
    def _of(cls, match: _core.Match) -> Game:
        game = cls.__new__(cls)
        game._match = match
        return game

    @classmethod
    def from_record(cls, text: str, *, edition: _core.Edition | str = "classic", seed: int = 0) -> Game:
        """The game of a record. If it is unfinished, hidden cards are drawn from the seed."""
        return cls._of(_core.load(_edition(edition), text, seed))

    def copy(self) -> Game:
        """An independent copy of the game."""
        return self._of(self._match.copy())

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Game:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.edition, self.record, self._match.hidden())

    def sample(self, seat: int, seed: int) -> Game:
        """A game in another world that fits all that the seat knows: the order of the deck and of expedition cards, the
        cards that others returned, and choices that others have just made are drawn again. The seat's observation is the
        same."""
        return self._of(self._match.sample(seat, seed))

    @property
    def players(self) -> int:
        return self._match.players

    @property
    def edition(self) -> _core.Edition:
        return self._match.edition

    @property
    def is_over(self) -> bool:
        return self._match.is_over

    @property
    def waiting(self) -> tuple[int, ...]:
        """The seats that have to act, as a tuple; empty when the game is over."""
        bits = self._match.waiting
        return tuple(seat for seat in range(self.players) if bits >> seat & 1)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won: one, or several who share it (Q8); empty before the end."""
        bits = self._match.winners
        return tuple(seat for seat in range(self.players) if bits >> seat & 1)

    @property
    def record(self) -> str:
        """The record so far (docs/formats.md), which `pyramids replay` and Game.from_record accept."""
        return self._match.record

    def tag(self, name: str, value: str) -> None:
        """Adds a line `tag NAME VALUE` to the record."""
        self._match.tag(name, value)

    def mask(self, seat: int) -> Array:
        """One byte per action: 1 if the seat may do it now."""
        return row_of(self._match.mask(seat), "int8")

    def legal_actions(self, seat: int) -> list[int]:
        """The legal actions of a seat; an empty list if it has nothing to decide."""
        return [action for action, legal in enumerate(self._match.mask(seat)) if legal]

    def observation(self, seat: int) -> Array:
        """What the seat may know, as 560 bytes (fields, split)."""
        return row_of(self._match.observation(seat))

    def apply(self, seat: int, action: int) -> None:
        """Makes an action of a seat. IllegalAction if the rules forbid it; then nothing has changed."""
        self._match.apply(seat, action)

    def choose(self, seat: int, text: str) -> None:
        """Makes a whole choice from its text, as records have it: "17:a1a2+22:c1", "-", "17 22", "take 31" or "draw"."""
        self._match.choose(seat, text)

    def score(self, seat: int) -> Score:
        """The score of a seat on the open table."""
        return Score(*self._match.score(seat))

    @property
    def scores(self) -> tuple[int, ...]:
        """The total of each seat."""
        return tuple(self.score(seat).total for seat in range(self.players))

    def view(self, seat: int) -> dict[str, Any]:
        """What a seat may know, in words: a dict of plain Python values. Seats are true seats."""
        parts = {name: part.tolist() for name, part in split(self._match.observation(seat)).items()}
        turned = [(seat + i) % self.players for i in range(self.players)]
        clock, deciding = parts["clock"], parts["decision"]
        kinds = ("keep", "mark", "extra", "replace")
        players = {}
        for i, who in enumerate(turned):
            row = parts["seats"][i]
            players[who] = {
                "cards": [_card(card) for card in parts["desks"][i] if card[-1]],
                "skulls": row[1], "rubies": row[2], "emeralds": row[3], "torches": row[4:8],
                "completed": dict(zip(("green", "orange", "purple"), row[8:11])), "points": row[11],
                "penalty": row[13], "score": row[14] - 50,
            }
        pattern = parts["pattern"]
        number = pattern[25:31].index(1) if 1 in pattern[25:31] else None
        return {
            "seat": seat, "round": clock[0], "turn": clock[1], "turns_left": clock[2], "deck": clock[3],
            "decision": kinds[deciding.index(1)] if 1 in deciding else None, "players": players,
            "offer": [_card(card) for card in parts["offer"] if card[-1]],
            "pattern": None if number is None else self.edition.patterns[number],
            "left": dict(zip(self.edition.patterns, parts["left"])),
            "order": [turned[i - 1] for i in parts["order"] if i],
            "points": [[turned[i - 1] if i else None for i in row] for row in parts["points"]],
            "returned": [i + 1 for i, place in enumerate(parts["cards"]) if place == 1],
        }

    def __repr__(self) -> str:
        return f"<pyramids.Game {self.edition.name}, {self.players} players{', over' if self.is_over else ''}>"


def _restored(box: _core.Edition, record: str, hidden: Any) -> Game:
    """A game from a pickle."""
    return Game._of(_core.restore(box, record, hidden))


_edition = edition
_SPACES = "#.vTxrefsp"


def _card(row: list[int]) -> dict[str, Any]:
    """A card of an observation: its number, colour, drawing and marked spaces."""
    spaces = row[:25]
    return {
        "number": row[25], "colour": ("green", "orange", "purple")[row[26:29].index(1)],
        "rows": ["".join(_SPACES[space & 15] for space in spaces[i:i + 5]) for i in range(0, 25, 5)],
        "marked": ["abcde"[i % 5] + str(i // 5 + 1) for i in range(25) if spaces[i] & 15 and not spaces[i] & 16],
    }


class Option(NamedTuple):
    """A choice and its value: expected final points, chance to win, half of the 95% interval of the difference to the
    best one, and whether it is the usual choice of the playouts."""
    choice: str
    points: float
    win: float
    points_margin: float
    win_margin: float
    is_usual: bool


def match_of(game: Any) -> _core.Match:
    """The game below; TypeError for anything else."""
    if not isinstance(game, Game):
        raise TypeError(f"expected a pyramids.Game, not {type(game).__name__}")
    return game._match


def options(game: Game, seat: int, *, playouts: int = 2000, seed: int = 1) -> list[Option]:
    """The choices of a seat at the beginning of its decision, best first, from playouts in worlds that fit what it knows."""
    return [Option(*row) for row in _core.options(match_of(game), seat, playouts, seed)]


class Decision(NamedTuple):
    """A decision of a finished game: what was chosen, what would have been best, and what it cost (regret), with margins.
    `mark` is "", "?!", "?" or "??"."""
    line: int
    seat: int
    round: int
    turn: int
    choice: str
    best: str
    points_lost: float
    points_margin: float
    win_lost: float
    win_margin: float
    mark: str


class SeatSum(NamedTuple):
    """The game of one seat in points: final score, what usual play expects, luck with its margin, skill, points lost against
    the best choices, lost per decision, number of decisions, and the level of play."""
    actual: float
    par: float
    luck: float
    luck_margin: float
    skill: float
    lost: float
    rate: float
    decisions: int
    level: str


def analyze(game: Game | str, *, playouts: int = 512, seed: int = 1,
            edition: _core.Edition | str = "classic") -> tuple[list[Decision], list[SeatSum]]:
    """What every decision of a finished game cost, and the sum of each seat: (decisions, sums). The numbers are those of
    `pyramids analyze` for the same record, playouts and seed. `game` is a Game or a record."""
    if isinstance(game, str):
        game = Game.from_record(game, edition=edition)
    decisions, sums = _core.analyze(match_of(game), playouts, seed)
    return [Decision(*row) for row in decisions], [SeatSum(*row) for row in sums]


__all__ = ["ACTIONS", "Decision", "Game", "Option", "Score", "SeatSum", "TEST_SEEDS", "TRAIN_SEEDS", "analyze", "describe",
           "edition", "generate", "options"]
