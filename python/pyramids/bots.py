"""The computer players. A bot sees what its seat may know and nothing else.

    bot = pyramids.bots.get("greedy")
    game.apply(seat, bot.choose(game, seat))
"""
from __future__ import annotations

from . import _core
from .game import Game, edition as _edition, match_of as _match_of

names = _core.bot_names()        # weakest first
frozen = ("random", "greedy", "flatmc", "veteran")   # these never change their choices: opponents to cite

__all__ = ["Bot", "frozen", "get", "names"]


class Bot:
    """A computer player for games with one edition. It can be used by one thread at a time; Ctrl-C ends its thinking."""

    __slots__ = ("_bot", "name", "edition")

    def __init__(self, name: str, *, edition: _core.Edition | str = "classic", seed: int = 0, nodes: int = 0) -> None:
        """The seed decides its random choices; nodes limits its search (0: its own limit)."""
        self.name, self.edition = name, _edition(edition)
        self._bot = _core.Bot(self.edition, name, seed, nodes)

    def choose(self, game: Game, seat: int) -> int:
        """The action that the bot would make for a seat. It makes it only if you apply it."""
        return self._bot.choose(_match_of(game), seat)

    def __repr__(self) -> str:
        return f"<pyramids.bots.Bot {self.name}>"


def get(name: str, *, edition: _core.Edition | str = "classic", seed: int = 0, nodes: int = 0) -> Bot:
    """The bot of that name; `names` lists them."""
    return Bot(name, edition=edition, seed=seed, nodes=nodes)
