"""Pyramids for research: the board game Silver & Gold: Pyramids as an environment for programs that learn or measure.

    Game                        one game: deal, legal actions, apply, view, score, record
    VecEnv, gym_env             many games at once by Gymnasium's vector conventions; one against bots as a Gymnasium Env
    aec_env, parallel_env       by PettingZoo's conventions
    bots                        the computer players; some never change
    options, analyze            the values of choices, and the cost of a game's decisions
    Edition, generate           what is printed on the components; new boxes from a seed
    describe, fields, split     what the numbers of actions and the bytes of observations mean

docs/python.md has examples. Nothing but Python is needed; numpy, gymnasium and pettingzoo are used where they are installed.
"""
from typing import TYPE_CHECKING, Any

from ._errors import ClosedError, Error, FormatError, IllegalAction
from . import _core
from ._core import Edition
from .observation import ACTIONS, CRITIC, OBSERVATION, PASS, Action, Field, describe, fields, split
from .game import Decision, Game, Option, Score, SeatSum, TEST_SEEDS, TRAIN_SEEDS, analyze, edition, generate, options
from . import bots

__version__ = _core.version
__all__ = [
    "ACTIONS", "Action", "CRITIC", "ClosedError", "Decision", "Edition", "Error", "Field", "FormatError", "Game",
    "IllegalAction", "OBSERVATION", "Option", "PASS", "Score", "SeatSum", "TEST_SEEDS", "TRAIN_SEEDS", "VecEnv", "aec_env",
    "analyze", "bots", "describe", "edition", "fields", "generate", "gym_env", "options", "parallel_env", "split",
]

# These import gymnasium and pettingzoo if they are installed, which takes a while, so they are imported only when used.
if TYPE_CHECKING:
    from .vector import VecEnv, gym_env
    from .zoo import aec_env, parallel_env
_LATER = {"VecEnv": "vector", "gym_env": "vector", "aec_env": "zoo", "parallel_env": "zoo"}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        import importlib
        return getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
